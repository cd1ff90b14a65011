//! Shell code of the runtime, as a script contains it.

use std::path::{Path, PathBuf};

/// Returns the folder of the runtime.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/runtime")
}

/// Returns a file of the runtime with its awk programs, as a script with or without tunnels and marks contains it.
pub fn source(file: &str, tunnels: bool, marks: bool) -> String {
    let text = std::fs::read_to_string(folder().join(file)).expect("readable");
    let (mut kept, mut wanted) = (String::new(), true);
    let mut keep = |line: &str| match line.trim() {
        "# tunnels {" => wanted = tunnels,
        "# marks {" => wanted = marks,
        "# without tunnels {" => wanted = !tunnels,
        "# without marks {" => wanted = !marks,
        "# } tunnels" | "# } marks" | "# } without tunnels" | "# } without marks" => wanted = true,
        _ if !wanted => {}
        _ => kept.extend([line, "\n"]),
    };
    for line in text.lines() {
        match line.strip_prefix("@include ") {
            Some(program) => {
                std::fs::read_to_string(folder().join(program))
                    .expect("an awk program")
                    .lines()
                    .for_each(&mut keep);
            }
            None => keep(line),
        }
    }
    kept
}
