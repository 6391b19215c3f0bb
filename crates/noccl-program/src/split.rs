// SPDX-License-Identifier: Apache-2.0
//! Splitting a communicator: every rank states a colour and a key, and those of one colour become a communicator, ordered by key and then by
//! rank. The ranks learn of each other by an exchange of eight bytes each, which is simulated.

use crate::collective::Instance;
use crate::communicator::{Communicator, OpenCall, number};
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::rank::{CallKind, CallSite};
use crate::response::Response;
use crate::session::Session;
use crate::terms::Terms;
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::collections::BTreeMap;

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
