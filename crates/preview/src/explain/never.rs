//! Section on mistakes of hand-written tc scripts that cannot happen here, with the reasons.

use super::row::ExplanationSection;
use qosc_compiler::tc::{Program, QdiscKind};

/// The section, a sentence for each mistake.
pub(super) fn never(program: &Program) -> ExplanationSection {
    let mut section = ExplanationSection::new("what cannot happen here", Vec::new());
    let htb = program.qdiscs.iter().any(|qdisc| matches!(qdisc.kind, QdiscKind::Htb { .. }));
    if htb {
        let quanta = program.classes.iter().map(|class| class.quantum);
        let (least, most) = (quanta.clone().min().unwrap_or_default(), quanta.max().unwrap_or_default());
        let here = if least == most { least.to_string() } else { format!("{least} to {most}") };
        section.words.push(format!(
            "a quantum that is too small or too large, with the kernel's warning about r2q: the script gives every class \
             a quantum, here {here} bytes, and none is below a full frame"
        ));
    }
    section.words.push(
        "flows that are rehashed and reordered, as by the perturbation of sfq: there is no sfq, and neither fq_codel nor \
         CAKE rehashes"
            .to_owned(),
    );
    section.words.push(
        "ECN bits that are read as part of the old TOS byte, as by pfifo_fast: every leaf class has its own queue, and \
         every match of the DSCP reads only its six bits"
            .to_owned(),
    );
    section.words.push(
        "overhead that is counted twice or subtracted twice: HTB classes add the overhead above IP less the bytes that the \
         device counts. If the result is negative, a size table at the root subtracts it, and the classes add nothing. CAKE \
         subtracts the device's Ethernet header itself; below a size table, its overhead adds these 14 bytes again"
            .to_owned(),
    );
    section
}
