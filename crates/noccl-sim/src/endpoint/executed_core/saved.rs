// SPDX-License-Identifier: Apache-2.0
//! State of executing cores in a checkpoint.
//!
//! Every field is named, so that a new one has to be sorted in: stored, or left out for a reason. A core's program and its memory
//! at the start are not stored, so a file is about as long as what the ranks have written.

use super::queues::TagQueues;
use super::tile::{CoreTile, Output};
use super::{ExecutedCores, Fault};
use crate::checkpoint::{CheckpointError, Reader, Writer};
use crate::endpoint::message_core::Planes;
use crate::router::wormhole::{Plane, Rule};
use noccl_riscv::{Core, SavedCore};
use std::io::{Read, Write};

impl ExecutedCores<'_> {
    /// Appends the state to a checkpoint.
    pub(crate) fn save<W: Write>(&self, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            // What the run is of, and what follows from it.
            network: _,
            program,
            memory_bytes,
            port_fifo_words: _,
            static_fifo_words: _,
            rank_at: _,
            tiles,
            later,
            // Read in the cycle that fills it.
            due: _,
            retrying,
            writing,
            records,
            free_records,
            streams,
            num_over,
            fault,
        } = self;
        let fault = fault.as_ref().map(|fault| {
            let Fault { rank, pc, reason } = fault;
            (rank, pc, reason.as_bytes())
        });
        to.put(&(later, retrying, writing, records, free_records))?;
        to.put(&(streams, num_over, fault))?;
        let start = start(program, *memory_bytes)?;
        tiles.iter().try_for_each(|tile| tile.save(&start, to))
    }

    /// Takes the place of new cores' state; that of the networks is there already.
    pub(crate) fn restore<R: Read>(
        &mut self,
        planes: &Planes,
        from: &mut Reader<R>,
    ) -> Result<(), CheckpointError> {
        let ranks = self.tiles.len();
        (
            self.later,
            self.retrying,
            self.writing,
            self.records,
            self.free_records,
        ) = from.take()?;
        let fault: Option<(u32, u64, Vec<u8>)>;
        (self.streams, self.num_over, fault) = from.take()?;
        let text = |(rank, pc, reason)| {
            let reason = String::from_utf8(reason).map_err(CheckpointError::damaged)?;
            Ok::<_, CheckpointError>(Fault { rank, pc, reason })
        };
        self.fault = fault.map(text).transpose()?;
        let is_like = self.streams.len() == ranks
            && self.retrying.is_for(ranks)
            && self.writing.is_for(ranks)
            && self.later.is_sound(|rank| (rank as usize) < ranks);
        if !is_like {
            return Err(CheckpointError::damaged("it is of another number of ranks"));
        }
        let mut tiles = self.tiles.iter_mut();
        tiles.try_for_each(|tile| tile.restore(from))?;
        self.check(planes)
    }

    /// Are packets those of the networks?
    fn check(&self, planes: &Planes) -> Result<(), CheckpointError> {
        let (records, ranks) = (self.records.len() as u64, self.tiles.len() as u64);
        let is_record = |record: u32| u64::from(record) < records;
        let outputs = self.tiles.iter().all(|tile| {
            let record = tile
                .out
                .packet
                .is_none_or(|packet| is_record(packet.record));
            record && tile.out.is_of(&planes.udn) && tile.static_out.is_of(&planes.fixed)
        });
        let is_known = outputs
            && self.free_records.iter().all(|record| is_record(*record))
            && planes.udn.tags().all(|record| record < records)
            && planes.fixed.tags().all(|rank| rank < ranks);
        if is_known {
            Ok(())
        } else {
            Err(CheckpointError::damaged("it has words of no packet"))
        }
    }
}

/// A core before its first instruction.
fn start(program: &noccl_riscv::Program, memory_bytes: u64) -> Result<Core, CheckpointError> {
    // The cores of the run have been made so.
    Core::new(program, memory_bytes, 0).map_err(CheckpointError::damaged)
}

impl CoreTile {
    fn save<W: Write>(&self, start: &Core, to: &mut Writer<W>) -> Result<(), CheckpointError> {
        let Self {
            // It follows from the rank.
            at: _,
            core,
            state,
            since_cycle,
            queues,
            out,
            static_out,
            static_in,
            console,
            exit_code,
            finish_cycle,
            send_wait_cycles,
            receive_wait_cycles,
            waited_until_cycle,
            // Never between two cycles.
            is_untimed: _,
            // Not kept in a run that is saved.
            times: _,
            sent_words,
            received_words,
            packets,
        } = self;
        to.put(&core.saved(start))?;
        to.put(&(state, since_cycle, queues, out, static_out, static_in))?;
        to.put(&(console, exit_code, finish_cycle))?;
        to.put(&(send_wait_cycles, receive_wait_cycles, waited_until_cycle))?;
        to.put(&(sent_words, received_words, packets))
    }

    fn restore<R: Read>(&mut self, from: &mut Reader<R>) -> Result<(), CheckpointError> {
        let core: SavedCore = from.take()?;
        let restored = self.core.restore(core);
        restored.map_err(CheckpointError::damaged)?;
        let queues: TagQueues;
        (
            self.state,
            self.since_cycle,
            queues,
            self.out,
            self.static_out,
            self.static_in,
        ) = from.take()?;
        (self.console, self.exit_code, self.finish_cycle) = from.take()?;
        (
            self.send_wait_cycles,
            self.receive_wait_cycles,
            self.waited_until_cycle,
        ) = from.take()?;
        (self.sent_words, self.received_words, self.packets) = from.take()?;
        if !queues.is_like(&self.queues) {
            return Err(CheckpointError::damaged("it is of another receive store"));
        }
        self.queues = queues;
        Ok(())
    }
}

impl Output {
    /// Is its packet one of this network?
    fn is_of<R: Rule>(&self, plane: &Plane<R>) -> bool {
        self.packet.is_none_or(|packet| plane.has_packet(packet.id))
    }
}
