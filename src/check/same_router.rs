#![doc = include_str!("../rules/Q1101.md")]
#![doc = include_str!("../rules/Q1102.md")]
#![doc = include_str!("../rules/Q1103.md")]
#![doc = include_str!("../rules/Q1104.md")]

mod claims;
mod mark_bits;
mod marks;
mod pair;

use crate::diag::{Code, Diagnostic, FileId, Sources, Span, and_ticked, ticked};
use claims::{Placed, TunnelDevice};
use pair::Pair;

pub use claims::Claims;

/// Placeholder for the first file in the findings on a pair, until it has an id in the sources of the second file.
const FIRST: FileId = FileId(u16::MAX);

/// Returns the conflicts between two files for the same router. Every finding points at the second file first.
/// `sources` belong to the second file; the text of the first is added if a finding points into it.
#[must_use]
pub fn conflicts(first: &Claims, second: &Claims, sources: &mut Sources) -> Vec<Diagnostic> {
    let pair = Pair { first, second };
    let mut found = Vec::new();
    found.extend(pair.one_device());
    found.extend(pair.wan_is_tunnel());
    found.extend(pair.wan_is_lan());
    found.extend(pair.tunnel_of_both());
    found.extend(pair.shared_names());
    found.extend(pair.made_devices());
    found.extend(pair.settings());
    found.extend(pair.marks());
    let elsewhere = |label: &crate::diag::Label| label.span.file == FIRST;
    if found.iter().flat_map(|finding| &finding.labels).any(elsewhere) {
        let id = sources.add(first.source.name.clone(), first.source.text.clone());
        for label in found.iter_mut().flat_map(|finding| &mut finding.labels) {
            if elsewhere(label) {
                label.span.file = id;
            }
        }
    }
    found
}

impl<'a> Pair<'a> {
    /// Returns a finding with a place in each file. That in the second file is the primary one.
    fn finding(self, code: Code, message: String, places: [(&Claims, Span, String); 2]) -> Diagnostic {
        let is_first = |file: &Claims| std::ptr::eq(file, self.first);
        let [one, other] = places;
        let ((_, here, label), (_, there, also)) = if is_first(one.0) { (other, one) } else { (one, other) };
        Diagnostic::new(code, here, message).label(label).also(Span { file: FIRST, ..there }, also)
    }

    fn one_device(self) -> Option<Diagnostic> {
        let Pair { first, second } = self;
        let both = |own: &'a Placed<String>| Some((own, first.of_line().find(|one| one.value == own.value)?));
        let (own, one) = second.of_line().find_map(both)?;
        let which = if one.value == first.wan.value { "the WAN device" } else { "in `link.devices`" };
        let (device, there) = (ticked(&own.value), first.at(one.span));
        let message = format!("{device} is already {which} of {}, {there}", first.link());
        let label = format!("a start of {} replaces the queues of {}", second.link(), first.link());
        let places = [(second, own.span, label), (first, one.span, format!("{which} of {}", first.link()))];
        let help = "write the device of the other line here, such as `device: ppp1`";
        Some( self.finding(Code::SameRouterDevice, message, places).help(help).help("if both files describe one line, such as by day and by night, check them one at a time: only one of them is started"), )
    }

    /// Returns the findings on a WAN device at which the other file queues the downloads of a tunnel.
    fn wan_is_tunnel(self) -> Vec<Diagnostic> {
        let of = |(outer, inner): (&Claims, &Claims)| {
            let same = |one: &&TunnelDevice| one.queues && one.device.value == inner.wan.value;
            let tunnel = outer.tunnels.iter().find(same)?;
            let (device, name) = (ticked(&inner.wan.value), ticked(&tunnel.tunnel));
            let message = format!(
                "{} shapes {device} {}, and {} queues the downloads of tunnel {name} on it {}",
                inner.link(),
                self.at(inner, inner.wan.span),
                outer.link(),
                self.at(outer, tunnel.device.span),
            );
            let places = [
                (
                    inner,
                    inner.wan.span,
                    format!("a start of {} removes the filters of the other script", inner.link()),
                ),
                (outer, tunnel.device.span, format!("the script of {} adds filters here", outer.link())),
            ];
            let help = format!(
                "write `inner: flows` in tunnel {name} of {}: its downloads are then one flow for {}, and {} shapes the packets inside",
                ticked(outer.file()),
                outer.link(),
                inner.link(),
            );
            Some(self.finding(Code::SameRouterTunnel, message, places).help(help))
        };
        self.roles().into_iter().filter_map(of).collect()
    }

    /// Returns the findings on tunnels whose downloads both files queue.
    fn tunnel_of_both(self) -> Vec<Diagnostic> {
        let Pair { first, second } = self;
        let mut found = Vec::new();
        for here in second.tunnels.iter().filter(|one| one.queues) {
            let same = |there: &&TunnelDevice| there.queues && there.device.value == here.device.value;
            let Some(there) = first.tunnels.iter().find(same) else { continue };
            let message = format!(
                "the downloads of {} are already queued by {}, {}",
                ticked(&here.device.value),
                first.link(),
                first.at(there.device.span),
            );
            let places = [
                (
                    second,
                    here.device.span,
                    "the script that starts second queues them as one flow".to_owned(),
                ),
                (first, there.device.span, format!("tunnel {} of {}", ticked(&there.tunnel), first.link())),
            ];
            let help = format!(
                "write `inner: flows` in tunnel {} here, or in tunnel {} of {}: choose the link that carries the tunnel less often",
                ticked(&here.tunnel),
                ticked(&there.tunnel),
                ticked(first.file()),
            );
            found.push(self.finding(Code::SameRouterTunnel, message, places).help(help));
        }
        found
    }

