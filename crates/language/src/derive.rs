//! Derives every number that the file does not give. Each has one function with its formula, its inputs and its source.
//! All arithmetic uses integers.
//!
//! Terms:
//!
//! - A *full packet* is an IP packet of the link's MTU.
//! - A length *on the wire* includes overhead, minimum size and cells, as HTB charges it.
//! - A *frame* is the length of a full packet as a qdisc sees it, without overhead and cells.

use crate::diag::Span;
use crate::model::{
    Basis, Diffserv, FULL_PACKET_MEMORY, Frames, Layer, Link, Offloads, Queue, Scheduling, Val, Wire,
};
use crate::terms::limits::{BURST, HTB_QUANTUM, QUANTUM, RATE, TCP_BUFFER};
use crate::units::{Bytes, Micros, Percent, Rate};

/// Lowest rate that the kernel gets: at 8 kbit/s a full packet already takes 1.5 seconds.
pub const LEAST_RATE: Rate = Rate::from_bps(RATE.least);

/// Rate that the kernel gets for a class or host that only borrows (`guarantee: 0%`). No host class gets less.
///
/// HTB refuses a rate of zero (sch_htb: `htb_change_class`). A class with 100 bit/s may send about one full packet a
/// minute, because HTB forgets debts of more than 60 s (`mbuffer`). That is so little that guarantees which add up to
/// the parent's whole rate can stay unchanged. `templates/runtime/scaled.awk` has the same number.
pub const BORROWING: Rate = Rate::from_bps(100);

/// Returns `true` if a class or host with this guarantee only borrows. Every other class has at least [`LEAST_RATE`],
/// and a host without a `guarantee` gets a share of the remaining rate.
#[must_use]
pub fn borrows(guarantee: Rate) -> bool {
    guarantee <= BORROWING
}

/// Returns the help for a rate below [`LEAST_RATE`].
#[must_use]
pub fn too_low_help() -> String {
    format!(
        "check the unit, or write a higher rate: below {LEAST_RATE}, one full packet takes more than 1.5 seconds"
    )
}

/// Returns the help for a guarantee below [`LEAST_RATE`], which may also become `0%` if the class may only borrow.
#[must_use]
pub fn guarantee_too_low_help(may_borrow: bool) -> String {
    let instead = match may_borrow {
        true => "write `0%` if it should only borrow",
        false => "remove `guarantee`: then the class gets a share of what the others leave",
    };
    format!(
        "check the unit; write `{LEAST_RATE}` or more, or {instead}; below {LEAST_RATE}, one full packet takes more than 1.5 seconds"
    )
}

/// Last priority of classes whose packets must not wait: calls, games, names.
pub const URGENT: u8 = 1;
/// IP bytes of a packet of such a class: 20 ms of speech with G.711, RTP, UDP and IP.
pub const VOICE: u32 = 200;
/// Longest header above IP that a qdisc sees: an Ethernet header and the 8 bytes of PPPoE.
const LARGEST_HEADER: u64 = 22;
/// Largest aggregated packet that GRO builds before a packet reaches the qdisc (`GRO_MAX_SIZE`, 65,536 bytes).
const LARGEST_AGGREGATE: u64 = 65_536;
/// CoDel's target (RFC 8289).
const TARGET: Micros = Micros::from_ms(5);
/// Longest acceptable time that an aggregated packet occupies a class with a ceiling, or the line with
/// `offloads: keep`: four targets of CoDel. A call sends one packet in this time (RFC 3551, section 4.2). The limit is
/// higher than that of the line, because splitting costs the processor for all traffic, and only the class waits.
pub const BEARABLE: Micros = Micros::from_ms(20);
/// CoDel's interval (RFC 8289): about the longest common round trip time.
pub const INTERVAL: Micros = Micros::from_ms(100);
/// Round trip time for a CAKE that replaces fq_codel; CAKE's own default.
pub const INSTEAD_RTT: Micros = Micros::from_ms(100);
/// Largest packet that a policer passes. It is larger than the largest aggregated packet, which is 64 KiB of payload
/// with its headers. Old kernels measure it as one packet.
pub const POLICE_MTU: u32 = 128 << 10;
/// Default limit for the number of flows in all queues of a link.
const ALL_FLOWS: u64 = 1 << 18;
/// Time whose traffic a bucket holds: the usual delay of timers and interrupts (as in sqm-scripts).
const BUCKET: Micros = Micros::from_ms(1);
/// Longest time in which a bucket may fill. The kernel gets a bucket as a time in units of 64 ns with 32 bits, which is
/// 274 s at most (tc_core.c: `tc_calc_xmittime`). For that, tc computes with whole bytes per second, so [`BORROWING`]
/// counts as 12 instead of 12.5 bytes.
const LONGEST_BUCKET: Micros = Micros::from_ms(200_000);

