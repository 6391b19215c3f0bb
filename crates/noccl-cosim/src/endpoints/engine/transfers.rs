// SPDX-License-Identifier: Apache-2.0
//! Lock-step with DMA engines: transfers instead of transactions come from the record.

use super::{Engine, LEAD_CYCLES};
use crate::endpoints::axi::{Shown, WritePort};
use crate::endpoints::channels::Name;
use crate::endpoints::compare::{Tiles, clear_disabled};
use crate::endpoints::memory::line::PAGE_BYTES;
use crate::endpoints::{Endpoints, number};
use crate::lockstep::LockstepError;
use noccl_net::{Coord, TileId};
use noccl_run::{
    Command, CommandKind, CycleRecord, FlitPlace, FlitRecord, Handshake, MemoryImage, RecordedKind,
    TransferStart,
};
use noccl_spec::Plane;

/// Names of joins in the hardware: `TAG_BITS` of every library.
const MAX_NAME: u32 = 0xffff;

/// Bursts of a contribution.
fn num_bursts(start: &TransferStart) -> u32 {
    let end = start.destination.offset % PAGE_BYTES + start.bytes;
    end.div_ceil(PAGE_BYTES) as u32
}

impl Endpoints<'_> {
    /// Lets the hardware's DMA engines do all transfers of a run; the library has engines. `inputs` are in the memories at first.
    ///
    /// # Errors
    /// [`LockstepError::Unsupported`] for what the hardware does in other cycles; [`LockstepError::Library`].
    pub fn run_engines(
        &mut self,
        starts: &EngineStarts,
        inputs: &[MemoryImage],
    ) -> Result<(), LockstepError> {
        self.fill(inputs);
        let mut engines = vec![Engine::default(); self.comparison.network.num_tiles()];
        let mut num_joins = 0;
        for (cycle, start) in starts.iter() {
            let home = self.comparison.network.coord(start.tile);
            let reduction = start.contribution.map(|c| c.reduction);
            // 0: transfers that join no reduction count no joins.
            let join = reduction.map_or(0, |reduction| {
                *self.joins.entry(reduction).or_insert_with(|| {
                    num_joins += num_bursts(start);
                    num_joins - num_bursts(start)
                })
            });
            engines[start.tile.0 as usize]
                .plan(cycle, (start, join), (home, &self.map))
                .map_err(|what| LockstepError::Unsupported { cycle, what })?;
        }
        for tile in self.comparison.network.clusters() {
            self.managers[tile.0 as usize].leave_wide_port(self.wide_id_bits);
        }
        self.engines = Some(engines);
        for cycle in -LEAD_CYCLES..0 {
            self.show_engines(cycle);
            self.model.hardware.settle();
            self.model.hardware.tick();
        }
        Ok(())
    }

    /// Writes memories before the run.
    pub fn fill(&mut self, images: &[MemoryImage]) {
        for image in images {
            if let Some(tile) = self.comparison.network.find(image.tile) {
                self.memories[tile.0 as usize].fill(image.offset, &image.bytes);
            }
        }
    }

    /// Bytes of a tile's memory.
    #[must_use]
    pub fn bytes(&self, tile: TileId, offset: u64, len: usize) -> Vec<u8> {
        self.memories[tile.0 as usize].bytes(offset, len)
    }

    pub(crate) fn show_engines(&mut self, cycle: i64) {
        let Some(engines) = &mut self.engines else {
            return;
        };
        for (tile, engine) in engines.iter_mut().enumerate() {
            let memory = &self.memories[tile];
            engine.drive(self.model.axi_in(tile), cycle, |line| memory.line(line));
        }
    }

    /// Takes note of what engines do with their L1.
    pub(crate) fn follow_engines(&mut self) -> Result<(), LockstepError> {
        let Some(engines) = &mut self.engines else {
            return Ok(());
        };
        for (tile, engine) in engines.iter_mut().enumerate() {
            let shown = Shown(self.model.axi_out(tile));
            let refused = if shown.waits_for_channel() {
                Some("a transfer that waits for a channel of the engine")
            } else if shown.refuses_start() {
                Some("a transfer whose number is still in use")
            } else {
                None
            };
            if let Some(what) = refused {
                let cycle = self.comparison.cycle;
                return Err(LockstepError::Unsupported { cycle, what });
            }
            engine.ask(shown);
            if shown.writes_line() {
                self.memories[tile].store(shown.beat(WritePort::Engine));
            }
        }
        Ok(())
    }

    /// The run sends from a transfer of which the hardware has no line yet: L1's only read port has served older ones.
    pub(crate) fn refuse_hungry(&self, record: &CycleRecord) -> Result<(), LockstepError> {
        let wide = &self.comparison.layouts[Plane::Wide.idx()];
        let differs = |h: &Handshake| {
            let tile = h.tile.0 as usize;
            let enters = self.model.tiles(number(Plane::Wide), Tiles::Enter) >> tile & 1 != 0;
            let mut found = [0; 32];
            let found = &mut found[..wide.words];
            found.copy_from_slice(self.model.input(number(Plane::Wide), tile, wide.words));
            clear_disabled(found);
            // Under whatever name: it may be a transfer's first beat.
            let tag = wide.tag(found);
            let flit = h.flit.clone();
            let mut recorded = [0; 32];
            wide.encode(&FlitRecord { tag, ..flit }, &mut recorded[..wide.words]);
            let is_same = enters && recorded[..wide.words] == *found;
            Shown(self.model.axi_out(tile)).is_hungry() && !is_same
        };
        let is_beat = |h: &Handshake| {
            let writes = matches!(h.flit.kind, RecordedKind::Write | RecordedKind::Reduce);
            (h.plane, h.place) == (Plane::Wide, FlitPlace::Enters) && writes
        };
        let mut beats = record.handshakes.iter().filter(|h| is_beat(h));
        let shares_port = self.engines.is_some() && self.model.read_ports() == 1;
        if shares_port && beats.any(differs) {
            let what = "a transfer that takes over before its lines are read";
            let cycle = self.comparison.cycle;
            return Err(LockstepError::Unsupported { cycle, what });
        }
        Ok(())
    }

    /// Names of the bursts of reductions that engines begin to contribute to in this cycle: consecutive ones.
    pub(crate) fn name_joins(&mut self, record: &CycleRecord) -> Vec<Name> {
        let mut names = Vec::new();
        if self.engines.is_none() {
            return names;
        }
        for start in &record.starts {
            let Some(contribution) = start.contribution else {
                continue;
            };
            let Some(first) = self.joins.get(&contribution.reduction).copied() else {
                continue;
            };
            let is_part = |c: &&Command| {
                (c.tile, c.kind, c.transfer as u32)
                    == (start.tile, CommandKind::Reduction, contribution.reduction)
            };
            let bursts = record.commands.iter().filter(is_part);
            for (command, hardware) in bursts.zip(first..) {
                let name = Name {
                    recorded: command.tag,
                    hardware: hardware & MAX_NAME,
                };
                if let Some(engine) = self.managers[start.tile.0 as usize].engine() {
                    engine.expect_join(name);
                }
                names.push(name);
            }
        }
        names
    }

    /// Names that engines give to transactions whose first flits enter the network in this cycle: the record knows that they do, not
    /// which ids the hardware takes.
    pub(crate) fn learn(&mut self, record: &CycleRecord) -> Vec<Name> {
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
            let layout = &self.comparison.layouts[plane.idx()];
            let flit = self.model.input(number(plane), tile, layout.words);
            let name = Name {
                recorded: first.flit.tag,
                hardware: layout.tag(flit),
            };
            if let Some(engine) = self.managers[tile].engine() {
                engine.open(name, plane == Plane::Req);
            }
            names.push(name);
        }
        names
    }

    /// Is the tile's wide port an engine's?
    pub(crate) fn has_engine(&self, tile: TileId) -> bool {
        self.engines.is_some() && self.is_cluster(self.comparison.network.coord(tile))
    }

    fn is_cluster(&self, at: Coord) -> bool {
        let origin = self.comparison.network.cluster_origin();
        let inside = |at: u16, first: u16, len: u16| at.checked_sub(first).is_some_and(|i| i < len);
        inside(at.x, origin.x, self.comparison.network.cluster_width())
            && inside(at.y, origin.y, self.comparison.network.cluster_height())
    }
}

// When DMA engines begin their transfers: the host describes them to the hardware's registers some cycles before, so it has to
// know before the run.

/// All transfers and contributions of a run's DMA engines, in the order of their cycles.
#[derive(Debug, Clone, Default)]
pub struct EngineStarts(Vec<(u64, TransferStart)>);

impl EngineStarts {
    /// Takes note of what begins in a recorded cycle, later than all before.
    pub fn add(&mut self, record: &CycleRecord) {
        let starts = record.starts.iter().cloned();
        self.0.extend(starts.map(|start| (record.cycle, start)));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &TransferStart)> {
        self.0.iter().map(|(cycle, start)| (*cycle, start))
    }
}
