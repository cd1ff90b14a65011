//! What does a file compile to, how does a router get there, and what does that cost?

#![cfg(test)]

mod any_script;
mod budget;
mod compile;
mod cost;
mod diff;
#[path = "../common/golden.rs"]
mod golden;
mod import;
mod lower;
mod many;
#[path = "../common/objects.rs"]
mod objects;
#[path = "../common/observed/mod.rs"]
mod observed;
#[expect(dead_code, reason = "the kernel test uses the rest")]
#[path = "../common/random_trees.rs"]
mod random_trees;
mod rate;
#[path = "../common/runtime.rs"]
mod runtime;
mod shellcheck;
#[path = "../common/split_mix.rs"]
mod split_mix;
mod steps;
#[path = "../common/times.rs"]
mod times;
#[path = "../common/tools.rs"]
mod tools;
