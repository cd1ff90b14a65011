//! Numbers in the kernel's objects, each with the id of the row that explains it.
//!
//! Every object is destructured completely. If it gets a new field, this file does not compile until the field has a
//! row.

use crate::explain::line::{DEVICES, without_frames};
use crate::explain::rest::{indexes, preference_id};
use qosc_compiler::tc::{
    Action, CakeOverhead, CakeShaper, Charge, DROP_BATCH, Decrypted, Dev, Filter, Handle, Hook, HtbClass,
    INGRESS_LAST_PREF, INGRESS_PREF, LinkLayer, Lookup, Marks, Overhead, Parent, Police, Program, Qdisc,
    QdiscKind, R2Q, ROOT, Settings, Stab, Sysctl, TREE,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// A place where the kernel gets a value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Object as tc names it, such as `class dev ppp0 classid c05:a9e9`.
    pub(super) object: String,
    /// Option, such as `burst`.
    pub(super) word: String,
    /// Value of the option, such as `6272000bit`.
    pub(super) value: String,
    /// Routers with this value, if not all routers have the same.
    pub(super) on: Option<&'static str>,
}

/// Word for the direction in which a device sends.
const fn direction_word(dev: Dev) -> &'static str {
    match dev {
        Dev::Wan => "up",
        Dev::Ifb => "down",
    }
}

/// Returns all values that the kernel gets, by the ids of their rows. A row may be missing.
pub(super) fn places(program: &Program) -> BTreeMap<String, BTreeSet<Place>> {
    let Program {
        link: _,
        files: _,
        wan,
        ifb,
        ingress: _,
        charge: _,
        frames: _,
        qdiscs,
        classes,
        filters,
        decrypted,
        is_up_by_ifb: _,
        marks,
        settings,
        scale: _,
    } = program;
    let names = classes.iter().filter(|class| class.id.minor != TREE);
    let names = names.map(|class| (class.id.minor, format!("class.{}", class.why.name)));
    let mut walk = Walk {
        wan: wan.as_str(),
        ifb: ifb.as_str(),
        names: names.chain([(TREE, "tree".to_owned())]).collect(),
        police: indexes(program),
        flag: marks.as_ref().map_or(0, |marks| marks.flag),
        tins: qdiscs.iter().filter(|qdisc| is_cake_root(qdisc)).map(|qdisc| qdisc.dev).collect(),
        places: BTreeMap::new(),
    };
    qdiscs.iter().for_each(|qdisc| walk.qdisc(qdisc));
    classes.iter().for_each(|class| walk.class(class));
    filters.iter().for_each(|filter| walk.filter(filter));
    decrypted.iter().for_each(|tunnel| walk.decrypted(tunnel));
    marks.iter().for_each(|marks| walk.marks(marks));
    walk.settings(settings);
    walk.places
}

fn is_cake_root(qdisc: &Qdisc) -> bool {
    qdisc.parent == Parent::Root && matches!(qdisc.kind, QdiscKind::Cake { .. })
}

struct Walk<'a> {
    wan: &'a str,
    ifb: &'a str,
    /// Prefix of the row ids for a class, by the minor number of the class.
    names: BTreeMap<u16, String>,
    police: BTreeMap<u32, String>,
    /// Bit that flags a restored mark.
    flag: u32,
    /// Devices whose root is a CAKE.
    tins: Vec<Dev>,
    places: BTreeMap<String, BTreeSet<Place>>,
}

