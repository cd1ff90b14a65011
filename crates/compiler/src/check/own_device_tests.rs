use crate::compile::{Options, Stage, compile};
use crate::diag::Code;
use crate::tc::own_device_names;
use crate::units::{IfName, LinkName};

#[test]
fn every_link_name_gives_valid_device_names() {
    for length in 1..=32 {
        let name: LinkName = "a".repeat(length).parse().unwrap();
        assert!(own_device_names(&name).iter().all(|device| device.parse::<IfName>().is_ok()));
    }
    assert!("a".repeat(33).parse::<LinkName>().is_err());
}

/// The name of the ifb for uploads is reserved in a file without a tunnel, too.
#[test]
fn each_name_of_an_own_device_is_reported() {
    for name in ["home", "berlin-office-3"] {
        let own = own_device_names(&name.parse().unwrap());
        let prefixes = own.each_ref().map(|device| device.split_inclusive('-').next().unwrap());
        assert_eq!(prefixes, ["ifb-", "ifb2-", "ifbp-", "ifbu-"]);
        let text = format!(
            "name: {name}\nlink: {{ device: eth1, profile: docsis, up: 10mbit, down: 50mbit }}\n\
             lan: {{ device: [br-lan, {}, ifbu-other] }}\n",
            own.join(", ")
        );
        let found = compile(text, &Options::of("home.yaml").last(Stage::Model)).findings;
        let found = found.iter().filter(|finding| finding.code == Code::OwnDevice);
        let found: Vec<_> = found.map(|finding| finding.message.as_str()).collect();
        assert_eq!(found, own.map(|device| format!("the script itself creates and removes `{device}`")));
    }
}
