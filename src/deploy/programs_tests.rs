//! The programs, run by the shells of routers.

use super::{HAS_BEFORE, HAS_HOOK, HAS_TC, MAY_SUDO, USER, WRITTEN, copy, exchange, look};
use crate::install::File;
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SHELLS: [&[&str]; 3] = [&["dash", "-s"], &["bash", "-s"], &["busybox", "ash", "-s"]];

/// Runs a program as a router does, from standard input.
fn run(shell: &[&str], program: &str) -> Output {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that fails early does not read the rest.
    let _closed = child.stdin.take().unwrap().write_all(program.as_bytes());
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn file(dir: &Path, name: &str, text: &str, executable: bool) -> File {
    File { path: dir.join(name).to_str().unwrap().to_owned(), text: text.to_owned(), executable }
}

#[test]
fn files_are_written_once_with_their_modes() {
    if !crate::tools::found(&crate::tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let dir = tempfile::tempdir().unwrap();
        let hostile = "QOSC_END\n$(touch pwned) `touch pwned` \\ 'x'\nQOSC_END_\n";
        let files =
            [file(dir.path(), "a b/it's", hostile, true), file(dir.path(), "etc/plain", "text\n", false)];
        let program = copy(&files, &[], "", "");
        let first = run(shell, &program);
        assert!(first.status.success() && first.stderr.is_empty(), "{shell:?}: {first:?}");
        assert_eq!(out(&first).matches(WRITTEN).count(), 2, "{shell:?}");
        for file in &files {
            assert_eq!(std::fs::read_to_string(&file.path).unwrap(), file.text, "{shell:?}");
            let mode = std::fs::metadata(&file.path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, if file.executable { 0o755 } else { 0o644 }, "{shell:?}");
        }
        assert_eq!(out(&run(shell, &program)), "", "{shell:?}: nothing differs");

        std::fs::set_permissions(&files[0].path, Permissions::from_mode(0o644)).unwrap();
        std::fs::write(&files[1].path, "edited\n").unwrap();
        assert_eq!(out(&run(shell, &program)).matches(WRITTEN).count(), 2, "{shell:?}");
        assert_eq!(std::fs::read_to_string(&files[1].path).unwrap(), "text\n");
        let left = std::fs::read_dir(dir.path().join("etc")).unwrap().count();
        assert_eq!(left, 1, "{shell:?}: no temporary file is left");
    }
}

/// The connection may end at any byte. A shell takes the end of its input for the end of a file that it copies.
#[test]
fn a_program_that_is_cut_leaves_the_old_files_or_writes_the_new_ones() {
    if !crate::tools::found(&crate::tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            file(dir.path(), "home.sh", "#!/bin/sh\ntrue\n\nexit 0\n", true),
            file(dir.path(), "plain", "text\nwithout a line feed", false),
        ];
        let texts = |whole: &str| [format!("{whole}\n"), whole.to_owned()];
        let program = copy(&files, &[], &files[0].path, &format!("{}.before", files[0].path));
        let from = program.rfind("put '").unwrap() - 100;
        let mut kept = 0;
        let step = if shell == SHELLS[0] { 3 } else { 11 };
        for at in (from..program.len()).step_by(step) {
            for file in &files {
                std::fs::write(&file.path, "old\n").unwrap();
            }
            let cut = run(shell, program.get(..at).unwrap());
            let now = files.each_ref().map(|file| std::fs::read_to_string(&file.path).unwrap());
            for (now, file) in now.iter().zip(&files) {
                assert!(now == "old\n" || texts(&file.text).contains(now), "{shell:?} {at}: {now}");
            }
            if String::from_utf8_lossy(&cut.stderr).contains("only a part of ") {
                assert_eq!((cut.status.code(), now[1].as_str()), (Some(1), "old\n"), "{shell:?} {at}");
                kept += 1;
            }
            let kept_old = std::fs::read_to_string(format!("{}.before", files[0].path)).unwrap_or_default();
            assert!(kept_old == if now[0] == "old\n" { "" } else { "old\n" }, "{shell:?} {at}: {kept_old}");
            let left = std::fs::read_dir(dir.path()).unwrap().count();
            assert_eq!(
                left,
                files.len() + usize::from(!kept_old.is_empty()),
                "{shell:?} {at}: a temporary file is left"
            );
            let _none = std::fs::remove_file(format!("{}.before", files[0].path));
        }
        assert!(kept > 40 / step, "{shell:?}: {kept}");
    }
}

