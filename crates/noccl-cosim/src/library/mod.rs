// SPDX-License-Identifier: Apache-2.0
//! Libraries of translated hardware: what they are made from, the tool that makes them, where they are kept.

mod cache;
mod sources;
mod translation;
mod verilator;

pub(crate) use cache::library;
pub use sources::read_sources;
pub use translation::{Arithmetic, Boundary, LIBRARY_FILE, Translation};
pub use verilator::verilator_found;
