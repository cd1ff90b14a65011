//! Which files does the compiler accept, and what does it say about the others?

#![cfg(test)]

mod bad;
mod beyond;
#[path = "../common/blocks.rs"]
mod blocks;
mod each;
mod effect;
mod fix;
mod fix_many;
#[path = "../common/fixed.rs"]
mod fixed;
#[path = "../common/golden.rs"]
mod golden;
mod harmless;
mod limits;
#[path = "../common/made_files.rs"]
mod made_files;
mod mistakes;
mod mutants;
mod output_schemas;
mod resolve;
mod resolve_tree;
mod rules;
#[path = "../common/samples.rs"]
mod samples;
mod schema;
#[path = "../common/split_mix.rs"]
mod split_mix;
mod syntax;
#[path = "../common/times.rs"]
mod times;
