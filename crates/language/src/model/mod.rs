//! Meaning of a configuration: names are resolved, numbers are exact, and every number has its origin. This module only
//! contains types.

mod class;
mod expect;
mod known_marks;
mod link;
mod marks;
mod order;
mod origin;
mod rule;
mod scheduling;
mod variant;

pub use crate::terms::{
    Amount, Basis, Diffserv, Direction, Ecn, Engine, FileSection, Frames, Ingress, Inner, Layer, Load,
    Measure, Offloads, PerDirection, ScriptCall, Share, TcpKind, TunnelKind, Wire,
};
pub use class::{
    Asked, Cake, Class, FULL_PACKET_MEMORY, HostAsked, HostClass, HostClasses, Isolation, Leaf, Queue, Shape,
    Tin,
};
pub use expect::{Expect, Limit, LimitKind, LimitValue};
pub use known_marks::mark_users;
pub use link::{Downloads, Host, Lan, Link, LinkDevice, Networks, Tcp, Tuning, Tunnel, Vary};
pub use marks::{DscpField, Field, Flag, Identity, Marks, Need, Needed, Seen, Shared, scatter};
pub use order::{Matched, in_match_order};
pub use origin::{Origin, Val};
pub use rule::{Alternative, Exceed, Police};
pub use scheduling::{ClassId, Scheduling};
pub use variant::{Variant, minutes, switches};

use crate::units::{Bytes, LinkName, Rate};
use serde::Serialize;
use std::collections::BTreeMap;

/// Meaning of the configuration of one link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Model {
    /// Name of the link, used for devices, tables and state.
    pub name: Val<LinkName>,
    /// The line and the WAN device.
    pub link: Link,
    /// The local network.
    pub lan: Lan,
    /// Hosts, in the order of the file.
    pub hosts: Vec<Host>,
    /// Tunnels, in the order of the file.
    pub tunnels: Vec<Tunnel>,
    /// Class tree in the order of the file. Exactly one leaf is the default.
    pub classes: Vec<Class>,
    /// CAKE's tins and options in the directions that it schedules.
    pub cake: PerDirection<Option<Cake>>,
    /// Policers in the order of the file.
    pub police: Vec<Police>,
    /// System settings outside the shaper.
    pub tuning: Tuning,
    /// Calls that the script has beside the usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Val<ScriptCall>>,
    /// The script's bits in the marks of packets and connections, if anything needs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// Memory that all queues take on the router.
    pub memory: Memory,
    /// Expectations that the lab measures.
    pub expect: Vec<Expect>,
    /// Variants, in the order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// Sections of the file with errors. Their values here may be placeholders for unreadable ones.
    #[serde(skip)]
    pub with_errors: Vec<FileSection>,
}

/// Memory that all queues of a link take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// Memory in bytes of empty queues and their classes.
    pub queues: Val<Bytes>,
    /// Additional memory in bytes that packets can take according to the limits of the queues.
    pub packets: Val<Bytes>,
}

impl Model {
    /// Returns the leaves of the tree, depth first, in the order in which their matches are tried.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Class> {
        leaves(&self.classes)
    }

    /// Returns all classes, depth first: parents before their children, siblings in the order of the file.
    #[must_use]
    pub fn classes(&self) -> Vec<&Class> {
        classes(&self.classes)
    }

    /// Returns the leaf with this id; `None` if the id belongs to a parent class or to no class. It looks at every class.
    #[must_use]
    pub fn leaf(&self, id: ClassId) -> Option<&Class> {
        self.leaves().into_iter().find(|class| class.id.value == id)
    }

    /// Returns the leaves by id, for many lookups.
    #[must_use]
    pub fn leaves_by_id(&self) -> BTreeMap<ClassId, &Class> {
        self.leaves().into_iter().map(|class| (class.id.value, class)).collect()
    }

    /// Returns the indices of the devices of a host with `each`.
    pub fn devices(&self, of: usize) -> impl Iterator<Item = usize> {
        self.hosts.iter().enumerate().filter(move |(_, host)| host.of == Some(of)).map(|(index, _)| index)
    }

    /// Returns the leaf that gets all packets without a match; `None` if the file names none.
    #[must_use]
    pub fn default_leaf(&self) -> Option<&Class> {
        self.leaves().into_iter().find(|class| class.is_default())
    }
}

impl Model {
    /// Returns the alternatives of classes, depth first, then of policers. Each comes with its direction if it only
    /// applies to one.
    #[must_use]
    pub fn alternatives(&self) -> Vec<(Option<Direction>, &Alternative)> {
        let of_classes = self.classes().into_iter().flat_map(|class| class.matches.iter().flatten());
        let mut all: Vec<_> = of_classes.map(|alternative| (alternative.direction, alternative)).collect();
        for police in &self.police {
            all.extend(police.matches.iter().map(|alternative| (Some(police.direction), alternative)));
        }
        all
    }
}

/// Returns the classes of a tree, depth first: parents before their children.
#[must_use]
pub fn classes(classes: &[Class]) -> Vec<&Class> {
    fn walk<'a>(classes: &'a [Class], all: &mut Vec<&'a Class>) {
        for class in classes {
            all.push(class);
            walk(class.children(), all);
        }
    }
    let mut all = Vec::new();
    walk(classes, &mut all);
    all
}

/// Returns the leaves of a tree, depth first.
#[must_use]
pub fn leaves(tree: &[Class]) -> Vec<&Class> {
    classes(tree).into_iter().filter(|class| class.leaf().is_some()).collect()
}

/// A leaf class or a host class whose queue does not split aggregated packets. No class around it has a lower ceiling.
#[derive(Debug, Clone, Copy)]
pub struct WholeQueue<'a> {
    /// The leaf class.
    pub leaf: &'a Class,
    /// Name of the class of the queue: the leaf itself, or a host class in it.
    pub name: &'a str,
    /// Ceiling of that class.
    pub ceiling: &'a Val<Rate>,
}

/// Returns the queues of a tree that do not split aggregated packets.
pub fn whole_queues(tree: &[Class], direction: Direction) -> impl Iterator<Item = WholeQueue<'_>> {
    leaves(tree).into_iter().filter_map(|class| Some((class, class.leaf()?))).flat_map(move |(leaf, own)| {
        let alone = (leaf.name.as_str(), leaf.ceiling.get(direction), own.queue.get(direction));
        let alone = own.hosts.get(direction).is_none().then_some(alone);
        let hosts = own.host_classes(direction).map(|host| (host.name.as_str(), &host.ceiling, &host.queue));
        let whole = alone.into_iter().chain(hosts).filter(|(_, _, queue)| !queue.splits());
        whole.map(move |(name, ceiling, _)| WholeQueue { leaf, name, ceiling })
    })
}
