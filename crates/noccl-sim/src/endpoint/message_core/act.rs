// SPDX-License-Identifier: Apache-2.0
//! What a core does next.

use super::core::{Doing, Next};
use super::{Cores, Planes};
use noccl_spec::DrainRule;
use noccl_workload::{ActionKind, First};

impl Cores<'_> {
    /// A core's cycle: it goes on with what it is doing, or begins something.
    pub(super) fn act_one(&mut self, tile: usize, now: u64, planes: &mut Planes) -> Next {
        match self.cores[tile].doing {
            Doing::Send { .. } | Doing::Control { .. } => {
                if let Some(next) = self.write_on(tile, now, planes) {
                    return next;
                }
            }
            Doing::Await { .. } => return self.await_response(tile, now),
            Doing::Route { share } => return self.end_route(tile, share, now, planes),
            Doing::Write { .. } => {
                if let Some(next) = self.stream_on(tile, now, planes) {
                    return next;
                }
            }
            Doing::Read { .. } => {
                if let Some(next) = self.read_stream(tile, now) {
                    return next;
                }
            }
            Doing::Local { share } => self.end_local(tile, share, now),
            Doing::Copy { message } => self.end_copy(tile, message, now),
            Doing::Nothing => {}
        }
        self.choose(tile, now)
    }

    /// A core that is free: what it has begun to read, acknowledgements, then its list or what has come.
    fn choose(&mut self, tile: usize, now: u64) -> Next {
        self.cores[tile].doing = Doing::Nothing;
        if std::mem::take(&mut self.cores[tile].has_ended) {
            return Next::Asks;
        }
        if self.cores[tile].reading.is_some() {
            return self.receive(tile, now).unwrap_or(Next::Asleep);
        }
        if self.respond(tile) {
            return Next::At(now);
        }
        let done = match self.first {
            First::Send => {
                let begun = self.begin_next(tile, now);
                begun.or_else(|| self.receive_posted(tile, now))
            }
            First::Receive => {
                let received = self.receive_posted(tile, now);
                received.or_else(|| self.begin_next(tile, now))
            }
        };
        let done = done.or_else(|| self.begin_beside(tile, now));
        done.or_else(|| self.is_drained().then(|| self.receive(tile, now)).flatten())
            .unwrap_or(Next::Asleep)
    }

    /// Does a core that has nothing else to do read what has come?
    fn is_drained(&self) -> bool {
        self.spec.drain != DrainRule::Never
    }

    fn is_poll(&self, share: u32) -> bool {
        let action = self.program.instances.all[share].action;
        matches!(*self.actions.kind(action), ActionKind::Compute(_))
    }

    /// Copies what stands in the list, or begins to read a unit of a message that may be received.
    pub(super) fn receive_posted(&mut self, tile: usize, now: u64) -> Option<Next> {
        if let Some(message) = self.cores[tile].copies.pop_front() {
            return Some(self.begin_copy(tile, message, now));
        }
        if self.has_request(tile) || self.first_is_posted(tile) {
            return self.receive(tile, now);
        }
        None
    }

    /// Begins the next share of its list, if that may begin.
    fn begin_next(&mut self, tile: usize, now: u64) -> Option<Next> {
        let core = &self.cores[tile];
        let share = core.main.front().copied()?;
        if !self.program.instances.is_ready(share) {
            return None;
        }
        let next = self.begin_share(tile, share, now)?;
        self.cores[tile].main.pop_front();
        Some(next)
    }

    /// Begins the first share beside the list that waits for nothing.
    fn begin_beside(&mut self, tile: usize, now: u64) -> Option<Next> {
        let (program, beside) = (&self.program, &mut self.cores[tile].beside);
        let ready = beside
            .iter()
            .position(|share| program.instances.is_ready(*share))?;
        let share = *beside.get(ready)?;
        // A look at the queues comes behind what has come: what it looks for may stand behind something else.
        if self.is_drained()
            && self.is_poll(share)
            && let Some(next) = self.receive(tile, now)
        {
            return Some(next);
        }
        self.cores[tile].beside.remove(ready);
        self.begin_share(tile, share, now)
    }

    /// Begins a share; `None` if its round has not come.
    fn begin_share(&mut self, tile: usize, share: u32, now: u64) -> Option<Next> {
        let action = self.program.instances.all[share].action;
        if let Some(message) = self.messages.get(action)
            && !self.rounds.begin(message.round, message.target)
        {
            return None;
        }
        self.program.begin(share, now);
        let kind = self.actions.kind(action);
        if self.messages.get(action).is_some() {
            return Some(self.begin_send(tile, share, action, now));
        }
        if kind.static_multicast().is_some() {
            return Some(self.begin_route(tile, share, now));
        }
        let cycles = kind.local_core_cycles(self.spec);
        self.cores[tile].doing = Doing::Local { share };
        Some(Next::At(now + cycles))
    }
}
