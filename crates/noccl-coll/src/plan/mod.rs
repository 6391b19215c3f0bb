// SPDX-License-Identifier: Apache-2.0
//! Families of algorithms: who sends what to whom in which step, without addresses and engines.
//!
//! Each family is written once here. Lowerings make its actions: [`crate::steps`] transfers of DMA engines with barriers between steps,
//! [`crate::point_to_point`] deliveries that wake their destination, [`crate::messages`] messages between cores. A lowering decides where
//! data are kept on their path, what waits for what, and in which order a tile acts.

pub(crate) mod exchange;
pub(crate) mod line;
pub(crate) mod mesh_order;
pub(crate) mod tree;
pub(crate) mod tree_sets;
