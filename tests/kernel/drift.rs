//! The next start repairs whatever others change on a router, and concurrent calls do not disturb each other.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::Report;
use crate::uml::Machine;

fn house(name: &str, offloads: &str) -> House {
    let yaml = format!(
        "name: {name}\n\
         link: {{ device: eth0, profile: docsis, up: 20mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true }}\n\
         police:\n  guests: {{ direction: down, match: [{{ local: 10.9.0.0/16 }}], rate: 1mbit }}\n\
         tuning: {{ {offloads} }}\n"
    );
    House::of(name, yaml.into_bytes())
}

#[track_caller]
fn expect_up_to_date(report: &Report, leg: &str) {
    report.expect_code(&format!("{leg}/second"), 0);
    assert!(
        report.out(&format!("{leg}/second")).contains("up to date"),
        "{}",
        report.about(&format!("{leg}/second"))
    );
}

/// A change that fails restores what a script from a pipe has made, of which there is no copy.
fn put_back_without_a_copy(report: &Report, house: &House) {
    report.expect_code("piped/refused", 1);
    let said = report.text("out/piped/refused.err");
    assert!(said.contains("everything was put back as it was before"), "{said}");
    report.expect_code("piped/check-refused", 0);
    expect_held(house, report, "piped/dump-refused");
    assert_eq!(report.out("piped/queue").trim(), "500");
}

/// A script whose objects were edited is not up to date, whatever its digest says.
fn edited_scripts(report: &Report, house: &House) {
    let said = |step: &str| report.out(step).trim().to_owned();
    for step in ["start", "words", "edited", "second", "check", "back", "stop"] {
        report.expect_code(&format!("edited/{step}"), 0);
    }
    assert_eq!(said("edited/words"), "drift: up to date", "only a comment differs");
    assert!(said("edited/edited").contains("changed on eth0"), "{}", said("edited/edited"));
    assert_eq!(said("edited/second"), "drift: up to date");
    assert!(said("edited/back").contains("changed on eth0"), "{}", said("edited/back"));
    expect_held(house, report, "edited/dump");
    for step in ["start", "second", "edited", "again", "file", "second-file", "stop"] {
        report.expect_code(&format!("piped/{step}"), 0);
    }
    assert_eq!(said("piped/second"), "drift: up to date");
    put_back_without_a_copy(report, house);
    assert!(said("piped/edited").contains("changed on eth0"), "{}", said("piped/edited"));
    assert_eq!(said("piped/again"), "drift: up to date");
    assert!(said("piped/file").contains("changed on eth0"), "{}", said("piped/file"));
    assert_eq!(said("piped/second-file"), "drift: up to date");
    for leg in ["edited", "piped"] {
        assert!(said(&format!("{leg}/held")).contains("ceil 7Mbit"), "{}", said(&format!("{leg}/held")));
    }
}

/// An edit that cannot work is refused with the script's own line or with its name, and what was there stays.
fn mistaken_edits(report: &Report, house: &House) {
    let line = |edit: &str, after: &str, begin: &str| {
        let lines: Vec<&str> = house.script.lines().collect();
        let group = lines.iter().position(|line| line.starts_with(&format!("# {after} ("))).expect(edit);
        let own = lines.iter().skip(group).position(|line| line.starts_with(begin)).expect(edit);
        format!("line {} of ", group + own + 1)
    };
    let edits = [
        ("unknown", line("unknown", "voice", "class"), "@overhaed is none of the words"),
        ("word", "# voice (drift.yaml:".to_owned(), "quantumm"),
        ("number", "# rest: queue (drift.yaml:".to_owned(), "flows 99999999"),
        ("device", line("device", "voice", "class"), "its device is @wan or @ifb: what is eth0?"),
    ];
    for (edit, line, words) in edits {
        for step in [format!("mistaken/{edit}-nothing"), format!("mistaken/{edit}")] {
            report.expect_code(&step, 1);
            let said = report.text(&format!("out/{step}.err"));
            assert!(said.contains(&line) && said.contains(words), "{line}: {said}");
        }
        report.expect_code(&format!("mistaken/{edit}-check"), 0);
    }
    report.expect_same("out/mistaken/before.state", "out/mistaken/after.state");
    expect_held(house, report, "mistaken/dump");
    report.expect_code("mistaken/piped", 1);
    let said = report.text("out/mistaken/piped.err");
    assert!(said.contains("# voice (drift.yaml:"), "{said}");
}

