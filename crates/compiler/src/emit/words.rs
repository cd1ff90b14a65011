//! Formats kernel objects as lines for `tc -batch`.

use super::matches::matches;
use crate::tc::{
    Action, CakeOverhead, CakeShaper, Charge, Classifier, DROP_BATCH, Decrypted, Dev, EGRESS_END_PREF,
    EGRESS_PREF, FIRST_LIST_PREF, Filter, FilterProtocol, Handle, Hook, HtbClass, INGRESS_LAST_PREF,
    INGRESS_PREF, LinkLayer, Overhead, Parent, Police, Qdisc, QdiscKind, R2Q, Stab,
};
use crate::units::{Family, IfName};

/// Reader of the lines: a shell that knows the device and its header, or tc itself.
#[derive(Debug, Clone, Copy)]
pub enum Reader<'a> {
    /// A script. Words that begin with `@` stand for what only the router knows.
    Script,
    /// A script that tries what tunnels need: the device of `try_out`, `@probe`, replaces every other device.
    Trial,
    /// The record of a start. It contains `@wan` and `@ifb` for the devices, and everything else as on its router.
    Record,
    /// tc on a router with known facts.
    Tc {
        /// Name of the WAN device.
        wan: &'a IfName,
        /// Name of the ifb.
        ifb: &'a IfName,
    },
}

