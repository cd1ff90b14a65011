//! Uses the mark bits: selectors that read them, and the table that writes them.

use super::terms::why;
use crate::journey::{Known, View};
use crate::model::{Field, Marks, Model, Seen, scatter};
use crate::tc::{
    Action, Classifier, Dev, Element, Filter, FilterProtocol, Hook, INGRESS_PREF, LookedUp, Lookup, Selector,
    Word,
};
use crate::units::{Address, Dscp, PortSet};

/// Number of bits per lookup.
const DIGIT: usize = 8;

/// The part of a packet or its mark that identifies a host.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostIdentity<'a> {
    model: &'a Model,
    /// `true` if the packet does not show the local address.
    hidden: bool,
    /// `None` where no mark identifies hosts.
    marks: Option<&'a Marks>,
}

impl<'a> HostIdentity<'a> {
    pub(super) fn new(model: &'a Model, view: View) -> HostIdentity<'a> {
        let marks = model.marks.as_ref().filter(|_| view.mac == Known::Marked);
        HostIdentity { model, hidden: view.address == Known::Marked, marks }
    }

    /// Returns the field for local addresses of the family; `None` if the packet itself shows them.
    fn address(self) -> Option<&'a Field> {
        self.marks?.address.as_ref().filter(|_| self.hidden)
    }

    /// Returns selectors for packets from or to hosts. They test the mark bits for addresses, or the addresses
    /// themselves if the packet shows them; `at` builds the latter. MAC addresses are always tested by mark bits.
    pub(super) fn hosts(self, hosts: &[usize], at: impl Fn(&[Address]) -> Vec<Selector>) -> Vec<Selector> {
        let addresses = hosts.iter().filter_map(|host| self.model.hosts.get(*host));
        let addresses = addresses.flat_map(|host| &host.addresses).map(|val| val.value);
        let mut found = self.addresses(&addresses.collect::<Vec<_>>(), |field| field.hosts(hosts), at);
        // The address of the router at the WAN device is not in the file.
        if let Some(field) = self.marks.and_then(|marks| marks.address.as_ref()).filter(|_| !self.hidden) {
            let is_router = |host: &&usize| self.model.hosts.get(**host).is_some_and(|host| host.is_router);
            let routers: Vec<usize> = hosts.iter().filter(is_router).copied().collect();
            found.extend(marked(field.bits.value, field.hosts(&routers)));
        }
        if let Some(field) = self.marks.and_then(|marks| marks.mac.as_ref()) {
            found.extend(marked(field.bits.value, field.hosts(hosts)));
        }
        found
    }

    /// Returns selectors for packets from or to local addresses.
    pub(super) fn local(self, local: &[Address], at: impl Fn(&[Address]) -> Vec<Selector>) -> Vec<Selector> {
        self.addresses(local, |field| field.local(local), at)
    }

    /// Returns selectors for local addresses, of which the field has the marks `numbered`. The packet shows groups even
    /// behind NAT.
    fn addresses(
        self,
        own: &[Address],
        numbered: impl Fn(&Field) -> Vec<u32>,
        at: impl Fn(&[Address]) -> Vec<Selector>,
    ) -> Vec<Selector> {
        let Some(field) = self.address() else { return at(own) };
        let mut found = marked(field.bits.value, numbered(field));
        found.extend(at(&own.iter().flat_map(|address| address.groups()).collect::<Vec<_>>()));
        found
    }

    /// Returns selectors for packets whose port in the house is one of these, besides those that show such a port. The
    /// port of a host behind NAT can be another one outside.
    pub(super) fn ports(self, ports: &PortSet) -> Vec<Selector> {
        let field = self.marks.and_then(|marks| marks.port.as_ref()).filter(|_| self.hidden);
        field.map_or_else(Vec::new, |field| marked(field.bits.value, field.ports(ports)))
    }

    /// Returns selectors for packets on connections whose last upload had one of these code points. The result is empty
    /// if the mark has no DSCP field.
    pub(super) fn sent(self, points: &[Dscp]) -> Vec<Selector> {
        self.marks.and_then(|marks| marks.dscp.as_ref()).map_or_else(Vec::new, |field| {
            marked(field.bits.value, points.iter().map(|point| field.mark(*point)).collect())
        })
    }
}

fn marked(bits: u32, marks: Vec<u32>) -> Vec<Selector> {
    let selector = |value| Selector { mark: Some(Word { value, mask: bits }), ..Selector::default() };
    marks.into_iter().map(selector).collect()
}

