//! Properties of every random tree that resolves without an error.

#![cfg(test)]

use proptest::prelude::{BoxedStrategy, Just, ProptestConfig, Strategy, any, prop, prop_oneof, proptest};
use qosc_compiler::compile::{Options, Stage};
use qosc_compiler::derive::{BORROWING, LEAST_RATE, borrows};
use qosc_compiler::diag::Code;
use qosc_compiler::model::{Class, Direction, Model, PerDirection, Shape};
use qosc_compiler::terms::limits::RATE;
use qosc_compiler::units::Rate;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A class as written: its guarantees as parts of 1000, its ceiling in percent, and its children.
#[derive(Debug, Clone)]
struct Written {
    guarantee: Option<(u32, u32)>,
    ceiling: Option<u32>,
    matched: bool,
    children: Vec<Written>,
}

fn written(depth: u32) -> BoxedStrategy<Written> {
    let children = if depth == 0 {
        Just(Vec::new()).boxed()
    } else {
        prop_oneof![
            2 => Just(Vec::new()),
            1 => prop::collection::vec(written(depth - 1), 1..5),
        ]
        .boxed()
    };
    (any::<Option<(u16, u16)>>(), prop::option::of(60u32..=100), any::<bool>(), children)
        .prop_map(|(guarantee, ceiling, matched, children)| Written {
            guarantee: guarantee.map(|(up, down)| (u32::from(up) % 1000, u32::from(down) % 1000)),
            ceiling,
            matched,
            children,
        })
        .boxed()
}

/// Writes the tree as YAML. With `honest`, the guarantees of siblings add up to less than that of their parent.
fn print(list: &[Written], indent: usize, honest: bool, next: &mut u32, out: &mut String) {
    let sums = list.iter().filter_map(|class| class.guarantee);
    let (up, down) = sums.fold((1, 1), |(up, down), (u, d)| (up + u, down + d));
    for class in list {
        *next += 1;
        let pad = " ".repeat(indent);
        writeln!(out, "{pad}c{next}:").unwrap();
        if let Some((u, d)) = class.guarantee {
            // The guarantees take nine tenths of the parent, so that something is left for the others.
            let part = |of: u32, sum: u32| if honest { of * 90_000 / sum } else { of * 60 };
            let (u, d) = (part(u, up), part(d, down));
            let percent = |n: u32| format!("{}.{:03}%", n / 1000, n % 1000);
            writeln!(out, "{pad}  guarantee: {{ up: {}, down: {} }}", percent(u), percent(d)).unwrap();
        }
        if let Some(ceiling) = class.ceiling {
            writeln!(out, "{pad}  ceiling: {ceiling}%").unwrap();
        }
        if class.matched {
            writeln!(out, "{pad}  match: [{{ protocol: tcp, remote_port: {next} }}]").unwrap();
        }
        if class.children.is_empty() {
            writeln!(out, "{pad}  priority: {}", *next % 8).unwrap();
        } else {
            writeln!(out, "{pad}  classes:").unwrap();
            print(&class.children, indent + 4, honest, next, out);
        }
    }
}

fn text(tree: &[Written], up: u64, down: u64, honest: bool) -> String {
    let mut out =
        format!("link: {{ device: eth0, profile: vdsl2-pppoe, up: {up}bit, down: {down}bit }}\nclasses:\n");
    writeln!(out, "  rest: {{ default: true }}").unwrap();
    print(tree, 2, honest, &mut 0, &mut out);
    out
}

fn compile(text: &str) -> (Option<Model>, Vec<Code>) {
    let compiled = qosc_compiler::compile(text, &Options::of("home.yaml").last(Stage::Model));
    let errors = compiled.errors().map(|finding| finding.code).collect();
    (compiled.model, errors)
}

