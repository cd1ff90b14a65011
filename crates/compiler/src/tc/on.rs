//! Completes a program for one router with facts that only the router knows.

use super::{
    Action, CakeOverhead, CakeShaper, Charge, Decrypted, ETHERNET, Facts, Filter, FilterProtocol, Hook,
    HtbClass, Overhead, Program, Qdisc, QdiscKind, Stab, Word,
};
use crate::units::IfName;
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Hook {
    /// Returns the bytes above IP of a WAN packet at this hook, derived from those that the qdiscs of the device see.
    ///
    /// The ingress hook sees packets without their Ethernet header, before an ifb gets the header back. A policer there
    /// counts 128 bytes for a packet for which one at egress counts 142 (kernel 6.1, `tc -s filter show`).
    #[must_use]
    pub const fn header(self, wan: u32) -> u32 {
        match self {
            Hook::Root | Hook::Egress => wan,
            Hook::Ingress => wan.saturating_sub(ETHERNET),
        }
    }
}

impl Overhead {
    /// Returns the overhead for the kernel if packets already have `header` bytes above IP; at least 0.
    #[must_use]
    pub const fn with_header(self, header: u32) -> u32 {
        match self {
            Overhead::AboveIp(bytes) => bytes.saturating_sub(header),
            Overhead::Fixed(bytes) => bytes,
        }
    }
}

impl Stab {
    /// Returns the size table for the kernel if packets already have `header` bytes above IP.
    #[must_use]
    pub fn with_header(self, header: u32) -> Stab {
        match self {
            Stab::BelowHeader { above_ip } if above_ip < header => {
                Stab::Fixed(i32::try_from(header - above_ip).map_or(i32::MIN, |below| -below))
            }
            Stab::BelowHeader { .. } => Stab::None,
            fixed => fixed,
        }
    }
}

impl CakeOverhead {
    /// Returns the overhead for the kernel if packets already have `header` bytes above IP.
    ///
    /// Bytes beyond an Ethernet header belong to PPPoE, and CAKE counts them with the packet. Below a size table, the
    /// overhead adds back the Ethernet header that CAKE subtracts (`cake_calc_overhead` in sch_cake.c).
    #[must_use]
    pub fn with_header(self, header: u32) -> CakeOverhead {
        match self {
            CakeOverhead::AboveIpInLeaf(bytes) if bytes < header => {
                CakeOverhead::Fixed(ETHERNET.cast_signed())
            }
            CakeOverhead::AboveIp(bytes) | CakeOverhead::AboveIpInLeaf(bytes) => {
                let counted = i64::from(bytes) - i64::from(header.saturating_sub(ETHERNET));
                CakeOverhead::Fixed(i32::try_from(counted).unwrap_or(i32::MAX))
            }
            fixed @ CakeOverhead::Fixed(_) => fixed,
        }
    }
}

impl Charge {
    /// Returns the same charge with [`Overhead::Fixed`].
    #[must_use]
    pub const fn with_header(self, header: u32) -> Charge {
        Charge { overhead: Overhead::Fixed(self.overhead.with_header(header)), ..self }
    }
}

impl Program {
    /// Returns the program for a router with these facts. Overheads have the values for the kernel, and each leaf has
    /// the kind of queue that the router can use.
    ///
    /// If the device's own header is larger than the overhead, a policer at egress charges the header. Only a root
    /// qdisc can subtract bytes from a packet.
    #[must_use]
    pub fn on(&self, facts: Facts) -> Program {
        // filters cannot recognize a tunnel's packets in PPPoE frames
        let ports = self.ports(|tunnel| tunnel.port.filter(|_| facts.header <= ETHERNET));
        Program {
            charge: self.charge.with_header(facts.header),
            decrypted: self.tunnels_with(&ports, Some(facts.header)),
            qdiscs: self.qdiscs.iter().map(|qdisc| on_qdisc(qdisc, facts)).collect(),
            classes: self.classes.iter().map(|class| on_class(class, facts)).collect(),
            filters: self.filters_with(&ports).map(|filter| on_filter(&filter, facts)).collect(),
            ..self.without_objects()
        }
    }

    /// Returns the program for a router whose tunnels listen on these ports. A tunnel without a port cannot be used:
    /// filters that depend on it are omitted, and its downloads are queued before decryption.
    #[must_use]
    pub fn with_tunnels(&self, port: impl Fn(&Decrypted) -> Option<u16>) -> Program {
        let ports = self.ports(port);
        Program {
            decrypted: self.tunnels_with(&ports, None),
            qdiscs: self.qdiscs.clone(),
            classes: self.classes.clone(),
            filters: self.filters_with(&ports).map(Cow::into_owned).collect(),
            ..self.without_objects()
        }
    }

