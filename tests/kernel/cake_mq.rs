//! `engine: cake_mq`, a CAKE for each transmit queue, on the newest kernel: older ones do not have it.

use crate::converge::walks;
use crate::house::House;
use crate::life_cycle::lives;
use crate::uml::Machine;

fn home(engine: &str, down: &str, classes: &str) -> String {
    format!(
        "name: queues\nlink: {{ device: eth0, profile: docsis, up: 50mbit, down: {down}, engine: {engine} }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n{classes}  rest: {{ default: true, share: per-host }}\n"
    )
}

#[test]
fn a_cake_for_each_queue_lives_on_the_newest_kernel() {
    let house = House::of("queues", home("cake_mq", "900mbit", "").into_bytes());
    lives("cake_mq", &house.with_calls(), Machine::Newest);
}

/// `check` mentions it on a fast line without it, if the router has several cores.
#[test]
fn check_says_that_a_line_is_fast_enough_for_several_cores() {
    let of = |engine, down| House::of("queues", home(engine, down, "").into_bytes());
    let (fast, slow, several) = (of("htb", "900mbit"), of("htb", "400mbit"), of("cake_mq", "900mbit"));
    let guest = several.guest("fast line").on(Machine::Newest).file("fast.sh", fast.script);
    let guest = guest.file("slow.sh", slow.script).file("several.sh", several.script.as_str());
    let Some(report) = guest.run("fast_line.sh") else { return };
    for (step, says) in
        [("fast-1", false), ("fast-2", true), ("slow-2", false), ("several-2", false), ("stopped-2", false)]
    {
        assert_eq!(report.out(&format!("fast/{step}")).contains("engine: cake_mq"), says, "{step}");
    }
}

/// All engines follow each other, alone and mixed. An ifb has as many queues as its engine needs.
#[test]
fn engines_with_and_without_several_queues_follow_each_other() {
    let voice = "  voice: { priority: 1, match: [{ dscp: ef }] }\n";
    let walk = [
        ("queues", home("cake_mq", "900mbit", "")),
        ("slower", home("cake_mq", "600mbit", "")),
        ("htb", home("htb", "600mbit", voice)),
        ("downloads", home("{ up: htb, down: cake_mq }", "600mbit", voice)),
        ("tins", home("cake", "600mbit", voice)),
        ("uploads", home("{ up: cake_mq, down: htb }", "600mbit", voice)),
        ("whole", home("cake", "600mbit", "")),
        ("queues-again", home("cake_mq", "600mbit", "")),
    ];
    walks("cake_mq walk", Machine::Newest, walk.to_vec());
}
