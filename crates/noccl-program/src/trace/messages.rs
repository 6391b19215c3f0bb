// SPDX-License-Identifier: Apache-2.0
//! Replay of records: computation, messages, waits, and the steps of composed collectives.

use super::record::Event;
use super::replay::{Replay, Then};
use super::{MAX_COMPUTE, MAX_OPEN_BYTES};
use crate::announce::{Receive, Send};
use crate::composed::{GroupRank, Step};
use crate::error::ProgramError;
use crate::ids::{CommId, RankId, RequestId};
use crate::matching::FIRST_INNER_TAG;
use std::collections::{BTreeMap, VecDeque};

impl Replay<'_, '_> {
    pub(super) fn event(&mut self, rank: RankId, event: &Event) -> Result<Then, ProgramError> {
        match event {
            Event::Compute(time) => self.compute(rank, *time),
            Event::Send {
                comm,
                target,
                tag,
                bytes,
                is_synchronous,
                request,
            } => {
                let comm = self.member(rank, *comm)?.comm;
                let open = self.send(rank, comm, (*target, *tag), *bytes, *is_synchronous)?;
                self.open_or_wait(rank, *request, open)
            }
            Event::Receive {
                comm,
                source,
                tag,
                bytes,
                is_any_source: _,
                request,
            } => {
                let comm = self.member(rank, *comm)?.comm;
                let receive = Receive {
                    comm,
                    source: Some(*source),
                    tag: Some(*tag),
                    max_bytes: Some(*bytes),
                };
                let call_site = self.call_site(rank);
                let open = OpenRequest {
                    request: self.session.irecv(rank, receive, call_site)?,
                    kept_bytes: 0,
                    expected_bytes: Some(*bytes),
                };
                self.open_or_wait(rank, *request, open)
            }
            Event::Wait(requests) => {
                let open = &mut self.players[rank.idx()].requests;
                let all = requests.iter().filter_map(|number| open.remove(number));
                let all = all.collect();
                self.wait(rank, all)
            }
            Event::Collective(call) => self.collective(rank, call),
            Event::Begun(_) => Ok(Then::GoesOn),
            Event::Split { comm, made } => self.split(rank, *comm, made.as_ref()),
            Event::Group(made) => self.group(rank, made),
        }
    }

    fn compute(&mut self, rank: RankId, time: u64) -> Result<Then, ProgramError> {
        let exact = time as f64 * self.cycles_per_unit;
        if exact > MAX_COMPUTE as f64 {
            let (what, accepted) = (format!("{exact:.0} cycles"), format!("up to {MAX_COMPUTE}"));
            return Err(self.argument(rank, what, accepted));
        }
        let cycles = self.players[rank.idx()].cycles(exact);
        if cycles == 0 {
            return Ok(Then::GoesOn);
        }
        let call_site = self.call_site(rank);
        self.session.compute(rank, cycles, call_site)?;
        Ok(Then::Waits)
    }

    fn send(
        &mut self,
        rank: RankId,
        comm: CommId,
        (target, tag): (u32, i64),
        bytes: u64,
        is_synchronous: bool,
    ) -> Result<OpenRequest, ProgramError> {
        self.open_bytes += bytes;
        if self.open_bytes > MAX_OPEN_BYTES {
            let what = format!("{} bytes of sends are open", self.open_bytes);
            return Err(self.argument(rank, what, format!("up to {MAX_OPEN_BYTES}")));
        }
        let send = Send {
            comm,
            target,
            tag,
            data: vec![0; bytes as usize],
            is_synchronous,
        };
        let call_site = self.call_site(rank);
        Ok(OpenRequest {
            request: self.session.isend(rank, send, call_site)?,
            kept_bytes: bytes,
            expected_bytes: None,
        })
    }

    fn open_or_wait(
        &mut self,
        rank: RankId,
        request: Option<u32>,
        open: OpenRequest,
    ) -> Result<Then, ProgramError> {
        match request {
            Some(number) => {
                self.players[rank.idx()].requests.insert(number, open);
                Ok(Then::GoesOn)
            }
            None => self.wait(rank, vec![open]),
        }
    }

