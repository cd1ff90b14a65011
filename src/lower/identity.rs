//! Our bits in marks: as the selectors that read them, and as the table that writes them.

use super::why;
use crate::model::{Field, Marks, Model, Seen, scatter};
use crate::tc::{
    Action, Classifier, Dev, Element, Filter, FilterProtocol, Hook, INGRESS_PREF, LookedUp, Lookup, Selector,
    Word,
};
use crate::units::{Address, Dscp, Family};

/// Bits of one lookup.
const DIGIT: usize = 8;

/// Where a packet shows whose it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostIdentity<'a> {
    model: &'a Model,
    family: Family,
    /// None for what is inside a tunnel: a mark is of the packet around it, and no NAT hides what is inside.
    marks: Option<&'a Marks>,
}

impl<'a> HostIdentity<'a> {
    /// `whole`: the packet as it travels on the line.
    pub(super) fn new(model: &'a Model, family: Family, whole: bool) -> HostIdentity<'a> {
        HostIdentity { model, family, marks: model.marks.as_ref().filter(|_| whole) }
    }

    /// The field that tells local addresses of the family; `None` where the packet itself shows them.
    fn address(self) -> Option<&'a Field> {
        let hidden = self.family == Family::Ipv4 && self.model.lan.nat.value;
        self.marks?.address.as_ref().filter(|_| hidden)
    }

    /// Selectors of packets from or to a host: by its addresses, which `at` finds in the packet where it shows them,
    /// and by its MAC addresses.
    pub(super) fn hosts(self, hosts: &[usize], at: impl Fn(&[Address]) -> Vec<Selector>) -> Vec<Selector> {
        let mut found = match self.address() {
            Some(field) => marked(field.bits.value, field.hosts(hosts)),
            None => {
                let hosts = hosts.iter().filter_map(|host| self.model.hosts.get(*host));
                let addresses = hosts.flat_map(|host| &host.addresses).map(|val| val.value);
                at(&addresses.collect::<Vec<_>>())
            }
        };
        if let Some(field) = self.marks.and_then(|marks| marks.mac.as_ref()) {
            found.extend(marked(field.bits.value, field.hosts(hosts)));
        }
        found
    }

    /// Selectors of packets from or to addresses of the house.
    pub(super) fn local(self, local: &[Address], at: impl Fn(&[Address]) -> Vec<Selector>) -> Vec<Selector> {
        match self.address() {
            Some(field) => marked(field.bits.value, field.local(local)),
            None => at(local),
        }
    }

    /// Selectors of packets on whose connection the house last sent one of these code points; none where nothing says
    /// so.
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

/// The table that writes our bits.
pub(super) fn table(model: &Model) -> Option<crate::tc::Marks> {
    let marks = model.marks.as_ref()?;
    let mut lookups = Vec::new();
    for (name, field) in [("address", &marks.address), ("mac", &marks.mac)] {
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
    Some(crate::tc::Marks {
        mask: marks.mask.value,
        restored: marks.restored(),
        flag: marks.flag_bit(),
        lookups,
        why: why(model.name.value.as_str(), "who sends, and what", span),
    })
}

/// One lookup for each eight bits.
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
    }
}

/// What gives downloads the bits back that their connection has, if a filter of a direction asks for some. A packet
/// that comes with a mark is left alone: that mark is somebody's, and would be lost.
pub(super) fn restore(model: &Model, asked: &[Filter]) -> Vec<Filter> {
    let Some(marks) = &model.marks else { return Vec::new() };
    let asks = |filter: &Filter| {
        filter.selector.mark.is_some() && (filter.dev == Dev::Ifb || filter.hook == Hook::Ingress)
    };
    if !asked.iter().any(asks) {
        return Vec::new();
    }
    let steps = steps(marks);
    // Nothing clears the flag of what is no IP packet of this device: ARP, and frames of a VLAN or a PPPoE session.
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

/// What is done in turn to a download with a certain mark, 0 as it comes.
fn steps(marks: &Marks) -> Vec<(u32, Action)> {
    let Some(flag) = &marks.flag else {
        return vec![(0, Action::Restore { mask: marks.restored(), flag: 0 })];
    };
    let bit = flag.bit.value;
    let last = (0, Action::Restore { mask: marks.restored(), flag: bit });
    match flag.shared {
        None => vec![last],
        // Whether the connection itself has the bit is asked first; nothing after it matches such a packet.
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
