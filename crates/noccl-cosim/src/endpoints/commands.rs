// SPDX-License-Identifier: Apache-2.0
//! Commands of the record for managers, and what no manager or memory of the model does.

use super::Endpoints;
use super::memory::Memory;
use crate::lockstep::LockstepError;
use noccl_run::{BeatSource, Command, CommandKind, CycleRecord, FlitPlace};
use noccl_spec::Plane;

impl Endpoints<'_> {
    /// Hands a command to the managers of its tile.
    pub(super) fn command(&mut self, command: &Command) -> Result<(), LockstepError> {
        let cycle = self.comparison.cycle;
        let refuse = |what| Err(LockstepError::Unsupported { cycle, what });
        if self.has_engine(command.tile)
            && matches!(
                command.kind,
                CommandKind::WideWrite | CommandKind::WideRead | CommandKind::Reduction
            )
        {
            // A part of a transfer.
            return Ok(());
        }
        self.expect(command);
        let mut command = command.clone();
        if command.bytes == 0 {
            // Counters of software barriers stand beyond all memories; their low bits tell them apart.
            command.address %= self.memory_bytes;
        }
        if command.address + u64::from(command.bytes) > self.memory_bytes {
            return refuse("an address beyond the first GiB of a memory");
        }
        match command.kind {
            CommandKind::WideWrite | CommandKind::Reduction
                if command.source == BeatSource::Other =>
            {
                return refuse("a write of a Torrent endpoint or of an all-reduce's root");
            }
            CommandKind::WideWrite
            | CommandKind::Reduction
            | CommandKind::WideRead
            | CommandKind::NarrowWrite
            | CommandKind::NarrowRead
            | CommandKind::Atomic
            | CommandKind::Barrier => {}
        }
        self.managers[command.tile.0 as usize].take(command);
        Ok(())
    }

    /// Tells memories which lines are of one burst: they fail together.
    fn expect(&mut self, command: &Command) {
        let members = match (command.kind, command.set) {
            (CommandKind::WideWrite, Some(set)) => {
                set.members().map(|at| self.map.cluster(at)).collect()
            }
            (CommandKind::WideWrite, None) | (CommandKind::Reduction, _) => vec![command.target],
            (
                CommandKind::WideRead
                | CommandKind::NarrowWrite
                | CommandKind::NarrowRead
                | CommandKind::Atomic
                | CommandKind::Barrier,
                _,
            ) => Vec::new(),
        };
        for at in members {
            let tile = self.comparison.network.tile_at(at).0 as usize;
            self.memories[tile].expect(command.address, command.bytes);
        }
    }

    /// The run sends from a burst that is at no port: it has as many write channels as transfers.
    pub(super) fn refuse_waiting(&self, record: &CycleRecord) -> Result<(), LockstepError> {
        let mut entering = record
            .handshakes
            .iter()
            .filter(|h| (h.plane, h.place) == (Plane::Wide, FlitPlace::Enters));
        if entering.any(|h| self.managers[h.tile.0 as usize].has_waiting(h.flit.tag)) {
            let what = "a burst that passes those of other transfers at all write channels";
            let cycle = self.comparison.cycle;
            return Err(LockstepError::Unsupported { cycle, what });
        }
        Ok(())
    }

    /// Beyond what a network interface remembers it responds to everything with an error, until reset.
    pub(super) fn refuse_failures(&self) -> Result<(), LockstepError> {
        if self.memories.iter().any(Memory::has_failed_too_often) {
            let what = "a fifth open burst that its memory has refused";
            let cycle = self.comparison.cycle;
            return Err(LockstepError::Unsupported { cycle, what });
        }
        Ok(())
    }
}
