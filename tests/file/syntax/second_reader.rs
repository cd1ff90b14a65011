//! serde_yaml as the second reader: it reads everything that we accept as the same tree.

use super::agreement;
use super::read::{raw, tree};
use proptest::prelude::*;

/// Asserts that serde_yaml reads a text that we accept as we do. Returns false if we do not accept it.
fn agree(text: &str) -> bool {
    let (_, found) = raw(text);
    if !found.is_empty() {
        return false;
    }
    agreement::agree(&tree(text).0.unwrap(), text);
    true
}

/// Scalars, most of which some reader takes for something else.
const SCALARS: &[&str] = &[
    "&. _.",
    "a:?b",
    "1_000",
    "~",
    "null",
    "Null",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    "Yes",
    "NO",
    "true",
    "True",
    "false",
    "FALSE",
    "010",
    "0o10",
    "0b11",
    "0x10",
    "0X10",
    "0x1_0",
    "-0x10",
    "+5",
    "-5",
    "-0",
    "0",
    "00",
    "08",
    "7",
    "42",
    "1e3",
    "1E3",
    "1e+3",
    "1.5",
    "1.50",
    ".5",
    "5.",
    "+.5",
    "-.5",
    "1.5e3",
    "1_0.5",
    ".inf",
    "-.inf",
    ".nan",
    ".NAN",
    "inf",
    "nan",
    "Infinity",
    "12:30:45",
    "1:30",
    "190:20:30",
    "2026-01-31",
    "2026-1-1",
    "2026-01-31T10:00:00Z",
    "=",
    "<<",
    "a",
    "a b",
    "a: b",
    "a#b",
    "ef",
    "cs1",
    "53",
    "5060-5061",
    "10ms",
    "6.5mbit",
    "20%",
    "<128",
    "192.168.1.5",
    "::10/-64",
    "2001:db8::1",
    "fe80::1",
    "02:00:5e:10:00:01",
    "0x10/0xff",
    "99999999999999999999",
    "0xffffffffffffffffff",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "-9223372036854775809",
    "1__0",
    "_1",
    "1_",
    "0_",
    "0x",
    "0o",
    "0b2",
    "e3",
    "1e",
    "1.2.3",
    "-",
    "--",
    "-a",
    "?a",
    ":a",
    ".",
    "..",
    "é",
    "a\u{a0}b",
    "\u{feff}a",
];

/// Places for a scalar: texts in which `@` stands for it.
const PLACES: &[&str] = &[
    "link: { device: @, up: 6mbit, down: 25mbit }\n",
    "link: { device: ppp0, up: @, down: 25mbit }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit, profile: @ }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit, mtu: @, overhead: 0, mpu: 0 }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit, overhead: @ }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit, margin: @ }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit, trust_dscp: @ }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit, ingress: @ }\n",
    "name: @\nlink: { device: ppp0, up: 6mbit, down: 25mbit }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nhosts: { @: { address: 192.168.1.5 } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nhosts:\n  @: { address: 192.168.1.5, class: @ }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nhosts: { desk: { address: @, mac: 02:00:5e:10:00:01 } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nhosts: { desk: { address: 192.168.1.5, mac: @ } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { @: { priority: 0 } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { preset: @ }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { priority: @, id: 0x10 } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { id: @, default: true } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { default: @, guarantee: 20% } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { match: [{ host: @ }] } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { match: [{ host: [@, b] }] } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses:\n  a:\n    match:\n    - port: @\n      protocol: udp\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { match: [{ dscp: @ }] } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { match: [{ mark: @ }] } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { match: [{ protocol: @ }] } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { match: [{ length: @ }] } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { queue: { memory: @, target: 5ms } } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nclasses: { a: { queue: { flows: 512, target: @ } } }\n",
    "link: { device: ppp0, up: 6mbit, down: 25mbit }\nexpect: [{ measure: ping, on: @, p99: 25ms }]\n",
];

