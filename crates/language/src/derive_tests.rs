use super::{
    FqCodelGiven, Packet, cake_memory, cake_target, cake_threshold, fifo_limit, fq_codel, police_burst,
    queue_bytes, scheduling, shaped, socket_buffer, split, tree,
};
use crate::model::{Diffserv, Frames, Layer, Offloads, Queue, Val, Wire};
use crate::profile;
use crate::units::{Bytes, Micros, Percent, Rate};
use std::fmt::Write;

fn packet(name: &str) -> Packet {
    let profile = profile::find(name).unwrap();
    Packet { wire: profile.wire(), mtu: profile.mtu }
}

fn rate(text: &str) -> Rate {
    text.parse().unwrap()
}

/// One class with the whole rate of a link, and one with a tenth of it that may borrow the rest.
fn table(name: &str, rates: &[&str]) -> String {
    let packet = packet(name);
    let mut out = format!(
        "{:>8} {:>8} {:>8} {:>6} {:>8} {:>10} {:>9} {:>6} {:>6} {:>9} {:>6} {:>9}\n",
        "link",
        "of it",
        "burst",
        "cburst",
        "turn",
        "target",
        "interval",
        "flow",
        "limit",
        "memory",
        "fifo",
        "police"
    );
    for text in rates {
        let whole = rate(text);
        let offloads = Val::default(Offloads::Auto, "");
        let margin = Percent::from_ppm(50_000);
        let split = split(packet, Frames::Auto, (whole, None), margin, &offloads).value;
        for (share, part) in [("all", whole), ("tenth", whole.scale(1, 10))] {
            let s = scheduling(packet, part, whole, split);
            let Queue::FqCodel { limit, quantum, target, interval, memory, .. } =
                fq_codel(packet, whole, whole, FqCodelGiven::default())
            else {
                panic!("no fq_codel")
            };
            writeln!(
                out,
                "{text:>8} {share:>8} {:>8} {:>6} {:>8} {:>10} {:>9} {:>6} {:>6} {:>9} {:>6} {:>9}{}",
                s.burst.value.get(),
                s.cburst.value.get(),
                s.quantum.value,
                target.value.to_string(),
                interval.value.to_string(),
                quantum.value,
                limit.value,
                memory.value.get(),
                fifo_limit(packet, whole).value,
                police_burst(packet, part).value.get(),
                if split { "" } else { " kept" },
            )
            .unwrap();
        }
    }
    out
}

#[test]
fn derived_numbers_match_the_snapshots() {
    let rates = ["128kbit", "500kbit", "1mbit", "6.5mbit", "25mbit", "100mbit", "105mbit", "1gbit", "10gbit"];
    crate::golden::assert_golden!("fibre", table("fibre", &rates));
    crate::golden::assert_golden!("adsl", table("adsl-pppoe-llc", &["128kbit", "1mbit", "8mbit", "24mbit"]));
}

/// Expects the published numbers of sqm-scripts where the formulas agree. Buckets have 1749 bytes up to 13,992 kbit on
/// ATM, 6250 at 50 Mbit/s and 12,500 at 100 Mbit/s.
#[test]
fn burst_sizes_equal_those_of_sqm_scripts() {
    let atm = Packet { wire: Wire { layer: Layer::Atm, overhead: 48, mpu: 0 }, mtu: 1500 };
    for (text, burst) in [("1mbit", 1749), ("13992kbit", 1749), ("50mbit", 6250), ("100mbit", 12_500)] {
        assert_eq!(scheduling(atm, rate(text), rate(text), true).burst.value.get(), burst, "{text}");
    }
}

/// CAKE's own numbers (`tc -s qdisc show`) for a tin with packets of 1514 bytes: 29.1 ms at 625 kbit, 7.27 ms at 2.5
/// Mbit.
#[test]
fn fq_codel_targets_equal_those_of_cake() {
    let wire = Wire { layer: Layer::Ethernet, overhead: 14, mpu: 0 };
    let packet = Packet { wire, mtu: 1500 };
    for (text, low, high) in
        [("625kbit", 29_000, 29_200), ("2500kbit", 7_200, 7_300), ("5mbit", 5_000, 5_000)]
    {
        let Queue::FqCodel { target, interval, .. } =
            fq_codel(packet, rate(text), rate(text), FqCodelGiven::default())
        else {
            panic!("no fq_codel")
        };
        assert!((low..=high).contains(&target.value.us()), "{text}: {}", target.value);
        assert_eq!(interval.value.us(), 95_000 + target.value.us(), "{text}");
    }
}

