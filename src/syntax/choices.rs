//! Keys with a fixed set of names: the names of each choice, and their meaning.

use super::values::{Choice, Meant};
use crate::terms::{
    Diffserv, Direction, Engine, Frames, Ingress, Inner, Layer, Load, Measure, Offloads, Share, TcpKind,
    TunnelKind, Wash,
};

/// Kinds of queue, before their options are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueKind {
    FqCodel,
    Cake,
    Fifo,
}

/// A word and the name that users mean by it. The form with `is` has no other possible meaning.
macro_rules! meant {
    ($word:literal is $name:literal) => {
        Meant { word: $word, name: $name, certain: true }
    };
    ($word:literal means $name:literal) => {
        Meant { word: $word, name: $name, certain: false }
    };
}

macro_rules! choices {
    ($($t:ty: $what:literal { $($name:literal = $value:expr,)+ $(; $($word:literal $how:ident $meant:literal,)+)? })+) => {
        $(impl Choice for $t {
            const WHAT: &'static str = $what;
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, $value),)+];
            $(const MEANT: &'static [Meant] = &[$(meant!($word $how $meant),)+];)?
        })+
    };
}

choices! {
    Ingress: "a value of `ingress`" {
        "shape" = Ingress::Shape,
        "police" = Ingress::Police,
        "none" = Ingress::None,
    }
    Engine: "an engine" {
        "htb" = Engine::Htb,
        "cake" = Engine::Cake,
    }
    Layer: "a layer" {
        "ethernet" = Layer::Ethernet,
        "ptm" = Layer::Ptm,
        "atm" = Layer::Atm,
        ;
        "adsl" means "atm",
        "vdsl" means "ptm",
        "vdsl2" means "ptm",
    }
    Frames: "a frame type" {
        "auto" = Frames::Auto,
        "ip" = Frames::Ip,
        "pppoe" = Frames::Pppoe,
    }
    Wash: "a value of `wash`" {
        "up" = Wash::Up,
        "down" = Wash::Down,
        "both" = Wash::Both,
    }
    TunnelKind: "a kind of tunnel" {
        "ipip" = TunnelKind::Ipip,
        "sit" = TunnelKind::Sit,
        "gre" = TunnelKind::Gre,
        "ip6tnl" = TunnelKind::Ip6tnl,
        "ip6gre" = TunnelKind::Ip6gre,
        "wireguard" = TunnelKind::Wireguard,
        "openvpn" = TunnelKind::Openvpn,
        "vxlan" = TunnelKind::Vxlan,
        "l2tp" = TunnelKind::L2tp,
        "other" = TunnelKind::Other,
    }
    Inner: "a value of `inner`" {
        "match" = Inner::Match,
        "flows" = Inner::Flows,
        "opaque" = Inner::Opaque,
    }
    Share: "a value of `share`" {
        "per-flow" = Share::PerFlow,
        "per-host" = Share::PerHost,
    }
    Diffserv: "a diffserv mode of CAKE" {
        "besteffort" = Diffserv::Besteffort,
        "diffserv3" = Diffserv::Diffserv3,
        "diffserv4" = Diffserv::Diffserv4,
        "diffserv8" = Diffserv::Diffserv8,
    }
    Direction: "a direction" {
        "up" = Direction::Up,
        "down" = Direction::Down,
        ;
        "upload" is "up",
        "egress" means "up",
        "out" means "up",
        "download" is "down",
        "ingress" means "down",
        "in" means "down",
    }
    Offloads: "a value of `offloads`" {
        "auto" = Offloads::Auto,
        "keep" = Offloads::Keep,
    }
    Load: "a load" {
        "none" = Load::None,
        "upload" = Load::Upload,
        "download" = Load::Download,
        "both" = Load::Both,
        "flood-up" = Load::FloodUp,
        "flood-down" = Load::FloodDown,
        ;
        "idle" is "none",
        "up" means "upload",
        "uploads" is "upload",
        "down" means "download",
        "downloads" is "download",
        "flood" means "flood-up",
        "udp" means "flood-up",
    }
    Measure: "a value of `measure`" {
        "ping" = Measure::Ping,
        "stream" = Measure::Stream,
        "stream-down" = Measure::StreamDown,
        "fetch" = Measure::Fetch,
        "upload" = Measure::Upload,
        "download" = Measure::Download,
        ;
        "icmp" is "ping",
        "latency" means "ping",
        "rtt" means "ping",
        "stream-up" is "stream",
        "udp" means "stream",
        "voice" means "stream",
        "http" means "fetch",
        "web" means "fetch",
    }
    QueueKind: "a kind of queue" {
        "fq_codel" = QueueKind::FqCodel,
        "cake" = QueueKind::Cake,
        "fifo" = QueueKind::Fifo,
        ;
        "fq" means "fq_codel",
        "sfq" means "fq_codel",
        "pfifo" means "fifo",
        "bfifo" means "fifo",
    }
    TcpKind: "a value of `tcp`" {
        "ack" = TcpKind::Ack,
        "syn" = TcpKind::Syn,
        "fin" = TcpKind::Fin,
        "rst" = TcpKind::Rst,
        ;
        "acks" is "ack",
        "reset" is "rst",
        "syn-ack" means "syn",
        "synack" means "syn",
        "new" means "syn",
    }
}
