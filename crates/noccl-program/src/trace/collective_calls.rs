// SPDX-License-Identifier: Apache-2.0
//! Replay of collectives and splits: those of the session where there are such, else steps of messages.

use super::collectives::{CollectiveName, RecordedCollective};
use super::messages::{Member, Splitting};
use super::record::NewCommunicator;
use super::replay::{Replay, Then};
use crate::agreement::Agreed;
use crate::collective::CollectiveCall;
use crate::composed::{GroupRank, Step};
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::fmt;

impl Replay<'_, '_> {
    /// A communicator of a rank.
    pub(super) fn member(&self, rank: RankId, comm: u32) -> Result<Member, ProgramError> {
        let found = self.players[rank.idx()].comms.get(&comm).copied();
        found.ok_or_else(|| {
            let (what, accepted) = (format!("communicator {comm}"), "one of the rank's".into());
            self.argument(rank, what, accepted)
        })
    }

    /// A rank comes to a collective call or a split: it must fit those of the others.
    fn agree(
        &mut self,
        rank: RankId,
        comm: u32,
        call: Option<&RecordedCollective>,
    ) -> Result<(CommId, GroupRank), ProgramError> {
        let call_site = self.call_site(rank);
        let Member { comm, group_rank } = self.member(rank, comm)?;
        let terms = TraceTerms::of(call);
        self.agreements
            .compare((comm, group_rank.size), rank, &call_site, terms)?;
        Ok((comm, group_rank))
    }

    pub(super) fn collective(
        &mut self,
        rank: RankId,
        call: &RecordedCollective,
    ) -> Result<Then, ProgramError> {
        let (comm, group_rank) = self.agree(rank, call.comm, Some(call))?;
        if group_rank.size == 1 {
            return Ok(Then::GoesOn);
        }
        let Some(native) = self.native(comm, group_rank, call) else {
            let player = &mut self.players[rank.idx()];
            player.steps = steps(group_rank, call).into();
            player.steps_comm = comm;
            return Ok(Then::GoesOn);
        };
        let call_site = self.call_site(rank);
        self.session.collective(rank, native, call_site)?;
        Ok(Then::Waits)
    }

    /// The session's collective, if there is one that does it.
    fn native(
        &mut self,
        comm: CommId,
        group_rank: GroupRank,
        call: &RecordedCollective,
    ) -> Option<CollectiveCall> {
        let kind = native_kind(call)?;
        let fold = match call.fold {
            Some((operator, element)) => Some((operator?, element)),
            None => None,
        };
        // 0: a barrier has no payload.
        let block = call.bytes.first().copied().unwrap_or(0);
        let bytes = match kind.gives_blocks() {
            true => block * u64::from(group_rank.size),
            false => block,
        };
        let (operator, element) = fold.unwrap_or((Operator::Sum, ElementType::Int8));
        let native = CollectiveCall {
            comm,
            kind,
            payload: vec![0; bytes as usize],
            root: call.root,
            operator,
            element,
        };
        let wish = (comm, kind, bytes, call.root, fold);
        let known = self.supported.get(&wish).copied();
        let is_supported = known.unwrap_or_else(|| self.session.supports(&native));
        self.supported.insert(wish, is_supported);
        is_supported.then_some(native)
    }

    pub(super) fn split(
        &mut self,
        rank: RankId,
        comm: u32,
        made: Option<&NewCommunicator>,
    ) -> Result<Then, ProgramError> {
        let (parent, _) = self.agree(rank, comm, None)?;
        let call_site = self.call_site(rank);
        // A communicator is named by its first member; the key is the place in it.
        let colour = made.and_then(|made| made.ranks.first().copied());
        let own = made.map(|made| self.place_in(rank, made)).transpose()?;
        // 0: a rank in no new communicator has no key.
        let key = own.map_or(0, |(_, group_rank)| i64::from(group_rank.rank));
        self.session.split(rank, parent, colour, key, call_site)?;
        self.players[rank.idx()].splitting = Some(Splitting { made: own });
        Ok(Then::Waits)
    }

    /// Number of a new communicator, and the rank's place there.
    fn place_in(
        &self,
        rank: RankId,
        made: &NewCommunicator,
    ) -> Result<(u32, GroupRank), ProgramError> {
        let own = made.ranks.iter().position(|member| *member == rank.0);
        let own = own.ok_or_else(|| {
            let what = format!("communicator {}", made.number);
            self.argument(rank, what, "one of which the rank is a member".to_owned())
        })?;
        let group_rank = GroupRank {
            rank: own as u32,
            size: made.ranks.len() as u32,
        };
        Ok((made.number, group_rank))
    }

