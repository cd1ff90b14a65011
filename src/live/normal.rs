//! Normal form of tc's output, identical to the script's `normal` to the byte. It omits counters, numbers that the
//! kernel assigns anew each time, and the flows that CAKE currently holds.

/// Appends a line in normal form, if anything is left of it.
pub(super) fn line(line: &str, out: &mut String) {
    // The script discards these messages.
    const COMPLAINTS: [&str; 5] = [
        "Error: ",
        "RTNETLINK answers: ",
        "We have an error talking to the kernel",
        "Cannot find ",
        "Command failed ",
    ];
    if COMPLAINTS.iter().any(|words| line.starts_with(words)) {
        return;
    }
    let mut text = line.to_owned();
    if let Some((from, to)) = find(&text, &CPMARK) {
        text =
            format!("{}cpmark{}", text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
    }
    for pattern in PATTERNS {
        if let Some((from, to)) = find(&text, pattern) {
            text = format!("{}{}", text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
        }
    }
    if text.starts_with("class cake ") {
        return;
    }
    let text = text.trim_end_matches([' ', '\t', '\r', '\u{b}', '\u{c}']);
    if !text.is_empty() {
        out.push_str(text);
        out.push('\n');
    }
}

/// One element of a pattern.
#[derive(Clone, Copy)]
enum Token {
    Text(&'static str),
    /// Any number of digits, also none.
    Digits,
    /// The rest of the line.
    Rest,
}

use Token::{Digits, Rest, Text};

/// Patterns that the script's `sed` removes, in its order. It removes only the first occurrence in a line.
const PATTERNS: [&[Token]; 7] = [
    &[Text(" refcnt "), Digits],
    &[Text(" direct_packets_stat "), Digits],
    &[Text(" (success "), Digits, Text(")")],
    &[Text(" (rule hit "), Digits, Text(" success "), Digits, Text(")")],
    &[Text("index "), Digits, Text(" ref"), Rest],
    &[Text("ref "), Digits, Text(" bind"), Rest],
    &[Text(" not_in_hw")],
];

/// Text before the `cpmark` of an action. The script removes it and keeps `cpmark`.
const CPMARK: [Token; 7] =
    [Text("index "), Digits, Text(" ref "), Digits, Text(" bind "), Digits, Text(" cpmark")];

/// Returns the first range of the line that fits the pattern.
fn find(line: &str, pattern: &[Token]) -> Option<(usize, usize)> {
    let Some(Text(first)) = pattern.first() else { return None };
    line.match_indices(first).find_map(|(at, _)| {
        let mut rest = line.get(at..)?;
        for part in pattern {
            rest = match part {
                Text(text) => rest.strip_prefix(text)?,
                Digits => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
                Rest => "",
            };
        }
        Some((at, line.len() - rest.len()))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn changing_counters_and_references_are_left_out() {
        let mut out = String::new();
        for line in [
            "qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 7 direct_qlen 1000 ",
            "filter protocol ip pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20 not_in_hw ",
            "  mark 0x12345678 0xffffffff (success 0)",
            "\taction order 1:  police 0x12d687 rate 4Mbit burst 300000b",
            "\tref 3 bind 3 ",
            "\tindex 1 ref 1 bind 1",
            "\t index 7 ref 1 bind 1 cpmark 0xff000000",
            "",
            "class cake c05:b87 parent c05: ",
            "Error: Parent Qdisc doesn't exists.",
        ] {
            super::line(line, &mut out);
        }
        assert_eq!(
            out,
            "qdisc htb c05: root r2q 10 default 0 direct_qlen 1000\n\
             filter protocol ip pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20\n  \
             mark 0x12345678 0xffffffff\n\taction order 1:  police 0x12d687 rate 4Mbit burst 300000b\n\t \
             cpmark 0xff000000\n"
        );
    }
}
