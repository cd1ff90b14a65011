//! Every number that nobody wrote: one function each, with its formula, its inputs and its source. Integers throughout.
//!
//! Terms: a *full packet* is an IP packet of the link's MTU; *on the wire* counts overhead, least size and cells, as
//! HTB charges it; a *frame* is what a qdisc takes a full packet to be long, without overhead and cells.

use crate::diag::Span;
use crate::model::{Basis, FULL_PACKET_MEMORY, Frames, Layer, Link, Offloads, Queue, Scheduling, Val, Wire};
use crate::units::{Bytes, Micros, Percent, Rate};

/// No rate that we give to the kernel is below this: at 8 kbit a full packet already takes a second and a half.
pub const LEAST_RATE: Rate = Rate::from_bps(8_000);

/// Rate that the kernel is told for a class or host that only borrows (`guarantee: 0%`). No host class is told less.
///
/// HTB refuses a rate of zero (sch_htb: `htb_change_class`). 100 bit/s entitle a class to about one full packet a minute,
/// as HTB forgets what a class owes beyond 60 s (`mbuffer`). That is so little that guarantees which add up to all of
/// their parent can stay as they are. `templates/lib/rate.sh` has the same number.
pub const BORROWING: Rate = Rate::from_bps(100);

/// Whether a class or host with this guarantee only borrows. All others have [`LEAST_RATE`], and hosts without a
/// `guarantee` a part of what is left.
#[must_use]
pub fn borrows(guarantee: Rate) -> bool {
    guarantee <= BORROWING
}

/// What to do about a rate below [`LEAST_RATE`].
pub(super) fn too_low_help() -> String {
    format!(
        "check its unit, or raise it: below {LEAST_RATE} one packet takes longer than a second and a half"
    )
}

/// The same of a guarantee, which may also be none.
pub(super) fn guarantee_too_low_help() -> String {
    format!(
        "check its unit; write `{LEAST_RATE}` or more, or `0%` if it is only to borrow: below {LEAST_RATE} one packet takes longer than a second and a half"
    )
}

/// The most that a device's packets have above IP where a qdisc sees them: an Ethernet header and PPPoE's 8 bytes.
const LARGEST_HEADER: u64 = 22;
/// The largest aggregate that GRO makes of packets before it is a qdisc's turn (`GRO_MAX_SIZE`, 65,536).
const LARGEST_AGGREGATE: u64 = 65_536;
/// CoDel's target (RFC 8289).
const TARGET: Micros = Micros::from_ms(5);
/// CoDel's interval (RFC 8289): about the longest usual round trip time.
pub const INTERVAL: Micros = Micros::from_ms(100);
/// Flows that all queues of a link may have where nothing is said.
const ALL_FLOWS: u64 = 1 << 18;
/// A bucket holds what its rate carries in this time: what timers and interrupts are late by (as in sqm-scripts).
const BUCKET: Micros = Micros::from_ms(1);
/// No bucket takes longer to fill. tc tells the kernel a bucket as a time, in 32 bits of 64 ns: 274 s at most
/// (tc_core.c: `tc_calc_xmittime`). It computes with whole bytes a second, 12 of the 12.5 of [`BORROWING`].
const LONGEST_BUCKET: Micros = Micros::from_ms(200_000);

/// A line and its largest packet: what most formulas need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// What packets cost.
    pub wire: Wire,
    /// The largest IP packet in bytes.
    pub mtu: u32,
}

impl Packet {
    /// Those of a link.
    #[must_use]
    pub const fn of(link: &Link) -> Packet {
        Packet { wire: link.wire(), mtu: link.mtu.value }
    }

    /// Bytes on the wire of a full packet.
    #[must_use]
    pub fn full(self) -> u64 {
        self.wire.bytes(u64::from(self.mtu))
    }

    /// The longest that a qdisc may take a full packet to be.
    #[must_use]
    pub fn frame(self) -> u64 {
        u64::from(self.mtu) + LARGEST_HEADER
    }
}

fn narrow(wide: u64) -> u32 {
    u32::try_from(wide).unwrap_or(u32::MAX)
}

