// SPDX-License-Identifier: Apache-2.0
//! Interfaces that carry out a schedule with messages.
//!
//! A participant begins an action when it has finished those before it, and its messages are in its interface's queue in the same
//! cycle. *Moving bytes*: the initiator asks the source, unless it is that itself (one flit); packets of a head and up to
//! `vc_flits` − 1 flits of data go to all destinations; each that has everything contributes to one acknowledgement, which ends
//! the action, unless the only destination is the initiator. *Coming together*: a contribution from every member for every flit of the operands; when the
//! root has the result, it multicasts one flit, which ends the action of the members; after an arrival it does not.

use super::SmartNetwork;
use super::packet::Combining;
use super::plane::{Delivery, SmartPlane};
use super::task::{Gather, RowMove, Task, Work};
use crate::driver::actions::Actions;
use crate::endpoint::memory::Memories;
use crate::kernel::random::mix;
use noccl_net::TileId;
use noccl_run::{ActionTime, Counters, Ended, MemoryImage, RunError};
use noccl_workload::{Action, ActionId, Instances, Numbered, Place, Schedule, participants};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// What a message is; its tag also has the action and an index.
const REQUEST: u64 = 0;
const DATA: u64 = 1;
const ACKNOWLEDGEMENT: u64 = 2;
pub(super) const FLOW: u64 = 3;
pub(super) const RELEASE: u64 = 4;

/// Bits of the number of a packet or flow within its action.
pub(super) const INDEX_BITS: u32 = 29;

pub(super) const fn tag(action: u32, what: u64, index: u64) -> u64 {
    (action as u64) << 32 | what << INDEX_BITS | index
}

/// All interfaces and memories of a run.
pub(super) struct Messages<'s> {
    pub(super) on: SmartNetwork<'s>,
    pub(super) flit_bytes: u64,
    pub(super) is_value: bool,
    pub(super) actions: Actions<'s>,
    pub tasks: Numbered<Task>,
    /// Participants of actions, with whether they have begun.
    pub(super) instances: Instances<bool>,
    /// Instances that may begin since the last one has ended.
    freed: Vec<u32>,
    /// Participants that can begin, and those that end in a later cycle.
    pub(super) ready: VecDeque<(u32, TileId)>,
    ends: BinaryHeap<Reverse<(u64, u32, TileId)>>,
    computing: BTreeMap<TileId, u64>,
    pub(super) memories: Memories,
    pub counters: Counters,
    pub checksum: u64,
    cycle: u64,
    /// Ends and arrivals that programs have not been told; `None` in the run of a schedule.
    pub(super) ended: Option<Vec<Ended>>,
}

impl<'s> Messages<'s> {
    /// Those of a schedule.
    pub(super) fn new(
        on: SmartNetwork<'s>,
        schedule: &'s Schedule,
        is_value: bool,
    ) -> Result<Self, RunError> {
        let mut messages = Self::open(on, is_value);
        messages.ended = None;
        messages.actions = Actions::of(schedule);
        for action in &schedule.actions {
            messages.take_in(action)?;
        }
        for (number, action) in schedule.actions.iter().enumerate() {
            messages.link(number as u32, action, &|_| false);
        }
        Ok(messages)
    }

    /// None yet: programs submit their actions, and their ends are watched.
    pub(super) fn open(on: SmartNetwork<'s>, is_value: bool) -> Self {
        Self {
            on,
            flit_bytes: u64::from(on.smart.flit_bits / 8),
            is_value,
            actions: Actions::none(),
            tasks: Numbered::default(),
            instances: Instances::new(on.network.num_tiles()),
            freed: Vec::new(),
            ready: VecDeque::new(),
            ends: BinaryHeap::new(),
            computing: BTreeMap::new(),
            memories: Memories::default(),
            counters: Counters::default(),
            checksum: 0,
            cycle: 0,
            ended: Some(Vec::new()),
        }
    }

    /// Do the interfaces do such an action?
    pub(super) fn accepts(&self, action: &Action) -> Result<(), RunError> {
        let number = self.tasks.next_number();
        Task::new(self.on.network, number, &action.kind, self.flit_bytes).map(drop)
    }

    /// Takes in the next action; [`Messages::link`] says what it waits for.
    pub(super) fn take_in(&mut self, action: &Action) -> Result<(), RunError> {
        let number = self.tasks.next_number();
        let task = Task::new(self.on.network, number, &action.kind, self.flit_bytes)?;
        self.tasks.push(task);
        let tiles = participants(self.on.network, &action.kind);
        self.instances.push(&tiles, || false);
        Ok(())
    }

    /// Counts what every participant of an action waits for; those that are held wait for their release too.
    pub(super) fn link(&mut self, number: u32, action: &Action, is_held: &dyn Fn(TileId) -> bool) {
        self.instances.link(number, action, |_| true);
        for id in self.instances.of(number) {
            let tile = self.instances.all[id].tile;
            if is_held(tile) {
                self.instances.hold(id);
            }
            if self.instances.is_ready(id) {
                self.ready.push_back((number, tile));
            }
        }
    }

