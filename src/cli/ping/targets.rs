//! Targets from names and code points.

use crate::cli::args_measure::Ping;
use qosc_compiler::diag::{for_terminal, ticked};
use qosc_compiler::units::Dscp;
use qosc_measure::probe::Echo;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

/// Largest number of pairs of target and code point. They share a thread and a picture.
const MOST: usize = 64;

/// A target with one code point.
pub(super) struct Target {
    /// Target as the user named it.
    pub(super) shown: String,
    pub(super) address: SocketAddr,
    pub(super) dscp: Dscp,
}

impl Target {
    /// Opens the socket for this target.
    ///
    /// # Errors
    /// Returns the cause and the cure.
    pub(super) fn open(&self, source: Option<IpAddr>) -> Result<Echo, String> {
        Echo::open(self.address, source, self.dscp).map_err(|e| format!("{e}\n  help: {}", e.cure))
    }
}

/// Returns every target with every code point, in this order.
///
/// # Errors
/// Returns an error if a name has no address, or if a target or code point is given twice.
pub(super) fn targets(args: &Ping) -> Result<Vec<Target>, String> {
    twice(args.targets.iter().map(String::as_str), "target")?;
    let codes: Vec<String> = args.dscp.iter().map(ToString::to_string).collect();
    twice(codes.iter().map(String::as_str), "DSCP")?;
    if args.targets.len().saturating_mul(args.dscp.len()) > MOST {
        return Err(format!(
            "{} targets with {} DSCP values each exceed {MOST} combinations\n  help: measure in several runs",
            args.targets.len(),
            args.dscp.len()
        ));
    }
    let mut all = Vec::new();
    for name in &args.targets {
        let address = address(name, args)?;
        let target = |dscp: &Dscp| Target { shown: for_terminal(name), address, dscp: *dscp };
        all.extend(args.dscp.iter().map(target));
    }
    Ok(all)
}

fn twice<'a>(names: impl Iterator<Item = &'a str>, what: &str) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("the {what} {} is given twice\n  help: give it once", ticked(name)));
        }
    }
    Ok(())
}

/// Returns the first address of a name in the requested version of IP. The order is that of this machine's resolver.
fn address(name: &str, args: &Ping) -> Result<SocketAddr, String> {
    let shown = ticked(name);
    let found = (name, 0).to_socket_addrs().map_err(|e| {
        let words = e.to_string();
        let words = words.rsplit(": ").next().unwrap_or_default().to_lowercase();
        format!(
            "{shown} has no address: {words}\n  help: write the name or the address of a host, without a port"
        )
    })?;
    let version = match (args.ipv4, args.ipv6, args.source) {
        (true, _, _) => Some(true),
        (_, true, _) => Some(false),
        (_, _, source) => source.map(|source| source.is_ipv4()),
    };
    let mut found = found.filter(|address| version.is_none_or(|v4| address.is_ipv4() == v4));
    found.next().ok_or_else(|| {
        let version = if version == Some(true) { "IPv4" } else { "IPv6" };
        format!("{shown} has no {version} address\n  help: remove the option that requires {version}, or give another target")
    })
}