    fn wan_is_lan(self) -> Vec<Diagnostic> {
        let of = |(house, line): (&Claims, &Claims)| {
            let lan = house.lan.iter().find(|lan| lan.value == line.wan.value)?;
            let device = ticked(&lan.value);
            let message = format!(
                "{device} is the WAN device of {} {}, and a LAN device of {} {}",
                line.link(),
                self.at(line, line.wan.span),
                house.link(),
                self.at(house, lan.span),
            );
            let places = [
                (line, line.wan.span, format!("{} shapes all packets here", line.link())),
                (
                    house,
                    lan.span,
                    format!(
                        "{} shapes packets between here and {} again",
                        house.link(),
                        ticked(&house.wan.value)
                    ),
                ),
            ];
            let help = format!(
                "in {}, remove {device} from `lan.device`, and list its prefixes in `lan.networks`",
                ticked(house.file()),
            );
            Some(self.finding(Code::WanIsLan, message, places).help(help))
        };
        self.roles().into_iter().filter_map(of).collect()
    }

    /// Returns the finding on names that both scripts use for their own objects.
    fn shared_names(self) -> Option<Diagnostic> {
        let Pair { first, second } = self;
        let both =
            |mine: &'a [String], other: &'a [String]| mine.iter().filter(move |one| other.contains(one));
        let shared: Vec<&str> = both(&second.makes, &first.makes)
            .chain(both(&second.names, &first.names))
            .map(String::as_str)
            .collect();
        if shared.is_empty() {
            return None;
        }
        let (name, there) = (ticked(&second.link.value), first.at(first.link.span));
        let message = match first.link.value == second.link.value {
            true => format!("the link name {name} is already used {there}"),
            false => {
                format!("{} and {}, {there}, create devices with the same name", second.link(), first.link())
            }
        };
        let label = |claims: &Claims| match claims.link.span.start < claims.link.span.end {
            true => "",
            false => "a link without `name` is named after its file",
        };
        let first_label = label(first).to_owned();
        let places =
            [(second, second.link.span, label(second).to_owned()), (first, first.link.span, first_label)];
        Some(
            self.finding(Code::SameRouterNames, message, places)
                .help(format!(
                    "write another name at the top of this file, such as `name: {}`",
                    second.other_name()
                ))
                .help(format!("both scripts would use {}", and_ticked(shared))),
        )
    }

    /// Returns the findings on devices that one file names and the script of the other makes.
    fn made_devices(self) -> Vec<Diagnostic> {
        let of = |(maker, user): (&'a Claims, &'a Claims)| {
            let made = user.named_devices().filter(|device| maker.makes.contains(&device.value));
            made.map(|device| {
                let name = ticked(&device.value);
                let message = format!(
                    "the script of {} {} creates {name}, but {} names it {}",
                    maker.link(),
                    self.at(maker, maker.link.span),
                    user.link(),
                    self.at(user, device.span),
                );
                let places = [
                    (
                        maker,
                        maker.link.span,
                        format!("the downloads of {} pass through {name}", maker.link()),
                    ),
                    (user, device.span, String::new()),
                ];
                let help = format!(
                    "in {}, write the device that the packets come from, such as `ppp0` or `br-lan`",
                    ticked(user.file())
                );
                self.finding(Code::SameRouterNames, message, places).help(help)
            })
            .collect::<Vec<_>>()
        };
        self.roles().into_iter().flat_map(of).collect()
    }

    /// Returns the findings on kernel settings that exist only once for all links.
    fn settings(self) -> Vec<Diagnostic> {
        let Pair { first, second } = self;
        let mut found = Vec::new();
        for here in &second.settings {
            let Some(there) = first.settings.iter().find(|there| there.key == here.key) else { continue };
            let differs = |(path, value): &&(&'static str, String)| {
                there.values.iter().any(|(other, was)| other == path && was != value)
            };
            let Some((path, value)) = here.values.iter().find(differs) else { continue };
            let was =
                there.values.iter().find(|(other, _)| other == path).map_or("", |(_, was)| was.as_str());
            let message =
                format!("`{}` sets `{path}` to {value} here and to {was} {}", here.key, first.at(there.span));
            let places = [
                (second, here.span, "the router has one value of this setting for all links".to_owned()),
                (first, there.span, format!("{} sets it too", first.link())),
            ];
            let help = match here.key {
                "ecn" => "write the same `ecn` in both files, or remove it from one of them",
                _ => {
                    "keep `tcp` in the file of the line on which the router itself sends most, and remove it from the other file"
                }
            };
            found.push(self.finding(Code::SameRouterNames, message, places).help(help));
        }
        found
    }
}

#[cfg(test)]
#[path = "same_router_tests.rs"]
pub(super) mod tests;
