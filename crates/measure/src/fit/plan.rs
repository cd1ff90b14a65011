//! Commands that take the measurement. They are only printed; nothing is sent from here.

use qosc_compiler::units::Rate;

/// Returns the UDP payloads of the packets to measure, in bytes.
///
/// The first 49 cover every position in an ATM cell. A further cell then shows clearly, because it is about half of the
/// charge, and so does the edge of a least charge. The larger ones show the rate, up to the largest packet for PPPoE
/// (RFC 2516: 1492 bytes of IP).
#[must_use]
pub fn payloads() -> Vec<u64> {
    (0..=48).chain([64, 80, 100, 130, 160, 200]).chain((264..=1464).step_by(75)).collect()
}

/// Seconds of measurement for each size. Six of the counted seconds are complete, the first and the last are not.
pub const SECONDS: u64 = 8;

/// Default port of iperf3.
const PORT: u64 = 5201;

/// True for a host name or address whose characters need no quoting in any shell.
fn is_plain(host: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-' | '_' | '%');
    !host.is_empty() && !host.starts_with('-') && host.len() <= 253 && host.chars().all(plain)
}

/// Returns the measuring script. `host` is the far end, `rate` that of the line; without them the script asks for them.
///
/// # Errors
/// Returns an error if the host is neither a name nor an address.
pub fn plan(host: Option<&str>, rate: Option<Rate>) -> Result<String, String> {
    if let Some(host) = host
        && !is_plain(host)
    {
        return Err(format!("{} is neither a host name nor an address", qosc_compiler::diag::ticked(host)));
    }
    let payloads = payloads();
    // a pause for packets that are still in queues, one second more, and one for iperf3 to start and stop
    let seconds = (SECONDS + SECONDS / 2 + 2) * payloads.len() as u64;
    let words: Vec<String> = payloads.iter().map(u64::to_string).collect();
    let text = include_str!("../../../../templates/measure.sh")
        .replace("@MINUTES@", &seconds.div_ceil(60).to_string())
        .replace("@SECONDS@", &SECONDS.to_string())
        .replace("@PORT@", &PORT.to_string())
        .replace("@PAYLOADS@", &words.join(" "))
        .replace("@HOST@", host.unwrap_or_default())
        .replace("@RATE@", &rate.map(|rate| rate.bps().to_string()).unwrap_or_default());
    Ok(text)
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
