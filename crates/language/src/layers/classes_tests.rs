use crate::layers::fixture::section;

fn classes(text: &str) -> (String, Vec<String>) {
    section(&format!("link: {{}}\n{text}"), None, &[], "classes")
}

#[test]
fn a_file_without_classes_has_those_of_home() {
    let (all, found) = classes("");
    assert!(all.starts_with("{voice: {priority: 0") && all.contains(", bulk: {"), "{all}");
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_preset_is_extended_and_overridden() {
    let (all, _) = classes(
        "classes: { preset: home, bulk: { ceiling: 50% }, voice: null, games: { before: normal } }\n",
    );
    let names: Vec<usize> =
        ["{interactive:", "games:", "normal:", "bulk:"].map(|name| all.find(name).unwrap()).to_vec();
    assert!(names.is_sorted() && !all.contains("voice:"), "{all}");
    assert!(all.contains("bulk: {priority: 5, guarantee: 10%, ceiling: 50%"), "{all}");
}

#[test]
fn a_class_begins_with_its_template() {
    let text = "\
templates:
  team: { guarantee: 10%, classes: { calls: { guarantee: 50% }, rest: {} } }
  large: { template: team, guarantee: 30% }
classes:
  a: { template: team, classes: { rest: { ceiling: 90% }, calls: null } }
  b: { template: large }
  c: { classes: { d: { template: team } } }
";
    let (all, found) = classes(text);
    assert_eq!(found, [""; 0]);
    assert_eq!(
        all,
        "{a: {guarantee: 10%, classes: {rest: {ceiling: 90%}}, template: team}, \
         b: {guarantee: 30%, classes: {calls: {guarantee: 50%}, rest: {}}, template: large}, \
         c: {classes: {d: {guarantee: 10%, classes: {calls: {guarantee: 50%}, rest: {}}, template: team}}}}"
    );
}

#[test]
fn a_template_can_be_a_preset() {
    let (all, _) = classes(
        "templates: { mine: { classes: { x: {}, y: {} } } }\nclasses: { preset: mine, y: { id: 7 } }\n",
    );
    assert_eq!(all, "{x: {}, y: {id: 7}, preset: mine}");
    let text = "templates: { mine: { template: base, classes: { x: {} } }, base: { classes: { y: {} } } }\nclasses: { preset: mine }\n";
    assert_eq!(classes(text).0, "{y: {}, x: {}, preset: mine}");
}

#[test]
fn unknown_and_endless_templates_are_errors() {
    let text = "\
templates:
  a: { classes: { x: { template: b } } }
  b: { classes: { y: { template: a } } }
  c: { template: c }
classes:
  one: { template: a }
  two: { template: teem }
  three: { template: c }
";
    let (_, found) = classes(text);
    assert_eq!(
        found,
        [
            "home.yaml:4: the template `a` contains itself, by way of `a` and `b`",
            "home.yaml:8: there is no template `teem`",
            "home.yaml:5: the template `c` contains itself, by way of `c`",
        ]
    );
    assert_eq!(classes("classes: { one: { template: a } }\n").1, ["home.yaml:2: there is no template `a`"]);
    let flat = classes("templates: { t: { priority: 1 } }\nclasses: { preset: t }\n").1;
    assert_eq!(flat, ["home.yaml:3: the template `t` has no `classes`, so it is no preset"]);
    assert_eq!(classes("classes: { preset: hom }\n").1, ["home.yaml:2: there is no class preset `hom`"]);
}

#[test]
fn templates_cannot_make_any_number_of_classes() {
    let mut text = "templates:\n  t0: { classes: { a: {}, b: {} } }\n".to_owned();
    for level in 1..8 {
        let inner: Vec<String> = (0..20).map(|n| format!("c{n}: {{ template: t{} }}", level - 1)).collect();
        text += &format!("  t{level}: {{ classes: {{ {} }} }}\n", inner.join(", "));
    }
    let (_, found) = classes(&format!("{text}classes: {{ all: {{ template: t7 }} }}\n"));
    assert_eq!(found, ["beyond the budget"]);
}

#[test]
fn what_a_layer_removed_is_not_there() {
    let base = [("a.yaml", "templates: { t: { priority: 1 } }\nclasses: { preset: simple }\n")];
    let of = |text: &str| section(&format!("include: a.yaml\nlink: {{}}\n{text}"), None, &base, "classes");
    assert!(of("classes: null\n").0.starts_with("{voice: {"), "the default preset");
    assert_eq!(
        of("classes: { preset: null, a: { template: t } }\n"),
        ("{a: {priority: 1, template: t}}".to_owned(), vec![])
    );
    let (_, found) = of("classes: { preset: null, a: { template: t } }\ntemplates: { t: null }\n");
    assert_eq!(found, ["home.yaml:3: there is no template `t`"]);
}
