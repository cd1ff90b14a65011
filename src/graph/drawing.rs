//! What there is to draw: rows of a tree with a cell for each direction. It knows nothing of formats.

use crate::live::Seen;
use crate::model::{Direction, PerDirection};
use crate::units::Rate;

/// A configuration as a picture shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The link's name.
    pub name: String,
    /// The WAN device.
    pub device: String,
    /// The profile of the line.
    pub profile: String,
    /// The directions.
    pub directions: PerDirection<DirectionDrawing>,
    /// The tree from the top down, each class before the classes in it.
    pub rows: Vec<Row>,
    /// What is capped beside the tree.
    pub limits: Vec<Limit>,
    /// Tunnels whose packets matches may ask for.
    pub tunnels: Vec<Tunnel>,
    /// What there is to say of counters, where they were asked for.
    pub counters: Option<String>,
}

/// A direction of the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectionDrawing {
    /// Which one.
    pub direction: Direction,
    /// What the modem or the provider states.
    pub line: Rate,
    /// What the link is shaped to: the whole width of a bar.
    pub shaped: Rate,
    /// What the classes share: less than the above where a police bypasses the shaper.
    pub tree: Rate,
    /// By what.
    pub how: How,
    /// What a kernel counted of all of it.
    pub seen: Option<Seen>,
}

/// What becomes of a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// Classes of HTB.
    Classes,
    /// Tins of one CAKE, in this mode.
    Tins(String),
    /// One police caps all of it.
    Police,
    /// It is left alone.
    Nothing,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// A class with classes in it.
    Inner,
    /// A class with a queue.
    Leaf,
    /// The class of a host in a leaf, or of the rest of it.
    Host,
    /// Many of those, which are not drawn one by one.
    Folded,
}

/// A line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The row that it is in: an index.
    pub parent: Option<usize>,
    /// 0 for what is right below the link.
    pub depth: usize,
    /// What it stands for.
    pub kind: RowKind,
    /// Its name; of folded ones, how many there are.
    pub name: String,
    /// 0 (served first) to 7, of what has a queue.
    pub priority: Option<u8>,
    /// Whether it takes what nothing matches.
    pub default: bool,
    /// What comes here: a line each, as people read matches.
    pub matches: Vec<String>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What it gets in each direction.
    pub cells: PerDirection<Cell>,
    /// What a kernel counted, where it was asked.
    pub seen: PerDirection<Option<Seen>>,
}

/// What a row gets in a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Nothing is there.
    Empty,
    /// A class of HTB.
    Rates {
        /// What it gets when all want more.
        guarantee: Rate,
        /// What it gets when none else wants anything; `None` of many together.
        ceiling: Option<Rate>,
        /// The queue, of a class that has one.
        queue: Option<String>,
    },
    /// A tin of the direction's CAKE.
    Tin(String),
    /// No tin was left for it.
    NoTin,
}

/// Traffic that is capped without a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Its name.
    pub name: String,
    /// Which way.
    pub direction: Direction,
    /// What is capped: a line each.
    pub matches: Vec<String>,
    /// The cap.
    pub rate: Rate,
    /// What becomes of what is beyond it.
    pub beyond: String,
    /// Whether it goes by the shaper.
    pub bypass: bool,
}

/// A tunnel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tunnel {
    /// Its name.
    pub name: String,
    /// Its kind, and its device and other end where the file says them.
    pub what: String,
    /// What classes see of the inside.
    pub inside: String,
}
