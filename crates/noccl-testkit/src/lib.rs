// SPDX-License-Identifier: Apache-2.0
//! What tests of several crates share: networks, tiles, random workloads, numbers of cases.
//!
//! Only tests depend on this crate. It knows the description of networks and of workloads, but no backend, so that tests of
//! the crates below the simulator can use it.
//!
//! Everything here panics where a product would return an error: a test that cannot set up its network has failed.

pub mod actions;
pub mod cases;
pub mod folder;
pub mod generated;
pub mod networks;
pub mod random;
pub mod says;
pub mod schedules;
pub mod sides;
pub mod tiles;
pub mod traces;

pub use cases::{cases, cheap, config, is_long, one_in};
pub use folder::Folder;
pub use networks::{mesh, network, network_of, network_with, parsed, preset, try_network_with};
pub use random::Random;
pub use says::assert_says;
pub use tiles::{at, cluster, clusters, cube, place, rectangle};
