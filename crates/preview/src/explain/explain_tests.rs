use super::kernel_tests::configurations;
use super::{Explanation, Wanted, Whence, explain, explain_for, human};
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::model::{Class, Direction, Model};
use qosc_compiler::tc::Program;
use qosc_compiler::units::Micros;

/// Model and program of a configuration without errors.
pub(super) fn made(yaml: &str) -> (Model, Program) {
    let compiled = compile(yaml, &Options::of("home.yaml"));
    assert!(!compiled.has_errors(), "{:?}", compiled.findings);
    compiled.into_finished().unwrap()
}

pub(super) fn explained(yaml: &str) -> Explanation {
    let (model, program) = made(yaml);
    explain(&model, &program, None)
}

fn value(yaml: &str, id: &str) -> (String, Whence) {
    let found = explained(yaml);
    let row = found.row(id).unwrap();
    (row.value.clone(), row.from.clone())
}

const VDSL: &str = "link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n";
const ADSL: &str = "link: { device: ppp0, profile: adsl-pppoa-vcmux, up: 1mbit, down: 12mbit }\n";

#[test]
fn values_state_their_origin() {
    assert_eq!(value(VDSL, "link.line.up"), ("6.5mbit".into(), Whence::Given { line: Some(1) }));
    let why = "the margin up of profile `vdsl2-pppoe`".to_owned();
    assert_eq!(value(VDSL, "link.margin.up"), ("2%".into(), Whence::Default { why }));
    let formula = "6.5mbit x 64/65 x 98%".to_owned();
    assert_eq!(value(VDSL, "link.shaped.up"), ("6.272mbit".into(), Whence::Derived { formula }));
}

#[test]
fn the_parts_of_a_profiles_overhead_add_up() {
    for (yaml, sum) in [(VDSL.to_owned(), 30), (VDSL.replace("up:", "overhead: 31, up:"), 0)] {
        let found = explained(&yaml);
        let row = found.sections[0].rows.iter().find(|row| row.what == "overhead").unwrap();
        let parts: u32 = row.parts.iter().map(|part| part.value.parse::<u32>().unwrap()).sum();
        assert_eq!(parts, sum);
    }
}

#[test]
fn goodput_subtracts_overhead_and_cell_padding() {
    // 64 + 30 = 94 bytes; 6.272 Mbit/s x 64 / 94 = 4.270 Mbit/s (65.6 % of 6.5); 6,272,000 / (8 x 94) = 8340.4
    assert_eq!(value(VDSL, "packets.64.bytes").0, "94 bytes");
    assert_eq!(value(VDSL, "packets.64.up.goodput").0, "4.27mbit");
    assert_eq!(value(VDSL, "packets.64.up.share").0, "65.6%");
    assert_eq!(value(VDSL, "packets.64.up.packets").0, "8340");
    // 64 + 10 = 74 bytes: two cells
    assert_eq!(value(ADSL, "packets.64.bytes").0, "106 bytes");
}

/// Bytes on the line of IP packets of 64, 576 and 1500 bytes, with each profile.
const ON_THE_LINE: [(&str, [u64; 3]); 19] = [
    ("raw", [64, 576, 1500]),
    ("ethernet", [102, 614, 1538]),
    ("ethernet-vlan", [106, 618, 1542]),
    ("docsis", [82, 594, 1518]),
    ("fibre", [82, 594, 1518]),
    ("fibre-pppoe", [90, 602, 1526]),
    ("vdsl2-bridged", [86, 598, 1522]),
    ("vdsl2-bridged-vlan", [90, 602, 1526]),
    ("vdsl2-pppoe", [94, 606, 1530]),
    ("vdsl2-pppoe-vlan", [98, 610, 1534]),
    ("adsl-ipoa-vcmux", [106, 689, 1696]),
    ("adsl-ipoa-llc", [106, 689, 1696]),
    ("adsl-pppoa-vcmux", [106, 689, 1696]),
    ("adsl-pppoa-llc", [106, 689, 1696]),
    ("adsl-bridged-vcmux", [106, 689, 1696]),
    ("adsl-bridged-llc", [106, 689, 1696]),
    ("adsl-pppoe-vcmux", [106, 689, 1696]),
    ("adsl-pppoe-llc", [159, 689, 1749]),
    ("conservative", [159, 689, 1749]),
];

