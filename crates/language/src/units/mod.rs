//! Quantities in the form that users write and that the kernel accepts: exact integers with one parser and one printer
//! each.
//!
//! Every type here parses with [`FromStr`](std::str::FromStr) into itself or a [`UnitError`] and prints with
//! [`Display`](std::fmt::Display). Parsing the printed text gives the same value. No calculation uses floating point.

mod address;
mod bytes;
mod clock;
mod dscp;
mod error;
mod hash;
mod ifname;
mod length;
mod micros;
mod number;
mod percent;
mod ports;
mod protocol;
mod range;
mod rate;
mod rounded;
mod written;

pub use address::is_group;
pub use address::{Address, Family};
pub use bytes::Bytes;
pub use clock::{DAY, DayPart, Days};
pub use dscp::Dscp;
pub use error::{Advice, UnitError};
pub use hash::fnv1a64;
pub use ifname::{IfName, LinkName};
pub use length::LengthRange;
pub use micros::Micros;
pub use percent::Percent;
pub use ports::{PortRange, PortSet};
pub use protocol::{Mac, Mark, MarkMask, Protocol};
pub use rate::Rate;
pub use rounded::{change_for_people, for_people, words_for_people};

/// Serializes a type as the text that its `Display` prints and its `FromStr` reads.
macro_rules! serialize_as_text {
    ($($t:ty),+) => {$(
        impl serde::Serialize for $t {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
    )+};
}
serialize_as_text!(
    Address,
    DayPart,
    Days,
    Dscp,
    IfName,
    LinkName,
    LengthRange,
    Mac,
    Mark,
    MarkMask,
    Micros,
    Percent,
    PortRange,
    PortSet,
    Protocol,
    Rate
);

#[cfg(test)]
mod round_trip_tests;

#[cfg(test)]
mod message_tests;