/// The shaped rate: line rate x encoding x (1 - margin), rounded down once, at the end.
///
/// PTM sends 65 bytes for each 64 (ITU-T G.992.3 Annex N after IEEE 802.3 clause 61.3.3); tc-cake(8) too advises to
/// take that off the rate.
#[must_use]
pub fn shaped(line: &Val<Rate>, layer: Layer, margin: Percent) -> Val<Rate> {
    let (numerator, denominator) = shaped_part(layer, margin);
    let encoding = if layer == Layer::Ptm { " x 64/65" } else { "" };
    let rate = line.value.scale(numerator, denominator);
    Val::derived(rate, format!("{}{encoding} x {}", line.value, margin.rest()), line.span())
}

/// What of a line rate is shaped to, as numerator and denominator.
fn shaped_part(layer: Layer, margin: Percent) -> (u64, u64) {
    let (numerator, denominator) = match layer {
        Layer::Ptm => (64, 65),
        Layer::Ethernet | Layer::Atm => (1, 1),
    };
    (numerator * margin.rest().ppm(), denominator * 1_000_000)
}

/// What the formulas here take beside a line rate; the script's `rate` computes with the same (`templates/lib/rate.sh`).
#[must_use]
pub fn basis(packet: Packet, margin: Percent, split: bool) -> Basis {
    let (numerator, denominator) = shaped_part(packet.wire.layer, margin);
    Basis {
        numerator,
        denominator,
        full: packet.full(),
        frame: packet.frame(),
        least_turn: least_turn(packet, split),
        least_police: least_police(packet),
    }
}

/// A frame, or an aggregate where these reach HTB.
fn least_turn(packet: Packet, split: bool) -> u64 {
    if split { packet.frame() } else { LARGEST_AGGREGATE }
}

/// The most that can be in service when a packet comes, on the wire: a full packet, or an aggregate where these reach HTB.
#[must_use]
pub fn in_service(packet: Packet, split: bool) -> u64 {
    if split { packet.full() } else { packet.wire.bytes(LARGEST_AGGREGATE) }
}

/// An aggregate and a packet, both as charged.
fn least_police(packet: Packet) -> u64 {
    packet.wire.bytes(LARGEST_AGGREGATE) + packet.full()
}

/// What the classes share: the shaped rate less what bypassing police set aside.
#[must_use]
pub fn tree(shaped: &Val<Rate>, aside: &[(&str, Rate)]) -> Val<Rate> {
    if aside.is_empty() {
        return shaped.clone();
    }
    let less: Rate = aside.iter().map(|(_, rate)| *rate).sum();
    let terms: String = aside.iter().map(|(name, rate)| format!(" - {rate} (`{name}`)")).collect();
    Val::derived(shaped.value.saturating_sub(less), format!("{}{terms}", shaped.value), shaped.span())
}

/// Buckets and turn of an HTB class.
///
/// A bucket holds 1 ms of its rate, so that a late timer loses nothing, and never less than a full packet
/// (sqm-scripts: `SHAPER_BURST_DUR_US`, with its packet of 1749 bytes for every line). Only where a full packet takes
/// longer than 200 s is it less: jumbo frames of a class that only borrows.
///
/// A turn is 1 ms of the guarantee: then a round of all siblings lasts 1 ms at most, and what is borrowed is shared
/// as the guarantees are. It is never less than a frame, or HTB would serve classes by packets and not by bytes; and
/// where aggregates reach HTB (`split` false), never less than one of them, for HTB lets a class overdraw its turn by
/// any packet and pays back one turn only (sch_htb: `htb_dequeue_tree`). HTB's own limit of 200,000 holds only for
/// turns that it computes itself.
#[must_use]
pub fn scheduling(packet: Packet, guarantee: Rate, ceiling: Rate, split: bool) -> Scheduling {
    let bucket = |rate: Rate| {
        let timed = rate.bytes_in(BUCKET);
        let (full, longest) = (packet.full(), rate.bytes_in(LONGEST_BUCKET));
        let bytes = timed.max(full).min(longest).min(u64::from(u32::MAX));
        let formula = match full > longest {
            true => {
                format!("{LONGEST_BUCKET} of {rate}, {longest}, in which a full packet, {full}, does not fit")
            }
            false => format!("the larger of 1 ms of {rate}, {timed}, and a full packet, {full}"),
        };
        Val::derived(Bytes::new(bytes), formula, None)
    };
    let timed = guarantee.bytes_in(BUCKET);
    let (least, what) = (least_turn(packet, split), if split { "a frame" } else { "an aggregate" });
    let turn = timed.max(least).min(u64::from(u32::MAX >> 1));
    let formula = format!("the larger of 1 ms of {guarantee}, {timed}, and {what}, {least}");
    Scheduling {
        burst: bucket(guarantee),
        cburst: bucket(ceiling),
        quantum: Val::derived(narrow(turn), formula, None),
    }
}

