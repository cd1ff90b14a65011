//! Section on mistakes of hand-written tc scripts that cannot happen here, with the reasons.

use super::row::Section;
use crate::tc::{Program, QdiscKind};

/// Returns the section, with a line for each mistake.
pub(super) fn never(program: &Program) -> Section {
    let mut section = Section::new("what cannot happen here", Vec::new());
    let htb = program.qdiscs.iter().any(|qdisc| matches!(qdisc.kind, QdiscKind::Htb { .. }));
    if htb {
        let quanta = program.classes.iter().map(|class| class.quantum);
        let (least, most) = (quanta.clone().min().unwrap_or_default(), quanta.max().unwrap_or_default());
        let here = if least == most { least.to_string() } else { format!("{least} to {most}") };
        section.words.push(format!(
            "a quantum that is too small or too big, and the kernel's warning of r2q: HTB computes none, each class is given \
             its own, {here} bytes here, and none is below a full frame"
        ));
    }
    section.words.push(
        "flows that change their queue and are reordered, as by sfq's perturbation: there is no sfq, and neither fq_codel \
         nor CAKE hashes anew"
            .to_owned(),
    );
    section.words.push(
        "ECN bits that are read as a part of the old TOS, as pfifo_fast does: every leaf has a queue of ours, and what \
         looks at the DSCP looks at its six bits"
            .to_owned(),
    );
    section.words.push(
        "overhead that is counted twice, or subtracted twice: HTB's classes add the overhead above IP less the bytes that the \
         device counts. If that is below zero, a size table at the root subtracts it, and the classes add nothing. A CAKE \
         subtracts the device's Ethernet header itself; below a size table, its overhead gives back these 14 bytes"
            .to_owned(),
    );
    section
}
