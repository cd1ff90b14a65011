//! Is everything that we ship beside the program true: documents, packages, integrations, and the structure of the code?
//!
//! These tests only run the program, so this test program does not link the library.

#![cfg(test)]

mod ansible;
mod architecture;
mod dependencies;
mod documents;
mod features;
mod figures;
mod files;
#[path = "../common/golden.rs"]
mod golden;
mod guide;
#[path = "../common/guide_steps.rs"]
mod guide_steps;
mod integrations;
mod lab_report;
#[path = "../common/made_files.rs"]
mod made_files;
mod migration;
#[path = "../common/objects.rs"]
mod objects;
mod pre_commit;
mod programs;
mod recipes;
mod reference_pages;
mod release;
mod site;
mod snapshots;
#[path = "../common/tools.rs"]
mod tools;
