// SPDX-License-Identifier: Apache-2.0
//! What a NI does with the flits that come out of the Local ports, and the memories behind it; ends of transactions.
//!
//! Invariant that keeps the network free of deadlock: responses and read data are always taken, because
//! the initiator has reserved space; requests are taken unless the memory is at its stated limit.
//!
//! Where a limit of open transactions was reached, nobody can use what a response frees in the same cycle: the hardware counts in
//! registers.

use crate::kernel::bit_set::bits;
use crate::machine::Machine;
use crate::machine::event::{Done, Event, InterfaceSlot};
use crate::router::collective::control::block::LANES;
use crate::transport::axi_response::{OKAY, SLVERR};
use crate::transport::flit::{Flit, FlitKind, TO_ITSELF};
use crate::transport::transaction::{Owner, TxnKind};
use noccl_run::{AxiPort, LocalSide};
use noccl_spec::Plane;

impl Machine<'_> {
    /// Offers of all Local outputs of a plane, one flit per tile and cycle.
    pub(crate) fn hand_over(&mut self, plane: Plane) {
        for s in 0..self.mesh.planes[plane.idx()].partitions.len() {
            let mut offering =
                std::mem::take(&mut self.mesh.planes[plane.idx()].partitions[s].offering);
            for w in offering.drain(..) {
                self.hand_over_block(plane, w as usize);
            }
            self.mesh.planes[plane.idx()].partitions[s].offering = offering;
        }
    }

    fn hand_over_block(&mut self, plane: Plane, w: usize) {
        let state = &self.mesh.planes[plane.idx()];
        let mut taken = state.local_only_delivered(w);
        let others = state.local_offers(w) & !taken;
        for lane in bits(others) {
            let tile = w * LANES + lane;
            let flit = self.mesh.planes[plane.idx()].local_head(tile);
            if self
                .config
                .is_held(self.clock.now(), plane, tile, LocalSide::Output)
                || !self
                    .interfaces
                    .accepts(tile, flit, self.torrents.as_deref())
                || self.port_is_busy(tile, flit)
            {
                self.note_refusal(plane, flit.kind);
                continue;
            }
            taken |= 1 << lane;
            self.deliver(tile, flit);
        }
        if taken != 0 {
            let checksum = self.mesh.planes[plane.idx()].pop_local(w, taken);
            self.checks.add_to_checksum(checksum);
            self.clock.note_progress();
        }
    }

    fn deliver(&mut self, tile: usize, flit: Flit) {
        if flit.flags & TO_ITSELF != 0 {
            let place = InterfaceSlot::OwnFlit(u8::from(flit.kind == FlitKind::Write));
            self.free_next(tile, place);
        }
        match flit.kind {
            FlitKind::Write => self.deliver_write(tile, flit),
            FlitKind::NarrowWrite => {
                self.check_burst(tile, flit);
                if flit.is_last() {
                    self.take_write(tile, flit);
                }
            }
            FlitKind::Reduce => self.deliver_reduced(tile, flit),
            FlitKind::Result => self.deliver_result(tile, flit),
            FlitKind::ReadRequest => {
                let mut start = self.clock.now() + self.memory_latency(tile as u32);
                if self.interfaces.txns.get(flit.txn).is_wide {
                    self.interfaces.nis[tile].reads_in_service += 1;
                } else {
                    start = self.data_due(tile, start);
                }
                self.clock.schedule(
                    start,
                    Event::StartRead {
                        tile: tile as u32,
                        txn: flit.txn,
                    },
                );
            }
            FlitKind::ReadData => self.deliver_read_data(tile, flit),
            FlitKind::Response => {
                self.interfaces
                    .note_response(tile, flit.txn, self.clock.now());
                self.finish(tile, flit);
            }
            FlitKind::CollectB => {
                self.interfaces
                    .note_response(tile, flit.txn, self.clock.now());
                self.collect_responses(tile, flit);
            }
            FlitKind::ReduceResponse => {
                self.interfaces
                    .note_response(tile, flit.txn, self.clock.now());
                self.deliver_group_response(tile, flit);
            }
            FlitKind::Barrier => self.deliver_barrier(tile, flit),
            FlitKind::Atomic => {
                let busy = self.atomic_cycles(tile);
                let ni = &mut self.interfaces.nis[tile];
                let done = ni.atomic_busy_until.max(self.clock.now()) + busy;
                ni.atomic_busy_until = done;
                let done = self.data_due(tile, done);
                self.clock.schedule(
                    done,
                    Event::AtomicDone {
                        tile: tile as u32,
                        txn: flit.txn,
                    },
                );
            }
            FlitKind::WriteHead => self.open_packet(tile, flit),
            FlitKind::ReduceHead | FlitKind::BarrierHead => {}
            FlitKind::Credit => self.take_credit(tile, flit.txn, flit.payload),
        }
    }

    /// When narrow data that the memory has in `cycle` are due: after those that were asked for earlier.
    fn data_due(&mut self, tile: usize, cycle: u64) -> u64 {
        let due = &mut self.interfaces.nis[tile].data_due;
        if self.behaviour.orders_narrow_data {
            *due = cycle.max(*due);
            return *due;
        }
        cycle
    }

    /// Credits of the next merge point: for this tile's merge point, else for its NI.
    fn take_credit(&mut self, tile: usize, txn: u32, beats: u32) {
        let wide = &mut self.mesh.planes[Plane::Wide.idx()];
        if wide.joins.take_credit(tile, txn, beats) {
            wide.wake(tile);
        } else {
            self.own_credit_next(tile as u32, txn, beats);
        }
    }

    pub(crate) fn take_own_credit(&mut self, tile: usize, txn: u32, beats: u32) {
        if let Some(stream) = self.interfaces.nis[tile].write_of(txn) {
            stream.in_flight -= beats as u16;
        }
        self.refresh_plane(Plane::Wide, tile);
    }

    #[inline]
    pub(crate) fn deliver_write(&mut self, tile: usize, flit: Flit) {
        let txn = self.interfaces.txns.get(flit.txn);
        let (address, bytes, owner) = (txn.address, txn.bytes, txn.owner);
        self.check_burst(tile, flit);
        if let Owner::Chain { .. } = owner {
            self.take_chain_beat(tile, flit);
            return;
        }
        let is_written = self.write_beat(tile, flit, address, bytes);
        if flit.is_last() {
            // Energy counts whole bursts, so that the beats before the last need no look at the burst.
            self.checks.counters.spm_write_bytes += u64::from(bytes) * u64::from(is_written);
            self.take_write(tile, flit);
        }
    }

    /// AW of a packet: its W flits must follow before any other AW of this port.
    fn open_packet(&mut self, tile: usize, flit: Flit) {
        let port = usize::from(self.interfaces.txns.get(flit.txn).is_wide);
        let open = self.interfaces.nis[tile].open_packet[port].replace(flit.txn);
        self.checks.wrong_beats += u64::from(open.is_some());
    }

    /// A W flit that does not belong to the open AW goes to somebody else's burst (published router).
    fn check_burst(&mut self, tile: usize, flit: Flit) {
        if !self.behaviour.is_wormhole {
            return;
        }
        let port = usize::from(self.interfaces.txns.get(flit.txn).is_wide);
        let open = &mut self.interfaces.nis[tile].open_packet[port];
        self.checks.wrong_beats += u64::from(*open != Some(flit.txn));
        if flit.is_last() {
            *open = None;
        }
    }

    /// The last beat of a write is in memory: tell the driver, respond after the memory's latency.
    pub(crate) fn take_write(&mut self, tile: usize, flit: Flit) {
        self.note_delivered(tile as u32, flit.txn);
        let txn = self.interfaces.txns.get(flit.txn);
        if let Owner::Message { window } = txn.owner {
            self.take_message(tile, flit, window);
            return;
        }
        self.done.push(Done::Delivered {
            owner: txn.owner,
            tile: tile as u32,
            beats: txn.beats,
        });
        let due_cycle = self.clock.now() + self.memory_latency(tile as u32);
        self.clock.schedule(
            due_cycle,
            Event::Respond {
                tile: tile as u32,
                txn: flit.txn,
            },
        );
    }

    fn deliver_reduced(&mut self, tile: usize, flit: Flit) {
        let txn = *self.interfaces.txns.get(flit.txn);
        self.count_contributions(flit);
        if flit.resp() == OKAY {
            if self.write_beat(tile, flit, txn.address, txn.bytes) {
                let (_, len) = self.beat.part(txn.address, txn.bytes, flit.beat);
                self.checks.counters.spm_write_bytes += u64::from(len);
            }
        } else {
            self.drop_disagreed(flit.txn, flit.payload);
        }
        let due_cycle = self.clock.now() + self.memory_latency(tile as u32);
        let txn = flit.txn;
        if self.interfaces.txns.trees.tree(txn).is_shared {
            self.clock.schedule(due_cycle, Event::ResultBeat { txn });
        } else if flit.is_last() {
            self.clock
                .schedule(due_cycle, Event::RespondToGroup { txn });
        }
        if flit.is_last() {
            self.note_delivered(tile as u32, txn);
        }
    }

    fn deliver_barrier(&mut self, tile: usize, flit: Flit) {
        let leaves = self.interfaces.txns.trees.set(flit.txn).set.len();
        if self.behaviour.is_wormhole {
            // Its W is taken wherever the port is: inside an open burst it counts as that burst's beat.
            self.checks.wrong_beats +=
                u64::from(self.interfaces.nis[tile].open_packet[0].is_some());
        }
        let is_first = self.interfaces.txns.get(flit.txn).arrived == 0;
        let is_in_use = is_first && self.interfaces.txns.name_is_in_use(flit.txn);
        let txn = self.interfaces.txns.get_mut(flit.txn);
        self.interfaces.nis[tile].open_barriers += u32::from(is_first);
        if is_in_use {
            txn.resp = SLVERR;
        }
        txn.arrived += flit.payload;
        txn.resp = txn.resp.max(flit.resp());
        if txn.arrived == leaves {
            self.interfaces.nis[tile].open_barriers -= 1;
            self.note_delivered(tile as u32, flit.txn);
            let due_cycle = self.clock.now() + self.memory_latency(tile as u32);
            self.clock
                .schedule(due_cycle, Event::RespondToGroup { txn: flit.txn });
        }
    }

    fn deliver_group_response(&mut self, tile: usize, flit: Flit) {
        self.close_member(tile, flit.txn, flit.resp());
    }

    fn deliver_read_data(&mut self, tile: usize, flit: Flit) {
        let txn = *self.interfaces.txns.get(flit.txn);
        let (from, len) = self.beat.part(txn.address, txn.bytes, flit.beat);
        if let Owner::DmaRead = txn.owner {
            if self.is_value() {
                let line = self.beat.lane(txn.address + u64::from(from));
                let data = &self.memory.pool.bytes(flit.payload)[line..line + len as usize];
                self.interfaces.nis[tile].buffer.extend(data);
            }
            let cluster = &self.network.axi().cluster;
            let path = u64::from(cluster.response_path_cycles + cluster.request_path_cycles);
            let event = Event::Buffered {
                tile: tile as u32,
                bytes: len,
            };
            self.clock.schedule(self.clock.now() + path, event);
        } else if self.is_value() && txn.is_wide {
            let sum: u64 = self
                .memory
                .pool
                .bytes(flit.payload)
                .iter()
                .map(|b| u64::from(*b))
                .sum();
            self.checks.checksum = self.checks.checksum.wrapping_add(sum);
        }
        if self.is_value() && txn.is_wide {
            self.memory.pool.release(flit.payload);
        }
        if flit.is_last() {
            self.finish(tile, flit);
        }
    }

    /// A member of a reduction, an all-reduce or a barrier has its response.
    pub(crate) fn close_member(&mut self, tile: usize, id: u32, resp: u8) {
        let txn = self.interfaces.txns.get_mut(id);
        txn.open_members -= 1;
        let (owner, is_over, is_wide) = (txn.owner, txn.open_members == 0, txn.is_wide);
        self.checks.counters.error_responses += u64::from(resp != OKAY);
        self.record_completion(tile, id, resp);
        if is_wide {
            self.close_wide(tile, InterfaceSlot::Reduction);
        } else {
            self.close_narrow(tile);
        }
        self.done.push(Done::Member {
            owner,
            tile: tile as u32,
            resp,
        });
        if is_over {
            self.note_closed(id);
            self.errors.forget(id);
            self.interfaces.txns.close(id);
        }
    }

    /// A narrow transaction of this tile has its response: the next one may leave.
    fn close_narrow(&mut self, tile: usize) {
        let limit = self.network.axi().ni.max_narrow_outstanding;
        if self.interfaces.nis[tile].narrow_outstanding < limit
            || !self.behaviour.has_registered_limits
        {
            self.free(tile, InterfaceSlot::Narrow);
        } else {
            self.free_next(tile, InterfaceSlot::Narrow);
        }
    }

    /// A wide write or reduction of this tile has its response.
    fn close_wide(&mut self, tile: usize, place: InterfaceSlot) {
        let (ni, limits) = (&self.interfaces.nis[tile], &self.network.axi().ni);
        let has_space = ni.wide_outstanding < limits.max_wide_outstanding
            && ni.reductions_outstanding < limits.max_open_reductions;
        if has_space || !self.behaviour.has_registered_limits {
            self.free(tile, place);
        } else {
            self.free_next(tile, place);
        }
    }

    fn close_read(&mut self, tile: usize) {
        let limit = self.network.axi().ni.max_wide_outstanding;
        if self.interfaces.nis[tile].reads_outstanding < limit
            || !self.behaviour.has_registered_limits
        {
            self.free(tile, InterfaceSlot::WideRead);
        } else {
            self.free_next(tile, InterfaceSlot::WideRead);
        }
    }

    /// A place that becomes free at the end of this cycle: nobody can use it earlier.
    pub(crate) fn free_next(&mut self, tile: usize, place: InterfaceSlot) {
        let tile = tile as u32;
        let event = Event::Freed { tile, place };
        self.clock.schedule(self.clock.now() + 1, event);
    }

    pub(crate) fn free(&mut self, tile: usize, place: InterfaceSlot) {
        let ni = &mut self.interfaces.nis[tile];
        match place {
            InterfaceSlot::Wide => ni.wide_outstanding -= 1,
            InterfaceSlot::Reduction => {
                ni.wide_outstanding -= 1;
                ni.reductions_outstanding -= 1;
            }
            InterfaceSlot::WideRead => ni.reads_outstanding -= 1,
            InterfaceSlot::Narrow => ni.narrow_outstanding -= 1,
            InterfaceSlot::OwnFlit(is_wide) => ni.own_in_flight[usize::from(is_wide)] -= 1,
        }
        match place {
            InterfaceSlot::Wide | InterfaceSlot::Reduction => {
                self.open_operands(tile);
                self.refresh_plane(Plane::Wide, tile);
            }
            InterfaceSlot::WideRead | InterfaceSlot::Narrow | InterfaceSlot::OwnFlit(_) => {
                self.refresh_injecting(tile)
            }
        }
    }

    /// The initiator has its response: the transaction is over.
    pub(crate) fn finish(&mut self, tile: usize, flit: Flit) {
        let txn = *self.interfaces.txns.get(flit.txn);
        let resp = txn.resp.max(flit.resp());
        self.record_completion(tile, flit.txn, resp);
        self.checks.counters.error_responses += u64::from(resp != OKAY);
        if txn.is_wide && txn.kind == TxnKind::WideWrite {
            self.close_wide(tile, InterfaceSlot::Wide);
        } else if txn.kind == TxnKind::WideRead {
            self.close_read(tile);
        } else if !txn.is_wide {
            self.close_narrow(tile);
        }
        if let (Owner::Chain { lane, .. }, Some(torrents)) = (txn.owner, &mut self.torrents) {
            torrents.responded(tile, lane, txn.target);
        }
        self.done.push(Done::Transaction {
            owner: txn.owner,
            tile: tile as u32,
            value: flit.payload,
            resp,
        });
        self.note_closed(flit.txn);
        self.interfaces.txns.close(flit.txn);
    }

    /// Leaves of a multicast's responses have come home.
    pub(crate) fn collect_responses(&mut self, tile: usize, flit: Flit) {
        let leaves = self.interfaces.txns.trees.set(flit.txn).set.len();
        let txn = self.interfaces.txns.get_mut(flit.txn);
        txn.arrived += flit.payload;
        txn.resp = txn.resp.max(flit.resp());
        if txn.arrived == leaves {
            self.finish(tile, flit);
        }
    }

    /// Writes the bytes of a beat into the tile's memory. Returns whether the memory took them.
    #[inline]
    pub(crate) fn write_beat(&mut self, tile: usize, flit: Flit, address: u64, bytes: u32) -> bool {
        let tile = tile as u32;
        let is_taken = self.errors.memory_response(tile, address, bytes) == OKAY;
        if !self.is_value() {
            let sum = u64::from(flit.payload) * u64::from(is_taken);
            self.checks.add_to_checksum(sum);
            return is_taken;
        }
        if is_taken {
            let sum = self.memory.write_beat(tile, flit, address, bytes);
            self.checks.add_to_checksum(sum);
        }
        self.memory.pool.release(flit.payload);
        is_taken
    }

    /// Timing mode: a sum stands for as many contributions as there are members.
    pub(crate) fn count_contributions(&mut self, sum: Flit) {
        if !self.is_value() && sum.payload != self.interfaces.txns.trees.set(sum.txn).set.len() {
            self.checks.wrong_beats += 1;
        }
    }

    /// Is a delivered beat no more than its checksum, until its burst is whole?
    pub(crate) fn counts_deliveries(&self) -> bool {
        let is_plain = !self.is_value() && !self.behaviour.is_wormhole && self.torrents.is_none();
        let is_ready = self.config.stalls.is_none() && self.config.port_stall_per_256 == 0;
        is_plain && is_ready && self.errors.has_sound_memory()
    }

    /// Is the AXI port that this flit needs not ready in this cycle?
    fn port_is_busy(&self, tile: usize, flit: Flit) -> bool {
        if self.config.port_stall_per_256 == 0 {
            return false;
        }
        let txn = self.interfaces.txns.get(flit.txn);
        let port = match flit.kind {
            FlitKind::Write | FlitKind::Reduce | FlitKind::Result => AxiPort::WideWrite,
            FlitKind::ReadRequest if txn.is_wide => AxiPort::WideRead,
            FlitKind::ReadRequest => AxiPort::NarrowRead,
            FlitKind::NarrowWrite | FlitKind::Atomic => AxiPort::NarrowWrite,
            FlitKind::Barrier
                if txn.arrived + flit.payload
                    == self.interfaces.txns.trees.set(flit.txn).set.len() =>
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

    /// All barrier counters of a tile are in use: from now on somebody may wait for long.
    fn note_refusal(&mut self, plane: Plane, kind: FlitKind) {
        let state = &mut self.mesh.planes[plane.idx()];
        if kind == FlitKind::Barrier && state.head_ages.is_none() {
            state.head_ages = Some(state.new_head_ages());
        }
    }
}
