// SPDX-License-Identifier: Apache-2.0
//! Whether the port behind a NI takes a flit in this cycle.

use crate::machine::Machine;
use crate::transport::flit::{Flit, FlitKind};
use noccl_net::{TileId, TileKind};
use noccl_run::AxiPort;
use noccl_spec::Plane;

impl Machine<'_> {
    /// Is a delivered beat no more than its checksum, until its burst is whole?
    pub(crate) fn counts_deliveries(&self) -> bool {
        let is_plain = !self.is_value() && !self.behaviour.has_worms && self.torrents.is_none();
        let is_ready = self.config.stalls.is_none() && self.config.port_stall_per_256 == 0;
        is_plain && is_ready && self.errors.has_sound_memory()
    }

    /// Is the AXI port that this flit needs not ready in this cycle?
    pub(crate) fn port_is_busy(&self, tile: usize, flit: Flit) -> bool {
        if self.config.port_stall_per_256 == 0 {
            return false;
        }
        let txn = self.txns.get(flit.txn);
        let port = match flit.kind {
            FlitKind::Write | FlitKind::Reduce | FlitKind::Result => AxiPort::WideWrite,
            FlitKind::ReadRequest if txn.is_wide => AxiPort::WideRead,
            FlitKind::ReadRequest => AxiPort::NarrowRead,
            FlitKind::NarrowWrite | FlitKind::Atomic => AxiPort::NarrowWrite,
            FlitKind::Barrier
                if txn.arrived + flit.payload == self.txns.trees.set(flit.txn).set.len() =>
            {
                AxiPort::NarrowWrite
            }
            FlitKind::ReadData if txn.is_wide => AxiPort::WideData,
            FlitKind::ReadData
            | FlitKind::Barrier
            | FlitKind::WriteHead
            | FlitKind::Response
            | FlitKind::CollectB
            | FlitKind::ReduceResponse
            | FlitKind::Credit
            | FlitKind::BarrierHead
            | FlitKind::ReduceHead => return false,
        };
        self.config.is_busy(self.clock.now(), tile, port)
    }

    pub(crate) fn accepts(&self, tile: usize, flit: Flit) -> bool {
        let axi = self.network.axi();
        let ni = &self.interfaces.nis[tile];
        match flit.kind {
            FlitKind::ReadRequest => match self.network.kind(TileId(tile as u32)) {
                _ if !self.txns.get(flit.txn).is_wide => true,
                TileKind::Memory => ni.reads_in_service < axi.memory.max_outstanding,
                TileKind::Cluster => true,
            },
            FlitKind::Barrier => {
                self.txns.get(flit.txn).arrived > 0 || ni.open_barriers < axi.ni.max_open_reductions
            }
            FlitKind::Write => self.takes_write(tile, flit),
            FlitKind::WriteHead
            | FlitKind::Reduce
            | FlitKind::Result
            | FlitKind::ReadData
            | FlitKind::Response
            | FlitKind::CollectB
            | FlitKind::ReduceResponse
            | FlitKind::Atomic
            | FlitKind::NarrowWrite
            | FlitKind::Credit
            | FlitKind::BarrierHead
            | FlitKind::ReduceHead => true,
        }
    }

    /// All barrier counters of a tile are in use: from now on somebody may wait for long.
    pub(crate) fn note_refusal(&mut self, plane: Plane, kind: FlitKind) {
        let state = &mut self.mesh.planes[plane.idx()];
        if kind == FlitKind::Barrier && state.head_ages.is_none() {
            state.head_ages = Some(state.new_head_ages());
        }
    }
}
