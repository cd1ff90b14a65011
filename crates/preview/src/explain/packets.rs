//! Sections on packets: their bytes on the line, the goodput, serialization delays and the longest wait behind others.

use super::Wanted;
use super::row::PACKET;
use super::row::{ExplanationRow, ExplanationSection, derived, fixed};
use qosc_compiler::derive::{self, Packet};
use qosc_compiler::diag::count;
use qosc_compiler::model::{Direction, Layer, Model, Wire, whole_queues};
use qosc_compiler::units::{Micros, Percent, Rate};

/// IP bytes of the packets whose goodput is shown: the smallest Ethernet frame, the least that every host accepts, a full
/// one.
const SIZES: [u64; 3] = [64, 576, 1500];

/// Id of the row on the packet whose serialization delay is shown beside that of a full packet.
const SMALL: &str = "packet.small";

/// Section on the bytes and the goodput of each packet size.
pub(super) fn goodput(model: &Model, wanted: Wanted) -> ExplanationSection {
    let packet = Packet::of(&model.link);
    let full = u64::from(packet.mtu);
    let mut sizes: Vec<u64> = SIZES.to_vec();
    if !sizes.contains(&full) {
        sizes.push(full);
        sizes.sort_unstable();
    }
    let formula = format!("the most that a qdisc can count for a full packet: {full} and a header");
    let mut rows = vec![
        derived("packet.full", "a full packet", packet.full(), charged(packet.wire, full)).takes([
            "link.mtu",
            "link.overhead",
            "link.mpu",
            "link.layer",
        ]),
        derived("packet.frame", "a frame", packet.frame(), formula).takes(["link.mtu"]),
        small(packet, wanted),
    ];
    rows.extend(sizes.iter().flat_map(|size| sized(model, packet.wire, *size)));
    let mut section = ExplanationSection::new("packets on the line", rows);
    let asked = u64::from(wanted.packet_size);
    if asked > full {
        section.words.push(format!(
            "a packet of {asked} bytes exceeds the MTU, {full}: this line carries it only in fragments, and its delays are those of a line with a larger MTU"
        ));
    }
    section
}

/// Row on the packet whose serialization delay is shown beside that of a full packet.
fn small(packet: Packet, wanted: Wanted) -> ExplanationRow {
    let ip = u64::from(wanted.packet_size);
    derived(SMALL, format!("a packet of {ip} bytes"), packet.wire.bytes(ip), charged(packet.wire, ip))
        .takes(["link.overhead", "link.mpu", "link.layer"])
}

fn sized(model: &Model, wire: Wire, size: u64) -> Vec<ExplanationRow> {
    let cost = wire.bytes(size);
    let id = |what: &str| format!("packets.{size}.{what}");
    let what = match size > u64::from(model.link.mtu.value) {
        true => format!("{size} bytes, above the MTU"),
        false => format!("{size} bytes of IP"),
    };
    let mut rows = vec![derived(id("bytes"), what, format!("{cost} bytes"), charged(wire, size)).takes([
        "link.overhead",
        "link.mpu",
        "link.layer",
    ])];
    for direction in Direction::BOTH {
        let name = direction.as_str();
        let shaped = model.link.shaped.get(direction).value;
        let takes = [id("bytes"), format!("link.shaped.{name}")];
        let payload = shaped.scale(size, cost);
        let formula = format!("{shaped} x {size}/{cost}");
        rows.push(
            derived(id(&format!("{name}.goodput")), format!("  goodput {name}"), kbit(payload), formula)
                .takes(takes.clone()),
        );
        rows.extend(model.link.line_rate(direction).map(|line| {
            derived(
                id(&format!("{name}.share")),
                format!("  of the line {name}"),
                share(payload, line.value),
                format!("{} / {}", kbit(payload), line.value),
            )
            .takes([id(&format!("{name}.goodput")), format!("link.line.{name}")])
        }));
        let packets = shaped.bps().checked_div(8 * cost).unwrap_or(0);
        rows.push(
            derived(
                id(&format!("{name}.packets")),
                format!("  packets a second {name}"),
                packets,
                format!("{shaped} / ({cost} bytes x 8)"),
            )
            .takes(takes),
        );
    }
    rows
}

