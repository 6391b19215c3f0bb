// SPDX-License-Identifier: Apache-2.0
//! Splitting a communicator: every rank states a colour and a key, and those of one colour become a communicator, ordered by key and then by
//! rank. The ranks learn of each other by an exchange of eight bytes each, which is simulated.

use crate::collective::Instance;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::rank::{CallKind, CallSite};
use crate::response::Response;
use crate::session::Session;
use crate::terms::Terms;
use noccl_net::{Coord, TileSet};
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::collections::{BTreeMap, VecDeque};

/// Bytes that a rank states.
const STATED_BYTES: u64 = 8;

/// A split that some ranks have called.
#[derive(Debug)]
pub(crate) struct Split {
    comm: CommId,
    /// The exchange, among the session's collectives.
    pub(crate) exchange: u32,
    pub(crate) first: (RankId, CallSite),
    /// By rank of the communicator: colour and key; no colour: in none.
    stated: Vec<(Option<u32>, i64)>,
    /// Communicators by colour, once all are known.
    made: Option<BTreeMap<u32, CommId>>,
}

impl Session<'_> {
    /// A rank splits a communicator; `None` for ranks that will be in none.
    ///
    /// # Errors
    /// [`ProgramError::Argument`], [`ProgramError::Differs`], [`ProgramError::Collective`].
    pub fn split(
        &mut self,
        rank: RankId,
        comm: CommId,
        colour: Option<u32>,
        key: i64,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let position = self.position(rank, comm, &call_site)?;
        let split = match self.comms[comm.0 as usize].next_call(position) {
            Some(OpenCall::Split(split)) => split,
            Some(OpenCall::Collective(other)) => {
                let other = &self.collectives[other];
                return Err(ProgramError::Differs {
                    rank,
                    call_site,
                    call: "split".to_owned(),
                    other: other.first.0,
                    other_call_site: other.first.1.clone(),
                    other_call: other.terms.name(),
                });
            }
            None => self.begin_split(rank, comm, &call_site),
        };
        self.splits[split].stated[position as usize] = (colour, key);
        let exchange = self.splits[split].exchange;
        self.begin_call(rank, CallKind::Split(split), call_site);
        let terms = self.collectives[exchange].terms;
        let copies = match terms.kind.gives_blocks() {
            true => self.comms[comm.0 as usize].size() as usize,
            false => 1,
        };
        let payload = vec![0; copies * STATED_BYTES as usize];
        self.call_instance(exchange, position, payload, None)
    }

    fn begin_split(&mut self, rank: RankId, comm: CommId, call_site: &CallSite) -> u32 {
        let split = self.splits.next_number();
        let terms = |kind| Terms {
            comm,
            kind,
            root: 0,
            bytes: Some(STATED_BYTES),
            operator: Operator::Sum,
            element: ElementType::Int64,
            is_nonblocking: false,
            sends_messages: false,
            is_chunk: false,
        };
        let gathered = terms(CollectiveKind::AllGather);
        let is_gathered = self.template(gathered, 0).is_ok();
        let exchanged = terms(CollectiveKind::AllToAll);
        let terms = if is_gathered { gathered } else { exchanged };
        let size = self.comms[comm.0 as usize].ranks.len();
        let first = (rank, call_site.clone());
        let instance = Instance::new(terms, first.clone(), size);
        let exchange = self.collectives.push(instance);
        self.comms[comm.0 as usize].begin(OpenCall::Split(split));
        self.splits.push(Split {
            comm,
            exchange,
            first,
            stated: vec![(None, 0); size],
            made: None,
        });
        split
    }

    pub(crate) fn differs_from_split(
        &self,
        split: u32,
        rank: RankId,
        call_site: CallSite,
        call: String,
    ) -> ProgramError {
        let (other, other_call_site) = self.splits[split].first.clone();
        ProgramError::Differs {
            rank,
            call_site,
            call,
            other,
            other_call_site,
            other_call: "split".to_owned(),
        }
    }

    /// The response of a rank that has heard of all others.
    pub(crate) fn split_response(&mut self, split: u32, rank: RankId) -> Option<Response> {
        let exchange = self.splits[split].exchange;
        self.collective_response(exchange, rank)?;
        if self.splits[split].made.is_none() {
            let made = self.make_communicators(split);
            self.splits[split].made = Some(made);
        }
        if self.collectives[exchange].is_left() {
            self.left_splits.push(split);
        }
        let Split {
            comm, stated, made, ..
        } = &self.splits[split];
        let position = self.comms[comm.0 as usize].position(rank)?;
        let (colour, _) = stated[position as usize];
        let own = colour.and_then(|colour| made.as_ref()?.get(&colour).copied());
        Some(Response::Communicator(own.and_then(|comm| {
            let made = &self.comms[comm.0 as usize];
            Some((comm, made.position(rank)?, made.size()))
        })))
    }

    /// The communicator that is split.
    pub(crate) fn split_comm(&self, split: u32) -> CommId {
        self.splits[split].comm
    }

    fn make_communicators(&mut self, split: u32) -> BTreeMap<u32, CommId> {
        let Split { comm, stated, .. } = &self.splits[split];
        let mut members: BTreeMap<u32, Vec<(i64, u32, RankId)>> = BTreeMap::new();
        let ranks = &self.comms[comm.0 as usize].ranks;
        for (position, ((colour, key), rank)) in stated.iter().zip(ranks).enumerate() {
            if let Some(colour) = colour {
                let of_colour = members.entry(*colour).or_default();
                of_colour.push((*key, position as u32, *rank));
            }
        }
        let mut made = BTreeMap::new();
        for (colour, mut of_colour) in members {
            of_colour.sort_unstable();
            let ranks: Vec<RankId> = of_colour.into_iter().map(|(_, _, rank)| rank).collect();
            let coords: Vec<_> = ranks.iter().map(|rank| self.coord(*rank)).collect();
            made.insert(colour, number(self.comms.len()));
            self.comms.push(Communicator::new(ranks, &coords));
        }
        made
    }
}