    fn wait(&mut self, rank: RankId, open: Vec<OpenRequest>) -> Result<Then, ProgramError> {
        if open.is_empty() {
            return Ok(Then::GoesOn);
        }
        let call_site = self.call_site(rank);
        let requests = open.iter().map(|open| open.request).collect();
        self.session.wait(rank, requests, true, call_site)?;
        self.players[rank.idx()].waiting = open;
        Ok(Then::Waits)
    }

    /// The next step of a composed collective.
    pub(super) fn step(&mut self, rank: RankId) -> Result<Then, ProgramError> {
        let player = &mut self.players[rank.idx()];
        let comm = player.steps_comm;
        let Some(step) = player.steps.pop_front() else {
            return Ok(Then::GoesOn);
        };
        let open = match step {
            Step::Send { to, bytes } => {
                self.send(rank, comm, (to, FIRST_INNER_TAG), bytes, false)?
            }
            Step::Receive { from } => {
                let receive = Receive {
                    comm,
                    source: Some(from),
                    tag: Some(FIRST_INNER_TAG),
                    max_bytes: None,
                };
                let call_site = self.call_site(rank);
                OpenRequest {
                    request: self.session.irecv(rank, receive, call_site)?,
                    kept_bytes: 0,
                    expected_bytes: None,
                }
            }
            Step::Wait => {
                let started = std::mem::take(&mut player.started);
                return self.wait(rank, started);
            }
        };
        self.players[rank.idx()].started.push(open);
        Ok(Then::GoesOn)
    }
}

// One rank of a replay: where it stands in its records, its communicators and its requests.

/// A communicator as a rank has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) comm: CommId,
    pub(super) group_rank: GroupRank,
}

/// A request that is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenRequest {
    pub(super) request: RequestId,
    /// Of a send: bytes that it keeps.
    pub(super) kept_bytes: u64,
    /// Of a receive of the trace: bytes that have to come.
    pub(super) expected_bytes: Option<u64>,
}

/// A split that has begun: what the trace says that the rank gets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Splitting {
    /// Number of the communicator for this rank, its size, and the rank's place there.
    pub(super) made: Option<(u32, GroupRank)>,
}

/// A rank.
#[derive(Debug)]
pub(super) struct Player {
    /// The next record.
    pub(super) next: usize,
    /// By the rank's number.
    pub(super) comms: BTreeMap<u32, Member>,
    /// By the rank's number.
    pub(super) requests: BTreeMap<u32, OpenRequest>,
    /// What is left of a composed collective, and on which communicator.
    pub(super) steps: VecDeque<Step>,
    pub(super) steps_comm: CommId,
    /// What a composed collective has started.
    pub(super) started: Vec<OpenRequest>,
    /// What the rank waits for.
    pub(super) waiting: Vec<OpenRequest>,
    pub(super) splitting: Option<Splitting>,
    /// Cycles of its computations so far, without rounding, and as stated.
    pub(super) exact_cycles: f64,
    pub(super) stated_cycles: u64,
    pub(super) received_messages: u64,
    pub(super) received_bytes: u64,
}

impl Player {
    /// A rank that has called nothing.
    pub(super) fn new(rank: u32, ranks: u32, world: CommId, alone: CommId) -> Self {
        let member = |comm, rank, size| Member {
            comm,
            group_rank: GroupRank { rank, size },
        };
        let comms = [(0, member(world, rank, ranks)), (1, member(alone, 0, 1))];
        Self {
            next: 0,
            comms: BTreeMap::from(comms),
            requests: BTreeMap::new(),
            steps: VecDeque::new(),
            steps_comm: world,
            started: Vec::new(),
            waiting: Vec::new(),
            splitting: None,
            exact_cycles: 0.0,
            stated_cycles: 0,
            received_messages: 0,
            received_bytes: 0,
        }
    }

    /// Whole cycles of a computation: what it takes is added before it is rounded, so that many short ones keep their sum.
    pub(super) fn cycles(&mut self, exact: f64) -> u64 {
        self.exact_cycles += exact;
        // Within range: the caller has bounded each one, and their number is that of lines.
        let all = self.exact_cycles.round() as u64;
        let cycles = all.saturating_sub(self.stated_cycles);
        self.stated_cycles = all;
        cycles
    }
}
