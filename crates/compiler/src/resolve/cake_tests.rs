use super::{MODES, RTT};
use crate::compile::{Options, compile};
use crate::diag::Code;
use crate::model::{Model, Share};

fn model(yaml: &str) -> Model {
    let text =
        format!("link: {{ device: eth0, profile: docsis, up: 20mbit, down: 50mbit, engine: cake }}\n{yaml}");
    let compiled = compile(text, &Options::of("home.yaml"));
    // If there are more classes than tins, a rule reports the error. The model still exists and can be checked.
    assert!(compiled.errors().all(|error| error.code == Code::CakeEngineUnsupported), "{yaml}");
    compiled.model.unwrap()
}

/// Returns the mode and the tin of each class, for classes with these priorities. `default` is the index of the default
/// class.
fn tins(priorities: &[u8], default: usize) -> String {
    let classes = priorities.iter().enumerate().map(|(n, priority)| {
        let what =
            if n == default { "default: true".to_owned() } else { format!("match: {{ mark: {} }}", n + 1) };
        format!("  c{n}: {{ priority: {priority}, {what} }}\n")
    });
    let model = model(&format!("classes:\n{}", classes.collect::<String>()));
    let cake = model.cake.down.unwrap();
    let name = |id| model.classes.iter().find(|class| class.id.value == id).unwrap().name.clone();
    let tins: Vec<String> =
        cake.tins.iter().map(|tin| format!("{} {} {}", name(tin.class), tin.number, tin.name)).collect();
    format!("{:?}: {}", cake.diffserv.value, tins.join(", "))
}

#[test]
fn classes_use_the_fewest_tins_around_the_default_class() {
    assert_eq!(tins(&[3], 0), "Besteffort: c0 1 Tin 0");
    assert_eq!(tins(&[0, 3], 1), "Diffserv3: c0 3 Voice, c1 2 Best Effort");
    assert_eq!(tins(&[3, 5], 0), "Diffserv3: c0 2 Best Effort, c1 1 Bulk");
    assert_eq!(tins(&[5, 3, 0], 1), "Diffserv3: c0 1 Bulk, c1 2 Best Effort, c2 3 Voice");
    assert_eq!(tins(&[0, 1, 3, 5], 2), "Diffserv4: c0 4 Voice, c1 3 Video, c2 2 Best Effort, c3 1 Bulk");
    assert_eq!(tins(&[1, 0, 3], 2), "Diffserv4: c0 3 Video, c1 4 Voice, c2 2 Best Effort");
    // at equal priority, the first class in the file comes first
    assert_eq!(tins(&[3, 3, 3], 1), "Diffserv3: c0 3 Voice, c1 2 Best Effort, c2 1 Bulk");
    assert_eq!(tins(&[0, 1, 2, 3], 3), "Diffserv8: c0 8 Tin 7, c1 7 Tin 6, c2 6 Tin 5, c3 3 Tin 2");
    assert_eq!(tins(&[3, 4, 5], 0), "Diffserv8: c0 3 Tin 2, c1 2 Tin 1, c2 1 Tin 0");
    assert_eq!(
        tins(&[0, 0, 1, 1, 2, 3, 4, 5], 5),
        "Diffserv8: c0 8 Tin 7, c1 7 Tin 6, c2 6 Tin 5, c3 5 Tin 4, c4 4 Tin 3, c5 3 Tin 2, c6 2 Tin 1, c7 1 Tin 0"
    );
}

#[test]
fn classes_beyond_eight_tins_have_none() {
    assert_eq!(tins(&[0, 0, 0, 1, 1, 1, 3], 6).matches(" Tin ").count(), 6);
    assert_eq!(tins(&[3, 4, 5, 6], 0).matches(" Tin ").count(), 3);
}

#[test]
fn the_default_tin_of_every_mode_exists() {
    for (_, middle, count) in MODES {
        assert!((1..=count).contains(&middle));
    }
}

#[test]
fn cake_shares_per_host_unless_per_flow_is_given() {
    assert_eq!(model("").cake.up.unwrap().share.value, Share::PerHost);
    let flows = model("classes: { all: { default: true, share: per-flow } }");
    assert_eq!(flows.cake.up.unwrap().share.value, Share::PerFlow);
    let mixed = model("classes: { all: { default: true, share: { up: per-flow } } }");
    assert_eq!(mixed.cake.up.unwrap().share.value, Share::PerFlow);
    let given =
        model("classes: { all: { default: true, queue: { cake: { rtt: 30ms, ack_filter: true } } } }");
    let cake = given.cake.up.unwrap();
    assert_eq!((cake.rtt.value.us(), cake.ack_filter.value), (30_000, true));
    // 1.9 mbyte/s for 4 x 30 ms is below the minimum
    assert_eq!(cake.memory.value.get(), 4 << 20);
}

#[test]
fn a_cake_for_each_queue_knows_the_default_class_alone() {
    let text = "link: { device: eth0, profile: docsis, up: 20mbit, down: 50mbit, engine: { down: cake_mq } }\n\
                classes:\n  voice: { priority: 1, match: { mark: 1 }, queue: { cake: { rtt: 20ms } } }\n  rest: { default: true }\n";
    let compiled = compile(text, &Options::of("home.yaml"));
    assert!(!compiled.has_errors(), "{:?}", compiled.findings);
    let cake = compiled.model.unwrap().cake.down.unwrap();
    assert_eq!((cake.diffserv.value, cake.tins.len()), (crate::model::Diffserv::Besteffort, 1));
    assert_eq!(cake.rtt.value, RTT, "voice is not in it");
}
