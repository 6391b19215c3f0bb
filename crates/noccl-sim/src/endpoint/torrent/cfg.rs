// SPDX-License-Identifier: Apache-2.0
//! Configuration packets as bits: what an initiator tells each follower (S3 §III-B, Fig. 4c).
//!
//! One frame of 512 bits: type, frame identifier, then the body from its lowest bit up. The body has the published
//! fields (392 bits); mode `safe` adds where a grant goes next, whether it starts here and the destination's place, for which
//! there is space.
//! Frames travel as bytes, so that a follower knows nothing that is not in one.

use crate::endpoint::torrent::pattern::Addresses;
use noccl_workload::MAX_LOOPS;
use serde::{Deserialize, Serialize};

/// Bytes of a frame.
pub const FRAME_BYTES: usize = 64;
/// Narrow beats of a frame.
pub(crate) const FRAME_BEATS: u64 = 8;
/// Tasks that an initiator can tell apart: four bits.
pub(crate) const NUM_TASK_IDS: u8 = 16;

const POINTER_BITS: u32 = 48;
const FIELD_BITS: u32 = 19;
/// Bits of a destination's place in its chain.
pub(crate) const DESTINATION_BITS: u32 = 12;

/// A task of an initiator, as everybody names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    pub initiator: u32,
    pub task: u8,
}

/// What one follower has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cfg {
    pub key: Key,
    /// Who hands data to this follower, and gets its finish.
    pub previous: u32,
    /// Who gets the data next.
    pub next: Option<u32>,
    /// Who gets this follower's grant; the initiator at the end.
    pub grant_to: u32,
    /// Does the grant start here? Where acknowledgements are parallel, every destination responds by itself.
    pub starts_grant: bool,
    /// Its place in the chain, by which it responds; 0 where acknowledgements are chained.
    pub destination: u16,
    pub beats: u32,
    pub addresses: Addresses,
}

/// Pointers as 48-bit addresses: (tile, offset) to address and back.
pub trait Pointers {
    /// The address of a byte of a tile's memory.
    fn address(&self, tile: u32, offset: u64) -> u64;
    /// Where an address points.
    fn place(&self, address: u64) -> Option<(u32, u64)>;
}

impl Cfg {
    /// The frame, lowest byte first.
    pub fn frame(&self, own: u32, map: &impl Pointers) -> [u8; FRAME_BYTES] {
        let mut bits = Bits::default();
        // A write, of one frame.
        bits.put(1, 1);
        bits.put(1, 4);
        bits.put(self.key.task.into(), 4);
        bits.put(map.address(self.previous, 0), POINTER_BITS);
        bits.put(map.address(own, self.addresses.offset), POINTER_BITS);
        // 0: the frame's address of the last destination, which has no next one.
        bits.put(self.next.map_or(0, |t| map.address(t, 0)), POINTER_BITS);
        bits.put(self.beats.into(), FIELD_BITS);
        bits.put(self.addresses.word_stride.into(), FIELD_BITS);
        for bound in self.addresses.bounds {
            bits.put(bound.into(), FIELD_BITS);
        }
        for stride in self.addresses.strides {
            bits.put(stride.into(), FIELD_BITS);
        }
        // All channels, all bytes.
        bits.put(0xff, 8);
        bits.put(0xff, 8);
        bits.put(map.address(self.key.initiator, 0), POINTER_BITS);
        bits.put(map.address(self.grant_to, 0), POINTER_BITS);
        bits.put(self.starts_grant.into(), 1);
        bits.put(self.destination.into(), DESTINATION_BITS);
        bits.bytes
    }

