// SPDX-License-Identifier: Apache-2.0
//! The hardware of a network, seen from Rust.
//!
//! The SystemVerilog under `rtl/` is written by hand and holds no number of a particular network; all of
//! them come from one package that this crate writes ([`package_text`]; of routers with bypass [`smart_package_text`]). So a network is described once, and the
//! simulator and the hardware cannot mean different ones. What the hardware cannot be is refused
//! here, by the field of the spec. This part computes texts and touches no file.

mod config;
mod error;
mod export;
mod integration;
mod numbers;
mod package;
mod parts;
mod smart;
mod vectors;

pub use config::{AddressRegion, RtlConfig};
pub use error::RtlError;
pub use export::{DIGEST_FILE, ExportFile, export};
pub use export::{SourceFile, closure, hardware_sources, in_order};
pub use numbers::{PACKAGE_FILE, Package, RtlNumbers, SMART_PACKAGE_FILE};
pub use package::{package_text, smart_package_text};
pub use parts::{PARTS, Part};
pub use smart::SmartRtlConfig;
pub use vectors::vectors_text;