/// Packet cost and packet size of a line, the inputs of most formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// Cost of packets on the line.
    pub wire: Wire,
    /// Largest IP packet in bytes.
    pub mtu: u32,
}

impl Packet {
    /// Returns the values of a link.
    #[must_use]
    pub const fn of(link: &Link) -> Packet {
        Packet { wire: link.wire(), mtu: link.mtu.value }
    }

    /// Returns the bytes of a full packet on the wire.
    #[must_use]
    pub fn full(self) -> u64 {
        self.wire.bytes(u64::from(self.mtu))
    }

    /// Returns the longest length in bytes that a qdisc can see for a full packet.
    #[must_use]
    pub fn frame(self) -> u64 {
        u64::from(self.mtu) + LARGEST_HEADER
    }
}

fn narrow(wide: u64) -> u32 {
    u32::try_from(wide).unwrap_or(u32::MAX)
}

/// Derives the shaped rate: line rate x encoding x (1 - margin), rounded down once at the end.
///
/// PTM sends 65 bytes for every 64 (ITU-T G.992.3 Annex N after IEEE 802.3 clause 61.3.3). tc-cake(8) also advises to
/// reduce the rate by that amount.
#[must_use]
pub fn shaped(line: &Val<Rate>, layer: Layer, margin: Percent) -> Val<Rate> {
    let (numerator, denominator) = shaped_part(layer, margin);
    let encoding = if layer == Layer::Ptm { " x 64/65" } else { "" };
    let rate = line.value.scale(numerator, denominator);
    Val::derived(rate, format!("{}{encoding} x {}", line.value, margin.rest()), line.span())
}

/// Derives the margin below a line rate from a given shaped rate, rounded down.
#[must_use]
pub fn margin(line: Rate, layer: Layer, shaped: Rate, from: Span) -> Val<Percent> {
    let carried = carried(layer, line);
    let free = carried.saturating_sub(shaped).scale(1_000_000, carried.bps().max(1));
    let margin = Percent::from_ppm(narrow(free.bps()));
    Val::derived(margin, format!("1 - {shaped} / {carried}"), Some(from))
}

/// Returns the part of a line rate that is left after the encoding of the layer.
fn carried(layer: Layer, line: Rate) -> Rate {
    let (numerator, denominator) = encoding(layer);
    line.scale(numerator, denominator)
}

const fn encoding(layer: Layer) -> (u64, u64) {
    match layer {
        Layer::Ptm => (64, 65),
        Layer::Ethernet | Layer::Atm => (1, 1),
    }
}

/// Returns the shaped share of a line rate, as numerator and denominator.
fn shaped_part(layer: Layer, margin: Percent) -> (u64, u64) {
    let (numerator, denominator) = encoding(layer);
    (numerator * margin.rest().ppm(), denominator * 1_000_000)
}

/// Returns the inputs that the formulas need besides a line rate, or besides a shaped rate if there is no margin. The
/// script's `rate` command uses the same ones (`templates/runtime/scaled.awk`).
#[must_use]
pub fn basis(packet: Packet, margin: Option<Percent>, split: bool) -> Basis {
    let (numerator, denominator) = margin.map_or((1, 1), |margin| shaped_part(packet.wire.layer, margin));
    Basis {
        numerator,
        denominator,
        full: packet.full(),
        frame: packet.frame(),
        least_turn: least_turn(packet, split),
        least_police: least_police(packet),
    }
}

/// Returns the smallest quantum in bytes: a frame, or an aggregated packet if these reach HTB.
fn least_turn(packet: Packet, split: bool) -> u64 {
    if split { packet.frame() } else { LARGEST_AGGREGATE }
}

/// Returns `true` if an aggregated packet occupies a class with this ceiling for longer than [`BEARABLE`].
#[must_use]
pub fn is_slow(packet: Packet, ceiling: Rate) -> bool {
    aggregate_time(packet, ceiling) > BEARABLE
}

