//! What the household means: names bound, numbers exact, and for each number where it came from. Types only.

mod class;
mod expect;
mod known_marks;
mod link;
mod marks;
mod origin;
mod rule;

pub use crate::terms::{
    Amount, Basis, Diffserv, Direction, Engine, FileSection, Frames, Ingress, Inner, Layer, Load, Measure,
    Offloads, PerDirection, Share, TcpKind, TunnelKind, Wire,
};
pub use class::{
    Asked, Cake, Class, ClassId, FULL_PACKET_MEMORY, HostAsked, HostClass, HostClasses, Isolation, Leaf,
    Queue, Scheduling, Shape, Tin,
};
pub use expect::{Expect, Limit, LimitKind, LimitValue};
pub use known_marks::mark_users;
pub use link::{Downloads, Host, Lan, Link, Networks, Tcp, Tuning, Tunnel};
pub use marks::{DscpField, Field, Flag, Identity, Marks, Need, Needed, Seen, Shared, scatter};
pub use origin::{Origin, Val, name_of};
pub use rule::{Alternative, Exceed, Police};

use crate::units::{Bytes, LinkName};
use serde::Serialize;

/// One link as the household means it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Model {
    /// The link's name: devices, tables and state are named after it.
    pub name: Val<LinkName>,
    /// The line and the WAN device.
    pub link: Link,
    /// The house's side.
    pub lan: Lan,
    /// Hosts, in the order of the file.
    pub hosts: Vec<Host>,
    /// Tunnels, in the order of the file.
    pub tunnels: Vec<Tunnel>,
    /// The tree, in the order of the file; exactly one leaf is the default.
    pub classes: Vec<Class>,
    /// What CAKE does of it, in the directions that it schedules.
    pub cake: PerDirection<Option<Cake>>,
    /// Policed traffic, in the order of the file.
    pub police: Vec<Police>,
    /// What is tuned beside the shaper.
    pub tuning: Tuning,
    /// Our bits in the marks of packets and connections, where anything needs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// What all queues take of the router's memory.
    pub memory: Memory,
    /// What the lab must measure.
    pub expect: Vec<Expect>,
    /// The parts of the file in which an error was found, so that what is said of them here may only stand in for what could
    /// not be read.
    #[serde(skip)]
    pub with_errors: Vec<FileSection>,
}

/// What all queues of a link take of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Before they hold a packet, their classes included.
    pub queues: Val<Bytes>,
    /// And what the packets in them may take at most, by their limits.
    pub packets: Val<Bytes>,
}

impl Model {
    /// The leaves of the tree, depth first, in the order in which their matches are tried.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Class> {
        leaves(&self.classes)
    }

    /// The leaf with this id; `None` of an id that is a class with classes in it, or none.
    #[must_use]
    pub fn leaf(&self, id: ClassId) -> Option<&Class> {
        self.leaves().into_iter().find(|class| class.id.value == id)
    }

    /// The leaf that takes what nothing matches; `None` where the file says of none that it does.
    #[must_use]
    pub fn default_leaf(&self) -> Option<&Class> {
        self.leaves().into_iter().find(|class| class.is_default())
    }
}

impl Model {
    /// All alternatives there are, of classes depth first and then of police, each with the one direction in which it
    /// holds, if it is one.
    #[must_use]
    pub fn alternatives(&self) -> Vec<(Option<Direction>, &Alternative)> {
        fn walk<'a>(classes: &'a [Class], out: &mut Vec<(Option<Direction>, &'a Alternative)>) {
            for class in classes {
                out.extend(
                    class.matches.iter().flatten().map(|alternative| (alternative.direction, alternative)),
                );
                if let Shape::Inner(children) = &class.shape {
                    walk(children, out);
                }
            }
        }
        let mut all = Vec::new();
        walk(&self.classes, &mut all);
        for police in &self.police {
            all.extend(police.matches.iter().map(|alternative| (Some(police.direction), alternative)));
        }
        all
    }
}

/// The leaves of a tree, depth first.
#[must_use]
pub fn leaves(classes: &[Class]) -> Vec<&Class> {
    fn walk<'a>(classes: &'a [Class], out: &mut Vec<&'a Class>) {
        for class in classes {
            match &class.shape {
                Shape::Leaf(_) => out.push(class),
                Shape::Inner(children) => walk(children, out),
            }
        }
    }
    let mut leaves = Vec::new();
    walk(classes, &mut leaves);
    leaves
}
