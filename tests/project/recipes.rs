//! The shell scripts of the documents do what their pages say.

#![cfg(test)]

use std::path::Path;
use std::process::Command;

/// Writes an executable shell script.
fn program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_rates_of_the_modem_are_set() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/script.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, below) = page.split_once("### Take the rates from the modem").unwrap();
    let (_, recipe) = below.split_once("```sh\n").unwrap();
    let recipe = recipe.split_once("```").unwrap().0;
    let by_page =
        recipe.replacen("rate() { snmpget", "# ", 1).replacen("# rate() { wget", "rate() { wget", 1);
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    program(&at("home.sh"), "#!/bin/sh\necho \"$@\"\n");
    let run = |recipe: &str, snmp: &str, html: &str| {
        program(&at("snmpget"), &format!("#!/bin/sh\n{snmp}\n"));
        program(&at("wget"), &format!("#!/bin/sh\nprintf '%b' '{html}'\n"));
        let home = at("home.sh").display().to_string();
        program(&at("modem-rate"), &recipe.replace("/etc/qosc/home.sh", &home));
        let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh").arg(at("modem-rate")).env("PATH", path).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let set = (Some(0), "rate 9996000bit 40000000bit\n".to_owned());
    let snmp = "case $* in *.xtur) echo 9996000 ;; *.xtuc) echo 40000000 ;; esac";
    assert_eq!(run(recipe, snmp, ""), set);
    assert_eq!(run(&by_page, "", "<td>xtur: 9996 kbit/s\\n<td>xtuc: 40000 kbit/s\\n"), set);
    // a modem that is not synchronised, or says something else
    let refused = (Some(1), "modem-rate: no rates from 192.168.1.254\n".to_owned());
    for snmp in ["echo 0", "echo", "echo No Such Instance", "case $* in *.xtur) echo 5 ;; esac"] {
        assert_eq!(run(recipe, snmp, ""), refused, "{snmp}");
    }
    assert_eq!(run(&by_page, "", "<p>no signal\\n"), refused);
    assert_eq!(run(recipe, "exit 1", "").0, Some(1));
}
