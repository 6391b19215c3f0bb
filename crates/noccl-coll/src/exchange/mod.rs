// SPDX-License-Identifier: Apache-2.0
//! Members that write to each other directly, without stages: blocks and how they are exchanged.

pub(crate) mod blocks;
pub(crate) mod pairwise;
pub(crate) mod slotted;
pub(crate) mod unicast;
