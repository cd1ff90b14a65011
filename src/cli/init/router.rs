//! `qosc init --from`: what a router shows of its line. Nothing is changed there.

use crate::deploy::{LOCAL, shell};
use qosc_compiler::diag::{and_ticked, for_terminal, ticked};
use qosc_compiler::units::IfName;
use std::io::Write as _;
use std::process::Stdio;

/// Commands that the router runs.
const SCRIPT: &str = include_str!("../../../templates/init/router.sh");
/// KiB that a script takes at most on the flash of a router.
const NEEDED: u64 = 512;

/// What a router shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Router {
    /// Device of its route to the internet.
    pub(super) device: Option<IfName>,
    /// Devices with private IPv4 addresses.
    pub(super) lan: Vec<IfName>,
    /// Sentences for the user and for the head of the file.
    pub(super) remarks: Vec<String>,
}

/// Reads a router over ssh, or this machine if the host is `localhost`.
///
/// # Errors
/// Returns a message for standard error if the commands cannot run.
pub(super) fn read(host: &str) -> Result<Router, String> {
    let cannot = |why: &str| format!("cannot read {}: {}", ticked(host), for_terminal(why.trim()));
    let mut program = shell((host != LOCAL).then_some(host));
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().map_err(|e| cannot(&e.to_string()))?;
    // A shell that ends early says why on standard error.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(SCRIPT.as_bytes()));
    let output = child.wait_with_output().map_err(|e| cannot(&e.to_string()))?;
    if !output.status.success() {
        return Err(cannot(&String::from_utf8_lossy(&output.stderr)));
    }
    Ok(of(&String::from_utf8_lossy(&output.stdout)))
}

/// Returns what the lines of the commands mean. Lines that do not fit are left out.
fn of(text: &str) -> Router {
    let lines = || text.lines().filter_map(|line| line.split_once(' '));
    let all = |key: &'static str| lines().filter(move |(own, _)| *own == key).map(|(_, value)| value.trim());
    let name = |key| all(key).find_map(|value| value.parse::<IfName>().ok());
    let mut router = Router { device: name("device"), ..Router::default() };
    // The router may be hostile, and the remarks stand in comments of the file.
    let mut say = |words: String| router.remarks.push(for_terminal(&words));
    if let Some(device) = &router.device {
        let device = ticked(device.as_str());
        let tag = name("vlan").map_or("", |_| ", whose frames have a VLAN tag");
        if let Some(below) = name("pppoe") {
            let profile = if tag.is_empty() { "vdsl2-pppoe" } else { "vdsl2-pppoe-vlan" };
            let below = ticked(below.as_str());
            say(format!(
                "{device} is a PPPoE session over {below}{tag}: on VDSL2, this is `profile: {profile}`"
            ));
        } else if !tag.is_empty() {
            say(format!("{device} sends frames with a VLAN tag"));
        }
        if let Some(mtu) = all("mtu").find_map(|value| value.parse::<u32>().ok()) {
            say(format!("the MTU of {device} is {mtu}"));
        }
        let shaper = all("qdisc").find(|kind| ["cake", "htb", "tbf", "hfsc"].contains(kind));
        if let Some(kind) = shaper {
            say(format!("{device} has a root qdisc `{kind}`: stop the shaper that made it before `start`"));
        }
    }
    if let Some(file) = all("sqm").next() {
        say(format!("{} is a configuration of sqm: `qosc import sqm` converts it", ticked(file)));
    }
    for (key, noun) in [("no-tool", "programs"), ("no-module", "kernel modules")] {
        let missing: Vec<&str> = all(key).collect();
        if !missing.is_empty() {
            say(format!("the router lacks these {noun}: {}", and_ticked(missing)));
        }
    }
    if let Some(free) = all("flash").find_map(|value| value.parse::<u64>().ok()).filter(|free| *free < NEEDED)
    {
        say(format!("`/etc` has {free} KiB left, and a script takes up to {NEEDED} KiB"));
    }
    for lan in all("lan") {
        if let Some(name) = lan.split(' ').next().and_then(|name| name.parse().ok())
            && !router.lan.contains(&name)
        {
            router.lan.push(name);
        }
    }
    router
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