impl Reader<'_> {
    fn dev(self, dev: Dev) -> String {
        match (self, dev) {
            (Reader::Trial, _) => "@probe".into(),
            (Reader::Script | Reader::Record, Dev::Wan) => "@wan".into(),
            (Reader::Script | Reader::Record, Dev::Ifb) => "@ifb".into(),
            (Reader::Tc { wan, .. }, Dev::Wan) => wan.as_str().into(),
            (Reader::Tc { ifb, .. }, Dev::Ifb) => ifb.as_str().into(),
        }
    }

    /// Returns `qdisc ...`. Root qdiscs replace existing ones; all others are new.
    #[must_use]
    pub fn qdisc(self, qdisc: &Qdisc) -> String {
        let dev = self.dev(qdisc.dev);
        let (verb, parent) = match qdisc.parent {
            Parent::Root => ("replace", "root".to_owned()),
            Parent::At(handle) => ("add", format!("parent {handle}")),
            Parent::Clsact => return format!("qdisc add dev {dev} clsact"),
        };
        format!("qdisc {verb} dev {dev} {parent} handle {} {}", qdisc.handle, kind(&qdisc.kind))
    }

    /// Returns `class add ...`.
    #[must_use]
    pub fn class(self, class: &HtbClass) -> String {
        let parent = match class.parent {
            Parent::At(handle) => handle.to_string(),
            Parent::Root | Parent::Clsact => "root".to_owned(),
        };
        format!(
            "class add dev {} parent {parent} classid {} htb rate {}bit ceil {}bit burst {} cburst {} prio {} quantum {} {}",
            self.dev(class.dev),
            class.id,
            class.rate.bps(),
            class.ceil.bps(),
            class.burst.get(),
            class.cburst.get(),
            class.prio,
            class.quantum,
            charge(class.charge, "@overhead"),
        )
    }

    /// Returns `filter add ...`. `root` is the handle of the root qdisc.
    #[must_use]
    pub fn filter(self, filter: &Filter, root: Handle) -> String {
        let hook = match filter.hook {
            Hook::Root => format!("parent {root}"),
            Hook::Ingress => "ingress".to_owned(),
            Hook::Egress => "egress".to_owned(),
        };
        let protocol = match filter.protocol {
            FilterProtocol::Pppoe => "ppp_ses",
            protocol => protocol.as_str(),
        };
        let asked = match (filter.classifier, filter.selector.mark) {
            (Classifier::Fw, Some(mark)) => format!("handle {:#x}/{:#x} fw", mark.value, mark.mask),
            // In a bucket, the last word differs most. A packet without this word ends the preference, which holds nothing
            // that it could match.
            (Classifier::Hash, _) => {
                let words = matches(filter.protocol, &filter.selector);
                let words: Vec<&str> = words.split("match ").map(str::trim).skip(1).collect();
                let last_first = words.iter().rev().map(|words| format!(" match {words}"));
                format!("u32{}", last_first.collect::<String>())
            }
            _ => format!("u32 {}", matches(filter.protocol, &filter.selector)),
        };
        let dev = self.dev(filter.dev);
        let mut line =
            format!("filter add dev {dev} {hook} pref {} protocol {protocol} {asked}", filter.pref);
        if let Some(device) = &filter.selector.came_by {
            line.push_str(&format!(" indev {device}"));
        }
        if let Some(name) = self.port_of(filter).filter(|_| filter.needs_port()) {
            line.push_str(&format!(" match {name} dport @port 0xffff"));
        }
        if let Some(flowid) = filter.flowid {
            line.push_str(&format!(" flowid {flowid}"));
        }
        for (i, action) in filter.actions.iter().enumerate() {
            let last = i + 1 == filter.actions.len();
            line.push(' ');
            line.push_str(&self.action(action, filter.hook, last));
        }
        line
    }

    /// Returns the beginning of a line for the table or the list of a filter, up to the kind.
    #[must_use]
    pub fn list_of(self, filter: &Filter, root: Handle) -> String {
        let line = self.filter(filter, root);
        line.split_once(" u32 ").map_or_else(String::new, |(start, _)| start.to_owned())
    }

    /// Returns the family for which a shell must fill in the port on which a tunnel listens.
    const fn port_of(self, filter: &Filter) -> Option<&'static str> {
        match (self, filter.protocol) {
            (Reader::Script, FilterProtocol::Ip) => Some("ip"),
            (Reader::Script, FilterProtocol::Ipv6) => Some("ip6"),
            _ => None,
        }
    }

    /// Returns the filters at the hooks of a tunnel device, or of another device of the line.
    ///
    /// For each family, they restore the mark of the connection if matches need it, lengthen the front of a packet to
    /// its length on the line and redirect it to the ifb.
    /// Pushing and popping an MPLS label gives the packet its IP protocol back behind the tags. The ifb removes the
    /// whole link-layer header. A packet of the line is as long as it should be.
    ///
    /// Uploads are lengthened in the same way, and keep the tags until they are in the tree ([`Reader::shortened`]).
    #[must_use]
    pub fn decrypted(self, tunnel: &Decrypted) -> Vec<String> {
        let device = match self {
            Reader::Trial => "@probe",
            Reader::Script | Reader::Record | Reader::Tc { .. } => tunnel.device.as_str(),
        };
        let tags = tags(tunnel, "@tags", "action vlan push id 1 pipe ");
        let header = "action vlan push_eth dst_mac 02:00:00:00:00:02 src_mac 02:00:00:00:00:01 pipe";
        let lines = |(pref, protocol, family): (u16, &str, &str)| {
            let start = format!("filter add dev {device} ingress pref {pref} protocol {protocol} u32 match");
            let restored = tunnel.restored.iter().map(|(mark, action)| {
                let action = self.action(action, Hook::Ingress, false);
                format!("{start} mark {mark:#x} 0xffffffff match u32 0 0 at 0 {action}")
            });
            let longer = format!(
                "{header} {tags} action mpls push label 16 pipe action vlan pop pipe action mpls pop protocol {family} pipe "
            );
            let longer = if tunnel.more.is_some() { longer.as_str() } else { "" };
            let redirect = format!(
                "{start} u32 0 0 at 0 {longer}action mirred egress redirect dev {}",
                self.dev(Dev::Ifb)
            );
            restored.chain([redirect]).collect::<Vec<_>>()
        };
        let mut found =
            [(INGRESS_PREF, "ip", "ipv4"), (INGRESS_LAST_PREF, "ipv6", "ipv6")].map(lines).concat();
        if tunnel.uploads {
            found.extend([(EGRESS_PREF, "ip"), (EGRESS_END_PREF - 1, "ipv6")].map(|(pref, protocol)| {
                format!(
                    "filter add dev {device} egress pref {pref} protocol {protocol} u32 match u32 0 0 at 0 {header} {tags} \
                     action mirred egress redirect dev {}",
                    self.dev(Dev::Wan)
                )
            }));
        }
        found
    }

    /// Returns the filter that gives uploads of a tunnel their real length back, before any match looks at them. The
    /// tree still charges the length with which they came (`qdisc_pkt_len`).
    #[must_use]
    pub fn shortened(self, tunnel: &Decrypted, root: Handle) -> String {
        let device = if matches!(self, Reader::Trial) { "lo" } else { tunnel.device.as_str() };
        format!(
            "filter add dev {} parent {root} pref {FIRST_LIST_PREF} protocol 802.1Q u32 match u32 0 0 at 0 \
             indev {device} {} action vlan pop_eth continue",
            self.dev(Dev::Wan),
            tags(tunnel, "@pops", "action vlan pop pipe "),
        )
    }

    fn action(self, action: &Action, hook: Hook, last: bool) -> String {
        match action {
            Action::Police(p) => self.police(p, hook),
            Action::Redirect(dev) => format!("action mirred egress redirect dev {}", self.dev(*dev)),
            Action::Restore { mask, flag } => {
                let bits = format!("action ctinfo cpmark {mask:#010x}");
                let set = format!("action skbedit mark {flag:#010x}/{flag:#010x}");
                match (mask, flag) {
                    (_, 0) => format!("{bits} continue"),
                    // a ctinfo without bits would do nothing
                    (0, _) => format!("{set} continue"),
                    _ => format!("{bits} pipe {set} continue"),
                }
            }
            Action::Priority(handle) => format!("action skbedit priority {handle}"),
            Action::Pass => "action ok".to_owned(),
            Action::ClearLabel => {
                "action pedit ex munge ip6 flow_lbl set 0 retain 0xfffff continue".to_owned()
            }
            Action::SetDscp { family, dscp } => {
                let bits = u32::from(dscp.bits()) << 2;
                let then = if last { "" } else { " pipe" };
                match family {
                    Family::Ipv4 => {
                        format!(
                            "action pedit ex munge ip dsfield set {bits:#04x} retain 0xfc pipe action csum ip{then}"
                        )
                    }
                    Family::Ipv6 => {
                        format!("action pedit ex munge ip6 traffic_class set {bits:#04x} retain 0xfc{then}")
                    }
                }
            }
        }
    }

    /// Formats a policer with its index. The probe's policers have none, because the running script may use the index.
    fn police(self, police: &Police, hook: Hook) -> String {
        let overhead = if hook == Hook::Ingress { "@ingress_overhead" } else { "@overhead" };
        let index = match self {
            Reader::Trial => String::new(),
            Reader::Script | Reader::Record | Reader::Tc { .. } => format!(" index {}", police.index),
        };
        format!(
            "action police rate {}bit burst {} mtu {} {} conform-exceed {}/{}{index}",
            police.rate.bps(),
            police.burst.get(),
            police.mtu,
            charge(police.charge, overhead),
            police.exceed.as_str(),
            police.conform.as_str(),
        )
    }
}

