//! Content of a drawing, independent of formats: rows of a tree with a cell for each direction.

use crate::live::Seen;
use qosc_compiler::model::{Direction, PerDirection};
use qosc_compiler::units::Rate;

/// Drawing of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// Name of the link.
    pub name: String,
    /// Name of the WAN device.
    pub device: String,
    /// Profile of the line.
    pub profile: String,
    /// Both directions of the link.
    pub directions: PerDirection<DirectionDrawing>,
    /// Rows of the tree, each parent class before its children.
    pub rows: Vec<TreeRow>,
    /// Policed traffic, which is beside the tree.
    pub limits: Vec<Limit>,
    /// Tunnels whose packets matches can select.
    pub tunnels: Vec<Tunnel>,
    /// Remark on the counters, if they were requested.
    pub counters: Option<String>,
}

/// A direction of the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectionDrawing {
    /// Upload or download.
    pub direction: Direction,
    /// Line rate as stated by the modem or the provider, if the file gives it.
    pub line: Option<Rate>,
    /// What the line rate does if it varies, for people.
    pub varies: Option<String>,
    /// Shaped rate of the link, which a bar of full length stands for.
    pub shaped: Rate,
    /// Rate that the classes share: lower than the shaped rate if a police bypasses the shaper.
    pub tree: Rate,
    /// Method that limits the direction.
    pub how: How,
    /// Counters of the whole direction.
    pub seen: Option<Seen>,
}

/// Method that limits a direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// HTB classes.
    Classes,
    /// Tins of one CAKE, in this mode.
    Tins(&'static str),
    /// One police on the whole direction.
    Police,
    /// No limit.
    Nothing,
}

/// Kind of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RowKind {
    /// Parent class.
    #[default]
    Inner,
    /// Leaf class.
    Leaf,
    /// Host class in a leaf, or the class of its other hosts.
    Host,
    /// Several host classes in one row.
    Folded,
}

/// A row of the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeRow {
    /// Index of the parent's row.
    pub parent: Option<usize>,
    /// Depth in the tree; 0 is directly below the link.
    pub depth: usize,
    /// Kind of the row.
    pub kind: RowKind,
    /// Name of the class; for several host classes, their number.
    pub name: String,
    /// Priority from 0 (served first) to 7, if the row has a queue.
    pub priority: Option<u8>,
    /// True for the default class, which gets packets without a match.
    pub default: bool,
    /// Matches of the class, one per line, for people.
    pub matches: Vec<String>,
    /// Further remarks.
    pub notes: Vec<String>,
    /// Rates of the class in each direction.
    pub cells: PerDirection<Cell>,
    /// Counters in each direction, if a kernel was queried.
    pub seen: PerDirection<Option<Seen>>,
}

/// Rates or tin of a row in one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Cell {
    /// The class does not exist in this direction.
    #[default]
    Empty,
    /// An HTB class.
    Rates {
        /// Rate that the class gets even if all classes want more.
        guarantee: Rate,
        /// Rate that the class gets if no other class sends; `None` for several host classes.
        ceiling: Option<Rate>,
        /// Queue of a leaf class.
        queue: Option<String>,
    },
    /// A tin of the direction's CAKE.
    Tin {
        /// Name in tc's output.
        name: String,
        /// Rate up to which the tin has its priority.
        threshold: Rate,
    },
    /// CAKE has no tin for this class.
    NoTin,
}

/// Traffic that is policed without a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Name of the police.
    pub name: String,
    /// Direction of the traffic.
    pub direction: Direction,
    /// Matches of the police, one per line.
    pub matches: Vec<String>,
    /// Highest rate.
    pub rate: Rate,
    /// Treatment of the packets above the rate.
    pub beyond: String,
    /// True if this traffic bypasses the shaper.
    pub bypass: bool,
}

/// A tunnel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tunnel {
    /// Name of the tunnel.
    pub name: String,
    /// Kind of the tunnel, with its device and remote address if the file gives them.
    pub what: String,
    /// Visibility of the inner packets for matches.
    pub inside: String,
}
