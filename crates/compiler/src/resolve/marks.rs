//! Decides if the configuration needs marks, selects the mark bits and assigns their meaning.

use super::identities::{self, Owner, OwnerRanges};
use crate::diag::{Code, Diagnostic, Sink, Span, count, ticked};
use crate::journey::is_hidden;
use crate::model::{
    Alternative, Direction, DscpField, Field, Flag, Host, Identity, Marks, Model, Need, Needed, Origin, Seen,
    Shared, Val, mark_users,
};
use crate::units::{Address, Dscp, Family, Mac, Mark, PortSet, Protocol};
use std::collections::{BTreeMap, BTreeSet};

/// Order in which to take bits that other programs use: the bits that multi-WAN, VPN and container rules use most come
/// last. All other bits come before them.
const POOL: [std::ops::Range<u32>; 5] = [24..32, 16..24, 14..16, 0..8, 8..14];

/// Minimum size of a field while enough bits are available. A few more hosts then do not change the existing numbers.
const ROOMY: u32 = 4;

/// Returns the use of the mark bits if the configuration needs any. Reports if there are too few bits, or if the file's
/// own matches use bits of `mark_mask`.
pub(super) fn resolve(model: &Model, sink: &mut Sink) -> Option<Marks> {
    let given = model.tuning.mark_mask.as_ref().and_then(|mask| Some((mask.value, mask.span()?)));
    let needs = Needs::of(model);
    let all: Vec<Need> = needs.all();
    let first = all.first()?;
    let (theirs, of_downloads) = theirs(model);
    let lent = of_downloads.iter().fold(0, |bits, mark| bits | mark.mask);
    if let Some((mask, span)) = given
        && mask.0 & theirs != 0
    {
        let message = format!("`mark_mask` has the bits {:#010x}, which a `match` compares", mask.0 & theirs);
        let all = model.alternatives();
        let looks = all.iter().find(|(_, own)| own.mark.iter().any(|mark| mark.mask & mask.0 != 0));
        sink.push(
            Diagnostic::new(Code::TooFewMarkBits, span, message)
                .also_at(looks.map(|(_, own)| (own.span, "this match compares them")))
                .help("write a `mark_mask` of bits that no `match` and no other program uses"),
        );
        return None;
    }

    let hosts = Hosts::of(model);
    let addresses = needs.address.as_ref().map(|_| hosts.identities()).unwrap_or_default();
    let macs = needs.mac.as_ref().map(|_| identities::macs(&hosts.macs())).unwrap_or_default();
    let ports = needs.port.as_ref().map(|_| identities::ports(&hosts.ports)).unwrap_or_default();
    let alternatives = model.alternatives().into_iter().filter(|(direction, _)| downwards(model, *direction));
    let asked: BTreeSet<Dscp> = match model.link.trust_dscp.value {
        true => BTreeSet::new(),
        false => alternatives.flat_map(|(_, own)| own.dscp.iter().copied()).collect(),
    };
    let dscp = least(asked.len());

    let available = given.map_or(!theirs, |(mask, _)| mask.0);
    let mut free: Vec<u32> = pool().filter(|bit| available >> bit & 1 == 1).collect();
    let (mac, address, port) = (least(macs.len()), least(addresses.len()), least(ports.len()));
    let has = u32::try_from(free.len()).unwrap_or(0);
    let wanted = dscp + mac + address + port;
    // If only the bit for the flag is missing, a bit that the file's matches use can serve.
    let shared = (lent != 0 && given.is_none() && wanted == has).then(|| shared(&of_downloads)).flatten();
    let flag = u32::from(lent != 0 && shared.is_none());
    if wanted + flag > has {
        let lacks_flag = wanted <= has;
        let need = all.iter().find(|need| lacks_flag && need.kind == Needed::Mark).unwrap_or(first);
        let wanted = (dscp, mac, address, port, u32::from(lacks_flag));
        sink.push(too_few(given.map(|(_, span)| span), need, has, wanted));
        return None;
    }
    // Room for growth does not justify a bit that another program may use.
    let unused = free.iter().filter(|bit| mark_users(1 << **bit).is_empty()).count();
    let unused = u32::try_from(unused).unwrap_or(0);
    let room = if given.is_some() { has } else { unused.max(wanted + flag) } - flag;
    // Those of ports are few, and only a match that names them changes their number.
    let room = room - port;
    let dscp = Some(whole(&asked)).filter(|whole| whole + mac + address <= room).unwrap_or(dscp);
    let roomy = |least: u32, parts: &OwnerRanges| {
        if least == 0 { 0 } else { self::least(2 * parts.len()).max(ROOMY) }
    };
    let mac_bits = roomy(mac, &macs).min(room - dscp - address);
    let address_bits = match given {
        // All bits of `mark_mask` are available, so that more hosts need not change the existing numbers.
        Some(_) if address > 0 => (room - dscp - mac_bits).min(16).max(address),
        _ => roomy(address, &addresses).min(room - dscp - mac_bits),
    };
    // The address field grows, so it comes last and the others stay in place.
    let dscp = allocate(&mut free, dscp, "for the DSCP that the house last sent on a connection");
    let mac = allocate(&mut free, mac_bits, &format!("for {} by MAC address", count(macs.len(), "identity")));
    let port = allocate(&mut free, port, &format!("for {} by port", count(ports.len(), "identity")));
    let address =
        allocate(&mut free, address_bits, &format!("for {} by address", count(addresses.len(), "identity")));
    let (dscp_mask, mac_mask, address_mask, port_mask) = (dscp.value, mac.value, address.value, port.value);
    let identities = dscp_mask | mac_mask | address_mask | port_mask;
    let flag = match shared {
        _ if lent == 0 => None,
        None => Some(Flag { bit: allocate(&mut free, 1, FLAG), shared: None }),
        Some((bit, shared)) => {
            let rest = shared.rest | identities;
            let bit = Val::derived(bit, format!("1 bit {FLAG}; matches want 0 there"), None);
            Some(Flag { bit, shared: Some(Shared { rest, ..shared }) })
        }
    };
    let mask = identities | flag.as_ref().map_or(0, |flag| flag.bit.value);
    let formula = match given {
        Some(_) => format!("{} bits of `mark_mask`", mask.count_ones()),
        None => format!(
            "{} bits from 24 on, then from 16 on, none of those that matches look at",
            mask.count_ones()
        ),
    };
    Some(Marks {
        needs: all,
        mask: Val::derived(mask, formula, given.map(|(_, span)| span)),
        lent,
        address: (address_mask != 0).then(|| field(&hosts, address, addresses)),
        mac: (mac_mask != 0).then(|| field(&hosts, mac, macs)),
        port: (port_mask != 0).then(|| field(&hosts, port, ports)),
        dscp: (dscp_mask != 0).then(|| points(dscp, &asked)),
        flag,
    })
}

