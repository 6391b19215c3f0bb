// SPDX-License-Identifier: Apache-2.0
//! The three phases of a cycle, over ranges of blocks that threads share: evaluate, receive, switch.

pub(crate) mod cycle;
pub(crate) mod partition;
pub(crate) mod sizes;
pub(crate) mod switch;