impl Walk<'_> {
    const fn dev(&self, dev: Dev) -> &str {
        match dev {
            Dev::Wan => self.wan,
            Dev::Ifb => self.ifb,
        }
    }

    fn say(&mut self, object: &str, word: &str, value: impl Display, id: impl Into<String>) {
        self.say_on_some(None, (object, word), value, id);
    }

    fn say_on(
        &mut self,
        on: &'static str,
        (object, word): (&str, &str),
        value: impl Display,
        id: impl Into<String>,
    ) {
        self.say_on_some(Some(on), (object, word), value, id);
    }

    fn say_on_some(
        &mut self,
        on: Option<&'static str>,
        (object, word): (&str, &str),
        value: impl Display,
        id: impl Into<String>,
    ) {
        let (object, word, value) = (object.to_owned(), word.to_owned(), value.to_string());
        self.places.entry(id.into()).or_default().insert(Place { object, word, value, on });
    }

    /// Returns the prefix of a class's row ids.
    fn name(&self, handle: Handle) -> String {
        self.names.get(&handle.minor).cloned().unwrap_or_default()
    }

    /// Returns the row id for a handle of a root, a class or the qdisc of a class.
    fn handle(&self, handle: Handle) -> String {
        match (handle.major, handle.minor) {
            (ROOT, 0) => "root.handle".to_owned(),
            (ROOT, _) => format!("{}.number", self.name(handle)),
            (major, _) => format!("{}.number", self.name(Handle { major, minor: major })),
        }
    }

    fn parent(&mut self, object: &str, parent: Parent) {
        if let Parent::At(handle) = parent {
            self.say(object, "parent", handle, self.handle(handle));
        }
    }

    fn class(&mut self, class: &HtbClass) {
        let HtbClass { dev, parent, id, rate, ceil, burst, cburst, prio, quantum, charge, why: _ } = class;
        let (name, direction_word) = (self.name(*id), direction_word(*dev));
        let object = &format!("class dev {} classid {id}", self.dev(*dev));
        let (guarantee, ceiling) = match id.minor {
            TREE => (format!("link.tree.{direction_word}"), format!("link.tree.{direction_word}")),
            _ => (format!("{name}.{direction_word}.guarantee"), format!("{name}.{direction_word}.ceiling")),
        };
        self.parent(object, *parent);
        self.say(object, "classid", id, format!("{name}.number"));
        self.say(object, "rate", format!("{}bit", rate.bps()), guarantee);
        self.say(object, "ceil", format!("{}bit", ceil.bps()), ceiling);
        self.say(object, "burst", burst.get(), format!("{name}.{direction_word}.burst"));
        self.say(object, "cburst", cburst.get(), format!("{name}.{direction_word}.cburst"));
        self.say(object, "prio", prio, format!("{name}.priority"));
        self.say(object, "quantum", quantum, format!("{name}.{direction_word}.quantum"));
        self.charge(object, *charge, Hook::Root);
    }

    fn charge(&mut self, object: &str, charge: Charge, hook: Hook) {
        let Charge { overhead, mpu, linklayer } = charge;
        let id = if hook == Hook::Ingress { "charge.overhead.ingress" } else { "charge.overhead" };
        match overhead {
            Overhead::Fixed(bytes) => self.say(object, "overhead", bytes, id),
            Overhead::AboveIp(_) => {
                for (header, device) in DEVICES {
                    let bytes = overhead.with_header(hook.header(header));
                    self.say_on(device, (object, "overhead"), bytes, id);
                }
            }
        }
        self.say(object, "mpu", mpu, "charge.mpu");
        self.say(object, "linklayer", linklayer.as_str(), "charge.linklayer");
    }

    fn qdisc(&mut self, qdisc: &Qdisc) {
        let Qdisc { dev, parent, handle, kind, instead, why: _ } = qdisc;
        let object = &match parent {
            Parent::Clsact => format!("qdisc dev {} clsact", self.dev(*dev)),
            Parent::Root | Parent::At(_) => format!("qdisc dev {} handle {handle}", self.dev(*dev)),
        };
        self.parent(object, *parent);
        if *parent != Parent::Clsact {
            self.say(object, "handle", handle, self.handle(*handle));
        }
        let name = match parent {
            Parent::At(class) => self.name(*class),
            Parent::Root | Parent::Clsact => String::new(),
        };
        self.kind(object, kind, &name, direction_word(*dev));
        if let Some(QdiscKind::Cake { rtt, memory, .. }) = instead {
            const WHERE: &str = "aggregates cannot be turned off";
            self.say_on(WHERE, (object, "rtt"), format!("{}us", rtt.us()), "router.instead.rtt");
            self.say_on(
                WHERE,
                (object, "memlimit"),
                memory.get(),
                format!("{name}.{}.fq_codel.memory", direction_word(*dev)),
            );
        }
    }

    /// Adds the options of a qdisc. `name` is the prefix of the class's row ids; it is empty at a root.
    fn kind(&mut self, object: &str, kind: &QdiscKind, name: &str, direction_word: &str) {
        match kind {
            QdiscKind::Htb { direct_qlen, stab } => {
                self.say(object, "default", 0, "root.default");
                self.say(object, "r2q", R2Q, "root.r2q");
                self.say(object, "direct_qlen", direct_qlen, "root.direct_qlen");
                for (header, device) in DEVICES {
                    if let Stab::Fixed(bytes) = stab.with_header(header) {
                        self.say_on(device, (object, "overhead"), bytes, "charge.stab");
                    }
                }
            }
            QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => {
                let id = |what: &str| format!("{name}.{direction_word}.fq_codel.{what}");
                self.say(object, "limit", limit, id("limit"));
                self.say(object, "flows", flows, id("flows"));
                self.say(object, "quantum", quantum, id("quantum"));
                self.say(object, "target", format!("{}us", target.us()), id("target"));
                self.say(object, "interval", format!("{}us", interval.us()), id("interval"));
                self.say(object, "memory_limit", memory.get(), id("memory"));
                self.say(object, "drop_batch", DROP_BATCH, id("drop_batch"));
                self.say(object, if *ecn { "ecn" } else { "noecn" }, "", id("ecn"));
            }
            QdiscKind::Cake { shaper, rtt, tins, ack_filter, wash, isolation, nat, memory } => {
                let (own, rate) = match name {
                    "" => (format!("cake.{direction_word}"), format!("link.tree.{direction_word}")),
                    _ => {
                        (format!("{name}.{direction_word}.cake"), format!("{name}.{direction_word}.ceiling"))
                    }
                };
                let id = |what: &str| format!("{own}.{what}");
                let root = name.is_empty();
                if let Some(shaper) = shaper {
                    self.shaper(object, *shaper, rate);
                }
                self.say(object, tins.as_str(), "", id("diffserv"));
                self.say(object, isolation.as_str(), "", id(if root { "share" } else { "isolation" }));
                self.say(object, if *nat { "nat" } else { "nonat" }, "", id("nat"));
                self.say(object, if *wash { "wash" } else { "nowash" }, "", id("wash"));
                let filter = if *ack_filter { "ack-filter" } else { "no-ack-filter" };
                self.say(object, filter, "", id("ack_filter"));
                self.say(object, "rtt", format!("{}us", rtt.us()), id("rtt"));
                self.say(object, "memlimit", memory.get(), id("memory"));
            }
            QdiscKind::Pfifo { limit } => {
                self.say(object, "limit", limit, format!("{name}.{direction_word}.fifo.limit"))
            }
            QdiscKind::Clsact => {}
        }
    }

    fn shaper(&mut self, object: &str, shaper: CakeShaper, rate_id: String) {
        let CakeShaper { rate, overhead, mpu, linklayer, ingress, mq: _ } = shaper;
        self.say(object, "bandwidth", format!("{}bit", rate.bps()), rate_id);
        let row = match overhead {
            CakeOverhead::AboveIpInLeaf(_) => "charge.overhead.cake.leaf",
            CakeOverhead::AboveIp(_) | CakeOverhead::Fixed(_) => "charge.overhead.cake",
        };
        for (header, device) in DEVICES {
            if let CakeOverhead::Fixed(bytes) = overhead.with_header(header) {
                self.say_on(device, (object, "overhead"), bytes, row);
            }
        }
        self.say(object, "mpu", mpu, "charge.mpu.cake");
        let cells = if linklayer == LinkLayer::Atm { "atm" } else { "noatm" };
        self.say(object, cells, "", "charge.linklayer");
        self.say(object, if ingress { "ingress" } else { "egress" }, "", "link.ingress");
    }

    fn filter(&mut self, filter: &Filter) {
        let Filter {
            dev,
            hook: at,
            pref,
            protocol: _,
            classifier: _,
            selector: _,
            flowid,
            actions,
            with: _,
            why,
        } = filter;
        // a selector's values repeat the match in that line of the file, so they have no rows
        let object = &format!("filter dev {} {}", self.dev(*dev), at.as_str());
        self.say(object, "pref", pref, preference_id(filter));
        if let Some(flowid) = flowid {
            self.say(object, "flowid", flowid, self.handle(*flowid));
        }
        for action in actions {
            match action {
                Action::Police(police) => self.police(object, police, *at),
                Action::Priority(to) => {
                    let id = match self.tins.contains(dev) && *at == Hook::Root {
                        true => format!("class.{}.{}.tin", why.name, direction_word(*dev)),
                        false => self.handle(*to),
                    };
                    self.say(object, "priority", to, id);
                }
                Action::Restore { mask, flag } => {
                    // connections whose own mark has the flag's bit have a filter of their own, which comes first
                    let (bits, set) = match (filter.selector.mark, *flag) {
                        (_, 0) if self.flag != 0 => ("marks.flag", ""),
                        (Some(mark), _) if mark.value != 0 => ("marks.rest", "marks.spoiled"),
                        _ => ("marks.restored", "marks.flag"),
                    };
                    if *mask != 0 {
                        self.say(object, "cpmark", format!("{mask:#010x}"), bits);
                    }
                    if *flag != 0 {
                        self.say(object, "mark", format!("{flag:#010x}/{flag:#010x}"), set);
                    }
                }
                Action::SetDscp { dscp, .. } => {
                    let bits = format!("{:#04x}", u32::from(dscp.bits()) << 2);
                    if dscp.bits() == 0 {
                        self.say(object, "set", &bits, format!("link.wash.{}", direction_word(*dev)));
                    }
                    // the name of a host class begins with the name of its leaf
                    let leaf = why.name.rsplit_once('/').map(|(leaf, _)| leaf);
                    for name in [Some(why.name.as_str()), leaf].into_iter().flatten() {
                        self.say(object, "set", &bits, format!("class.{name}.set_dscp"));
                    }
                }
                Action::ClearLabel => self.say(object, "set", 0, "router.labels"),
                Action::Redirect(_) | Action::Pass => {}
            }
        }
    }

    fn police(&mut self, object: &str, police: &Police, at: Hook) {
        let Police { index, rate, burst, mtu, charge, conform: _, exceed: _ } = police;
        let name = self.police.get(index).cloned().unwrap_or_default();
        let object = &format!("{object} police {index}");
        let rate_id =
            if name.is_empty() { "link.tree.down".to_owned() } else { format!("police.{name}.rate") };
        self.say(object, "rate", format!("{}bit", rate.bps()), rate_id);
        self.say(object, "burst", burst.get(), format!("police.{name}.burst"));
        self.say(object, "mtu", mtu, "charge.police.mtu");
        self.say(object, "index", index, format!("police.{name}.index"));
        self.charge(object, *charge, at);
    }

    fn decrypted(&mut self, tunnel: &Decrypted) {
        let Decrypted { device, more: _, header: _, port: _, uploads, restored: _, why } = tunnel;
        if tunnel.more.is_none() {
            let object = &format!("filter dev {device} ingress");
            for pref in [INGRESS_PREF, INGRESS_LAST_PREF] {
                self.say(object, "pref", pref, format!("link.devices.{device}.filters"));
            }
        }
        for hook in if *uploads { &["ingress", "egress"][..] } else { &["ingress"] } {
            let object = &format!("filter dev {device} {hook}");
            for (header, kind) in without_frames() {
                if let Some(tags) = tunnel.tags(header) {
                    self.say_on(kind, (object, "vlan push"), tags, format!("tunnel.{}.tags", why.name));
                }
            }
        }
    }

    fn marks(&mut self, marks: &Marks) {
        let Marks { mask, restored: _, flag: _, lookups, tunnels: _, why: _ } = marks;
        self.say("nft table", "mask", format!("{mask:#010x}"), "marks.mask");
        for Lookup { name, bits, elements: _ } in lookups {
            let id = format!("marks.{}", name.trim_end_matches(|c: char| c.is_ascii_digit()));
            self.say("nft table", &format!("bits of {name}"), format!("{bits:#010x}"), id);
        }
    }

    fn settings(&mut self, settings: &Settings) {
        let Settings { txqueuelen, bql, sysctls, split, receivers: _ } = settings;
        let wan = &format!("link dev {}", self.wan);
        if let Some(length) = txqueuelen {
            self.say(wan, "txqueuelen", length, "router.txqueuelen");
        }
        if let Some(bytes) = bql {
            self.say(wan, "byte_queue_limits/limit_max", bytes.get(), "router.bql");
        }
        for Sysctl { path, value } in sysctls {
            self.say("sysctl", path, value, format!("sysctl.{path}"));
        }
        for (name, split) in [("up", split.up), ("down", split.down)] {
            if split {
                self.say("ethtool", &format!("aggregates off {name}"), split, format!("router.split.{name}"));
            }
        }
    }
}
