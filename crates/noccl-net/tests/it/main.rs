// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod common;
mod core_tiles;
mod deadlock_channels;
mod deadlock_default_flow;
mod deadlock_network;
mod elaborate;
mod memory_sides;
mod planes;
mod prop_address;
mod prop_cover;
mod prop_deadlock_flows;
mod prop_tree;
mod prop_tree_table;
mod tile_sets;