    /// What a frame says; none if a pointer points nowhere.
    pub(crate) fn from_frame(frame: &[u8; FRAME_BYTES], map: &impl Pointers) -> Option<Self> {
        let mut bits = Bits {
            bytes: *frame,
            at: 5,
        };
        let task = bits.take(4) as u8;
        let previous = map.place(bits.take(POINTER_BITS))?.0;
        let offset = map.place(bits.take(POINTER_BITS))?.1;
        let next = match bits.take(POINTER_BITS) {
            0 => None,
            address => Some(map.place(address)?.0),
        };
        let beats = bits.take(FIELD_BITS) as u32;
        let word_stride = bits.take(FIELD_BITS) as u32;
        let mut addresses = Addresses {
            offset,
            word_stride,
            bounds: [0; MAX_LOOPS],
            strides: [0; MAX_LOOPS],
        };
        for bound in &mut addresses.bounds {
            *bound = bits.take(FIELD_BITS) as u32;
        }
        for stride in &mut addresses.strides {
            *stride = bits.take(FIELD_BITS) as u32;
        }
        bits.take(16);
        let initiator = map.place(bits.take(POINTER_BITS))?.0;
        let grant_to = map.place(bits.take(POINTER_BITS))?.0;
        Some(Self {
            key: Key { initiator, task },
            previous,
            next,
            grant_to,
            starts_grant: bits.take(1) == 1,
            destination: bits.take(DESTINATION_BITS) as u16,
            beats,
            addresses,
        })
    }
}

/// A frame and the next bit of it.
struct Bits {
    bytes: [u8; FRAME_BYTES],
    at: usize,
}

impl Default for Bits {
    fn default() -> Self {
        Self {
            bytes: [0; FRAME_BYTES],
            at: 0,
        }
    }
}

impl Bits {
    fn put(&mut self, value: u64, width: u32) {
        for bit in 0..width {
            let is_set = (value >> bit & 1) as u8;
            self.bytes[self.at / 8] |= is_set << (self.at % 8);
            self.at += 1;
        }
    }

    fn take(&mut self, width: u32) -> u64 {
        let mut value = 0;
        for bit in 0..width {
            value |= u64::from(self.bytes[self.at / 8] >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memories of 4 MiB, one behind the other from the first on.
    pub(in crate::endpoint::torrent) struct Flat;

    impl Pointers for Flat {
        fn address(&self, tile: u32, offset: u64) -> u64 {
            ((u64::from(tile) + 1) << 22) + offset
        }

        fn place(&self, address: u64) -> Option<(u32, u64)> {
            let tile = (address >> 22).checked_sub(1)?;
            Some((tile as u32, address & ((1 << 22) - 1)))
        }
    }

    fn cfg() -> Cfg {
        Cfg {
            key: Key {
                initiator: 3,
                task: 15,
            },
            previous: 7,
            next: Some(12),
            grant_to: 3,
            starts_grant: true,
            destination: (1 << DESTINATION_BITS) - 1,
            beats: (1 << 19) - 1,
            addresses: Addresses {
                offset: (1 << 22) - 8,
                word_stride: (1 << 19) - 1,
                bounds: [1, 2, 3, 4, (1 << 19) - 1],
                strides: [5, 6, 7, 8, (1 << 19) - 1],
            },
        }
    }

    #[test]
    fn a_frame_says_what_was_put_into_it() {
        for next in [None, Some(12)] {
            let sent = Cfg { next, ..cfg() };
            let frame = sent.frame(9, &Flat);
            assert_eq!(Cfg::from_frame(&frame, &Flat), Some(sent));
        }
    }

    /// Type and frame identifier in the lowest five bits, the task from bit 5, the published fields within 397 bits.
    #[test]
    fn the_published_fields_stand_where_they_are_published() {
        let frame = cfg().frame(9, &Flat);
        assert_eq!(frame[0] & 1, 1);
        assert_eq!(frame[0] >> 1 & 15, 1);
        assert_eq!(u16::from_le_bytes([frame[0], frame[1]]) >> 5 & 15, 15);
        let mut bits = Bits {
            bytes: frame,
            at: 5 + 4 + 48,
        };
        assert_eq!(bits.take(48), Flat.address(9, (1 << 22) - 8));
        bits.at = 5 + 392 - 16;
        assert_eq!(bits.take(16), 0xffff);
    }

    #[test]
    fn a_pointer_to_nowhere_is_no_configuration() {
        let frame = [0; FRAME_BYTES];
        assert_eq!(Cfg::from_frame(&frame, &Flat), None);
    }
}
