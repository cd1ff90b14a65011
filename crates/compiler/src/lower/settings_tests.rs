use super::*;
use crate::lower::tests::fixture::{lowered, model, val};
use crate::units::Micros;

fn of(change: impl FnOnce(&mut Model)) -> Settings {
    let mut model = model(vec![]);
    change(&mut model);
    lowered(&model).settings
}

fn shown(settings: &Settings) -> Vec<String> {
    settings.sysctls.iter().map(|sysctl| format!("{} = {}", sysctl.path, sysctl.value)).collect()
}

#[test]
fn settings_are_empty_by_default() {
    let settings = of(|_| ());
    assert_eq!((settings.txqueuelen, shown(&settings)), (None, vec![]));
}

#[test]
fn requested_settings_are_set() {
    let settings = of(|model| {
        model.tuning.txqueuelen = Some(val(50));
        model.tuning.ecn = Some(val(true));
        let (send, receive) = (val(Bytes::new(65_536)), val(Bytes::new(262_144)));
        model.tuning.tcp = Some(Tcp { rtt: val(Micros::from_ms(40)), send, receive });
    });
    assert_eq!(settings.txqueuelen, Some(50));
    assert_eq!(
        shown(&settings),
        [
            "net/ipv4/tcp_rmem = 4096 131072 262144",
            "net/ipv4/tcp_wmem = 4096 16384 65536",
            "net/core/rmem_max = 262144",
            "net/core/wmem_max = 65536",
            "net/ipv4/tcp_ecn = 1",
        ]
    );
    assert_eq!(shown(&of(|model| model.tuning.ecn = Some(val(false)))), ["net/ipv4/tcp_ecn = 2"]);
    assert_eq!(three(RECEIVE, Bytes::new(65_536)), "4096 65536 65536");
}

#[test]
fn each_receiving_device_is_listed_once() {
    let settings = of(|model| {
        model.lan.devices.push(val("tun-ipip".parse().unwrap()));
        model.tunnels.truncate(2);
    });
    let names: Vec<&str> = settings.receivers.iter().map(IfName::as_str).collect();
    assert_eq!(names, ["br-lan", "tun-ipip", "tun-dslite"]);
}
