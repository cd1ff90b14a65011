//! Keys with a fixed set of names: a description of each choice, and other words that users write for its names.

use super::values::{Choice, Meant};
use crate::terms::{
    Diffserv, Direction, Ecn, Engine, Frames, Ingress, Inner, Layer, Load, Measure, Offloads, ScriptCall,
    Share, TcpKind, TunnelKind, Wash,
};

/// Kinds of queue, before their options are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
    ($($t:ty: $what:literal { $($word:literal $how:ident $meant:literal,)* })+) => {
        $(impl Choice for $t {
            const WHAT: &'static str = $what;
            const MEANT: &'static [Meant] = &[$(meant!($word $how $meant),)*];
        })+
    };
}

choices! {
    Ingress: "a value of `ingress`" {}
    Engine: "an engine" {
        "cake-mq" is "cake_mq",
    }
    Layer: "a layer" {
        "adsl" means "atm",
        "vdsl" means "ptm",
        "vdsl2" means "ptm",
    }
    Frames: "a frame type" {}
    Wash: "a value of `wash`" {}
    TunnelKind: "a kind of tunnel" {
        "wg" is "wireguard",
        "ovpn" is "openvpn",
    }
    Inner: "a value of `inner`" {}
    Share: "a value of `share`" {}
    Diffserv: "a diffserv mode of CAKE" {}
    Direction: "a direction" {
        "upload" is "up",
        "egress" means "up",
        "out" means "up",
        "download" is "down",
        "ingress" means "down",
        "in" means "down",
    }
    Offloads: "a value of `offloads`" {}
    ScriptCall: "a call that a file can ask for" {}
    Load: "a load" {
        "idle" is "none",
        "up" means "upload",
        "uploads" is "upload",
        "down" means "download",
        "downloads" is "download",
        "flood" means "flood-up",
        "udp" means "flood-up",
    }
    Measure: "a value of `measure`" {
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
        "fq" means "fq_codel",
        "sfq" means "fq_codel",
        "pfifo" means "fifo",
        "bfifo" means "fifo",
    }
    Ecn: "a value of `ecn`" {
        "l4s" means "ect1",
        "none" means "not-ect",
    }
    TcpKind: "a value of `tcp`" {
        "acks" is "ack",
        "reset" is "rst",
        "syn-ack" means "syn",
        "synack" means "syn",
        "new" means "syn",
    }
}
