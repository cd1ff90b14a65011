use crate::compile::{Options, Stage, compile};
use crate::model::{Direction, Model, Shape};

const GBIT: &str = "link: { device: eth0, profile: ethernet, up: 1gbit, down: 1gbit";

fn model(yaml: &str) -> Model {
    let compiled = compile(yaml, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{yaml}\n{:?}", compiled.findings);
    compiled.model.expect("a model")
}

/// Returns if aggregated packets are split, and the quantum of each class and host class.
fn shown(model: &Model, direction: Direction) -> (bool, Vec<(&str, u32)>) {
    let mut quanta = Vec::new();
    for class in model.classes() {
        quanta.push((class.name.as_str(), class.scheduling.get(direction).quantum.value));
        if let Shape::Leaf(leaf) = &class.shape {
            let hosts = leaf.host_classes(direction);
            quanta.extend(hosts.map(|host| (host.name.as_str(), host.scheduling.quantum.value)));
        }
    }
    (model.tuning.split.get(direction).value, quanta)
}

/// A server on a gigabit switch: the internet is a slow parent class.
fn server(queue: &str) -> Model {
    model(&format!(
        "{GBIT} }}\nclasses:\n  lan: {{ priority: 1, match: {{ remote: 192.0.2.0/24 }} }}\n  internet:\n    \
         guarantee: 392kbit\n    ceiling: 392kbit\n    classes:\n      \
         web: {{ ceiling: 240kbit{queue}, match: {{ protocol: tcp, local_port: 8000 }} }}\n      \
         rest: {{ default: true{queue} }}\n"
    ))
}

#[test]
fn a_slow_class_of_a_fast_line_gets_single_packets() {
    let model = server("");
    for direction in Direction::BOTH {
        let (split, quanta) = shown(&model, direction);
        assert!(split, "{direction:?}");
        assert_eq!(quanta[1..], [("internet", 1522), ("web", 1522), ("rest", 1522)]);
        // 1 ms of nearly the whole line
        assert!(quanta[0].1 > 100_000, "{quanta:?}");
    }
}

#[test]
fn a_slow_class_whose_queue_splits_keeps_the_offloads_of_the_others() {
    let model = server(", queue: cake");
    for direction in Direction::BOTH {
        let (split, quanta) = shown(&model, direction);
        assert!(!split, "{direction:?}");
        // the parent class has no turns of its own
        assert_eq!(quanta[1..], [("internet", 65_536), ("web", 1522), ("rest", 1522)]);
    }
}

#[test]
fn each_direction_is_decided_by_its_own_ceilings() {
    let tv = "}\nhosts: { tv: { address: 192.168.1.20, ceiling: { down: 12mbit } } }\nclasses: { all: { share: per-host } }\n";
    let tv = model(&format!("{GBIT} {tv}"));
    assert_eq!(shown(&tv, Direction::Up), (false, vec![("all", 122_500)]));
    let (split, quanta) = shown(&tv, Direction::Down);
    assert!(split && quanta.contains(&("all/tv", 1522)), "{quanta:?}");
    // without a shaper, a ceiling has no effect
    for ingress in ["none", "police"] {
        let yaml = format!(
            "{GBIT}, ingress: {ingress} }}\nclasses: {{ a: {{ ceiling: {{ down: 1mbit }}, match: {{ protocol: udp }} }}, all: {{ default: true }} }}\n"
        );
        assert!(!shown(&model(&yaml), Direction::Down).0, "{ingress}");
    }
}

#[test]
fn presets_on_fast_lines_keep_offloads() {
    for preset in ["home", "simple", "diffserv"] {
        for rate in ["120mbit", "250mbit", "1gbit"] {
            let yaml = format!(
                "link: {{ device: eth0, profile: docsis, up: {rate}, down: {rate} }}\nclasses: {{ preset: {preset} }}\n"
            );
            let model = model(&yaml);
            for direction in Direction::BOTH {
                let (split, quanta) = shown(&model, direction);
                assert!(!split || rate == "120mbit", "{preset} {rate}");
                assert!(split || quanta.iter().all(|(_, quantum)| *quantum >= 65_536), "{quanta:?}");
            }
        }
    }
}
