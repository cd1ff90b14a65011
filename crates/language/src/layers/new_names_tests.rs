use crate::diag::{Sink, Sources};
use crate::layers::fixture::tree;
use crate::layers::merged;

/// Returns the message and the first help of each finding of a link with a variant.
fn found(text: &str, variant: Option<&str>) -> Vec<String> {
    let (mut sources, mut sink) = (Sources::default(), Sink::default());
    drop(merged(tree(text), Some("lte"), variant, &mut sources, &mut sink));
    let help = |own: &crate::diag::Diagnostic| own.help.first().cloned().unwrap_or_default();
    sink.iter().map(|own| format!("{}: {}", own.message, help(own))).collect()
}

fn file(link: &str, night: &str) -> String {
    format!(
        "links: {{ lte: {{ device: wwan0, {link} }} }}
hosts: {{ tv: {{ address: 192.0.2.1 }} }}
templates: {{ office: {{ classes: {{ calls: {{}}, mail: {{}} }} }} }}
classes: {{ preset: home, work: {{ template: office }} }}
variants: {{ night: {{ when: \"23:00-06:00\", set: {{ {night} }} }} }}
"
    )
}

#[test]
fn a_name_that_a_lower_layer_has_is_no_finding() {
    let link =
        "classes: { voice: { ceiling: 5% }, work: { classes: { calls: null, mail: { priority: 1 } } } }";
    let night = "classes: { voice: null, bulk: { priority: 7 } }, police: { guests: {} }";
    assert_eq!(found(&file(link, night), Some("night")), [""; 0]);
}

#[test]
fn a_misspelt_name_is_told_in_each_layer_and_at_each_depth() {
    let text = file(
        "hosts: { tvv: {} }, classes: { work: { classes: { cals: {} } } }",
        "classes: { vioce: {}, xyz: {} }",
    );
    let of_link = [
        "link `lte` names host `tvv`, which no lower layer has: did you mean `tv`?",
        "link `lte` names class `cals`, which no lower layer has: did you mean `calls`?",
    ];
    assert_eq!(found(&text, None), of_link);
    let with_variant = found(&text, Some("night"));
    for own in of_link {
        assert!(with_variant.iter().any(|other| other == own), "{with_variant:?}");
    }
    assert!(with_variant.contains(
        &"variant `night` names class `vioce`, which no lower layer has: did you mean `voice`?".to_owned()
    ));
    assert!(with_variant.contains(
        &"variant `night` names class `xyz`, which no lower layer has: if `xyz` is only for this variant, write `new: true` in it".to_owned()
    ));
    assert_eq!(with_variant.len(), 4);
}

#[test]
fn a_new_name_says_so_and_all_inside_it_is_new() {
    let text = file(
        "classes: { games: { new: true, classes: { a: {}, b: {} } } }",
        "hosts: { xbox: { new: true } }",
    );
    assert_eq!(found(&text, Some("night")), [""; 0]);
}

#[test]
fn a_removed_class_that_comes_back_is_told_and_begins_anew() {
    let inside = "classes: { work: { classes: { calls: null } }, bulk: null }";
    let night = "classes: { work: { classes: { calls: { ceiling: 9% } } }, bulk: { guarantee: 50% } }";
    let text = file(inside, night);
    assert_eq!(found(&text, None), [""; 0]);
    let both = found(&text, Some("night"));
    assert_eq!(both.len(), 2, "{both:?}");
    for (own, class) in both.iter().zip(["calls", "bulk"]) {
        let start = format!(
            "variant `night` names class `{class}`, which a lower layer removed: to leave the variant out"
        );
        assert!(both.iter().any(|own| own.starts_with(&start)), "{own}");
    }
    let (mut sources, mut sink) = (Sources::default(), Sink::default());
    let root = merged(tree(&text), Some("lte"), Some("night"), &mut sources, &mut sink).root;
    let classes = super::entry(&root, "classes").expect("classes");
    let bulk = super::entry(&classes.value, "bulk").expect("the class that came back");
    assert_eq!(
        crate::layers::fixture::flat(&bulk.value),
        "{guarantee: 50%}",
        "nothing of the preset shows through"
    );
}

#[test]
fn a_null_that_removes_nothing_is_told_with_the_nearest_name() {
    let text = file("classes: { bluk: null, work: { classes: { mial: null } } }, hosts: { xbox: ~ }", "");
    let mut expected = vec![
        "there is no host `xbox` to remove: `null` removes what a lower layer has: remove this line",
        "there is no class `bluk` to remove: did you mean `bulk`?",
        "there is no class `mial` to remove: did you mean `mail`?",
    ];
    let mut all = found(&text, None);
    all.sort_unstable();
    expected.sort_unstable();
    assert_eq!(all, expected);
}

#[test]
fn a_section_that_no_lower_layer_has_needs_no_mark() {
    let text = "links: { lte: { device: wwan0, hosts: { tv: {} }, tunnels: { a: {} } } }";
    assert_eq!(found(text, None), [""; 0]);
}
