//! Parser of statements, rules and functions.

use super::ast::{Expr, Program, Rule, Statement};
use super::cursor::Parser;
use super::error::Error;
use super::lexer::{Token, tokens};

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    /// Fails if the program is wrong, or if it uses a part of awk that the interpreter does not have.
    pub fn read(source: &str) -> Result<Program, Error> {
        let mut parser = Parser::new(tokens(source)?);
        let program = parser.program().map_err(|error| error.at(parser.line()))?;
        Ok(Program { texts: parser.texts, regexes: parser.regexes, globals: parser.names.globals, ..program })
    }
}

impl Parser {
    fn program(&mut self) -> Result<Program, Error> {
        let mut program = Program::default();
        loop {
            self.ends();
            let line = self.line();
            if *self.peek() == Token::End {
                break;
            }
            if self.take("function") {
                self.function(line)?;
                continue;
            }
            let list = if self.take("BEGIN") {
                &mut program.begin
            } else if self.take("END") {
                &mut program.end
            } else {
                &mut program.rules
            };
            let pattern = if self.is("{") { None } else { Some(self.expr()?) };
            let action = if self.is("{") { Some(self.block()?) } else { None };
            list.push(Rule { pattern, action, line });
        }
        self.names.finish(&mut self.functions)?;
        program.functions = std::mem::take(&mut self.functions);
        Ok(program)
    }

    fn function(&mut self, line: usize) -> Result<(), Error> {
        let name = match self.peek() {
            Token::Call(name) | Token::Name(name) => name.clone(),
            _ => return Err(self.unexpected("a name")),
        };
        self.at += 1;
        self.need("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.name()?);
            if !self.take(",") {
                break;
            }
        }
        self.need(")")?;
        self.lines();
        let number = self.names.function(&name, &mut self.functions);
        let arrays = vec![false; parameters.len()];
        self.names.enter(number, parameters);
        let body = self.block()?;
        self.names.leave();
        if let Some(function) = self.functions.get_mut(number) {
            if function.line > 0 {
                return Err(Error::new(format!("`{name}` is defined twice")).at(line));
            }
            (function.arrays, function.body, function.line) = (arrays, vec![body], line);
        }
        Ok(())
    }

    fn block(&mut self) -> Result<Statement, Error> {
        self.need("{")?;
        let mut all = Vec::new();
        loop {
            self.ends();
            if self.take("}") {
                return Ok(Statement::Block(all));
            }
            all.push(self.nested(Self::statement)?);
        }
    }

    /// Skips the ends of lines and statements.
    fn ends(&mut self) {
        while *self.peek() == Token::Line || self.is(";") {
            self.at += 1;
        }
    }

    /// Parses the statement after a condition, which may be empty.
    fn body(&mut self) -> Result<Box<Statement>, Error> {
        self.lines();
        if self.take(";") {
            return Ok(Box::new(Statement::Block(Vec::new())));
        }
        self.nested(Self::statement).map(Box::new)
    }

    fn in_parentheses(&mut self) -> Result<Expr, Error> {
        self.need("(")?;
        let condition = self.expr()?;
        self.need(")")?;
        Ok(condition)
    }

    fn statement(&mut self) -> Result<Statement, Error> {
        if self.is("{") {
            return self.block();
        }
        if self.take("if") {
            let condition = self.in_parentheses()?;
            let body = self.body()?;
            let before = self.at;
            self.ends();
            if self.take("else") {
                return Ok(Statement::If(condition, body, Some(self.body()?)));
            }
            self.at = before;
            return Ok(Statement::If(condition, body, None));
        }
        if self.take("while") {
            return Ok(Statement::While(self.in_parentheses()?, self.body()?));
        }
        if self.take("do") {
            let body = self.body()?;
            self.ends();
            self.need("while")?;
            let condition = self.in_parentheses()?;
            return self.ended(Statement::DoWhile(body, condition));
        }
        if self.take("for") {
            self.need("(")?;
            let first = if self.is(";") { None } else { Some(self.expr()?) };
            self.need(";")?;
            let condition = if self.is(";") { None } else { Some(self.expr()?) };
            self.need(";")?;
            let last = if self.is(")") { None } else { Some(self.expr()?) };
            self.need(")")?;
            return Ok(Statement::For(Box::new([first, condition, last]), self.body()?));
        }
        let simple = self.simple()?;
        self.ended(simple)
    }

    /// Checks that a statement ends here.
    fn ended(&mut self, statement: Statement) -> Result<Statement, Error> {
        if self.take(";") || self.is("}") || matches!(self.peek(), Token::Line | Token::End) {
            return Ok(statement);
        }
        Err(self.unexpected("the end of the statement"))
    }

    fn simple(&mut self) -> Result<Statement, Error> {
        if self.take("print") {
            let (values, file) = self.printed()?;
            return Ok(Statement::Print(values, file));
        }
        if self.take("printf") {
            let (values, file) = self.printed()?;
            return Ok(Statement::PrintFormat(values, file));
        }
        if self.take("delete") {
            let name = self.name()?;
            let array = self.names.array(&name)?;
            let subscripts = if self.take("[") { self.list("]")? } else { Vec::new() };
            return Ok(Statement::Delete(array, subscripts));
        }
        if self.take("return") {
            return self.value().map(Statement::Return);
        }
        if self.take("exit") {
            return self.value().map(Statement::Exit);
        }
        let words =
            [("break", Statement::Break), ("continue", Statement::Continue), ("next", Statement::Next)];
        for (word, statement) in words {
            if self.take(word) {
                return Ok(statement);
            }
        }
        self.expr().map(Statement::Expr)
    }

    /// Parses the value of `return` or `exit`, if there is one.
    fn value(&mut self) -> Result<Option<Expr>, Error> {
        if self.at_end() { Ok(None) } else { self.expr().map(Some) }
    }

    fn at_end(&self) -> bool {
        self.is(";") || self.is("}") || matches!(self.peek(), Token::Line | Token::End)
    }

    /// Parses what is printed, and the file.
    fn printed(&mut self) -> Result<(Vec<Expr>, Option<Expr>), Error> {
        let mut values = Vec::new();
        self.prints = true;
        while !self.at_end() && !self.is(">") {
            values.push(self.expr()?);
            if !self.take(",") {
                break;
            }
            self.lines();
        }
        self.prints = false;
        let file = if self.take(">") { Some(self.expr()?) } else { None };
        Ok((values, file))
    }
}
