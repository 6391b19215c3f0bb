// SPDX-License-Identifier: Apache-2.0
//! What goes on beside the calls of a rank: a task of many messages, such as a collective that is composed of them and does not block.
//!
//! Whoever drives the rank carries the task out: it sends and receives in the rank's name, and waits for requests beside the rank's own
//! call. The rank waits for the task as for any other request.

use crate::error::ProgramError;
use crate::ids::{RankId, RequestId};
use crate::rank::Place;
use crate::request::{Request, RequestKind};
use crate::response::Response;
use crate::session::Session;

/// A wait for all of some requests.
#[derive(Debug)]
pub(crate) struct BesideWait {
    token: u32,
    requests: Vec<RequestId>,
}

impl Session<'_> {
    /// Begins a task of a rank, named as messages say what the rank waits for.
    pub fn begin_task(&mut self, rank: RankId, name: String, place: Place) -> RequestId {
        self.requests.open(Request {
            rank,
            place,
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
    pub fn wait_beside(
        &mut self,
        rank: RankId,
        requests: Vec<RequestId>,
        token: u32,
        place: &Place,
    ) -> Result<(), ProgramError> {
        self.check_requests(rank, &requests, place)?;
        let wait = BesideWait { token, requests };
        self.beside.entry(rank).or_default().push(wait);
        self.to_respond.insert(rank);
        Ok(())
    }

    /// Responses to waits of a rank's tasks that are over.
    pub(crate) fn respond_beside(&mut self, rank: RankId, responses: &mut Vec<(RankId, Response)>) {
        let Some(waits) = self.beside.remove(&rank) else {
            return;
        };
        let mut open = Vec::new();
        for wait in waits {
            match self.wait_response(&wait.requests, true) {
                Some(Response::Requests(over)) => {
                    let token = wait.token;
                    responses.push((rank, Response::Beside { token, over }));
                }
                Some(
                    Response::Done
                    | Response::Probed { .. }
                    | Response::Output(_)
                    | Response::Beside { .. }
                    | Response::Communicator(_),
                )
                | None => open.push(wait),
            }
        }
        if !open.is_empty() {
            self.beside.insert(rank, open);
        }
    }
}
