//! Describes every quantity, and the code of the error for an invalid text.

use crate::diag::Code;
use crate::units::{
    Address, Bytes, DayPart, Days, Dscp, Family, IfName, LengthRange, LinkName, Mac, Mark, MarkMask, Micros,
    Percent, PortRange, Protocol, Rate, UnitError,
};
use std::str::FromStr;

/// A quantity that is read from one text.
pub(super) trait Unit: FromStr<Err = UnitError> {
    /// Description with its article and an example.
    const WHAT: &'static str;
    /// Code of the error for an invalid text.
    const CODE: Code;
    /// `true` if any text may be valid, so that quotes matter.
    const IS_NAME: bool = false;
}

macro_rules! units {
    ($($t:ty: $code:ident $what:literal,)+) => {
        $(impl Unit for $t {
            const WHAT: &'static str = $what;
            const CODE: Code = Code::$code;
        })+
    };
}

units! {
    Rate: BadRate "a rate such as `6.5mbit`",
    Percent: BadPercent "a percentage such as `3%`",
    Bytes: BadSize "a size such as `64KiB`",
    DayPart: BadTime "a part of the day such as `23:00-06:00`",
    Days: BadTime "a day such as `sat`, or a range such as `mon-fri`",
    Micros: BadTime "a time such as `10ms`",
    Address: BadAddress "an address such as `192.168.1.5` or `2001:db8::/64`",
    PortRange: BadPort "a port such as `53` or a range such as `5060-5061`",
    Dscp: BadDscp "a DSCP such as `ef` or a number from 0 to 63",
    Protocol: BadProtocol "a protocol such as `udp`",
    Mark: BadMark "a mark such as `0x10/0xff`",
    MarkMask: BadMark "a mask such as `0xff000000`",
    Mac: BadMac "a MAC address such as `02:00:5e:10:00:01`",
    LengthRange: BadNumber "a packet length such as `<128`",
    Family: BadChoice "`ipv4` or `ipv6`",
}

impl Unit for IfName {
    const WHAT: &'static str = "a device name such as `eth0`";
    const CODE: Code = Code::BadName;
    const IS_NAME: bool = true;
}

impl Unit for LinkName {
    const WHAT: &'static str = "a name such as `home`";
    const CODE: Code = Code::BadName;
    const IS_NAME: bool = true;
}