/// Checks the classes of a parent that has these rates.
fn holds(
    list: &[Class],
    guarantee: &PerDirection<Rate>,
    ceiling: &PerDirection<Rate>,
    ids: &mut BTreeSet<u16>,
) {
    for direction in [Direction::Up, Direction::Down] {
        let rates = list.iter().map(|class| class.guarantee.get(direction).value);
        let sum: Rate = rates.filter(|rate| !borrows(*rate)).sum();
        assert!(sum <= *guarantee.get(direction), "{sum} in {}", guarantee.get(direction));
    }
    for class in list {
        for direction in [Direction::Up, Direction::Down] {
            let own = class.guarantee.get(direction).value;
            let most = class.ceiling.get(direction).value;
            let least = if borrows(own) { BORROWING } else { LEAST_RATE };
            assert!(least <= own && own <= most, "{}: {own} to {most}", class.name);
            assert!(most <= *ceiling.get(direction), "{}: {most}", class.name);
            let scheduling = class.scheduling.get(direction);
            assert!(scheduling.burst.value <= scheduling.cburst.value, "{}", class.name);
        }
        assert!(ids.insert(class.id.value.0), "{} has the id of another", class.name);
        if let Shape::Inner(children) = &class.shape {
            let rates = |of: &PerDirection<qosc_compiler::model::Val<Rate>>| PerDirection {
                up: of.up.value,
                down: of.down.value,
            };
            holds(children, &rates(&class.guarantee), &rates(&class.ceiling), ids);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn child_rates_stay_within_those_of_the_parent(
        tree in prop::collection::vec(written(4), 0..6),
        up in 100_000_000u64..20_000_000_000,
        down in 100_000_000u64..20_000_000_000,
    ) {
        let text = text(&tree, up, down, true);
        let (model, errors) = compile(&text);
        let model = model.unwrap();
        // A share of a share can be too small, there can be a second rest class, and a ceiling can be below the
        // guarantee.
        let expected = [Code::RateTooLow, Code::NothingLeft, Code::SecondRest, Code::CeilingBelowGuarantee];
        for code in &errors {
            let in_what_borrows = *code == Code::GuaranteeAboveParent && text.contains(": 0.000%");
            assert!(expected.contains(code) || in_what_borrows, "{code}:\n{text}");
        }
        if errors.is_empty() {
            let rates = PerDirection { up: model.link.tree.up.value, down: model.link.tree.down.value };
            holds(&model.classes, &rates, &rates, &mut BTreeSet::new());
            let defaults = model.leaves().into_iter().filter(|class| {
                matches!(&class.shape, Shape::Leaf(leaf) if leaf.default)
            });
            assert_eq!(defaults.count(), 1);
        }
    }

    /// A tree whose guarantees need not add up is either refused, or satisfies the same conditions.
    #[test]
    fn guarantees_that_do_not_add_up_are_rejected(
        tree in prop::collection::vec(written(2), 1..5),
        rate in 1_000_000u64..1_000_000_000,
    ) {
        let text = text(&tree, rate, rate, false);
        let (model, errors) = compile(&text);
        let model = model.unwrap();
        if errors.is_empty() {
            let rates = PerDirection { up: model.link.tree.up.value, down: model.link.tree.down.value };
            holds(&model.classes, &rates, &rates, &mut BTreeSet::new());
        }
    }

    /// If all values can be read, resolving fails by findings alone.
    #[test]
    fn any_rates_are_resolved_or_rejected(up in 1..=RATE.most, down in 1..=RATE.most, percent in 0u32..=100) {
        let text = format!(
            "link: {{ device: eth0, profile: adsl-pppoe-llc, up: {up}bit, down: {down}bit, margin: {percent}% }}\n\
             classes: {{ preset: home }}\n\
             police: {{ p: {{ direction: up, match: [{{ protocol: gre }}], rate: {percent}%, bypass: true }} }}\n"
        );
        let (_, errors) = compile(&text);
        let expected = [Code::RateTooLow, Code::NothingLeft, Code::BypassAboveLink];
        assert!(errors.iter().all(|code| expected.contains(code)), "{errors:?}");
    }
}
