//! Origin of every number in a compilation, and the reason for each choice: the text of `explain`.

mod brief;
mod buffers;
mod classes;
mod classification;
mod devices;
mod drawn;
mod human;
mod line;
mod never;
pub mod packet;
mod packets;
mod queues;
mod rest;
mod row;
mod table;
mod wanted;

pub use brief::brief;
pub use human::human;
pub use row::{Component, ExplanationRow, ExplanationSection, Input, Whence};
pub use table::table as columns;
pub use wanted::{PACKET_SIZE, Wanted};

use qosc_compiler::model::Model;
use qosc_compiler::tc::Program;
use qosc_compiler::units::Micros;
use serde::Serialize;
use std::collections::BTreeMap;

/// Complete explanation of a configuration, in the order in which it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Explanation {
    /// Name of the link.
    pub link: String,
    /// Rows grouped by subject.
    pub sections: Vec<ExplanationSection>,
}

impl Explanation {
    /// Returns the row with this id.
    #[must_use]
    pub fn row(&self, id: &str) -> Option<&ExplanationRow> {
        self.sections.iter().flat_map(|section| &section.rows).find(|row| row.id == id)
    }

    /// Returns the names of the classes, in the order of the file.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().filter_map(|section| section.class.as_deref())
    }

    /// Returns only the sections on this class, or `None` if there is no such class.
    #[must_use]
    pub fn only(&self, class: &str) -> Option<Explanation> {
        let own = self.sections.iter().filter(|section| section.class.as_deref() == Some(class));
        let sections: Vec<ExplanationSection> =
            own.map(|section| ExplanationSection { is_repeated: false, ..section.clone() }).collect();
        (!sections.is_empty()).then(|| Explanation { link: self.link.clone(), sections })
    }
}

/// Explains a model without errors and its program. `rtt` is the round trip time for the bandwidth-delay products.
#[must_use]
pub fn explain(model: &Model, program: &Program, rtt: Option<Micros>) -> Explanation {
    explain_for(model, program, Wanted { rtt, ..Wanted::default() }, None)
}

/// Explains a model, with a choice of the small packet's size. If the caller needs only the section on one class,
/// the sections on most other classes lack rows.
#[must_use]
pub fn explain_for(model: &Model, program: &Program, wanted: Wanted, only: Option<&str>) -> Explanation {
    let mut sections = vec![line::link(model), line::charge(model), packets::goodput(model, wanted)];
    sections.push(packets::on_the_line(model, wanted));
    sections.push(classes::htb(model, program));
    sections.extend(classes::classes(model, wanted, only));
    sections.push(devices::devices(model, program));
    sections.extend(rest::police(model, program));
    sections.push(rest::router(model, program));
    sections.push(buffers::buffers(model));
    let memory = rest::memory(model, &sections);
    sections.push(memory);
    sections.push(classification::classification(model, program));
    sections.push(rest::filters(program));
    sections.push(never::never(program));
    sections.retain(|section| !(section.rows.is_empty() && section.words.is_empty()));
    let mut explanation = Explanation { link: model.name.value.as_str().to_owned(), sections };
    resolve_inputs(&mut explanation);
    explanation
}

/// Adds to each row the values that it was computed from.
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

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "inputs_tests.rs"]
mod inputs_tests;

#[cfg(test)]
mod kernel_tests;
