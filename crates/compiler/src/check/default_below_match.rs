#![doc = include_str!("../../../../docs/rules/Q0427.md")]

use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Class, Model};

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    // parents come first, so this is the outermost one
    let mut matched = model.classes().into_iter().filter(|class| class.matches.is_some());
    let (parent, default) = matched.find_map(|class| Some((class, default_in(class)?)))?;
    let (own, above) = (ticked(&default.name), ticked(&parent.name));
    let message = format!("default class {own} takes packets that class {above} does not match");
    let finding = Diagnostic::new(Code::DefaultBelowMatch, default.span, message)
        .label(format!("its rates are within those of {above}, for all packets without a match"))
        .also(parent.span, "matches only some packets")
        .help(format!("leave `default` out here: {own} then gets the rest of the packets of {above}"))
        .help(format!("write a default class beside {above}, such as `rest: {{ default: true }}`"));
    default.span.is_own().then_some(finding)
}

/// Returns the default class inside a class.
fn default_in(class: &Class) -> Option<&Class> {
    class.children().iter().find_map(|own| if own.is_default() { Some(own) } else { default_in(own) })
}
