//! Where every number of a result comes from, and which way was taken where there are several: what `explain` says.

mod classes;
mod classification;
mod human;
mod kernel;
mod line;
mod never;
pub mod packet;
mod packets;
mod queues;
mod rest;
mod row;
mod table;

pub use human::{Depth, human};
pub use row::{Component, Input, Row, Section, Told, Whence};
#[cfg(feature = "measure")]
pub(crate) use table::table as columns;

use crate::model::Model;
use crate::tc::Program;
use crate::units::Micros;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// All that there is to say of a configuration, in the order in which it is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The link's name.
    pub link: String,
    /// What belongs together.
    pub sections: Vec<Section>,
}

impl Explanation {
    /// A row by its id.
    #[must_use]
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.sections.iter().flat_map(|section| &section.rows).find(|row| row.id == id)
    }

    /// The names of the classes, in the order of the file.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().filter_map(|section| section.class.as_deref())
    }

    /// Only what is of a class and of the classes and hosts in it; `None` where there is no such class.
    #[must_use]
    pub fn only(&self, class: &str) -> Option<Explanation> {
        let own = self.sections.iter().filter(|section| section.class.as_deref() == Some(class));
        let sections: Vec<Section> = own.cloned().collect();
        (!sections.is_empty()).then(|| Explanation { link: self.link.clone(), sections })
    }
}

/// IP bytes of the packet whose serialization delay is shown beside that of a full one: a packet of a call.
pub const PACKET_SIZE: u32 = 200;

/// Times and sizes that some rows are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Round trip time of the bandwidth-delay products; CoDel's interval for `None`.
    pub rtt: Option<Micros>,
    /// IP bytes of the packet whose serialization delay is shown beside that of a full one.
    pub packet_size: u32,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { rtt: None, packet_size: PACKET_SIZE }
    }
}

/// Explains a model without errors and what it was lowered to. `rtt` is the round trip time that the bandwidth-delay
/// products are for.
#[must_use]
pub fn explain(model: &Model, program: &Program, rtt: Option<Micros>) -> Explanation {
    explain_for(model, program, Wanted { rtt, ..Wanted::default() })
}

/// The same, with a packet of another size.
#[must_use]
pub fn explain_for(model: &Model, program: &Program, wanted: Wanted) -> Explanation {
    let mut sections = vec![line::link(model), line::charge(model), packets::goodput(model, wanted)];
    sections.push(packets::line(model, wanted));
    sections.push(classes::htb(model, program));
    sections.extend(classes::classes(model, wanted));
    sections.extend(rest::police(model, program));
    sections.push(rest::router(model, program));
    let memory = rest::memory(model, &sections);
    sections.push(memory);
    sections.push(classification::classification(model, program));
    sections.push(rest::filters(program));
    sections.push(never::never(program));
    sections.retain(|section| !(section.rows.is_empty() && section.words.is_empty()));
    let mut explanation = Explanation { link: model.name.value.as_str().to_owned(), sections };
    attach(&mut explanation, kernel::told(program));
    resolve_inputs(&mut explanation);
    explanation
}

/// Puts to each row where the kernel is told it.
fn attach(explanation: &mut Explanation, told: Vec<(String, Told)>) {
    // many filters name one class
    let mut by_row: BTreeMap<String, BTreeSet<Told>> = BTreeMap::new();
    for (id, told) in told {
        by_row.entry(id).or_default().insert(told);
    }
    for row in explanation.sections.iter_mut().flat_map(|section| &mut section.rows) {
        row.told.extend(by_row.remove(&row.id).unwrap_or_default());
    }
}

/// Fills in what each row was computed from.
fn resolve_inputs(explanation: &mut Explanation) {
    let known: BTreeMap<String, (String, Whence)> = explanation
        .sections
        .iter()
        .flat_map(|section| &section.rows)
        .map(|row| (row.id.clone(), (row.value.clone(), row.from.clone())))
        .collect();
    for row in explanation.sections.iter_mut().flat_map(|section| &mut section.rows) {
        for id in &row.takes {
            if let Some((value, from)) = known.get(id) {
                row.inputs.push(Input { id: Some(id.clone()), value: value.clone(), from: from.clone() });
            }
        }
    }
}

/// The row of what a full packet is on the wire.
const PACKET: [&str; 1] = ["packet.full"];

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod inputs_tests;

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod kernel_tests;
