// SPDX-License-Identifier: Apache-2.0
//! Calls: arguments out of registers and memory, checked, and handed to the session.

use crate::error::{ExecuteError, Fault};
use crate::number::Number;
use crate::rank::State;
use crate::requests::{Outcome, Request};
use crate::run::Driver;
use noccl_program::{CommId, RankId, Receive, RequestId, Response, Send};
use noccl_riscv::Call;

/// Bytes of what a request that is over has given, in the program's memory.
pub(crate) const RESULT_BYTES: u64 = 32;

/// Bytes that a receive has which was withdrawn.
const CANCELLED: u64 = 1 << 63;

/// Longest text of a program in a message.
const MOST_TEXT_BYTES: u64 = 400;

impl Driver<'_, '_> {
    /// Carries a call out; false if its rank waits.
    pub(crate) fn call(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let Some(number) = Number::of(call.number) else {
            return Err(self.fault(id, call.pc, call.refused().cause.to_string()));
        };
        match number {
            Number::Send => self.send(id, call),
            Number::Receive => self.receive(id, call),
            Number::Wait => self.wait(id, call),
            Number::Probe => self.probe(id, call),
            Number::Collective => self.collective(id, call),
            Number::Split => self.split(id, call),
            Number::Members => {
                let (rank, size) = self.membership(id, call, call.arguments[0])?.1;
                self.give(id, u64::from(rank) | u64::from(size) << 32);
                Ok(true)
            }
            Number::Alone => {
                let comm = self.session.alone(id);
                self.members.insert((id, comm), (0, 1));
                self.give(id, u64::from(comm.0));
                Ok(true)
            }
            Number::Clock => {
                let hertz = self.request.network.spec().clock_ghz * 1e9;
                self.give(id, hertz.round() as u64);
                Ok(true)
            }
            Number::Fail => Err(self.failed(id, call)),
            Number::Member => {
                let (comm, _) = self.membership(id, call, call.arguments[0])?;
                let member = self.rank_argument(id, call, "rank", call.arguments[1])?;
                let place = self.place(call);
                let world = self.session.member(id, comm, member, "rank", &place)?;
                self.give(id, u64::from(world.0));
                Ok(true)
            }
            Number::Join => self.join(id, call),
            Number::Expose => self.expose(id, call),
            Number::Access => self.access_own(id, call),
            Number::Ended => self.ended(id, call),
            Number::Cancel => self.cancel(id, call),
        }
    }

    /// What a rank that has waited gets; false if it waits again.
    pub(crate) fn called(
        &mut self,
        id: RankId,
        waited: State,
        response: Response,
    ) -> Result<bool, ExecuteError> {
        match (waited, response) {
            (State::Waiting { wait, asked }, Response::Requests(over)) => {
                self.take_requests(id, &asked, over)?;
                self.give_results(id, &wait)?;
            }
            (State::Looking(wait), Response::Done) => return self.look_again(id, wait),
            (State::Probing { results }, Response::Probed { source, tag, bytes }) => {
                self.write_result(id, results, 0, Outcome { source, tag, bytes })?;
                self.give(id, 1);
            }
            (State::LookingForMessage, Response::Done) => return self.look_for_message(id),
            (State::Collective { buffer }, Response::Output(bytes)) => {
                self.write(id, buffer, &bytes)?;
                self.give(id, 0);
            }
            (State::Splitting, Response::Communicator(made)) => {
                let number = made.map_or(u64::MAX, |(comm, rank, size)| {
                    self.members.insert((id, comm), (rank, size));
                    u64::from(comm.0)
                });
                self.give(id, number);
            }
            (
                State::Waiting { .. }
                | State::Looking(_)
                | State::Probing { .. }
                | State::LookingForMessage
                | State::Collective { .. }
                | State::Splitting
                | State::Executing
                | State::Computing
                | State::Ending(_)
                | State::Over,
                _,
            ) => {}
        }
        Ok(true)
    }

