//! Compares tunnels, policers and expectations.

use super::change::{At, Change, ChangeKind, Comparison};
use super::fact::facts;
use super::price::any_field;
use super::section::{Object, Pair, written};
use super::side::{Renamed, Side};
use crate::diff::Price;
use qosc_compiler::diag::Span;
use qosc_compiler::model::{Alternative, Exceed, Expect, FileSection, Load, Police, Tunnel};
use serde_json::{Value, json};

impl Object for Tunnel {
    const AREA: FileSection = FileSection::Tunnels;

    fn name(&self) -> &str {
        &self.name
    }

    fn span(&self) -> Span {
        self.span
    }

    fn key(&self, side: &Side<'_>, _renamed: &Renamed<'_>) -> String {
        written(&self.view(side, self))
    }

    fn summary(&self, side: &Side<'_>) -> Option<String> {
        Some(summary(&self.view(side, self)))
    }

    fn view(&self, _side: &Side<'_>, _other: &Self) -> Value {
        json!({
            "kind": self.kind,
            "device": self.device,
            "remote": self.remote,
            "port": self.port,
            "mtu": self.mtu,
            "inner": self.inner.value,
            "nat": self.nat.value.then_some(true),
        })
    }
}

impl Object for Police {
    const AREA: FileSection = FileSection::Police;

    fn name(&self) -> &str {
        &self.name
    }

    fn span(&self) -> Span {
        self.span
    }

    fn matches(&self) -> &[Alternative] {
        &self.matches
    }

    fn summary(&self, _side: &Side<'_>) -> Option<String> {
        Some(format!("{} at {}", self.direction.as_str(), self.rate.value))
    }

    fn price(_pair: &Pair<'_>, old: Option<&Self>, _new: Option<&Self>) -> Price {
        Price::in_place(match old {
            None => "filters ahead of the tree are added",
            Some(_) => "its filters are deleted",
        })
    }

    fn view(&self, side: &Side<'_>, _other: &Self) -> Value {
        let exceed = match self.exceed {
            Exceed::Drop => "drop".to_owned(),
            Exceed::Reclassify(class) => format!("reclassify {}", side.class(class)),
        };
        json!({
            "direction": self.direction,
            "rate": { "value": self.rate, "asked": self.asked },
            "burst": self.burst,
            "exceed": exceed,
            "bypass": self.bypass,
        })
    }
}

/// Records the expectations that were removed and added. An expectation has no name, so only its text counts.
pub(super) fn expect(found: &mut Comparison, pair: &Pair<'_>) {
    let (olds, news) = (expectations(&pair.old), expectations(&pair.new));
    let mut record = |kind, (text, line): &(String, Option<u32>)| {
        let place = At { area: FileSection::Expect, name: "", line: *line };
        let text = |of| (kind == of).then(|| text.clone());
        let (old, new) = (text(ChangeKind::Removed), text(ChangeKind::Added));
        let change = place.change(kind, Price::in_place(any_field(place.area)));
        found.changes.push(Change { old, new, ..change });
    };
    let only_in = |other: &[(String, Option<u32>)], text: &str| other.iter().all(|(own, _)| own != text);
    olds.iter().filter(|(text, _)| only_in(&news, text)).for_each(|own| record(ChangeKind::Removed, own));
    news.iter().filter(|(text, _)| only_in(&olds, text)).for_each(|own| record(ChangeKind::Added, own));
}

/// Returns the expectations of a configuration as text, with their lines.
fn expectations(side: &Side<'_>) -> Vec<(String, Option<u32>)> {
    let text = |expect: &Expect| {
        let mut text = summary(&json!({
            "load": (expect.load != Load::None).then_some(expect.load),
            "from": expect.from.and_then(|index| side.host(index)),
            "class": expect.class.map(|id| side.class(id)),
            "measure": expect.measure,
            "on": expect.on.and_then(|index| side.host(index)),
            "of": expect.of.map(|id| side.class(id)),
        }));
        expect.limits.iter().for_each(|limit| text += &format!(", {} {}", limit.kind.as_str(), limit.text));
        text
    };
    side.model.expect.iter().map(|expect| (text(expect), expect.span.own_line())).collect()
}

/// Returns the values of a view in one line.
fn summary(view: &Value) -> String {
    let texts = facts(view).into_iter().filter_map(|fact| Some(format!("{} {}", fact.label, fact.text()?)));
    texts.collect::<Vec<_>>().join(", ")
}
