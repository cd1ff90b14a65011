//! The numbers that keys take, for their readers and for the schema.

use std::ops::RangeInclusive;

/// Bytes above an IP packet, and the least bytes of a packet: what tc-cake takes.
pub(super) const OVERHEAD: RangeInclusive<u32> = 0..=256;
/// The MTUs that IPv4 knows (RFC 791).
pub(super) const MTU: RangeInclusive<u32> = 68..=65535;
/// The ids that the kernel has: minor numbers. Which of them are free is not a matter of shape.
pub(super) const IDS: RangeInclusive<u32> = 1..=0xffff;
/// What is served first, to what is served last.
pub(super) const PRIORITY: RangeInclusive<u32> = 0..=7;
/// Packets in a queue.
pub(super) const PACKETS: RangeInclusive<u32> = 1..=1_000_000;
/// Bytes that a flow of fq_codel sends in its turn (`fq_codel_change`).
pub(super) const QUANTUM: RangeInclusive<u32> = 256..=1 << 20;
/// Flows that fq_codel keeps apart (`fq_codel_change`).
pub(super) const FLOWS: RangeInclusive<u32> = 1..=65536;
/// Bytes of memory of a queue.
pub(super) const MEMORY: RangeInclusive<u32> = 1..=u32::MAX;
/// The characters of a name.
pub(super) const NAME: RangeInclusive<u32> = 1..=64;
