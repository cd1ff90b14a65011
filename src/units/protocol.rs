//! IP protocols, firewall marks and MAC addresses.

/// An IP protocol number, 0 to 255. Text: a name of the common ones (`tcp udp icmp icmpv6 igmp ipip ipv6 gre esp ah
/// sctp ospf udplite l2tp`) or the number; prints the name where there is one.
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

    /// Whether the first four bytes of its header are two ports: tcp, udp, sctp, udplite, dccp.
    #[must_use]
    pub const fn has_ports(self) -> bool {
        matches!(self.0, 6 | 17 | 33 | 132 | 136)
    }
}

/// A firewall mark under a mask: a packet matches when `mark & mask == value`. Text: `0x10/0xff`, `16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark {
    /// The value; has no bit outside the mask.
    pub value: u32,
    /// The bits that count; all of them when the text names no mask.
    pub mask: u32,
}

/// A MAC address of one device. Text: six pairs of hex digits with `:` or `-` between; prints with `:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac(pub [u8; 6]);

impl std::fmt::Display for Mac {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
