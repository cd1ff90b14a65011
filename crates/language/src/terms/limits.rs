//! Numbers that reach `tc` and `ip`, with the smallest and the largest that a kernel holds unchanged.
//!
//! The readers of the file, the schema and the page of limits use this table. A test on a kernel tries every limit of a
//! number in the file. Beyond a limit, most tools do not fail: the kernel then holds another number than the script gave.

use crate::units::{Bytes, Micros, Rate};
use std::ops::RangeInclusive;

/// The range of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Words of `tc` or `ip` that the number follows.
    pub words: &'static str,
    /// Key of the file that gives the number; `None` if the compiler derives it.
    pub key: Option<&'static str>,
    /// Unit of both limits.
    pub unit: &'static str,
    /// Smallest number.
    pub least: u64,
    /// Largest number.
    pub most: u64,
    /// Reason for the limits.
    pub source: &'static str,
}

impl Limit {
    /// Returns `true` if the number is within the limits.
    #[must_use]
    pub const fn holds(&self, number: u64) -> bool {
        self.least <= number && number <= self.most
    }

    /// Returns the limits for a reader of 32-bit numbers. A larger limit becomes `u32::MAX`.
    #[must_use]
    pub const fn range(&self) -> RangeInclusive<u32> {
        narrow(self.least)..=narrow(self.most)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is compared first, and `try_from` is not const"
)]
const fn narrow(wide: u64) -> u32 {
    if wide > u32::MAX as u64 { u32::MAX } else { wide as u32 }
}

/// MTUs in bytes that IPv4 allows (RFC 791).
pub const MTU: RangeInclusive<u32> = 68..=65535;

/// Returns the buckets in bytes that the kernel can hold at a rate.
#[must_use]
pub fn buckets(rate: Rate) -> RangeInclusive<Bytes> {
    // `tc` counts whole bytes per second and drops the fraction of a microsecond.
    let held = Rate::from_bps(rate.bps() / 8 * 8);
    let least = (held.bps() / 8).div_ceil(1_000_000).max(BURST.least);
    let most = held.bytes_in(Micros::from_us(BUCKET_TIME.most)).min(BURST.most);
    Bytes::new(least)..=Bytes::new(most)
}

/// Delay that the call `follow` lets the line add: the answers of routers vary by some milliseconds. No tool gets it.
pub const ADDED_DELAY: Limit =
    Limit { words: "", key: None, unit: "us", least: 5_000, most: 1_000_000, source: "" };