/// What is given of fq_codel's options; the rest is derived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FqCodelGiven {
    /// Standing delay that is allowed.
    pub target: Option<Val<Micros>>,
    /// How long it is allowed for.
    pub interval: Option<Val<Micros>>,
    /// Packets.
    pub limit: Option<Val<u32>>,
    /// Bytes a flow may send in a round.
    pub quantum: Option<Val<u32>>,
    /// Buckets.
    pub flows: Option<Val<u32>>,
    /// Mark before drop.
    pub ecn: Option<Val<bool>>,
    /// Bytes of memory.
    pub memory: Option<Val<Bytes>>,
}

/// fq_codel in a class: `tree` is the rate of its direction, `ceiling` its own.
#[must_use]
pub fn fq_codel(packet: Packet, tree: Rate, ceiling: Rate, given: FqCodelGiven) -> Queue {
    let target = given.target.unwrap_or_else(|| target(packet, ceiling));
    let interval = given.interval.unwrap_or_else(|| interval(target.value));
    let limit = given.limit.unwrap_or_else(|| limit(packet, ceiling, interval.value));
    Queue::FqCodel {
        quantum: given.quantum.unwrap_or_else(|| flow_quantum(packet, tree)),
        flows: given.flows.unwrap_or_else(|| Val::default(1024, "fq_codel's own")),
        memory: given.memory.unwrap_or_else(|| memory(limit.value)),
        ecn: given.ecn.unwrap_or_else(|| Val::default(true, "a mark costs no packet (RFC 8087)")),
        target,
        interval,
        limit,
    }
}

/// fq_codel's flows where there are so many queues: its own 1024 as long as all queues together have no more than
/// 262,144, which take 16 MB; else as many, a power of two, so that few are made anew when a host comes or goes.
#[must_use]
pub fn flows(queues: u64) -> Val<u32> {
    let most = ALL_FLOWS.checked_div(queues).unwrap_or(ALL_FLOWS).max(16);
    if most >= 1024 {
        return Val::default(1024, "fq_codel's own");
    }
    let flows = 1 << most.ilog2();
    Val::derived(
        flows,
        format!("{ALL_FLOWS} / {queues} queues, {most}, down to a power of two, at least 16"),
        None,
    )
}

/// What the kernel takes for a CAKE, as below.
pub const CAKE_MEMORY: u64 = 1_068_000;

/// What the kernel takes for a queue and its class before it holds a packet: by difference of `MemAvailable`, kernel
/// 6.1 on x86-64, over a hundred of them (fq_codel with 1024 flows 80 KB, with 64 17 KB; CAKE 1068 KB; pfifo 11 KB).
#[must_use]
pub fn memory_of(queue: &Queue) -> u64 {
    match queue {
        Queue::FqCodel { flows, .. } => 12_800 + 66 * u64::from(flows.value),
        // room for eight tins, however many are used
        Queue::Cake { .. } => CAKE_MEMORY,
        Queue::Fifo { .. } => 11_000,
    }
}

/// CoDel's target: 5 ms, and never less than 1.5 times a full packet's time on the wire, or CoDel would see a standing
/// queue in every single packet (RFC 8290, section 5.2; the 1.5 is CAKE's, sch_cake: `cake_set_rate`).
///
/// At the ceiling, not at the guarantee: it is the rate that the class is served at whenever the line is not full of
/// others. A target for the guarantee would let a class of 25 kbit on a 128 kbit line stand at 700 ms while it has
/// the line for itself; one for the ceiling costs nothing that could be measured while it is squeezed, for CoDel never
/// drops the last packet.
fn target(packet: Packet, ceiling: Rate) -> Val<Micros> {
    let time = ceiling.time_for(packet.full().saturating_mul(3).div_ceil(2));
    let formula = format!("the longer of {TARGET} and 1.5 full packets at {ceiling}, {time}");
    Val::derived(time.max(TARGET), formula, None)
}