/// Purpose of the flag, for formulas.
const FLAG: &str = "that tells a restored mark from one that a download came with";

/// Returns all bits, the preferred ones first.
fn pool() -> impl Iterator<Item = u32> {
    let known = |bit: &u32| !mark_users(1 << bit).is_empty();
    let (used, unused): (Vec<u32>, Vec<u32>) = POOL.into_iter().flatten().partition(known);
    unused.into_iter().chain(used)
}

/// Finds a flag that shares a bit with matches, for the case that they leave no bit free. Also returns the data that
/// keeps these matches exact. `None` if there is no suitable bit.
fn shared(marks: &[Mark]) -> Option<(u32, Shared)> {
    let all: Vec<u32> = pool().map(|bit| 1 << bit).collect();
    let pairs = all.iter().flat_map(|flag| all.iter().map(move |spoiler| (*flag, *spoiler)));
    let fits = |(flag, spoiler): &(u32, u32)| {
        let both = flag | spoiler;
        let fits = |mark: &Mark| mark.mask & both == 0 || mark.mask & both == both && mark.value & both == 0;
        flag != spoiler && marks.iter().all(fits)
    };
    let (flag, spoiler) = pairs.into_iter().find(fits)?;
    let others = marks.iter().filter(|mark| mark.mask & flag == 0);
    Some((flag, Shared { spoiler, rest: others.fold(0, |bits, mark| bits | mark.mask) }))
}

/// Returns the number of bits that can hold this many numbers and 0.
const fn least(parts: usize) -> u32 {
    usize::BITS - parts.leading_zeros()
}