    pub(super) fn group(
        &mut self,
        rank: RankId,
        made: &NewCommunicator,
    ) -> Result<Then, ProgramError> {
        let (number, group_rank) = self.place_in(rank, made)?;
        let call_site = self.call_site(rank);
        let ranks = made.ranks.iter().map(|member| RankId(*member)).collect();
        let comm = self.session.group(rank, ranks, &call_site)?;
        let member = Member { comm, group_rank };
        self.players[rank.idx()].comms.insert(number, member);
        Ok(Then::GoesOn)
    }
}

/// The session's collective that does it; of blocks per rank only where all are equal.
fn native_kind(call: &RecordedCollective) -> Option<CollectiveKind> {
    let first = call.bytes.first();
    let is_equal = call.bytes.iter().all(|bytes| Some(bytes) == first);
    if call.name == CollectiveName::ReduceScatter && is_equal {
        return Some(CollectiveKind::ReduceScatter);
    }
    call.name.kind()
}

/// A rank's steps of a collective that is composed of messages.
fn steps(group_rank: GroupRank, call: &RecordedCollective) -> Vec<Step> {
    // 0: a barrier has no payload.
    let (root, bytes) = (call.root, call.bytes.first().copied().unwrap_or(0));
    let at = |rank: u32| call.bytes[rank as usize];
    let all = bytes * u64::from(group_rank.size);
    match call.name {
        CollectiveName::Barrier => [group_rank.reduce(0, 0), group_rank.broadcast(0, 0)].concat(),
        CollectiveName::Bcast => group_rank.broadcast(root, bytes),
        CollectiveName::Reduce => group_rank.reduce(root, bytes),
        CollectiveName::Allreduce => {
            [group_rank.reduce(0, bytes), group_rank.broadcast(0, bytes)].concat()
        }
        CollectiveName::ReduceScatterBlock => [
            group_rank.reduce(0, all),
            group_rank.scatter_equal(0, bytes),
        ]
        .concat(),
        CollectiveName::ReduceScatter => {
            let sum = call.bytes.iter().sum();
            [
                group_rank.reduce(0, sum),
                group_rank.scatter(0, &call.bytes),
            ]
            .concat()
        }
        CollectiveName::Scan | CollectiveName::Exscan => group_rank.scan(bytes),
        CollectiveName::Gather => group_rank.gather_equal(root, bytes),
        CollectiveName::Gatherv => group_rank.gather(root, bytes),
        CollectiveName::Scatter => group_rank.scatter_equal(root, bytes),
        CollectiveName::Scatterv => group_rank.scatter(root, &call.bytes),
        CollectiveName::Allgather => group_rank.all_gather(|_| bytes),
        CollectiveName::Allgatherv => group_rank.all_gather(at),
        CollectiveName::Alltoall => group_rank.all_to_all(|_| bytes),
        CollectiveName::Alltoallv => group_rank.all_to_all(at),
    }
}

// What ranks of a trace have to agree on when they call a collective or split a communicator.

/// What all ranks must state alike; `None`: a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TraceTerms(Option<CollectiveTerms>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct CollectiveTerms {
    name: CollectiveName,
    root: u32,
    fold: Option<(Option<Operator>, ElementType)>,
    bytes: Vec<u64>,
}

impl TraceTerms {
    /// Those of a call; `None`: a split.
    pub(super) fn of(call: Option<&RecordedCollective>) -> Self {
        Self(call.map(|call| CollectiveTerms {
            name: call.name,
            root: call.root,
            fold: call.fold,
            bytes: if call.name.has_common_lengths() {
                call.bytes.clone()
            } else {
                Vec::new()
            },
        }))
    }
}

impl Agreed for TraceTerms {
    fn fits(&self, other: &Self) -> bool {
        self == other
    }
}

impl fmt::Display for TraceTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(terms) = &self.0 else {
            return f.write_str("split");
        };
        f.write_str(terms.name.name())?;
        if let [bytes] = terms.bytes[..] {
            write!(f, " of {bytes} bytes")?;
        } else if !terms.bytes.is_empty() {
            write!(f, " of {:?} bytes", terms.bytes)?;
        }
        if terms.name.has_root() {
            write!(f, " with root {}", terms.root)?;
        }
        if let Some((operator, element)) = terms.fold {
            let operator = operator.map_or("other", Operator::name);
            write!(f, ", {operator} of {}", element.name())?;
        }
        Ok(())
    }
}
