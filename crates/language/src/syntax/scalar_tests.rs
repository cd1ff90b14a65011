use super::{Plain, plain};

fn some(readings: &[&str]) -> Plain {
    Plain::NumberToSome(readings.iter().map(|r| (*r).to_owned()).collect())
}

#[test]
fn texts_that_all_yaml_readers_agree_on_are_accepted() {
    for text in ["a", "ef", "cs1", "5060-5061", "10ms", "6.5mbit", "20%", "<128", "192.168.1.5", "::10/-64"] {
        assert_eq!(plain(text), Plain::Text, "{text}");
    }
    // No current reader accepts the sexagesimal numbers of YAML 1.1, and they would include MAC and IPv6 addresses.
    for text in [
        "12:30:45",
        "00:11:22:33:44:55",
        "2001:db8::1",
        "inf",
        "nan",
        "e3",
        "-",
        "--",
        "_1",
        "0x",
        "1e",
        "1.2.3",
        "",
    ] {
        assert_eq!(plain(text), Plain::Text, "{text}");
    }
    for text in ["0", "7", "-5", "53", "999999999999999999"] {
        assert_eq!(plain(text), Plain::Int, "{text}");
    }
    for text in ["1.5", "-1.5", "1.10", ".5", "5.", "0.5"] {
        assert_eq!(plain(text), Plain::Float, "{text}");
    }
    assert_eq!(plain("0x1F"), Plain::Hex);
    assert_eq!((plain("true"), plain("false")), (Plain::Bool(true), Plain::Bool(false)));
    for text in ["~", "null", "Null", "NULL"] {
        assert_eq!(plain(text), Plain::Null, "{text}");
    }
}

#[test]
fn ambiguous_scalars_have_all_their_readings() {
    for text in ["yes", "Yes", "ON", "y", "True"] {
        assert_eq!(plain(text), Plain::BoolToSome(true), "{text}");
    }
    for text in ["no", "NO", "off", "n", "FALSE"] {
        assert_eq!(plain(text), Plain::BoolToSome(false), "{text}");
    }
    for (text, readings) in [
        ("010", &["8", "10"][..]),
        ("08", &["8"]),
        ("00", &["0"]),
        ("0o10", &["8"]),
        ("0b11", &["3"]),
        ("0x1_0", &["16"]),
        ("1_000", &["1000"]),
        ("+5", &["5"]),
        ("1e3", &["1000"]),
        ("1E+3", &["1000"]),
        ("1e-3", &[]),
        ("1e99", &[]),
        ("1.5e3", &[]),
        ("-010", &[]),
        ("-0", &[]),
        (".inf", &[]),
        ("-.INF", &[]),
        (".nan", &[]),
        ("1_0.5", &[]),
        ("+.5", &[]),
        ("9999999999999999999", &["9999999999999999999"]),
    ] {
        assert_eq!(plain(text), some(readings), "{text}");
    }
    for text in ["2026-01-31", "2026-1-1"] {
        assert_eq!(plain(text), Plain::Date, "{text}");
    }
    for text in ["2026-01", "2026-01-31-1", "20260-01-31", "2026-x-31", "1000-2000"] {
        assert_eq!(plain(text), Plain::Text, "{text}");
    }
}
