//! Directions of traffic, and values that each direction has its own of.

use serde::Serialize;

choices! {
    /// Direction of a packet.
    #[derive(serde::Deserialize)]
    pub enum Direction {
        /// From the local network to the internet.
        Up,
        /// From the internet to the local network.
        Down,
    }
}

impl Direction {
    /// Uploads, then downloads.
    pub const BOTH: [Direction; 2] = [Direction::Up, Direction::Down];

    /// Returns the name of its traffic: `uploads` or `downloads`.
    #[must_use]
    pub const fn loads(self) -> &'static str {
        match self {
            Direction::Up => "uploads",
            Direction::Down => "downloads",
        }
    }

    /// Returns the other direction.
    #[must_use]
    pub const fn other(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
        }
    }
}

/// A value for each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PerDirection<T> {
    /// Value for uploads.
    pub up: T,
    /// Value for downloads.
    pub down: T,
}

impl<T> PerDirection<T> {
    /// Calls a function for each direction.
    pub fn from_fn(mut of: impl FnMut(Direction) -> T) -> PerDirection<T> {
        PerDirection { up: of(Direction::Up), down: of(Direction::Down) }
    }

    /// Returns the same value for both directions.
    pub fn both(value: T) -> PerDirection<T>
    where
        T: Clone,
    {
        PerDirection { up: value.clone(), down: value }
    }

    /// Returns the value for a direction as a mutable reference.
    pub const fn get_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        }
    }

    /// Returns the value for a direction.
    pub const fn get(&self, direction: Direction) -> &T {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }
}