/// Returns the largest number of bytes on the wire that can be in service when a packet arrives. It is a full packet,
/// or an aggregated packet if these reach HTB.
#[must_use]
pub fn in_service(packet: Packet, split: bool) -> u64 {
    if split { packet.full() } else { packet.wire.bytes(LARGEST_AGGREGATE) }
}

/// Returns the smallest burst of a policer: one aggregated and one full packet, both as charged.
fn least_police(packet: Packet) -> u64 {
    packet.wire.bytes(LARGEST_AGGREGATE) + packet.full()
}

/// Derives the rate that the classes share: the shaped rate minus the rates of policers that bypass the shaper.
#[must_use]
pub fn tree(shaped: &Val<Rate>, aside: &[(&str, Rate)]) -> Val<Rate> {
    if aside.is_empty() {
        return shaped.clone();
    }
    let less: Rate = aside.iter().map(|(_, rate)| *rate).sum();
    let terms: String = aside.iter().map(|(name, rate)| format!(" - {rate} (`{name}`)")).collect();
    Val::derived(shaped.value.saturating_sub(less), format!("{}{terms}", shaped.value), shaped.span())
}

/// Derives the buckets and the quantum of an HTB class.
///
/// A bucket holds 1 ms of its rate, so that a late timer loses nothing, but at least a full packet. Sqm-scripts do the
/// same with a packet of 1749 bytes for every line (`SHAPER_BURST_DUR_US`). The bucket is only smaller if a full packet
/// takes longer than 200 s, as a jumbo frame does in a class that only borrows.
///
/// A quantum is 1 ms of the guarantee. A round of all siblings then lasts 1 ms at most, and siblings share borrowed
/// bandwidth in proportion to their guarantees.
///
/// The quantum is at least a frame, because otherwise HTB would serve classes by packets and not by bytes. If
/// aggregated packets reach HTB (`split` is `false`), it is at least one of them. HTB lets a class overdraw its quantum
/// by any packet and pays back only one quantum (sch_htb: `htb_dequeue_tree`). HTB's own limit of 200,000 only applies
/// to a quantum that HTB computes itself.
#[must_use]
pub fn scheduling(packet: Packet, guarantee: Rate, ceiling: Rate, split: bool) -> Scheduling {
    let bucket = |rate: Rate| {
        let timed = rate.bytes_in(BUCKET);
        let (full, longest) = (packet.full(), rate.bytes_in(LONGEST_BUCKET));
        let bytes = timed.max(full).min(longest).min(BURST.most);
        let formula = match full > longest {
            true => {
                format!("{LONGEST_BUCKET} of {rate}, {longest}, in which a full packet, {full}, does not fit")
            }
            false => format!("the larger of 1 ms of {rate}, {timed}, and a full packet, {full}"),
        };
        Val::derived(Bytes::new(bytes), formula, None)
    };
    Scheduling {
        burst: bucket(guarantee),
        cburst: bucket(ceiling),
        quantum: quantum(packet, guarantee, split),
    }
}

/// Derives the quantum of a class as [`scheduling`] explains.
#[must_use]
pub fn quantum(packet: Packet, guarantee: Rate, split: bool) -> Val<u32> {
    let timed = guarantee.bytes_in(BUCKET);
    let (least, what) = (least_turn(packet, split), if split { "a frame" } else { "an aggregate" });
    let turn = timed.max(least).min(HTB_QUANTUM.most);
    let formula = format!("the larger of 1 ms of {guarantee}, {timed}, and {what}, {least}");
    Val::derived(narrow(turn), formula, None)
}

/// Options of fq_codel that the file gives; the others are derived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FqCodelGiven {
    /// Accepted standing delay.
    pub target: Option<Val<Micros>>,
    /// Time for which the delay may exceed the target.
    pub interval: Option<Val<Micros>>,
    /// Limit in packets.
    pub limit: Option<Val<u32>>,
    /// Bytes that a flow may send per round.
    pub quantum: Option<Val<u32>>,
    /// Number of flows (hash buckets).
    pub flows: Option<Val<u32>>,
    /// Mark packets instead of dropping them.
    pub ecn: Option<Val<bool>>,
    /// Memory limit in bytes.
    pub memory: Option<Val<Bytes>>,
}

/// Derives the fq_codel queue of a class. `tree` is the rate of its direction and `ceiling` the ceiling of the class.
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

