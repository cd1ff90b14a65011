//! `qosc deploy` with a stand-in for ssh: each failure has its line, and the other hosts go on.

#![cfg(test)]

use crate::home::{command, ended, folder};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A program that plays ssh. It notes its arguments, and the host decides what happens.
pub const SSH: &str = r#"#!/bin/sh
dir=${0%/*}
for word; do last2=$last last=$word; printf '[%s]' "$word" >>"$dir/calls.$$"; done
host=$last2 words=$last
mv "$dir/calls.$$" "$dir/call.$host.$$" 2>/dev/null
input=$(cat)
say() { echo "$1" >&2; exit 255; }
case $host in
unknown) say 'Host key verification failed.' ;;
changed) printf '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\n' >&2; exit 255 ;;
password) say 'root@password: Permission denied (publickey,password).' ;;
refused) say 'ssh: connect to host refused port 22: Connection refused' ;;
silent) say 'ssh: connect to host silent port 22: Connection timed out' ;;
noname) say 'ssh: Could not resolve hostname noname: Name or service not known' ;;
mute) exit 255 ;;
esac
case $host:$words in
sudoer:'sudo -n '*) words=${words#sudo -n } ;;
sudoer:'sh -s') case $input in *qosc-user*) ;; *) say 'not root' ;; esac ;;
sudoer:*) say 'not root' ;;
esac
words=$(echo "$words" | sed "s/^sh '.*before.sh' /sh -s /")
case $words in
'sh -s')
    case $input in
    *qosc-user*)
        [ "$host" != undo ] && [ "$host" != undosame ] || echo qosc-before
        case $host in *user | sudoer) echo 'qosc-user 1000' ;; *) echo 'qosc-user 0' ;; esac
        [ "$host" != sudoer ] || echo qosc-sudo
        [ "$host" = notc ] || echo qosc-tc
        [ "$host" != hooked ] || echo qosc-hook
        # Each of these two waits for the other one.
        case $host in meet?)
            : >"$dir/here.$host" i=0
            until [ -e "$dir/here.meet1" ] && [ -e "$dir/here.meet2" ]; do
                i=$((i + 1))
                [ $i -lt 300 ] || exit 1
                sleep 0.1
            done ;;
        esac ;;
    *) [ "$host" != full ] || { echo 'cat: no space left on device' >&2; exit 1; }
        echo "qosc-written /etc/qosc/home.sh" ;;
    esac ;;
'sh -s try '*)
    case $host in
    same | undosame) echo 'home: up to date: there is nothing to try' ;;
    login) printf 'packages: up to date\n# up to date\nhome: on trial: it goes back in 5 s\n' ;;
    chatty) printf 'home: error: not ours:\n  qdisc prio 7:\nlogin: error: no mail\n' >&2; exit 1 ;;
    foreign) printf 'home: warning: old\nhome: error: not ours:\n  qdisc prio 7:\n  qdisc tbf 8: at the root\n  to stop it: stop\n' >&2; exit 1 ;;
    slow) : >"$dir/trying"; exec sleep 60 ;;
    lost) say 'client_loop: send disconnect: Broken pipe' ;;
    warned) printf 'home: warning: \033[31m::error::no ethtool\n' >&2; echo 'home: on trial' ;;
    *) echo 'home: on trial: it goes back in 5 s' ;;
    esac ;;
'sh -s start --take-over') echo 'home: started' ;;
'sh -s print'*)
    case $host in
    same) printf 'welcome\n# up to date: start would change nothing\n' ;;
    login) echo '# up to date'; echo 'tc qdisc add' ;;
    foreign) echo 'home: error: not ours, so nothing would be changed' >&2; exit 1 ;;
    *) echo 'tc qdisc add' ;;
    esac ;;
'sh -s undo')
    [ "$host" != late ] || { echo 'home: error: there is no trial to undo' >&2; exit 1; }
    echo 'home: undone: what was before is back' ;;
'sh -s confirm')
    [ "$host" != late ] || { echo 'home: error: there is no trial to confirm' >&2; exit 1; } ;;
true) [ "$host" != cut ] || say 'timed out' ;;
esac
exit 0
"#;

/// Writes a program. Returns a `PATH` with which it is found before those of the system.
pub fn stand_in(dir: &Path, name: &str, text: &str) -> String {
    let program = dir.join(name);
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", dir.display(), std::env::var("PATH").unwrap())
}

/// `deploy own.yaml`, which will find the stand-in before the system's ssh.
fn with_ssh(dir: &Path, arguments: &[&str]) -> Command {
    let mut all = vec!["deploy", "own.yaml"];
    all.extend(arguments);
    let mut deploy = command(dir, &all);
    deploy.env("PATH", stand_in(dir, "ssh", SSH));
    deploy
}

pub fn texts(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs `deploy own.yaml` with a short trial. Returns the exit code, standard output, and standard error.
fn deploy(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    texts(ended(with_ssh(dir, &[&["--trial", "5"], arguments].concat())))
}

/// The arguments of all calls for a host.
pub fn calls(dir: &Path, host: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let start = format!("call.{host}.");
    let of_host = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&start));
    of_host.map(|entry| std::fs::read_to_string(entry.path()).unwrap()).collect()
}

#[test]
fn each_failure_has_its_line_and_the_other_hosts_go_on() {
    let dir = folder();
    let expected = [
        ("good", "deployed; nothing starts it at boot"),
        ("hooked", "deployed\n"),
        ("same", "up to date; files for the boot written"),
        ("unknown", "failed: its host key is unknown; type `ssh unknown` once"),
        ("changed", "failed: its host key has changed; if you expected that, type `ssh-keygen -R changed`"),
        ("password", "failed: it accepts no key that works without a question"),
        ("refused", "failed: unreachable: nothing answers at the port"),
        ("silent", "failed: unreachable: no answer"),
        ("noname", "failed: its name is unknown"),
        ("mute", "failed: ssh failed without a message"),
        ("me@user", "failed: the login is not root; write `root@user`, or let the user run `sudo` without"),
        ("sudoer", "deployed"),
        ("notc", "failed: tc is missing"),
        ("foreign", "failed: not ours: qdisc prio 7: qdisc tbf 8: at the root; to stop it: stop\n"),
        ("lost", "deployed"),
        (
            "cut",
            "failed: no new connection worked after the change; it was not confirmed, so the router rolls back",
        ),
        ("late", "failed: not confirmed: there is no trial"),
        ("full", "failed: it runs, but the files for the boot are not complete: cat: no space left"),
        ("warned", "deployed"),
        ("login", "deployed"),
        ("chatty", "failed: not ours: qdisc prio 7:\n"),
    ];
    let hosts: Vec<&str> = expected.iter().map(|(host, _)| *host).collect();
    let (code, out, err) = deploy(dir.path(), &hosts);
    assert_eq!(code, Some(2), "{out}{err}");
    let lines: Vec<&str> = out.split_inclusive('\n').collect();
    assert_eq!(lines.len(), expected.len(), "{out}");
    for (line, (host, words)) in lines.iter().zip(expected) {
        assert!(line.starts_with(&format!("{host}: {words}")), "{line}");
    }
    let warned: Vec<&str> = err.lines().filter(|line| line.starts_with("warned: ")).collect();
    assert!(warned.len() == 1 && !err.contains('\x1b'), "{err}");
    for host in ["me@user", "notc"] {
        assert_eq!(calls(dir.path(), host).len(), 1, "{host} is left alone");
    }
    assert!(calls(dir.path(), "foreign").iter().all(|call| !call.contains("confirm")));
    assert!(calls(dir.path(), "cut").iter().all(|call| !call.contains("confirm")));
}

#[test]
fn success_everywhere_is_exit_code_0() {
    let dir = folder();
    let (code, out, _) = deploy(dir.path(), &["good", "hooked", "same"]);
    assert_eq!(code, Some(0), "{out}");
    let (code, out, _) = deploy(dir.path(), &["--system", "debian", "good"]);
    assert_eq!((code, out.as_str()), (Some(0), "good: deployed\n"));
}

#[test]
fn errors_in_the_file_contact_no_host() {
    let dir = folder();
    std::fs::write(dir.path().join("own.yaml"), "link: { device: eth0, up: 10 }\n").unwrap();
    let (code, out, err) = deploy(dir.path(), &["good"]);
    assert!(code == Some(1) && out.is_empty() && err.contains("error"), "{out}{err}");
    assert!(calls(dir.path(), "good").is_empty());
}

#[test]
fn wrong_arguments_contact_no_host() {
    let dir = folder();
    for (arguments, expected) in [
        (&["good", "same", "good"][..], "error: the host `good` is given twice\n  help: "),
        (&["--system", "openwrt,alpine", "good"], "error: no router is of all these kinds: "),
        (&["--system", "debian", "--device", "eth1", "good"], "cannot be used with"),
        (&["--take-over", "good"], "cannot be used with"),
        (&["--undo", "--take-over", "good"], "cannot be used with"),
        (&["--undo", "--system", "debian", "good"], "cannot be used with"),
        (&[], "required"),
    ] {
        let (code, out, err) = deploy(dir.path(), arguments);
        assert!(code == Some(2) && out.is_empty() && err.contains(expected), "{arguments:?}: {out}{err}");
    }
    for trial in ["4", "3601", "x"] {
        let output = ended(with_ssh(dir.path(), &["--trial", trial, "good"]));
        assert_eq!(output.status.code(), Some(2), "{trial}");
    }
    assert!(calls(dir.path(), "good").is_empty());
}

#[test]
fn a_dry_run_changes_nothing() {
    let dir = folder();
    let arguments = ["--dry-run", "--device", "eth1", "good", "same", "login", "foreign", "user"];
    let (code, out, err) = deploy(dir.path(), &arguments);
    assert_eq!(code, Some(2), "{out}{err}");
    let starts = [
        "good: would change; nothing",
        "same: up to date; nothing",
        "login: would change; nothing",
        "foreign: failed: not ours",
        "user: failed: ",
    ];
    for (line, start) in out.lines().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    assert_eq!(out.lines().count(), starts.len());
    let calls = calls(dir.path(), "good");
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls.iter().any(|call| call.contains("[sh -s print --device 'eth1']")), "{calls:?}");
}

#[test]
fn take_over_has_no_trial_and_says_so() {
    let dir = folder();
    let (code, out, err) = texts(ended(with_ssh(dir.path(), &["--take-over", "hooked"])));
    assert_eq!((code, out.as_str()), (Some(0), "hooked: deployed without a trial\n"), "{err}");
    let calls = calls(dir.path(), "hooked");
    assert!(calls.iter().any(|call| call.contains("[sh -s start --take-over]")), "{calls:?}");
    assert!(!calls.iter().any(|call| call.contains("confirm") || call.contains(" try ")), "{calls:?}");
}

#[test]
fn hosts_are_worked_on_at_the_same_time() {
    let dir = folder();
    let (code, out, err) = deploy(dir.path(), &["--jobs", "2", "meet1", "meet2"]);
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
fn a_signal_leaves_the_trial_to_the_router() {
    let dir = folder();
    let mut child = with_ssh(dir.path(), &["--jobs", "1", "slow", "good"]).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while !dir.path().join("trying").exists() {
        assert!(Instant::now() < end && child.try_wait().unwrap().is_none(), "no trial begins");
        std::thread::sleep(Duration::from_millis(5));
    }
    let killed = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(killed.success());
    let (code, out, err) = texts(child.wait_with_output().unwrap());
    assert_eq!(code, None, "the signal ends it: {out}{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(
        lines[0].starts_with("slow: failed: interrupted; it was not confirmed, so the router rolls back"),
        "{out}"
    );
    assert!(lines[1].starts_with("good: failed: interrupted; nothing was changed"), "{out}");
    assert!(!calls(dir.path(), "slow").iter().any(|call| call.contains("confirm")));
}

#[test]
fn no_host_is_an_option_or_shell_syntax() {
    let dir = folder();
    let hosts = ["--", "-oProxyCommand=touch pwned", "$(touch pwned);x", "two\nlines"];
    let (code, out, _) = deploy(dir.path(), &hosts);
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(out.lines().count(), 3, "{out}");
    for host in ["-oProxyCommand=touch pwned", "$(touch pwned);x"] {
        let calls = calls(dir.path(), host);
        assert!(!calls.is_empty());
        for call in calls {
            assert!(call.contains(&format!("[--][{host}][")) && call.contains("[BatchMode=yes]"), "{call}");
        }
    }
    assert!(!dir.path().join("pwned").exists());
    let (_, _, err) = deploy(dir.path(), &["-oProxyCommand=touch pwned"]);
    assert!(err.contains("unexpected argument"), "{err}");
    let (code, _, _) = deploy(dir.path(), &["--device", "a;b", "good"]);
    assert!(code == Some(0) || code == Some(2));
    assert!(calls(dir.path(), "good").iter().all(|call| !call.contains("--device a;b")));
}

#[test]
fn undo_runs_the_script_before_and_exchanges_the_files() {
    let dir = folder();
    let back = "the configuration before is back; another `--undo` returns; nothing starts it at boot";
    for (host, code, line) in [
        ("undo", 0, back),
        ("undosame", 0, back),
        ("good", 2, "failed: there is no /etc/qosc/home.before.sh: `deploy` has replaced no other script"),
    ] {
        let (is, out, err) = deploy(dir.path(), &["--undo", "--device", "eth1", host]);
        assert!(is == Some(code) && out.starts_with(&format!("{host}: {line}")), "{out}{err}");
    }
    assert_eq!(calls(dir.path(), "good").len(), 1);
    let (_, out, _) = deploy(dir.path(), &["--undo", "--dry-run", "--device", "eth1", "undo"]);
    assert!(out.starts_with("undo: would change"), "{out}");
    let calls = calls(dir.path(), "undo");
    assert_eq!(calls.len(), 5 + 2, "{calls:?}");
    for words in ["try 5", "print"] {
        let call = format!("[sh '/etc/qosc/home.before.sh' {words} --device 'eth1']");
        assert!(calls.iter().any(|one| one.ends_with(&call)), "{calls:?}");
    }
}

#[test]
fn localhost_needs_no_ssh() {
    let dir = folder();
    // A shell that does what ssh would do.
    let path = stand_in(dir.path(), "sh", "#!/bin/sh\nexec \"${0%/*}/ssh\" \"$1\" \"$host\" \"$2\"\n");
    for (host, code, line) in [
        ("good", 0, "localhost: deployed; nothing starts it at boot"),
        ("sudoer", 0, "localhost: deployed; nothing"),
        ("user", 2, "localhost: failed: the login is not root; run qosc with `sudo`, or let the user run"),
        ("foreign", 2, "localhost: failed: not ours"),
    ] {
        let mut deploy = with_ssh(dir.path(), &["--trial", "5", "localhost"]);
        let (is, out, err) = texts(ended({
            deploy.env("PATH", &path).env("host", host);
            deploy
        }));
        assert!(is == Some(code) && out.starts_with(line), "{out}{err}");
        let calls = calls(dir.path(), host);
        assert!(calls.iter().all(|call| call.starts_with(&format!("[-c][{host}]["))), "{calls:?}");
    }
    // A login through sshd of this machine.
    let (code, out, _) = deploy(dir.path(), &["root@localhost"]);
    assert!(code == Some(0) && calls(dir.path(), "root@localhost").len() == 5, "{out}");
}

#[test]
fn a_missing_ssh_is_named() {
    let dir = folder();
    let mut deploy = command(dir.path(), &["deploy", "own.yaml", "good"]);
    deploy.env("PATH", dir.path());
    let (code, out, _) = texts(ended(deploy));
    assert_eq!(code, Some(2));
    assert!(out.starts_with("good: failed: cannot run `ssh`") && out.ends_with("install OpenSSH\n"), "{out}");
}

/// Runs `deploy own.yaml` on a terminal of its own, and presses a key when the terminal shows `when`. Returns the exit code, and
/// what the terminal showed.
fn on_terminal(dir: &Path, arguments: &str, when: &str, key: &str) -> (Option<i32>, String) {
    let words = format!("{} deploy own.yaml {arguments}", env!("CARGO_BIN_EXE_qosc"));
    let mut terminal = Command::new("script");
    let checked = format!(
        r#"before=$(stty -g); {words}; code=$?; [ "$before" = "$(stty -g)" ] && echo as before; exit $code"#
    );
    terminal.args(["-qec", &checked, "/dev/null"]).current_dir(dir);
    terminal.env("PATH", stand_in(dir, "ssh", SSH));
    let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut is_pressed, mut bytes) = (String::new(), false, [0; 4096]);
    loop {
        let count = screen.read(&mut bytes).unwrap();
        if count == 0 {
            break;
        }
        shown += &String::from_utf8_lossy(&bytes[..count]);
        if !is_pressed && shown.contains(when) {
            keys.write_all(key.as_bytes()).unwrap();
            is_pressed = true;
        }
    }
    (child.wait().unwrap().code(), shown)
}

#[test]
fn on_a_terminal_a_key_decides() {
    if !crate::tools::found(&["script"]) {
        return;
    }
    let dir = folder();
    let question = "or none, returns to what was before: ";
    let kept = "hooked: deployed";
    let back = "hooked: not kept: what was before is back";
    for (host, key, code, line) in [
        ("hooked", "\r", 0, kept),
        ("hooked", "\n", 0, kept),
        ("hooked", " ", 2, back),
        ("hooked", "y\r", 2, back),
        ("hooked", "\x03", 2, back),
        ("hooked", "\x1b[A", 2, back),
        ("good", "x", 2, "good: not kept: what was before is back\r\n"),
        ("late", "\r", 2, "late: failed: not confirmed: there is no trial to confirm"),
        ("late", "x", 2, "late: failed: not kept: there is no trial to undo"),
    ] {
        let begin = Instant::now();
        let (is, shown) = on_terminal(dir.path(), &format!("--trial 300 {host}"), question, key);
        assert!(begin.elapsed() < Duration::from_secs(60), "{shown}");
        assert!(shown.contains(&format!("{host} answers. Press Enter to keep the change.")), "{shown}");
        assert!(shown.contains(line) && is == Some(code), "{key:?} {is:?}: {shown}");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.last(), Some(&"as before"), "{shown}");
    }
    let said = |word: &str| calls(dir.path(), "hooked").iter().filter(|call| call.contains(word)).count();
    assert_eq!((said("[sh -s confirm]"), said("[sh -s undo]")), (2, 4));

    // Nobody presses a key.
    let (code, shown) = on_terminal(dir.path(), "--trial 5 hooked", "never", "");
    assert!(code == Some(2) && shown.contains(back), "{shown}");
    assert!(shown.contains(&format!("{question}2 s\x1b[K")), "{shown:?}");
}

#[test]
fn nobody_is_asked_without_a_decision() {
    if !crate::tools::found(&["script"]) {
        return;
    }
    let dir = folder();
    for arguments in ["-y hooked", "--yes hooked", "good hooked", "same", "--dry-run hooked", "cut"] {
        let (_, shown) = on_terminal(dir.path(), &format!("--trial 5 {arguments}"), "never", "");
        assert!(!shown.contains("Press Enter"), "{arguments}: {shown}");
    }
    let (_, shown) = on_terminal(dir.path(), "--take-over hooked", "never", "");
    assert!(shown.contains("hooked: deployed without a trial") && !shown.contains("Press Enter"), "{shown}");
    // A process in the background may not read its terminal.
    let (code, shown) = on_terminal(dir.path(), "--trial 5 hooked & wait $!", "never", "");
    assert!(code == Some(0) && shown.contains("hooked: deployed"), "{shown}");
}
