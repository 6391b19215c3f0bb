// SPDX-License-Identifier: Apache-2.0
//! The hardware of a network, seen from Rust.
//!
//! The SystemVerilog under `rtl/` is written by hand and holds no number of a particular network; all of
//! them come from one package that this crate writes. So a network is described once, and the
//! simulator and the hardware cannot mean different ones. What the hardware cannot be is refused
//! here, by the field of the spec. This part computes texts and touches no file.
//!
//! [`lockstep`] drives the Verilated mesh with the flits that a recorded run has injected and compares every
//! handshake of every router port, bit by bit. [`endpoints`] does the same with network interfaces, at their AXI ports.
//! [`Translation`] says what such a library is made from; the sources are part of this crate.

mod config;
pub mod endpoints;
mod error;
mod export;
pub mod lockstep;
mod package;
mod sources;
mod translation;
mod vectors;

pub use config::{AddressRegion, RtlConfig};
pub use error::RtlError;
pub use export::{DIGEST_FILE, ExportFile, PACKAGE_FILE, export};
pub use package::package_text;
pub use sources::{SourceFile, hardware_sources};
pub use translation::{Arithmetic, Boundary, LIBRARY_FILE, Translation};
pub use vectors::vectors_text;
