use super::{Request, seconds, words};
use qosc_compiler::units::Micros;

#[test]
fn the_link_is_the_last_argument() {
    let said = |link: Option<&str>| {
        let link = link.map(|link| link.parse().unwrap());
        let request = Request { host: None, interval: Micros::from_ms(1500), count: 3, link: link.as_ref() };
        words(&request).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(said(Some("home")), "1.500000 3 home");
    assert_eq!(said(None), "1.500000 3");
}

#[test]
fn whole_seconds_need_no_fractions() {
    assert_eq!(seconds(Micros::from_ms(2000)), "2");
    assert_eq!(seconds(Micros::from_ms(500)), "0.500000");
}
