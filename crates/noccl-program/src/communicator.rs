// SPDX-License-Identifier: Apache-2.0
//! Communicators: groups of ranks in an order of their own.

use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::session::Session;
use noccl_net::{Coord, TileSet};
use std::collections::VecDeque;

/// A group of ranks, and how many collectives each has called on it.
#[derive(Debug)]
pub(crate) struct Communicator {
    /// By rank in the communicator.
    pub(crate) ranks: Vec<RankId>,
    pub(crate) set: TileSet,
    /// Rank in the communicator by place among its tiles, in the order of the algorithm library (columns, then rows).
    pub(crate) by_tile: Vec<u32>,
    /// Calls of each rank, by rank in the communicator.
    pub(crate) calls: Vec<u64>,
    /// Number of the collective or split of each call that some ranks have not called yet, from `first_call` on.
    pub(crate) open: VecDeque<OpenCall>,
    pub(crate) first_call: u64,
}

/// What the calls of one number are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenCall {
    Collective(u32),
    Split(u32),
}

impl Communicator {
    /// Ranks in this order on these tiles.
    pub(crate) fn new(ranks: Vec<RankId>, coords: &[Coord]) -> Self {
        let mut by_tile: Vec<u32> = (0..ranks.len() as u32).collect();
        by_tile.sort_by_key(|rank| coords[*rank as usize]);
        Self {
            calls: vec![0; ranks.len()],
            set: TileSet::Arbitrary(coords.to_vec()),
            by_tile,
            ranks,
            open: VecDeque::new(),
            first_call: 0,
        }
    }

    pub(crate) fn size(&self) -> u32 {
        self.ranks.len() as u32
    }

    /// A rank's number in the communicator.
    pub(crate) fn position(&self, rank: RankId) -> Option<u32> {
        // Of all ranks the number is the rank itself.
        if self.ranks.get(rank.idx()) == Some(&rank) {
            return Some(rank.0);
        }
        let found = self.ranks.iter().position(|member| *member == rank);
        found.map(|at| at as u32)
    }

    /// What a rank's next call on the communicator is part of; `None` if it is the first to call. The call counts.
    pub(crate) fn next_call(&mut self, position: u32) -> Option<OpenCall> {
        let call = self.calls[position as usize];
        self.calls[position as usize] += 1;
        let found = self.open.get((call - self.first_call) as usize).copied();
        while self.calls.iter().all(|calls| *calls > self.first_call) && !self.open.is_empty() {
            self.open.pop_front();
            self.first_call += 1;
        }
        found
    }

    /// The first call of a number is part of this.
    pub(crate) fn begin(&mut self, call: OpenCall) {
        self.open.push_back(call);
    }
}

impl Session<'_> {
    /// The communicator of a rank alone.
    pub fn alone(&mut self, rank: RankId) -> CommId {
        if let Some(known) = self.alone.get(&rank) {
            return *known;
        }
        let comm = number(self.comms.len());
        let coords = [self.coord(rank)];
        self.comms.push(Communicator::new(vec![rank], &coords));
        self.alone.insert(rank, comm);
        comm
    }

    /// The communicator of a call.
    ///
    /// # Errors
    /// [`ProgramError::Argument`] for one that there is not.
    pub(crate) fn comm(
        &self,
        rank: RankId,
        comm: CommId,
        call_site: &str,
    ) -> Result<&Communicator, ProgramError> {
        let found = self.comms.get(comm.0 as usize);
        found.ok_or_else(|| ProgramError::Argument {
            rank,
            call_site: call_site.to_owned(),
            what: format!("communicator {}", comm.0),
            accepted: format!("0 to {}", self.comms.len() - 1),
        })
    }

    /// The caller's number in a communicator.
    pub(crate) fn position(
        &self,
        rank: RankId,
        comm: CommId,
        call_site: &str,
    ) -> Result<u32, ProgramError> {
        let found = self.comm(rank, comm, call_site)?.position(rank);
        found.ok_or_else(|| ProgramError::Argument {
            rank,
            call_site: call_site.to_owned(),
            what: format!("communicator {}, in which the rank is not", comm.0),
            accepted: "a communicator of which the rank is a member".to_owned(),
        })
    }

    /// A member of a communicator of the caller's, by its number there.
    ///
    /// # Errors
    /// [`ProgramError::Argument`] for a communicator or a number that there is not.
    pub fn member(
        &self,
        rank: RankId,
        comm: CommId,
        member: u32,
        what: &str,
        call_site: &str,
    ) -> Result<RankId, ProgramError> {
        self.position(rank, comm, call_site)?;
        let ranks = &self.comm(rank, comm, call_site)?.ranks;
        let found = ranks.get(member as usize).copied();
        found.ok_or_else(|| ProgramError::Argument {
            rank,
            call_site: call_site.to_owned(),
            what: format!("{what} {member}"),
            accepted: format!("0 to {}", ranks.len() - 1),
        })
    }
}

/// Number of a communicator.
pub(crate) const fn number(index: usize) -> CommId {
    CommId(index as u32)
}
