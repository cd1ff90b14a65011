//! `qosc plot`: pictures and percentiles of runs.

#![cfg(test)]

use std::path::Path;
use std::process::{Command, Output};

const RUNS: [&str; 2] = ["docs/ping/without.json", "docs/ping/with.json"];

fn plot(arguments: &[&str]) -> Output {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.arg("plot").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The picture of these runs, as bytes.
fn drawn(arguments: &[&str], ending: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("picture").with_extension(ending);
    let run = plot(&[arguments, &["-o", path.to_str().unwrap()]].concat());
    assert_eq!((run.status.code(), err(&run)), (Some(0), String::new()), "{arguments:?}");
    std::fs::read(path).unwrap()
}

fn svg(arguments: &[&str]) -> String {
    let svg = String::from_utf8(drawn(arguments, "svg")).unwrap();
    roxmltree::Document::parse(&svg).unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    svg
}

#[test]
fn the_runs_of_a_picture_are_limited() {
    let dir = tempfile::tempdir().unwrap();
    let run = |series: usize, samples: usize| {
        let one = format!(
            "{{\"target\":\"a\",\"address\":\"::1\",\"dscp\":\"ef\",\"samples\":[{}]}}",
            vec!["[0,5]"; samples].join(",")
        );
        let head = "\"format\":\"qosc-run 1\",\"started\":\"\",\"took_us\":1,\"interval_us\":1,\"size\":64";
        format!("{{{head},\"series\":[{}]}}", vec![one; series].join(","))
    };
    let file = |name: &str, text: String| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let some = file("some.json", run(600, 1));
    assert_eq!(plot(&[&some]).status.code(), Some(0));
    let both = plot(&[&some, &some]);
    assert_eq!(both.status.code(), Some(2));
    assert!(err(&both).contains("the runs have more than 1000 series together"), "{}", err(&both));
    let many = plot(&[&file("many.json", run(1, 5_000_001))]);
    assert_eq!(many.status.code(), Some(2));
    assert!(err(&many).contains("the runs have more than 5000000 samples together"), "{}", err(&many));
}

/// Compares the document with the printed output and the picture. `QOSC_BLESS=1` updates both.
#[test]
fn the_document_shows_the_current_output_and_picture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("QOSC_BLESS").is_some();
    let arguments = [RUNS[0], RUNS[1], "--log", "--scatter"];
    let picture = root.join("docs/ping/both.svg");
    let fresh = svg(&arguments);
    if bless {
        std::fs::write(&picture, &fresh).unwrap();
    }
    let there = std::fs::read_to_string(&picture).unwrap_or_default();
    assert!(there == fresh, "docs/ping/both.svg is not what is drawn");

    let path = root.join("docs/ping.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let command = format!("```text\n$ qosc plot {}\n", arguments.join(" "));
    let (before, after) = text.split_once(&command).expect("the command");
    let (old, after) = after.split_once("```").unwrap();
    let new = String::from_utf8(plot(&arguments).stdout).unwrap();
    if bless {
        std::fs::write(&path, format!("{before}{command}{new}```{after}")).unwrap();
    }
    assert!(bless || old == new, "docs/ping.md shows\n{old}\nand it prints\n{new}");
}

#[test]
fn every_style_draws_its_marks_and_legend() {
    let count = |svg: &str, what: &str| svg.matches(what).count();
    for look in ["--lines", "--scatter", "--cdf"] {
        for scale in ["--linear", "--log"] {
            let more = [look, scale];
            let both = svg(&[RUNS.as_slice(), &more].concat());
            let one = svg(&[&RUNS[..1], &more].concat());
            assert_eq!(count(&both, ">with script</text>"), 1, "{look}: a legend for the runs");
            assert_eq!(count(&one, ">192.0.2.1 ef</text>"), 1, "{look}: a legend for the series");
            assert_eq!(count(&both, ">192.0.2.1 ef</text>"), 1, "{look}: a title for the panel");
            let grey = count(&both, "fill-opacity=\"0.06\"");
            assert_eq!(grey, if look == "--cdf" { 0 } else { 2 }, "{look}: the load in each panel, once");
        }
    }
    let lines = svg(&RUNS[..1]);
    assert_eq!(lines, svg(&[RUNS[0], "--lines"]), "lines are what is drawn");
    assert_eq!(count(&lines, "v5"), 11, "five and six were lost");
    let cut = svg(&[RUNS[0], "--max", "20ms"]);
    assert!(cut.contains(">20</text>") && !cut.contains(">1000</text>"));
}

#[test]
fn runs_that_differ_by_a_factor_of_ten_have_a_logarithmic_scale() {
    let both = |more: &[&str]| svg(&[RUNS.as_slice(), more].concat());
    assert_eq!(both(&[]), both(&["--log"]));
    assert_ne!(both(&[]), both(&["--linear"]));
    assert_eq!(svg(&[RUNS[1]]), svg(&[RUNS[1], "--linear"]));
    assert_eq!(plot(&[RUNS[0], "--linear", "--log"]).status.code(), Some(2));
}

/// The extension of the file name chooses the format.
#[test]
fn the_file_extension_chooses_the_format() {
    let page = String::from_utf8(drawn(&RUNS, "html")).unwrap();
    assert!(page.starts_with("<!"), "{}", page.chars().take(80).collect::<String>());
    for part in ["without script", "192.0.2.1 ef", "p99", "1766.31", "iperf3 -c far.example.org"] {
        assert!(page.contains(part), "{part}");
    }
    let dir = tempfile::tempdir().unwrap();
    let names = ["a.svg", "b.html"].map(|name| dir.path().join(name).to_str().unwrap().to_owned());
    assert!(plot(&[RUNS[0], "-o", &names[0], "-o", &names[1]]).status.success());
    assert!(names.iter().all(|name| Path::new(name).exists()));
}

/// The same measurement in two folders: the legend shows the paths.
#[test]
fn runs_of_the_same_name_are_shown_with_their_paths() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["a", "b"].map(|folder| {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
        let path = dir.path().join(folder).join("run.json");
        std::fs::write(&path, run("[0, 5]", "")).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let run = plot(&[&names[0], &names[1], RUNS[1]]);
    let out = String::from_utf8(run.stdout).unwrap();
    assert!(names.iter().all(|name| out.contains(name.as_str())), "{out}");
    assert!(out.contains("\nwith script "), "{out}");
}

fn run(samples: &str, more: &str) -> String {
    format!(
        "{{\"format\": \"qosc-run 1\", \"started\": \"2026-01-31T20:00:00Z\", \"took_us\": 0, \"interval_us\": 20000, \"size\": 64, {more}\
         \"series\": [{{\"target\": \"<b>&\", \"address\": \"::1\", \"dscp\": \"ef\", \"samples\": [{samples}]}}]}}"
    )
}

#[test]
fn runs_with_few_samples_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("little.json");
    let load = "\"load\": {\"command\": \"x\", \"began_us\": 0, \"ended_us\": 0}, ";
    for samples in ["", "[0, null]", "[0, 0]", "[0, 5], [20000, null]", "[0, 18446744073709551615]"] {
        for more in ["", load] {
            std::fs::write(&path, run(samples, more)).unwrap();
            for look in [&["--lines"][..], &["--scatter", "--log"], &["--cdf", "--log"]] {
                let drawn = svg(&[&[path.to_str().unwrap()], look].concat());
                assert!(drawn.contains("&lt;b&gt;&amp; ef"), "{drawn}");
            }
            let page = String::from_utf8(drawn(&[path.to_str().unwrap()], "html")).unwrap();
            assert!(!page.contains("<b>&"), "names are texts");
        }
    }
    let whole = run("", "");
    let (head, _) = whole.split_once("[{").unwrap();
    std::fs::write(&path, format!("{head}[]}}")).unwrap();
    assert!(svg(&[path.to_str().unwrap()]).contains("Round trips: little"));
}

#[test]
fn invalid_runs_and_options_are_rejected() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.json");
    let name = path.to_str().unwrap();
    let said = |text: &[u8], arguments: &[&str]| {
        std::fs::write(&path, text).unwrap();
        let run = plot(&[&[name], arguments].concat());
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0));
        err(&run).replace(name, "run.json")
    };
    let whole = run("[0, 5]", "");
    let cut = whole.get(..whole.len() - 4).unwrap();
    assert_eq!(said(cut.as_bytes(), &[]), "error: `run.json`: it is cut off: its end is missing\n");
    assert_eq!(said(b"\xff\xfe", &[]), "error: `run.json` is not text\n");
    assert_eq!(said(b"", &[]), "error: `run.json`: it is empty\n");
    assert!(said(b"size,pps\n", &[]).starts_with("error: `run.json`: it is not a run: "));
    let text = said(whole.replace("[0, 5]", "[0, \"5\"]").as_bytes(), &[]);
    assert!(text.ends_with(": the text \"5\" is not allowed here\n"), "{text}");
    assert_eq!(
        said(whole.as_bytes(), &["-o", "picture.png"]),
        "error: the name `picture.png` does not tell the format\n  help: write a name that ends in `.svg` or `.html`\n"
    );
    assert!(said(whole.as_bytes(), &["--lines", "--cdf"]).contains("cannot be used with"));
    std::fs::remove_file(&path).unwrap();
    let run = plot(&[name]);
    assert!(err(&run).starts_with(&format!("error: cannot read `{name}`: ")), "{}", err(&run));
}
