//! Tests of the choice, and of measurements that do not suffice.

use super::{Carried, TooLittle, fit};
use crate::fit::data::{Data, Row};
use crate::units::Rate;

fn data(sizes: &[u64], pps: impl Fn(u64) -> f64) -> Data {
    let rows = (1..).zip(sizes).map(|(line, ip)| Row { line, ip: *ip, pps: pps(*ip) }).collect();
    Data { rows, notes: Vec::new() }
}

fn cells(ip: u64, overhead: u64) -> f64 {
    1e6 / ((ip + overhead).div_ceil(48) * 53) as f64
}

const SIZES: [u64; 12] = [28, 40, 52, 64, 96, 128, 200, 400, 700, 1000, 1300, 1492];

#[test]
fn too_few_measurements_are_rejected() {
    let of = |sizes: &[u64]| fit(&data(sizes, |ip| 1e6 / (ip as f64 + 30.0)), None).err();
    assert_eq!(of(&[]), Some(TooLittle::Sizes(0)));
    assert_eq!(of(&[64, 64, 64, 64, 64, 1400]), Some(TooLittle::Sizes(2)));
    assert_eq!(of(&[100, 120, 140, 160, 180, 200]), Some(TooLittle::Range(100, 200)));
    assert_eq!(of(&SIZES), None);
    let level = |ip: u64| 1000.0 + (ip % 7) as f64;
    assert_eq!(fit(&data(&SIZES, level), None).err(), Some(TooLittle::Flat));
}

#[test]
fn among_equal_overheads_one_of_a_profile_is_preferred() {
    // the steps of these sizes are only a few bytes apart
    let found = fit(&data(&SIZES, |ip| cells(ip, 40)), None).expect("enough");
    assert_eq!(found.best.carried, Carried::Atm);
    assert!(found.same.0 <= 40 && 40 <= found.same.1 && found.same.0 < found.same.1, "{:?}", found.same);
    assert_eq!(found.best.overhead, 40);
    // no profile has one of these overheads, so the largest is chosen
    let found = fit(&data(&SIZES, |ip| cells(ip, 100)), None).expect("enough");
    assert_eq!(found.best.overhead, found.same.1);
    assert!(found.same.0 <= 100 && 100 <= found.same.1);
}

#[test]
fn single_outliers_do_not_change_the_fit() {
    let mut measured = data(&SIZES, |ip| 1e6 / (ip as f64 + 30.0));
    let more: Vec<Row> = measured.rows.iter().map(|row| Row { pps: row.pps * 1.004, ..*row }).collect();
    measured.rows.extend(more);
    for (index, factor) in [(0, 0.5), (3, 1.4), (11, 0.7)] {
        let mut spoilt = measured.clone();
        spoilt.rows[index].pps *= factor;
        let found = fit(&spoilt, None).expect("enough");
        assert!(found.best.overhead.abs_diff(30) <= 1, "{index}: {:?}", found.best);
        assert_eq!(found.best.floor, None, "{index}");
        assert_eq!(found.far.iter().map(|far| far.0).collect::<Vec<_>>(), [index]);
    }
}

#[test]
fn a_known_rate_that_does_not_fit_is_ignored() {
    let measured = data(&SIZES, |ip| 1e6 / (ip as f64 + 30.0));
    let with = |bps: u64| fit(&measured, Some(Rate::from_bps(bps))).expect("enough");
    assert_eq!((with(8_000_000).best.carried, with(8_000_000).unfit), (Carried::Ethernet, None));
    assert_eq!((with(8_125_000).best.carried, with(8_125_000).unfit), (Carried::Ptm, None));
    let off = with(9_000_000);
    assert_eq!((off.best.carried, off.unfit), (Carried::Whole, Some(Rate::from_bps(9_000_000))));
    assert_eq!(off.best.overhead, 30);
}

#[test]
fn probabilities_add_up_to_one() {
    let found = fit(&data(&SIZES, |ip| 1e6 / (ip as f64 + 30.0)), None).expect("enough");
    let sum: f64 = found.weighed.iter().map(|one| one.probability).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    assert!(found.weighed.windows(2).all(|pair| pair[0].log >= pair[1].log));
}