    fn send(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [data, bytes, to, tag, comm, flags, _] = call.arguments;
        let (comm, _) = self.membership(id, call, comm)?;
        let send = Send {
            comm,
            target: self.rank_argument(id, call, "destination", to)?,
            tag: tag.cast_signed(),
            data: self.bytes(id, call, data, bytes)?,
            is_synchronous: flags & 1 == 1,
        };
        let place = self.place(call);
        let request = self.session.isend(id, send, place)?;
        self.give_request(id, request, None);
        Ok(true)
    }

    /// Gives the number of a request, which may have an address for what comes.
    pub(crate) fn give_request(&mut self, id: RankId, request: RequestId, buffer: Option<u64>) {
        let number = self.ranks[id.0 as usize].requests.open(request, buffer);
        self.give(id, number.into());
    }

    fn receive(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [buffer, bytes, from, tag, comm, ..] = call.arguments;
        let (comm, _) = self.membership(id, call, comm)?;
        self.check_buffer(id, call, buffer, bytes)?;
        let receive = Receive {
            comm,
            source: self.sender_argument(id, call, from)?,
            tag: self.tag_argument(id, call, tag)?,
            max_bytes: Some(bytes),
        };
        let place = self.place(call);
        let request = self.session.irecv(id, receive, place)?;
        self.give_request(id, request, Some(buffer));
        Ok(true)
    }

    fn cancel(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let number = call.arguments[0] as u32;
        let request = self.ranks[id.0 as usize].requests.get(number);
        if let Some(Request::Open { id: open, .. }) = request
            && self.session.cancel(id, open)
        {
            let outcome = Outcome {
                source: u32::MAX,
                tag: -1,
                bytes: CANCELLED,
            };
            self.ranks[id.0 as usize].requests.end(number, outcome);
        }
        self.give(id, 0);
        Ok(true)
    }

    fn probe(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [.., results, waits, _, _] = call.arguments;
        self.check_buffer(id, call, results, RESULT_BYTES)?;
        if waits == 0 {
            let place = self.place(call);
            if self.find_message(id, call)? {
                return Ok(true);
            }
            self.session.poll(id, None, place)?;
            self.ranks[id.0 as usize].state = State::LookingForMessage;
            return Ok(false);
        }
        let (comm, source, tag) = self.looked_for(id, call)?;
        let place = self.place(call);
        self.session.probe(id, comm, source, tag, place)?;
        self.ranks[id.0 as usize].state = State::Probing { results };
        Ok(false)
    }

    fn looked_for(
        &self,
        id: RankId,
        call: &Call,
    ) -> Result<(CommId, Option<u32>, Option<i64>), ExecuteError> {
        let [from, tag, comm, ..] = call.arguments;
        let (comm, _) = self.membership(id, call, comm)?;
        let source = self.sender_argument(id, call, from)?;
        Ok((comm, source, self.tag_argument(id, call, tag)?))
    }

    /// Responds with a message that has arrived; false if there is none.
    fn find_message(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let (comm, source, tag) = self.looked_for(id, call)?;
        let found = self
            .session
            .iprobe(id, comm, source, tag, &self.place(call))?;
        let Some(Response::Probed { source, tag, bytes }) = found else {
            return Ok(false);
        };
        let outcome = Outcome { source, tag, bytes };
        self.write_result(id, call.arguments[3], 0, outcome)?;
        self.give(id, 1);
        Ok(true)
    }

    fn look_for_message(&mut self, id: RankId) -> Result<bool, ExecuteError> {
        let core = &mut self.ranks[id.0 as usize].core;
        if let noccl_riscv::Stopped::Call(call) = core.run(self.request.program, u64::MAX)
            && !self.find_message(id, &call)?
        {
            self.give(id, 0);
        }
        Ok(true)
    }

    fn failed(&self, id: RankId, call: &Call) -> ExecuteError {
        let [address, bytes, ..] = call.arguments;
        let text = match self.ranks[id.0 as usize]
            .core
            .read(address, bytes.min(MOST_TEXT_BYTES))
        {
            Ok(text) => String::from_utf8_lossy(text).into_owned(),
            Err(outside) => outside.to_string(),
        };
        ExecuteError::Fault(Box::new(Fault {
            rank: id,
            place: self.place(call),
            cycle: call.cycle,
            reason: text,
        }))
    }
}
