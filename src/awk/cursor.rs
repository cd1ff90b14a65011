//! State of the parser: its place among the tokens, and what it has found.

use super::ast::Function;
use super::error::Error;
use super::lexer::Token;
use super::names::Names;
use super::regex::Regex;

/// Deepest nesting of expressions and statements.
const DEEPEST: usize = 120;

/// Parser of a program: its tokens, and what it has found.
pub(super) struct Parser {
    tokens: Vec<(Token, usize)>,
    pub(super) at: usize,
    depth: usize,
    /// True while `>` names a file and does not compare.
    pub(super) prints: bool,
    pub(super) names: Names,
    pub(super) functions: Vec<Function>,
    pub(super) texts: Vec<Vec<u8>>,
    pub(super) regexes: Vec<Regex>,
}

impl Parser {
    pub(super) fn new(tokens: Vec<(Token, usize)>) -> Parser {
        Parser {
            tokens,
            at: 0,
            depth: 0,
            prints: false,
            names: Names::new(),
            functions: Vec::new(),
            texts: Vec::new(),
            regexes: Vec::new(),
        }
    }

    pub(super) fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    pub(super) fn line(&self) -> usize {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |(_, line)| *line)
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(own) | Token::Word(own) if *own == sign)
    }

    /// Goes on if this sign or word follows.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    pub(super) fn need(&mut self, sign: &str) -> Result<(), Error> {
        if self.take(sign) { Ok(()) } else { Err(self.unexpected(sign)) }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Error {
        Error::new(format!("expected {wanted}, found {:?}", self.peek()))
    }

    pub(super) fn name(&mut self) -> Result<String, Error> {
        let Token::Name(name) = self.peek() else { return Err(self.unexpected("a name")) };
        let name = name.clone();
        self.at += 1;
        Ok(name)
    }

    pub(super) fn lines(&mut self) {
        while *self.peek() == Token::Line {
            self.at += 1;
        }
    }

    /// Parses with one more level of nesting.
    pub(super) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.depth += 1;
        let parsed = if self.depth > DEEPEST {
            Err(Error::new("the program is nested too deeply"))
        } else {
            parse(self)
        };
        self.depth -= 1;
        parsed
    }
}
