// SPDX-License-Identifier: Apache-2.0
//! Checkpoints: the complete state of a run between two cycles, in a file that another process can go on from.
//!
//! A resumed run gives the result that the run would have given without the interruption, bit for bit. So
//! everything that a later cycle reads is in the file or follows from what the run is of (network,
//! schedule or program, options), and that is compared by digest ([`Identity`]) before anything is believed. The
//! bytes depend on the state alone: maps are written in the order of their keys.
//!
//! A file is believed only after its SHA-256 has been computed and compared ([`Reader::open`]); what it says of
//! lengths is compared with the network. `docs/formats/checkpoint.md` describes the format.

mod error;
mod file;
mod identity;
pub(crate) mod machine;
mod saved_run;

pub use error::{CheckpointError, Part};
pub use file::{FORMAT, Reader, Writer};
pub use identity::Identity;
pub use saved_run::{Saved, SavedKind, SavedResult};
