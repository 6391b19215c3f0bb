// SPDX-License-Identifier: Apache-2.0
//! What is concurrent with the calls of a rank: requests that are joined, and the library of windows.

use crate::error::ExecuteError;
use crate::requests::Request;
use crate::run::Driver;
use noccl_program::{CallSite, RankId, Received, RequestId};
use noccl_riscv::Call;
use std::collections::BTreeMap;

/// What a rank waits for concurrently with its calls.
#[derive(Debug)]
enum Task {
    /// An access to one of its windows.
    Serve,
    /// A response of its library to leave.
    Respond,
    /// All of some requests, as one: addresses for what comes.
    Join {
        joined: RequestId,
        buffers: Vec<Option<u64>>,
    },
}

/// Waits that are not over, by token.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    open: BTreeMap<u32, Task>,
    next: u32,
}

impl Tasks {
    fn begin(&mut self, task: Task) -> u32 {
        let token = self.next;
        self.next = token.wrapping_add(1);
        self.open.insert(token, task);
        token
    }
}

impl Driver<'_, '_> {
    /// Lets the library of a rank wait for an access.
    pub(crate) fn serve_next(
        &mut self,
        id: RankId,
        request: RequestId,
        place: &CallSite,
    ) -> Result<(), ExecuteError> {
        let token = self.tasks.begin(Task::Serve);
        let requests = vec![request];
        Ok(self.session.wait_in_task(id, requests, token, place)?)
    }

    /// Nobody waits for a response to leave, but the session forgets only what has been waited for.
    pub(crate) fn forget_response(
        &mut self,
        id: RankId,
        request: RequestId,
        place: &CallSite,
    ) -> Result<(), ExecuteError> {
        let token = self.tasks.begin(Task::Respond);
        let requests = vec![request];
        Ok(self.session.wait_in_task(id, requests, token, place)?)
    }

    pub(crate) fn join(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [list, count, ..] = call.arguments;
        let numbers = self.numbers(id, call, list, count)?;
        let requests = &mut self.ranks[id.0 as usize].requests;
        let (mut ids, mut buffers) = (Vec::new(), Vec::new());
        for (_, number) in numbers {
            if let Some(Request::Open { id, buffer }) = requests.remove(number) {
                ids.push(id);
                buffers.push(buffer);
            }
        }
        let place = self.place(call);
        let name = "non-blocking collective".to_owned();
        let joined = self.session.begin_task(id, name, place.clone());
        if ids.is_empty() {
            self.session.end_task(joined);
        } else {
            let token = self.tasks.begin(Task::Join { joined, buffers });
            self.session.wait_in_task(id, ids, token, &place)?;
        }
        self.give_request(id, joined, None);
        Ok(true)
    }

    /// A wait concurrent with the calls of a rank is over.
    pub(crate) fn task_over(
        &mut self,
        id: RankId,
        token: u32,
        over: Vec<Received>,
    ) -> Result<(), ExecuteError> {
        match self.tasks.open.remove(&token) {
            Some(Task::Serve) => {
                for received in over {
                    // 0: a message without a head is refused.
                    let message = received.data.unwrap_or_default();
                    self.serve(id, RankId(received.source), &message)?;
                }
            }
            Some(Task::Join { joined, buffers }) => {
                for received in over {
                    let buffer = buffers.get(received.index).copied().flatten();
                    if let (Some(buffer), Some(data)) = (buffer, received.data) {
                        self.write(id, buffer, &data)?;
                    }
                }
                self.session.end_task(joined);
            }
            Some(Task::Respond) | None => {}
        }
        Ok(())
    }
}
