// SPDX-License-Identifier: Apache-2.0
//! The critical path of a run, from its last event back to its first.
//!
//! An action's part at a tile ends because of the last thing that it waited for: a response, the last contribution, a poll. The walk
//! follows that to the tile which sent it, through the network ([`Watch`]), and from the beginning of a part to what its core waited for:
//! the end of an earlier action, or its own instructions for one. Each step begins where the one before ended, so the steps have all
//! cycles of the run, once.

use super::log::{At, Index};
use crate::endpoint::core::Agents;
use crate::endpoint::core::instances::{Runner, runner};
use crate::tile_index::tile_index;
use crate::transport::transaction::{Owner, TxnKind};
use noccl_net::{AxiNetwork, TileId};
use noccl_run::{Cause, PathStep};
use noccl_workload::{ActionKind, BarrierMechanism, Completion, Schedule};
use std::collections::HashMap;

/// What of the network a stretch of the path is watched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchKind {
    /// A write or multicast, wide or narrow, or an atomic.
    Write,
    /// A contribution to a wide reduction.
    Reduction,
    /// A contribution to a barrier.
    Barrier,
    /// The reads of the tile's DMA engine, whichever is the oldest.
    Reads,
}

/// A stretch of the path in the network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    pub kind: WatchKind,
    /// The command whose flits are followed, as counted over the run.
    pub serial: u32,
    /// Who sends.
    pub source: u32,
    /// Where the followed flit arrives, and when.
    pub target: u32,
    pub delivered: u64,
    /// Where the response goes.
    pub home: u32,
    /// Is the result multicast in the wide plane?
    pub is_shared: bool,
    pub is_wide: bool,
}

/// What a stretch of the path is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    /// It is known without a look at the network.
    Cause(Cause),
    /// The second pass says it, cycle by cycle.
    Watch(Watch),
}

/// A stretch of the path, from the end of the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// The cycle behind its last one.
    pub end: u64,
    pub what: What,
}

/// What of an instance is on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// All of it.
    End,
    /// Its instructions; what they started goes on beside the path.
    Issued,
}

/// The walk.
pub(super) struct Walk<'a, 's> {
    network: AxiNetwork<'a>,
    schedule: &'a Schedule,
    agents: &'a Agents<'s>,
    index: &'a Index,
    /// Instances of each tile, in the order of the actions.
    by_tile: HashMap<TileId, Vec<u32>>,
    /// Up to here nothing is explained yet.
    now: u64,
    stretches: Vec<Stretch>,
    steps: Vec<PathStep>,
}