#[test]
fn a_failure_is_reported_and_leaves_no_temporary_file() {
    if !crate::tools::found(&crate::tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let dir = tempfile::tempdir().unwrap();
        let files = [file(dir.path(), "plain", "text\n", false)];
        for failing in ["false", "false && true", "true && false"] {
            let run = run(shell, &copy(&files, &[failing.to_owned(), "true".to_owned()], "", ""));
            assert!(!run.status.success(), "{shell:?}: {failing}");
        }
        // A command that reads gets nothing of the program.
        let done = dir.path().join("done");
        let commands = ["cat".to_owned(), format!("touch {}", done.display())];
        assert!(run(shell, &copy(&files, &commands, "", "")).status.success() && done.exists(), "{shell:?}");

        // The file cannot replace a folder that has a file.
        let folder = dir.path().join("folder");
        std::fs::create_dir_all(folder.join("plain.qosc-new/x")).unwrap();
        let failed = run(shell, &copy(&[file(&folder, "plain", "text\n", false)], &[], "", ""));
        assert!(!failed.status.success() && !failed.stderr.is_empty(), "{shell:?}");
        assert!(!folder.join("plain").exists());
    }
}

#[test]
fn a_look_finds_the_user_and_the_hooks() {
    if !crate::tools::found(&crate::tools::SHELLS) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let hook = dir.path().join("it's a hook");
    let program = look(&[hook.to_str().unwrap().to_owned()], "/no/such/file");
    for shell in SHELLS {
        let seen = out(&run(shell, &program));
        assert!(seen.starts_with(USER) && !seen.contains(HAS_HOOK), "{shell:?}: {seen}");
        let expected = |line: &str| line.starts_with(USER) || [HAS_TC, MAY_SUDO].contains(&line);
        assert!(seen.lines().all(expected), "{shell:?}: {seen}");
    }
    std::fs::write(&hook, "").unwrap();
    for shell in SHELLS {
        let run = run(shell, &program);
        assert!(run.status.success() && out(&run).lines().any(|line| line == HAS_HOOK), "{shell:?}");
        let before = out(&self::run(shell, &look(&[], hook.to_str().unwrap())));
        assert!(before.lines().any(|line| line == HAS_BEFORE) && !before.contains(HAS_HOOK), "{shell:?}");
    }
}

#[test]
fn the_script_before_is_kept_and_exchanged() {
    if !crate::tools::found(&crate::tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let dir = tempfile::tempdir().unwrap();
        let [script, before] =
            ["it's.sh", "it's.before.sh"].map(|name| dir.path().join(name).to_str().unwrap().to_owned());
        let texts = || [&script, &before].map(|path| std::fs::read_to_string(path).unwrap_or_default());
        let put = |text: &str| {
            let files = [file(dir.path(), "it's.sh", text, true), file(dir.path(), "plain", text, false)];
            assert!(run(shell, &copy(&files, &[], &script, &before)).status.success(), "{shell:?}");
        };
        put("1\n");
        assert_eq!(texts(), ["1\n", ""], "{shell:?}: there was none before");
        put("2\n");
        put("2\n");
        assert_eq!(texts(), ["2\n", "1\n"], "{shell:?}");
        std::fs::set_permissions(&script, Permissions::from_mode(0o644)).unwrap();
        put("2\n");
        assert_eq!(texts(), ["2\n", "1\n"], "{shell:?}: only the mode differed");
        for expected in [["1\n", "2\n"], ["2\n", "1\n"]] {
            let done = run(shell, &exchange(&script, &before));
            assert!(done.status.success() && done.stderr.is_empty(), "{shell:?}: {done:?}");
            assert_eq!(texts(), expected, "{shell:?}");
        }
        std::fs::remove_file(&script).unwrap();
        assert!(run(shell, &exchange(&script, &before)).status.success(), "{shell:?}");
        assert_eq!(texts(), ["1\n", ""], "{shell:?}");
        assert!(
            !run(shell, &exchange(&script, &before)).status.success(),
            "{shell:?}: nothing to go back to"
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "{shell:?}: no temporary file is left");
    }
}
