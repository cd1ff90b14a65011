//! IP packets, byte by byte, for the sender in the guest. Checksums are left out, because no classifier looks at them.

use std::fmt::Write as _;
use std::net::IpAddr;

/// TCP flags.
pub const SYN: u8 = 0x02;
pub const PSH: u8 = 0x08;
pub const ACK: u8 = 0x10;
pub const FIN: u8 = 0x01;
pub const RST: u8 = 0x04;

/// A packet. All fields that a test does not set are zero.
#[derive(Debug, Clone)]
pub struct Packet {
    source: IpAddr,
    destination: IpAddr,
    tos: u8,
    protocol: u8,
    fragment: u16,
    options: usize,
    payload: Vec<u8>,
    mark: u32,
    in_pppoe: bool,
    hops: u8,
}

impl Packet {
    /// A packet between two addresses of one family, without payload and with a protocol that nothing uses.
    pub fn new(source: &str, destination: &str) -> Self {
        let (source, destination): (IpAddr, IpAddr) =
            (source.parse().expect("an address"), destination.parse().expect("an address"));
        assert_eq!(source.is_ipv4(), destination.is_ipv4());
        let nobody = 253;
        let (tos, fragment, options, mark) = (0, 0, 0, 0);
        let payload = Vec::new();
        Packet {
            source,
            destination,
            tos,
            protocol: nobody,
            fragment,
            options,
            payload,
            mark,
            in_pppoe: false,
            hops: 64,
        }
    }

    /// Sets another protocol.
    pub fn protocol(mut self, number: u8) -> Self {
        self.protocol = number;
        self
    }

    /// Adds a UDP header.
    pub fn udp(mut self, from: u16, to: u16) -> Self {
        self.protocol = 17;
        self.payload = [from.to_be_bytes(), to.to_be_bytes(), [0, 8], [0, 0]].concat();
        self
    }

    /// Adds a TCP header with this many words of options.
    pub fn tcp(mut self, from: u16, to: u16, flags: u8, options: u8) -> Self {
        assert!(options <= 10);
        self.protocol = 6;
        self.payload = [from.to_be_bytes(), to.to_be_bytes()].concat();
        self.payload.resize(20 + 4 * usize::from(options), 0);
        self.payload[12] = (5 + options) << 4;
        self.payload[13] = flags;
        self
    }

    /// Adds an ICMPv6 header of this type, and sets the hop limit.
    pub fn icmpv6(mut self, kind: u8, hops: u8) -> Self {
        self.protocol = 58;
        self.hops = hops;
        self.payload = vec![kind, 0, 0, 0];
        self
    }

    /// Sets the DSCP.
    pub fn dscp(mut self, bits: u8) -> Self {
        self.tos = bits << 2 | self.tos & 3;
        self
    }

    /// Sets the ECN bits, 0 to 3.
    pub fn ecn(mut self, bits: u8) -> Self {
        self.tos = self.tos & 0xfc | bits;
        self
    }

    /// Turns the packet into a later fragment, in which the apparent header is data.
    pub fn later_fragment(mut self) -> Self {
        self.fragment = 100;
        self
    }

    /// Adds words of IPv4 options.
    pub fn ip_options(mut self, words: usize) -> Self {
        self.options = words;
        self
    }

    /// Sets the firewall mark that the packet has when it leaves the sender.
    pub fn mark(mut self, mark: u32) -> Self {
        self.mark = mark;
        self
    }

    /// Puts the packet into a frame of a PPPoE session.
    pub fn in_pppoe(mut self) -> Self {
        self.in_pppoe = true;
        self
    }

    /// Extends the payload to at least this length.
    pub fn payload(mut self, length: usize) -> Self {
        self.payload.resize(self.payload.len().max(length), 0);
        self
    }

    /// Resizes the payload so that the IP packet, header included, has this length.
    pub fn length(mut self, length: usize) -> Self {
        let header = self.header_length();
        assert!(length >= header, "{length} is less than the header");
        self.payload.resize(length - header, 0);
        self
    }

    fn header_length(&self) -> usize {
        if self.source.is_ipv4() { 20 + 4 * self.options } else { 40 }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let length = |n: usize| u16::try_from(n).expect("an IP packet").to_be_bytes();
        match (self.source, self.destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                let words = u8::try_from(5 + self.options).expect("few options");
                bytes.extend([0x40 | words, self.tos]);
                bytes.extend(length(self.header_length() + self.payload.len()));
                bytes.extend([0, 0]);
                bytes.extend(self.fragment.to_be_bytes());
                bytes.extend([64, self.protocol, 0, 0]);
                bytes.extend(source.octets());
                bytes.extend(destination.octets());
                bytes.resize(self.header_length(), 1);
            }
            (IpAddr::V6(source), IpAddr::V6(destination)) => {
                bytes.extend([0x60 | self.tos >> 4, self.tos << 4, 0, 0]);
                bytes.extend(length(self.payload.len()));
                bytes.extend([self.protocol, self.hops]);
                bytes.extend(source.octets());
                bytes.extend(destination.octets());
            }
            _ => unreachable!("both ends are of one family"),
        }
        bytes.extend(&self.payload);
        bytes
    }

    /// Returns a line for the sender. `place` is a device, or `NAMESPACE/DEVICE`.
    pub fn line(&self, place: &str, count: usize) -> String {
        let mut bytes = self.bytes();
        let mut kind = if self.source.is_ipv4() { "0800" } else { "86dd" };
        if self.in_pppoe {
            let length = u16::try_from(bytes.len() + 2).expect("a frame").to_be_bytes();
            let inside = if self.source.is_ipv4() { [0x00, 0x21] } else { [0x00, 0x57] };
            bytes = [&[0x11, 0, 0, 1], length.as_slice(), &inside, &bytes].concat();
            kind = "8864";
        }
        let mut line = format!("{place} {kind} ");
        for byte in bytes {
            let _ = write!(line, "{byte:02x}");
        }
        let _ = writeln!(line, " {count} {}", self.mark);
        line
    }
}
