//! Parser of expressions.

use super::ast::{Built, Comparison, Expr, Place, SEPARATOR};
use super::cursor::Parser;
use super::error::Error;
use super::lexer::{Token, is_function};
use super::number::Operation;
use super::regex::Regex;

type Parsed = Result<Expr, Error>;

impl Parser {
    pub(super) fn expr(&mut self) -> Parsed {
        self.nested(Self::assignment)
    }

    fn assignment(&mut self) -> Parsed {
        let left = self.condition()?;
        let operation = match self.peek() {
            Token::Sign("=") => None,
            Token::Sign("+=") => Some(Operation::Add),
            Token::Sign("-=") => Some(Operation::Subtract),
            Token::Sign("*=") => Some(Operation::Multiply),
            Token::Sign("/=") => Some(Operation::Divide),
            Token::Sign("%=") => Some(Operation::Remainder),
            _ => return Ok(left),
        };
        let Expr::Place(place) = left else { return Err(Error::new("an assignment needs a variable")) };
        if place == Place::Fields {
            return Err(Error::new("NF cannot be set"));
        }
        self.at += 1;
        self.lines();
        Ok(Expr::Assign(place, operation, Box::new(self.expr()?)))
    }

    fn condition(&mut self) -> Parsed {
        let condition = self.or()?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.lines();
        let yes = self.expr()?;
        self.lines();
        self.need(":")?;
        self.lines();
        Ok(Expr::If(Box::new(condition), Box::new(yes), Box::new(self.expr()?)))
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.take("||") {
            self.lines();
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.membership()?;
        while self.take("&&") {
            self.lines();
            left = Expr::And(Box::new(left), Box::new(self.membership()?));
        }
        Ok(left)
    }

    fn membership(&mut self) -> Parsed {
        let mut left = self.matching()?;
        while self.take("in") {
            left = self.member(vec![left])?;
        }
        Ok(left)
    }

    fn member(&mut self, subscripts: Vec<Expr>) -> Parsed {
        let name = self.name()?;
        Ok(Expr::In(subscripts, self.names.array(&name)?))
    }

    fn matching(&mut self) -> Parsed {
        let mut left = self.comparison()?;
        loop {
            let negated = self.is("!~");
            if !negated && !self.is("~") {
                return Ok(left);
            }
            self.at += 1;
            left = Expr::Matches(Some(Box::new(left)), self.regex()?);
            if negated {
                left = Expr::Not(Box::new(left));
            }
        }
    }

    /// Parses a regular expression. One that is computed while the program runs is unknown here.
    fn regex(&mut self) -> Result<usize, Error> {
        let Token::Regex(source) = self.peek() else { return Err(self.unexpected("a regular expression")) };
        self.regexes.push(Regex::new(source)?);
        self.at += 1;
        Ok(self.regexes.len() - 1)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.joined()?;
        let comparison = match self.peek() {
            Token::Sign("<") => Comparison::Less,
            Token::Sign("<=") => Comparison::LessOrEqual,
            Token::Sign("==") => Comparison::Equal,
            Token::Sign("!=") => Comparison::NotEqual,
            Token::Sign(">") if !self.prints => Comparison::Greater,
            Token::Sign(">=") => Comparison::GreaterOrEqual,
            _ => return Ok(left),
        };
        self.at += 1;
        Ok(Expr::Compare(comparison, Box::new(left), Box::new(self.joined()?)))
    }

    fn joined(&mut self) -> Parsed {
        let first = self.sum()?;
        if !self.begins_operand() {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.begins_operand() {
            parts.push(self.sum()?);
        }
        Ok(Expr::Joined(parts))
    }

    /// True if an operand follows that is joined to the one before it.
    fn begins_operand(&self) -> bool {
        match self.peek() {
            Token::Number(_) | Token::Text(_) | Token::Name(_) | Token::Call(_) => true,
            Token::Sign(sign) => ["$", "(", "!"].contains(sign),
            Token::Word(word) => is_function(word),
            Token::Regex(_) | Token::Line | Token::End => false,
        }
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let operation = match self.peek() {
                Token::Sign("+") => Operation::Add,
                Token::Sign("-") => Operation::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Expr::Calculated(operation, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.unary()?;
        loop {
            let operation = match self.peek() {
                Token::Sign("*") => Operation::Multiply,
                Token::Sign("/") => Operation::Divide,
                Token::Sign("%") => Operation::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Expr::Calculated(operation, Box::new(left), Box::new(self.unary()?));
        }
    }

    fn unary(&mut self) -> Parsed {
        if self.take("!") {
            return self.nested(|parser| Ok(Expr::Not(Box::new(parser.unary()?))));
        }
        if self.take("-") {
            return self.nested(|parser| Ok(Expr::Negative(Box::new(parser.unary()?))));
        }
        for (sign, by) in [("++", 1.0), ("--", -1.0)] {
            if self.take(sign) {
                let Expr::Place(place) = self.primary()? else { return Err(self.unexpected("a variable")) };
                return Ok(Expr::Count(place, by, false));
            }
        }
        let operand = self.primary()?;
        let by = match self.peek() {
            Token::Sign("++") => 1.0,
            Token::Sign("--") => -1.0,
            _ => return Ok(operand),
        };
        let Expr::Place(place) = operand else { return Err(Error::new("only a variable can count")) };
        self.at += 1;
        Ok(Expr::Count(place, by, true))
    }

    fn primary(&mut self) -> Parsed {
        let token = self.peek().clone();
        match token {
            Token::Regex(_) => return Ok(Expr::Matches(None, self.regex()?)),
            Token::Sign("(") => return self.grouped(),
            Token::Word("getline") => return self.get_line(),
            Token::Word(word) if is_function(word) => return self.built(word),
            _ => self.at += 1,
        }
        Ok(match token {
            Token::Number(number) => Expr::Number(number),
            Token::Text(text) => self.text(text),
            Token::Sign("$") => Expr::Place(Place::Field(Box::new(self.nested(Self::primary)?))),
            Token::Name(name) if name == "SUBSEP" => self.text(vec![SEPARATOR]),
            Token::Name(name) if name == "NF" => Expr::Place(Place::Fields),
            Token::Name(name) if self.is("[") => {
                self.at += 1;
                let subscripts = self.list("]")?;
                Expr::Place(Place::Element(self.names.array(&name)?, subscripts))
            }
            Token::Name(name) => Expr::Place(Place::Variable(self.names.scalar(&name)?)),
            Token::Call(name) => {
                self.need("(")?;
                let function = self.names.function(&name, &mut self.functions);
                let arguments = self.list(")")?;
                for (number, argument) in arguments.iter().enumerate() {
                    if let Expr::Place(Place::Variable(slot)) = argument {
                        self.names.pass(*slot, function, number);
                    }
                }
                Expr::Call(function, arguments)
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected("an expression"));
            }
        })
    }

    fn text(&mut self, text: Vec<u8>) -> Expr {
        let known = self.texts.iter().position(|own| *own == text);
        Expr::Text(known.unwrap_or_else(|| {
            self.texts.push(text);
            self.texts.len() - 1
        }))
    }

    /// Parses a list up to its end sign. Inside, `>` compares.
    pub(super) fn list(&mut self, end: &str) -> Result<Vec<Expr>, Error> {
        let prints = std::mem::replace(&mut self.prints, false);
        let mut found = Vec::new();
        self.lines();
        while !self.is(end) {
            found.push(self.expr()?);
            self.lines();
            if !self.take(",") {
                break;
            }
            self.lines();
        }
        self.prints = prints;
        self.need(end)?;
        Ok(found)
    }

    fn grouped(&mut self) -> Parsed {
        self.need("(")?;
        let mut all = self.list(")")?;
        match all.pop() {
            Some(only) if all.is_empty() => Ok(only),
            Some(last) if self.take("in") => {
                all.push(last);
                self.member(all)
            }
            _ => Err(self.unexpected("in")),
        }
    }

    fn get_line(&mut self) -> Parsed {
        self.need("getline")?;
        let place = match self.peek() {
            Token::Sign("<") => None,
            _ => match self.primary()? {
                Expr::Place(place) => Some(place),
                _ => return Err(self.unexpected("a variable")),
            },
        };
        self.need("<")?;
        Ok(Expr::GetLine(place, Box::new(self.primary()?)))
    }

    fn built(&mut self, word: &str) -> Parsed {
        self.need(word)?;
        if word == "length" && !self.is("(") {
            return Ok(Expr::Built(Built::Length(None)));
        }
        self.need("(")?;
        let built = match word {
            "length" => Built::Length(if self.is(")") { None } else { Some(self.argument()?) }),
            "int" => Built::Int(self.argument()?),
            "close" => Built::Close(self.argument()?),
            "sprintf" => {
                self.at -= 1;
                self.need("(")?;
                return Ok(Expr::Built(Built::Format(self.list(")")?)));
            }
            "index" => Built::Index(self.argument()?, self.next_argument()?),
            "substr" => {
                let (text, from) = (self.argument()?, self.next_argument()?);
                let length = if self.is(",") { Some(self.next_argument()?) } else { None };
                Built::Substr(text, from, length)
            }
            "match" => {
                let text = self.argument()?;
                self.need(",")?;
                Built::Match(text, self.regex()?)
            }
            "split" => {
                let text = self.argument()?;
                self.need(",")?;
                let name = self.name()?;
                let array = self.names.array(&name)?;
                Built::Split(text, array, if self.is(",") { Some(self.next_argument()?) } else { None })
            }
            word => {
                let regex = self.regex()?;
                let with = self.next_argument()?;
                let place = match self.take(",") {
                    false => Place::Field(Box::new(Expr::Number(0.0))),
                    true => match self.expr()? {
                        Expr::Place(place) if place != Place::Fields => place,
                        _ => return Err(self.unexpected("a variable")),
                    },
                };
                Built::Replace(regex, with, place, word == "gsub")
            }
        };
        self.need(")")?;
        Ok(Expr::Built(built))
    }

    fn argument(&mut self) -> Result<Box<Expr>, Error> {
        let prints = std::mem::replace(&mut self.prints, false);
        let parsed = self.expr();
        self.prints = prints;
        parsed.map(Box::new)
    }

    fn next_argument(&mut self) -> Result<Box<Expr>, Error> {
        self.need(",")?;
        self.lines();
        self.argument()
    }
}
