//! The commands that take the measurement. Nothing is sent from here: they are printed.

use crate::units::Rate;

/// What UDP carries in the packets to be measured, in bytes. Every byte up to 48, so that each place at which a packet needs one more cell
/// is met where a cell is half of what a packet takes, and so that a least charge shows its edge; then up to what
/// PPPoE takes whole (RFC 2516: 1492 bytes of IP), for the rate.
#[must_use]
pub fn payloads() -> Vec<u64> {
    (0..=48).chain([64, 80, 100, 130, 160, 200]).chain((264..=1464).step_by(75)).collect()
}

/// Seconds of each size. Six of them are whole, the first and the last of what is counted are not.
pub const SECONDS: u64 = 8;

/// Where iperf3 listens by itself.
const PORT: u64 = 5201;

/// Of what a host's name or address consists, so that it is a word to every shell.
fn is_plain(host: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-' | '_' | '%');
    !host.is_empty() && !host.starts_with('-') && host.len() <= 253 && host.chars().all(plain)
}

/// The script. `host` is the far end, `rate` the line's; without them the script asks for them.
///
/// # Errors
/// When the host is neither a name nor an address.
pub fn plan(host: Option<&str>, rate: Option<Rate>) -> Result<String, String> {
    if let Some(host) = host
        && !is_plain(host)
    {
        return Err(format!("{} is neither a host's name nor its address", crate::diag::ticked(host)));
    }
    let payloads = payloads();
    // what is left on the line, a second more, and one for iperf3 to begin and end
    let seconds = (SECONDS + SECONDS / 2 + 2) * payloads.len() as u64;
    let words: Vec<String> = payloads.iter().map(u64::to_string).collect();
    let text = include_str!("../../templates/measure.sh")
        .replace("@MINUTES@", &seconds.div_ceil(60).to_string())
        .replace("@SECONDS@", &SECONDS.to_string())
        .replace("@PORT@", &PORT.to_string())
        .replace("@PAYLOADS@", &words.join(" "));
    let text =
        host.map_or(text.clone(), |host| text.replace("host=${HOST:-}", &format!("host=${{HOST:-{host}}}")));
    Ok(rate.map_or(text.clone(), |rate| {
        text.replace("rate=${RATE:-}", &format!("rate=${{RATE:-{}}}", rate.bps()))
    }))
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
