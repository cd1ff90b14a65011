use super::OWN;
use crate::units::{IfName, LinkName};

#[test]
fn every_link_name_gives_valid_device_names() {
    for length in 1..=32 {
        let name: LinkName = "a".repeat(length).parse().unwrap();
        let in_devices = name.in_devices();
        assert!(OWN.iter().all(|prefix| format!("{prefix}{in_devices}").parse::<IfName>().is_ok()));
    }
    assert!("a".repeat(33).parse::<LinkName>().is_err());
}
