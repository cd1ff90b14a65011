//! Stub.
/// A YAML node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node;
