// SPDX-License-Identifier: Apache-2.0
//! Hardware and simulator in lock-step: every handshake of every port. One module per network and boundary; names of tests select
//! (`make cosim-mesh-2x2`). A test builds the library that it opens, which takes up to minutes, unless that was done before.
#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)] // libraries have names that other programs use

#[path = "../bench/mod.rs"]
mod bench;
mod common;
#[path = "../libraries/mod.rs"]
mod libraries;
mod messages;
mod torrent_ports;

mod depths_2x2;
mod dma_2x2;
mod dma_4x4;
mod dma_mutants;
mod dma_reducing_2x2;
mod endpoints_2x2;
mod endpoints_4x4;
mod endpoints_mutants;
mod links_2x2;
mod mesh_2x2;
mod mesh_4x4;
mod mesh_mutants;
mod outstanding_2x2;
mod reductions_2x2;
mod reductions_4x4;
mod reductions_mutants;
mod reductions_two_operand;
mod registered_merge_2x2;
mod registered_merge_4x4;
mod smart_4x4;
mod smart_8x8;
mod smart_mutants;
mod torrent;
mod torrent_mutants;