    pub(super) fn fill(&mut self, inputs: &[MemoryImage]) -> Result<(), RunError> {
        self.memories.fill(self.on.network, inputs)
    }

    /// Memory after the run.
    pub(super) fn read(&self, outputs: &[(Place, u64)]) -> Vec<MemoryImage> {
        self.memories.images(self.on.network, outputs)
    }

    pub(super) fn is_over(&self) -> bool {
        self.instances.is_over()
    }

    pub(super) fn times(&self) -> Vec<ActionTime> {
        let time = |(_, task): (u32, &Task)| ActionTime {
            // 0: a task that nobody has begun.
            start_cycle: task.start_cycle.unwrap_or(0),
            finish_cycle: task.finish_cycle,
        };
        self.tasks.iter().map(time).collect()
    }

    /// The next cycle in which something ends that is not in the network.
    pub(super) fn next_event(&self) -> Option<u64> {
        self.ends.peek().map(|Reverse((cycle, _, _))| *cycle)
    }

    /// What is due in a cycle, and all that it causes at once.
    pub(super) fn begin_cycle(&mut self, cycle: u64, plane: &mut SmartPlane) {
        self.cycle = cycle;
        while let Some(Reverse((due, action, tile))) = self.ends.peek().copied()
            && due <= cycle
        {
            self.ends.pop();
            self.finish(action, tile);
        }
        self.begin_ready(plane);
    }

    pub(super) fn begin_ready(&mut self, plane: &mut SmartPlane) {
        while let Some((action, tile)) = self.ready.pop_front() {
            if let Some(id) = self.instances.at(action, tile) {
                self.instances.all[id].data = true;
            }
            let task = &mut self.tasks[action];
            task.start_cycle.get_or_insert(self.cycle);
            match &task.work {
                Work::Move(_) => self.begin_move(action, tile, plane),
                Work::Gather(_) => self.begin_gather(action, tile, plane),
                Work::Compute(cycles) => {
                    let cycles = *cycles;
                    let free = self.computing.entry(tile).or_insert(0);
                    *free = (*free).max(self.cycle) + cycles;
                    let end = *free;
                    self.ends.push(Reverse((end, action, tile)));
                }
            }
        }
    }

    pub(super) fn finish(&mut self, action: u32, tile: TileId) {
        let Some(id) = self.instances.at(action, tile) else {
            return;
        };
        if self.instances.all[id].is_over {
            return;
        }
        let task = &mut self.tasks[action];
        task.finish_cycle = task.finish_cycle.max(self.cycle);
        let freed = &mut self.freed;
        self.instances.end(id, |waiting, is_ready| {
            if is_ready {
                freed.push(waiting);
            }
        });
        for waiting in self.freed.drain(..) {
            self.ready
                .push_back((self.instances.all[waiting].action, tile));
        }
        let is_last = self.instances.close(id);
        self.tell(action, tile, true, is_last);
        if is_last {
            self.forget(action);
        }
    }

    /// An action that a program has submitted is over: no packet of it is in flight.
    fn forget(&mut self, action: u32) {
        if self.ended.is_some() {
            self.tasks.forget(action);
            self.instances.forget(action);
            self.actions.forget(action);
        }
    }

    /// Programs are told that a share is over, or that what it is held for has come.
    fn tell(&mut self, action: u32, tile: TileId, is_over: bool, is_last: bool) {
        if let Some(ended) = &mut self.ended {
            ended.push(Ended {
                action: ActionId(action),
                tile,
                cycle: self.cycle,
                is_over,
                is_last,
            });
        }
    }

    /// A cycle's deliveries.
    pub(super) fn delivered(&mut self, plane: &mut SmartPlane) {
        let deliveries = std::mem::take(&mut plane.deliveries);
        for delivery in deliveries.iter().filter(|d| d.completes) {
            self.take(*delivery, plane);
        }
        plane.deliveries = deliveries;
        plane.settle();
        self.begin_ready(plane);
    }

    fn take(&mut self, delivery: Delivery, plane: &mut SmartPlane) {
        let Delivery { tile, tag, .. } = delivery;
        let (action, what) = ((tag >> 32) as u32, tag >> INDEX_BITS & 7);
        let index = tag & ((1 << INDEX_BITS) - 1);
        match what {
            REQUEST => self.send_data(action, plane),
            DATA => self.take_data(action, tile, index, plane),
            RELEASE => self.finish(action, tile),
            // Acknowledgements and flows: reductions that are complete.
            _ => {
                let Some(id) = delivery.reduction else {
                    return;
                };
                let value = plane.result(id).1.to_vec();
                plane.close(id);
                if what == ACKNOWLEDGEMENT {
                    self.finish(action, tile);
                } else {
                    self.flow_complete(action, index, &value, plane);
                }
            }
        }
    }