fn charged(wire: Wire, size: u64) -> String {
    let plain = match wire.mpu {
        0 => format!("{size} + {}", wire.overhead),
        mpu => format!("the larger of {size} + {} and {mpu}", wire.overhead),
    };
    match wire.layer {
        Layer::Ethernet => plain,
        Layer::Ptm => format!("{plain}; the rate accounts for 64/65"),
        Layer::Atm => format!("{plain}, in ATM cells: 48 bytes take 53 on the line"),
    }
}

/// Returns `part` as a share of `whole` in tenths of a percent, rounded down.
fn share(part: Rate, whole: Rate) -> String {
    let tenths = u128::from(part.bps()) * 1000;
    let tenths = tenths.checked_div(u128::from(whole.bps())).unwrap_or(0);
    Percent::from_ppm(u32::try_from(tenths * 1000).unwrap_or(u32::MAX)).to_string()
}

/// Returns a rate in whole kbit for people, rounded down.
fn kbit(rate: Rate) -> Rate {
    match rate.bps() / 1000 {
        0 => rate,
        kbit => Rate::from_bps(kbit * 1000),
    }
}

/// Section on the wait of any packet behind one in service, and on bandwidth-delay products.
pub(super) fn on_the_line(model: &Model, wanted: Wanted) -> ExplanationSection {
    let rtt = wanted.rtt;
    let mut rows = Vec::new();
    for direction in model.link.shaped_directions() {
        let name = direction.as_str();
        let bytes = in_service(model, direction);
        let formula = match bytes == Packet::of(&model.link).full() {
            true => format!("a full packet, {}, as charged", model.link.mtu.value),
            false => "an aggregated packet of 65536 bytes, as charged: offloads stay on".to_owned(),
        };
        rows.push(
            derived(format!("wait.{name}.bytes"), format!("largest in service {name}"), bytes, formula)
                .takes(PACKET.into_iter().map(str::to_owned).chain([format!("router.split.{name}")])),
        );
        let tree = model.link.tree.get(direction).value;
        let formula = format!("{bytes} bytes at {tree}: transmission cannot be interrupted");
        rows.push(
            derived(format!("wait.{name}"), format!("its delay {name}"), tree.time_for(bytes), formula)
                .takes([format!("wait.{name}.bytes"), format!("link.tree.{name}")]),
        );
        let line = (tree, format!("link.tree.{name}"));
        rows.extend(delays(
            model,
            wanted,
            direction,
            &format!("delay.{name}"),
            line,
            "the rate of all classes",
        ));
    }
    let why = match rtt {
        Some(_) => "given by `--rtt`",
        None => "CoDel's interval, about the longest usual one; `--rtt` sets another",
    };
    let rtt = rtt.unwrap_or(derive::INTERVAL);
    rows.push(fixed("rtt", "round trip time", rtt, why));
    for direction in Direction::BOTH {
        let name = direction.as_str();
        let of = format!("link.shaped.{name}");
        rows.push(product(
            format!("bdp.{name}"),
            format!("BDP {name}"),
            model,
            (model.link.shaped.get(direction).value, of),
            rtt,
        ));
    }
    ExplanationSection::new("delays and bandwidth-delay products", rows)
}

/// Row on a bandwidth-delay product, in bytes and in full packets.
fn product(
    id: String,
    what: String,
    model: &Model,
    (rate, of): (Rate, String),
    rtt: Micros,
) -> ExplanationRow {
    let (bytes, full) = (rate.bytes_in(rtt), Packet::of(&model.link).full());
    let packets = bytes.div_ceil(full.max(1));
    derived(
        id,
        what,
        format!("{bytes} bytes, {}", count(usize::try_from(packets).unwrap_or(usize::MAX), "packet")),
        format!("{rate} x {rtt} / 8, full packets of {full}"),
    )
    .takes([of, "rtt".to_owned()])
    .takes(PACKET)
}

