//! Tests of the closed form against a search.

use super::{Curve, PacketRate, Sums, best};
use qosc_compiler::terms::{Layer, Wire};

fn sizes(pps: impl Fn(u64) -> f64) -> Vec<(u64, Sums)> {
    [28, 36, 44, 52, 64, 80, 100, 150, 400, 1000, 1400]
        .map(|ip| (ip, Sums::default().with(1.0 + (ip % 3) as f64, pps(ip).ln())))
        .to_vec()
}

fn wire(layer: Layer, overhead: u32) -> Wire {
    Wire { layer, overhead, mpu: 0 }
}

/// Returns the squares of a curve with this least charge and the best rate, found by a search.
fn tried(sizes: &[(u64, Sums)], curve: &Curve, floor: f64) -> f64 {
    let line = |rate: f64| Curve { floor: Some(floor), rate, ..*curve };
    let row = |(ip, size): &(u64, Sums)| PacketRate { line: 1, ip: *ip, pps: size.mean().exp() };
    let square = |rate: f64, size: &(u64, Sums)| size.1.w * line(rate).misses(&row(size)).powi(2);
    let squares = |rate: f64| sizes.iter().map(|size| square(rate, size)).sum::<f64>();
    (-400..=400).map(|step| squares(curve.rate + f64::from(step) / 2000.0)).fold(f64::MAX, f64::min)
}

#[test]
fn no_tried_mpu_leaves_a_smaller_residual() {
    // values that fit no curve: half of each is random
    let rough =
        |ip: u64| (1e6 / (ip as f64 + 20.0).max(90.0)) * (1.0 + 0.1 * ((ip * 7919) % 13) as f64 / 13.0);
    let sizes = sizes(rough);
    for layer in [Layer::Ethernet, Layer::Atm] {
        for overhead in [0, 20, 47, 130] {
            let curves: Vec<Curve> = best(&sizes, wire(layer, overhead), (0.0, 0.0)).collect();
            let plain = curves[0];
            // a least charge that binds a single size is not considered
            let least = curves.iter().map(|curve| curve.squares).fold(f64::MAX, f64::min);
            let lowest = plain.charge(36);
            let most = plain.charge(1000);
            for step in 0..=200 {
                let floor = lowest + (most - lowest) * f64::from(step) / 200.0;
                let squares = tried(&sizes, &plain, floor);
                assert!(
                    least <= squares * 1.0001,
                    "{layer:?} {overhead}: {floor} leaves {squares}, not {least}"
                );
            }
        }
    }
}

#[test]
fn a_known_rate_weighs_like_a_measurement() {
    let sizes = sizes(|ip| 1e6 / (ip as f64 + 30.0));
    let known = |w: f64| (w, (1.1e6f64).ln());
    let rate = |layer, w: f64| best(&sizes, wire(layer, 30), known(w)).next().unwrap().rate.exp();
    assert!((rate(Layer::Ethernet, 0.0) / 1e6 - 1.0).abs() < 1e-9);
    assert!((rate(Layer::Ethernet, 1e9) / 1.1e6 - 1.0).abs() < 1e-6);
    // on PTM, packets have 64/65 of the known rate of the line
    assert!((rate(Layer::Ptm, 1e9) / (1.1e6 * 64.0 / 65.0) - 1.0).abs() < 1e-6);
}
