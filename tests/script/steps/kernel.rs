//! A simulated kernel: the output of tc for a program, in the script's normal form, and changes by others.

use super::household::Dice;
use qosc_compiler::tc::{
    Action, Dev, EGRESS_END_PREF, EGRESS_PREF, Facts, Filter, HOOK_BANK, Handle, Hook, INGRESS_LAST_PREF,
    INGRESS_PREF, Overhead, Parent, Program, Qdisc, QdiscKind, ROOT, SLOT_BIT, Stab, TREE,
};

/// A device's trees and filters, as lines.
#[derive(Default, Clone)]
struct Device {
    qdiscs: Vec<String>,
    classes: Vec<String>,
    /// The lines of each filter at the root. At HTB, these are the entries of the slots, slot b first.
    entries: Vec<String>,
    /// The lines of each filter at the top class of slot a and of slot b.
    lists: [Vec<String>; 2],
}

#[derive(Clone)]
pub struct Kernel {
    hooks: Vec<(u32, String)>,
    wan: Device,
    /// The ifb of uploads.
    uploads: Device,
    ifb: Device,
    /// 0: missing; 1: down; 2: up.
    pub ifb_up: u8,
    /// The same for a second ifb, which an older script has left.
    pub second_up: u8,
    /// The same for the ifb of uploads.
    pub uploads_up: u8,
    pub hooked: String,
    /// The devices of tunnels.
    tunnels: Vec<Tunnel>,
}

#[derive(Clone)]
struct Tunnel {
    name: String,
    hook: &'static str,
    index: usize,
    port: u16,
    filters: Vec<(u32, String)>,
}

