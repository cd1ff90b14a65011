//! Tests of the closed form against a search.

use super::{Carried, Curve, Known, Point, best};

fn points(pps: impl Fn(u64) -> f64) -> Vec<Point> {
    [28, 36, 44, 52, 64, 80, 100, 150, 400, 1000, 1400]
        .map(|ip| Point { ip, y: pps(ip).ln(), w: 1.0 + (ip % 3) as f64 })
        .to_vec()
}

/// Returns the squares of a curve with this least charge and the best rate, found by a search.
fn tried(points: &[Point], curve: &Curve, floor: f64) -> f64 {
    let line = |rate: f64| Curve { floor: Some(floor), rate, ..*curve };
    let squares = |rate: f64| points.iter().map(|p| p.w * line(rate).misses(p.ip, p.y).powi(2)).sum::<f64>();
    (-400..=400).map(|step| squares(curve.rate + f64::from(step) / 2000.0)).fold(f64::MAX, f64::min)
}

#[test]
fn no_tried_mpu_leaves_a_smaller_residual() {
    // values that fit no curve: half of each is random
    let rough =
        |ip: u64| (1e6 / (ip as f64 + 20.0).max(90.0)) * (1.0 + 0.1 * ((ip * 7919) % 13) as f64 / 13.0);
    let points = points(rough);
    for carried in [Carried::Whole, Carried::Atm] {
        for overhead in [0, 20, 47, 130] {
            let (plain, bound) = best(&points, carried, overhead, Known::default());
            // a least charge that binds a single size is not considered
            let least = bound.map_or(plain.squares, |bound| bound.squares.min(plain.squares));
            let lowest = plain.charge(36);
            let most = plain.charge(1000);
            for step in 0..=200 {
                let floor = lowest + (most - lowest) * f64::from(step) / 200.0;
                let squares = tried(&points, &plain, floor);
                assert!(
                    least <= squares * 1.0001,
                    "{carried:?} {overhead}: {floor} leaves {squares}, not {least}"
                );
            }
        }
    }
}

#[test]
fn a_known_rate_weighs_like_a_measurement() {
    let points = points(|ip| 1e6 / (ip as f64 + 30.0));
    let known = |w: f64| Known { y: (1.1e6f64).ln(), w };
    let rate = |w: f64| best(&points, Carried::Whole, 30, known(w)).0.rate.exp();
    assert!((rate(0.0) / 1e6 - 1.0).abs() < 1e-9);
    assert!((rate(1e9) / 1.1e6 - 1.0).abs() < 1e-6);
    // on PTM, packets have 64/65 of the known rate of the line
    let ptm = best(&points, Carried::Ptm, 30, known(1e9)).0;
    assert!((ptm.rate.exp() / (1.1e6 * 64.0 / 65.0) - 1.0).abs() < 1e-6);
    assert!((ptm.line_bps() / 8.8e6 - 1.0).abs() < 1e-6);
}