/// Returns the table that writes the mark bits.
pub(super) fn table(model: &Model) -> Option<crate::tc::Marks> {
    let marks = model.marks.as_ref()?;
    let mut lookups = Vec::new();
    for (name, field) in [("address", &marks.address), ("mac", &marks.mac), ("port", &marks.port)] {
        lookups.extend(field.iter().flat_map(|field| digits(name, field)));
    }
    if let Some(field) = &marks.dscp {
        let points = (0..64).filter_map(Dscp::new).map(|point| Element {
            key: LookedUp::Dscp(point),
            mark: field.mark(point),
            why: why(&point.to_string(), "", None),
        });
        let elements = points.collect();
        lookups.push(Lookup { name: "dscp".to_owned(), bits: field.bits.value, elements });
    }
    let span = marks.needs.first().map(|need| need.span);
    let translated = model.tunnels.iter().filter(|tunnel| tunnel.is_matched_behind_nat());
    let tunnels = translated.filter_map(|tunnel| Some(tunnel.device.as_ref()?.value.clone()));
    Some(crate::tc::Marks {
        mask: marks.mask.value,
        restored: marks.restored(),
        flag: marks.flag_bit(),
        lookups,
        tunnels: tunnels.collect(),
        why: why(model.name.value.as_str(), "who sends, and what", span),
    })
}

/// Returns one lookup per eight bits.
fn digits(name: &str, field: &Field) -> Vec<Lookup> {
    let ones: Vec<u32> = (0..32).filter(|bit| field.bits.value >> bit & 1 == 1).collect();
    let digits = ones.chunks(DIGIT).enumerate().map(|(place, ones)| {
        let bits = ones.iter().fold(0, |bits, bit| bits | 1 << bit);
        let elements = field.identities.iter().flat_map(|identity| {
            let mark = scatter(identity.number, field.bits.value) & bits;
            let why = why(&identity.name, "", identity.span);
            identity.from.iter().map(move |seen| Element { key: looked_up(*seen), mark, why: why.clone() })
        });
        let mut elements: Vec<Element> = elements.collect();
        elements.sort_by_key(|element| element.key);
        let name = if place == 0 { name.to_owned() } else { format!("{name}{}", place + 1) };
        Lookup { name, bits, elements }
    });
    digits.collect()
}

const fn looked_up(seen: Seen) -> LookedUp {
    match seen {
        Seen::Exact(address) => LookedUp::Source(address),
        Seen::Range(first, last) => LookedUp::Sources(first, last),
        Seen::Mac(mac) => LookedUp::Mac(mac),
        Seen::Ports(ports) => LookedUp::Ports(ports),
        Seen::Router => LookedUp::Router,
    }
}

/// Returns `true` if a filter for downloads reads mark bits.
pub(super) fn is_restored<'f>(mut asked: impl Iterator<Item = &'f Filter>) -> bool {
    asked.any(|filter| {
        filter.selector.mark.is_some() && (filter.dev == Dev::Ifb || filter.hook == Hook::Ingress)
    })
}

/// Returns filters that restore mark bits of the connection for downloads. A packet that arrives with a mark is left
/// alone, because the mark belongs to another program and would be lost.
pub(super) fn restore(model: &Model, marks: &Marks) -> Vec<Filter> {
    let steps = restored(marks);
    // Only IP packets of this device get the flag, because nothing would clear it from others: ARP, VLAN frames and
    // frames of a PPPoE session.
    let protocols = match &marks.flag {
        None => &[(INGRESS_PREF, FilterProtocol::All)][..],
        Some(_) => &[(INGRESS_PREF, FilterProtocol::Ip), (INGRESS_PREF + 1, FilterProtocol::Ipv6)],
    };
    let filter = |(pref, protocol), (has, action)| Filter {
        dev: Dev::Wan,
        hook: Hook::Ingress,
        pref,
        protocol,
        selector: Selector { mark: Some(Word { value: has, mask: u32::MAX }), ..Selector::default() },
        classifier: Classifier::U32,
        flowid: None,
        actions: vec![action],
        with: None,
        why: why(
            model.name.value.as_str(),
            "the marks of connections",
            marks.needs.first().map(|need| need.span),
        ),
    };
    let all = protocols.iter().flat_map(|at| steps.iter().map(|step| filter(*at, step.clone())));
    all.collect()
}

/// Returns the actions for a download in order, each with the mark that selects it. The mark of an arriving packet is
/// 0.
pub(super) fn restored(marks: &Marks) -> Vec<(u32, Action)> {
    let Some(flag) = &marks.flag else {
        return vec![(0, Action::Restore { mask: marks.restored(), flag: 0 })];
    };
    let bit = flag.bit.value;
    let last = (0, Action::Restore { mask: marks.restored(), flag: bit });
    match flag.shared {
        None => vec![last],
        // The first step tests if the connection itself has the bit. No later step matches such a packet.
        Some(shared) => vec![
            (0, Action::Restore { mask: bit, flag: 0 }),
            (bit, Action::Restore { mask: shared.rest, flag: bit | shared.spoiler }),
            last,
        ],
    }
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
