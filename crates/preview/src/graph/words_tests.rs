use super::*;
use qosc_compiler::model::Direction;
use qosc_compiler::units::Rate;

#[test]
fn a_tin_counts_what_arrives() {
    let counters = Seen { present: true, sent: Some(1_500), dropped: Some(2), ..Seen::default() };
    let rates = Cell::Rates { guarantee: Rate::from_bps(8_000), ceiling: None, queue: None };
    assert_eq!(seen(&counters, &rates), ["sent 1500 bytes", "dropped 2"]);
    let tin = Cell::Tin { name: "Voice".to_owned(), threshold: Rate::from_bps(8_000) };
    assert_eq!(seen(&counters, &tin), ["arrived 1500 bytes", "dropped 2"]);
    assert_eq!(seen(&Seen::default(), &rates), ["not in the kernel"]);
}

#[test]
fn a_direction_without_a_line_rate_names_only_the_shaped_rate() {
    let rate = Rate::from_bps(6_000_000);
    let mut drawn = DirectionDrawing {
        direction: Direction::Up,
        line: None,
        varies: None,
        shaped: rate,
        tree: rate,
        how: How::Classes,
        seen: None,
    };
    assert_eq!(direction(&drawn), ["shaped to 6mbit"]);
    drawn.line = Some(Rate::from_bps(6_500_000));
    assert_eq!(direction(&drawn), ["line 6.5mbit, shaped to 6mbit"]);
    drawn.varies = Some("varies".to_owned());
    assert_eq!(direction(&drawn), ["line 6.5mbit, shaped to 6mbit", "varies"]);
}
