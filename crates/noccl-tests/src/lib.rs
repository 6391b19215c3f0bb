// SPDX-License-Identifier: Apache-2.0
//! Nothing: this package compiles the tests of other crates, without optimisation (`Cargo.toml`).
//!
//! `cargo test -p noccl-tests --test sim NAME` runs tests of `crates/noccl-sim/tests`, `--test sim_units NAME` those within
//! its sources; for `noccl-net`, `noccl-workload`, `noccl-riscv` and `noccl-coll` alike.