impl Kernel {
    /// The state after a completed start, in one bank or the other.
    pub fn of(program: &Program, facts: Facts, dice: &mut Dice) -> Kernel {
        let program = &program.on(facts);
        let shaped = program.qdiscs.iter().any(|q| q.dev == Dev::Ifb);
        // An older script may have sent downloads to its second ifb.
        let name = if shaped && dice.one_in(6) { "ifb2-home" } else { "ifb-home" };
        let bank = dice.one_in(2);
        let hooks =
            [Hook::Ingress, Hook::Egress].map(|hook| filters(program, Dev::Wan, hook, bank, name)).concat();
        let mut wan = tree(program, Dev::Wan, Place::any(dice));
        let mut uploads = Device::default();
        if program.is_up_by_ifb {
            uploads = std::mem::replace(&mut wan, Device::empty());
        }
        let ifb = if shaped { tree(program, Dev::Ifb, Place::any(dice)) } else { Device::default() };
        let needs = program.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact);
        let tunnels = program.decrypted.iter().enumerate().map(|(number, tunnel)| Tunnel {
            name: tunnel.device.to_string(),
            hook: "clsact",
            index: 7 + number,
            port: tunnel.port.unwrap_or_default(),
            filters: decrypted(dice.one_in(2), name, number, tunnel.uploads),
        });
        let tunnels = tunnels.collect();
        let uploads_up = if program.is_up_by_ifb { 2 } else { 0 };
        Kernel {
            hooks,
            wan,
            uploads,
            ifb,
            ifb_up: if shaped { 2 } else { 0 },
            second_up: if name == "ifb2-home" { 2 } else { 0 },
            uploads_up,
            hooked: if needs { "clsact" } else { "" }.to_owned(),
            tunnels,
        }
    }

    /// Removes everything of ours.
    pub fn forget_everything(&mut self) {
        self.hooks.clear();
        self.wan = Device::empty();
        self.uploads = Device::default();
        self.ifb = Device::default();
        (self.ifb_up, self.second_up, self.uploads_up) = (0, 0, 0);
        self.hooked.clear();
        self.tunnels.iter_mut().for_each(Tunnel::anew);
    }

    /// Adds the tunnel devices of a program, which may have appeared since.
    pub fn with_devices(&mut self, program: &Program) {
        for tunnel in &program.decrypted {
            if self.tunnels.iter().all(|own| own.name != tunnel.device.as_str()) {
                let (name, index) = (tunnel.device.to_string(), 20 + self.tunnels.len());
                self.tunnels.push(Tunnel { name, index, hook: "none", port: 51820, filters: Vec::new() });
            }
        }
    }

    /// The devices whose hook the script has made, as drawn here.
    pub fn made(&self, dice: &mut Dice) -> Vec<(String, String)> {
        let made = self.tunnels.iter().filter(|_| !dice.one_in(4));
        made.map(|tunnel| (tunnel.name.clone(), tunnel.index.to_string())).collect()
    }

    /// The state in the script's normal form, as a script shows it whose uploads pass an ifb, or not.
    pub fn text(&self, by_ifb: bool) -> String {
        let mut lines = vec!["by 0 on eth0 2, header 14, ethtool yes, boot b".to_owned()];
        lines.extend(self.hooks.iter().map(|(_, text)| text.clone()));
        let ifb = Some(&self.ifb).filter(|_| self.ifb_up > 0);
        let uploads = Some(&self.uploads).filter(|_| self.uploads_up > 0);
        let up = if by_ifb { uploads } else { Some(&self.wan) };
        let last = Some(&self.wan).filter(|_| by_ifb);
        for device in up.into_iter().chain(ifb).chain(last) {
            lines.extend(device.qdiscs.iter().chain(&device.classes).cloned());
            lines.extend(device.entries.iter().chain(device.lists.iter().flatten()).cloned());
        }
        lines.push("ifb-home up".to_owned());
        lines.extend(uploads.filter(|_| by_ifb).map(|_| "ifbu-home up".to_owned()));
        for Tunnel { name, hook, index, port, filters } in &self.tunnels {
            lines.push(format!("tunnel {name} {index} {hook} {port}"));
            lines.extend(filters.iter().map(|(_, text)| text.clone()));
        }
        lines.push("tunnel wg-gone gone".to_owned());
        lines.push("table inet qosc_home {".to_owned());
        lines.join("\n") + "\n"
    }

    /// Changes the state as others do, or as a start that was killed leaves it.
    pub fn meddle(&mut self, dice: &mut Dice, new: &Program, facts: Facts) {
        for _ in 0..1 + dice.below(3) {
            let (dev, device) = match dice.one_in(3) {
                true => (Dev::Ifb, &mut self.ifb),
                false if self.uploads_up > 0 => (Dev::Wan, &mut self.uploads),
                false => (Dev::Wan, &mut self.wan),
            };
            match dice.below(20) {
                0 => remove(dice, &mut device.classes),
                1 => remove(dice, &mut device.qdiscs),
                2 => change(dice, &mut device.classes),
                3 => change(dice, &mut device.qdiscs),
                4 => device.other_root(),
                // A start was killed while it built a tree, or before it had deleted the old one.
                5..=7 => {
                    let place = Place::any(dice);
                    device.half(dice, &tree(&new.on(facts), dev, place));
                }
                8 => {
                    let hooks = filters(&new.on(facts), Dev::Wan, Hook::Ingress, dice.one_in(2), "ifb2-home");
                    half(dice, &mut self.hooks, hooks);
                    self.hooked = "clsact".to_owned();
                }
                9 => self.second_up = 1,
                10 => (self.ifb_up, self.uploads_up) = (self.ifb_up.min(1), self.uploads_up.min(1)),
                11 => (self.ifb_up, self.uploads_up) = (0, 0),
                // Others have a filter at the root, or a class.
                12 => device.entries.push("filter protocol all pref 10 matchall chain 0".to_owned()),
                13 => device.classes.push(
                    "class htb c05:2 parent c05:a000 prio 0 rate 20Mbit ceil 20Mbit level 0".to_owned(),
                ),
                // An entry is missing, or the end of a list.
                14 => drop(device.entries.pop()),
                15 => device.lists.iter_mut().for_each(|list| drop(list.pop())),
                16 => {
                    let [a, b] = &mut device.lists;
                    let list = if device.entries.len() > 2 {
                        &mut device.entries
                    } else if a.is_empty() {
                        b
                    } else {
                        a
                    };
                    list.truncate(list.len() / 2);
                }
                // A tunnel's device was recreated, a start was killed while it filled a bank, or others have filters
                // there.
                number => {
                    let all = self.tunnels.len();
                    let (at, second) = (dice.below(all.max(1)), dice.one_in(2));
                    if let Some(tunnel) = self.tunnels.get_mut(at) {
                        match number {
                            17 => tunnel.anew(),
                            18 => {
                                tunnel.hook = "clsact";
                                half(dice, &mut tunnel.filters, decrypted(second, "ifb2-home", at, true));
                            }
                            _ => {
                                tunnel.hook = "ingress";
                                tunnel
                                    .filters
                                    .push((9, "filter protocol all pref 9 matchall chain 0".to_owned()));
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The slot and the chain of a tree's list.
#[derive(Clone, Copy)]
struct Place {
    in_b: bool,
    second: bool,
}

impl Place {
    fn any(dice: &mut Dice) -> Place {
        Place { in_b: dice.one_in(2), second: dice.one_in(2) }
    }

    fn chain(self) -> u32 {
        1 + u32::from(self.second) + if self.in_b { 4 } else { 0 }
    }

    /// The preference of the entry that leads to the chain.
    fn pref(self) -> u32 {
        4 - u32::from(self.second) + if self.in_b { 4 } else { 0 }
    }
}

impl Device {
    /// A device without a tree.
    fn empty() -> Device {
        let root = "qdisc fq_codel 0: root limit 10240p flows 1024".to_owned();
        Device { qdiscs: vec![root], ..Device::default() }
    }

    fn is_cake(&self) -> bool {
        self.qdiscs.first().is_some_and(|root| root.starts_with("qdisc cake "))
    }

    fn other_root(&mut self) {
        if let Some(root) = self.qdiscs.first_mut() {
            *root = root.replace("direct_qlen 1000", "direct_qlen 32").replace("bandwidth ", "bandwidth 1");
        }
    }

    /// Adds the beginning of another tree: its classes with their queues, its filters, or also its entry.
    fn half(&mut self, dice: &mut Dice, other: &Device) {
        let some = |dice: &mut Dice, lines: &[String]| lines[..dice.below(lines.len() + 1)].to_vec();
        let stage = dice.below(4);
        if !other.is_cake() {
            self.classes.extend(if stage > 0 { other.classes.clone() } else { some(dice, &other.classes) });
            self.qdiscs.extend(other.qdiscs.iter().filter(|line| line.contains(" parent c05:")).cloned());
        }
        for (own, list) in self.lists.iter_mut().zip(&other.lists).filter(|_| stage > 1) {
            own.extend(if stage > 2 { list.clone() } else { some(dice, list) });
        }
        if stage > 2 && dice.one_in(2) {
            self.entries.extend(other.entries.iter().cloned());
        }
    }
}

impl Tunnel {
    fn anew(&mut self) {
        (self.hook, self.index) = ("none", self.index + 1);
        self.filters.clear();
    }
}

/// The output of tc for the hooks of a tunnel's device: the ingress, and perhaps the egress.
fn decrypted(second: bool, ifb: &str, number: usize, uploads: bool) -> Vec<(u32, String)> {
    let bank = if second { u32::from(HOOK_BANK) } else { 0 };
    let egress = [(EGRESS_PREF, "ip"), (EGRESS_END_PREF - 1, "ipv6")].into_iter().filter(|_| uploads);
    let families = [(INGRESS_PREF, "ip"), (INGRESS_LAST_PREF, "ipv6")].into_iter().chain(egress);
    let line = |(pref, family): (u16, &str)| {
        let ifb = if pref < EGRESS_PREF { ifb } else { "ifbu-home" };
        let pref = u32::from(pref) + bank;
        let head = format!("filter protocol {family} pref {pref} u32 chain 0");
        let words = format!(
            "{head}\n{head} fh 80{number}: ht divisor 1\n{head} fh 80{number}::800 order 2048 key ht 80{number} bkt 0\n  \
             match 00000000/00000000 at 0\n\taction order 1: vlan  push_eth pipe\n\taction order 2: mirred (Egress Redirect \
             to device {ifb}) stolen"
        );
        (pref, words)
    };
    families.map(line).collect()
}

fn remove(dice: &mut Dice, lines: &mut Vec<String>) {
    if lines.len() > 1 {
        lines.remove(1 + dice.below(lines.len() - 1));
    }
}

fn change(dice: &mut Dice, lines: &mut [String]) {
    if lines.len() > 1 {
        let number = 1 + dice.below(lines.len() - 1);
        lines[number] = lines[number].replace("rate ", "rate 1").replace("flows 1024", "flows 32");
    }
}

fn half(dice: &mut Dice, held: &mut Vec<(u32, String)>, other: Vec<(u32, String)>) {
    let heads = dice.below(other.len() + 1);
    if dice.one_in(3) {
        held.truncate(held.len() / 2);
    }
    held.extend(other.into_iter().take(heads));
    held.sort_by_key(|(pref, _)| *pref);
}

/// Returns a program whose classes have the ids of a slot.
fn in_slot(program: &Program, in_b: bool) -> Program {
    let mut program = program.clone();
    if in_b {
        let moved = |handle: &mut Handle| {
            if handle.minor != 0 {
                handle.minor |= SLOT_BIT;
            }
        };
        for class in &mut program.classes {
            moved(&mut class.id);
            if let Parent::At(parent) = &mut class.parent {
                moved(parent);
            }
        }
        for qdisc in &mut program.qdiscs {
            if let Parent::At(parent) = &mut qdisc.parent {
                moved(parent);
                qdisc.handle.major |= SLOT_BIT;
            }
        }
        program.filters.iter_mut().filter_map(|filter| filter.flowid.as_mut()).for_each(moved);
    }
    program
}

fn tree(program: &Program, dev: Dev, place: Place) -> Device {
    let is_root = |q: &&Qdisc| q.dev == dev && q.parent == Parent::Root;
    let is_cake =
        program.qdiscs.iter().find(is_root).is_some_and(|q| matches!(q.kind, QdiscKind::Cake { .. }));
    let place = Place { in_b: place.in_b && !is_cake, ..place };
    let program = &in_slot(program, place.in_b);
    let of_dev = program.qdiscs.iter().filter(|q| q.dev == dev);
    let (roots, leaves): (Vec<&Qdisc>, Vec<&Qdisc>) =
        of_dev.filter(|q| q.kind != QdiscKind::Clsact).partition(|q| q.parent == Parent::Root);
    let mut device = Device::default();
    for qdisc in roots.into_iter().chain(leaves.iter().copied()) {
        device.qdiscs.extend(qdisc_lines(qdisc));
    }
    if dev == Dev::Wan {
        device.qdiscs.push("qdisc clsact ffff: parent ffff:fff1".to_owned());
    }
    for class in program.classes.iter().filter(|class| class.dev == dev) {
        let parent = match class.parent {
            Parent::At(handle) if handle.minor == 0 => "root".to_owned(),
            Parent::At(handle) => format!("parent {handle}"),
            Parent::Root | Parent::Clsact => "root".to_owned(),
        };
        let leaf = leaves.iter().find(|leaf| leaf.parent == Parent::At(class.id));
        let leaf = leaf.map(|leaf| format!(" leaf {}", leaf.handle)).unwrap_or_default();
        let overhead = match class.charge.overhead {
            Overhead::Fixed(bytes) | Overhead::AboveIp(bytes) => bytes,
        };
        device.classes.push(format!(
            "class htb {} {parent}{leaf} prio {} quantum {} rate {}bit overhead {overhead} ceil {}bit burst {}b/1 mpu {}b level 0",
            class.id,
            class.prio,
            class.quantum,
            class.rate.bps(),
            class.ceil.bps(),
            class.burst.get(),
            class.charge.mpu
        ));
    }
    // tc shows classes in the order of a hash, which is not that of the program.
    let middle = device.classes.len() / 2;
    device.classes.rotate_left(middle);
    let list = filters(program, dev, Hook::Root, false, "ifb-home").into_iter().map(|(_, text)| text);
    let mut list: Vec<String> =
        list.map(|text| text.replace(" chain 0", &format!(" chain {}", place.chain()))).collect();
    let entry = |pref: u32, words: &str| {
        let head = format!("filter protocol all pref {pref} u32 chain 0");
        format!(
            "{head}\n{head} fh 8{pref:02}: ht divisor 1\n{head} fh 8{pref:02}::800 order 2048 key ht 8{pref:02} bkt 0 {words}"
        )
    };
    if !list.is_empty() {
        let chain = place.chain();
        let action =
            format!("\taction order 1: gact action goto chain {chain}\n\t random type none pass val 0");
        list.push(entry(place.pref(), &format!("terminal flowid\n{action}")));
    }
    if is_cake {
        device.entries = list;
    } else {
        let top = Handle { major: ROOT, minor: if place.in_b { TREE | SLOT_BIT } else { TREE } };
        device.entries.push(entry(if place.in_b { 1 } else { 2 }, &format!("*flowid {top}")));
        device.lists[usize::from(place.in_b)] = list;
    }
    device
}

fn qdisc_lines(qdisc: &Qdisc) -> Vec<String> {
    let parent = match qdisc.parent {
        Parent::At(handle) => format!("parent {handle}"),
        Parent::Root | Parent::Clsact => "root".to_owned(),
    };
    let line = |kind: &str, rest: &str| format!("qdisc {kind} {} {parent} {rest}", qdisc.handle);
    match &qdisc.kind {
        QdiscKind::Htb { direct_qlen, stab } => {
            let root = line("htb", &format!("r2q 10 default 0 ver 3.17 direct_qlen {direct_qlen}"));
            match stab {
                Stab::Fixed(bytes) => vec![root, format!(" linklayer ethernet overhead {bytes}")],
                _ => vec![root],
            }
        }
        QdiscKind::FqCodel { limit, flows, quantum, .. } => {
            vec![line(
                "fq_codel",
                &format!("limit {limit}p flows {flows} quantum {quantum} ecn drop_batch 64"),
            )]
        }
        QdiscKind::Cake { shaper, tins, isolation, .. } => {
            let rate =
                shaper.map_or_else(|| "unlimited".to_owned(), |shaper| format!("{}bit", shaper.rate.bps()));
            let (tins, hosts) = (
                format!("{tins:?}").to_lowercase(),
                format!("{isolation:?}").replace("Dual", "dual-").to_lowercase(),
            );
            vec![line("cake", &format!("bandwidth {rate} {tins} {hosts} nonat"))]
        }
        QdiscKind::Pfifo { limit } => vec![line("pfifo", &format!("limit {limit}p"))],
        QdiscKind::Clsact => vec![],
    }
}

fn filters(program: &Program, dev: Dev, hook: Hook, second: bool, ifb: &str) -> Vec<(u32, String)> {
    let bank = if second { u32::from(HOOK_BANK) } else { 0 };
    let mut out: Vec<(u32, String)> = Vec::new();
    let mut table = 0x800;
    for (number, filter) in program.filters.iter().filter(|f| f.dev == dev && f.hook == hook).enumerate() {
        let pref = u32::from(filter.pref) + bank;
        let head = format!("filter protocol {:?} pref {pref} u32 chain 0", filter.protocol).to_lowercase();
        let mut lines = Vec::new();
        if out.last().is_none_or(|(last, _)| *last != pref) {
            table += 1;
            lines.extend([head.clone(), format!("{head} fh {table:x}: ht divisor 1")]);
        }
        let flowid = filter.flowid.map(|id| format!(" *flowid {id}")).unwrap_or_default();
        lines.push(format!(
            "{head} fh {table:x}::{:x} order {} key ht {table:x} bkt 0{flowid}",
            0x800 + number,
            2048 + number
        ));
        lines.extend(words(filter, ifb));
        out.push((pref, lines.join("\n")));
    }
    out
}

fn words(filter: &Filter, ifb: &str) -> Vec<String> {
    let words = filter
        .selector
        .words
        .iter()
        .map(|(at, word)| format!("  match {:08x}/{:08x} at {at}", word.value, word.mask));
    let actions = filter.actions.iter().map(|action| match action {
        Action::Redirect(_) => format!("\taction order 1: mirred (Egress Redirect to device {ifb}) stolen"),
        other => format!(
            "\taction order 1: {}",
            format!("{other:?}").split_whitespace().next().unwrap_or_default()
        ),
    });
    words.chain(actions).collect()
}
