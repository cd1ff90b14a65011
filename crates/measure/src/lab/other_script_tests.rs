use super::*;
use std::process::Command;

const HOME: &str =
    "link: { device: eth0, profile: docsis, up: 6500kbit, down: 25mbit }\nlan: { device: [lan0, lan1] }\n";

/// A script whose path has a space and a quote.
fn script(folder: &Path, text: &str, args: &[&str]) -> OtherScript {
    let path = folder.join("it's a shaper.sh");
    std::fs::write(&path, text).unwrap();
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    OtherScript::new(&path, &args).unwrap()
}

fn model() -> Model {
    let options = qosc_compiler::compile::Options::of("home.yaml");
    qosc_compiler::compile(HOME.as_bytes(), &options).into_finished().unwrap().0
}

#[test]
fn the_router_gives_the_script_its_arguments_and_variables() {
    let folder = tempfile::tempdir().unwrap();
    let text = "printf '%s|' \"$WAN\" \"$LAN\" \"$UP_KBIT\" \"$DOWN_KBIT\" \"$@\"\n";
    let other = script(folder.path(), text, &["-x", "", "two words", "it's $HOME"]);
    let router = folder.path().join("router.sh");
    // The guest has busybox, which this machine may lack.
    std::fs::write(&router, other.router(&model()).replace("busybox timeout", "timeout")).unwrap();
    let printed = |verb: &str| {
        let output = Command::new("sh").arg(&router).arg(verb).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(printed("start"), "eth0|lan0|6500|25000|-x||two words|it's $HOME|");
    assert_eq!(printed("stop"), "");
}

#[test]
fn the_command_is_one_that_a_shell_takes() {
    let folder = tempfile::tempdir().unwrap();
    let other = script(folder.path(), "printf '%s|' \"$@\"\n", &["95", "-x", "", "two words"]);
    assert!(other.command().ends_with("it'\\''s a shaper.sh' 95 -x '' 'two words'"), "{}", other.command());
    let output = Command::new("sh").arg("-c").arg(other.command()).output().unwrap();
    assert_eq!(output.stdout, b"95|-x||two words|");
}

#[test]
fn a_script_that_the_guest_cannot_read_is_refused() {
    let refused = |path: &str| OtherScript::new(Path::new(path), &[]).unwrap_err();
    assert_eq!(refused("/tmp"), "the lab cannot run the script `/tmp`: it is not a regular file");
    assert!(refused("/proc/self/status").contains("does not see the files below"));
    assert!(refused("/missing.sh").ends_with("`/missing.sh`: No such file or directory (os error 2)"));
}
