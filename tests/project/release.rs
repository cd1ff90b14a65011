//! What a release needs: the crate's files, the packages, the changelog and the workflows.

#![cfg(test)]

use crate::tools;
use serde_yaml::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

fn ran(program: &str, arguments: &[&str], folder: &Path) -> Output {
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_changelog_has_this_version() {
    let changelog = read("CHANGELOG.md");
    let released = format!("## [{}] - 20", env!("CARGO_PKG_VERSION"));
    let has = |heading: &str| changelog.lines().any(|line| line.starts_with(heading));
    assert!(has(&released) || has("## [Unreleased]"), "CHANGELOG.md has neither {released} nor [Unreleased]");
    let pending = format!("The first release will be {}", env!("CARGO_PKG_VERSION"));
    assert!(has(&released) || changelog.contains(&pending), "the section names no version");
}

/// Stands in for a program of the machine: writes a shell script below `folder`.
fn stand_in(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs `scripts/release` with stand-ins for what compiles, and returns its words and the folder of the files.
fn released(dir: &Path) -> (String, PathBuf) {
    let bin = dir.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let qosc = env!("CARGO_BIN_EXE_qosc");
    let cargo = env!("CARGO");
    // A build makes a script that calls the program of the tests.
    let build = format!(
        r#"if [ "$1" != rustc ]; then exec {cargo} "$@"; fi
for target in "$@"; do case $target in *-linux-*) break ;; esac; done
mkdir -p "$CARGO_TARGET_DIR/$target/dist"
printf '#!/bin/sh\nexec {qosc} "$@"\n' >"$CARGO_TARGET_DIR/$target/dist/qosc"
chmod 755 "$CARGO_TARGET_DIR/$target/dist/qosc""#
    );
    stand_in(&bin, "cargo", &build);
    let library = r#"case "$*" in
*target-libdir*armv7*) echo /nowhere ;;
*target-libdir*) echo / ;;
*) PATH=${PATH#*:} exec rustc "$@" ;;
esac"#;
    stand_in(&bin, "rustc", library);
    stand_in(&bin, "rustup", "echo 'error: no such library' >&2\nexit 1");
    stand_in(&bin, "uname", "echo x86_64");
    stand_in(&bin, "qemu-aarch64-static", "exec \"$@\"");
    let target = dir.join("target");
    std::fs::create_dir_all(&target).unwrap();
    let targets =
        ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "armv7-unknown-linux-musleabihf"];
    let output = Command::new(root().join("scripts/release"))
        .args(targets)
        .env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()))
        .env("CARGO_TARGET_DIR", &target)
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .envs([("QOSC_DEB", "skip"), ("QOSC_SUPPLY_CHAIN", "skip")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    (said(&output), target.join("release-files"))
}

#[test]
fn the_release_has_an_archive_for_each_target_that_can_be_built() {
    let dir = tempfile::tempdir().unwrap();
    let (words, files) = released(dir.path());
    assert!(
        words.contains(
            "unavailable: armv7-unknown-linux-musleabihf: `rustup target add armv7-unknown-linux-musleabihf` failed: no such library\n"
        ),
        "{words}"
    );
    let sums = std::fs::read_to_string(files.join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 2, "{sums}");
    for processor in ["x86_64", "aarch64"] {
        let name = format!("qosc-{}-{processor}-unknown-linux-musl", env!("CARGO_PKG_VERSION"));
        assert!(words.contains(&format!("built {processor}-unknown-linux-musl: ")), "{words}");
        let listed = ran("tar", &["-tzf", &format!("{name}.tar.gz")], &files);
        let listed = said(&listed);
        for file in [
            "qosc",
            "README.md",
            "CHANGELOG.md",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "THIRD-PARTY-LICENSES.txt",
            "man/qosc.1",
            "man/qosc-compile.1",
            "completions/qosc.bash",
            "completions/_qosc",
            "completions/qosc.fish",
        ] {
            assert!(listed.lines().any(|line| line == format!("{name}/{file}")), "{file}: {listed}");
        }
        let licences = ran(
            "tar",
            &["-xzOf", &format!("{name}.tar.gz"), &format!("{name}/THIRD-PARTY-LICENSES.txt")],
            &files,
        );
        let licences = said(&licences);
        for text in ["==== tera ", "==== clap ", "==== musl, the C library ====", "-- LICENSE-MIT"] {
            assert!(licences.contains(text), "{text} is missing");
        }
    }
    assert!(ran("sha256sum", &["--check", "--quiet", "SHA256SUMS"], &files).status.success());
    // The same commit gives the same bytes.
    let (_, files) = released(dir.path());
    assert_eq!(std::fs::read_to_string(files.join("SHA256SUMS")).unwrap(), sums);
}

/// The assets of the Debian package: source, target, mode.
fn assets() -> Vec<[String; 3]> {
    let manifest = read("Cargo.toml");
    let list = manifest.split_once("\nassets = [\n").unwrap().1.split_once("\n]\n").unwrap().0;
    let words = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    list.lines().map(|line| words(line).try_into().unwrap()).collect()
}

#[test]
fn the_debian_package_has_files_that_exist() {
    let release = read("scripts/release");
    for [source, target, mode] in assets() {
        assert!(["644", "755"].contains(&mode.as_str()) && target.starts_with("usr/"), "{target}");
        match source.strip_prefix("target/deb/") {
            // The script makes these.
            Some("man/*.1.gz") => assert!(release.contains("gzip -9n \"$deb\"/man/*.1")),
            Some(made) => {
                let name = made.rsplit('/').next().unwrap();
                assert!(release.contains(name), "scripts/release does not make {source}");
            }
            None => assert!(root().join(&source).is_file(), "{source} is missing"),
        }
    }
}

#[test]
fn the_unit_is_valid_and_hardened_as_the_installed_one() {
    let template = read("packaging/debian/qosc@.service");
    // The settings are those of `install-files`, so that neither falls behind.
    let dir = tempfile::tempdir().unwrap();
    let home = root().join("tests/release/home.yaml");
    let files = dir.path().to_str().unwrap();
    let made = ran(
        env!("CARGO_BIN_EXE_qosc"),
        &["install-files", home.to_str().unwrap(), "--system", "systemd", "-o", files],
        root(),
    );
    assert!(made.status.success(), "{}", said(&made));
    let installed = std::fs::read_to_string(dir.path().join("etc/systemd/system/qosc-home.service")).unwrap();
    let settings = |unit: &str| {
        let section =
            unit.split_once("TimeoutStartSec").unwrap().1.split_once("\n[Install]").unwrap().0.to_owned();
        section.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(settings(&template), settings(&installed));
    if tools::found(&["systemd-analyze"]) {
        let unit = dir.path().join("qosc@home.service");
        // `verify` looks for the manual page, which only an installed package has.
        std::fs::write(&unit, template.replace("Documentation=man:qosc(1)\n", "")).unwrap();
        let unit = unit.to_str().unwrap();
        let verified = ran("systemd-analyze", &["verify", unit], root());
        assert!(verified.status.success() && said(&verified).is_empty(), "{}", said(&verified));
        let arguments = ["security", "--offline=yes", "--threshold=40", "--no-pager", unit];
        let secure = ran("systemd-analyze", &arguments, root());
        assert!(secure.status.success(), "{}", said(&secure));
    }
}

/// A stand-in for the SDK's rules. `make` prints what the Makefile defines. The real SDK also builds the package.
const STUB: &str = r#"
define BuildPackage
all:
	@echo name=$(1)
	@echo 'depends=$$(DEPENDS)'
	@echo 'arch=$$(PKGARCH)'
$(eval $(call Package/$(1)))
install:
$(call Package/$(1)/install,$$(DESTDIR))
postinst:
	$$(info $$(value Package/$(1)/postinst))
endef
"#;

#[test]
fn the_makefile_of_openwrt_packs_the_files_of_a_link() {
    if !tools::found(&["make"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("rules.mk"), "INCLUDE_DIR:=$(TOPDIR)\nINSTALL_DIR:=install -d\nCP:=cp -fpR\n").unwrap();
    std::fs::write(at("package.mk"), STUB).unwrap();
    std::fs::copy(root().join("packaging/openwrt/Makefile"), at("Makefile")).unwrap();
    let top = format!("TOPDIR={}", dir.path().display());
    let made = |goal: &str| ran("make", &["-s", &top, &format!("DESTDIR={}", at("image")), goal], dir.path());

    // Without files, the package has the usual dependencies, and cannot be built.
    let bare = said(&made("all"));
    let usual = "depends=+tc-tiny +ip-tiny +kmod-ifb +kmod-sched-core +kmod-sched-cake +ethtool";
    assert!(bare.contains("name=qosc-link") && bare.contains(usual) && bare.contains("arch=all"), "{bare}");
    let failed = made("install");
    assert!(!failed.status.success() && said(&failed).contains("no files; see the head of the Makefile"));

    let home = root().join("tests/release/home.yaml");
    let files = at("files");
    let written = ran(
        env!("CARGO_BIN_EXE_qosc"),
        &["install-files", home.to_str().unwrap(), "--system", "openwrt", "-o", &files],
        root(),
    );
    assert!(written.status.success(), "{}", said(&written));
    let whole = said(&made("all"));
    for package in ["tc-tiny", "ip-tiny", "kmod-ifb", "kmod-sched-core", "nftables", "wireguard-tools"] {
        assert!(
            whole.contains(&format!(" +{package}")) || whole.contains(&format!("=+{package}")),
            "{whole}"
        );
    }
    let installed = made("install");
    assert!(installed.status.success(), "{}", said(&installed));
    for file in ["etc/qosc/home.sh", "etc/init.d/qosc-home"] {
        assert!(dir.path().join("image").join(file).is_file(), "{file} is missing");
    }
    assert!(!dir.path().join("image/etc/qosc/home.uninstall.sh").exists());
    let scripts = read("packaging/openwrt/Makefile");
    assert!(scripts.contains("[ -z \"$${IPKG_INSTROOT}\" ] || exit 0"));
}

#[test]
fn workflows_pin_their_actions_and_have_least_permissions() {
    for name in ["ci.yml", "release.yml"] {
        let text = read(&format!(".github/workflows/{name}"));
        let workflow: Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(workflow["permissions"], Value::Mapping(serde_yaml::Mapping::new()), "{name}");
        for (job, steps) in workflow["jobs"].as_mapping().unwrap() {
            assert!(
                steps["permissions"].is_mapping() && steps["timeout-minutes"].is_u64() || job == "draft",
                "{name}"
            );
        }
        for line in text.lines().filter(|line| line.contains("uses:")) {
            let (_, version) = line.split_once('@').unwrap();
            let (hash, comment) = version.split_once(" # v").unwrap_or_else(|| panic!("{line}"));
            assert!(hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{line}");
            assert!(comment.split('.').count() == 3, "{line}");
        }
    }
    assert!(read(".github/workflows/release.yml").contains("run: scripts/release\n"));
    assert!(read(".github/workflows/ci.yml").contains("run: .ci/run\n"));
}
