//! Tests with faulty files: one slip in a good file, and arbitrary input.
//!
//! `damage` makes the slips. `located` checks that findings point at the line of a slip, and `keys` checks the suggestions
//! for misspelt keys. `second_reader` compares accepted files with another parser. `mangle`, `fuzz` and `readers` try
//! arbitrary input.
//!
//! `cargo test --test file mutants -- --nocapture` prints the figures.

#![cfg(test)]
#![expect(
    clippy::string_slice,
    reason = "the places are those that the reader and `find` give; a cut within a character is to fail"
)]

mod chance;
mod damage;
mod fuzz;
mod keys;
mod lines;
mod located;
mod mangle;
mod pipeline;
mod readers;
mod second_reader;
mod tree;
mod wording;
