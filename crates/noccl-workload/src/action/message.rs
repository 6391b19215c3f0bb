// SPDX-License-Identifier: Apache-2.0
//! A message between the cores of two tiles (S4): the source writes words, the destination reads them.
//!
//! Two-sided: nothing is written into a memory whose core does not take part. So the destination knows when its bytes are
//! there, and the source when it may change its own; no barrier is needed to say so.

use super::class::{Agent, Completion, Effect, Kind, Lines, Need, Targets, Waits};
use crate::check::At;
use crate::{CheckError, Place};
use noccl_net::deadlock::Work;
use noccl_net::{Network, TileId, TileRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One core sends bytes of its memory to another one, which receives them.
///
/// The source's share ends when the last word is written, the destination's when the bytes are in its memory. Messages from one
/// tile to one other are received in the order of the file. Within a tile the core copies. A message of no bytes is one of a header
/// alone, and the destination still waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// First byte that the source sends.
    pub source: Place,
    /// Where it is put.
    pub destination: Place,
    /// Bytes, of each row if it has several; zero is a message too.
    pub bytes: u64,
    /// Rows that it is gathered from and scattered to; absent: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<MessageRows>,
    /// The round it belongs to, if there are rounds; see `claims_rounds` of the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}

/// Rows of a message, all of one length: a core copies each word itself, so they need not follow each other.
///
/// Row r is read at `source + r * source_stride` and put at `destination + r * destination_stride`. Each begins with a word of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRows {
    /// Rows.
    pub count: u32,
    /// Bytes between the starts of consecutive rows at the source.
    pub source_stride: u64,
    /// Bytes between the starts of consecutive rows at the destination.
    pub destination_stride: u64,
}

impl MessageRows {
    const ONE: Self = Self {
        count: 1,
        source_stride: 0,
        destination_stride: 0,
    };
}

impl<'a> Kind<'a> for &'a Message {
    fn name(&self) -> &'static str {
        "message"
    }

    fn words(&self) -> &'static str {
        "message"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        let tiles = [self.source.tile, self.destination.tile].into_iter();
        tiles.filter_map(|tile| network.find(tile)).collect()
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::AtOnce
    }

    /// The destination waits for the source's words; the source goes on when it has written them.
    fn waits(&self) -> Waits {
        Waits::One(self.destination.tile)
    }

    fn needs(&self) -> Need {
        Need::Words
    }

    fn effect(&self) -> Effect<'a> {
        Effect::Lines(self.lines())
    }

    fn sent_bytes(&self, _: &Network) -> u64 {
        if self.source.tile == self.destination.tile {
            return 0;
        }
        self.data_bytes()
    }

    /// A core that reads whatever comes lets nobody wait in a circle, and the network is XY: nothing to search for.
    fn work(&self, _: &Network) -> Option<Work> {
        None
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        let source = at.cluster("source.tile", self.source.tile)?;
        let destination = at.cluster("destination.tile", self.destination.tile)?;
        let rows = self.lines().rows;
        if rows == 0 {
            return at.fail("rows.count", 0, "at least 1");
        }
        let end = |place: Place, stride: u64| {
            let last = u128::from(rows - 1) * u128::from(stride);
            u128::from(place.offset) + last + u128::from(self.bytes)
        };
        let lines = self.lines();
        at.fits(
            "source.offset",
            source,
            end(self.source, lines.source_stride),
        )?;
        at.fits(
            "destination.offset",
            destination,
            end(self.destination, lines.destination_stride),
        )?;
        if rows > 1 && lines.destination_stride < self.bytes {
            return at.fail(
                "rows.destination_stride",
                lines.destination_stride,
                "at least `bytes`: rows may not overlap where they are put",
            );
        }
        if source == destination && lines.overwrite_themselves() {
            return at.fail(
                "destination.offset",
                self.destination.offset,
                "a range that does not overlap the source, or the source itself",
            );
        }
        Ok(())
    }

    fn message(&self) -> Option<&'a Message> {
        Some(self)
    }

    fn receives_from(&self, network: &Network, tile: TileId) -> Option<TileId> {
        let source = network.find(self.source.tile)?;
        let destination = network.find(self.destination.tile)?;
        (tile == destination && source != destination).then_some(source)
    }
}

impl Message {
    /// Is it a copy within one tile, which no network carries?
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.source.tile == self.destination.tile
    }

    /// Bytes of all rows.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        self.bytes * u64::from(self.num_rows())
    }

    /// Rows; one if it is of consecutive bytes.
    #[must_use]
    pub fn num_rows(&self) -> u32 {
        self.rows.unwrap_or(MessageRows::ONE).count
    }

    fn lines(&self) -> Lines<'static> {
        let rows = self.rows.unwrap_or(MessageRows::ONE);
        Lines {
            reader: self.source.tile,
            source: self.source,
            targets: Targets::One(self.destination.tile),
            offset: self.destination.offset,
            bytes: self.bytes,
            rows: rows.count,
            source_stride: rows.source_stride,
            destination_stride: rows.destination_stride,
            is_asked_for: true,
        }
    }

    /// Source and destination as messages name them.
    pub(crate) fn ends(&self) -> String {
        let name = |tile: TileRef| match tile {
            TileRef::Cluster(at) => at.to_string(),
            TileRef::Memory(_) => tile.to_string(),
        };
        let (from, to) = (name(self.source.tile), name(self.destination.tile));
        format!("from {from} to {to}")
    }
}