    fn moving(&mut self, action: u32) -> &mut RowMove {
        let Work::Move(moving) = &mut self.tasks[action].work else {
            unreachable!("only an action that moves bytes has such messages")
        };
        moving
    }

    pub(super) fn gathering(&mut self, action: u32) -> &mut Gather {
        let Work::Gather(gather) = &mut self.tasks[action].work else {
            unreachable!("only an action with contributions has such messages")
        };
        gather
    }

    fn begin_move(&mut self, action: u32, tile: TileId, plane: &mut SmartPlane) {
        let moving = self.moving(action);
        let (initiator, source) = (moving.initiator, moving.source);
        if moving.transfer.bytes == 0 || moving.transfer.rows == 0 {
            self.finish(action, tile);
            return;
        }
        if tile != initiator {
            // Its data may have come before.
            if moving.missing.get(&tile) == Some(&0) {
                self.finish(action, tile);
            }
        } else if source == initiator {
            self.send_data(action, plane);
        } else {
            plane.send_unicast(initiator, source, 1, tag(action, REQUEST, 0));
        }
    }

    /// Bytes of data in a packet.
    const fn packet_bytes(&self) -> u64 {
        (self.on.smart.vc_flits as u64 - 1) * self.flit_bytes
    }

    fn send_data(&mut self, action: u32, plane: &mut SmartPlane) {
        let (packet_bytes, flit_bytes, is_value) =
            (self.packet_bytes(), self.flit_bytes, self.is_value);
        let on = self.on;
        let moving = self.moving(action);
        let (source, transfer) = (moving.source, moving.transfer.clone());
        let destinations = moving.destinations.clone();
        let bytes = transfer.bytes * u64::from(transfer.rows);
        let packets = bytes.div_ceil(packet_bytes);
        moving.missing = destinations.iter().map(|tile| (*tile, packets)).collect();
        if destinations != [moving.initiator] {
            moving.acknowledged = Some(on.reduction(
                plane,
                moving.initiator,
                &destinations,
                Combining::Count,
                tag(action, ACKNOWLEDGEMENT, 0),
            ));
        }
        if is_value {
            let mut payload = vec![0; bytes as usize];
            for row in 0..u64::from(transfer.rows) {
                let from = transfer.source.offset + row * transfer.source_stride;
                let line = (row * transfer.bytes) as usize..((row + 1) * transfer.bytes) as usize;
                self.memories.read(source.0, from, &mut payload[line]);
            }
            self.moving(action).payload = payload;
        }
        self.counters.dma_load_bytes += bytes;
        self.counters.dma_store_bytes += bytes;
        for packet in 0..packets {
            let now = (bytes - packet * packet_bytes).min(packet_bytes);
            let flits = 1 + now.div_ceil(flit_bytes) as u16;
            if is_value {
                let from = (packet * packet_bytes) as usize;
                plane.set_payload(&self.moving(action).payload[from..from + now as usize]);
            }
            on.send(
                plane,
                source,
                &destinations,
                flits,
                tag(action, DATA, packet),
            );
        }
        plane.set_payload(&[]);
    }

    fn take_data(&mut self, action: u32, tile: TileId, packet: u64, plane: &mut SmartPlane) {
        let (packet_bytes, is_value) = (self.packet_bytes(), self.is_value);
        let key = (u64::from(action) << 32 | u64::from(tile.0)) ^ packet.wrapping_mul(0x9e37_79b9);
        self.checksum = self.checksum.wrapping_add(mix(key));
        let Work::Move(moving) = &mut self.tasks[action].work else {
            unreachable!("only an action that moves bytes has data packets")
        };
        let transfer = &moving.transfer;
        let bytes = transfer.bytes * u64::from(transfer.rows);
        let from = packet * packet_bytes;
        let to = (from + packet_bytes).min(bytes);
        self.counters.spm_write_bytes += to - from;
        if is_value {
            let mut at = from;
            while at < to {
                let (row, column) = (at / transfer.bytes, at % transfer.bytes);
                let now = (transfer.bytes - column).min(to - at);
                let offset =
                    transfer.destination.offset() + row * transfer.destination_stride + column;
                let bytes = &moving.payload[at as usize..(at + now) as usize];
                self.memories.write(tile.0, offset, bytes);
                at += now;
            }
        }
        let acknowledged = moving.acknowledged;
        let missing = moving.missing.get_mut(&tile).expect("it is a destination");
        *missing -= 1;
        if *missing > 0 {
            return;
        }
        if moving.missing.values().all(|left| *left == 0) {
            moving.payload = Vec::new();
        }
        let is_initiator = moving.initiator == tile;
        match acknowledged {
            Some(id) => plane.send_contribution(tile, id, &[]),
            None => self.finish(action, tile),
        }
        if is_initiator {
            return;
        }
        let Some(id) = self.instances.at(action, tile) else {
            return;
        };
        let instance = &self.instances.all[id];
        if instance.data {
            self.finish(action, tile);
        } else if !instance.is_over {
            self.tell(action, tile, false, false);
        }
    }
}