/// Defines the table: a constant for each row, and [`ALL`].
macro_rules! limits {
    ($($(#[$about:meta])* $name:ident: $words:literal, $key:expr, $unit:literal, $least:expr, $most:expr, $source:literal;)+) => {
        $($(#[$about])* pub const $name: Limit = Limit {
            words: $words, key: $key, unit: $unit, least: $least, most: $most, source: $source,
        };)+
        /// All limits.
        pub const ALL: &[Limit] = &[$($name),+];
    };
}

limits! {
    /// Rates of the line, of classes and of policers in the file.
    RATE: "rate, ceil, bandwidth", Some("up, down, guarantee, ceiling, rate"), "bit/s", 8_000, 1_000_000_000_000,
        "Below 8 kbit/s, a full packet takes more than 1.5 s. The call `rate` of the script has the same upper limit";
    /// Rates in the kernel. A class that only borrows has 100 bit/s.
    KERNEL_RATE: "rate, ceil, bandwidth", None, "bit/s", 8, 1_000_000_000_000,
        "The kernel counts whole bytes per second. A class that only borrows has 100 bit/s";
    /// Time that a bucket takes at its rate.
    BUCKET_TIME: "burst, cburst", Some("police.*.burst"), "us at the rate", 1, 274_877_906,
        "`tc` sends a bucket as its time in 2^32 steps of 64 ns (`tc_calc_xmittime`). A longer time wraps around";
    /// Bytes of a bucket.
    BURST: "burst, cburst", Some("police.*.burst"), "bytes", 1, u32::MAX as u64,
        "`tc` reads 32 bits (`get_size`), and a policer needs more than 0";
    /// Quantum of an HTB class.
    HTB_QUANTUM: "htb quantum", None, "bytes", 1, i32::MAX as u64, "The kernel holds a signed number (`struct htb_class`)";
    /// Priority of an HTB class.
    PRIORITY: "htb prio", Some("priority"), "", 0, 7, "The kernel turns larger numbers into 7 (`TC_HTB_NUMPRIO`)";
    /// Packets that HTB sends without a class.
    DIRECT: "htb direct_qlen", None, "packets", 1, 1_000_000, "The same as for other queues";
    /// Bytes above an IP packet.
    OVERHEAD: "overhead", Some("overhead"), "bytes", 0, 256, "`tc` accepts no more for CAKE (tc-cake(8))";
    /// Minimum charge of a packet.
    MPU: "mpu", Some("mpu"), "bytes", 0, 256, "`tc` accepts no more for CAKE (tc-cake(8))";
    /// Number of a class: the last three digits of its minor number and of the handle of its queue.
    CLASS_ID: "classid", Some("id"), "", 1, 4_095,
        "0 is the root class. A minor number has four hex digits, and the first one tells the slot of the tree";
    /// Packets in a queue.
    PACKETS: "limit", Some("limit"), "packets", 1, 1_000_000, "More packets than this do not fit into a router's memory";
    /// Flows of fq_codel.
    FLOWS: "fq_codel flows", Some("flows"), "", 1, 65_536, "The kernel refuses more (`fq_codel_change`)";
    /// Quantum of a flow in fq_codel.
    QUANTUM: "fq_codel quantum", Some("quantum"), "bytes", 256, 1 << 20,
        "The kernel raises smaller numbers to 256 and refuses larger ones (`fq_codel_change`)";
    /// Target and interval of CoDel in the file.
    CODEL_TIME: "fq_codel target, interval", Some("target, interval"), "us", 2, 10_000_000,
        "CoDel counts in steps of 1024 ns, and `tc` reads 2^32 us as the default";
    /// Target and interval of CoDel that follow from a slow line and its MTU.
    LONG_CODEL_TIME: "fq_codel target, interval", None, "us", 2, 999_000_000,
        "CoDel compares numbers of 31 bits, which is 2199 s. From 1000 s on, `tc` prints a power of ten";
    /// Round-trip times: CAKE is tuned for one, and socket buffers are sized for one.
    ROUND_TRIP: "cake rtt", Some("rtt"), "us", 1, 10_000_000, "`tc` reads 2^32 us as the default";
    /// Memory of fq_codel.
    MEMORY: "fq_codel memory_limit", Some("memory"), "bytes", 1, 1 << 31,
        "The kernel holds at most 2 GiB (`fq_codel_change`), and `tc` reads 2^32 - 1 as the default";
    /// Memory of CAKE.
    CAKE_MEMORY: "cake memlimit", None, "bytes", 1, u32::MAX as u64, "32 bits";
    /// Index of a policer.
    POLICE_INDEX: "police index", None, "", 1, i32::MAX as u64, "Some shells and some awk have signed numbers of 32 bits";
    /// Longest packet that a policer passes.
    POLICE_MTU: "police mtu", None, "bytes", 256, u32::MAX as u64,
        "32 bits. `tc` finds no table of rates for very small numbers, and 0 means 2047";
    /// Preference of a filter.
    PREFERENCE: "pref", None, "", 1, u16::MAX as u64, "16 bits, and the kernel replaces 0";
    /// Mark of a packet or a connection, and masks of marks.
    MARK: "mark, cpmark", Some("mark, mark_mask"), "", 0, u32::MAX as u64, "32 bits";
    /// Length of the transmit queue of a device.
    TRANSMIT_QUEUE: "txqueuelen", Some("txqueuelen"), "packets", 1, 32_767,
        "Linux 6.1.192 answers \"Numerical result out of range\" to more; older kernels held 32 bits";
    /// Bytes that a transmit queue of a device may hold.
    BYTE_QUEUE: "byte_queue_limits/limit_max", Some("bql"), "bytes", 1_514, 1_879_048_192,
        "Less than a frame would stop the driver after each packet, and the kernel refuses more (`DQL_MAX_LIMIT`)";
    /// Largest size of a socket's receive buffer.
    RECEIVE_BUFFER: "net.core.rmem_max", None, "bytes", 2_304, i32::MAX as u64,
        "The kernel refuses less than one packet (`SOCK_MIN_RCVBUF`), and more than 31 bits";
    /// Largest size of a socket's send buffer.
    SEND_BUFFER: "net.core.wmem_max", None, "bytes", 4_608, i32::MAX as u64,
        "The kernel refuses less than two packets (`SOCK_MIN_SNDBUF`), and more than 31 bits";
    /// Smallest, first and largest size of a TCP socket's buffer.
    TCP_BUFFER: "net.ipv4.tcp_rmem, net.ipv4.tcp_wmem", None, "bytes", 4_096, i32::MAX as u64,
        "The kernel refuses less than 4096 bytes for receiving (found by trying), and more than 31 bits";
}
