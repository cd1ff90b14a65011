#![doc = include_str!("../rules/Q0513.md")]

use super::Rule;
use crate::diag::{Code, Diagnostic, Sink, Span, and_ticked};
use crate::model::{FileSection, Marks, Model, Needed, mark_users};

pub(super) const RULE: Rule = Rule {
    name: "marks-of-other-tools",
    codes: &[Code::MarksOfOtherTools],
    sections: &[
        FileSection::Link,
        FileSection::Lan,
        FileSection::Hosts,
        FileSection::Classes,
        FileSection::Police,
        FileSection::Tuning,
    ],
    run: Some(run),
};

fn run(model: &Model, sink: &mut Sink) {
    let Some(marks) = &model.marks else { return };
    let tools = mark_users(marks.mask.value);
    if tools.is_empty() {
        return;
    }
    let finding = match marks.mask.span() {
        Some(place) => {
            let message = format!("`mark_mask` has bits that {} may use too", and_ticked(tools));
            Diagnostic::new(Code::MarksOfOtherTools, place, message)
                .label(format!("{:#010x}", marks.mask.value))
                .help("write bits from 24 on, such as `mark_mask: 0xff000000`, or leave `mark_mask` out")
        }
        None => {
            let mut takers = takers(marks).into_iter();
            let Some((place, bits)) = takers.next() else { return };
            let message = format!("this match needs mark bits that {} may use too", and_ticked(tools));
            let finding =
                Diagnostic::new(Code::MarksOfOtherTools, place, message).label(format!("takes {bits:#010x}"));
            let finding =
                takers.fold(finding, |all, (place, bits)| all.also(place, format!("takes {bits:#010x}")));
            let finding = match dscp(model) {
                None => finding.help("match fewer hosts or DSCPs"),
                Some(place) if place.own_line().is_some() => finding.help(
                    "write `direction: up` in each match of a `dscp`: downloads then need no bits for the DSCP",
                ),
                Some(_) => finding.help(
                    "write the classes of the preset into the file, as `qosc profiles PRESET` prints them, with \
                     `direction: up` in each match of a `dscp`: downloads then need no bits for the DSCP",
                ),
            };
            finding.help("or write bits that nothing on your router uses as `tuning: { mark_mask: BITS }`")
        }
    };
    sink.push(
        finding.help("if the router runs none of these, suppress the finding with `# qosc: allow(Q0513)`"),
    );
}

/// First match of a DSCP that needs bits but would also work without downloads.
fn dscp(model: &Model) -> Option<Span> {
    model.marks.as_ref()?.dscp.as_ref()?;
    let alternatives = model.alternatives();
    let mut matched =
        alternatives.iter().filter(|(direction, own)| direction.is_none() && !own.dscp.is_empty());
    matched.next().map(|(_, own)| own.span)
}

/// Uses of mark bits that other programs use, too: the first place in the file, and those bits.
fn takers(marks: &Marks) -> Vec<(Span, u32)> {
    let fields = [
        (Needed::Address, marks.address.as_ref().map(|field| field.bits.value)),
        (Needed::Mac, marks.mac.as_ref().map(|field| field.bits.value)),
        (Needed::Dscp, marks.dscp.as_ref().map(|field| field.bits.value)),
        (Needed::Mark, marks.flag.as_ref().map(|flag| flag.bit.value)),
    ];
    let of = |(kind, bits): (Needed, Option<u32>)| {
        let known = (0..32).map(|bit| 1 << bit).filter(|bit| !mark_users(*bit).is_empty());
        let known = known.fold(0, |all, bit| all | bit) & bits?;
        let need = marks.needs.iter().find(|need| need.kind == kind)?;
        (known != 0).then_some((need.span, known))
    };
    fields.into_iter().filter_map(of).collect()
}

#[cfg(test)]
#[path = "marks_of_other_tools_tests.rs"]
mod tests;