#[test]
fn each_profile_charges_the_bytes_of_the_standards() {
    for (profile, bytes) in ON_THE_LINE {
        let found = explained(&VDSL.replace("vdsl2-pppoe", profile));
        for (size, bytes) in [64, 576, 1500].into_iter().zip(bytes) {
            let row = found.row(&format!("packets.{size}.bytes")).unwrap();
            assert_eq!(row.value, format!("{bytes} bytes"), "{profile}");
            let shaped: qosc_compiler::units::Rate =
                found.row("link.shaped.up").unwrap().value.parse().unwrap();
            let packets = &found.row(&format!("packets.{size}.up.packets")).unwrap().value;
            assert_eq!(*packets, (shaped.bps() / 8 / bytes).to_string(), "{profile}");
        }
    }
}

#[test]
fn delays_and_bandwidth_delay_products_follow_from_the_rates() {
    // 1522 bytes x 8 / 6.272 Mbit/s = 1.942 ms; at 400 kbit/s 30.44 ms
    let yaml = format!(
        "{VDSL}classes: {{ voice: {{ guarantee: 400kbit, match: [{{ protocol: udp }}] }}, rest: {{ default: true }} }}\n"
    );
    assert_eq!(value(&yaml, "wait.up").0, "1.942ms");
    // two packets of `rest`; 230 bytes at 6.272 Mbit/s = 294 us
    assert_eq!(value(&yaml, "class.voice.up.wait.line").0, "3.883ms");
    assert_eq!(value(&yaml, "class.voice.up.wait").0, "5.825ms");
    let urgent = yaml.replace("{ guarantee", "{ priority: 1, guarantee");
    assert_eq!(value(&urgent, "class.voice.up.wait").0, "4.177ms");
    // 400 kbit/s x 100 ms = 5000 bytes, more than three packets
    assert_eq!(value(&yaml, "class.voice.up.bdp.guarantee").0, "5000 bytes, 4 packets");
    let (model, program) = made(&yaml);
    let found = explain(&model, &program, Some(Micros::from_ms(30)));
    assert_eq!(found.row("class.voice.up.bdp.guarantee").unwrap().value, "1500 bytes, 1 packet");
    assert_eq!(found.row("bdp.up").unwrap().value, "23520 bytes, 16 packets");
    // 65,566 bytes at 6.272 Mbit/s
    let kept = format!("{yaml}tuning: {{ offloads: keep }}\n");
    assert_eq!(value(&kept, "wait.up").0, "83.631ms");
}

#[test]
fn no_class_waits_longer_than_one_that_is_served_later() {
    for (name, yaml) in configurations() {
        let (model, program) = made(&yaml);
        let found = explain(&model, &program, None);
        for direction in Direction::BOTH {
            let wait = |class: &Class| {
                let row = found.row(&format!("class.{}.{}.wait", class.name, direction.as_str()))?;
                Some((class.priority.value, row.value.parse::<Micros>().unwrap(), class.name.clone()))
            };
            let waits: Vec<_> = model.leaves().into_iter().filter_map(wait).collect();
            for (first, later) in waits.iter().flat_map(|one| waits.iter().map(move |other| (one, other))) {
                assert!(
                    first.0 >= later.0 || first.1 <= later.1,
                    "{name} {direction:?}: {first:?}, {later:?}"
                );
            }
        }
    }
}

