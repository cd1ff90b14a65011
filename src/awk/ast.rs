//! A parsed program: names are replaced by their numbers.

use super::number::Operation;
use super::regex::Regex;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A variable or array: its number among those of the program, or of the function that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Global(usize),
    Local(usize),
}

/// A place that can be assigned to.
#[derive(Debug, PartialEq)]
pub(super) enum Place {
    Variable(Slot),
    Element(Slot, Vec<Expr>),
    Field(Box<Expr>),
    /// The number of fields, `NF`. It can only be read.
    Fields,
}

/// An expression.
#[derive(Debug, PartialEq)]
pub(super) enum Expr {
    Number(f64),
    /// Text with this number in [`Program::texts`].
    Text(usize),
    Place(Place),
    Assign(Place, Option<Operation>, Box<Expr>),
    /// Adds a number to a place. True, if the value is that from before.
    Count(Place, f64, bool),
    In(Vec<Expr>, Slot),
    Joined(Vec<Expr>),
    Calculated(Operation, Box<Expr>, Box<Expr>),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// True if the text matches a regular expression of [`Program::regexes`]. Without a text, it is the record.
    Matches(Option<Box<Expr>>, usize),
    /// Reads a line of a file into a place, or into the record.
    GetLine(Option<Place>, Box<Expr>),
    Call(usize, Vec<Expr>),
    Built(Built),
}

/// Comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    pub(super) fn is(self, order: Ordering) -> bool {
        match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// A call of a function that awk has.
#[derive(Debug, PartialEq)]
pub(super) enum Built {
    /// Length of a text; without one, of the record.
    Length(Option<Box<Expr>>),
    Substr(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    Index(Box<Expr>, Box<Expr>),
    Match(Box<Expr>, usize),
    Split(Box<Expr>, Slot, Option<Box<Expr>>),
    /// Replaces the first match, or every match if the last value is true.
    Replace(usize, Box<Expr>, Place, bool),
    Format(Vec<Expr>),
    Int(Box<Expr>),
    Close(Box<Expr>),
}

/// A statement.
#[derive(Debug)]
pub(super) enum Statement {
    Block(Vec<Statement>),
    Expr(Expr),
    Print(Vec<Expr>, Option<Expr>),
    PrintFormat(Vec<Expr>, Option<Expr>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    DoWhile(Box<Statement>, Expr),
    For(Box<[Option<Expr>; 3]>, Box<Statement>),
    /// Deletes an element, or the whole array if there is no subscript.
    Delete(Slot, Vec<Expr>),
    Return(Option<Expr>),
    Break,
    Continue,
    Next,
    /// The code is computed, but no caller reads it.
    Exit(Option<Expr>),
}

/// An action, and the pattern of the records for which it runs.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) pattern: Option<Expr>,
    /// Without an action, the record is printed.
    pub(super) action: Option<Statement>,
    pub(super) line: usize,
}

/// A function of the program.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    /// For each parameter, true if it is an array. Parameters without an argument are local variables.
    pub(super) arrays: Vec<bool>,
    pub(super) body: Vec<Statement>,
    /// Line of the definition; 0 if there is none.
    pub(super) line: usize,
}

/// A parsed awk program.
#[derive(Debug, Default)]
pub struct Program {
    pub(super) begin: Vec<Rule>,
    pub(super) rules: Vec<Rule>,
    pub(super) end: Vec<Rule>,
    pub(super) functions: Vec<Function>,
    pub(super) texts: Vec<Vec<u8>>,
    pub(super) regexes: Vec<Regex>,
    /// Numbers of the global variables and arrays.
    pub(super) globals: BTreeMap<String, usize>,
}

/// Numbers of the variables that awk itself sets or reads.
pub(super) const START: usize = 0;
pub(super) const LENGTH: usize = 1;
pub(super) const ENVIRONMENT: usize = 2;

/// Names of these variables, in the order of their numbers.
pub(super) const OWN: [&str; 3] = ["RSTART", "RLENGTH", "ENVIRON"];

/// Byte between joined subscripts: `SUBSEP`, which can only be read.
pub(super) const SEPARATOR: u8 = 0x1c;
