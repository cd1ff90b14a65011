//! The two slots of an HTB root, and the two banks of a list of filters.

/// One of two slots or banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

impl Side {
    pub(super) const fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// Returns a number for each side.
    pub(super) const fn of(self, a: u16, b: u16) -> u16 {
        match self {
            Side::A => a,
            Side::B => b,
        }
    }
}

/// What both sides hold.
#[derive(Debug, Default)]
pub(super) struct Sides<T> {
    pub(super) a: T,
    pub(super) b: T,
}

impl<T> Sides<T> {
    pub(super) const fn get(&self, side: Side) -> &T {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    pub(super) const fn get_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::A => &mut self.a,
            Side::B => &mut self.b,
        }
    }
}
