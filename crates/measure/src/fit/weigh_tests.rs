//! Tests of the choice, and of measurements that do not suffice.

use super::{Fit, fit};
use crate::fit::data::{Data, PacketRate};
use qosc_compiler::terms::Layer;
use qosc_compiler::units::Rate;

fn data(sizes: &[u64], pps: impl Fn(u64) -> f64) -> Data {
    let rows = (1..).zip(sizes).map(|(line, ip)| PacketRate { line, ip: *ip, pps: pps(*ip) }).collect();
    Data { rows, notes: Vec::new() }
}

fn cells(ip: u64, overhead: u64) -> f64 {
    1e6 / ((ip + overhead).div_ceil(48) * 53) as f64
}

const SIZES: [u64; 12] = [28, 40, 52, 64, 96, 128, 200, 400, 700, 1000, 1300, 1492];

#[test]
fn too_few_measurements_are_rejected() {
    let of = |sizes: &[u64]| {
        let words = fit(&data(sizes, |ip| 1e6 / (ip as f64 + 30.0)), None).err().unwrap_or_default();
        words.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(of(&[]), "0 packet sizes cannot show the overhead of the line");
    assert_eq!(of(&[64, 64, 64, 64, 64, 1400]), "2 packet sizes cannot show the overhead of the line");
    assert_eq!(of(&[100, 120, 140, 160, 180, 200]), "sizes from 100 to 200 bytes are too similar");
    assert_eq!(of(&SIZES), "");
    let level = |ip: u64| 1000.0 + (ip % 7) as f64;
    let flat = fit(&data(&SIZES, level), None).expect_err("flat");
    assert!(flat.starts_with("the packet rate is the same for all sizes"), "{flat:?}");
}

/// Smallest and largest overhead that are as likely as the best curve.
fn same(found: &Fit) -> (u32, u32) {
    let same = found.curves.iter().filter(|curve| (curve.log - found.best.log).abs() < 1e-6);
    let overheads: Vec<u32> = same.map(|curve| curve.wire.overhead).collect();
    (*overheads.iter().min().expect("the best"), *overheads.iter().max().expect("the best"))
}

#[test]
fn among_equal_overheads_one_of_a_profile_is_preferred() {
    // the steps of these sizes are only a few bytes apart
    let found = fit(&data(&SIZES, |ip| cells(ip, 40)), None).expect("enough");
    assert_eq!(found.best.wire.layer, Layer::Atm);
    let (least, most) = same(&found);
    assert!(least <= 40 && 40 <= most && least < most, "{least} to {most}");
    assert_eq!(found.best.wire.overhead, 40);
    // no profile has one of these overheads, so the largest is chosen
    let found = fit(&data(&SIZES, |ip| cells(ip, 100)), None).expect("enough");
    let (least, most) = same(&found);
    assert_eq!(found.best.wire.overhead, most);
    assert!(least <= 100 && 100 <= most);
}

#[test]
fn equal_overheads_are_recognised_above_a_ceiling() {
    // most sizes are bound by the ceiling, and their cells must not matter
    let sizes: Vec<u64> =
        (28..=76).chain([92, 108, 128, 158, 188, 228]).chain((292..=1492).step_by(75)).collect();
    for overhead in [16, 32, 40] {
        let noise = |ip: u64| 1.0 + 0.02 * (((ip * 7919) % 13) as f64 / 13.0 - 0.5);
        let found =
            fit(&data(&sizes, |ip| cells(ip, overhead).min(1200.0) * noise(ip)), None).expect("enough");
        assert_eq!(u64::from(found.best.wire.overhead), overhead);
    }
}

#[test]
fn single_outliers_do_not_change_the_fit() {
    let mut measured = data(&SIZES, |ip| 1e6 / (ip as f64 + 30.0));
    let more: Vec<PacketRate> =
        measured.rows.iter().map(|row| PacketRate { pps: row.pps * 1.004, ..*row }).collect();
    measured.rows.extend(more);
    for (index, factor) in [(0, 0.5), (3, 1.4), (11, 0.7)] {
        let mut spoilt = measured.clone();
        spoilt.rows[index].pps *= factor;
        let found = fit(&spoilt, None).expect("enough");
        assert!(found.best.wire.overhead.abs_diff(30) <= 1, "{index}: {:?}", found.best);
        assert_eq!(found.best.floor, None, "{index}");
        assert_eq!(found.far.iter().map(|far| far.line).collect::<Vec<_>>(), [index + 1]);
    }
}

#[test]
fn a_known_rate_that_does_not_fit_is_ignored() {
    let measured = data(&SIZES, |ip| 1e6 / (ip as f64 + 30.0));
    let with = |bps: u64| fit(&measured, Some(Rate::from_bps(bps))).expect("enough");
    let layers = |bps| with(bps).layers(&with(bps).best);
    assert_eq!(layers(8_000_000), [Layer::Ethernet]);
    assert_eq!(layers(8_125_000), [Layer::Ptm]);
    let off = with(9_000_000);
    assert_eq!((layers(9_000_000), off.knows_rate), (vec![Layer::Ethernet, Layer::Ptm], false));
    assert_eq!(off.best.wire.overhead, 30);
}

#[test]
fn probabilities_add_up_to_one() {
    let found = fit(&data(&SIZES, |ip| 1e6 / (ip as f64 + 30.0)), None).expect("enough");
    let sum: f64 = found.curves.iter().map(|curve| curve.probability).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    assert!(found.curves.windows(2).all(|pair| pair[0].log >= pair[1].log));
}
