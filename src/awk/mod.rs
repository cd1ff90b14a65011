//! An interpreter of awk, for the programs of the script. With it, `plan` decides by the same text as the router.
//!
//! It has the part of awk that these programs use, and reports the rest as an error. Missing are, among others:
//!
//! - loops over the keys of an array,
//! - pipes and commands,
//! - regular expressions that are computed while the program runs,
//! - variables for the separators of fields and lines.
//!
//! Files exist only in memory. Texts are bytes, as in mawk and busybox.

mod ast;
mod cursor;
mod error;
mod evaluate;
mod expressions;
mod files;
mod formats;
mod functions;
mod lexer;
mod machine;
mod names;
mod number;
mod record;
mod regex;
mod run;
mod statements;
mod texts;
mod value;

pub use ast::Program;
pub use error::Error;
pub use files::Files;
pub use machine::Machine;

#[cfg(test)]
mod run_tests;