/// CoDel's interval: 100 ms, longer by what the target is longer, and never less than two targets (sch_cake:
/// `cake_set_rate`; RFC 8289: about the longest usual round trip).
fn interval(target: Micros) -> Val<Micros> {
    if target <= TARGET {
        return Val::default(INTERVAL, "CoDel's own (RFC 8289)");
    }
    let longer = Micros::from_us(INTERVAL.us().saturating_add(target.us().saturating_sub(TARGET.us())));
    let twice = Micros::from_us(target.us().saturating_mul(2));
    let formula = format!("the longer of {INTERVAL} + {target} - {TARGET}, {longer}, and 2 x {target}");
    Val::derived(longer.max(twice), formula, None)
}

/// A flow's bytes in a round: 300 below 100 Mbit/s, where small packets should pass a full one (bufferbloat.net's
/// recommendation, in tc-fq_codel's terms "SFQ-like"); a frame above, where rounds are short anyway.
fn flow_quantum(packet: Packet, tree: Rate) -> Val<u32> {
    if tree < Rate::from_bps(100_000_000) {
        Val::derived(300, format!("300, as {tree} is below 100mbit"), None)
    } else {
        Val::derived(narrow(packet.frame()), format!("a frame, as {tree} is not below 100mbit"), None)
    }
}

/// fq_codel's packets in all flows: full packets of two intervals at the ceiling, so that CoDel acts before the limit
/// does; 1000 at least for small packets (sqm-scripts: 1001), 20,000 at most (the default is 10,240).
fn limit(packet: Packet, ceiling: Rate, interval: Micros) -> Val<u32> {
    let two = Micros::from_us(interval.us().saturating_mul(2));
    let packets = ceiling.bytes_in(two).checked_div(packet.full()).unwrap_or(0);
    let formula = format!("{two} at {ceiling} in full packets, {packets}, within 1000 to 20000");
    Val::derived(narrow(packets.clamp(1_000, 20_000)), formula, None)
}

/// Memory of a queue: its limit in full packets, 1 MiB to 32 MiB (the default of fq_codel and of CAKE without a rate).
fn memory(limit: u32) -> Val<Bytes> {
    let bytes = u64::from(limit) * FULL_PACKET_MEMORY;
    let formula = format!("{limit} packets x {FULL_PACKET_MEMORY}, within 1MiB to 32MiB");
    Val::derived(Bytes::new(bytes.clamp(1 << 20, 32 << 20)), formula, None)
}

/// The round trip time that a CAKE of hosts is tuned for: 20 times what 8 full packets take at the ceiling, which makes
/// that CoDel's target, as 100 ms make it 5 ms; no more than a second.
///
/// Without a rate of its own CAKE does not know what a packet takes, and a flow that has a half or a quarter of the line
/// to itself has packets so far apart that 5 ms pass between two of them: it is dropped from before it fills its part.
/// One flow against eight of another host at 6.5 Mbit/s got 2.5 against 3.4 Mbit/s at 100 ms (Jain's index 0.975),
/// 2.8 against 3.0 at 200 ms (0.999) and 2.99 against 3.03 at 300 ms (1.000), and pings were as fast.
#[must_use]
pub fn cake_rtt_of_hosts(packet: Packet, ceiling: Rate) -> Val<Micros> {
    let time = ceiling.time_for(packet.full().saturating_mul(160));
    let formula = format!("20 x 8 full packets at {ceiling}, {time}, within 100 ms to 1 s");
    Val::derived(time.clamp(INTERVAL, Micros::from_ms(1000)), formula, None)
}

/// CAKE's memory in a class: what fq_codel would have there.
#[must_use]
pub fn cake_memory(packet: Packet, ceiling: Rate, rtt: Micros) -> Val<Bytes> {
    memory(limit(packet, ceiling, rtt.max(INTERVAL)).value)
}

/// Memory of a CAKE that shapes a direction: four times what the rate carries in the round trip time, 4 MiB at least, as
/// CAKE itself has it where nothing is said (sch_cake: `cake_reconfigure`); 32 MiB at most, its own without a rate.
#[must_use]
pub fn cake_root_memory(rate: Rate, rtt: Micros) -> Val<Bytes> {
    let four = Micros::from_us(rtt.us().saturating_mul(4));
    let bytes = rate.bytes_in(four);
    let formula = format!("{four} of {rate}, {bytes}, within 4MiB to 32MiB");
    Val::derived(Bytes::new(bytes.clamp(4 << 20, 32 << 20)), formula, None)
}

