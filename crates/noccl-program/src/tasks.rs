// SPDX-License-Identifier: Apache-2.0
//! Tasks concurrent with the calls of a rank: many messages, such as those of a non-blocking collective that is composed of them.
//!
//! Whoever drives the rank carries the task out: it sends and receives in the rank's name, and waits for requests concurrently with the rank's own
//! call. The rank waits for the task as for any other request.

use crate::error::ProgramError;
use crate::ids::{RankId, RequestId};
use crate::rank::CallSite;
use crate::request::{Request, RequestKind};
use crate::response::Response;
use crate::session::Session;

/// A wait for all of some requests.
#[derive(Debug)]
pub(crate) struct TaskWait {
    token: u32,
    requests: Vec<RequestId>,
}

impl Session<'_> {
    /// Begins a task of a rank, named as messages say what the rank waits for.
    pub fn begin_task(&mut self, rank: RankId, name: String, call_site: CallSite) -> RequestId {
        self.requests.open(Request {
            rank,
            call_site,
            kind: RequestKind::Task(name),
            message: None,
            is_over: false,
            output: None,
        })
    }

    /// A task is over, in the cycle in which the run stands.
    pub fn end_task(&mut self, task: RequestId) {
        if let Some(request) = self.requests.get_mut(task) {
            request.is_over = true;
            self.to_respond.insert(request.rank);
        }
    }

    /// A task waits for requests of its rank, all of them; the response carries the number that is given.
    ///
    /// # Errors
    /// [`ProgramError::Argument`] for a request that is over or of another rank.
    pub fn wait_in_task(
        &mut self,
        rank: RankId,
        requests: Vec<RequestId>,
        token: u32,
        call_site: &CallSite,
    ) -> Result<(), ProgramError> {
        self.check_requests(rank, &requests, call_site)?;
        let wait = TaskWait { token, requests };
        self.task_waits.entry(rank).or_default().push(wait);
        self.to_respond.insert(rank);
        Ok(())
    }

    /// Responses to waits of a rank's tasks that are over.
    pub(crate) fn respond_to_tasks(
        &mut self,
        rank: RankId,
        responses: &mut Vec<(RankId, Response)>,
    ) {
        let Some(waits) = self.task_waits.remove(&rank) else {
            return;
        };
        let mut open = Vec::new();
        for wait in waits {
            match self.wait_response(&wait.requests, true) {
                Some(Response::Requests(over)) => {
                    let token = wait.token;
                    responses.push((rank, Response::Task { token, over }));
                }
                Some(
                    Response::Done
                    | Response::Probed { .. }
                    | Response::Output(_)
                    | Response::Task { .. }
                    | Response::Communicator(_),
                )
                | None => open.push(wait),
            }
        }
        if !open.is_empty() {
            self.task_waits.insert(rank, open);
        }
    }
}
