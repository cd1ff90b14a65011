//! The input that the command reads, its output, and its errors.

#![expect(clippy::float_arithmetic, reason = "packet rates are made here")]

use super::{printed, qosc};
use std::path::Path;

/// Measurements without noise of a line with 30 bytes of overhead above IP at 6.4 mbit.
fn clean(separator: &str) -> String {
    let sizes = [28, 40, 64, 128, 256, 512, 1024, 1492];
    sizes.map(|ip| format!("{ip}{separator}{:.3}\n", 6.4e6 / 8.0 / f64::from(ip + 30))).concat()
}

#[test]
fn unreadable_fields_are_pointed_at() {
    let output = qosc(&["fit", "-"], "size,pps\n64,abc\n99\n1500,800 # fine\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"");
    let expected = "\
error: the packet rate `abc` is not a number
 --> <stdin>:2:4
  |
2 | 64,abc
  |    ^^^
  |
  = help: write packets per second without a unit, such as `5400` or `5400.5`

error: the packet rate is missing
 --> <stdin>:3:1
  |
3 | 99
  | ^^
  |
  = help: write the received packets per second after a comma: `64,5400`
";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
}

#[test]
fn too_few_measurements_are_reported() {
    for (data, cause) in [
        ("", "there are no measurements"),
        ("64,1\n", "1 packet size cannot show the overhead"),
        ("64,9\n65,9\n66,9\n67,8\n70,8\n", "sizes from 64 to 70 bytes are too similar"),
        (
            "64,900\n128,901\n256,899\n512,900\n1024,900\n1400,901\n",
            "the packet rate is the same for all sizes",
        ),
    ] {
        let output = qosc(&["fit", "-"], data);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{data}");
        assert!(said.starts_with("error: ") && said.contains(cause) && said.contains("help: "), "{said}");
    }
    assert_eq!(qosc(&["fit", "none.csv"], "").status.code(), Some(2));
    assert_eq!(qosc(&["fit"], "").status.code(), Some(2));
    assert_eq!(qosc(&["fit", "src"], "").status.code(), Some(2));
}

#[test]
fn every_spelling_of_the_table_gives_the_same_result() {
    let expected = printed(&["fit", "-"], &clean(","));
    assert!(expected.contains("overhead   30 bytes"), "{expected}");
    for text in [
        clean(";"),
        clean("\t"),
        clean("  "),
        clean(" , "),
        format!("# a line for people\n\nsize,pps\n{}", clean(",")),
        format!("\u{feff}Size,PPS\r\n{}", clean(",").replace('\n', "\r\n")),
    ] {
        assert_eq!(printed(&["fit", "-"], &text), expected, "{text}");
    }
    let turned: String = clean(",")
        .lines()
        .map(|row| row.split_once(',').unwrap())
        .map(|(a, b)| format!("{b},{a}\n"))
        .collect();
    assert_eq!(printed(&["fit", "-"], &format!("pps,size\n{turned}")), expected);
    let frames: String = clean(",")
        .lines()
        .map(|row| row.split_once(',').unwrap())
        .map(|(a, b)| format!("{},{b}\n", a.parse::<u32>().unwrap() + 14))
        .collect();
    assert_eq!(printed(&["fit", "--size", "frame", "-"], &frames), expected);
}

#[test]
fn json_output_has_the_results_and_documented_keys() {
    let json: serde_json::Value =
        serde_json::from_str(&printed(&["fit", "--format", "json", "-"], &clean(","))).unwrap();
    assert_eq!(json["overhead"]["bytes"], 30);
    assert_eq!(json["mpu"], 0);
    assert_eq!(json["layer"]["layers"], serde_json::json!(["ethernet", "ptm"]));
    assert_eq!(json["sizes"].as_array().unwrap().len(), 8);
    let documented =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md")).unwrap();
    for key in json.as_object().unwrap().keys() {
        assert!(
            documented.contains(&format!("`{key}`")),
            "docs/formats.md does not explain `{key}` of `qosc fit`"
        );
    }
}