impl<'a, 's> Walk<'a, 's> {
    pub(super) fn new(
        network: AxiNetwork<'a>,
        schedule: &'a Schedule,
        agents: &'a Agents<'s>,
        index: &'a Index,
    ) -> Self {
        let mut by_tile: HashMap<TileId, Vec<u32>> = HashMap::new();
        for id in 0..agents.instances.num_instances() {
            let tile = agents.instances.all[id].tile;
            by_tile.entry(tile).or_default().push(id);
        }
        Self {
            network,
            schedule,
            agents,
            index,
            by_tile,
            now: 0,
            stretches: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Stretches and steps from cycle 0 to the end of the last action, in order.
    pub(super) fn run(mut self) -> (Vec<Stretch>, Vec<PathStep>) {
        let all = &self.agents.instances;
        let last = (0..all.num_instances()).max_by_key(|id| {
            // The first of those that end last.
            (all.all[*id].data.finish_cycle, std::cmp::Reverse(*id))
        });
        let mut next = last.map(|id| (id, Until::End));
        // 0: without actions nothing takes time.
        self.now = last.map_or(0, |id| all.all[id].data.finish_cycle);
        while let Some((id, until)) = next.filter(|_| self.now > 0) {
            let end = self.now;
            let begun = self.explain(id, until);
            let instance = &self.agents.instances.all[begun];
            self.steps.push(PathStep {
                action: instance.action,
                tile: instance.tile,
                start_cycle: self.now,
                end_cycle: end,
            });
            next = self.before(begun);
        }
        self.back_to(0, What::Cause(Cause::OtherAction));
        self.stretches.reverse();
        self.steps.reverse();
        (self.stretches, self.steps)
    }

    /// What happened from a cycle up to now.
    fn back_to(&mut self, start: u64, what: What) {
        if start < self.now {
            let end = std::mem::replace(&mut self.now, start);
            self.stretches.push(Stretch { end, what });
        }
    }

    fn cause(&mut self, start: u64, cause: Cause) {
        self.back_to(start, What::Cause(cause));
    }

    /// Explains an instance from now back to its beginning. Returns the instance whose beginning that is: of another tile, if the path
    /// comes from there.
    fn explain(&mut self, id: u32, until: Until) -> u32 {
        let (action, tile) = (
            self.agents.instances.all[id].action,
            self.agents.instances.all[id].tile.0,
        );
        let kind = &self.schedule.actions[action as usize].kind;
        let from = match until {
            Until::Issued => id,
            Until::End => match kind {
                ActionKind::Transfer(_) | ActionKind::Delivery(_) => self.transfer(id, tile),
                ActionKind::InNetworkReduction(_) | ActionKind::InNetworkAllReduce(_) => {
                    self.joined(id, WatchKind::Reduction)
                }
                ActionKind::Barrier(b) if b.mechanism == BarrierMechanism::Software => {
                    self.counted(id)
                }
                ActionKind::Barrier(_) => self.joined(id, WatchKind::Barrier),
                ActionKind::Arrival(arrival) if tile_index(&self.network, arrival.root) == tile => {
                    self.joined(id, WatchKind::Barrier)
                }
                ActionKind::Chain(_) => self.chain(id, tile),
                ActionKind::LocalReduce(_) | ActionKind::Compute(_) | ActionKind::Kernel(_) => {
                    self.cause(self.begin_of(id), Cause::Compute);
                    id
                }
                ActionKind::Arrival(_)
                | ActionKind::ListMulticast(_)
                | ActionKind::Message(_)
                | ActionKind::StaticMulticast(_) => id,
            },
        };
        let kind = &self.schedule.actions[self.agents.instances.all[from].action as usize].kind;
        let is_meeting = kind.barrier().is_some() || kind.arrival().is_some();
        let cause = if is_meeting {
            Cause::BarrierCores
        } else {
            Cause::Instructions
        };
        self.cause(self.begin_of(from), cause);
        from
    }

    /// The end of a transfer at its initiator, or at a destination that only notices.
    fn transfer(&mut self, id: u32, tile: u32) -> u32 {
        let initiator = self.initiator_of(id);
        let own = initiator.unwrap_or(id);
        let writes = self
            .index
            .of_channel(Owner::DmaWrite { instance: own }.channel());
        let home = self.agents.instances.all[own].tile.0;
        let is_noticed = own != id || !self.agents.waits_for_responses(id);
        if is_noticed && let Some(delivery) = self.index.last_delivery(writes, tile, self.now) {
            self.cause(delivery.cycle, Cause::MemoryLatency);
            self.sent(delivery, home);
        } else if let Some(over) = self.index.last_completion(writes, tile, self.now) {
            self.cause(over.cycle, Cause::DmaSetUp);
            self.responded(over, home);
        } else if !self.pulled(own, home) {
            // The engine copies within its own memory, a beat per cycle.
            let cluster = &self.network.axi().cluster;
            let start = u64::from(cluster.dma.start_cycles + cluster.request_path_cycles);
            self.cause(self.issued_at(own) + start, Cause::Payload);
        }
        self.set_up(own);
        own
    }

    /// The instance of a delivery's initiator.
    fn initiator_of(&self, id: u32) -> Option<u32> {
        let instance = &self.agents.instances.all[id];
        let transfer = self.schedule.actions[instance.action as usize]
            .kind
            .transfer()?;
        let initiator = self.network.find(transfer.initiator)?;
        self.agents.instances.at(instance.action, initiator)
    }

    /// A transaction up to a delivery.
    fn sent(&mut self, delivery: At, home: u32) {
        if let Some(command) = self.command_of(delivery.transaction, home) {
            let watch = self.watch(WatchKind::Write, command, delivery, home);
            self.back_to(command.cycle, What::Watch(watch));
        }
    }

    /// A write up to the last of its responses: of the destination whose response had most to go.
    fn responded(&mut self, over: At, home: u32) {
        let Some(command) = self.command_of(over.transaction, home) else {
            return;
        };
        let farthest = self
            .index
            .deliveries(over.transaction)
            .iter()
            .max_by_key(|at| {
                let hops = self.network.hops(TileId(at.tile), TileId(home));
                at.cycle + 2 * u64::from(hops)
            });
        if let Some(delivery) = farthest.copied() {
            let watch = self.watch(WatchKind::Write, command, delivery, home);
            self.back_to(command.cycle, What::Watch(watch));
        }
    }

    /// Reads into the tile's own memory. Returns whether there were any.
    fn pulled(&mut self, id: u32, tile: u32) -> bool {
        let reads = self
            .index
            .of_channel((Owner::DmaRead.channel().0, tile))
            .to_vec();
        let issued = self.issued_at(id);
        let over = self.index.last_completion(&reads, tile, self.now);
        let Some(over) = over.filter(|over| over.cycle >= issued) else {
            return false;
        };
        self.cause(over.cycle, Cause::DmaSetUp);
        let commands = reads.iter().flat_map(|txn| self.index.commands(*txn));
        let first = commands
            .filter(|c| c.cycle >= issued)
            .map(|c| c.cycle)
            .min();
        let watch = Watch {
            kind: WatchKind::Reads,
            serial: u32::MAX,
            source: tile,
            target: tile,
            delivered: over.cycle,
            home: tile,
            is_shared: false,
            is_wide: true,
        };
        self.back_to(first.unwrap_or(over.cycle), What::Watch(watch));
        true
    }

    /// From the instructions of a movement to its first request: the engine's start, and behind that other work of the engine.
    fn set_up(&mut self, id: u32) {
        let cluster = &self.network.axi().cluster;
        let issued = self.issued_at(id);
        let start = u64::from(cluster.dma.start_cycles + cluster.request_path_cycles);
        self.cause(issued + start, Cause::OtherTransfer);
        self.cause(issued, Cause::DmaSetUp);
    }

    /// A reduction or a barrier in the network, seen from a member that has its response: it comes from the member whose contribution was
    /// due last.
    fn joined(&mut self, id: u32, kind: WatchKind) -> u32 {
        let (action, tile) = (
            self.agents.instances.all[id].action,
            self.agents.instances.all[id].tile.0,
        );
        let owner = match kind {
            WatchKind::Reduction => Owner::Reduction { action },
            WatchKind::Write | WatchKind::Barrier | WatchKind::Reads => Owner::Barrier { action },
        };
        let txns = self.index.of_channel(owner.channel());
        let Some(over) = self.index.last_completion(txns, tile, self.now) else {
            return id;
        };
        let after = match kind {
            WatchKind::Reduction => Cause::DmaSetUp,
            WatchKind::Write | WatchKind::Barrier | WatchKind::Reads => Cause::BarrierCores,
        };
        self.cause(over.cycle, after);
        let root = self.index.transaction(over.transaction).home;
        let Some(command) = self.last_contribution(over.transaction, root) else {
            return id;
        };
        let delivery = (self.index.deliveries(over.transaction).iter())
            .find(|at| at.tile == root)
            .copied();
        let delivery = delivery.unwrap_or(over);
        let mut watch = self.watch(kind, command, delivery, tile);
        watch.is_shared = matches!(
            self.schedule.actions[action as usize].kind,
            ActionKind::InNetworkAllReduce(_)
        );
        self.back_to(command.cycle, What::Watch(watch));
        let member = self.agents.instances.at(action, TileId(command.tile));
        let member = member.unwrap_or(id);
        if kind == WatchKind::Reduction {
            self.set_up(member);
        }
        member
    }

    /// The contribution that could reach the root last.
    fn last_contribution(&self, transaction: u32, root: u32) -> Option<At> {
        let commands = self.index.commands(transaction).iter();
        let due = |at: &&At| {
            let hops = self.network.hops(TileId(at.tile), TileId(root));
            at.cycle + 2 * u64::from(hops)
        };
        commands.max_by_key(due).copied()
    }

    /// A software barrier: the interrupt, the poll that saw the full counter, the last addition.
    fn counted(&mut self, id: u32) -> u32 {
        let (action, tile) = (
            self.agents.instances.all[id].action,
            self.agents.instances.all[id].tile.0,
        );
        let txns = self
            .index
            .of_channel(Owner::Barrier { action }.channel())
            .to_vec();
        let of_kind = |kind: TxnKind| -> Vec<u32> {
            let is_kind = |txn: &&u32| self.index.transaction(**txn).kind == kind;
            txns.iter().filter(is_kind).copied().collect()
        };
        let (releases, atomics) = (of_kind(TxnKind::NarrowWrite), of_kind(TxnKind::Atomic));
        if let Some(release) = self.index.last_delivery(&releases, tile, self.now) {
            self.cause(release.cycle, Cause::BarrierCores);
            let home = self.index.transaction(release.transaction).home;
            self.sent(release, home);
        }
        let additions = atomics.iter().flat_map(|txn| self.index.deliveries(*txn));
        let last = additions.filter(|at| at.cycle <= self.now);
        let Some(last) = last.copied().max_by_key(|at| (at.cycle, at.serial)) else {
            return id;
        };
        self.cause(last.cycle, Cause::BarrierCores);
        let home = self.index.transaction(last.transaction).home;
        self.sent(last, home);
        self.agents.instances.at(action, TileId(home)).unwrap_or(id)
    }

    /// A chain: from message to message between its endpoints, back to its start.
    fn chain(&mut self, id: u32, tile: u32) -> u32 {
        let begin = self.issued_at(id);
        let mut at = tile;
        while self.now > begin {
            let last = self.index.last_chained(at, self.now);
            let Some(last) = last.filter(|last| last.cycle > begin) else {
                break;
            };
            let home = self.index.transaction(last.transaction).home;
            let Some(command) = self.command_of(last.transaction, home) else {
                break;
            };
            self.cause(last.cycle, Cause::ChainControl);
            let watch = self.watch(WatchKind::Write, command, last, home);
            self.back_to(command.cycle.max(begin), What::Watch(watch));
            at = home;
        }
        self.cause(begin, Cause::ChainControl);
        id
    }

    fn command_of(&self, transaction: u32, tile: u32) -> Option<At> {
        let mut commands = self.index.commands(transaction).iter();
        commands.find(|at| at.tile == tile).copied()
    }

    fn watch(&self, kind: WatchKind, command: At, delivery: At, home: u32) -> Watch {
        Watch {
            kind,
            serial: command.serial,
            source: command.tile,
            target: delivery.tile,
            delivered: delivery.cycle,
            home,
            is_shared: false,
            is_wide: self.index.transaction(command.transaction).is_wide,
        }
    }

    /// When an instance's core has executed its instructions. The engine's start counts as that of a movement.
    fn issued_at(&self, id: u32) -> u64 {
        self.agents.instances.all[id].data.start_cycle
    }

    /// When an instance's core began with it.
    fn begin_of(&self, id: u32) -> u64 {
        let instance = &self.agents.instances.all[id];
        let kind = &self.schedule.actions[instance.action as usize].kind;
        let run = &self.network.axi().cluster.instructions;
        let instructions = match kind {
            ActionKind::Transfer(t) | ActionKind::Delivery(t) if t.rows > 1 => run.dma_start_2d,
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Chain(_) => run.dma_start,
            ActionKind::LocalReduce(_)
            | ActionKind::Compute(_)
            | ActionKind::Kernel(_)
            | ActionKind::Barrier(_)
            | ActionKind::Arrival(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_) => 0,
        };
        (instance.data.start_cycle).saturating_sub(u64::from(instructions))
    }

    /// What an instance's core waited for last before it began with it: an action of its tile that had to be over, or its work on the
    /// action before it.
    fn before(&mut self, id: u32) -> Option<(u32, Until)> {
        let instance = &self.agents.instances.all[id];
        let (action, tile) = (instance.action, instance.tile);
        let needed = self.schedule.actions[action as usize].after.iter();
        let needed = needed.filter_map(|before| self.agents.instances.at(before.0, tile));
        let seen = needed.map(|before| (self.seen_at(before), before));
        let seen = seen.filter(|(cycle, _)| *cycle <= self.now).max();
        let queued = self.queued_before(id);
        let queued = queued.filter(|(cycle, _, _)| *cycle <= self.now);
        match (seen, queued) {
            (Some((cycle, before)), queued) if queued.is_none_or(|(free, _, _)| free <= cycle) => {
                self.cause(cycle, Cause::OtherAction);
                let finish = self.agents.instances.all[before].data.finish_cycle;
                self.cause(finish, Cause::Instructions);
                Some((before, Until::End))
            }
            (_, Some((free, before, until))) => {
                self.cause(free, Cause::OtherAction);
                Some((before, until))
            }
            (Some(_) | None, None) => None,
        }
    }

    /// When a core sees that an instance is over: it polls for some.
    fn seen_at(&self, id: u32) -> u64 {
        let instance = &self.agents.instances.all[id];
        let run = &self.network.axi().cluster.instructions;
        let poll = match self.schedule.actions[instance.action as usize]
            .kind
            .completion()
        {
            Completion::Engine => run.dma_wait,
            Completion::Flag => run.poll,
            Completion::AtOnce => 0,
        };
        instance.data.finish_cycle + u64::from(poll)
    }

    /// The instance before this one in the queue of the same cores, and when they were free of it.
    fn queued_before(&self, id: u32) -> Option<(u64, u32, Until)> {
        let tile = self.agents.instances.all[id].tile;
        let side = self.side_of(id);
        let queue = self.by_tile.get(&tile)?;
        let earlier = &queue[..queue.partition_point(|other| *other < id)];
        let mut earlier = earlier.iter().rev().copied();
        let before = earlier.find(|before| self.side_of(*before) == side)?;
        let instance = &self.agents.instances.all[before];
        let kind = &self.schedule.actions[instance.action as usize].kind;
        let is_held = side == Runner::Compute || kind.barrier().is_some();
        Some(match (is_held, kind.arrival()) {
            (true, _) => (instance.data.finish_cycle, before, Until::End),
            (false, Some(_)) => {
                let store = self.network.axi().cluster.instructions.barrier_store;
                let free = instance.data.start_cycle + u64::from(store);
                (free, before, Until::Issued)
            }
            (false, None) => (instance.data.start_cycle, before, Until::Issued),
        })
    }

    fn side_of(&self, id: u32) -> Runner {
        let instance = &self.agents.instances.all[id];
        let kind = &self.schedule.actions[instance.action as usize].kind;
        runner(&self.network, kind, instance.tile)
    }
}