/// Returns the number of bits that can hold every code point. A match that is added later then also works for existing
/// connections. Code point 0 needs a seventh bit, because it would look like no packet.
fn whole(asked: &BTreeSet<Dscp>) -> u32 {
    if asked.is_empty() { 0 } else { 6 + u32::from(asked.contains(&Dscp::default())) }
}

/// Returns the field for code points: each is its own number if the bits can hold all of them. Otherwise only the
/// matched ones have numbers.
fn points(bits: Val<u32>, asked: &BTreeSet<Dscp>) -> DscpField {
    let size = bits.value.count_ones();
    let numbers = if size < whole(asked) {
        let names = identities::numbers(&asked.iter().map(Dscp::to_string).collect(), size);
        asked.iter().filter_map(|point| Some((*point, *names.get(&point.to_string())?))).collect()
    } else {
        let known = if asked.contains(&Dscp::default()) { 64 } else { 0 };
        let all = (0..64).filter_map(Dscp::new);
        all.map(|point| (point, u32::from(point.bits()) | known)).collect()
    };
    DscpField { bits, numbers }
}

fn bits(number: u32) -> String {
    count(usize::try_from(number).unwrap_or(0), "bit")
}

/// Takes the next bits.
fn allocate(free: &mut Vec<u32>, bits: u32, what: &str) -> Val<u32> {
    let taken = free.drain(..usize::try_from(bits).unwrap_or(0).min(free.len()));
    let mask = taken.fold(0, |mask, bit| mask | 1 << bit);
    Val::derived(mask, format!("{} {what}", self::bits(bits)), None)
}

fn too_few(
    given: Option<Span>,
    need: &Need,
    has: u32,
    (dscp, mac, address, port, flag): (u32, u32, u32, u32, u32),
) -> Diagnostic {
    let wanted = dscp + mac + address + port + flag;
    let parts = [
        (dscp, "the DSCP that the LAN sent"),
        (mac, "MAC addresses"),
        (address, "addresses"),
        (port, "ports of hosts"),
        (flag, "restored marks"),
    ];
    let parts = parts.iter().filter(|(bits, _)| *bits > 0).map(|(bits, what)| format!("{bits} for {what}"));
    let parts: Vec<String> = parts.collect();
    let finding = match given {
        Some(span) => {
            let message = format!("`mark_mask` has {}, but the matches need {wanted} bits", bits(has));
            Diagnostic::new(Code::TooFewMarkBits, span, message).also(need.span, need.what.clone())
        }
        None => {
            let message = format!(
                "the matches need {} of the mark, but their own `mark` keys leave {has}",
                bits(wanted)
            );
            Diagnostic::new(Code::TooFewMarkBits, need.span, message)
        }
    };
    let finding = match (flag, given) {
        (1, None) => finding.help("leave a bit of the mark free: write masks such as `100/0xffff`"),
        _ => finding,
    };
    let help = match given {
        Some(_) => "write more bits in `mark_mask`, or match fewer marks, hosts or DSCPs",
        None => "match fewer marks, hosts or DSCPs: a mark has 32 bits",
    };
    finding.label(parts.join(", ")).help(help)
}

/// Returns the bits that the file's own mark matches use, and the marks that matches for downloads use.
fn theirs(model: &Model) -> (u32, Vec<Mark>) {
    let (mut bits, mut of_downloads) = (0, Vec::new());
    for (direction, alternative) in model.alternatives() {
        bits |= alternative.mark.iter().fold(0, |mask, mark| mask | mark.mask);
        if downwards(model, direction) {
            of_downloads.extend(&alternative.mark);
        }
    }
    (bits, of_downloads)
}

/// Returns `true` if a match applies to downloads.
fn downwards(model: &Model, direction: Option<Direction>) -> bool {
    match direction {
        Some(Direction::Up) => false,
        Some(Direction::Down) => true,
        None => model.link.shapes(Direction::Down),
    }
}

/// Reasons for marks: for each kind, the first place that needs it.
#[derive(Default)]
struct Needs {
    address: Option<Need>,
    mac: Option<Need>,
    port: Option<Need>,
    dscp: Option<Need>,
    mark: Option<Need>,
}

