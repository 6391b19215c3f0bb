// SPDX-License-Identifier: Apache-2.0
//! Windows of a cluster's addresses that take messages of Torrent endpoints, and messages of one beat as bits.

use crate::endpoint::torrent::cfg::{DESTINATION_BITS, FRAME_BYTES, Key, Pointers};
use serde::{Deserialize, Serialize};

/// The windows at the top of a cluster's addresses, by which a narrow write says what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Window {
    Cfg,
    Grant,
    Finish,
    /// Words of the grant window: a destination's own response, and the initiator's release.
    Free,
    Busy,
    Release,
}

/// A message of one beat: the task, its initiator and, in a response, the destination's place.
pub fn beat_of(key: Key, destination: u16, map: &impl Pointers) -> [u8; FRAME_BYTES] {
    let mut beat = [0; FRAME_BYTES];
    let task = map.address(key.initiator, 0) << 4 | u64::from(key.task);
    let word = u64::from(destination) << DESTINATION_SHIFT | task;
    beat[..8].copy_from_slice(&word.to_le_bytes());
    beat
}

/// The task and the place that such a message names; none if it names no cluster.
pub(crate) fn key_of(beat: &[u8; FRAME_BYTES], map: &impl Pointers) -> Option<(Key, u16)> {
    let word = u64::from_le_bytes(beat[..8].try_into().ok()?);
    let (initiator, _) = map.place((word % (1 << DESTINATION_SHIFT)) >> 4)?;
    let task = (word & 15) as u8;
    Some((Key { initiator, task }, (word >> DESTINATION_SHIFT) as u16))
}

/// Bit of a message of one beat at which the destination's place begins: behind an address and a task.
const DESTINATION_SHIFT: u32 = u64::BITS - DESTINATION_BITS;
