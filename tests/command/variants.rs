//! `--variant`, and files with variants.

use std::path::Path;
use std::process::Command;

const HOME: &str = "\
link: { device: eth0, profile: docsis, up: 20mbit, down: 100mbit }
classes:
  backup: { guarantee: 5%, ceiling: 40%, match: [{ protocol: tcp, remote_port: 873 }] }
  normal: { default: true }
variants:
  night: { when: \"23:00-06:30\", set: { classes: { backup: { ceiling: 100% } } } }
  late-night: { when: \"02:00-04:00\", days: sun, set: { classes: { backup: { ceilin: 1% } } } }
  early: { when: \"08:00-09:00\", set: { classes: { backup: { default: true } } } }
";

/// Runs `qosc` in a folder, and returns the exit code, and both outputs together.
fn said(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(folder).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// A folder with `home.yaml`, and with a `home.yaml` whose second variant is correct.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("wrong.yaml"), HOME).unwrap();
    let fine =
        HOME.replace("ceilin: 1%", "priority: 7").replace("  early:", "x-early:").replace("sun,", "sat,");
    std::fs::write(dir.path().join("home.yaml"), fine.replace("23:00-06:30", "05:30-09:00")).unwrap();
    dir
}

#[test]
fn all_variants_are_checked_and_findings_name_theirs() {
    let (code, words) = said(folder().path(), &["check", "wrong.yaml"]);
    assert_eq!(code, 1);
    for part in [
        "error[Q0102]: `ceilin` is not a key of a class\n --> wrong.yaml:7:",
        "this is about variant `late-night`\n",
        "error[Q0404]: ",
        "error[Q0113]: the variants `night` and `late-night` overlap, such as on Sunday at 02:00\n",
        "3 errors",
    ] {
        assert!(words.contains(part), "{part}\n{words}");
    }
    assert_eq!(words.matches("this is about").count(), 2, "an overlap is about both:\n{words}");
}

#[test]
fn a_variant_repeats_no_warning_of_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let text = "link: { device: eth0, profile: docsis, up: 20mbit, down: 100mbit, margin: 0% }\n\
        variants: { night: { when: \"1:00-2:00\", set: { link: { margin: 0%, up: 10mbit } } } }\n";
    std::fs::write(dir.path().join("home.yaml"), text).unwrap();
    let (code, words) = said(dir.path(), &["check", "home.yaml"]);
    assert_eq!((code, words.matches("warning[Q0605]").count()), (0, 1), "{words}");
    assert!(words.contains("\n --> home.yaml:1:") && !words.contains("this is about"), "{words}");
}

#[test]
fn a_chosen_variant_is_treated_as_if_it_held_always() {
    let dir = folder();
    let of = |arguments: &[&str]| said(dir.path(), arguments);
    let ceiling = |arguments: &[&str]| {
        let (_, words) = of(arguments);
        words
            .lines()
            .find(|line| line.contains("  backup "))
            .unwrap()
            .split_whitespace()
            .nth(3)
            .unwrap()
            .to_owned()
    };
    assert_eq!(ceiling(&["explain", "home.yaml"]), "7.6mbit");
    assert_eq!(ceiling(&["explain", "home.yaml", "--variant", "night"]), "19mbit");
    let (code, words) = of(&["explain", "home.yaml", "--variant", "nigh"]);
    assert_eq!(
        (code, words.as_str()),
        (2, "error: `home.yaml` has no variant `nigh`\n  help: its variants are `night` and `late-night`\n")
    );
    let (code, words) = of(&["diff", "home.yaml", "home.yaml", "--variant", "night"]);
    assert_eq!((code, words.as_str()), (0, "nothing differs in effect\n"));
    let (_, alone) = of(&["compile", "home.yaml", "--variant", "night"]);
    assert!(!alone.contains("\nvary() {") && alone.contains("rate 950000bit ceil 19000000bit"));
    let (_, both) = of(&["compile", "home.yaml"]);
    assert!(both.contains("\nvary() {") && both.contains("rate 950000bit ceil 7600000bit"));
    // The minutes of a week at which one begins or ends.
    let switches = both.lines().find(|line| line.starts_with("switches='")).unwrap();
    assert!(switches.starts_with("switches='10530:night 10900: 20530:night "), "{switches}");
    assert!(
        switches.ends_with(" 60200:late-night 60400: 60530:night 60900: 70530:night 70900:'"),
        "{switches}"
    );
}

#[test]
fn a_script_without_variants_has_nothing_of_them() {
    let dir = folder();
    std::fs::write(dir.path().join("none.yaml"), HOME.split("variants:").next().unwrap()).unwrap();
    let (_, text) = said(dir.path(), &["compile", "none.yaml"]);
    let (own, _) = text.split_once("\n# ==== runtime ").unwrap();
    assert!(!own.contains("vary") && own.contains(" switches=''"));
}

#[test]
fn each_system_gets_a_timer_for_the_minutes_of_the_switches() {
    let dir = folder();
    let of =
        |system: &str| said(dir.path(), &["install-files", "home.yaml", "--system", system, "-o", system]);
    let read = |path: &str| std::fs::read_to_string(dir.path().join(path)).unwrap();
    for system in ["openwrt", "alpine"] {
        let (code, words) = of(system);
        assert_eq!(code, 0, "{words}");
        assert!(
            words.contains("&& echo '0,30 * * * * /etc/qosc/home.sh switch' >>/etc/crontabs/root\n"),
            "{words}"
        );
        let uninstaller = read(&format!("{system}/etc/qosc/home.uninstall.sh"));
        assert!(uninstaller.contains(r"sed -i '\#/etc/qosc/home.sh switch$#d' /etc/crontabs/root"));
    }
    for system in ["debian", "systemd", "networkmanager", "networkd-dispatcher", "ppp"] {
        let (code, words) = of(system);
        assert_eq!(code, 0, "{words}");
        assert!(words.contains("qosc-home-switch.timer\n"), "{words}");
        let timer = read(&format!("{system}/etc/systemd/system/qosc-home-switch.timer"));
        assert!(timer.contains("\nOnCalendar=*:0,30\n"), "{timer}");
        let service = read(&format!("{system}/etc/systemd/system/qosc-home-switch.service"));
        assert!(service.contains("\nExecStart=/etc/qosc/home.sh switch\n"), "{service}");
        let uninstaller = read(&format!("{system}/etc/qosc/home.uninstall.sh"));
        assert!(uninstaller.contains("qosc-home-switch.timer"), "{uninstaller}");
    }
    let (code, words) = of("nixos");
    assert_eq!(code, 0, "{words}");
    assert!(read("nixos/etc/nixos/qosc-home.nix").contains("    startAt = \"*:0,30\";\n"));
}
