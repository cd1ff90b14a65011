//! Files that commands read: only regular ones, and never in part.

#![cfg(test)]

use crate::home::{GOOD, command, ended, folder, qosc};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

#[test]
fn only_regular_files_are_read() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    std::fs::create_dir(path("routers")).unwrap();
    std::fs::write(path("routers/own.yaml"), GOOD).unwrap();
    for name in ["routers/own.dump", "pipe.yaml", "pipe"] {
        assert!(Command::new("mkfifo").arg(path(name)).status().unwrap().success());
    }
    let words = "it is not a regular file; `-` reads standard input, as in `qosc check - <pipe`";
    let output = ended(command(dir.path(), &["plan", "routers"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains(words));
    for arguments in [
        &["plan", "own.yaml", "--dump", "pipe"][..],
        &["graph", "own.yaml", "--dump", "pipe"],
        &["check", "pipe.yaml"],
        &["check", "."],
        &["compile", "pipe.yaml"],
        &["explain", "pipe.yaml"],
        &["graph", "pipe.yaml"],
        &["diff", "own.yaml", "pipe.yaml"],
        &["import", "tc", "pipe"],
        &["fit", "pipe"],
        &["plot", "pipe"],
    ] {
        let (code, said) = qosc(dir.path(), arguments);
        assert!(code == Some(2) && said.contains(words), "{arguments:?}: {said}");
    }
    // A file that a folder seems to have is not left out.
    std::fs::create_dir(path("links")).unwrap();
    std::fs::write(path("links/own.yaml"), GOOD).unwrap();
    symlink("missing", path("links/gone.yaml")).unwrap();
    let (code, said) = qosc(dir.path(), &["check", "links"]);
    assert!(code == Some(2) && said.contains("cannot read `links/gone.yaml`"), "{said}");
}

/// A folder from a stranger may have links to files that are not meant for others.
#[test]
fn links_do_not_lead_out_of_a_folder() {
    let dir = folder();
    let path = |name: &str| dir.path().join(name);
    let secret = "link: { device: eth0, up: 10mbit, down: 100mbit, overhed: secret }\n";
    std::fs::create_dir_all(path("routers/below")).unwrap();
    std::fs::write(path("secret"), secret).unwrap();
    std::fs::write(path("routers/own.yaml"), GOOD).unwrap();
    symlink("../../secret", path("routers/below/x.yaml")).unwrap();
    let outside = "is a link to a file outside of the folder";
    for arguments in [
        &["check", "routers"][..],
        &["check", "--format", "json", "routers"],
        &["check", "--format", "junit", "routers"],
        &["check", "--fix", "routers"],
        &["check", "--fix", "--yes", "routers"],
        &["plan", "routers"],
        &["plan", "routers", "--format", "json"],
    ] {
        let output = ended(command(dir.path(), arguments));
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(outside) && !said.contains("overhed"), "{arguments:?}: {said}");
    }
    let (_, said) = qosc(dir.path(), &["check", "routers"]);
    assert!(said.contains("2 files: 1 without errors, 1 that cannot be read"), "{said}");
    assert_eq!(std::fs::read_to_string(path("secret")).unwrap(), secret);
    // The same holds for dumps, in the folder of the files or in another one.
    std::fs::remove_file(path("routers/below/x.yaml")).unwrap();
    std::fs::create_dir(path("dumps")).unwrap();
    for folder in ["dumps", "routers"] {
        symlink("../secret", path(folder).join("own.dump")).unwrap();
        let output = ended(command(dir.path(), &["plan", "routers", "--dump", folder]));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(outside), "{said}");
    }
    // A link within the folder is followed, and so is a link that the user names.
    symlink("own.yaml", path("routers/again.yaml")).unwrap();
    assert_eq!(qosc(dir.path(), &["check", "routers"]).0, Some(0));
    symlink("../own.yaml", path("routers/named.yml")).unwrap();
    assert_eq!(qosc(dir.path(), &["check", "routers/named.yml"]).0, Some(0));
}

#[test]
fn pipes_of_a_shell_and_standard_input_are_read() {
    let dir = folder();
    for name in ["-", "/dev/stdin", "/proc/self/fd/0"] {
        let mut child = command(dir.path(), &["check", name]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(GOOD.as_bytes()).unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0), "{name}");
    }
    let mut bash = Command::new("bash");
    bash.args(["-c", "\"$0\" compile <(cat own.yaml)", env!("CARGO_BIN_EXE_qosc")]).current_dir(dir.path());
    assert!(bash.output().unwrap().stdout.starts_with(b"#!/bin/sh"));
}

#[test]
fn a_file_beyond_a_limit_is_refused_and_not_cut() {
    let dir = folder();
    let large = std::fs::File::create(dir.path().join("large")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    for arguments in [&["plan", "own.yaml", "--dump", "large"][..], &["diff", "own.yaml", "large"]] {
        let (code, said) = qosc(dir.path(), arguments);
        assert!(code == Some(2) && said.contains("`large`: it is larger than 64 MiB"), "{said}");
    }
    // A week of seconds fits, and one row more does not.
    std::fs::write(dir.path().join("rows"), "64,5400\n".repeat(604_801)).unwrap();
    let (code, said) = qosc(dir.path(), &["fit", "rows"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("there are more than 604800 measurements") && said.contains("rows:604801:1"),
        "{said}"
    );
}

#[test]
fn a_faulty_trace_is_reported_with_its_line() {
    let dir = folder();
    for (text, words) in [
        (
            "# a line\n0 6mbit 20mbit\n0.2 7 20mbit\n9 end\n",
            "line 3: the rate `7` has no unit\n  help: write `7mbit`",
        ),
        ("0 6mbit 20mbit\n", "the last line is missing\n  help: write `SECONDS end`, such as `60 end`\n"),
        ("0 6mbit 20mbit\n0 end\n", "line 2: the time 0us is not after 0us, the time before it\n"),
    ] {
        std::fs::write(dir.path().join("a.trace"), text).unwrap();
        let (code, said) = qosc(dir.path(), &["lab", "own.yaml", "--trace", "a.trace"]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(&format!("error: the trace `a.trace`: {words}")), "{said}");
    }
    let (code, said) = qosc(dir.path(), &["lab", "own.yaml", "--trace", "a.trace", "--html", "a.trace"]);
    assert!(code == Some(2) && said.contains("is the same file as `a.trace`"), "{said}");
    let (code, said) = qosc(dir.path(), &["lab", "own.yaml", "--trace", "none.trace"]);
    assert!(code == Some(2) && said.contains("error: cannot read `none.trace`: "), "{said}");
    let (code, said) = qosc(dir.path(), &["lab", "own.yaml", "--trace", "a.trace", "--quick"]);
    assert!(code == Some(2) && said.contains("cannot be used with"), "{said}");
}
