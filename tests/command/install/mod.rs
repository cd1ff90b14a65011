//! The files of `install-files`: their texts, and what they call when their system runs them.
//!
//! The hooks run under dash, busybox ash and bash, with a stand-in for the compiled script that records its arguments.
//! `tests/kernel/install.rs` runs some of them on a kernel.

#![cfg(test)]

mod hooks;
mod router;
mod services;
mod tools;
mod written;
