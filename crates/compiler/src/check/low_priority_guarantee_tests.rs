use crate::compile::{Options, Stage, compile};
use crate::diag::{Code, Diagnostic};

const VDSL: &str = "link: { device: ppp0, profile: vdsl2-pppoe, up: 10mbit, down: 50mbit }\n";
/// Match of a class in tests where any match will do.
const RSYNC: &str = "match: [{ protocol: tcp, remote_port: 873 }]";

fn found(link: &str, classes: &str) -> Vec<Diagnostic> {
    let compiled =
        compile(format!("{link}classes:\n{classes}"), &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{classes}\n{:?}", compiled.findings);
    compiled.findings.into_iter().filter(|one| one.code == Code::LowPriorityGuarantee).collect()
}

fn pair(rest: &str, backup: &str) -> String {
    format!("  rest: {{ default: true{rest} }}\n  backup: {{ {backup}, {RSYNC} }}\n")
}

#[test]
fn priority_7_without_a_guarantee_equals_the_default_class() {
    let found = found(VDSL, &pair("", "priority: 7"));
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.message, "class `backup` is guaranteed as much as the default class");
    let labels: Vec<&str> = one.labels.iter().map(|label| label.text.as_str()).collect();
    let own = "4.825mbit up at priority 7: classes without `guarantee` share equally";
    assert_eq!(labels, [own, "4.825mbit up at priority 3"]);
    assert_eq!(
        one.help,
        ["write `guarantee: 5%` in class `backup`, or `guarantee: 0%` if it should only borrow"]
    );
}

#[test]
fn only_late_classes_with_a_large_implicit_share_are_found() {
    let count = |rest: &str, backup: &str| found(VDSL, &pair(rest, backup)).len();
    assert_eq!(count("", "priority: 4"), 1);
    assert_eq!(count(", guarantee: 20%", "priority: 7"), 1, "more than the default");
    assert_eq!(count(", guarantee: { up: 20% }", "priority: 7, guarantee: { down: 5% }"), 1, "up alone");
    assert_eq!(count(", guarantee: 60%", "priority: 7"), 0, "less than the default");
    assert_eq!(count("", "priority: 7, guarantee: 50%"), 0, "somebody wrote it");
    assert_eq!(count("", "priority: 7, guarantee: 0%"), 0);
    assert_eq!(count("", "priority: 3"), 0, "served with the default");
    assert_eq!(count("", "priority: 1"), 0, "served before the default");
    assert_eq!(count(", priority: 2", "ceiling: 50%"), 0, "nobody wrote its priority");
    assert_eq!(count("", "priority: 7, ceiling: 1mbit"), 0, "its ceiling keeps it small");
}

#[test]
fn cake_and_classes_of_other_subtrees_are_skipped() {
    let cake = VDSL.replace("up:", "engine: cake, up:");
    assert_eq!(found(&cake, &pair("", "priority: 7")), []);
    let tree = format!(
        "  work:\n    guarantee: 60%\n    match: [{{ remote: 198.51.100.0/24 }}]\n    classes:\n      \
         copies: {{ priority: 7, {RSYNC} }}\n      desks: {{}}\n  home:\n    classes:\n      rest: {{ default: true }}\n      \
         NAMED: {{ priority: 7, {RSYNC} }}\n"
    );
    assert_eq!(found(VDSL, &tree.replace("NAMED: { priority: 7", "small: { guarantee: 5%, priority: 7")), []);
    assert_eq!(found(VDSL, &tree.replace("NAMED", "large")).len(), 1);
    let around = format!(
        "  home:\n    guarantee: 40%\n    classes:\n      rest: {{ default: true }}\n  late: {{ priority: 6, {RSYNC} }}\n"
    );
    assert_eq!(found(VDSL, &around)[0].message, "class `late` is guaranteed more than the default class");
}

#[test]
fn the_suggested_guarantee_is_enough_for_a_packet() {
    let link = "link: { device: ppp0, profile: adsl-pppoa-vcmux, up: LINE, down: 8mbit }\n";
    let help = |up: &str| found(&link.replace("LINE", up), &pair("", "priority: 7"))[0].help[0].clone();
    assert!(help("2mbit").starts_with("write `guarantee: 5%` in"), "{}", help("2mbit"));
    assert!(help("500kbit").starts_with("write `guarantee: 60kbit` in"), "{}", help("500kbit"));
    assert!(
        help("100kbit").starts_with("write `guarantee: 0%` in class `backup`: then"),
        "{}",
        help("100kbit")
    );
}
