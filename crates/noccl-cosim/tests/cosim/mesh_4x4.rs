// SPDX-License-Identifier: Apache-2.0
//! The mesh of 4×4 clusters is the simulator's, handshake by handshake.

use crate::common::cases::{Cases, same_course};
use crate::common::network;

fn cases() -> Cases {
    Cases {
        library: "4x4",
        network: network("collective_noc_4x4"),
    }
}

same_course!(cases(); unicasts(0..6), multicasts_and_barriers(0..12), overlapping_transactions(0..24));
