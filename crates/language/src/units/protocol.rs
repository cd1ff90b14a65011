//! IP protocols, firewall marks and MAC addresses.

use super::UnitError;
use super::number::{self, What};
use super::written::{self, U8, WHOLE, Written, written};
use crate::diag::{count, did_you_mean, or_ticked, surely, ticked};
use std::str::FromStr;

/// An IP protocol number, 0 to 255. Text: the name of a common protocol
/// (`tcp udp icmp icmpv6 igmp ipip ipv6 gre esp ah sctp dccp ospf udplite l2tp`) or the number. It prints as a name if
/// there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Protocol(pub u8);

impl Protocol {
    /// TCP.
    pub const TCP: Protocol = Protocol(6);
    /// UDP.
    pub const UDP: Protocol = Protocol(17);
    /// ICMP of IPv4.
    pub const ICMP: Protocol = Protocol(1);
    /// ICMP of IPv6.
    pub const ICMPV6: Protocol = Protocol(58);

    /// Returns `true` if the first four bytes of the header are two ports: tcp, udp, sctp, udplite, dccp.
    #[must_use]
    pub const fn has_ports(self) -> bool {
        matches!(self.0, 6 | 17 | 33 | 132 | 136)
    }
}

/// A firewall mark under a mask: a packet matches if `mark & mask == value`. Text: `0x10/0xff`, `16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark {
    /// Value, without bits outside the mask.
    pub value: u32,
    /// Tested bits; all bits if the text has no mask.
    pub mask: u32,
}

/// Bits of a firewall mark, at least one. Text: `0xff000000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkMask(pub u32);

/// The MAC address of one device. Text: six pairs of hex digits separated by `:` or `-`; it prints with `:`. Group
/// addresses and the all-zero address are rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

/// Names and numbers (IANA's protocol number registry), in the spelling of /etc/protocols and of users.
const NAMES: &[(&str, u8)] = &[
    ("tcp", 6),
    ("udp", 17),
    ("icmp", 1),
    ("icmpv6", 58),
    ("igmp", 2),
    ("ipip", 4),
    ("ipv6", 41),
    ("gre", 47),
    ("esp", 50),
    ("ah", 51),
    ("sctp", 132),
    ("dccp", 33),
    ("ospf", 89),
    ("udplite", 136),
    ("l2tp", 115),
];

const PROTOCOL: What =
    What { noun: "protocol", cure: "a name such as `tcp` or `udp`, or a number from 0 to 255" };

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match NAMES.iter().find(|(_, number)| *number == self.0) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}

impl FromStr for Protocol {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if let Some((_, number)) = NAMES.iter().find(|(name, _)| *name == lower) {
            return Ok(Protocol(*number));
        }
        if !lower.starts_with(|c: char| c.is_alphabetic()) {
            let number = number::integer(text, PROTOCOL, 255)?;
            return Ok(Protocol(u8::try_from(number).unwrap_or(u8::MAX)));
        }
        let error = UnitError::new(format!("there is no protocol named {}", ticked(text)));
        if let Some(list) = number::as_list::<Protocol>(&lower) {
            return Err(number::several(error, text, &list));
        }
        let meant = match lower.as_str() {
            "any" | "all" | "ip" | "both" => {
                return Err(error.help("leave `protocol` out to match every protocol"));
            }
            "quic" => return Err(error.help("QUIC uses UDP: write `udp`")),
            "icmp6" | "ipv6-icmp" => Some("icmpv6"),
            "ipencap" | "ipv4" | "ip4" => Some("ipip"),
            "sit" | "6in4" | "ip6" => Some("ipv6"),
            "ospfigp" => Some("ospf"),
            _ => did_you_mean(&lower, NAMES.iter().map(|(name, _)| *name)),
        };
        // Other names for the same number are unambiguous, except `ipv4` and `ip6`, which may mean a family.
        let sure = match lower.as_str() {
            "icmp6" | "ipv6-icmp" | "ipencap" | "6in4" | "sit" | "ospfigp" => meant,
            _ => surely(&lower, NAMES.iter().map(|(name, _)| *name)),
        };
        Err(match meant {
            Some(name) if sure == meant => error.help(format!("did you mean `{name}`?")).certain(text, name),
            Some(name) => error.help(format!("did you mean `{name}`?")),
            None => error
                .help(format!("the names are {}", or_ticked(NAMES.iter().map(|(name, _)| *name))))
                .help("for another protocol, write its number, from 0 to 255"),
        })
    }
}

const MARK: What = What { noun: "mark", cure: "a value and a mask, such as `0x10/0xff`, or a value alone" };

const MASK: What = What { noun: "mask of the mark", cure: "the bits to compare, such as `0xff`" };

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.value)?;
        if self.mask == u32::MAX { Ok(()) } else { write!(f, "/{:#x}", self.mask) }
    }
}

impl FromStr for Mark {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let (value, mask) = text.split_once('/').map_or((text, None), |(value, mask)| (value, Some(mask)));
        let value = bits(value, MARK)?;
        let mask = mask.map_or(Ok(u32::MAX), |mask| bits(mask, MASK))?;
        let refuse = |why: &str| UnitError::new(format!("the mark {} {why}", ticked(text)));
        if mask == 0 {
            return Err(refuse("has an empty mask, which matches every packet")
                .help("leave `mark` out to match every mark"));
        }
        if value & !mask != 0 {
            let inside = Mark { value: value & mask, mask };
            let wider = Mark { value, mask: value | mask };
            return Err(refuse("has bits outside its mask, so that no packet can match")
                .help(format!("write `{inside}` or `{wider}`")));
        }
        Ok(Mark { value, mask })
    }
}

