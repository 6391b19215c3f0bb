// SPDX-License-Identifier: Apache-2.0
//! The mesh of 4×4 clusters with registers in its merge tables (`router.merge_cycles` = 3) is the simulator's, handshake by
//! handshake.

use crate::common::cases::{Cases, matches_the_simulator};
use crate::common::registered_merge_network;

matches_the_simulator!(
    Cases::new("4x4-registered-merge", registered_merge_network("collective_noc_4x4"));
    multicasts_and_barriers(0..12),
    overlapping_transactions(0..24),
    multicasts_of_all_to_all(),
);
