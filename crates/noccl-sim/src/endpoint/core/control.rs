// SPDX-License-Identifier: Apache-2.0
//! The control core: starts DMA transfers, takes part in barriers and reductions.

use super::Agents;
use super::event::CoreEvent;
use crate::endpoint::core::kernels::copy_locally;
use crate::endpoint::dma::{Movement, Side};
use crate::machine::Machine;
use crate::ni::axi::issue::Arithmetic;
use crate::ni::axi::state::Source;
use crate::tile_index::tile_index;
use crate::transport::transaction::Owner;
use noccl_net::TileId;
use noccl_net::deadlock::{bursts_together, num_bursts};
use noccl_run::{Contribution, RankTime, RecordedRows, TransferStart};
use noccl_workload::{ActionKind, InNetworkReduction, NetworkFold, Transfer};

impl Agents<'_> {
    pub(super) fn wake_control(&mut self, tile: u32, machine: &mut Machine<'_>) {
        let beside = self.begin_beside(tile);
        let next = beside.or_else(|| self.control.get_mut(&tile)?.begin_next(&self.instances));
        let Some(id) = next else {
            return;
        };
        let instance = &mut self.instances.all[id];
        let instructions = &machine.network.axi().cluster.instructions;
        let kind = self.actions.kind(instance.action);
        let count = if kind.barrier().is_some() || kind.arrival().is_some() {
            instructions.barrier_store
        } else if kind.transfer().is_some_and(|t| t.rows > 1) {
            instructions.dma_start_2d
        } else {
            instructions.dma_start
        };
        instance.data.start_cycle = machine.clock.now();
        if let Some(watched) = &mut self.watched {
            watched.is_busy(tile, RankTime::Send, machine.clock.now(), count);
        }
        machine.call_driver(
            machine.clock.now() + u64::from(count),
            CoreEvent::Issued { instance: id },
        );
    }

    /// The instructions are executed: the DMA engine has its command, or the barrier's store leaves.
    pub(super) fn issued(&mut self, id: u32, machine: &mut Machine<'_>) {
        let (action, tile) = (self.instances.all[id].action, self.instances.all[id].tile.0);
        let cluster = &machine.network.axi().cluster;
        match &*self.kind_of(action) {
            ActionKind::Barrier(_) => {
                let path = u64::from(cluster.request_path_cycles);
                machine.call_driver(
                    machine.clock.now() + path,
                    CoreEvent::Store { instance: id },
                );
                if self.passes(id) {
                    self.free_after(id, tile, machine);
                }
                return;
            }
            ActionKind::Arrival(arrival) => {
                self.send_arrival(id, arrival, machine);
                return;
            }
            ActionKind::Chain(chain) => {
                self.instances.all[id].data.start_cycle = machine.clock.now();
                if chain.bytes == 0 {
                    self.over(id, machine);
                } else {
                    machine.commit_chain(tile, id, chain);
                }
                self.free_after(id, tile, machine);
                return;
            }
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::LocalReduce(_)
            | ActionKind::Kernel(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Compute(_) => {}
        }
        self.instances.all[id].data.start_cycle = machine.clock.now();
        let leaves = u64::from(cluster.dma.start_cycles + cluster.request_path_cycles);
        machine.call_driver(
            machine.clock.now() + leaves,
            CoreEvent::DmaStart { instance: id },
        );
        self.free_after(id, tile, machine);
    }

    pub(crate) fn free_control(&mut self, tile: u32, machine: &mut Machine<'_>) {
        if let Some(agent) = self.control.get_mut(&tile) {
            agent.is_busy = false;
        }
        self.wake_control(tile, machine);
    }

    pub(super) fn dma_start(&mut self, id: u32, machine: &mut Machine<'_>) {
        let (action, tile) = (self.instances.all[id].action, self.instances.all[id].tile.0);
        match &*self.actions.kind(action) {
            ActionKind::Transfer(transfer) => self.start_transfer(id, tile, transfer, machine),
            ActionKind::Delivery(transfer) => {
                self.expect_delivery(id, transfer, machine);
                self.start_transfer(id, tile, transfer, machine);
            }
            ActionKind::InNetworkReduction(_) | ActionKind::InNetworkAllReduce(_) => {
                self.begin_reduction(id, tile, machine);
            }
            ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Kernel(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_)
            | ActionKind::Arrival(_)
            | ActionKind::Barrier(_) => {}
        }
    }

    fn start_transfer(
        &mut self,
        id: u32,
        tile: u32,
        transfer: &Transfer,
        machine: &mut Machine<'_>,
    ) {
        if transfer.bytes == 0 || transfer.rows == 0 {
            self.over(id, machine);
            return;
        }
        let movement = Movement::of(id, tile, transfer, &machine.network);
        if let (Side::Own, Side::Own) = (movement.source, movement.destination) {
            let beats = copy_locally(tile, &movement, machine);
            machine.call_driver(
                machine.clock.now() + beats,
                CoreEvent::Over { instance: id },
            );
            return;
        }
        self.with_engine(tile, machine, |dma, port| dma.take(movement, port));
    }

    /// The engine takes part in the reduction if its bursts and those of the others in work cannot be more at a merge point
    /// than an interface may have open. So no router sees more of one group (`docs/design/0007`).
    fn begin_reduction(&mut self, id: u32, tile: u32, machine: &mut Machine<'_>) {
        let limit = machine.network.axi().ni.max_open_reductions;
        let action = self.instances.all[id].action;
        let bursts = self.open_at_once(action, machine);
        let Some(agent) = self.control.get_mut(&tile) else {
            return;
        };
        if agent.reducing > 0 && (agent.reducing + bursts > limit || !agent.waiting.is_empty()) {
            agent.waiting.push_back(id);
            return;
        }
        agent.reducing += bursts;
        self.contribute(id, action, tile, machine);
    }

    /// The engine has seen the last response of a reduction: others may begin.
    pub(super) fn end_reduction(&mut self, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let bursts = self.open_at_once(action, machine);
        let Some(agent) = self.control.get_mut(&tile) else {
            return;
        };
        agent.reducing -= bursts;
        let waiting = std::mem::take(&mut agent.waiting);
        for id in waiting.iter() {
            self.begin_reduction(*id, tile, machine);
        }
    }

    /// Bursts of a reduction that can be at a merge point together.
    fn open_at_once(&self, action: u32, machine: &Machine<'_>) -> u32 {
        let kind = self.kind_of(action);
        let Some(NetworkFold { reduction: r, .. }) = kind.network_fold() else {
            return 0;
        };
        let network = machine.network;
        let bursts = num_bursts(&network.axi().ni, r.root.offset, r.bytes);
        let root = network.find(r.root.tile);
        // 0: nothing merges for a root that is not there.
        root.map_or(0, |root| bursts_together(network, r.group, root, bursts)) as u32
    }

    fn contribute(&mut self, id: u32, action: u32, tile: u32, machine: &mut Machine<'_>) {
        let kind = self.kind_of(action);
        let Some(fold) = kind.network_fold() else {
            return;
        };
        let (r, is_shared) = (fold.reduction, fold.is_shared);
        if r.bytes == 0 {
            self.over(id, machine);
            return;
        }
        let root = tile_index(&machine.network, r.root.tile);
        let group = machine.network.cube(r.group);
        let arithmetic = Arithmetic {
            operator: r.operator,
            element: r.element,
            is_shared,
            fold_order: r.fold_order(&machine.network),
        };
        machine.record_start(contribution(tile, action, r, is_shared, machine));
        let bursts: Vec<_> =
            crate::transport::burst::Bursts::new(r.root.offset, r.bytes, machine.network.axi())
                .collect();
        let owner = Owner::Reduction { action };
        let txns = self.reductions.entry(action).or_insert_with(|| {
            let open = |b: &crate::transport::burst::Burst| {
                machine.open_reduction(
                    group,
                    root,
                    r.root.offset + b.offset,
                    b.bytes,
                    arithmetic,
                    owner,
                )
            };
            bursts.iter().map(open).collect()
        });
        for (txn, burst) in txns.iter().zip(&bursts) {
            machine.contribute(tile, *txn, Source::Memory(r.source_offset + burst.offset));
        }
        self.open_bursts.insert(id, bursts.len() as u32);
    }
}

/// A member's part of a reduction as a record tells it.
fn contribution(
    tile: u32,
    action: u32,
    r: &InNetworkReduction,
    is_shared: bool,
    machine: &Machine<'_>,
) -> TransferStart {
    let root = tile_index(&machine.network, r.root.tile);
    let rows = |at, offset| RecordedRows {
        tile: machine.coord(at),
        set: None,
        offset,
        stride: 0,
    };
    TransferStart {
        tile: TileId(tile),
        source: rows(tile, r.source_offset),
        destination: rows(root, r.root.offset),
        bytes: r.bytes,
        rows: 1,
        contribution: Some(Contribution {
            reduction: action,
            group: r.group,
            operator: r.operator,
            element: r.element,
            is_shared,
        }),
    }
}
