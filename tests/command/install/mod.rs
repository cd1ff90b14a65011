//! The files of `install-files`: their texts, and what they call when their system runs them.
//!
//! The hooks run under dash, busybox ash and bash, with a stand-in for the compiled script that records its arguments.
//! `tests/kernel/install.rs` runs some of them on a kernel.
//!
//! `QOSC_SYSTEMD` and `QOSC_NIX` decide what happens if the tools of systemd or Nix are missing. With `require`, the
//! tests fail. By default, they pass and print a note to standard error.

#![cfg(test)]

mod hooks;
mod router;
mod services;
mod tools;
mod written;
