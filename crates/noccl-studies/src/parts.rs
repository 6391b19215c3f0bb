// SPDX-License-Identifier: Apache-2.0
//! What the facade's own verbs are made of, below its interface.

pub use crate::compare::case::Case;
pub use crate::compare::meaning::OutputCheck;
pub use crate::compare::runtime_cycles;
pub use crate::runs::Session;
pub use crate::runs::{busiest, link_flits};
