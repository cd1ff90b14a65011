use super::{Direction, Trace};
use qosc_compiler::units::{Micros, Rate};

fn rate(text: &str) -> Rate {
    text.parse().expect("a rate")
}

#[test]
fn a_trace_has_steps_and_an_end() {
    let text = "# a line\n\n0 6mbit 20mbit # at first\n1.5 2.5mbit 10mbit\r\n2 4mbit 30mbit\n4 end\n";
    let trace = Trace::read(text).expect("a trace");
    let times: Vec<u64> = trace.steps.iter().map(|(time, _)| time.us()).collect();
    assert_eq!((times, trace.end), (vec![0, 1_500_000, 2_000_000], Micros::from_ms(4000)));
    // 1.5 s of 6 Mbit/s, 0.5 s of 2.5 and 2 s of 4
    assert_eq!(trace.figures(Direction::Up), ["2.5mbit", "4562500bit", "6mbit"].map(rate));
    assert_eq!(trace.figures(Direction::Down), ["10mbit", "23750000bit", "30mbit"].map(rate));
}

#[test]
fn errors_name_the_line_and_the_problem() {
    for (text, words) in [
        ("", "the last line is missing\n  help: write `SECONDS end`"),
        ("0 6mbit 20mbit\n", "the last line is missing\n"),
        ("0 end\n", "it has no rates before its end"),
        ("# a\n1 6mbit 20mbit\n2 end\n", "line 2: the trace begins at 1s\n  help: begin at `0`"),
        (
            "0 6mbit 20mbit\n0 6mbit 20mbit\n2 end\n",
            "line 2: the time 0us is not after 0us, the time before it",
        ),
        (
            "0 6mbit 20mbit\n3 5mbit 20mbit\n2 end\n",
            "line 3: the time 2s is not after 3s, the time before it",
        ),
        ("0 6mbit 20mbit\n2 end\n3 6mbit 20mbit\n", "line 3: no line can follow `SECONDS end`\n"),
        ("0 6mbit\n2 end\n", "line 1: `0 6mbit` is not a step of a trace\n  help: write `SECONDS UP DOWN`"),
        ("0 6 20mbit\n2 end\n", "line 1: the rate `6` has no unit\n  help: write"),
        ("0 6mbit 20mbps\n2 end\n", "line 1: the rate `20mbps`"),
        ("0 1kbit 20mbit\n2 end\n", "line 1: the lab carries 100kbit at least, and this line 1kbit"),
        ("0ms 6mbit 20mbit\n2 end\n", "line 1: `0ms` is not a number of seconds\n  help: write a number"),
        ("-1 6mbit 20mbit\n2 end\n", "line 1: `-1` is not a number of seconds"),
        ("0 6mbit 20mbit\n9999 end\n", "line 2: the time 9999s is beyond 3600s, the most"),
    ] {
        let error = Trace::read(text).expect_err(text);
        assert!(error.starts_with(words), "{text:?}: {error}");
    }
}
