//! Facts about the router for `qosc compile`.

use super::args::Compile;
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{Frames, Link, Model};
use qosc_compiler::tc::{ETHERNET, Facts, header_by_name};

/// Returns the facts about the router that the command line and the file state.
pub(super) fn facts(args: &Compile, model: &Model) -> Result<Facts, String> {
    let header = match args.assume {
        Some(device) => device.header(),
        None => header(&model.link)?,
    };
    Ok(Facts { header, split_in_leaves: false })
}

/// Returns the header bytes above IP that the WAN device counts, from its name and `link.frames`.
///
/// # Errors
/// Returns a message for standard error if these do not tell.
fn header(link: &Link) -> Result<u32, String> {
    let device = link.device.value.as_str();
    let found = header_by_name(device, link.frames.value);
    // The session ends either in the modem, or on this router over this device, whose packets then are PPPoE frames.
    let session = link.profile.value.contains("pppoe") && link.frames.value == Frames::Auto;
    found.filter(|header| *header != ETHERNET || !session).ok_or_else(|| {
        let why = match found {
            Some(_) => "carries IP packets or PPPoE frames, and its profile does not tell which",
            None => "has a header of unknown length, and its name does not tell it",
        };
        format!(
            "{} {why}: give `--assume ethernet` (14 bytes above IP), `--assume pppoe-frames` (22) or `--assume raw-ip` (0, such as ppp and tun)",
            ticked(device)
        )
    })
}