const BITS: What = What { noun: "mark mask", cure: "the bits that qosc may use, such as `0xff000000`" };

impl std::fmt::Display for MarkMask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

impl FromStr for MarkMask {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match bits(text, BITS)? {
            0 => Err(UnitError::new(format!("the mark mask {} has no bits", ticked(text.trim())))
                .help("write bits that no other program on the router uses, such as `0xff000000`")),
            bits => Ok(MarkMask(bits)),
        }
    }
}

/// Reads 32 bits in decimal, or in hexadecimal after `0x`.
fn bits(text: &str, what: What) -> Result<u32, UnitError> {
    let text = text.trim();
    let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) else {
        let value = number::integer(text, what, u64::from(u32::MAX))?;
        return Ok(u32::try_from(value).unwrap_or(u32::MAX));
    };
    let refuse = |why: &str| UnitError::new(format!("the {} {} {why}", what.noun, ticked(text)));
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(refuse("is not hexadecimal")
            .help("write digits and the letters a to f after `0x`, such as `0x10`"));
    }
    u32::from_str_radix(digits, 16).map_err(|_| {
        refuse("is above the largest, 0xffffffff")
            .help("write at most 8 digits after `0x`: a mark has 32 bits")
    })
}

impl std::fmt::Display for Mac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, octet) in self.0.iter().enumerate() {
            let colon = if i == 0 { "" } else { ":" };
            write!(f, "{colon}{octet:02x}")?;
        }
        Ok(())
    }
}

impl FromStr for Mac {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let cure = "write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`";
        let refuse = |why: &str| UnitError::new(format!("the MAC address {} {why}", ticked(text)));
        if text.is_empty() {
            return Err(UnitError::new("the MAC address is empty").help(cure));
        }
        if let Some(c) = text.chars().find(|c| !(c.is_ascii_hexdigit() || ":-.".contains(*c))) {
            return Err(refuse(&format!("has {} in it", ticked(&c.to_string()))).help(cure));
        }
        let digits: Vec<u8> =
            text.chars().filter_map(|c| c.to_digit(16)).filter_map(|d| u8::try_from(d).ok()).collect();
        let octets: Vec<u8> =
            digits.chunks(2).map(|pair| pair.iter().fold(0, |octet, digit| octet << 4 | digit)).collect();
        let Ok(mac) = <[u8; 6]>::try_from(octets).map(Mac) else {
            return Err(refuse(&format!("has {}, not 12", count(digits.len(), "digit"))).help(cure));
        };
        let in_pairs = |separator: char| {
            let mut parts = text.split(separator);
            parts.clone().count() == 6 && parts.all(|part| part.len() == 2)
        };
        if digits.len() != 12 || !(in_pairs(':') || in_pairs('-')) {
            return Err(refuse("is not written as six pairs of digits").write(text, &mac.to_string()));
        }
        if mac.0 == [0; 6] {
            return Err(refuse("belongs to no device")
                .help("`ip neigh` lists the addresses of the devices that the router knows"));
        }
        if mac.0.first().is_some_and(|octet| octet & 1 == 1) {
            return Err(refuse("is a group address, not the address of one device")
                .help("`ip neigh` lists the addresses of the devices that the router knows"));
        }
        Ok(mac)
    }
}

written!(
    Protocol,
    "Protocol",
    Written {
        about: "An IP protocol: a name such as `udp`, or a number from 0 to 255",
        numbers: Some((0, 255)),
        pattern: format!("{}|{U8}{WHOLE}", written::any_of(NAMES.iter().map(|(name, _)| *name))),
        trimmed: true,
        examples: NAMES.iter().map(|(name, _)| *name).collect(),
    }
);

/// Pattern for 32 bits in decimal or hexadecimal.
const BITS32: &str = "([1-9][0-9]{0,9}(\\.0+)?|0(\\.0+)?|0[xX]0*[0-9a-fA-F]{1,8})";
/// Pattern for 32 bits that are not all zero.
const SOME_BITS: &str = "([1-9][0-9]{0,9}(\\.0+)?|0[xX]0*[1-9a-fA-F][0-9a-fA-F]{0,7})";

written!(
    Mark,
    "Mark",
    Written {
        about: "A firewall mark: a value, or a value and a mask such as `0x10/0xff`",
        numbers: Some((0, 0xffff_ffff)),
        pattern: format!("{BITS32}(\\s*/\\s*{SOME_BITS})?"),
        trimmed: true,
        examples: vec!["0x10/0xff", "16"],
    }
);

written!(
    MarkMask,
    "Mask",
    Written {
        about: "A mask: bits of a firewall mark, such as `0xff000000`",
        numbers: Some((1, 0xffff_ffff)),
        pattern: SOME_BITS.to_owned(),
        trimmed: true,
        examples: vec!["0xff000000"],
    }
);

written!(
    Mac,
    "Mac",
    Written {
        about: "The MAC address of one device, such as `02:00:5e:10:00:01`",
        numbers: None,
        pattern: {
            // the lowest bit of the first byte marks a group address
            let (first, pair) = ("[0-9a-fA-F][02468aceACE]", "[0-9a-fA-F]{2}");
            format!("{first}(:{pair}){{5}}|{first}(-{pair}){{5}}")
        },
        trimmed: true,
        examples: vec!["02:00:5e:10:00:01"],
    }
);