#[test]
fn a_second_yaml_reader_agrees_on_accepted_scalars() {
    let mut accepted = 0;
    for place in PLACES {
        for scalar in SCALARS {
            accepted += usize::from(agree(&place.replace('@', scalar)));
            assert!(!place.contains("hosts: { @") || agree(&place.replace('@', "\"~\"")), "quotes help");
        }
    }
    assert!(accepted > 100, "only {accepted} texts were accepted");
}

#[test]
fn ambiguous_scalars_are_rejected_where_the_value_matters() {
    for scalar in
        ["1_000", "~", "null", "yes", "off", "010", "0o10", "1e3", ".inf", "1.10", "true", "2026-01-31"]
    {
        let name = format!("link: {{ device: a, up: 6mbit, down: 25mbit }}\nclasses: {{ {scalar}: {{}} }}\n");
        assert_eq!(raw(&name).1[0].code.as_str(), "Q0107", "{scalar}");
        let quoted = name.replace(&format!("{{ {scalar}:"), &format!("{{ \"{scalar}\":"));
        assert_eq!(raw(&quoted).1, [], "{scalar}");
        let number = format!("link: {{ device: a, up: 6mbit, down: 25mbit, mtu: {scalar} }}\n");
        assert!(!raw(&number).1.is_empty(), "{scalar}");
    }
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(SCALARS).prop_map(str::to_owned),
        2 => "[a-z]{1,6}",
        2 => "[-+.0-9_eExob:]{1,8}",
        1 => "'[ -~]{0,8}'",
        1 => "\"[a-zA-Z0-9 #:,é]{0,8}\"",
        1 => "[ -~]{1,8}",
    ]
}

/// The lines of an accepted document, in all styles of YAML.
const LINES: &[&str] = &[
    "---",
    "# a comment",
    "",
    "link:",
    "  device: ppp0",
    "  up: 6.5mbit # note",
    "  down:   25mbit",
    "  \"mtu\": 1492",
    "  margin: {up: 3%, 'down': 5%}",
    "  margin: { up: 3%,\n    down: 5% }",
    "lan: { device: [br-lan, 'br-guest',] }",
    "hosts:",
    "  desk: {address: [192.168.1.10, \"2001:db8::10\"]}",
    "  tv:\n    address:\n    - 192.168.1.20\n    - 192.168.1.21",
    "  ? radio\n  : address: 192.168.1.22",
    "  'a ''b''': {\"address\":192.168.1.23}",
    "  long\n: {}",
    "classes:",
    "  voice: &v\n    priority: 0\n    match:\n      - dscp: ef\n      -   protocol: udp\n          port: [53, 5060-5061]",
    "  games: *v",
    "  rest: {}",
    "  web: { match: [ {host: desk}, { length: <128 } ] }",
    "  bulk: {default: true, guarantee: 5%}",
    "tuning: {ecn: false}",
    "expect:",
    "- {load: upload, on: desk, measure: ping, p99: 25ms}",
    "- on: >-\n    a\n    b\n  measure: fetch\n  p99: |-\n    25ms",
    "...",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_second_yaml_reader_agrees_on_any_scalar(place in prop::sample::select(PLACES), scalar in scalar()) {
        agree(&place.replace('@', &scalar));
    }

    #[test]
    fn a_second_yaml_reader_agrees_on_any_document(lines in prop::sample::subsequence(LINES, 0..LINES.len()), cr in any::<bool>()) {
        let text = lines.join("\n") + "\n";
        agree(&if cr { text.replace('\n', "\r\n") } else { text });
    }

    /// A document with a piece inserted, which may replace a character.
    #[test]
    fn a_second_yaml_reader_agrees_on_any_typing_error(
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(&[" ", "\n", "\t", ":", ": ", "- ", "'", "\"", "#", " #", ",", "[", "]", "{", "}", "&a ", "!", "|", ">", "?", "%", "é", "\u{85}", "\u{a0}"][..]),
        remove in 0..2usize,
    ) {
        let text = LINES.iter().filter(|l| !l.starts_with("  long") && !l.starts_with("...")).copied().collect::<Vec<_>>().join("\n");
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        let slip: String = chars[..at].iter().chain(&piece.chars().collect::<Vec<_>>()).chain(&chars[(at + remove).min(chars.len())..]).collect();
        agree(&slip);
    }
}
