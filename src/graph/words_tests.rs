use super::*;
use crate::units::Rate;

#[test]
fn a_tin_counts_what_arrives() {
    let counters = Seen { present: true, sent: Some(1_500), dropped: Some(2), ..Seen::default() };
    let rates = Cell::Rates { guarantee: Rate::from_bps(8_000), ceiling: None, queue: None };
    assert_eq!(seen(&counters, &rates), ["sent 1500 bytes", "dropped 2"]);
    let tin = Cell::Tin { name: "Voice".to_owned(), threshold: Rate::from_bps(8_000) };
    assert_eq!(seen(&counters, &tin), ["arrived 1500 bytes", "dropped 2"]);
    assert_eq!(seen(&Seen::default(), &rates), ["not in the kernel"]);
}