/// Derives the default number of flows for a link with this many queues.
///
/// The result is fq_codel's own default of 1024 while all queues together have at most 262,144 flows, which take 16 MB.
/// Otherwise the queues share 262,144 flows. The number is then a power of two and at least 16, so that few queues are
/// rebuilt when a host comes or goes.
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

/// Kernel memory in bytes for one CAKE qdisc; measured as for [`memory_of`].
pub const CAKE_MEMORY: u64 = 1_068_000;

/// Returns the kernel memory in bytes for a queue and its class before it holds a packet. The numbers are differences
/// of `MemAvailable` over a hundred queues on kernel 6.1, x86-64:
///
/// - fq_codel with 1024 flows: 80 KB; with 64 flows: 17 KB.
/// - CAKE: 1068 KB.
/// - pfifo: 11 KB.
#[must_use]
pub fn memory_of(queue: &Queue) -> u64 {
    match queue {
        Queue::FqCodel { flows, .. } => 12_800 + 66 * u64::from(flows.value),
        // CAKE allocates eight tins, even if fewer are used
        Queue::Cake { .. } => CAKE_MEMORY,
        Queue::Fifo { .. } => 11_000,
    }
}

/// Derives CoDel's target: 5 ms, but at least 1.5 times the serialization delay of a full packet. With a shorter
/// target, CoDel would see a standing queue in every single packet (RFC 8290, section 5.2). The factor 1.5 is CAKE's
/// (sch_cake: `cake_set_rate`).
///
/// The formula uses the ceiling and not the guarantee, because the class is served at the ceiling whenever other
/// classes leave bandwidth spare. A target for the guarantee would allow a delay of 700 ms to a class of 25 kbit/s that
/// has a 128 kbit/s line to itself. A target for the ceiling had no measurable cost while the class gets only its
/// guarantee, because CoDel never drops the last packet.
fn target(packet: Packet, ceiling: Rate) -> Val<Micros> {
    let time = ceiling.time_for(packet.full().saturating_mul(3).div_ceil(2));
    let formula = format!("the longer of {TARGET} and 1.5 full packets at {ceiling}, {time}");
    Val::derived(time.max(TARGET), formula, None)
}

/// Derives CoDel's interval: 100 ms plus the amount by which the target exceeds 5 ms, and at least two targets
/// (sch_cake: `cake_set_rate`). RFC 8289 asks for about the longest common round trip time.
fn interval(target: Micros) -> Val<Micros> {
    if target <= TARGET {
        return Val::default(INTERVAL, "CoDel's own (RFC 8289)");
    }
    let longer = Micros::from_us(INTERVAL.us().saturating_add(target.us().saturating_sub(TARGET.us())));
    let twice = Micros::from_us(target.us().saturating_mul(2));
    let formula = format!("the longer of {INTERVAL} + {target} - {TARGET}, {longer}, and 2 x {target}");
    Val::derived(longer.max(twice), formula, None)
}

/// Derives the bytes that a flow may send per round. Below 100 Mbit/s it is 300, so that small packets can overtake a
/// full one (recommended by bufferbloat.net; "SFQ-like" in tc-fq_codel(8)). From 100 Mbit/s it is a frame, because
/// rounds are short anyway.
fn flow_quantum(packet: Packet, tree: Rate) -> Val<u32> {
    if tree < Rate::from_bps(100_000_000) {
        Val::derived(300, format!("300, as {tree} is below 100mbit"), None)
    } else {
        let frame = narrow(packet.frame()).max(narrow(QUANTUM.least));
        Val::derived(frame, format!("a frame, as {tree} is not below 100mbit"), None)
    }
}

/// Derives fq_codel's limit for all flows: the full packets that the ceiling carries in two intervals, so that CoDel
/// acts before the limit does. It is at least 1000 for the sake of small packets (sqm-scripts: 1001), and at most
/// 20,000 (fq_codel's default: 10,240).
fn limit(packet: Packet, ceiling: Rate, interval: Micros) -> Val<u32> {
    let two = Micros::from_us(interval.us().saturating_mul(2));
    let packets = ceiling.bytes_in(two).checked_div(packet.full()).unwrap_or(0);
    let formula = format!("{two} at {ceiling} in full packets, {packets}, within 1000 to 20000");
    Val::derived(narrow(packets.clamp(1_000, 20_000)), formula, None)
}

