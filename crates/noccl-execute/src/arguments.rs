// SPDX-License-Identifier: Apache-2.0
//! Arguments of calls: what is accepted, and bytes of the caller's memory.

use crate::calls::RESULT_BYTES;
use crate::error::ExecuteError;
use crate::requests::Outcome;
use crate::run::Driver;
use noccl_program::{CommId, ProgramError, RankId};
use noccl_riscv::Call;

/// A communicator, with the caller's rank in it and its size.
pub(crate) type Membership = (CommId, (u32, u32));

impl Driver<'_, '_> {
    /// An argument that is not accepted.
    pub(crate) fn refused(
        &self,
        rank: RankId,
        call: &Call,
        what: String,
        accepted: impl Into<String>,
    ) -> ExecuteError {
        ExecuteError::Call(Box::new(ProgramError::Argument {
            rank,
            call_site: self.place(call),
            what,
            accepted: accepted.into(),
        }))
    }

    /// A communicator of the caller.
    pub(crate) fn membership(
        &self,
        id: RankId,
        call: &Call,
        comm: u64,
    ) -> Result<Membership, ExecuteError> {
        let number = u32::try_from(comm).ok().map(CommId);
        let found = number.and_then(|number| Some((number, *self.members.get(&(id, number))?)));
        found.ok_or_else(|| {
            let what = format!("communicator {}", comm.cast_signed());
            self.refused(id, call, what, "one of which the rank is a member")
        })
    }

    /// A rank of a communicator; whether it is there the session says.
    pub(crate) fn rank_argument(
        &self,
        id: RankId,
        call: &Call,
        what: &str,
        rank: u64,
    ) -> Result<u32, ExecuteError> {
        u32::try_from(rank).map_err(|_| {
            let what = format!("{what} {}", rank.cast_signed());
            self.refused(id, call, what, "a rank of the communicator")
        })
    }

    pub(crate) fn sender_argument(
        &self,
        id: RankId,
        call: &Call,
        rank: u64,
    ) -> Result<Option<u32>, ExecuteError> {
        if rank == u64::MAX {
            return Ok(None);
        }
        self.rank_argument(id, call, "source", rank).map(Some)
    }

    pub(crate) fn tag_argument(
        &self,
        id: RankId,
        call: &Call,
        tag: u64,
    ) -> Result<Option<i64>, ExecuteError> {
        match tag.cast_signed() {
            -1 => Ok(None),
            0.. => Ok(Some(tag.cast_signed())),
            negative => Err(self.refused(id, call, format!("tag {negative}"), "0 and more")),
        }
    }

    /// Bytes that a rank gives.
    pub(crate) fn bytes(
        &self,
        id: RankId,
        call: &Call,
        address: u64,
        bytes: u64,
    ) -> Result<Vec<u8>, ExecuteError> {
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let found = self.ranks[id.0 as usize].core.read(address, bytes);
        let found = found.map(<[u8]>::to_vec);
        found.map_err(|outside| self.outside(id, call, outside, bytes))
    }

    /// May so many bytes be written there?
    pub(crate) fn check_buffer(
        &mut self,
        id: RankId,
        call: &Call,
        address: u64,
        bytes: u64,
    ) -> Result<(), ExecuteError> {
        if bytes == 0 {
            return Ok(());
        }
        let core = &mut self.ranks[id.0 as usize].core;
        let buffer = core.write(self.request.program, address, bytes);
        match buffer.map(|_| ()) {
            Ok(()) => Ok(()),
            Err(outside) => Err(self.outside(id, call, outside, bytes)),
        }
    }

    fn outside(
        &self,
        id: RankId,
        call: &Call,
        outside: noccl_riscv::Outside,
        bytes: u64,
    ) -> ExecuteError {
        if bytes.cast_signed() < 0 {
            let what = format!("{} bytes", bytes.cast_signed());
            return self.refused(id, call, what, "a count of 0 and more");
        }
        self.refused(id, call, outside.to_string(), "a buffer of the rank's own")
    }

    /// Writes what a call gives; the buffer was checked when it was made.
    pub(crate) fn write(
        &mut self,
        id: RankId,
        address: u64,
        bytes: &[u8],
    ) -> Result<(), ExecuteError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let core = &mut self.ranks[id.0 as usize].core;
        let pc = core.pc;
        match core.write(self.request.program, address, bytes.len() as u64) {
            Ok(buffer) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            Err(outside) => Err(self.fault(id, pc, outside.to_string())),
        }
    }

    /// Writes what a request has given.
    pub(crate) fn write_result(
        &mut self,
        id: RankId,
        address: u64,
        index: usize,
        outcome: Outcome,
    ) -> Result<(), ExecuteError> {
        let words = [
            index as u64,
            outcome.source.into(),
            outcome.tag.cast_unsigned(),
            outcome.bytes,
        ];
        let mut bytes = [0; RESULT_BYTES as usize];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        self.write(id, address, &bytes)
    }
}
