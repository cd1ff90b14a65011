//! Models and packets for the tests of this room.

pub(in crate::lower) mod fixture;
pub(in crate::lower) mod packet;
