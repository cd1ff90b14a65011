//! The call `follow`: it ends cleanly, makes way for other calls, and whoever kills a part of it finds the tree in order.

use crate::house::House;

fn house(rest: &str) -> House {
    let yaml = format!(
        "name: follow\n\
         link: {{ device: eth0, profile: wireless, vary: {{ up: [2mbit, 12mbit], down: [10mbit, 80mbit] }} }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true, share: per-host }}\n{rest}"
    );
    House::of("follow", yaml.into_bytes())
}

#[test]
fn following_makes_way_for_every_other_call() {
    let house = house("");
    let other = self::house("  bulk: { guarantee: 5%, match: [{ dscp: cs1 }] }\n");
    let guest = house.guest("follow").file("other.sh", other.script.as_str());
    let Some(report) = guest.run("follow.sh") else { return };
    for leg in ["dash", "busybox"] {
        let step = |name: &str| format!("{leg}/{name}");
        let code = |name: &str, code: u8| report.expect_code(&step(name), code);
        let said = |name: &str| report.out(&step(name));
        code("early", 1);
        assert!(report.text(&format!("out/{leg}/early.err")).contains("it is not started"));
        let at_work = "follow: in place, and `follow` adapts the rates\n";
        for name in ["check", "killed-prober", "dead", "full", "tried"] {
            assert_eq!(said(name), at_work, "{}", report.about(&step(name)));
            code(name, 0);
        }
        // The shell of the call and of the pipeline, one awk, one tc, a prober and a clock.
        assert_eq!(
            said("kinds").split_whitespace().skip(1).collect::<Vec<_>>(),
            ["1", "1", "2"],
            "{}",
            said("kinds")
        );
        assert!(said("again").contains("up to date"), "{}", said("again"));
        for (name, why) in [("second", "followed already"), ("rate", "end it first")] {
            code(name, 1);
            assert!(
                report.text(&format!("out/{leg}/{name}.err")).contains(why),
                "{}",
                report.about(&step(name))
            );
        }
        code("follow", 0);
        for name in ["left", "orphans"] {
            assert_eq!(said(name).split_whitespace().collect::<Vec<_>>(), ["0"; 4], "{name}");
        }
        let told = report.text(&format!("out/{leg}/follow.err"));
        assert!(told.contains("the prober has ended") && told.contains("ends at 2.00mbit up"), "{told}");
        let rates = |step: &str| {
            let state = report.text(&format!("out/{leg}/{step}.state"));
            // The flows of a CAKE differ.
            state
                .lines()
                .filter(|line| !line.starts_with("class cake"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(rates("started"), rates("ended"));
        code("trial", 1);
        let ended = report.text(&format!("out/{leg}/trial.err"));
        assert!(ended.contains("another script is started"), "{ended}");
        code("dry", 0);
        code("stop", 0);
        code("died", 1);
        assert!(said("died").contains("`follow` has died; `start` returns"), "{}", said("died"));
        assert_eq!(said("in-place"), "follow: in place\n");
        for after in ["after", "last"] {
            report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/{after}.state"));
        }
    }
}