/// Derives the memory limit of a queue: its packet limit in full packets, from 1 MiB to 32 MiB. The maximum is the
/// default of fq_codel, and of CAKE without a rate.
fn memory(limit: u32) -> Val<Bytes> {
    let bytes = u64::from(limit) * FULL_PACKET_MEMORY;
    let formula = format!("{limit} packets x {FULL_PACKET_MEMORY}, within 1MiB to 32MiB");
    Val::derived(Bytes::new(bytes.clamp(1 << 20, 32 << 20)), formula, None)
}

/// Derives the round trip time of a CAKE that shares between hosts. It is 20 times the serialization delay of 8 full
/// packets at the ceiling, from 100 ms to 1 s. CoDel's target then equals the delay of 8 packets, just as 100 ms give a
/// target of 5 ms.
///
/// Without a rate of its own, CAKE does not know the serialization delay of a packet. If a flow has half or a quarter
/// of the line, more than 5 ms can pass between two of its packets. CAKE then drops packets before the flow reaches its
/// share.
///
/// Measured with one flow against eight flows of another host at 6.5 Mbit/s:
///
/// - 100 ms: 2.5 against 3.4 Mbit/s (Jain's index 0.975).
/// - 200 ms: 2.8 against 3.0 Mbit/s (0.999).
/// - 300 ms: 2.99 against 3.03 Mbit/s (1.000).
///
/// Pings were equally fast.
#[must_use]
pub fn cake_rtt_of_hosts(packet: Packet, ceiling: Rate) -> Val<Micros> {
    let time = ceiling.time_for(packet.full().saturating_mul(160));
    let formula = format!("20 x 8 full packets at {ceiling}, {time}, within 100 ms to 1 s");
    Val::derived(time.clamp(INTERVAL, Micros::from_ms(1000)), formula, None)
}

/// Derives the memory limit of CAKE in a class: the same as for fq_codel.
#[must_use]
pub fn cake_memory(packet: Packet, ceiling: Rate, rtt: Micros) -> Val<Bytes> {
    memory(limit(packet, ceiling, rtt.max(INTERVAL)).value)
}

/// Derives the memory limit of a CAKE that shapes a direction: four times the bandwidth-delay product of its rate and
/// round trip time. CAKE's own default uses the same formula with a minimum of 4 MiB (sch_cake: `cake_reconfigure`).
/// The maximum is 32 MiB, CAKE's default without a rate.
#[must_use]
pub fn cake_root_memory(rate: Rate, rtt: Micros) -> Val<Bytes> {
    let four = Micros::from_us(rtt.us().saturating_mul(4));
    let bytes = rate.bytes_in(four);
    let formula = format!("{four} of {rate}, {bytes}, within 4MiB to 32MiB");
    Val::derived(Bytes::new(bytes.clamp(4 << 20, 32 << 20)), formula, None)
}

/// Returns the rate up to which a tin has its priority, for a CAKE with this rate (sch_cake: `cake_config_diffserv3`,
/// `cake_config_diffserv4`, `cake_config_diffserv8`). Tins have numbers from 1.
#[must_use]
pub fn cake_threshold(rate: Rate, mode: Diffserv, tin: u16) -> Rate {
    match (mode, tin) {
        (Diffserv::Diffserv3 | Diffserv::Diffserv4, 1) => rate.scale(1, 16),
        (Diffserv::Diffserv4, 3) => rate.scale(1, 2),
        (Diffserv::Diffserv3, 3) | (Diffserv::Diffserv4, 4) => rate.scale(1, 4),
        (Diffserv::Diffserv8, tin) => (1..tin).fold(rate, |rate, _| rate.scale(7, 8)),
        _ => rate,
    }
}

/// Returns the standing delay that CAKE accepts: a twentieth of its round trip time, but at least 1.5 times the
/// serialization delay of a full packet (sch_cake: `cake_set_rate`).
#[must_use]
pub fn cake_target(packet: Packet, rate: Rate, rtt: Micros) -> Micros {
    let full = rate.time_for(packet.full().saturating_mul(3).div_ceil(2));
    full.max(Micros::from_us(rtt.us().div_ceil(20)))
}

/// Returns the largest number of bytes on the wire that a queue can hold, all in full packets.
#[must_use]
pub fn queue_bytes(packet: Packet, limit: Option<u32>, memory: Option<Bytes>) -> u64 {
    let fit = memory.map_or(u64::MAX, |memory| memory.get().div_ceil(FULL_PACKET_MEMORY));
    fit.min(limit.map_or(u64::MAX, u64::from)).saturating_mul(packet.full())
}

