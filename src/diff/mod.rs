//! Program against what a kernel holds.
