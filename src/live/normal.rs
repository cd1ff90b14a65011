//! The normal form of what tc shows: the script's `normal`, to the byte. Without counters, without numbers that the
//! kernel deals out anew each time, and without the flows that a CAKE holds at the moment.

/// Adds a line in normal form, if anything of it is left.
pub(super) fn line(line: &str, out: &mut String) {
    // What the script sends to nowhere.
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

/// A part of a pattern.
#[derive(Clone, Copy)]
enum Token {
    Text(&'static str),
    /// Digits, or none.
    Digits,
    /// Everything to the end of the line.
    Rest,
}

use Token::{Digits, Rest, Text};

/// What the script's `sed` takes away, in its order, the first of each in a line.
const PATTERNS: [&[Token]; 7] = [
    &[Text(" refcnt "), Digits],
    &[Text(" direct_packets_stat "), Digits],
    &[Text(" (success "), Digits, Text(")")],
    &[Text(" (rule hit "), Digits, Text(" success "), Digits, Text(")")],
    &[Text("index "), Digits, Text(" ref"), Rest],
    &[Text("ref "), Digits, Text(" bind"), Rest],
    &[Text(" not_in_hw")],
];

/// What stands before what an action gives back to marks, which stays.
const CPMARK: [Token; 7] =
    [Text("index "), Digits, Text(" ref "), Digits, Text(" bind "), Digits, Text(" cpmark")];

/// The first place at which a pattern fits.
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
    fn what_changes_by_itself_is_left_out() {
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
