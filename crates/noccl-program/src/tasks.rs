// SPDX-License-Identifier: Apache-2.0
//! Tasks concurrent with the calls of a rank: many messages, such as those of a non-blocking collective that is composed of them.
//!
//! Whoever drives the rank carries the task out: it sends and receives in the rank's name, and waits for requests concurrently with the rank's own
//! call. The rank waits for the task as for any other request.

use crate::collective::Submitted;
use crate::error::ProgramError;
use crate::ids::{RankId, RequestId};
use crate::rank::CallSite;
use crate::request::{Request, RequestKind};
use crate::response::Response;
use crate::session::{Role, Session};
use crate::template::Template;
use crate::terms::Terms;
use noccl_coll::CollError;
use noccl_net::counts::len_of;
use noccl_workload::{Action, ActionId};
use std::rc::Rc;

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

// Submitting the schedule of a collective: the parts of ranks that have not called yet are held.

impl Session<'_> {
    /// Submits the schedules of collectives whose lengths are known, as far as there is memory for them, in the order of their calls. Those
    /// that wait for others of their communicator leave the queue meanwhile: they must not delay other communicators.
    pub(crate) fn submit_collectives(&mut self) -> Result<(), ProgramError> {
        while let Some(number) = self.deferred_collectives.pop() {
            self.waiting_collectives.push_front(number);
        }
        while let Some(number) = self.waiting_collectives.front().copied() {
            if self.waits_for_its_communicator(number)? {
                self.deferred_collectives.push(number);
            } else if !self.submit_collective(number)? {
                return Ok(());
            }
            self.waiting_collectives.pop_front();
        }
        Ok(())
    }

    /// False if there is no memory for it now.
    fn submit_collective(&mut self, number: u32) -> Result<bool, ProgramError> {
        let comm = self.collectives[number].terms.comm;
        let size = self.comms[comm.0 as usize].size();
        if size == 1 {
            self.end_alone(number);
            return Ok(true);
        }
        self.avoid_overflow(number)?;
        let terms = self.collectives[number].terms;
        let at_zero = self.template(terms, 0)?;
        let needed = at_zero.end;
        let Some(memory) = self.shared.take(needed) else {
            if self.shared.capacity() < needed {
                return Err(ProgramError::Collective {
                    call: terms.name(),
                    source: CollError::Impossible(format!(
                        "it needs {needed} bytes of every rank's memory; accepted: up to {}",
                        self.shared.capacity()
                    )),
                });
            }
            return Ok(false);
        };
        let template = self.template(terms, memory)?;
        let base = ActionId(self.roles.next_number());
        let held = self.not_entered(number);
        for action in &template.actions {
            let shifted = action
                .after
                .iter()
                .map(|before| ActionId(before.0 + base.0));
            let action = Action {
                kind: action.kind.clone(),
                after: shifted.collect(),
            };
            self.run.submit(
                action,
                &|tile| held.get(tile.idx()) == Some(&true),
                terms.order(),
            )?;
            self.roles.push(Role::Step(number));
        }
        let comm = &self.comms[terms.comm.0 as usize];
        let shares = |rank: &RankId| {
            let of_tile = template.of_tile.get(&self.ranks[rank.idx()].tile);
            len_of(of_tile) as u32
        };
        let open = comm.ranks.iter().map(shares).collect();
        let instance = &mut self.collectives[number];
        instance.open = open;
        instance.submitted = Some(Submitted {
            template,
            base,
            memory,
        });
        self.note_reductions(number);
        self.note_use(number);
        for position in 0..size {
            if self.collectives[number].has_entered[position as usize] {
                self.fill(number, position);
            }
        }
        Ok(true)
    }

    pub(crate) fn template(
        &mut self,
        terms: Terms,
        first_byte: u64,
    ) -> Result<Rc<Template>, ProgramError> {
        if let Some(known) = self.templates.get(&(terms, first_byte)) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(self.make_template(terms, first_byte)?);
        for action in &made.actions {
            self.run.accepts(action)?;
        }
        self.templates.insert((terms, first_byte), Rc::clone(&made));
        Ok(made)
    }

    /// By tile: is its rank one of the communicator whose part may not begin yet?
    fn not_entered(&self, number: u32) -> Vec<bool> {
        let instance = &self.collectives[number];
        let comm = &self.comms[instance.terms.comm.0 as usize];
        let mut held = vec![false; self.network.num_tiles()];
        for (rank, has_entered) in comm.ranks.iter().zip(&instance.has_entered) {
            held[self.ranks[rank.idx()].tile.idx()] = !has_entered;
        }
        held
    }

    /// A collective of one rank: what it gives is what it gets.
    fn end_alone(&mut self, number: u32) {
        let rank = self.comms[self.collectives[number].terms.comm.0 as usize].ranks[0];
        self.part_over(number, 0, rank);
    }
}
