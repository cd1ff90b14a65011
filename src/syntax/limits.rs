//! Limits of a file, and ranges of numbers for the readers of keys and for the schema.

use std::ops::RangeInclusive;

/// Size in bytes of the largest file that is read. 16,000 classes with several matches each fit into it. With a
/// larger limit, a hostile file could take more than 2 s, or 300 MB.
pub const MAX_BYTES: usize = 4 << 20;

/// Help for an empty file or a missing `link`.
pub(super) const SMALLEST_FILE_HELP: &str =
    "the smallest valid file is `link: { device: ppp0, up: 6mbit, down: 25mbit }`";

/// Bytes above an IP packet, and minimum bytes of a packet: the range of tc-cake(8).
pub(super) const OVERHEAD: RangeInclusive<u32> = 0..=256;
/// MTUs in bytes that IPv4 allows (RFC 791).
pub(super) const MTU: RangeInclusive<u32> = 68..=65535;
/// Class ids that the kernel accepts: minor numbers. Another check finds out which of them are free.
pub(super) const IDS: RangeInclusive<u32> = 1..=0xffff;
/// Priorities; 0 is served first.
pub(super) const PRIORITY: RangeInclusive<u32> = 0..=7;
/// Packets in a queue.
pub(super) const PACKETS: RangeInclusive<u32> = 1..=1_000_000;
/// Bytes that a flow of fq_codel may send per round (`fq_codel_change`).
pub(super) const QUANTUM: RangeInclusive<u32> = 256..=1 << 20;
/// Number of flows in fq_codel (`fq_codel_change`).
pub(super) const FLOWS: RangeInclusive<u32> = 1..=65536;
/// Memory limit of a queue in bytes.
pub(super) const MEMORY: RangeInclusive<u32> = 1..=u32::MAX;
/// Number of characters in a name.
pub(super) const NAME: RangeInclusive<u32> = 1..=64;