/// Returns an action for each VLAN tag of a tunnel, or a word for a shell that knows the header.
fn tags(tunnel: &Decrypted, word: &str, action: &str) -> String {
    let repeated = |header| {
        let tags = tunnel.tags(header).and_then(|tags| usize::try_from(tags).ok()).unwrap_or(1);
        action.repeat(tags).trim_end().to_owned()
    };
    tunnel.header.map_or_else(|| word.to_owned(), repeated)
}

/// Formats the cost of a packet. `variable` holds the overhead if the router determines it.
fn charge(charge: Charge, variable: &str) -> String {
    let overhead = match charge.overhead {
        Overhead::AboveIp(_) => variable.to_owned(),
        Overhead::Fixed(bytes) => bytes.to_string(),
    };
    format!("overhead {overhead} mpu {} linklayer {}", charge.mpu, charge.linklayer.as_str())
}

/// Formats the cost of a packet for a CAKE.
fn cake_charge(shaper: CakeShaper) -> String {
    let overhead = match shaper.overhead {
        CakeOverhead::AboveIp(_) => "@cake_overhead".to_owned(),
        CakeOverhead::AboveIpInLeaf(_) => "@cake_leaf_overhead".to_owned(),
        CakeOverhead::Fixed(bytes) => bytes.to_string(),
    };
    let cells = match shaper.linklayer {
        LinkLayer::Ethernet => "noatm",
        LinkLayer::Atm => "atm",
    };
    format!("{cells} overhead {overhead} mpu {}", shaper.mpu)
}

/// Formats the queue that splits aggregated packets, for a leaf with any memory.
pub(super) fn instead(queue: &QdiscKind) -> String {
    let words = kind(queue);
    match queue {
        QdiscKind::Cake { memory, .. } => {
            words.replace(&format!("memlimit {} ", memory.get()), "memlimit @memory ")
        }
        _ => words,
    }
}

/// Formats a qdisc's kind with every option, because each kind keeps or resets omitted options of a `replace`
/// differently.
fn kind(kind: &QdiscKind) -> String {
    let onoff = |on: bool, yes: &'static str, no: &'static str| if on { yes } else { no };
    match kind {
        QdiscKind::Htb { direct_qlen, stab } => {
            let stab = match stab {
                Stab::None => String::new(),
                Stab::BelowHeader { .. } => "@stab ".to_owned(),
                Stab::Fixed(bytes) => format!("stab overhead {bytes} linklayer ethernet "),
            };
            format!("{stab}htb default 0 r2q {R2Q} direct_qlen {direct_qlen}")
        }
        QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => format!(
            "fq_codel limit {limit} flows {flows} quantum {quantum} target {}us interval {}us memory_limit {} {} drop_batch {DROP_BATCH}",
            target.us(),
            interval.us(),
            memory.get(),
            onoff(*ecn, "ecn", "noecn"),
        ),
        QdiscKind::Cake { shaper, rtt, tins, ack_filter, wash, isolation, nat, memory } => {
            let rate =
                shaper.map_or_else(|| "unlimited".to_owned(), |s| format!("bandwidth {}bit", s.rate.bps()));
            format!(
                "cake{} {rate} {} {} {} {} {} split-gso rtt {}us {} memlimit {} {}",
                onoff(shaper.is_some_and(|shaper| shaper.mq), "_mq", ""),
                tins.as_str(),
                isolation.as_str(),
                onoff(*nat, "nat", "nonat"),
                onoff(*wash, "wash", "nowash"),
                onoff(*ack_filter, "ack-filter", "no-ack-filter"),
                rtt.us(),
                shaper.map_or_else(|| "raw".to_owned(), cake_charge),
                memory.get(),
                onoff(shaper.is_some_and(|shaper| shaper.ingress), "ingress", "egress"),
            )
        }
        QdiscKind::Pfifo { limit } => format!("pfifo limit {limit}"),
        QdiscKind::Clsact => "clsact".to_owned(),
    }
}
