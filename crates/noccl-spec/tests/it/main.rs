// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod base;
mod bypass;
mod cores;
mod errors;
mod overrides;
mod page;
mod presets;
mod presets_smart;
mod prop_parse;
mod ranges;
mod renamed;