/// Measurements showed that TCP needs 300 kB at 10 Mbit/s.
#[test]
fn a_police_bucket_is_large_enough_for_tcp_and_aggregates() {
    assert_eq!(police_burst(packet("fibre"), rate("10mbit")).value.get(), 312_500);
    for name in ["fibre", "conservative"] {
        let packet = packet(name);
        let least = police_burst(packet, rate("8kbit")).value.get();
        assert!(least >= packet.wire.bytes(65_536) + packet.full(), "{name}: {least}");
    }
}

#[test]
fn shaped_rates_are_exact() {
    let line = Val::default(rate("6.5mbit"), "");
    let two = Percent::from_ppm(20_000);
    let ptm = shaped(&line, Layer::Ptm, two);
    assert_eq!(ptm.value, Rate::from_bps(6_500_000 * 64 * 98 / 65 / 100));
    insta::assert_json_snapshot!(ptm, @r#"
    {
      "value": "6.272mbit",
      "origin": {
        "derived": {
          "formula": "6.5mbit x 64/65 x 98%",
          "from": null
        }
      }
    }
    "#);
    assert_eq!(shaped(&line, Layer::Atm, two).value, rate("6.37mbit"));
    let most = Val::default(Rate::from_bps(i64::MAX as u64), "");
    assert!(shaped(&most, Layer::Ptm, two).value < most.value);
}

#[test]
fn police_that_bypass_htb_reduce_the_rate_of_the_tree() {
    let shaped = Val::default(rate("40gbit"), "");
    let less = tree(&shaped, &[("e", rate("8gbit")), ("f", rate("6gbit")), ("g", rate("5gbit"))]);
    assert_eq!(less.value, rate("21gbit"));
    assert_eq!(tree(&shaped, &[("e", rate("41gbit"))]).value, rate("0bit"));
    assert_eq!(tree(&shaped, &[]), shaped);
}

#[test]
fn aggregates_are_split_only_if_they_delay_or_hide_bytes() {
    let reason_with = |name: &str, (line, slowest): (&str, &str), margin: u32, frames, offloads| {
        let offloads = Val::default(offloads, "");
        let slowest = slowest.parse().ok().map(|ceiling| ("web", ceiling));
        let split = split(packet(name), frames, (rate(line), slowest), Percent::from_ppm(margin), &offloads);
        let crate::model::Origin::Derived { formula, .. } = split.origin else { panic!("not derived") };
        format!("{name} at {line}: {}, {formula}", split.value)
    };
    let reason = |name: &str, line: &str, margin: u32, frames, offloads| {
        reason_with(name, (line, ""), margin, frames, offloads)
    };
    let slow = |ceiling: &str| reason_with("fibre", ("1gbit", ceiling), 50_000, Auto, Offloads::Auto);
    use Frames::{Auto, Pppoe};
    let cases = [
        reason("fibre", "104mbit", 50_000, Auto, Offloads::Auto),
        reason("fibre", "106mbit", 50_000, Auto, Offloads::Auto),
        reason("fibre", "106mbit", 50_000, Pppoe, Offloads::Auto),
        reason("ethernet", "1gbit", 20_000, Auto, Offloads::Auto),
        reason("ethernet", "1gbit", 15_000, Auto, Offloads::Auto),
        reason("raw", "1gbit", 50_000, Auto, Offloads::Auto),
        reason("adsl-pppoe-llc", "1gbit", 50_000, Auto, Offloads::Auto),
        reason("fibre", "1mbit", 50_000, Auto, Offloads::Keep),
        slow("240kbit"),
        slow("26mbit"),
        slow("27mbit"),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r"
    fibre at 104mbit: true, an aggregate takes 5.043ms at 104mbit, longer than 5ms
    fibre at 106mbit: false, an aggregate takes 4.948ms at 106mbit, and hides little
    fibre at 106mbit: true, an overhead of 18 is less than the device's header
    ethernet at 1gbit: false, an aggregate takes 525us at 1gbit, and hides little
    ethernet at 1gbit: true, an aggregate hides 1.5605% of its bytes, and the margin is 1.5%
    raw at 1gbit: true, an overhead of 0 is less than the device's header
    adsl-pppoe-llc at 1gbit: true, an aggregate is not charged in cells
    fibre at 1mbit: false, offloads are kept
    fibre at 1gbit: true, an aggregate takes 2185.134ms at 240kbit, the ceiling of `web`, longer than 20ms
    fibre at 1gbit: true, an aggregate takes 20.171ms at 26mbit, the ceiling of `web`, longer than 20ms
    fibre at 1gbit: false, an aggregate takes 525us at 1gbit, and hides little
    ");
}

#[test]
fn socket_buffers_are_twice_the_bandwidth_delay_product() {
    let rtt = Micros::from_ms(40);
    assert_eq!(socket_buffer(rate("25mbit"), rtt, None).value.get(), 250_000);
    assert_eq!(socket_buffer(rate("1mbit"), rtt, None).value.get(), 65_536);
    assert_eq!(socket_buffer(rate("100gbit"), Micros::from_ms(10_000), None).value.get(), i32::MAX as u64);
}

#[test]
fn cakes_target_is_a_twentieth_of_its_rtt_or_longer_than_a_packet() {
    let packet = packet("vdsl2-pppoe");
    let target = |rtt: u64, of: &str| cake_target(packet, rate(of), Micros::from_ms(rtt));
    assert_eq!(target(100, "25mbit"), Micros::from_ms(5));
    assert_eq!(target(30, "25mbit"), Micros::from_us(1500));
    // 1.5 x 1522 bytes at 500 kbit/s
    assert_eq!(target(100, "500kbit"), Micros::from_us(36_528));
}

#[test]
fn both_limits_bound_the_bytes_in_a_queue() {
    let packet = packet("vdsl2-pppoe");
    let memory = Some(Bytes::new(100 * 2304));
    assert_eq!(queue_bytes(packet, Some(1000), memory), 152_200);
    assert_eq!(queue_bytes(packet, Some(10), memory), 15_220);
    assert_eq!(queue_bytes(packet, Some(16), None), 24_352);
    assert_eq!(queue_bytes(packet, None, memory), 152_200);
}

/// Rates up to the maximum of the units keep every formula within its bounds.
#[test]
fn no_rate_overflows_a_formula() {
    let most = Rate::from_bps(i64::MAX as u64);
    for name in profile::names() {
        let packet = packet(name);
        for rate in [Rate::from_bps(1), Rate::from_bps(8_000), most] {
            let s = scheduling(packet, rate, rate, true);
            assert!(s.burst.value.get() <= u64::from(u32::MAX) && s.quantum.value <= i32::MAX as u32);
            assert!(u64::from(s.quantum.value) >= packet.frame());
            assert!(police_burst(packet, rate).value.get() <= u64::from(u32::MAX));
            assert!((1 << 20..=32 << 20).contains(&cake_memory(packet, rate, Micros::MAX).value.get()));
            let Queue::FqCodel { target, interval, .. } =
                fq_codel(packet, rate, rate, FqCodelGiven::default())
            else {
                panic!("no fq_codel")
            };
            assert!(target.value < interval.value);
        }
    }
}

/// The table of docs/line.md has the same shares in percent.
#[test]
fn thresholds_of_tins_are_those_of_sch_cake() {
    let shares = |mode, tins| -> Vec<u64> {
        (1..=tins).map(|tin| cake_threshold(Rate::from_bps(160_000_000), mode, tin).bps() / 1_000).collect()
    };
    assert_eq!(shares(Diffserv::Besteffort, 1), [160_000]);
    assert_eq!(shares(Diffserv::Diffserv3, 3), [10_000, 160_000, 40_000]);
    assert_eq!(shares(Diffserv::Diffserv4, 4), [10_000, 160_000, 80_000, 40_000]);
    assert_eq!(
        shares(Diffserv::Diffserv8, 8),
        [160_000, 140_000, 122_500, 107_187, 93_789, 82_065, 71_807, 62_831]
    );
}

#[test]
fn the_margin_below_a_line_rate_follows_from_a_shaped_rate() {
    let place = crate::diag::Span { file: crate::diag::FileId::OWN, start: 0, end: 1, line: 1, column: 1 };
    let margin =
        |layer, shaped| super::margin(Rate::from_bps(6_500_000), layer, Rate::from_bps(shaped), place);
    let found = margin(Layer::Ethernet, 6_240_000);
    assert_eq!((found.value, found.formula()), (Percent::from_ppm(40_000), Some("1 - 6.24mbit / 6.5mbit")));
    assert_eq!(margin(Layer::Ptm, 6_080_000).value, Percent::from_ppm(50_000));
    // between the rate that PTM carries and the line rate
    assert_eq!(margin(Layer::Ptm, 6_450_000).value, Percent::from_ppm(0));
}
