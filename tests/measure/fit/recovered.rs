//! `qosc fit` recovers the line from noisy packet rates, for every profile.

#![expect(clippy::float_arithmetic, reason = "measurements are made here, with their noise")]
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use super::qosc as run;
use super::right::{lines, right};
use crate::split_mix::SplitMix;
use qosc_compiler::model::{Layer, Wire};
use qosc_compiler::units::Rate;
use qosc_measure::fit::{Data, FitReport, FloorKind, PacketRate, fit, payloads, report};

/// Normally distributed noise from a seed, by the Box-Muller transform (1958).
struct Noise(SplitMix);

impl Noise {
    fn uniform(&mut self) -> f64 {
        (self.0.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A simulated measurement of a line with 2 % noise. It has the sizes that `--plan` sends, with four whole seconds
/// each, which is fewer than `--plan` takes.
fn measured(wire: Wire, line: Rate, ceiling: f64, seed: u64) -> Data {
    let mut noise = Noise(SplitMix(seed));
    let packets = line.bps() as f64 / 8.0 * if wire.layer == Layer::Ptm { 64.0 / 65.0 } else { 1.0 };
    let mut data = Data::default();
    for ip in payloads().into_iter().map(|payload| payload + 28) {
        let pps = (packets / wire.bytes(ip) as f64).min(ceiling);
        for _ in 0..4 {
            let line = data.rows.len() + 1;
            data.rows.push(PacketRate { line, ip, pps: pps * (1.0 + 0.02 * noise.normal()) });
        }
    }
    data
}

fn fitted(data: &Data, rate: Option<Rate>) -> FitReport {
    report(data, &fit(data, rate).expect("enough"), rate)
}

/// Checks that at least 95 % of the measurements of each line give the right result.
fn recovered(of: impl Fn(&Wire) -> bool, with_rate: bool, times: u64) {
    for (name, wire) in lines().into_iter().filter(|(_, wire)| of(wire)) {
        let (mut rights, mut exact, mut covered) = (0, 0, 0);
        for seed in 0..times {
            let line = Rate::from_bps(1_000_000 + 997_000 * seed);
            let data = measured(wire, line, f64::MAX, 1000 * seed + u64::from(wire.overhead));
            let found = fitted(&data, with_rate.then_some(line));
            rights += u64::from(right(&found, wire, with_rate));
            exact += u64::from((found.overhead.bytes, found.mpu) == (wire.overhead, wire.mpu));
            covered += u64::from((found.overhead.least..=found.overhead.most).contains(&wire.overhead));
        }
        eprintln!("{name}: {rights} right, {exact} to the byte, {covered} in the interval");
        assert!(rights * 100 >= 95 * times, "{name}: {rights} of {times}, rate {with_rate}");
        // A 95 % interval should contain the true overhead in about 95 of 100 runs. The limit of 88 is three standard
        // deviations below.
        assert!(covered * 100 >= 88 * times, "{name}: {covered} of {times} intervals hold, rate {with_rate}");
    }
}

#[test]
fn atm_lines_are_recovered() {
    recovered(|wire| wire.layer == Layer::Atm, false, 100);
}

#[test]
fn lines_without_atm_are_recovered() {
    recovered(|wire| wire.layer != Layer::Atm, false, 100);
}

#[test]
fn atm_lines_are_recovered_with_a_known_rate() {
    // Cells are found without the rate. 20 runs are enough to show that a known rate does no harm.
    recovered(|wire| wire.layer == Layer::Atm, true, 20);
}

#[test]
fn a_known_rate_distinguishes_ptm_from_ethernet() {
    recovered(|wire| wire.layer != Layer::Atm, true, 100);
}

#[test]
fn a_packet_rate_ceiling_is_found() {
    for (layer, overhead) in [(Layer::Ethernet, 38), (Layer::Ptm, 30), (Layer::Atm, 40)] {
        let wire = Wire { layer, overhead, mpu: 0 };
        for seed in 0..10 {
            let line = Rate::from_bps(6_500_000);
            let found = fitted(&measured(wire, line, 4600.0, seed), Some(line));
            let floor = found.floor.as_ref().unwrap_or_else(|| panic!("{layer:?}: no ceiling"));
            assert_eq!(floor.kind, FloorKind::Ceiling, "{layer:?}");
            assert!((floor.pps / 4600.0 - 1.0).abs() < 0.01, "{layer:?}: {}", floor.pps);
            assert_eq!(found.layer.layers, [layer]);
            // The ceiling hides the small packets, which show the overhead best.
            let span = found.overhead.least..=found.overhead.most;
            assert!(
                span.contains(&overhead) && found.overhead.bytes.abs_diff(overhead) <= 3,
                "{layer:?}: {span:?}"
            );
            // With the recommended settings, the predicted packet rate stays below the ceiling, with a tolerance of 1 %.
            let packets = found.rate.bps as f64 / 8.0;
            for ip in 28..=1500 {
                assert!(packets / (found.wire().bytes(ip) as f64) < 4600.0 * 1.01, "{layer:?}: {ip}");
            }
        }
    }
}

#[test]
fn the_printed_yaml_compiles_as_a_link() {
    for (name, wire) in lines() {
        let line = Rate::from_bps(20_000_000);
        let found = fitted(&measured(wire, line, f64::MAX, 7), Some(line));
        let text = found.yaml.replace("link:\n", "link:\n  device: eth0\n  up: 20mbit\n  down: 20mbit\n");
        let output = run(&["compile", "--emit", "model", "-"], &text);
        assert!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
        let model: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let link = &model["link"];
        assert_eq!(link["overhead"]["value"], found.overhead.bytes, "{name}");
        assert_eq!(link["mpu"]["value"], found.mpu, "{name}");
    }
}