#[test]
fn serialization_delays_cover_a_small_and_a_full_packet() {
    let classes = "classes: { voice: { priority: 0, guarantee: 110kbit, match: [{ protocol: udp }] }, rest: { default: true } }\n";
    let yaml = format!("{ADSL}{classes}");
    // 200 + 10 bytes are five cells, 265 bytes; 1500 + 10 are 32 cells, 1,696
    assert_eq!(value(&yaml, "packet.small").0, "265");
    assert_eq!(value(&yaml, "class.voice.up.delay.small").0, "19.273ms");
    assert_eq!(value(&yaml, "class.voice.up.delay.full").0, "123.346ms");
    assert_eq!(value(&yaml, "delay.up.small").0, "2.164ms");
    let (model, program) = made(&yaml);
    for (packet_size, bytes, delay) in
        [(20, "53", "3.855ms"), (1500, "1696", "123.346ms"), (65_535, "72398", "5265.31ms")]
    {
        let found = explain_for(&model, &program, Wanted { packet_size, ..Wanted::default() }, None);
        assert_eq!(found.row("packet.small").unwrap().value, bytes, "{packet_size}");
        let row = found.row("class.voice.up.delay.small").unwrap();
        assert_eq!(
            (row.value.as_str(), row.what.as_str()),
            (delay, format!("serialization delay of {packet_size} bytes up").as_str())
        );
        assert_eq!(found.row("class.voice.up.delay.full").unwrap().value, "123.346ms");
    }
}

#[test]
fn buffers_are_contrasted_with_the_bytes_on_the_wire() {
    let flows = format!("{VDSL}classes: {{ rest: {{ default: true, share: per-flow }} }}\n");
    let found = |id: &str| value(&flows, id).0;
    // fq_codel: 5 ms of 6.272 Mbit/s are 3,920 bytes, and 1,000 packets of 1,522 bytes take 1.94 s
    assert_eq!(
        (found("buffers.up.target"), found("buffers.up.target.time")),
        ("3920 bytes".into(), "5ms".into())
    );
    assert_eq!(found("buffers.up.most"), "1522000 bytes");
    assert_eq!(found("buffers.up.most.time"), "1941.327ms");
    assert_eq!((found("buffers.up.burst"), found("tree.up.burst")), ("1522 bytes".into(), "1522".into()));
    // twice the 100 ms of 6.272 Mbit/s
    let tcp = format!("{VDSL}tuning: {{ tcp: {{ rtt: 100ms }} }}\n");
    assert_eq!(value(&tcp, "buffers.up.socket").0, "156800 bytes");
    assert!(explained(VDSL).row("buffers.up.socket").is_none());
    // CAKE as a shaper: a twentieth of its round trip time, and no burst
    let cake = VDSL.replace("up:", "engine: cake, up:");
    assert_eq!(value(&cake, "buffers.up.target.time").0, "5ms");
    assert!(explained(&cake).row("buffers.up.burst").is_none());
    // downloads that are policed have no queue
    let policed = explained(&VDSL.replace("up:", "ingress: police, up:"));
    assert!(policed.row("buffers.down.most").is_none() && policed.row("buffers.up.most").is_some());
    // of host classes, that of all other hosts counts
    let hosts = format!(
        "{VDSL}lan: {{ nat: false }}\nhosts: {{ tv: {{ address: 192.0.2.7, ceiling: {{ down: 2mbit }} }} }}\n"
    );
    let row = explained(&hosts).row("buffers.down.target").unwrap().clone();
    assert!(
        row.inputs.iter().any(|input| input.id.as_deref() == Some("class.normal/rest.down.ceiling")),
        "{row:?}"
    );
}

#[test]
fn a_class_that_only_borrows_has_no_delay() {
    let yaml = format!(
        "{VDSL}classes: {{ rest: {{ default: true }}, bulk: {{ priority: 7, guarantee: 0%, match: [{{ protocol: tcp }}] }} }}\n"
    );
    let formula = "0% of 6.272mbit: borrows only, and 100bit is the least that HTB is told".to_owned();
    assert_eq!(value(&yaml, "class.bulk.up.guarantee"), ("100bit".into(), Whence::Derived { formula }));
    // This class takes nothing from the others.
    assert_eq!(value(&yaml, "class.rest.up.guarantee").0, "6.272mbit");
    assert_eq!(value(&yaml, "link.left.up").0, "6.272mbit");
    let found = explained(&yaml);
    for row in ["delay.small", "delay.full", "wait", "wait.own", "bdp.guarantee"] {
        assert!(found.row(&format!("class.bulk.up.{row}")).is_none(), "{row}");
        assert!(found.row(&format!("class.rest.up.{row}")).is_some(), "{row}");
    }
}

