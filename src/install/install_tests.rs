//! The files of all systems.

use super::{System, install};
use qosc_compiler::compile::{Options, compile};
use strum::VariantArray as _;

const NOTHING: &str =
    "link: { device: a+b^c.-d, profile: docsis, up: 10mbit, down: 100mbit }\nname: my-line\n";

#[test]
fn no_word_of_a_template_is_left() {
    let compiled = compile(NOTHING, &Options::of("a'b\n`c`.yaml"));
    let (_, program) = compiled.finished().expect("a program");
    // Alpine and OpenWrt have an init script of the same name.
    let together: Vec<System> =
        System::VARIANTS.iter().copied().filter(|system| *system != System::Alpine).collect();
    for systems in System::VARIANTS.iter().map(std::slice::from_ref).chain([together.as_slice()]) {
        let made = install(program, "a'b\n`c`.yaml", "#!/bin/sh\n", "0,30", systems).expect("no clash");
        for file in &made.files {
            let word = |word: &str| {
                !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            };
            assert!(!file.text.split('@').skip(1).step_by(2).any(word), "{}:\n{}", file.path, file.text);
            assert!(file.path.starts_with('/') && file.text.ends_with('\n'), "{}", file.path);
        }
        let mut paths: Vec<&str> = made.files.iter().map(|file| file.path.as_str()).collect();
        let uninstaller =
            made.files.iter().find(|file| file.path == made.uninstaller).expect("an uninstaller");
        for path in &paths {
            assert!(uninstaller.text.contains(path), "{path} would stay");
        }
        paths.dedup();
        assert_eq!(paths.len(), made.files.len(), "two files have one path");
    }
}
