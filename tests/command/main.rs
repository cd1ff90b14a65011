//! What does each command do with its arguments, its files and the terminal?
//!
//! These tests only run the program, so this test program does not link the library.

#![cfg(test)]

mod cli;
mod deploy;
mod deploy_folder;
mod diff_folders;
#[path = "../common/exposition.rs"]
mod exposition;
mod fix_files;
#[path = "../common/fixed.rs"]
mod fixed;
mod formats;
#[path = "../common/golden.rs"]
mod golden;
mod graph;
#[path = "../common/home.rs"]
mod home;
mod init;
mod inputs;
mod install;
mod layers;
mod many_hosts;
mod metrics;
mod names;
mod outputs;
mod plan;
mod reference;
#[path = "../common/runtime.rs"]
mod runtime;
mod shell;
mod statistics;
mod strangers;
#[path = "../common/tools.rs"]
mod tools;
mod variants;
mod width;
