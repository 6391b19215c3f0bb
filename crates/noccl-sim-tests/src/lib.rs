// SPDX-License-Identifier: Apache-2.0
//! Nothing: the tests of `noccl-sim` are targets of this package, so that they are compiled without its full optimisation.
//!
//! `cargo test -p noccl-sim-tests --test it NAME` runs tests of `crates/noccl-sim/tests`, `--test units NAME` those within its
//! sources.
