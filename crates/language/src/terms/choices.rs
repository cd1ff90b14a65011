//! Choices of the file: each has a fixed set of names.

use super::Direction;

choices! {
    /// `link.ingress`.
    pub enum Ingress {
        /// Downloads are shaped on an ifb device.
        Shape,
        /// All downloads are policed to the shaped rate.
        Police,
        /// Downloads are neither shaped nor policed.
        None,
    }

    /// `link.engine`, a direction.
    pub enum Engine {
        /// HTB, with a queue in each leaf class.
        Htb,
        /// One CAKE for all classes, which are its tins.
        Cake,
        /// One CAKE for each transmit queue, without classes. They share the rate, and several cores send.
        #[serde(rename = "cake_mq")]
        #[strum(serialize = "cake_mq")]
        CakeMq,
    }
}

impl Engine {
    /// True if the root qdisc is CAKE.
    #[must_use]
    pub const fn is_cake(self) -> bool {
        matches!(self, Engine::Cake | Engine::CakeMq)
    }
}

choices! {
    /// `link.layer`: how the line carries a packet.
    pub enum Layer {
        /// Frames without cells and without 64/65 encoding.
        Ethernet,
        /// PTM: frames in 64/65 encoding, which takes one byte in 65.
        Ptm,
        /// ATM cells: 48 bytes of payload in 53 bytes.
        Atm,
    }

    /// `link.frames`: what the WAN device's packets are, where the router cannot tell.
    pub enum Frames {
        /// Detected on the router: by the type of the device, and by PPPoE sessions of the router that run over it.
        Auto,
        /// IP packets, with an Ethernet header where the device has one.
        Ip,
        /// PPPoE frames, 8 bytes more than their IP packets (a bridge between modem and PPPoE client).
        Pppoe,
    }

    /// `link.wash`.
    pub enum Wash {
        /// Uploads.
        Up,
        /// Downloads.
        Down,
        /// Both.
        Both,
    }

    /// `tunnels.*.kind`.
    pub enum TunnelKind {
        /// IPv4 in IPv4.
        Ipip,
        /// IPv6 in IPv4.
        Sit,
        /// GRE over IPv4.
        Gre,
        /// IPv4 or IPv6 in IPv6.
        Ip6tnl,
        /// GRE over IPv6.
        Ip6gre,
        /// WireGuard.
        Wireguard,
        /// OpenVPN.
        Openvpn,
        /// VXLAN.
        Vxlan,
        /// L2TP.
        L2tp,
        /// Another kind of tunnel.
        Other,
    }

    /// `tunnels.*.inner`: what the classes see of what is inside.
    pub enum Inner {
        /// Matches see the inner packets.
        Match,
        /// The queues keep the inner flows apart.
        Flows,
        /// The tunnel is one flow.
        Opaque,
    }

    /// `share`.
    pub enum Share {
        /// Equal shares for all flows.
        PerFlow,
        /// Equal shares for all hosts, and then for the flows of each host.
        PerHost,
    }

    /// `tcp` of a match: TCP packets told apart by their flags (RFC 9293, section 3.1)
    #[derive(strum::Display)]
    pub enum TcpKind {
        /// Acknowledgements: ACK set, none of SYN, FIN, RST and PSH, and no longer than an acknowledgement can be
        Ack,
        /// Packets that set up a connection: SYN set, with ACK (the answer) or without
        Syn,
        /// Packets that end their sender's half of a connection: FIN set
        Fin,
        /// Packets that reset a connection: RST set
        Rst,
    }
}

impl TcpKind {
    /// The mask of the flags that it looks at, and their values, as bits of the byte of flags.
    #[must_use]
    pub const fn flags(self) -> (u8, u8) {
        match self {
            TcpKind::Ack => (0x1f, 0x10),
            TcpKind::Syn => (0x02, 0x02),
            TcpKind::Fin => (0x01, 0x01),
            TcpKind::Rst => (0x04, 0x04),
        }
    }
}

choices! {
    /// `ecn` of a match: the ECN field of the IP header (RFC 3168, section 5; RFC 9331)
    #[derive(strum::Display)]
    pub enum Ecn {
        /// The sender does not use ECN
        NotEct,
        /// ECT(1): the sender uses L4S
        Ect1,
        /// ECT(0): the sender uses classic ECN
        Ect0,
        /// A queue on the path was congested
        Ce,
    }
}

impl Ecn {
    /// Returns the two bits of the field.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        }
    }
}

choices! {
    /// CAKE's `diffserv` modes.
    pub enum Diffserv {
        /// One tin.
        Besteffort,
        /// Three tins.
        Diffserv3,
        /// Four tins.
        Diffserv4,
        /// Eight tins.
        Diffserv8,
    }

    /// `expect.load`: what fills the line while something is measured.
    #[derive(serde::Deserialize)]
    pub enum Load {
        /// No load.
        None,
        /// Three bulk uploads by TCP.
        Upload,
        /// Three bulk downloads by TCP.
        Download,
        /// Both loads at once.
        Both,
        /// UDP upload at 8 Mbit/s, or at 125 % of the line rate if that is more.
        FloodUp,
        /// The same as a download.
        FloodDown,
    }
}

impl Load {
    /// Whether it fills the line in this direction: acknowledgements do not count.
    #[must_use]
    pub const fn fills(self, direction: Direction) -> bool {
        match direction {
            Direction::Up => matches!(self, Load::Upload | Load::Both | Load::FloodUp),
            Direction::Down => matches!(self, Load::Download | Load::Both | Load::FloodDown),
        }
    }
}

choices! {
    /// `expect.measure`: what is measured beside the load.
    pub enum Measure {
        /// Round-trip times of ICMP echo.
        Ping,
        /// UDP upload at 200 kbit/s in packets of 500 bytes; its times are one-way delays.
        Stream,
        /// The same as a download.
        StreamDown,
        /// Small fetches as of a web page: a request and an answer of 60 kB.
        Fetch,
        /// Throughput of one bulk upload by TCP.
        Upload,
        /// Throughput of one bulk download by TCP.
        Download,
    }
}

impl Measure {
    /// The direction in which what is measured goes; `None` of round trips.
    #[must_use]
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Measure::Ping | Measure::Fetch => None,
            Measure::Stream | Measure::Upload => Some(Direction::Up),
            Measure::StreamDown | Measure::Download => Some(Direction::Down),
        }
    }
}

choices! {
    /// `script.calls`: a call that only some scripts have.
    pub enum ScriptCall {
        /// `rate` scales the tree to other line rates.
        Rate,
        /// `status --metrics` prints counters for Prometheus.
        Metrics,
    }
}

choices! {
    /// `tuning.offloads`.
    pub enum Offloads {
        /// Offloads are turned off if aggregated packets would hold the line longer than the AQM target, or hide overhead.
        Auto,
        /// Offloads are left as they are.
        Keep,
    }
}
