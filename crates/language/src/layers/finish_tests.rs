use crate::layers::fixture::section;

fn classes(list: &str) -> (String, Vec<String>) {
    section(&format!("link: {{}}\nclasses: {{ {list} }}\n"), None, &[], "classes")
}

#[test]
fn before_moves_a_class_in_front_of_its_sibling() {
    assert_eq!(classes("a: {}, b: {}, c: { before: a }").0, "{c: {before: a}, a: {}, b: {}}");
    assert_eq!(classes("a: { before: c }, b: {}, c: {}").0, "{b: {}, a: {before: c}, c: {}}");
    let inside = "a: { classes: { x: {}, y: { before: x } } }";
    assert_eq!(classes(inside).0, "{a: {classes: {y: {before: x}, x: {}}}}");
}

#[test]
fn before_needs_a_sibling() {
    let (_, found) = classes("a: { before: a }, b: { before: aa }, c: { classes: { d: { before: a } } }");
    assert_eq!(
        found,
        [
            "home.yaml:2: there is no class `a` beside `a`",
            "home.yaml:2: there is no class `aa` beside `b`",
            "home.yaml:2: there is no class `a` beside `d`",
        ]
    );
}
