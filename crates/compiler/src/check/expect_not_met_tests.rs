use super::not_met;
use crate::compile::{Options, compile};
use crate::diag::{Code, Format, Sources, render};
use crate::model::{LimitKind, LimitValue, Load, Measure, Model};
use std::collections::BTreeSet;
use strum::VariantArray;

const HOUSE: &str = "\
link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }
hosts: { ata: { address: 192.168.1.5 }, desk: { address: 192.168.1.10 } }
classes:
  voice: { priority: 1, guarantee: 400kbit, match: [{ host: ata }] }
  rest: { default: true, share: per-host }
expect:
";

fn house(expect: &str) -> (Model, Sources) {
    let compiled = compile(format!("{HOUSE}{expect}"), &Options::of("home.yaml"));
    assert!(!compiled.has_errors(), "{expect}");
    (compiled.model.unwrap(), compiled.sources)
}

/// Codes of the findings that are tested here.
pub(in crate::check) fn codes_of_samples() -> BTreeSet<Code> {
    let (model, _) = house("  - { load: upload, from: desk, measure: ping, on: ata, p99: 25ms }\n");
    let expect = &model.expect[0];
    [not_met(&model, expect, &expect.limits[0], "61.3ms").code].into()
}

/// Returns the whole text of a finding on a limit that was not met.
fn said(expect: &str, measured: &str) -> String {
    let (model, sources) = house(expect);
    let expect = &model.expect[0];
    let finding = not_met(&model, expect, &expect.limits[0], measured);
    render(&[finding], &sources, Format::Human { colour: false })
}

#[test]
fn findings_state_the_measurement_and_possible_changes() {
    let text = [
        said("  - { load: upload, from: desk, measure: ping, on: ata, p99: 25ms }\n", "61.3ms"),
        said("  - { load: flood-down, class: rest, measure: download, of: voice, share: 45.50% }\n", "12.1%"),
        said("  - { measure: stream-down, loss: 0% }\n", "3%"),
    ];
    crate::golden::assert_golden!(text.join("\n"));
}

#[test]
fn names_are_resolved_and_limits_are_sorted() {
    let (model, _) = house(
        "  - { rate: 2000kbit, measure: upload, load: both, share: 45.50%, on: ata, from: desk, class: rest, of: voice }\n  \
         - { measure: stream, jitter: 2 ms, p99: 0.025s, p50: 10ms, loss: 1%, max: 1s }\n",
    );
    let [first, second] = model.expect.as_slice() else { panic!() };
    let class = |name: &str| model.classes.iter().find(|class| class.name == name).unwrap().id.value;
    assert_eq!((first.load, first.from, first.class), (Load::Both, Some(1), Some(class("rest"))));
    assert_eq!((first.measure, first.on, first.of), (Measure::Upload, Some(0), Some(class("voice"))));
    let limits = |n: usize| -> Vec<String> {
        let limit = |limit: &crate::model::Limit| format!("{} {}", limit.kind.as_str(), limit.text);
        model.expect[n].limits.iter().map(limit).collect()
    };
    assert_eq!(limits(0), ["share 45.5%", "rate 2mbit"]);
    assert_eq!((second.load, second.from, second.on), (Load::None, None, None));
    assert_eq!(limits(1), ["p50 10ms", "p99 25ms", "max 1s", "jitter 2ms", "loss 1%"]);
    let LimitValue::Percent(share) = first.limits[0].value else { panic!() };
    assert_eq!(share.ppm(), 455_000);
    let json = serde_json::to_value(first).unwrap();
    assert_eq!((&json["load"], &json["measure"]), (&"both".into(), &"upload".into()));
    assert_eq!(json["limits"][1]["value"], serde_json::json!({ "rate": "2mbit" }));
}

#[test]
fn every_limit_kind_fits_a_measure() {
    let fits = |measure: Measure| LimitKind::VARIANTS.iter().filter(move |kind| kind.fits(measure)).count();
    assert_eq!(Measure::VARIANTS.iter().copied().map(fits).collect::<Vec<_>>(), [4, 5, 5, 3, 2, 2]);
    for kind in LimitKind::VARIANTS {
        assert!(Measure::VARIANTS.iter().any(|measure| kind.fits(*measure)), "{kind:?}");
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
}
