// SPDX-License-Identifier: Apache-2.0
//! Where buffers lie: the payload cut into chunks, scratch above inputs and outputs.

use crate::point_to_point::Family;
use crate::task::Group;
use crate::{Choice, CollError};
use noccl_net::{Network, TileKind, TileRef};
use noccl_workload::{Collective, CollectiveKind, Holders};

/// A payload cut at beats into equal chunks, the last one shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunks {
    bytes: u64,
    chunk_bytes: u64,
}

impl Chunks {
    pub(crate) fn new(bytes: u64, beat_bytes: u64, wanted: u32) -> Self {
        let beats = bytes.div_ceil(beat_bytes);
        let chunk_beats = beats.div_ceil(u64::from(wanted.max(1))).max(1);
        Self {
            bytes,
            chunk_bytes: chunk_beats.saturating_mul(beat_bytes),
        }
    }

    /// Bytes of the whole payload.
    pub(crate) const fn bytes(self) -> u64 {
        self.bytes
    }

    /// Number of chunks, at most as many as there are beats.
    pub(crate) const fn len(self) -> usize {
        self.bytes.div_ceil(self.chunk_bytes) as usize
    }

    /// Bytes of the longest chunk, whole beats.
    pub(crate) const fn chunk_bytes(self) -> u64 {
        self.chunk_bytes
    }

    /// First byte of a chunk and its length.
    pub(crate) fn range(self, chunk: usize) -> (u64, u64) {
        let start = chunk as u64 * self.chunk_bytes;
        (start, self.chunk_bytes.min(self.bytes - start))
    }
}

/// Bytes of a beat of clusters. Of core tiles those of the payload of a packet, and of whole elements of any type.
pub(crate) fn cut_bytes(network: &Network) -> u64 {
    let unit = network
        .cores()
        .map(|tiles| u64::from(tiles.core.unit_bytes).next_multiple_of(8));
    unit.unwrap_or(network.beat_bytes())
}

/// Hands out scratch buffers, the same offsets in every cluster.
#[derive(Debug)]
pub(crate) struct Layout {
    beat_bytes: u64,
    end: u64,
}

impl Layout {
    /// Scratch begins above whatever a cluster holds of the collective's inputs and outputs.
    ///
    /// # Errors
    /// [`CollError::Impossible`] if input and output overlap in part; [`CollError::DoesNotFit`].
    pub(crate) fn new(
        network: &Network,
        group: &Group,
        collective: &Collective,
        choice: Choice,
    ) -> Result<Self, CollError> {
        let ranks = group.members.len() as u64;
        let (input, output) = (collective.input_offset, collective.output_offset);
        let end_of = |offset: u64, bytes: u64| {
            offset.checked_add(bytes).ok_or_else(|| {
                CollError::Impossible(format!(
                    "offset {offset} + {bytes} bytes exceeds 64 bits; accepted: offsets within a memory"
                ))
            })
        };
        let (input_bytes, output_bytes) = (
            collective.input_bytes(ranks),
            collective.output_bytes(ranks),
        );
        let input_end = end_of(input, input_bytes)?;
        let output_end = end_of(output, output_bytes)?;
        let may_be_equal = !collective.kind.has_blocks();
        let overlaps = input < output_end && output < input_end;
        if (input != output || !may_be_equal)
            && overlaps
            && !Family::of(collective.kind).is_straight()
        {
            return Err(CollError::Impossible(format!(
                "input at {input}, {input_bytes} bytes, and output at {output}, {output_bytes} bytes, overlap; \
                 accepted: {}disjoint ranges",
                if may_be_equal { "equal or " } else { "" }
            )));
        }
        let mut layout = Self {
            beat_bytes: cut_bytes(network),
            end: 0,
        };
        for (tile, end) in used(group, collective.kind, input_end, output_end) {
            if network.find(tile).map(|t| network.kind(t)) == Some(TileKind::Memory) {
                check(network, choice, tile, end)?;
            } else {
                layout.end = layout.end.max(end);
            }
        }
        layout.check(network, group, choice)?;
        Ok(layout)
    }

    /// A scratch buffer of that many bytes, aligned to a beat.
    pub(crate) fn alloc(&mut self, bytes: u64) -> u64 {
        let start = self.end.next_multiple_of(self.beat_bytes);
        self.end = start + bytes;
        start
    }

    /// Does everything allocated so far fit into a cluster?
    ///
    /// # Errors
    /// [`CollError::DoesNotFit`] with bytes needed and available.
    pub(crate) fn check(
        &self,
        network: &Network,
        group: &Group,
        choice: Choice,
    ) -> Result<(), CollError> {
        check(network, choice, TileRef::Cluster(group.entry), self.end)
    }
}

/// Tiles that hold payload, each with the end of what it holds.
fn used(
    group: &Group,
    kind: CollectiveKind,
    input_end: u64,
    output_end: u64,
) -> [(TileRef, u64); 2] {
    // Of a barrier nobody has one, but flags may need space: above the offsets that a caller states.
    let of = |holders| match holders {
        Holders::Root => group.root,
        Holders::Members | Holders::Nobody => TileRef::Cluster(group.entry),
    };
    [
        (of(kind.input_holders()), input_end),
        (of(kind.output_holders()), output_end),
    ]
}

fn check(
    network: &Network,
    choice: Choice,
    tile: TileRef,
    needed_bytes: u64,
) -> Result<(), CollError> {
    let found = network.find(tile);
    // 0: nothing fits into a tile that is not there.
    let available_bytes = found.map_or(0, |t| network.memory_bytes(t));
    if needed_bytes <= available_bytes {
        return Ok(());
    }
    Err(CollError::DoesNotFit {
        algorithm: choice.to_string(),
        tile: tile.to_string(),
        needed_bytes,
        available_bytes,
        limit: found.map_or("mesh.regions", |t| network.memory_field(t)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_tile_the_payload_in_whole_beats_and_the_last_is_no_longer() {
        for bytes in [1, 8, 63, 64, 65, 1000, 4096] {
            for wanted in [1, 2, 3, 7, 64, 1_000_000] {
                let chunks = Chunks::new(bytes, 64, wanted);
                let mut at = 0;
                for i in 0..chunks.len() {
                    let (start, len) = chunks.range(i);
                    assert_eq!(start, at);
                    assert!(len >= 1 && len <= chunks.chunk_bytes());
                    assert!(i + 1 == chunks.len() || len == chunks.chunk_bytes());
                    at += len;
                }
                assert_eq!(at, bytes);
                assert!(chunks.len() as u64 <= bytes.div_ceil(64).min(u64::from(wanted)));
            }
        }
    }
}
