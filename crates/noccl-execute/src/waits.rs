// SPDX-License-Identifier: Apache-2.0
//! Waiting for requests, and looking whether they are over.

use crate::calls::RESULT_BYTES;
use crate::error::ExecuteError;
use crate::number::{WAIT_KEEP, WAIT_LOOK, WAIT_ONE};
use crate::rank::{State, Wait};
use crate::requests::{Outcome, Request};
use crate::run::Driver;
use noccl_program::{RankId, Received, RequestId};
use noccl_riscv::{Call, Stopped};

/// Bytes of a request's number in a program's list.
const NUMBER_BYTES: u64 = 4;

impl Driver<'_, '_> {
    pub(crate) fn wait(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [list, count, how, results, ..] = call.arguments;
        let numbers = self.numbers(id, call, list, count)?;
        let is_one_enough = how & WAIT_ONE != 0;
        let num_results = if is_one_enough {
            numbers.len().min(1)
        } else {
            numbers.len()
        };
        self.check_buffer(id, call, results, RESULT_BYTES * num_results as u64)?;
        let wait = Wait {
            numbers,
            is_one_enough,
            is_kept: how & WAIT_KEEP != 0,
            results,
        };
        if how & WAIT_LOOK != 0 && !self.is_enough(id, &wait) {
            let place = self.place(call);
            self.session.poll(id, None, place)?;
            self.ranks[id.0 as usize].state = State::Looking(wait);
            return Ok(false);
        }
        self.ask(id, call, wait)
    }

    /// The requests of a list, those without a number left out.
    pub(crate) fn numbers(
        &self,
        id: RankId,
        call: &Call,
        list: u64,
        count: u64,
    ) -> Result<Vec<(usize, u32)>, ExecuteError> {
        let length = count.cast_signed().saturating_mul(NUMBER_BYTES as i64);
        let bytes = self.bytes(id, call, list, length.cast_unsigned())?;
        let (words, _) = bytes.as_chunks::<{ NUMBER_BYTES as usize }>();
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        let numbers: Vec<(usize, u32)> = words
            .enumerate()
            .filter(|(_, number)| *number != u32::MAX)
            .collect();
        let requests = &self.ranks[id.0 as usize].requests;
        let mut sorted: Vec<u32> = numbers.iter().map(|(_, number)| *number).collect();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        let unknown = sorted
            .iter()
            .find(|number| requests.get(**number).is_none());
        if let Some(wrong) = twice.map(|pair| pair[0]).or(unknown.copied()) {
            let what = format!("request {}", wrong.cast_signed());
            let accepted = "requests that are not over, each once, and MPI_REQUEST_NULL";
            return Err(self.refused(id, call, what, accepted));
        }
        Ok(numbers)
    }

    /// Would the wait be over at once?
    fn is_enough(&self, id: RankId, wait: &Wait) -> bool {
        let requests = &self.ranks[id.0 as usize].requests;
        let is_over = |(_, number): &(usize, u32)| match requests.get(*number) {
            Some(Request::Open { id, .. }) => self.session.is_over(id),
            Some(Request::Over(_)) | None => true,
        };
        if wait.is_one_enough && !wait.numbers.is_empty() {
            wait.numbers.iter().any(is_over)
        } else {
            wait.numbers.iter().all(is_over)
        }
    }

    /// Waits in the session for what is not known to be over.
    fn ask(&mut self, id: RankId, call: &Call, wait: Wait) -> Result<bool, ExecuteError> {
        let requests = &self.ranks[id.0 as usize].requests;
        let mut open: Vec<(u32, RequestId)> = Vec::with_capacity(wait.numbers.len());
        for (_, number) in &wait.numbers {
            if let Some(Request::Open { id, .. }) = requests.get(*number) {
                open.push((*number, id));
            }
        }
        let is_known = open.len() < wait.numbers.len();
        if open.is_empty() || wait.is_one_enough && is_known {
            self.give_results(id, &wait)?;
            return Ok(true);
        }
        let (asked, ids): (Vec<u32>, Vec<RequestId>) = open.into_iter().unzip();
        let place = self.place(call);
        self.session.wait(id, ids, !wait.is_one_enough, place)?;
        self.ranks[id.0 as usize].state = State::Waiting { wait, asked };
        Ok(false)
    }

    pub(crate) fn look_again(&mut self, id: RankId, wait: Wait) -> Result<bool, ExecuteError> {
        let core = &mut self.ranks[id.0 as usize].core;
        if let Stopped::Call(call) = core.run(self.request.program, u64::MAX)
            && self.is_enough(id, &wait)
        {
            return self.ask(id, &call, wait);
        }
        self.give(id, 0);
        Ok(true)
    }

    /// Requests are over: what has come goes to its place.
    pub(crate) fn take_requests(
        &mut self,
        id: RankId,
        asked: &[u32],
        over: Vec<Received>,
    ) -> Result<(), ExecuteError> {
        for received in over {
            let Some(number) = asked.get(received.index).copied() else {
                continue;
            };
            // 0: a send has received nothing.
            let data = received.data.unwrap_or_default();
            let found = self.ranks[id.0 as usize].requests.get(number);
            if let Some(Request::Open {
                buffer: Some(buffer),
                ..
            }) = found
            {
                self.write(id, buffer, &data)?;
            }
            let outcome = Outcome {
                source: received.source,
                tag: received.tag,
                bytes: data.len() as u64,
            };
            self.ranks[id.0 as usize].requests.end(number, outcome);
        }
        Ok(())
    }

    /// Responds to a wait with what its requests have given.
    pub(crate) fn give_results(&mut self, id: RankId, wait: &Wait) -> Result<(), ExecuteError> {
        let mut given = 0;
        for (index, number) in &wait.numbers {
            let requests = &mut self.ranks[id.0 as usize].requests;
            let Some(outcome) = requests.take(*number, wait.is_kept) else {
                continue;
            };
            let address = wait.results.wrapping_add(RESULT_BYTES * given);
            self.write_result(id, address, *index, outcome)?;
            given += 1;
            if wait.is_one_enough {
                break;
            }
        }
        self.give(id, given);
        Ok(())
    }
}