/// Rows `ID.small` and `ID.full`: serialization delays of the small packet and of a full one at a rate.
fn delays(
    model: &Model,
    wanted: Wanted,
    direction: Direction,
    id: &str,
    (rate, of): (Rate, String),
    at: &str,
) -> [ExplanationRow; 2] {
    let packet = Packet::of(&model.link);
    let (ip, name) = (u64::from(wanted.packet_size), direction.as_str());
    let row = |size: &str, packet_row: &str, ip: u64, bytes: u64| {
        derived(
            format!("{id}.{size}"),
            format!("serialization delay of {ip} bytes {name}"),
            rate.time_for(bytes),
            format!("{bytes} bytes at {rate}, {at}"),
        )
        .takes([packet_row.to_owned(), of.clone()])
    };
    let [full] = PACKET;
    [row("small", SMALL, ip, packet.wire.bytes(ip)), row("full", full, u64::from(packet.mtu), packet.full())]
}

/// Largest number of bytes on the wire that can be in service when a packet arrives.
pub(super) fn in_service(model: &Model, direction: Direction) -> u64 {
    let split = model.tuning.split.get(direction).value
        || model.cake.get(direction).is_some()
        || whole_queues(&model.classes, direction).next().is_none();
    derive::in_service(Packet::of(&model.link), split)
}

/// Rows on the delays and bandwidth-delay products of a class. A class that only borrows has no longest wait, and a
/// parent class has no packets of its own: it has no `priority`.
pub(super) fn of_class(
    model: &Model,
    class: &str,
    direction: Direction,
    (guarantee, ceiling): (Rate, Rate),
    priority: Option<u8>,
    wanted: Wanted,
) -> Vec<ExplanationRow> {
    let name = direction.as_str();
    let id = |what: &str| format!("class.{class}.{name}.{what}");
    let rtt = wanted.rtt.unwrap_or(derive::INTERVAL);
    let most =
        product(id("bdp.ceiling"), format!("BDP at ceiling {name}"), model, (ceiling, id("ceiling")), rtt);
    if derive::borrows(guarantee) {
        return vec![most];
    }
    let at = "its guarantee, if other classes use all the rest";
    let of = (guarantee, id("guarantee"));
    let mut rows = Vec::from(delays(model, wanted, direction, &id("delay"), of, at));
    rows.extend(priority.into_iter().flat_map(|priority| longest(model, class, direction, priority, wanted)));
    let of = (guarantee, id("guarantee"));
    rows.extend([product(id("bdp.guarantee"), format!("BDP at guarantee {name}"), model, of, rtt), most]);
    rows
}

/// Rows on the longest wait of a packet within the guarantee of a leaf class or host class, while another class fills
/// the line.
///
/// HTB sends the packet as soon as it is asked: whatever its priority is, and whatever the parents have used (sch_htb:
/// `htb_dequeue`, `htb_change_class_mode`). But the line may hold two packets of the other class. It sends one within its
/// guarantee even if it has just borrowed for one, because a borrowed packet does not count as one of the guarantee
/// (`htb_charge_class`).
fn longest(
    model: &Model,
    class: &str,
    direction: Direction,
    priority: u8,
    wanted: Wanted,
) -> [ExplanationRow; 3] {
    let name = direction.as_str();
    let id = |what: &str| format!("class.{class}.{name}.{what}");
    let (packet, tree, bytes) =
        (Packet::of(&model.link), model.link.tree.get(direction).value, in_service(model, direction));
    let small = packet.wire.bytes(u64::from(wanted.packet_size.min(packet.mtu)));
    let [full] = PACKET;
    let (own, size) = if priority <= derive::URGENT { (small, SMALL) } else { (packet.full(), full) };
    let (before, last) = (tree.time_for(bytes.saturating_mul(2)), tree.time_for(own));
    let line = format!("link.tree.{name}");
    let formula =
        format!("2 x {bytes} bytes at {tree}: another class borrows for one, and sends one by its guarantee");
    [
        derived(id("wait.line"), format!("packets before it {name}"), before, formula)
            .takes([format!("wait.{name}.bytes"), line.clone()]),
        derived(id("wait.own"), format!("its own packet {name}"), last, format!("{own} bytes at {tree}"))
            .takes([size.to_owned(), format!("class.{class}.priority"), line]),
        derived(
            id("wait"),
            format!("longest wait {name}"),
            Micros::from_us(before.us().saturating_add(last.us())),
            format!("{before} + {last}"),
        )
        .takes([id("wait.line"), id("wait.own")]),
    ]
}
