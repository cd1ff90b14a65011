//! The scripts on the kernels of an older, a newer and the unstable Debian, each with the tc and ip of that Debian. All
//! are user-mode-linux in real time; `scripts/other-kernels` gets them. They have no nft that could hold our marks.
//!
//! The unstable Debian changes every day. If its pair is not available, its tests print the reason and pass.
//!
//! Of the examples, steps and profiles, a run takes the part that `share.rs` chooses. One example always runs.

use crate::bytes::{ETHERNET, by_classes_on, profiles};
use crate::converge::{walks, without_marks};
use crate::house::House;
use crate::life_cycle::{lives, starts_and_stops};
use crate::share::shared;
use crate::uml::Machine;
use std::path::{Path, PathBuf};

/// The example whose whole life always runs.
const ALWAYS: &str = "smallest.yaml";

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// The other examples that these kernels can run, by name.
fn others() -> Vec<(String, House)> {
    let files = std::fs::read_dir(examples()).expect("the examples");
    let mut names: Vec<String> =
        files.map(|file| file.expect("an example").file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let houses =
        names.into_iter().filter(|name| name != ALWAYS && name.ends_with(".yaml")).filter_map(|name| {
            let house = House::read(&examples().join(&name))?;
            house.model.marks.is_none().then_some((name, house))
        });
    houses.collect()
}

fn one_lives(machine: Machine) {
    let house = House::read(&examples().join(ALWAYS)).expect("an example that compiles").with_calls();
    lives(&format!("{machine:?} {ALWAYS}"), &house.held_by(machine), machine);
}

fn others_live(machine: Machine) {
    for (name, house) in shared(others()) {
        starts_and_stops(&format!("{machine:?} {name}"), &house.held_by(machine), machine);
    }
}

fn changes_converge(machine: Machine) {
    walks(&format!("{machine:?} walk"), machine, shared(without_marks()));
}

fn bytes_are_charged(machine: Machine) {
    by_classes_on(machine, &format!("{machine:?} bytes"), ETHERNET, shared(profiles().collect()).into_iter());
}

#[test]
fn an_example_lives_on_an_older_kernel() {
    one_lives(Machine::Older);
}

#[test]
fn an_example_lives_on_a_newer_kernel() {
    one_lives(Machine::Newer);
}

#[test]
fn an_example_lives_on_the_newest_kernel() {
    one_lives(Machine::Newest);
}

#[test]
fn examples_live_on_an_older_kernel() {
    others_live(Machine::Older);
}

#[test]
fn examples_live_on_a_newer_kernel() {
    others_live(Machine::Newer);
}

#[test]
fn examples_live_on_the_newest_kernel() {
    others_live(Machine::Newest);
}

#[test]
fn changes_converge_on_an_older_kernel() {
    changes_converge(Machine::Older);
}

#[test]
fn changes_converge_on_a_newer_kernel() {
    changes_converge(Machine::Newer);
}

#[test]
fn changes_converge_on_the_newest_kernel() {
    changes_converge(Machine::Newest);
}

#[test]
fn an_older_kernel_charges_the_bytes_on_the_line_except_for_small_packets() {
    bytes_are_charged(Machine::Older);
}

#[test]
fn a_newer_kernel_charges_the_bytes_on_the_line() {
    bytes_are_charged(Machine::Newer);
}

#[test]
fn the_newest_kernel_charges_the_bytes_on_the_line() {
    bytes_are_charged(Machine::Newest);
}
