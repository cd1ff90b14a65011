#![doc = include_str!("../../../../docs/rules/Q1101.md")]
#![doc = include_str!("../../../../docs/rules/Q1102.md")]
#![doc = include_str!("../../../../docs/rules/Q1103.md")]
#![doc = include_str!("../../../../docs/rules/Q1104.md")]

mod claims;
mod mark_bits;
mod marks;
mod pair;

use crate::diag::{Code, Diagnostic, Label, Sources, and_ticked, ticked};
use claims::{Setting, TunnelDevice};
use pair::{FIRST, Pair, Roles};

pub use claims::Claims;

/// Returns the conflicts between two files for the same router. Every finding points at the second file first.
/// `sources` belong to the second file; the text of the first is added if a finding points into it.
#[must_use]
pub fn conflicts(first: &Claims, second: &Claims, sources: &mut Sources) -> Vec<Diagnostic> {
    let pair = Pair { first, second };
    let mut found = Vec::new();
    found.extend(pair.one_device());
    found.extend(pair.roles().into_iter().filter_map(|roles| pair.wan_is_tunnel(roles)));
    found.extend(pair.roles().into_iter().filter_map(|roles| pair.wan_is_lan(roles)));
    found.extend(second.tunnels.iter().filter_map(|tunnel| pair.tunnel_of_both(tunnel)));
    found.extend(pair.shared_names());
    found.extend(pair.roles().into_iter().flat_map(|roles| pair.made_devices(roles)));
    found.extend(second.settings.iter().filter_map(|setting| pair.setting(setting)));
    found.extend(pair.marks());
    let labels = || found.iter().flat_map(|finding| &finding.labels);
    let elsewhere = |label: &Label| label.span.file == FIRST;
    if labels().any(elsewhere) {
        let id = sources.add(first.source.name.clone(), first.source.text.clone());
        let labels = found.iter_mut().flat_map(|finding| &mut finding.labels);
        labels.filter(|label| elsewhere(label)).for_each(|label| label.span.file = id);
    }
    found
}

impl<'a> Pair<'a> {
    fn one_device(self) -> Option<Diagnostic> {
        let Pair { first, second } = self;
        let same = |own: &str| first.of_line().find(|one| one.value == own);
        let (own, one) = second.of_line().find_map(|own| Some((own, same(&own.value)?)))?;
        let which = if one.value == first.wan.value { "the WAN device" } else { "in `link.devices`" };
        let (device, link, there) = (ticked(&own.value), first.link(), first.at(one.span));
        let label = format!("a start of {} replaces the queues of {link}", second.link());
        let finding = self.finding(
            Code::SameRouterDevice,
            format!("{device} is already {which} of {link}, {there}"),
            [(second, own.span, label), (first, one.span, format!("{which} of {link}"))],
            "write the device of the other line here, such as `device: ppp1`",
        );
        Some(finding.help("if both files describe one line, such as by day and by night, check them one at a time: only one of them is started"))
    }

    /// Returns the finding on a WAN device at which the other file queues the downloads of a tunnel.
    fn wan_is_tunnel(self, (outer, inner): Roles<'_>) -> Option<Diagnostic> {
        let same = |one: &&TunnelDevice| one.queues && one.device.value == inner.wan.value;
        let tunnel = outer.tunnels.iter().find(same)?;
        let (device, name) = (ticked(&inner.wan.value), ticked(&tunnel.tunnel));
        let (shaper, wan) = (inner.link(), inner.wan.span);
        let (carrier, place) = (outer.link(), tunnel.device.span);
        let (here, there) = (self.at(inner, wan), self.at(outer, place));
        let file = ticked(outer.file());
        Some(self.finding(
            Code::SameRouterTunnel,
            format!("{shaper} shapes {device} {here}, and {carrier} queues the downloads of tunnel {name} on it {there}"),
            [
                (inner, wan, format!("a start of {shaper} removes the filters of the other script")),
                (outer, place, format!("the script of {carrier} adds filters here")),
            ],
            format!("write `inner: flows` in tunnel {name} of {file}: its downloads are then one flow for {carrier}, and {shaper} shapes the packets inside"),
        ))
    }