/// Derives the packet limit of a fifo: the full packets that the ceiling carries in 100 ms, which bounds the queueing
/// delay. It is at least 16 because of TCP's initial window of 10 (RFC 6928), and at most 10,000.
#[must_use]
pub fn fifo_limit(packet: Packet, ceiling: Rate) -> Val<u32> {
    let packets = ceiling.bytes_in(INTERVAL).checked_div(packet.full()).unwrap_or(0);
    let formula = format!("{INTERVAL} at {ceiling} in full packets, {packets}, within 16 to 10000");
    Val::derived(narrow(packets.clamp(16, 10_000)), formula, None)
}

/// Derives the burst of a policer: 250 ms of its rate, because TCP starves with less. At 10 Mbit/s, a burst of 20 kB
/// let 6.5 Mbit/s through, and 300 kB let 10.3 Mbit/s through.
///
/// Above 100 Mbit/s the burst stays at 250 ms of 100 Mbit/s, and above 500 Mbit/s it is 50 ms of the rate. It is at
/// least one aggregated and one full packet, both as charged, because a packet larger than the burst never passes
/// (act_police).
#[must_use]
pub fn police_burst(packet: Packet, rate: Rate) -> Val<Bytes> {
    let least = least_police(packet);
    let quarter = rate.bytes_in(Micros::from_ms(250));
    let most =
        Rate::from_bps(100_000_000).bytes_in(Micros::from_ms(250)).max(rate.bytes_in(Micros::from_ms(50)));
    let bytes = quarter.min(most).max(least).min(BURST.most);
    let formula =
        format!("250 ms of {rate}, {quarter}, at least an aggregate and a packet, {least}, at most {most}");
    Val::derived(Bytes::new(bytes), formula, None)
}

/// Returns the serialization delay of the largest aggregated packet at a rate.
#[must_use]
pub fn aggregate_time(packet: Packet, rate: Rate) -> Micros {
    rate.time_for(packet.wire.bytes(LARGEST_AGGREGATE))
}

/// Decides if aggregated packets must be split before they reach the shaper of one direction, whose rate is `tree`.
///
/// They must be split if one of them would occupy the line for longer than CoDel's target, or if its uncounted bytes
/// exceed the margin. HTB adds the overhead only once per aggregated packet and does not round to cells for each packet
/// in it. A size table even subtracts the headers that the kernel counts.
///
/// The kernel itself counts the headers of each packet in an aggregate (`qdisc_pkt_len_init`), so only the overhead
/// beyond the 14 bytes of Ethernet is uncounted. At rates that allow aggregated packets otherwise, lines are Ethernet,
/// and splitting costs a router more than shaping.
///
/// `slowest` has the name and the ceiling of the slowest class whose queue does not split them. They must also be split
/// if one of them would occupy this class for longer than [`BEARABLE`].
#[must_use]
pub fn split(
    packet: Packet,
    frames: Frames,
    (tree, slowest): (Rate, Option<(&str, Rate)>),
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
    } else if let Some((class, ceiling)) = slowest.filter(|(_, ceiling)| is_slow(packet, *ceiling)) {
        let held = aggregate_time(packet, ceiling);
        (
            true,
            format!(
                "an aggregate takes {held} at {ceiling}, the ceiling of `{class}`, longer than {BEARABLE}"
            ),
        )
    } else {
        (false, format!("an aggregate takes {held} at {tree}, and hides little"))
    };
    Val::derived(split, reason, offloads.span())
}

/// Derives a socket buffer: twice the bandwidth-delay product, because the kernel uses half of a buffer for itself
/// (`tcp_adv_win_scale` 1, ip-sysctl). It is at least 64 KiB and at most the largest value that fits into a sysctl.
#[must_use]
pub fn socket_buffer(shaped: Rate, rtt: Micros, from: Option<Span>) -> Val<Bytes> {
    let bytes = shaped.bytes_in(rtt).saturating_mul(2).clamp(64 << 10, TCP_BUFFER.most);
    let formula = format!("2 x {shaped} x {rtt}, at least 64KiB");
    Val::derived(Bytes::new(bytes), formula, from)
}

#[cfg(test)]
#[path = "derive_tests.rs"]
mod tests;
