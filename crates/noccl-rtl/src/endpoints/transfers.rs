// SPDX-License-Identifier: Apache-2.0
//! Lock-step with DMA engines: transfers instead of transactions come from the record.

use super::axi::{Shown, WritePort};
use super::engine::{Engine, LEAD_CYCLES};
use super::managers::Name;
use super::{Endpoints, number};
use crate::lockstep::LockstepError;
use noccl_net::{Coord, TileId};
use noccl_run::{CycleRecord, FlitPlace, Handshake, MemoryImage, RecordedKind};
use noccl_spec::Plane;

impl Endpoints<'_> {
    /// Lets the hardware's DMA engines do the transfers of a whole record; the library has engines (`NAME-engines`). `inputs` are in
    /// the memories at first.
    ///
    /// # Errors
    /// [`LockstepError::Unsupported`] for what the hardware does in other cycles; [`LockstepError::Library`].
    pub fn run_engines(
        &mut self,
        records: &[CycleRecord],
        inputs: &[MemoryImage],
    ) -> Result<(), LockstepError> {
        for image in inputs {
            if let Some(tile) = self.network.find(image.tile) {
                self.memories[tile.0 as usize].fill(image.offset, &image.bytes);
            }
        }
        let mut engines = vec![Engine::default(); self.network.num_tiles()];
        for record in records {
            for start in &record.starts {
                let home = self.network.coord(start.tile);
                engines[start.tile.0 as usize]
                    .plan(record.cycle, start, (home, &self.map))
                    .map_err(|what| LockstepError::Unsupported {
                        cycle: record.cycle,
                        what,
                    })?;
            }
        }
        for tile in self.network.clusters() {
            self.managers[tile.0 as usize].leave_wide_port(self.wide_id_bits);
        }
        self.engines = Some(engines);
        for cycle in -LEAD_CYCLES..0 {
            self.show_engines(cycle);
            self.model.settle();
            self.model.tick();
        }
        Ok(())
    }

    /// Bytes of a tile's memory.
    #[must_use]
    pub fn bytes(&self, tile: TileId, offset: u64, len: usize) -> Vec<u8> {
        self.memories[tile.0 as usize].bytes(offset, len)
    }

    pub(super) fn show_engines(&mut self, cycle: i64) {
        let Some(engines) = &mut self.engines else {
            return;
        };
        for (tile, engine) in engines.iter_mut().enumerate() {
            let memory = &self.memories[tile];
            engine.drive(self.model.axi_in(tile), cycle, |line| memory.line(line));
        }
    }

    /// Takes note of what engines do with their L1.
    pub(super) fn follow_engines(&mut self) {
        let Some(engines) = &mut self.engines else {
            return;
        };
        for (tile, engine) in engines.iter_mut().enumerate() {
            let shown = Shown(self.model.axi_out(tile));
            engine.ask(shown.asked_line());
            if shown.writes_line() {
                self.memories[tile].store(shown.beat(WritePort::Engine));
            }
        }
    }

    /// Names that engines give to transactions whose first flits enter the network in this cycle: the record knows that they do, not
    /// which ids the hardware takes.
    pub(super) fn learn(&mut self, record: &CycleRecord) -> Vec<Name> {
        if self.engines.is_none() {
            return Vec::new();
        }
        let begins = |h: &&Handshake| {
            let is_first = match h.flit.kind {
                RecordedKind::Write => h.plane == Plane::Wide && h.flit.beat == 0,
                RecordedKind::ReadRequest => h.flit.is_wide,
                RecordedKind::Reduce
                | RecordedKind::ReadData
                | RecordedKind::Barrier
                | RecordedKind::Atomic
                | RecordedKind::Response
                | RecordedKind::CollectedResponse
                | RecordedKind::GroupResponse
                | RecordedKind::Credit
                | RecordedKind::Result => false,
            };
            h.place == FlitPlace::Enters && is_first
        };
        let mut names = Vec::new();
        for first in record.handshakes.iter().filter(begins) {
            let (plane, tile) = (first.plane, first.tile.0 as usize);
            let layout = &self.layouts[plane.idx()];
            let flit = self.model.input(number(plane), tile, layout.words);
            let name = Name {
                recorded: first.flit.tag,
                hardware: layout.tag(flit),
            };
            self.managers[tile].open(name, plane == Plane::Req);
            names.push(name);
        }
        names
    }

    /// Is the tile's wide port an engine's?
    pub(super) fn has_engine(&self, tile: TileId) -> bool {
        self.engines.is_some() && self.is_cluster(self.network.coord(tile))
    }

    fn is_cluster(&self, at: Coord) -> bool {
        let origin = self.network.cluster_origin();
        let inside = |at: u16, first: u16, len: u16| at.checked_sub(first).is_some_and(|i| i < len);
        inside(at.x, origin.x, self.network.cluster_width())
            && inside(at.y, origin.y, self.network.cluster_height())
    }
}