#[test]
fn the_output_has_no_control_characters() {
    let text = human(&explained(VDSL), "ho\u{1b}[31mme.yaml");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.contains("me.yaml:1"), "{text}");
}

const NAT: &str = "\
hosts: { ata: { address: 192.168.1.5 }, guests: { address: 192.168.1.128/25 } }
classes:
  voice: { match: [{ host: ata }] }
  rest: { default: true }
";

fn directions(yaml: &str) -> String {
    let found = explained(yaml);
    let section = found.sections.iter().find(|own| own.title.starts_with("how a packet")).unwrap();
    section.words.join("\n")
}

#[test]
fn the_means_of_classification_is_stated_with_its_reason() {
    assert!(directions(VDSL).contains("nft is not needed"), "{}", directions(VDSL));
    let text = directions(&format!("{VDSL}{NAT}"));
    assert!(
        text.contains("behind NAT, the WAN device does not show the address `192.168.1.5` (line 4)"),
        "{text}"
    );
    let text = directions(&format!("{VDSL}lan: {{ nat: false }}\n{NAT}"));
    assert!(text.contains("nft is not needed"), "{text}");
}

#[test]
fn a_cake_direction_has_tins_and_no_buckets() {
    let yaml = VDSL.replace("up:", "engine: { up: htb, down: cake }, up:");
    let found = explained(&yaml);
    let voice = found.sections.iter().find(|own| own.title == "class voice").unwrap();
    let names: Vec<&str> = voice.rows.iter().map(|row| row.what.as_str()).collect();
    assert!(names.contains(&"tin down") && names.contains(&"burst up"), "{names:?}");
    assert!(!names.contains(&"burst down") && !names.contains(&"tin up"), "{names:?}");
}

const SHOWN: [(&str, &str); 3] = [
    ("vdsl2-home", include_str!("../../../../examples/vdsl2-home.yaml")),
    ("adsl-pppoa", include_str!("../../../../examples/adsl-pppoa.yaml")),
    ("cake", include_str!("../../../../tests/cases/cake/home.yaml")),
];

#[test]
fn reports_match_the_snapshots() {
    let (name, yaml) = SHOWN[0];
    crate::golden::assert_golden!(format!("{name}-full"), human(&explained(yaml), "home.yaml"));
    let one = explained(yaml).only("voice").unwrap();
    crate::golden::assert_golden!(
        "voice-json",
        crate::golden::json_lines(&serde_json::to_value(one).unwrap())
    );
    assert!(explained(yaml).only("voices").is_none());
}

#[test]
fn reports_have_at_most_100_columns() {
    for (name, yaml) in SHOWN {
        let text = human(&explained(yaml), "home.yaml");
        let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(widest.chars().count() <= 100, "{name}: {widest}");
    }
}

#[test]
fn explain_and_diff_treat_a_keyword_like_its_profile() {
    for (keyword, name) in qosc_compiler::profile::keywords::all() {
        let text = |name| {
            format!("name: home\nlink:\n  device: ppp0\n  profile: {name}\n  up: 1mbit\n  down: 16mbit\n")
        };
        let made = |name| compile(text(name), &Options::of("home.yaml")).into_finished().unwrap();
        let ((model, program), (other, same)) = (made(keyword), made(name));
        assert_eq!(explain(&model, &program, None), explain(&other, &same, None), "{keyword}");
        assert_eq!(program, same, "{keyword}");
        let found = crate::compare::compare((&model, &program), (&other, &same));
        assert!(found.changes.is_empty() && found.follows.is_empty(), "{keyword}: {found:?}");
    }
}
