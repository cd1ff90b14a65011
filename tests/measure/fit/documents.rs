//! The documents show the real output of `qosc fit`.

use super::printed;
use std::path::Path;

/// Compares each `$ qosc fit ...` in the documents with the real output. `QOSC_BLESS=1` updates them.
#[test]
fn the_documents_show_the_current_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("QOSC_BLESS").is_some();
    let mut shown = 0;
    for document in ["docs/fit.md", "README.md"] {
        let path = root.join(document);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut fresh = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("```text\n$ qosc fit ") {
            let (command, after) = after.split_once('\n').unwrap();
            let (old, after) = after.split_once("```").unwrap();
            let arguments: Vec<&str> = std::iter::once("fit").chain(command.split(' ')).collect();
            let new = printed(&arguments, "");
            assert!(
                bless || old == new,
                "{document} shows of `qosc fit {command}`\n{old}\nand it prints\n{new}"
            );
            fresh += &format!("{before}```text\n$ qosc fit {command}\n{new}```");
            rest = after;
            shown += 1;
        }
        if bless {
            std::fs::write(&path, fresh + rest).unwrap();
        }
    }
    assert!(shown >= 1);
}