/// A fifo's packets: full packets of 100 ms at the ceiling, so that it never delays by more; 16 at least, for TCP's
/// initial window of 10 (RFC 6928), and 10,000 at most.
#[must_use]
pub fn fifo_limit(packet: Packet, ceiling: Rate) -> Val<u32> {
    let packets = ceiling.bytes_in(INTERVAL).checked_div(packet.full()).unwrap_or(0);
    let formula = format!("{INTERVAL} at {ceiling} in full packets, {packets}, within 16 to 10000");
    Val::derived(narrow(packets.clamp(16, 10_000)), formula, None)
}

/// A policer's bucket: 250 ms of its rate, for TCP starves in less (at 10 Mbit/s, 20 kB let 6.5 through, 300 kB 10.3);
/// above 100 Mbit/s what 250 ms of that are, and above 500 Mbit/s 50 ms. Never less than an aggregate and a packet,
/// both as charged: a packet larger than the bucket never passes (act_police).
#[must_use]
pub fn police_burst(packet: Packet, rate: Rate) -> Val<Bytes> {
    let least = least_police(packet);
    let quarter = rate.bytes_in(Micros::from_ms(250));
    let most =
        Rate::from_bps(100_000_000).bytes_in(Micros::from_ms(250)).max(rate.bytes_in(Micros::from_ms(50)));
    let bytes = quarter.min(most).max(least).min(u64::from(u32::MAX));
    let formula =
        format!("250 ms of {rate}, {quarter}, at least an aggregate and a packet, {least}, at most {most}");
    Val::derived(Bytes::new(bytes), formula, None)
}

/// Serialization delay of the largest aggregate at a rate.
#[must_use]
pub fn aggregate_time(packet: Packet, rate: Rate) -> Micros {
    rate.time_for(packet.wire.bytes(LARGEST_AGGREGATE))
}

/// Whether aggregates must be kept from the shaper of one direction (`tree` is its rate).
///
/// They must where one would hold the line for longer than CoDel's target, and where they would hide more than the
/// margin covers: HTB adds the overhead once to an aggregate, not to each packet of it, cells are not rounded, and a
/// size table even drops the headers that the kernel counts. The headers of each packet in an aggregate the kernel
/// counts by itself (`qdisc_pkt_len_init`), so that what hides is the overhead without the 14 bytes of Ethernet: at
/// the rates where nothing else speaks against aggregates, lines are Ethernet, and taking aggregates apart costs a
/// router more than the shaping does.
#[must_use]
pub fn split(
    packet: Packet,
    frames: Frames,
    tree: Rate,
    margin: Percent,
    offloads: &Val<Offloads>,
) -> Val<bool> {
    let held = aggregate_time(packet, tree);
    let header = if frames == Frames::Pppoe { 22 } else { 14 };
    let uncounted = u64::from(packet.wire.overhead.saturating_sub(header));
    let hidden = (uncounted * 1_000_000).div_ceil(packet.full().max(1));
    let (split, reason) = if offloads.value == Offloads::Keep {
        (false, "offloads are kept".to_owned())
    } else if held > TARGET {
        (true, format!("an aggregate takes {held} at {tree}, longer than {TARGET}"))
    } else if packet.wire.layer == Layer::Atm {
        (true, "an aggregate is not charged in cells".to_owned())
    } else if packet.wire.overhead < header {
        (true, format!("an overhead of {} is less than the device's header", packet.wire.overhead))
    } else if hidden >= margin.ppm() {
        let hidden = Percent::from_ppm(narrow(hidden));
        (true, format!("an aggregate hides {hidden} of its bytes, and the margin is {margin}"))
    } else {
        (false, format!("an aggregate takes {held} at {tree}, and hides little"))
    };
    Val::derived(split, reason, offloads.span())
}

/// A socket buffer: twice the bandwidth-delay product, for half of a buffer is the kernel's own
/// (`tcp_adv_win_scale` 1, ip-sysctl); 64 KiB at least, and what fits into a sysctl at most.
#[must_use]
pub fn socket_buffer(shaped: Rate, rtt: Micros, from: Option<Span>) -> Val<Bytes> {
    let bytes = shaped.bytes_in(rtt).saturating_mul(2).clamp(64 << 10, u64::from(u32::MAX >> 1));
    let formula = format!("2 x {shaped} x {rtt}, at least 64KiB");
    Val::derived(Bytes::new(bytes), formula, from)
}

#[cfg(test)]
#[path = "derive_tests.rs"]
mod tests;
