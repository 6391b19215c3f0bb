// SPDX-License-Identifier: Apache-2.0
//! Movement of bytes by a DMA engine.

use super::class::{Agent, Completion, Effect, Kind, Lines, Waits};
use crate::check::{At, find};
use crate::{CheckError, Place};
use noccl_net::deadlock::{Flow, Work, burst_ends};
use noccl_net::{MultiAddress, Network, TileId, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a transfer writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Destination {
    /// One tile.
    One(Place),
    /// All clusters of one multi-address, at the same offset: one transaction of the network.
    Multicast {
        /// Members, cluster coordinates.
        set: MultiAddress,
        /// Bytes from the start of every member's memory.
        offset: u64,
    },
}

/// Movement by the initiator's DMA: reads from the source, writes to the destination.
///
/// `rows` lines of `bytes` each; line r starts at `source + r * source_stride` and is written at
/// `destination + r * destination_stride` (1D: `rows = 1`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Cluster whose DMA does it: the source's for a push, the destination's for a pull.
    pub initiator: TileRef,
    /// First byte read.
    pub source: Place,
    /// First byte written.
    pub destination: Destination,
    /// Bytes per line; zero is a no-op.
    pub bytes: u64,
    /// Lines.
    pub rows: u32,
    /// Bytes between the starts of consecutive lines at the source.
    pub source_stride: u64,
    /// Bytes between the starts of consecutive lines at the destination.
    pub destination_stride: u64,
}

impl Transfer {
    /// Has a burst that the initiator writes data of several bursts that it reads? Reads and writes are cut at boundaries of their own
    /// addresses.
    fn joins_reads(&self, network: &Network) -> bool {
        let Some(tiles) = network.spec().axi() else {
            return false;
        };
        let ni = &tiles.ni;
        let written = match self.destination {
            Destination::One(place) => place.offset,
            Destination::Multicast { offset, .. } => offset,
        };
        let line = |offset: u64, row: u64, stride: u64| {
            offset
                .saturating_add(row.saturating_mul(stride))
                .min(u64::MAX >> 1)
        };
        (0..u64::from(self.rows)).any(|row| {
            let from = line(self.source.offset, row, self.source_stride);
            let to = line(written, row, self.destination_stride);
            let mut ends = burst_ends(ni, to, self.bytes).peekable();
            burst_ends(ni, from, self.bytes).any(|read| {
                while ends.next_if(|end| *end < read).is_some() {}
                ends.peek() != Some(&read)
            })
        })
    }

    /// A transfer of one row: consecutive bytes.
    #[must_use]
    pub fn row(initiator: TileRef, source: Place, destination: Destination, bytes: u64) -> Self {
        Self {
            initiator,
            source,
            destination,
            bytes,
            rows: 1,
            source_stride: 0,
            destination_stride: 0,
        }
    }

    fn lines(&self) -> Lines<'static> {
        Lines {
            reader: self.initiator,
            source: self.source,
            targets: self.destination.targets(),
            offset: self.destination.offset(),
            bytes: self.bytes,
            rows: self.rows,
            source_stride: self.source_stride,
            destination_stride: self.destination_stride,
            is_asked_for: false,
        }
    }
}

impl<'a> Kind<'a> for &'a Transfer {
    fn name(&self) -> &'static str {
        "transfer"
    }

    fn words(&self) -> &'static str {
        "transfer"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        network.find(self.initiator).into_iter().collect()
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::Engine
    }

    fn waits(&self) -> Waits {
        Waits::Nobody
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Lines(self.lines())
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        self.bytes * u64::from(self.rows)
    }

    fn work(&self, network: &Network) -> Option<Work> {
        if self.bytes == 0 || self.rows == 0 {
            return None;
        }
        let engine = network.find(self.initiator)?;
        let source = network.find(self.source.tile)?;
        let read = (source != engine).then_some(Flow::Read {
            from: engine,
            source,
        });
        let write = match self.destination {
            Destination::One(place) => {
                let to = network.find(place.tile)?;
                (to != engine).then_some(Flow::Write { from: engine, to })
            }
            Destination::Multicast { set, .. } => Some(Flow::Multicast { from: engine, set }),
        };
        (read.is_some() || write.is_some()).then_some(Work::Movement {
            engine,
            read,
            write,
            joins_reads: read.is_some() && self.joins_reads(network),
        })
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        at.cluster("initiator", self.initiator)?;
        let source = find(at.network, at.field("source.tile"), self.source.tile)?;
        if self.rows == 0 {
            return at.fail("rows", 0, "at least 1");
        }
        let rows_apart = u128::from(self.rows - 1);
        let end = |offset: u64, stride: u64| {
            u128::from(offset) + rows_apart * u128::from(stride) + u128::from(self.bytes)
        };
        at.fits(
            "source.offset",
            source,
            end(self.source.offset, self.source_stride),
        )?;
        if self.rows > 1 && self.destination_stride < self.bytes {
            return at.fail(
                "destination_stride",
                self.destination_stride,
                "at least `bytes`: lines may not overlap where they are written",
            );
        }
        let (name, offset, returns) = match self.destination {
            Destination::One(Place { tile, offset }) => {
                let tile = find(at.network, at.field("destination.one.tile"), tile)?;
                let name = "destination.one.offset";
                at.fits(name, tile, end(offset, self.destination_stride))?;
                (name, offset, tile == source)
            }
            Destination::Multicast { set, offset } => {
                at.multi_address("destination.multicast.set", set)?;
                let first = at.network.tile_at(at.network.mesh_coord(set.base));
                let name = "destination.multicast.offset";
                at.fits(name, first, end(offset, self.destination_stride))?;
                let returns = matches!(self.source.tile, TileRef::Cluster(c) if set.contains(c));
                (name, offset, returns)
            }
        };
        if returns && self.lines().overwrite_themselves() {
            return at.fail(
                name,
                offset,
                "a range that does not overlap the source, or the source itself",
            );
        }
        Ok(())
    }

    fn transfer(&self) -> Option<&'a Transfer> {
        Some(self)
    }
}