    /// Returns the finding on a tunnel whose downloads both files queue.
    fn tunnel_of_both(self, own: &TunnelDevice) -> Option<Diagnostic> {
        let Pair { first, second } = self;
        let same = |one: &&TunnelDevice| own.queues && one.queues && one.device.value == own.device.value;
        let one = first.tunnels.iter().find(same)?;
        let (device, link, there) = (ticked(&own.device.value), first.link(), first.at(one.device.span));
        let (here, other, file) = (ticked(&own.tunnel), ticked(&one.tunnel), ticked(first.file()));
        let label = "the script that starts second queues them as one flow".to_owned();
        Some(self.finding(
            Code::SameRouterTunnel,
            format!("the downloads of {device} are already queued by {link}, {there}"),
            [
                (second, own.device.span, label),
                (first, one.device.span, format!("tunnel {other} of {link}")),
            ],
            format!("write `inner: flows` in tunnel {here} here, or in tunnel {other} of {file}: choose the link that carries the tunnel less often"),
        ))
    }

    fn wan_is_lan(self, (house, line): Roles<'_>) -> Option<Diagnostic> {
        let lan = house.lan.iter().find(|lan| lan.value == line.wan.value)?;
        let (device, wan, file) = (ticked(&lan.value), ticked(&house.wan.value), ticked(house.file()));
        let (line_link, house_link) = (line.link(), house.link());
        let (here, there) = (self.at(line, line.wan.span), self.at(house, lan.span));
        Some(self.finding(
            Code::WanIsLan,
            format!(
                "{device} is the WAN device of {line_link} {here}, and a LAN device of {house_link} {there}"
            ),
            [
                (line, line.wan.span, format!("{line_link} shapes all packets here")),
                (house, lan.span, format!("{house_link} shapes packets between here and {wan} again")),
            ],
            format!("in {file}, remove {device} from `lan.device`, and list its prefixes in `lan.networks`"),
        ))
    }

    /// Returns the finding on names that both scripts use for their own objects.
    fn shared_names(self) -> Option<Diagnostic> {
        let Pair { first, second } = self;
        let both = |own: &'a [String], other: &'a [String]| own.iter().filter(|one| other.contains(one));
        let shared = both(&second.makes, &first.makes).chain(both(&second.names, &first.names));
        let shared: Vec<&str> = shared.map(String::as_str).collect();
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
        let place = |claims: &'a Claims| {
            let span = claims.link.span;
            let unnamed = span.start >= span.end;
            let label = if unnamed { "a link without `name` is named after its file" } else { "" };
            (claims, span, label.to_owned())
        };
        let other = second.other_name();
        let help = format!("write another name at the top of this file, such as `name: {other}`");
        Some(
            self.finding(Code::SameRouterNames, message, [place(second), place(first)], help)
                .help(format!("both scripts would use {}", and_ticked(shared))),
        )
    }

    /// Returns the findings on devices that one file names and the script of the other makes.
    fn made_devices(self, (maker, user): Roles<'a>) -> impl Iterator<Item = Diagnostic> {
        let made = user.named_devices().filter(|device| maker.makes.contains(&device.value));
        made.map(move |device| {
            let (name, place) = (ticked(&device.value), maker.link.span);
            let (link, other, file) = (maker.link(), user.link(), ticked(user.file()));
            let (here, there) = (self.at(maker, place), self.at(user, device.span));
            self.finding(
                Code::SameRouterNames,
                format!("the script of {link} {here} creates {name}, but {other} names it {there}"),
                [
                    (maker, place, format!("the downloads of {link} pass through {name}")),
                    (user, device.span, String::new()),
                ],
                format!("in {file}, write the device that the packets come from, such as `ppp0` or `br-lan`"),
            )
        })
    }

    /// Returns the finding on a kernel setting that exists only once for all links.
    fn setting(self, here: &Setting) -> Option<Diagnostic> {
        let there = self.first.settings.iter().find(|there| there.key == here.key)?;
        let other = |path: &str| there.values.iter().find(|(own, _)| *own == path).map(|(_, value)| value);
        let differs = |(path, value): &(&'static str, String)| {
            other(path).filter(|other| *other != value).map(|other| (*path, value.clone(), other))
        };
        let (path, value, other) = here.values.iter().find_map(differs)?;
        let (key, place) = (here.key, self.first.at(there.span));
        let label = "the router has one value of this setting for all links".to_owned();
        Some(self.finding(
            Code::SameRouterNames,
            format!("`{key}` sets `{path}` to {value} here and to {other} {place}"),
            [
                (self.second, here.span, label),
                (self.first, there.span, format!("{} sets it too", self.first.link())),
            ],
            match key {
                "ecn" => "write the same `ecn` in both files, or remove it from one of them",
                _ => "keep `tcp` in the file of the line on which the router itself sends most, and remove it from the other file",
            },
        ))
    }
}

#[cfg(test)]
#[path = "same_router_tests.rs"]
pub(super) mod tests;
