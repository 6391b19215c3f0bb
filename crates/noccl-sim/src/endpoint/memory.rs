// SPDX-License-Identifier: Apache-2.0
//! Memories of all tiles (value mode), in pages that exist once they are written.

use crate::kernel::saved_form::{SavedBytes, sorted};
use crate::transport::flit::Flit;
use crate::transport::payload::PayloadPool;
use crate::transport::payload::WideBeat;
use noccl_net::Network;
use noccl_run::{MemoryImage, RunError};
use noccl_workload::number::fold_into;
use noccl_workload::{LocalReduce, Place};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

const PAGE: usize = 4096;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Memories {
    #[serde(serialize_with = "sorted")]
    pages: HashMap<(u32, u64), Box<SavedBytes<PAGE>>>,
}

impl Memories {
    /// Bytes `offset..offset + into.len()`; never-written bytes are zero.
    pub(crate) fn read(&self, tile: u32, offset: u64, into: &mut [u8]) {
        let mut done = 0;
        while done < into.len() {
            let (page, from, len) = in_page(offset + done as u64, into.len() - done);
            let target = &mut into[done..done + len];
            match self.pages.get(&(tile, page)) {
                Some(bytes) => target.copy_from_slice(&bytes.0[from..from + len]),
                None => target.fill(0),
            }
            done += len;
        }
    }

    /// Bytes from a place of a network on; none of a tile that it has not.
    pub(crate) fn read_place(&self, network: &Network, place: Place, bytes: u64) -> Vec<u8> {
        let Some(tile) = network.find(place.tile) else {
            return Vec::new();
        };
        let mut read = vec![0; bytes as usize];
        self.read(tile.0, place.offset, &mut read);
        read
    }

    /// Writes bytes from a place of a network on; nothing to a tile that it has not.
    pub(crate) fn write_place(&mut self, network: &Network, place: Place, bytes: &[u8]) {
        if let Some(tile) = network.find(place.tile) {
            self.write(tile.0, place.offset, bytes);
        }
    }

    /// Operands of a tile, combined from the left.
    pub(crate) fn combined(&self, tile: u32, reduce: &LocalReduce) -> Vec<u8> {
        let mut sum = vec![0; reduce.bytes as usize];
        let mut operand = vec![0; reduce.bytes as usize];
        for (place, input) in reduce.inputs.iter().enumerate() {
            if place == 0 {
                self.read(tile, *input, &mut sum);
            } else {
                self.read(tile, *input, &mut operand);
                fold_into(&mut sum, &operand, reduce.operator, reduce.element);
            }
        }
        sum
    }

    /// What the asked places of a network hold; those of tiles that it has not are left out.
    pub(crate) fn images(&self, network: &Network, places: &[(Place, u64)]) -> Vec<MemoryImage> {
        let image = |(place, bytes): &(Place, u64)| {
            let tile = network.find(place.tile)?;
            let mut image = vec![0; *bytes as usize];
            self.read(tile.0, place.offset, &mut image);
            Some(MemoryImage {
                tile: place.tile,
                offset: place.offset,
                bytes: image,
            })
        };
        places.iter().filter_map(image).collect()
    }

    /// Writes the inputs of a run.
    ///
    /// # Errors
    /// [`RunError::Refused`] if the network lacks a tile of theirs.
    pub(crate) fn fill(
        &mut self,
        network: &Network,
        inputs: &[MemoryImage],
    ) -> Result<(), RunError> {
        for image in inputs {
            let tile = network.find(image.tile).ok_or_else(|| RunError::Refused {
                backend: "sim",
                what: format!("input at {}", image.tile),
                reason: "there is no such tile".to_owned(),
            })?;
            self.write(tile.0, image.offset, &image.bytes);
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, tile: u32, offset: u64, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let (page, from, len) = in_page(offset + done as u64, bytes.len() - done);
            let target = self
                .pages
                .entry((tile, page))
                .or_insert_with(|| Box::new(SavedBytes([0; PAGE])));
            target.0[from..from + len].copy_from_slice(&bytes[done..done + len]);
            done += len;
        }
    }
}

/// What the memories hold, atomics and the beats in flight included.
pub(crate) struct MemorySystem {
    pub memories: Memories,
    /// Payloads of the beats in flight.
    pub pool: PayloadPool,
    /// Words that atomics count on, by (tile, offset).
    atomics: HashMap<(u32, u64), u32>,
}

impl MemorySystem {
    pub(crate) fn new(beat: WideBeat) -> Self {
        Self::saved(Memories::default(), PayloadPool::new(beat), HashMap::new())
    }

    /// Memories as they were saved, see [`MemorySystem::state`].
    pub(crate) const fn saved(
        memories: Memories,
        pool: PayloadPool,
        atomics: HashMap<(u32, u64), u32>,
    ) -> Self {
        Self {
            memories,
            pool,
            atomics,
        }
    }

    /// All that they are between two cycles.
    pub(crate) const fn state(&self) -> (&Memories, &PayloadPool, &HashMap<(u32, u64), u32>) {
        (&self.memories, &self.pool, &self.atomics)
    }

    /// A payload slot with the line that starts at `offset`.
    pub(crate) fn load(&mut self, tile: u32, offset: u64) -> u32 {
        let slot = self.pool.zeros();
        self.memories.read(tile, offset, self.pool.bytes_mut(slot));
        slot
    }

    /// A payload slot with these bytes of a memory from a lane on, and zeros beside.
    pub(crate) fn load_part(&mut self, tile: u32, offset: u64, lane: usize, len: u32) -> u32 {
        let slot = self.pool.zeros();
        let into = &mut self.pool.bytes_mut(slot)[lane..lane + len as usize];
        self.memories.read(tile, offset, into);
        slot
    }

    /// Writes the payload of one beat of a burst of `bytes` at `address`. Returns the sum of the bytes written.
    pub(crate) fn write_beat(&mut self, tile: u32, flit: Flit, address: u64, bytes: u32) -> u64 {
        let beat = self.pool.beat();
        let (from, len) = beat.part(address, bytes, flit.beat);
        let place = address + u64::from(from);
        let line = beat.lane(place);
        let data = &self.pool.bytes(flit.payload)[line..line + len as usize];
        self.memories.write(tile, place, data);
        data.iter().map(|b| u64::from(*b)).sum()
    }

    /// Fetch-and-add of one on a 32-bit word kept per place; works in both modes, since control depends on it.
    pub(crate) fn atomic_add(&mut self, tile: u32, address: u64) -> u32 {
        let word = self.atomics.entry((tile, address)).or_insert(0);
        *word += 1;
        *word - 1
    }
}

/// Page, offset in it, and bytes up to its end, of a range that starts at `offset`.
fn in_page(offset: u64, len: usize) -> (u64, usize, usize) {
    let from = offset as usize % PAGE;
    (offset / PAGE as u64, from, len.min(PAGE - from))
}