/// Communicators of one group that its members have asked for.
#[derive(Debug, Default)]
pub(crate) struct Group {
    made: Vec<CommId>,
    /// How many each member has asked for.
    calls: BTreeMap<RankId, usize>,
}

// Communicators: groups of ranks in an order of their own.

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

    /// A communicator of these ranks in this order, each of which asks for it: the n-th that a rank asks for is the n-th of all others. Takes no time:
    /// the ranks' messages do, with which they agree.
    ///
    /// # Errors
    /// [`ProgramError::Argument`] for ranks that there are not, and without the caller.
    pub fn group(
        &mut self,
        rank: RankId,
        ranks: Vec<RankId>,
        call_site: &str,
    ) -> Result<CommId, ProgramError> {
        let num_ranks = self.ranks.len();
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let is_group =
            sorted.len() == ranks.len() && sorted.iter().all(|one| one.idx() < num_ranks);
        if !is_group || !ranks.contains(&rank) {
            return Err(ProgramError::Argument {
                rank,
                call_site: call_site.to_owned(),
                what: format!("a group of {} ranks", ranks.len()),
                accepted: format!(
                    "different ranks below {num_ranks}, and rank {} with them",
                    rank.0
                ),
            });
        }
        let group = self.groups.entry(ranks.clone()).or_default();
        let calls = group.calls.entry(rank).or_default();
        let call = *calls;
        *calls += 1;
        let known = group.made.get(call).copied();
        let comm = known.unwrap_or(number(self.comms.len()));
        if known.is_none() {
            group.made.push(comm);
            let coords: Vec<_> = ranks.iter().map(|one| self.coord(*one)).collect();
            self.comms.push(Communicator::new(ranks, &coords));
        }
        self.note_group(rank, comm);
        Ok(comm)
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
