// SPDX-License-Identifier: Apache-2.0
//! What lock-step needs and refuses, without hardware.
#![allow(clippy::unwrap_used)]

#[path = "../bench/mod.rs"]
mod bench;
#[path = "../libraries/mod.rs"]
mod libraries;

mod build_inputs;
mod mutants_fit;
mod refused;
mod torrent_bench;
