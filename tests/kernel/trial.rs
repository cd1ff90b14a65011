//! `try` and `confirm`: a trial that nobody confirms is rolled back at its deadline.

use crate::converge::walk;
use crate::house::House;
use crate::life_cycle::expect_held;
use crate::share::shared;
use std::time::Duration;

fn house(rest: &str) -> House {
    let yaml = format!(
        "name: trial\n\
         link: {{ device: eth0, profile: docsis, up: 20mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true }}\n{rest}"
    );
    House::of("trial", yaml.into_bytes())
}

/// Between any two neighbours of the walk, in both directions.
#[test]
fn every_trial_goes_back_to_the_state_before() {
    let houses: Vec<(&str, House)> =
        walk().into_iter().map(|(name, yaml)| (name, House::of("walk", yaml.into_bytes()))).collect();
    let pairs = houses.windows(2).flat_map(|two| [(&two[0], &two[1]), (&two[1], &two[0])]);
    let pairs = shared(pairs.collect());
    let mut guest = houses[0].1.guest("trial walk").limit(Duration::from_secs(600));
    for (name, house) in &houses {
        guest = guest.file(&format!("scripts/{name}.sh"), house.script.as_str());
    }
    let words: Vec<String> = pairs.iter().map(|(from, to)| format!("{}:{}", from.0, to.0)).collect();
    let Some(report) = guest.variable("PAIRS", &words.join(" ")).run("trial_walk.sh") else { return };
    for ((from, house), (to, _)) in pairs {
        let step = |name: &str| format!("{from}-{to}/{name}");
        for call in ["start", "try", "check", "second"] {
            report.expect_code(&step(call), 0);
        }
        expect_held(house, &report, &step("dump"));
        assert!(report.out(&step("second")).contains("up to date"), "{}", report.about(&step("second")));
    }
    report.expect_code("whole/stop", 0);
    report.expect_same("out/whole/before.state", "out/whole/after.state");
}

/// The lines of a state that have this text.
fn lines_with<'a>(text: &str, state: &'a str) -> Vec<&'a str> {
    state.lines().filter(|line| line.contains(text)).collect()
}

#[test]
fn an_unconfirmed_trial_rolls_back() {
    let (old, new) = (house(""), house("  bulk: { match: [{ dscp: cs1 }] }\n"));
    let tuned = house("tuning: { offloads: keep, txqueuelen: 500, tcp: { rtt: 40ms } }\n");
    let guest = old.guest("trial").file("old.sh", old.script.as_str()).file("new.sh", new.script.as_str());
    let guest = guest.file("tuned.sh", tuned.script.as_str());
    let Some(report) = guest.run("trial.sh") else { return };

    report.expect_code("nothing/confirm", 1);
    report.expect_code("nothing/zero", 2);
    report.expect_code("nothing/try", 0);
    assert!(report.out("nothing/status").contains("on trial"), "{}", report.about("nothing/status"));
    report.expect_same("out/nothing/before.state", "out/nothing/after.state");

    report.expect_code("back/try", 0);
    expect_held(&new, &report, "back/dump");
    expect_held(&old, &report, "back/back-dump");
    report.expect_code("kept/try", 0);
    report.expect_code("kept/watched", 0);
    report.expect_code("kept/again", 1);
    report.expect_code("kept/confirm", 0);
    report.expect_code("kept/twice", 1);
    report.expect_code("kept/watchers", 1);
    expect_held(&new, &report, "kept/dump");
    assert!(report.out("kept/nothing").contains("nothing to try"), "{}", report.about("kept/nothing"));

    expect_held(&old, &report, "terminal/dump");

    report.expect_code("other/start", 0);
    report.expect_code("other/gone", 2);
    expect_held(&old, &report, "other/dump");

    report.expect_code("same/try", 0);
    report.expect_code("same/start", 0);
    let said = report.out("same/start");
    assert!(said.starts_with("trial: up to date, on trial: it goes back in "), "{said}");
    assert!(said.trim_end().ends_with(" s; `confirm` keeps it"), "{said}");
    expect_held(&old, &report, "same/dump");

    report.expect_code("stopped/stop", 0);
    report.expect_code("stopped/watchers", 1);
    report.expect_same("out/nothing/before.state", "out/nothing/stopped.state");

    for now in ["old", "tuned"] {
        report.expect_code(&format!("{now}/try"), 0);
        let [before, tried] = ["before", "tried"].map(|name| report.text(&format!("out/{now}/{name}.state")));
        for setting in ["generic-receive-offload: o", " qlen ", "ipv4/tcp_rmem"] {
            assert_ne!(lines_with(setting, &before), lines_with(setting, &tried), "{now}: {setting}");
        }
        report.expect_code(&format!("{now}/check"), 0);
        report.expect_same(&format!("out/{now}/before.state"), &format!("out/{now}/after.state"));
    }

    report.expect_code("refused/try", 1);
    report.expect_code("refused/none", 2);
    report.expect_code("refused/watchers", 1);
    report.expect_code("refused/again", 0);
    report.expect_code("refused/other", 1);
    assert!(report.out("refused/status").contains("it goes back in"), "{}", report.about("refused/status"));
    report.expect_code("refused/confirm", 0);
    expect_held(&new, &report, "refused/dump");

    assert!(report.out("unwatched/older").contains("it goes back in"), "{}", report.about("unwatched/older"));
    for step in ["status", "reused"] {
        let said = report.out(&format!("unwatched/{step}"));
        assert!(said.contains("the process that would go back is gone"), "{said}");
    }
    report.expect_code("unwatched/again", 1);
    assert!(
        report.text("out/unwatched/again.err").contains("is gone"),
        "{}",
        report.about("unwatched/again")
    );
    report.expect_code("unwatched/confirm", 0);
    report.expect_code("unwatched/spared", 0);
    expect_held(&new, &report, "unwatched/dump");
    report.expect_code("unwatched/stop", 0);

    for step in ["try", "running", "check", "stop"] {
        report.expect_code(&format!("piped/{step}"), 0);
    }
    expect_held(&new, &report, "piped/new-dump");
    expect_held(&old, &report, "piped/dump");

    report.expect_code("undone/none", 1);
    for step in ["first", "undo-first", "start", "try", "undo", "check", "try-again", "undo-unwatched"] {
        report.expect_code(&format!("undone/{step}"), 0);
    }
    assert_eq!(report.out("undone/undo-first"), "trial: undone: everything of ours was removed\n");
    for step in ["undo", "undo-unwatched"] {
        assert_eq!(report.out(&format!("undone/{step}")), "trial: undone: what was before is back\n");
    }
    for step in ["watchers", "watchers-after", "again"] {
        report.expect_code(&format!("undone/{step}"), 1);
    }
    expect_held(&new, &report, "undone/dump");
    expect_held(&old, &report, "undone/back-dump");
    expect_held(&old, &report, "undone/back-again");
    report.expect_same("out/undone/before.state", "out/undone/first.state");
}
