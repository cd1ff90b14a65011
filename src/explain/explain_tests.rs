use super::{Whence, explain, human};
use crate::diag::{Sink, Sources};
use crate::model::Model;
use crate::{resolve, syntax};

fn model(yaml: &str) -> Model {
    let (mut sources, mut sink) = (Sources::default(), Sink::default());
    let file = syntax::load(&mut sources, "home.yaml", yaml.as_bytes(), &mut sink).unwrap();
    let raw = syntax::read(&sources, file, &mut sink).unwrap();
    resolve::resolve(&raw, "home", &mut sources, file, &mut sink).unwrap()
}

fn value(yaml: &str, section: &str, what: &str) -> (String, Whence) {
    let found = explain(&model(yaml));
    let section = found.sections.iter().find(|own| own.title == section).unwrap();
    let row = section.rows.iter().find(|row| row.what == what).unwrap();
    (row.value.clone(), row.from.clone())
}

const VDSL: &str = "link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n";
const ADSL: &str = "link: { device: ppp0, profile: adsl-pppoa-vcmux, up: 1mbit, down: 12mbit }\n";

#[test]
fn a_value_says_where_it_came_from() {
    assert_eq!(value(VDSL, "the line", "line up"), ("6.5mbit".into(), Whence::Given { line: Some(1) }));
    let why = "the margin up of profile `vdsl2-pppoe`".to_owned();
    assert_eq!(value(VDSL, "the line", "margin up"), ("2%".into(), Whence::Default { why }));
    let formula = "6.5mbit x 64/65 x 98%".to_owned();
    assert_eq!(value(VDSL, "the line", "shaped up"), ("6.272mbit".into(), Whence::Derived { formula }));
}

#[test]
fn the_parts_of_an_overhead_add_up_and_are_shown_only_where_they_are_known() {
    for (yaml, sum) in [(VDSL.to_owned(), 30), (VDSL.replace("up:", "overhead: 31, up:"), 0)] {
        let found = explain(&model(&yaml));
        let row = found.sections[0].rows.iter().find(|row| row.what == "overhead").unwrap();
        let parts: u32 = row.parts.iter().map(|part| part.value.parse::<u32>().unwrap()).sum();
        assert_eq!(parts, sum);
    }
}

#[test]
fn goodput_counts_what_a_line_adds_and_its_cells() {
    // 64 + 30 = 94 bytes; 6.272 Mbit/s x 64 / 94 = 4.270 Mbit/s
    let section = "packets on the line";
    assert_eq!(value(VDSL, section, "64 bytes of IP").0, "94 bytes");
    assert_eq!(value(VDSL, section, "  goodput up").0, "4.27mbit");
    // 64 + 10 = 74 bytes: two cells
    assert_eq!(value(ADSL, section, "64 bytes of IP").0, "106 bytes");
}

#[test]
fn what_is_said_is_for_a_terminal() {
    let yaml = format!("{VDSL}classes: {{ \"a\\e[31m\": {{ default: true }} }}\n");
    let text = human(&explain(&model(&yaml)), "home.yaml");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(text.contains("home.yaml:1"), "{text}");
}

const NAT: &str = "\
hosts: { ata: { address: 192.168.1.5 }, guests: { address: 192.168.1.128/25 } }
classes:
  voice: { match: [{ host: ata }] }
  rest: { default: true }
";

fn ways(yaml: &str) -> String {
    let found = explain(&model(yaml));
    found.sections.last().unwrap().words.join("\n")
}

#[test]
fn what_tells_packets_apart_is_said_with_its_reason() {
    assert!(ways(VDSL).contains("nft is not needed"), "{}", ways(VDSL));
    let text = ways(&format!("{VDSL}{NAT}"));
    assert!(text.contains("behind NAT the WAN device shows nothing of `192.168.1.5` (line 4)"), "{text}");
    let text = ways(&format!("{VDSL}lan: {{ nat: false }}\n{NAT}"));
    assert!(text.contains("nft is not needed"), "{text}");
}

#[test]
fn a_direction_by_cake_has_tins_and_no_buckets() {
    let yaml = VDSL.replace("up:", "engine: { up: htb, down: cake }, up:");
    let found = explain(&model(&yaml));
    let voice = found.sections.iter().find(|own| own.title == "class voice").unwrap();
    let names: Vec<&str> = voice.rows.iter().map(|row| row.what.as_str()).collect();
    assert!(names.contains(&"tin down") && names.contains(&"burst up"), "{names:?}");
    assert!(!names.contains(&"burst down") && !names.contains(&"tin up"), "{names:?}");
}
