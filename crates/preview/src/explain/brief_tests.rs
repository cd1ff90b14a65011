use super::{brief, ordinal};
use crate::explain::explain;
use crate::explain::tests::made;

fn said(yaml: &str) -> String {
    let (model, program) = made(yaml);
    brief(&model, &explain(&model, &program, None))
}

#[test]
fn plain_words_match_the_snapshots() {
    for (name, yaml) in [
        ("vdsl2-home", include_str!("../../../../examples/vdsl2-home.yaml")),
        ("subnet", include_str!("../../../../examples/subnet.yaml")),
        ("guests", include_str!("../../../../examples/guests.yaml")),
        ("guests-each", include_str!("../../../../examples/guests-each.yaml")),
        ("cake", include_str!("../../../../tests/cases/cake/home.yaml")),
    ] {
        crate::golden::assert_golden!(format!("{name}-brief"), said(yaml));
    }
}

#[test]
fn hosts_and_their_ceilings_are_in_the_table() {
    let text = said(
        "link: { device: eth0, profile: docsis, up: 50mbit, down: 500mbit }\n\
         hosts:\n  box: { address: 172.17.0.2, ceiling: { down: 100mbit } }\n  \
         guests: { address: 10.0.0.0/29, each: { ceiling: 4mbit } }\n\
         classes: { all: { default: true } }\n",
    );
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("    all/")).collect();
    assert!(matches!(rows[..], [row] if row.contains("all/box") && row.contains("100mbit")), "{text}");
}

#[test]
fn equal_priorities_have_the_same_place() {
    let text = said(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit, ingress: none }\n\
         classes:\n  a: { priority: 3, default: true }\n  b: { priority: 3, guarantee: 0%, match: [{ dscp: ef }] }\n  \
         c: { priority: 1, guarantee: 40%, match: [{ protocol: icmp }] }\n",
    );
    let places: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    assert_eq!(places[1][..2], ["c", "1st"], "{text}");
    assert_eq!(places[2][..2], ["a", "2nd"], "{text}");
    assert_eq!(places[3], ["b", "2nd", "borrows"], "{text}");
    assert!(text.contains("downloads: not shaped, up to 50mbit"), "{text}");
}

#[test]
fn hosts_that_share_one_direction_are_named_with_it() {
    let text = said(
        "link: { device: eth0, profile: docsis, up: 10mbit, down: 50mbit }\n\
         classes:\n  a: { default: true, share: { down: per-host } }\n  b: { share: per-host, match: { protocol: icmp } }\n  \
         c: { share: { up: per-host, down: per-flow }, match: { protocol: gre } }\n",
    );
    for words in ["shares of `b`.", "shares of uploads in `c`.", "shares of downloads in `a`."] {
        assert!(text.contains(&format!("Hosts have equal {words}")), "{text}");
    }
}

#[test]
fn policed_downloads_have_the_rate_of_their_policer() {
    let text = said(
        "link: { device: eth0, profile: docsis, up: 50mbit, down: 400mbit, ingress: police }\n\
         classes: { rest: { default: true, share: per-host } }\n",
    );
    assert!(
        text.contains("downloads: policed as a whole to 360mbit of the line's 400mbit, without classes"),
        "{text}"
    );
    assert!(text.contains("Hosts have equal shares of uploads in `rest`."), "{text}");
}

#[test]
fn a_line_that_varies_has_both_bounds() {
    let text = said(
        "link: { device: eth0, profile: wireless, up: 20mbit, vary: { down: [30mbit, 200mbit] } }\n\
         classes: { rest: { default: true } }\n",
    );
    assert!(
        text.contains("of the line's 30mbit\n  the line varies: `follow` sets 30mbit to 200mbit\n"),
        "{text}"
    );
    assert_eq!(text.matches("varies").count(), 1, "{text}");
}

#[test]
fn places_have_their_ending() {
    let places = [1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal);
    assert_eq!(places, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]);
}

#[test]
fn devices_of_a_prefix_have_one_text() {
    let with = |prefix: &str, nat: bool| {
        said(&format!(
            "link: {{ device: eth0, profile: docsis, up: 100mbit, down: 500mbit }}\nlan: {{ device: br-lan, nat: {nat} }}\n\
             hosts: {{ guests: {{ address: {prefix}, each: {{ ceiling: {{ down: 4mbit }} }} }} }}\n\
             classes: {{ guests: {{ match: {{ host: guests }} }}, rest: {{ default: true }} }}\n",
        ))
        .replace("\n  ", " ")
    };
    let text = with("10.0.0.0/24", true);
    assert!(text.contains("Each of 254 addresses of host `guests` has an HTB class"), "{text}");
    assert!(
        text.contains("of at most 4mbit down: its packets wait there, and no meter drops them."),
        "{text}"
    );
    assert!(text.contains("by the mark of its connection"), "{text}");
    assert!(text.contains("costs 254 classes, 254 filters of which a packet meets at most 1, and"), "{text}");
    let text = with("10.0.0.0/27", false);
    assert!(text.contains("by its address"), "{text}");
    assert!(text.contains("costs 30 classes, 30 filters of which a packet meets at most 1, and"), "{text}");
}
