//! What becomes of files that are not as they should be: one slip in a good file, and anything at all.
//!
//! `damage` makes the slips, `told` holds what is said of them to the line they are on, `keys` the suggestions for
//! misspelt keys; `second_reader` reads with other eyes what is accepted; `mangle` and `fuzz` try anything at all.
//!
//! `cargo test --test mutants -- --nocapture` prints the figures.

#![cfg(test)]
#![expect(
    clippy::string_slice,
    reason = "the places are those that the reader and `find` give; a cut within a character is to fail"
)]

#[path = "../syntax/agreement.rs"]
mod agreement;
mod chance;
mod damage;
mod fuzz;
#[path = "../common/golden.rs"]
mod golden;
mod keys;
mod lines;
mod mangle;
mod pipeline;
mod second_reader;
mod told;
mod tree;
mod wording;
