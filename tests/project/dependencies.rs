//! Our dependencies: all come from crates.io, with licences that `deny.toml` allows.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    fn read(file: &str) -> String {
        std::fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).expect("a file of ours")
    }

    #[test]
    fn every_package_comes_from_crates_io() {
        let lock = read("Cargo.lock");
        let sources: BTreeSet<&str> =
            lock.lines().filter_map(|line| line.strip_prefix("source = ")).collect();
        let only = "\"registry+https://github.com/rust-lang/crates.io-index\"";
        assert_eq!(sources, BTreeSet::from([only]));
    }

    #[test]
    fn every_licence_is_allowed() {
        let deny = read("deny.toml");
        let allowed: BTreeSet<&str> = deny
            .lines()
            .find_map(|line| line.strip_prefix("allow = ["))
            .expect("a list in one line")
            .split('"')
            .skip(1)
            .step_by(2)
            .collect();
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--locked", "--offline"])
            .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for package in metadata["packages"].as_array().expect("packages") {
            let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
            assert!(holds(licence, &allowed), "{name}: `{licence}` is not allowed by deny.toml");
        }
    }

    /// Returns true if an SPDX expression is satisfied by the allowed licences. It splits at `AND` first and trims
    /// brackets: no expression in our dependencies nests deeper.
    fn holds(expression: &str, allowed: &BTreeSet<&str>) -> bool {
        let expression = expression.replace('/', " OR ");
        expression.split(" AND ").all(|part| {
            part.trim_matches(['(', ')']).split(" OR ").any(|licence| allowed.contains(licence.trim()))
        })
    }
}
