use super::merge;
use crate::compare::{Change, ChangeKind};
use crate::diff::Price;
use qosc_compiler::model::FileSection;

fn change(name: &str, field: &str, new: &str, note: Option<&str>) -> Change {
    Change {
        area: FileSection::Classes,
        name: name.to_owned(),
        change: ChangeKind::Changed,
        field: field.to_owned(),
        old: None,
        new: Some(new.to_owned()),
        note: note.map(str::to_owned),
        line: None,
        price: Price::in_place("the class is changed"),
    }
}

#[test]
fn equal_changes_of_both_directions_are_merged() {
    let said = |changes| {
        let merged = merge(changes).into_iter();
        merged.map(|change| (change.name, change.field, change.note)).collect::<Vec<_>>()
    };
    let some = |text: &str| Some(text.to_owned());
    let up_down = [
        ("a", "rate up", "1", Some("up x")),
        ("a", "b up", "2", None),
        ("a", "rate down", "1", Some("down y")),
    ];
    let changes = up_down.map(|(name, field, new, note)| change(name, field, new, note));
    assert_eq!(
        said(changes.to_vec()),
        [
            ("a".to_owned(), "rate".to_owned(), some("up x, down y")),
            ("a".to_owned(), "b up".to_owned(), None)
        ]
    );
    let other =
        vec![change("a", "rate up", "1", Some("up x")), change("b", "rate down", "1", Some("down y"))];
    assert_eq!(
        said(other),
        [
            ("a".to_owned(), "rate up".to_owned(), some("x")),
            ("b".to_owned(), "rate down".to_owned(), some("y"))
        ]
    );
}
