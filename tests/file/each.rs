//! `each`: the hosts and the classes that it makes.

use qosc_compiler::compile::{Options, Stage};
use qosc_compiler::model::{Direction, Model};

/// The model of a file with these hosts and a class for `guests`.
fn model(hosts: &str) -> Model {
    let text = format!(
        "link: {{ device: eth0, profile: ethernet, up: 100mbit, down: 200mbit, margin: 0% }}\n\
         hosts:\n{hosts}classes:\n  guests: {{ guarantee: 50%, match: {{ host: guests }} }}\n  rest: {{ default: true }}\n"
    );
    let compiled = qosc_compiler::compile(text.as_bytes(), &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{text}\n{:?}", compiled.findings);
    compiled.model.expect("a model")
}

/// The names of the host classes of `guests`.
fn classes(model: &Model, direction: Direction) -> Vec<String> {
    let guests = model.leaves().into_iter().find(|leaf| leaf.name == "guests").expect("a class");
    guests.leaf().expect("a leaf").host_classes(direction).map(|own| own.name.clone()).collect()
}

#[test]
fn each_address_for_a_device_has_a_class() {
    let model = model("  guests: { address: 10.0.0.8/30, each: { ceiling: 4mbit } }\n");
    for direction in Direction::BOTH {
        assert_eq!(classes(&model, direction), ["guests/10.0.0.9", "guests/10.0.0.10", "guests/rest"]);
    }
    for (prefix, devices) in [("10.0.0.0/31", 2), ("10.0.0.0/24", 254), ("10.0.0.0/22", 1022)] {
        let model = self::model(&format!("  guests: {{ address: {prefix}, each: {{ ceiling: 4mbit }} }}\n"));
        assert_eq!(classes(&model, Direction::Up).len(), devices + 1, "{prefix}");
        assert_eq!(model.devices(0).count(), devices, "{prefix}");
    }
}

#[test]
fn rates_are_those_of_each_device() {
    let model = model(
        "  guests: { address: [10.0.0.0/31, 10.0.1.0/31], each: { guarantee: 1%, ceiling: { down: 10% } } }\n",
    );
    for device in model.hosts.iter().filter(|host| host.of == Some(0)) {
        let rate = |rate: &Option<qosc_compiler::model::Val<qosc_compiler::units::Rate>>| {
            rate.as_ref().map(|rate| rate.value.bps())
        };
        assert_eq!(rate(&device.guarantee.up), Some(500_000));
        assert_eq!(rate(&device.guarantee.down), Some(1_000_000));
        assert_eq!((rate(&device.ceiling.up), rate(&device.ceiling.down)), (None, Some(20_000_000)));
    }
    assert_eq!(model.hosts.len(), 5);
    assert!(model.hosts[0].each && !model.hosts[1].each);
}

#[test]
fn a_host_of_the_file_wins() {
    let model = model(
        "  guests: { address: 10.0.0.0/29, each: { ceiling: 4mbit } }\n  printer: { address: 10.0.0.2 }\n  \
         tv: { address: [10.0.0.3, \"2001:db8::3\"], class: guests, ceiling: 2mbit }\n  \
         10.0.0.4: { address: 192.168.1.4 }\n  part: { address: 10.0.0.4/30 }\n",
    );
    let mut names = classes(&model, Direction::Down);
    names.sort_unstable();
    assert_eq!(names, ["guests/10.0.0.1", "guests/10.0.0.5", "guests/10.0.0.6", "guests/rest", "guests/tv"]);
    let names: Vec<&str> = model.hosts.iter().map(|host| host.name.as_str()).collect();
    assert_eq!(names, ["guests", "10.0.0.1", "10.0.0.5", "10.0.0.6", "printer", "tv", "10.0.0.4", "part"]);
}

#[test]
fn devices_have_the_home_class_of_their_prefix() {
    let hosts = "  guests: { address: [10.0.0.0/30, \"2001:db8::/64\"], each: { guarantee: 0% } }\n  \
                 kids: { address: 10.0.1.0/30, each: { ceiling: 4mbit } }\n  \
                 work: { address: 10.0.2.0/30, class: guests, each: { ceiling: { up: 4mbit } } }\n";
    let model = model(hosts);
    let up = ["10.0.0.1", "10.0.0.2", "10.0.2.1", "10.0.2.2", "rest"].map(|name| format!("guests/{name}"));
    assert_eq!(classes(&model, Direction::Up), up);
    assert_eq!(classes(&model, Direction::Down).len(), 3);
    let home = |name: &str| model.hosts.iter().find(|host| host.name == name).expect("a host").home.value;
    assert_eq!((home("10.0.0.1"), home("10.0.2.1")), (home("guests"), home("work")));
    assert_eq!(home("10.0.1.1"), model.default_leaf().expect("a class").id.value);
}