impl Needs {
    fn of(model: &Model) -> Needs {
        let mut needs = Needs::default();
        let need = |slot: &mut Option<Need>, kind: Needed, span: Span, what: String| {
            slot.get_or_insert(Need { kind, what, span });
        };
        for (direction, asked) in model.alternatives().into_iter().filter(|(_, own)| own.devices.is_empty()) {
            let hosts = asked.hosts.iter().filter_map(|host| model.hosts.get(*host));
            let of_hosts = hosts.clone().flat_map(|host| host.addresses.iter().map(|address| &address.value));
            let hidden = |address: &&Address| is_hidden(model, **address) && may_be(asked, address.family());
            if let Some(address) = of_hosts.chain(&asked.local).find(hidden) {
                let what = format!(
                    "behind NAT, the WAN device does not show the address {}",
                    ticked(&address.to_string())
                );
                need(&mut needs.address, Needed::Address, asked.span, what);
            }
            if let Some(host) = hosts.clone().find(|host| host.is_router) {
                need(&mut needs.address, Needed::Address, asked.span, of_router(host));
            }
            if let Some(ports) = ports_behind_nat(model, asked).next() {
                let what = format!("behind NAT, the WAN device does not show the port {ports} of a host");
                need(&mut needs.port, Needed::Port, asked.span, what);
            }
            if let Some(host) = hosts.clone().find(|host| !host.mac.is_empty()) {
                let what = format!("the WAN device shows no MAC address of {}", ticked(&host.name));
                need(&mut needs.mac, Needed::Mac, asked.span, what);
            }
            if direction == Some(Direction::Down) && !asked.dscp.is_empty() && !model.link.trust_dscp.value {
                let what = "downloads do not show the DSCP that the LAN sent".to_owned();
                need(&mut needs.dscp, Needed::Dscp, asked.span, what);
            }
            if !asked.mark.is_empty() && downwards(model, direction) {
                let what = "downloads do not show the mark of their connection".to_owned();
                need(&mut needs.mark, Needed::Mark, asked.span, what);
            }
        }
        for host in &model.hosts {
            if !host.is_promised() && !matches!(host.home.origin, Origin::Given(_)) {
                continue;
            }
            if let Some(address) = host.addresses.iter().find(|address| is_hidden(model, address.value)) {
                let shown = ticked(&address.value.to_string());
                need(
                    &mut needs.address,
                    Needed::Address,
                    host.span,
                    format!("behind NAT, the WAN device does not show the address {shown}"),
                );
            }
            if host.is_router {
                need(&mut needs.address, Needed::Address, host.span, of_router(host));
            }
            if !host.mac.is_empty() {
                let what = format!("the WAN device shows no MAC address of {}", ticked(&host.name));
                need(&mut needs.mac, Needed::Mac, host.span, what);
            }
        }
        needs
    }

    fn all(&self) -> Vec<Need> {
        [&self.address, &self.mac, &self.port, &self.dscp, &self.mark]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }
}

fn of_router(host: &Host) -> String {
    format!("the packets of {}, the router, do not differ from translated ones", ticked(&host.name))
}

/// Returns the ports of an alternative that belong to hosts behind NAT: a port forward can have other ones outside.
fn ports_behind_nat<'a>(model: &'a Model, asked: &'a Alternative) -> impl Iterator<Item = &'a PortSet> {
    let hosts = asked.hosts.iter().filter_map(|host| model.hosts.get(*host));
    let hidden = |address: Address| is_hidden(model, address) && may_be(asked, address.family());
    let translated = |family: &Family| model.lan.translates(*family) && may_be(asked, *family);
    let by_mac = hosts.clone().any(|host| !host.mac.is_empty());
    let by_mac = by_mac && [Family::Ipv4, Family::Ipv6].iter().any(translated);
    let addresses = hosts.flat_map(|host| host.addresses.iter().map(|address| address.value));
    let is_behind =
        asked.devices.is_empty() && (by_mac || addresses.chain(asked.local.iter().copied()).any(hidden));
    [&asked.local_port, &asked.port].into_iter().flatten().filter(move |_| is_behind)
}

/// Returns `true` if the other keys allow a packet of this family.
fn may_be(alternative: &Alternative, family: Family) -> bool {
    let others = match family {
        Family::Ipv4 => Protocol::ICMPV6,
        Family::Ipv6 => Protocol::ICMP,
    };
    alternative.family.is_none_or(|only| only == family)
        && (alternative.protocol.is_empty() || alternative.protocol.iter().any(|own| *own != others))
        && (alternative.remote.is_empty() || alternative.remote.iter().any(|own| own.family() == family))
}

