#![doc = include_str!("../../../../docs/rules/Q0513.md")]

use crate::diag::{Code, Diagnostic, Span, and_ticked};
use crate::model::{Marks, Model, Needed, mark_users};

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let marks = model.marks.as_ref()?;
    let tools = mark_users(marks.mask.value);
    if tools.is_empty() {
        return None;
    }
    let finding = match marks.mask.span() {
        Some(place) => {
            let message = format!("`mark_mask` has bits that {} may use too", and_ticked(tools));
            Diagnostic::new(Code::MarksOfOtherTools, place, message)
                .label(format!("{:#010x}", marks.mask.value))
                .help("write bits from 24 on, such as `mark_mask: 0xff000000`, or leave `mark_mask` out")
        }
        None => {
            let mut takers = takers(marks).map(|(place, bits)| (place, format!("takes {bits:#010x}")));
            let (place, label) = takers.next()?;
            let message = format!("this match needs mark bits that {} may use too", and_ticked(tools));
            let help = match dscp(model) {
                None => "match fewer hosts or DSCPs",
                Some(place) if place.own_line().is_some() => {
                    "write `direction: up` in each match of a `dscp`: downloads then need no bits for the DSCP"
                }
                Some(_) => {
                    "write the classes of the preset into the file, as `qosc profiles PRESET` prints them, with \
                     `direction: up` in each match of a `dscp`: downloads then need no bits for the DSCP"
                }
            };
            Diagnostic::new(Code::MarksOfOtherTools, place, message)
                .label(label)
                .also_at(takers)
                .help(help)
                .help("or write bits that nothing on your router uses as `tuning: { mark_mask: BITS }`")
        }
    };
    Some(finding.help("if the router runs none of these, suppress the finding with `# qosc: allow(Q0513)`"))
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
fn takers(marks: &Marks) -> impl Iterator<Item = (Span, u32)> {
    let fields = [
        (Needed::Address, marks.address.as_ref().map(|field| field.bits.value)),
        (Needed::Mac, marks.mac.as_ref().map(|field| field.bits.value)),
        (Needed::Port, marks.port.as_ref().map(|field| field.bits.value)),
        (Needed::Dscp, marks.dscp.as_ref().map(|field| field.bits.value)),
        (Needed::Mark, marks.flag.as_ref().map(|flag| flag.bit.value)),
    ];
    let taken = |(kind, bits): (Needed, Option<u32>)| {
        let known = (0..32).map(|bit| 1 << bit).filter(|bit| !mark_users(*bit).is_empty());
        let known = known.fold(0, |all, bit| all | bit) & bits?;
        let need = marks.needs.iter().find(|need| need.kind == kind)?;
        (known != 0).then_some((need.span, known))
    };
    fields.into_iter().filter_map(taken)
}

#[cfg(test)]
#[path = "marks_of_other_tools_tests.rs"]
mod tests;
