// SPDX-License-Identifier: Apache-2.0
//! The mesh of 4×4 clusters is the simulator's, handshake by handshake.

use crate::common::cases::{Cases, matches_the_simulator};
use crate::common::network;

matches_the_simulator!(Cases::new("4x4", network("collective_noc_4x4")); unicasts(0..6), multicasts_and_barriers(0..12), overlapping_transactions(0..24), congested_traces(0..100));
