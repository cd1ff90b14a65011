//! Compresses the texts that the program carries: the rule pages, the JSON Schema and the runtime of scripts.
//!
//! Uncompressed they are a twelfth of the program. `src/carried.rs` reads them.

#![allow(clippy::print_stdout, reason = "cargo reads it")]

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut texts = BTreeMap::new();
    // The playground has no command that prints the others.
    let printed = env::var_os("CARGO_CFG_UNIX").map_or(&[][..], |_| &["../../docs/rules", "../../schema"]);
    for folder in printed.iter().chain(&["../../templates/runtime"]) {
        println!("cargo::rerun-if-changed={folder}");
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name == "README.md" {
                continue;
            }
            texts.insert(name, fs::read_to_string(path)?);
        }
    }
    // The name, the length in bytes and the text of each file, one after the other.
    let mut all = String::new();
    for (name, text) in texts {
        all.push_str(&format!("{name}\n{}\n{text}", text.len()));
    }
    let to = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(
        Path::new(&to).join("carried.zlib"),
        miniz_oxide::deflate::compress_to_vec_zlib(all.as_bytes(), 10),
    )
}
