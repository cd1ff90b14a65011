//! Queries this router.

use super::dump::MARK;
use qosc_compiler::units::IfName;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `dump` of a script on this router and returns its output.
///
/// The script looks at `device` if it is given, otherwise at `default` if that device exists, and otherwise at the
/// device of its last start. The shell reads the script from its standard input, so no file is written.
///
/// # Errors
/// Fails if the shell cannot be started or the script refuses. The error then holds the script's own message.
pub fn dump_of(script: &str, device: Option<&IfName>, default: &IfName) -> Result<String, String> {
    let here = Path::new("/sys/class/net").join(default.as_str()).is_dir();
    let device = device.or_else(|| here.then_some(default));
    let mut command = Command::new("sh");
    command.args(["-s", "--"]);
    if let Some(device) = device {
        command.args(["--device", device.as_str()]);
    }
    let mut child = command
        .arg("dump")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot start `sh`: {e}"))?;
    let input = child.stdin.take();
    let text = script.to_owned();
    // A thread writes the script. Otherwise a shell that prints before it has read everything would wait for this
    // process, and this process for the shell.
    let writer = std::thread::spawn(move || match input {
        // A write error is ignored, because a shell that ends early prints its reason.
        Some(mut input) => input.write_all(text.as_bytes()).is_ok(),
        None => false,
    });
    let output = child.wait_with_output().map_err(|e| format!("cannot run `sh`: {e}"))?;
    let _read_all = writer.join();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let said = said.trim();
        return Err(if said.is_empty() {
            format!("the script's `dump` ended with {}", output.status)
        } else {
            said.to_owned()
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the output of `tc -s` for the queues and classes of these devices as a dump. Missing devices are skipped.
///
/// # Errors
/// Fails if `tc` cannot be started; the error is a message for people.
pub fn counters_of(devices: &[&str]) -> Result<String, String> {
    let mut dump = String::new();
    for device in devices.iter().filter(|device| Path::new("/sys/class/net").join(device).is_dir()) {
        for object in ["qdisc", "class"] {
            let output = Command::new("tc")
                .args(["-s", "-d", object, "show", "dev", device])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
                .map_err(|e| format!("cannot start `tc`: {e}"))?;
            dump.push_str(&format!("{MARK}tc -s -d {object} show dev {device}\n"));
            dump.push_str(&String::from_utf8_lossy(&output.stdout));
        }
    }
    Ok(dump)
}