    /// Returns the program with all uploads queued at the WAN device, those of tunnels encrypted.
    #[must_use]
    pub fn at_wan(self) -> Program {
        let mut program = self;
        program.is_up_by_ifb = false;
        program.decrypted.iter_mut().for_each(|tunnel| tunnel.uploads = false);
        program
    }

    /// Returns the program without its lists, which can be long.
    #[must_use]
    pub fn without_objects(&self) -> Program {
        let Program { link, wan, ifb, ingress, charge, frames, is_up_by_ifb, marks, settings, scale, .. } =
            self;
        Program {
            link: link.clone(),
            files: Vec::new(),
            wan: wan.clone(),
            ifb: ifb.clone(),
            ingress: *ingress,
            charge: *charge,
            frames: *frames,
            qdiscs: Vec::new(),
            classes: Vec::new(),
            filters: Vec::new(),
            decrypted: Vec::new(),
            is_up_by_ifb: *is_up_by_ifb,
            marks: marks.clone(),
            settings: settings.clone(),
            scale: scale.clone(),
        }
    }

    /// Returns the ports of the tunnels that have one.
    fn ports(&self, port: impl Fn(&Decrypted) -> Option<u16>) -> BTreeMap<&IfName, u16> {
        self.decrypted.iter().filter_map(|tunnel| Some((&tunnel.device, port(tunnel)?))).collect()
    }

    /// Returns the tunnels that listen on these ports. `header` replaces theirs if it is given.
    fn tunnels_with(&self, ports: &BTreeMap<&IfName, u16>, header: Option<u32>) -> Vec<Decrypted> {
        let there = self.decrypted.iter().filter_map(|tunnel| {
            let port = Some(*ports.get(&tunnel.device)?);
            let header = tunnel.more.and(header.or(tunnel.header));
            Some(Decrypted { port, header, ..tunnel.clone() })
        });
        there.collect()
    }

    /// Returns the filters that need no tunnel, and those of tunnels that listen on these ports.
    fn filters_with<'a>(
        &'a self,
        ports: &'a BTreeMap<&IfName, u16>,
    ) -> impl Iterator<Item = Cow<'a, Filter>> {
        self.filters.iter().filter_map(|filter| {
            let Some(device) = &filter.with else { return Some(Cow::Borrowed(filter)) };
            let port = *ports.get(device)?;
            Some(if filter.needs_port() {
                let mut filter = filter.clone();
                filter.selector.words.extend(listening(filter.protocol, port));
                Cow::Owned(filter)
            } else {
                Cow::Borrowed(filter)
            })
        })
    }
}

/// Returns the offset of the destination port in a packet with a header without options.
fn listening(protocol: FilterProtocol, port: u16) -> Option<(u16, Word)> {
    let word = Word { value: port.into(), mask: 0xffff };
    match protocol {
        FilterProtocol::Ip => Some((20, word)),
        FilterProtocol::Ipv6 => Some((40, word)),
        FilterProtocol::Pppoe | FilterProtocol::All => None,
    }
}

fn on_qdisc(qdisc: &Qdisc, facts: Facts) -> Qdisc {
    let kind = match (&qdisc.instead, facts.split_in_leaves) {
        (Some(instead), true) => instead,
        _ => &qdisc.kind,
    };
    let kind = match kind {
        QdiscKind::Htb { direct_qlen, stab } => {
            QdiscKind::Htb { direct_qlen: *direct_qlen, stab: stab.with_header(facts.header) }
        }
        QdiscKind::Cake { shaper: Some(shaper), rtt, tins, ack_filter, wash, isolation, nat, memory } => {
            let overhead = shaper.overhead.with_header(facts.header);
            let shaper = Some(CakeShaper { overhead, ..*shaper });
            QdiscKind::Cake {
                shaper,
                rtt: *rtt,
                tins: *tins,
                ack_filter: *ack_filter,
                wash: *wash,
                isolation: *isolation,
                nat: *nat,
                memory: *memory,
            }
        }
        other => other.clone(),
    };
    Qdisc { kind, instead: None, ..qdisc.clone() }
}

fn on_class(class: &HtbClass, facts: Facts) -> HtbClass {
    HtbClass { charge: class.charge.with_header(facts.header), ..class.clone() }
}

fn on_filter(filter: &Filter, facts: Facts) -> Filter {
    let header = filter.hook.header(facts.header);
    let mut filter = filter.clone();
    for action in &mut filter.actions {
        if let Action::Police(police) = action {
            police.charge = police.charge.with_header(header);
        }
    }
    filter
}