/// Hosts that need to be identified. These are all hosts of the file, so that a match that is added later also works
/// for existing connections.
struct Hosts<'a> {
    model: &'a Model,
    /// Sets of ports that belong to hosts behind NAT.
    ports: Vec<PortSet>,
}

impl<'a> Hosts<'a> {
    fn of(model: &'a Model) -> Self {
        let alternatives = model.alternatives();
        let all = alternatives.iter().flat_map(|(_, asked)| ports_behind_nat(model, asked));
        Hosts { model, ports: all.cloned().collect::<BTreeSet<PortSet>>().into_iter().collect() }
    }

    fn identities(&self) -> OwnerRanges {
        let mut all = identities::addresses(&self.addresses());
        let hosts = self.model.hosts.iter().enumerate().filter(|(_, host)| host.is_router);
        let routers: BTreeSet<Owner> = hosts.map(|(index, _)| Owner::Host(index)).collect();
        if !routers.is_empty() {
            all.entry(routers).or_default().push(Seen::Router);
        }
        all
    }

    fn addresses(&self) -> Vec<(Address, Owner)> {
        let hosts = self.model.hosts.iter().enumerate();
        let of_hosts = hosts.flat_map(|(index, host)| {
            host.addresses.iter().map(move |address| (address.value, Owner::Host(index)))
        });
        let local = self.model.alternatives().into_iter().flat_map(|(_, asked)| &asked.local);
        let local = local.map(|address| (*address, Owner::Local(*address)));
        of_hosts.chain(local).filter(|(address, _)| is_hidden(self.model, *address)).collect()
    }

    fn macs(&self) -> Vec<(Mac, usize)> {
        let hosts = self.model.hosts.iter().enumerate();
        hosts.flat_map(|(index, host)| host.mac.iter().map(move |mac| (mac.value, index))).collect()
    }

    fn name(&self, owner: Owner) -> String {
        match owner {
            Owner::Host(index) => {
                self.model.hosts.get(index).map_or_else(String::new, |host| host.name.clone())
            }
            Owner::Local(address) => address.to_string(),
            Owner::Ports(index) => self.ports.get(index).map_or_else(String::new, PortSet::to_string),
        }
    }

    fn span(&self, owners: &BTreeSet<Owner>) -> Option<Span> {
        owners.iter().find_map(|owner| match owner {
            Owner::Host(index) => self.model.hosts.get(*index).map(|host| host.span),
            Owner::Local(_) | Owner::Ports(_) => None,
        })
    }
}

fn field(hosts: &Hosts<'_>, bits: Val<u32>, parts: OwnerRanges) -> Field {
    // Key for a number. A host and a prefix with the same name get different numbers.
    let key = |owners: &BTreeSet<Owner>| {
        let names = owners.iter().map(|owner| match owner {
            Owner::Host(_) => format!("host {}", hosts.name(*owner)),
            Owner::Local(_) | Owner::Ports(_) => hosts.name(*owner),
        });
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names.join(", ")
    };
    let numbers = identities::numbers(&parts.keys().map(key).collect(), bits.value.count_ones());
    let (mut of_host, mut of_local, mut of_ports) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut identities = Vec::new();
    for (owners, from) in parts {
        let number = numbers.get(&key(&owners)).copied().unwrap_or(0);
        for owner in &owners {
            let numbers: &mut Vec<u32> = match owner {
                Owner::Host(index) => of_host.entry(*index).or_default(),
                Owner::Local(address) => of_local.entry(*address).or_default(),
                Owner::Ports(index) => {
                    of_ports.entry(hosts.ports.get(*index).cloned().unwrap_or_default()).or_default()
                }
            };
            numbers.push(number);
        }
        let names: Vec<String> = owners.iter().map(|owner| hosts.name(*owner)).collect();
        identities.push(Identity { number, name: names.join(", "), span: hosts.span(&owners), from });
    }
    identities.sort_by_key(|identity| identity.number);
    Field { bits, identities, of_host, of_local, of_ports }
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