#[test]
fn drift_is_repaired_by_the_next_start() {
    let house = house("drift", "txqueuelen: 500, tcp: { rtt: 40ms }");
    let plain = self::house("drift", "offloads: keep");
    let other = House::of(
        "drift",
        b"name: drift\n\
          link: { device: eth0, profile: docsis, up: 15mbit, down: 30mbit }\n\
          lan: { device: br-lan, nat: false }\n\
          classes:\n  \
            voice: { guarantee: 15%, match: [{ dscp: ef }] }\n  \
            film: { match: [{ dscp: af41 }] }\n  \
            rest: { default: true }\n\
          tuning: { txqueuelen: 700 }\n"
            .to_vec(),
    );
    let guest = house.guest("drift").file("plain.sh", plain.script.as_str());
    let guest = guest.file("other.sh", other.script.as_str());
    let Some(report) = guest.run("drift.sh") else { return };
    report.expect_code("whole/start", 0);
    for leg in [
        "ifb-gone",
        "ifb-down",
        "ifb-filter",
        "root-replaced",
        "ifb-root-replaced",
        "hooks-gone",
        "filter-gone",
        "entry-gone",
        "filters-entry-gone",
        "entry-of-others",
        "entry-elsewhere",
        "handle-of-the-other-slot",
        "older-script",
        "entry-of-slot-b",
        "settings",
        "device-anew",
        "lost",
    ] {
        // A recreated device has none of our objects.
        report.expect_code(&format!("{leg}/check"), if leg == "device-anew" { 3 } else { 1 });
        report.expect_code(&format!("{leg}/start"), 0);
        expect_held(if leg == "lost" { &plain } else { &house }, &report, &format!("{leg}/dump"));
        expect_up_to_date(&report, leg);
        report.expect_code(&format!("{leg}/ping"), 0);
    }
    assert!(
        report.out("ifb-filter/check").contains("queue of ffff:fff1 on "),
        "{}",
        report.about("ifb-filter/check")
    );
    assert_eq!(report.out("ifb-filter/hook"), "");
    // The trees of an older script are named, in what `start` did and in what `print` shows.
    let words = "takes over from an older script: every tree of it is made anew\n";
    let said = report.out("older-script/start");
    assert!(said.starts_with("drift: changed on eth0") && said.ends_with(&format!("\n  {words}")), "{said}");
    assert!(report.out("older-script/print").starts_with(&format!("# {words}")));
    assert!(!report.out("entry-of-others/start").contains("older script"));
    report.expect_code("whole/stop", 0);
    mistaken_edits(&report, &house);
    edited_scripts(&report, &house);

    report.expect_code("taken/refused", 1);
    let refused = report.text("out/taken/refused.err");
    assert!(refused.contains("htb 1:") && refused.contains("pref 5"), "{refused}");
    report.expect_code("taken/start", 0);
    expect_held(&house, &report, "taken/dump");
    expect_up_to_date(&report, "taken");
    report.expect_code("taken/stop", 0);
    assert!(!report.out("taken/left").contains("htb"), "{}", report.about("taken/left"));

    for step in ["stop", "stop-lost"] {
        report.expect_code(&format!("lost/{step}"), 0);
    }
    report.expect_same("out/lost/before.state", "out/lost/after.state");
    report.expect_same("out/lost/before.state", "out/lost/after-lost.state");
}

#[test]
fn refused_and_concurrent_calls_leave_a_clean_state() {
    // Pipes in this folder would hold a call that reads them.
    const INNER: &str = "/run/qosc/alone is a link or belongs to another user";
    let house = house("alone", "offloads: auto");
    let Some(report) = house.guest("alone").on(Machine::Uml).run("refused_and_concurrent.sh") else { return };
    for leg in ["no-action", "in-the-middle"] {
        report.expect_code(&format!("{leg}/start"), 1);
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
        for step in ["ping", "forwarded"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
    }
    let errors = report.text("out/no-action/start.err");
    assert!(
        errors.contains("police") && errors.contains("guests") && errors.contains("(alone.yaml:8)"),
        "{errors}"
    );
    let errors = report.text("out/in-the-middle/start.err");
    let line = report.out("in-the-middle/line");
    assert!(line.contains("alone.yaml:") && errors.contains(line.trim()), "{line}{errors}");
    assert!(errors.contains("everything was put back"), "{errors}");

    let mut said: Vec<String> = ["one", "two", "three"]
        .map(|step| {
            report.expect_code(&format!("together/{step}"), 0);
            report.out(&format!("together/{step}")).split([' ', '\n']).nth(1).unwrap_or_default().to_owned()
        })
        .to_vec();
    said.sort();
    assert_eq!(said, ["started", "up", "up"]);
    report.expect_code("together/check", 0);
    for step in ["stop", "restart", "reload", "stop-after"] {
        report.expect_code(&format!("together/{step}"), 0);
    }
    let code = report.text("out/together/check-after.code");
    assert!(["0", "3"].contains(&code.trim()), "{}", report.about("together/check-after"));
    report.expect_same("out/together/before.state", "out/together/after.state");

    for step in ["start", "stop"] {
        report.expect_code(&format!("modes/{step}"), 0);
    }
    assert_eq!(report.out("modes/writable"), "", "others may change what root later runs");

    for (step, words) in [
        ("link", "/run/qosc is a link or belongs to another user"),
        ("link-stop", "/run/qosc is a link or belongs to another user"),
        ("writable", "others may write to /run/qosc"),
        ("owner", "/run/qosc is a link or belongs to another user"),
        ("inner-start", INNER),
        ("inner-check", INNER),
        ("inner-status", INNER),
        ("inner-dump", INNER),
    ] {
        report.expect_code(&format!("shared/{step}"), 1);
        let said = report.text(&format!("out/shared/{step}.err"));
        assert!(said.contains(words), "{step}: {said}");
    }
    assert_eq!(report.out("shared/theirs").trim(), "/run/theirs\n/run/theirs/alone");
    report.expect_same("out/in-the-middle/before.state", "out/shared/after.state");

    report.expect_code("user/start", 1);
    let error = "alone: error: run this as root, such as with sudo\n";
    assert_eq!(report.text("out/user/start.err"), error);
    report.expect_code("user/check", 1);

    for step in ["waiting", "stop"] {
        report.expect_code(&format!("locked/{step}"), 0);
    }
    report.expect_code("locked/waited", 2);
    let files = report.out("locked/files");
    let mut files: Vec<&str> =
        files.split_whitespace().filter_map(|path| path.strip_prefix("/run/qosc/alone/")).collect();
    files.sort_unstable();
    assert_eq!(files, ["before", "state"]);
}
