// SPDX-License-Identifier: Apache-2.0
//! Replay of records: computation, messages, waits, and the steps of composed collectives.

use super::player::OpenRequest;
use super::record::Event;
use super::replay::{Replay, Then};
use super::{MAX_COMPUTE, MAX_OPEN_BYTES};
use crate::announce::{Receive, Send};
use crate::composed::Step;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::matching::FIRST_INNER_TAG;

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
            Event::Split { comm, made } => self.split(rank, *comm, made.as_ref()),
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
