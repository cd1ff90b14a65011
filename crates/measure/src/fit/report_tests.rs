//! Tests of the numbers in a report.

use super::{FloorKind, digits, mpu, report};
use crate::fit::data::{Data, PacketRate};
use crate::fit::weigh::fit;
use qosc_compiler::terms::Layer;

#[test]
fn numbers_are_rounded_to_significant_digits() {
    assert_eq!(
        [digits(123.456, 2), digits(0.012_345, 3), digits(99.96, 3), digits(0.0, 4)],
        [120.0, 0.0123, 100.0, 0.0]
    );
}

#[test]
fn the_mpu_is_rounded_as_a_file_states_it() {
    assert_eq!(mpu(83.6, Layer::Ethernet), 84);
    assert_eq!(mpu(900.0, Layer::Ethernet), 256);
    // two cells with a little noise in both directions; two and a half cells become three
    assert_eq!([105.0, 106.0, 108.0, 132.0].map(|floor| mpu(floor, Layer::Atm)), [96, 96, 96, 144]);
    assert_eq!(mpu(900.0, Layer::Atm), 256);
}

/// Report on a line without noise.
fn found(floor: f64, overhead: f64) -> super::FitReport {
    let row = |ip: u64| PacketRate { line: 1, ip, pps: 1e6 / (ip as f64 + overhead).max(floor) };
    let data = Data { rows: (28..120).chain((200..1500).step_by(50)).map(row).collect(), notes: Vec::new() };
    report(&data, &fit(&data, None).expect("enough"), None)
}

#[test]
fn a_floor_above_frame_padding_is_a_packet_rate_ceiling() {
    for (floor, overhead, kind) in [
        (84.0, 38.0, FloorKind::Padding),
        (64.0, 18.0, FloorKind::Padding),
        (120.0, 30.0, FloorKind::Ceiling),
    ] {
        let report = found(floor, overhead);
        let shown = report.floor.expect("a least charge");
        assert_eq!(
            (shown.kind, f64::from(report.mpu), f64::from(report.overhead.bytes)),
            (kind, floor, overhead)
        );
        assert!((shown.pps - 1e6 / floor).abs() < 1.0 && shown.knee as f64 == floor - overhead, "{shown:?}");
    }
    assert_eq!(found(0.0, 30.0).floor, None);
}

#[test]
fn profiles_with_the_fitted_charge_are_named() {
    assert_eq!(found(84.0, 38.0).profiles, ["ethernet"]);
    assert_eq!(found(0.0, 22.0).profiles, ["vdsl2-bridged"]);
    assert!(found(0.0, 60.0).profiles.is_empty());
    // a ceiling belongs to one line, not to its kind
    assert_eq!(found(120.0, 30.0).profiles, ["vdsl2-pppoe"]);
}
