use super::{can_be_made, fix, with_levels};
use qosc_compiler::compile::{Compilation, Options, compile};
use qosc_compiler::diag::{Code, Group, Level, Levels};

fn compiled(text: &str) -> Compilation {
    compile(text, &Options::of("home.yaml"))
}

#[test]
fn a_certain_fix_is_applied() {
    let before = compiled("link: { device: ppp0, profil: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n");
    assert!(before.findings.iter().any(|finding| can_be_made(finding, &before.sources)));
    let fixed = fix(&before, &Levels::default());
    let text = fixed.text.unwrap();
    assert_eq!(text, "link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n");
    assert_eq!((fixed.made, fixed.refused.len()), (1, 0));
    let after = compiled(&text);
    assert!(after.finished().is_some() && after.findings.is_empty());
}

#[test]
fn a_text_without_fixes_stays_unchanged() {
    for text in ["link: { device: ppp0, profile: raw, up: 6mbit, down: 25mbit }\n", "link: {}\n", "[", ""] {
        let fixed = fix(&compiled(text), &Levels::default());
        assert!(fixed.text.is_none() && fixed.made == 0 && fixed.refused.is_empty(), "{text}");
    }
}

#[test]
fn levels_apply_to_the_fixed_text() {
    let text = "link: { device: ppp0, up: 6.5 mbits, down: 25mbit }\n";
    let levels: Levels = [(Level::Allow, Group::One(Code::GuessedOverhead))].into_iter().collect();
    let mut before = compiled(text);
    levels.apply(&mut before.findings);
    let fixed = fix(&before, &levels);
    let text = fixed.text.unwrap();
    assert!(text.contains("up: 6.5mbit"), "{text}");
    let after = with_levels(&text, &before.options, &before, &levels);
    assert!(after.findings.is_empty(), "{:?}", after.findings);
}
