use super::{DAY, DayPart, Days};

#[test]
fn parts_of_a_day_are_read_and_printed() {
    let part: DayPart = " 23:00 - 6:5 ".parse().unwrap();
    assert_eq!(part, DayPart { from: 23 * 60, to: 6 * 60 + 5 });
    assert_eq!(part.to_string(), "23:00-06:05");
    assert_eq!("18:00-24:00".parse(), Ok(DayPart { from: 18 * 60, to: DAY }));
    for wrong in [
        "",
        "23:00",
        "24:00-06:00",
        "23:00-24:01",
        "23:60-06:00",
        "23-06",
        "a:00-b:00",
        "-1:00-2:00",
        "+1:00-2:00",
    ] {
        let error = wrong.parse::<DayPart>().unwrap_err();
        assert_eq!(
            error.help[0].words, "write two times from `00:00` to `24:00`, such as `23:00-06:00`",
            "{wrong}"
        );
    }
}

#[test]
fn days_are_read_and_printed() {
    let of = |text: &str| text.parse::<Days>().map(|days| days.to_string());
    assert_eq!(of("Mon").unwrap(), "mon");
    assert_eq!(of("mon - fri").unwrap(), "mon, tue, wed, thu, fri");
    assert_eq!(of("sat-mon").unwrap(), "mon, sat, sun");
    assert_eq!("mon-sun".parse(), Ok(Days::ALL));
    assert!(of("monday").unwrap_err().to_string().contains("`monday` is not a day"));
    assert!(of("mon-").is_err() && of("").is_err());
}
