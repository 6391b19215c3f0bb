// SPDX-License-Identifier: Apache-2.0
//! Collectives that ranks call: one schedule for all of them, in which each rank's part waits for its call.

use crate::error::ProgramError;
use crate::ids::{CommId, RankId, RequestId};
use crate::output::by_tile;
use crate::rank::{CallKind, CallSite};
use crate::request::{Request, RequestKind};
use crate::response::Response;
use crate::session::Session;
use crate::split::OpenCall;
use crate::template::Template;
use crate::terms::Terms;
use noccl_coll::Choice;
use noccl_net::{Network, TileRef};
use noccl_workload::{ActionId, Collective, CollectiveKind, ElementType, Operator};
use std::rc::Rc;

/// Which algorithm carries a collective out.
pub type Choose<'a> = Box<dyn Fn(&Network, &Collective) -> Result<Choice, String> + 'a>;

/// A rank's call of a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectiveCall {
    /// On which communicator.
    pub comm: CommId,
    /// Which collective.
    pub kind: CollectiveKind,
    /// What the rank gives; blocks by rank of the communicator. Those that get a multicast give bytes of the length that they expect, or none.
    pub payload: Vec<u8>,
    /// Root, by rank of the communicator.
    pub root: u32,
    /// Operator of reductions.
    pub operator: Operator,
    /// Element type of reductions.
    pub element: ElementType,
}

/// A collective that some ranks have called.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) terms: Terms,
    pub(crate) first: (RankId, CallSite),
    /// By rank of the communicator: its input, whether it has called, and whether its part may begin, for which it may wait after the call.
    pub(crate) payloads: Vec<Option<Vec<u8>>>,
    pub(crate) has_called: Vec<bool>,
    pub(crate) has_entered: Vec<bool>,
    /// Who has called it last.
    pub(crate) last: RankId,
    /// By rank of the communicator: shares of actions that are not over; set when the schedule is submitted.
    pub(crate) open: Vec<u32>,
    pub(crate) submitted: Option<Submitted>,
    /// Is it among those that are submitted when there is memory?
    pub(crate) is_waiting: bool,
    /// By rank of the communicator: the request, if it is called beside what the rank does and is not over.
    pub(crate) requests: Vec<Option<RequestId>>,
    /// Ranks that have got their responses.
    pub(crate) num_done: u32,
}

/// The schedule of a collective in the run.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub(crate) template: Rc<Template>,
    /// Number of its first action.
    pub(crate) base: ActionId,
    /// First byte of its memory.
    pub(crate) memory: u64,
}

impl Instance {
    /// Nobody of so many ranks has called it, but `first` will.
    pub(crate) fn new(terms: Terms, first: (RankId, CallSite), size: usize) -> Self {
        Self {
            terms,
            last: first.0,
            first,
            payloads: vec![None; size],
            has_called: vec![false; size],
            has_entered: vec![false; size],
            open: vec![0; size],
            submitted: None,
            is_waiting: false,
            requests: vec![None; size],
            num_done: 0,
        }
    }

    /// Have all ranks got their responses?
    pub(crate) fn is_left(&self) -> bool {
        self.num_done as usize == self.has_called.len()
    }
}

impl Session<'_> {
    /// Can the network's algorithms carry a collective of a communicator out, if need be in chunks that fit into the ranks' memories?
    #[must_use]
    pub fn supports(&mut self, call: &CollectiveCall) -> bool {
        if self.supports_at_once(call) {
            return true;
        }
        let terms = self.terms(RankId(0), "", call);
        terms.is_ok_and(|terms| self.chunk_bytes_of(terms).is_some())
    }

    /// The same as a whole, as a rank needs that waits for a multicast without giving its length.
    #[must_use]
    pub fn supports_at_once(&mut self, call: &CollectiveCall) -> bool {
        let Some(comm) = self.comms.get(call.comm.0 as usize) else {
            return false;
        };
        if comm.size() == 1 {
            return true;
        }
        let terms = self.terms(RankId(0), "", call);
        terms.is_ok_and(|terms| self.fits(terms))
    }

    /// A rank calls a collective; in chunks, if its buffers are longer than the memory that collectives have.
    ///
    /// # Errors
    /// [`ProgramError::Argument`], [`ProgramError::Differs`], [`ProgramError::Collective`].
    pub fn collective(
        &mut self,
        rank: RankId,
        call: CollectiveCall,
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let terms = self.terms(rank, &call_site, &call)?;
        match self.chunk_bytes_of(terms) {
            Some(chunk_bytes) => self.call_in_chunks(rank, (call, terms), chunk_bytes, call_site),
            None => self.call_at_once(rank, (call, terms), call_site),
        }
    }

    /// A rank calls a collective whose buffers fit, or a chunk of one.
    pub(crate) fn call_at_once(
        &mut self,
        rank: RankId,
        (call, terms): (CollectiveCall, Terms),
        call_site: CallSite,
    ) -> Result<(), ProgramError> {
        let (number, position) = self.join(rank, &call_site, terms)?;
        self.begin_call(rank, CallKind::Collective(number), call_site);
        self.call_instance(number, position, call.payload, None)
    }

    /// A rank calls a collective that goes on beside what it does, and goes on at once.
    ///
    /// # Errors
    /// As [`Session::collective`].
    pub fn icollective(
        &mut self,
        rank: RankId,
        call: CollectiveCall,
        call_site: CallSite,
    ) -> Result<RequestId, ProgramError> {
        if !self.supports_nonblocking(&call) {
            return Err(ProgramError::Argument {
                rank,
                call_site,
                what: format!("non-blocking {}", call.kind),
                accepted: "collectives that supports_nonblocking accepts".to_owned(),
            });
        }
        let terms = Terms {
            is_nonblocking: true,
            ..self.terms(rank, &call_site, &call)?
        };
        self.note_begun(rank, &terms);
        if let Some(chunk_bytes) = self.chunk_bytes_of(terms) {
            return self.icollective_in_chunks(rank, (call, terms), chunk_bytes, call_site);
        }
        let (number, position) = self.join(rank, &call_site, terms)?;
        let request = self.requests.open(Request {
            rank,
            call_site,
            kind: RequestKind::Collective(number),
            message: None,
            is_over: false,
            output: None,
        });
        self.collectives[number].requests[position as usize] = Some(request);
        self.call_instance(number, position, call.payload, None)?;
        Ok(request)
    }

    /// Can the network's algorithms carry a collective out while its ranks do something else, if need be in chunks?
    #[must_use]
    pub fn supports_nonblocking(&mut self, call: &CollectiveCall) -> bool {
        let Ok(terms) = self.terms(RankId(0), "", call) else {
            return false;
        };
        let terms = Terms {
            is_nonblocking: true,
            ..terms
        };
        if self.carries_words {
            // The steps of the collective would be among those of the ranks in an order that no rank knows.
            return false;
        }
        if self.size_of(terms.comm) == 1 {
            return true;
        }
        let chunk_bytes = self.chunk_bytes_of(terms);
        let whole = chunk_bytes.map_or(terms, |chunk| Terms {
            bytes: Some(chunk),
            is_chunk: true,
            ..terms
        });
        self.fits(whole) && self.merges_at_most_once(whole)
    }

    /// Where contributions merge in the network, every tile has to send them in the same order: so there is one step of this kind, and it
    /// waits for nothing.
    fn merges_at_most_once(&mut self, terms: Terms) -> bool {
        self.template(terms, 0).is_ok_and(|template| {
            let merges = template.actions.iter().filter(|action| {
                let kind = &action.kind;
                kind.network_fold().is_some()
                    || kind.barrier().is_some()
                    || kind.arrival().is_some()
            });
            let waits: Vec<bool> = merges.map(|action| !action.after.is_empty()).collect();
            waits.len() <= 1 && !waits.contains(&true)
        })
    }

    /// The collective that a rank's call belongs to, and the rank's number there.
    pub(crate) fn join(
        &mut self,
        rank: RankId,
        call_site: &CallSite,
        terms: Terms,
    ) -> Result<(u32, u32), ProgramError> {
        let position = self.position(rank, terms.comm, call_site)?;
        let found = self.comms[terms.comm.0 as usize].next_call(position);
        let number = match found {
            Some(OpenCall::Collective(number)) => {
                self.agree(number, rank, call_site, terms)?;
                number
            }
            Some(OpenCall::Split(number)) => {
                return Err(self.differs_from_split(number, rank, call_site.clone(), terms.name()));
            }
            None => self.begin_collective(rank, call_site, terms),
        };
        Ok((number, position))
    }

    /// A rank has called a collective; its part begins when the calls before it on the communicator have begun, and `after` is over.
    pub(crate) fn call_instance(
        &mut self,
        number: u32,
        position: u32,
        payload: Vec<u8>,
        after: Option<u32>,
    ) -> Result<(), ProgramError> {
        let instance = &mut self.collectives[number];
        instance.has_called[position as usize] = true;
        let comm = &self.comms[instance.terms.comm.0 as usize];
        instance.last = comm.ranks[position as usize];
        match self.deferred(number, position, payload, after) {
            Some(payload) => self.enter(number, position, payload),
            None => Ok(()),
        }
    }

    /// A rank's part of a collective begins.
    pub(crate) fn enter(
        &mut self,
        number: u32,
        position: u32,
        payload: Vec<u8>,
    ) -> Result<(), ProgramError> {
        let instance = &mut self.collectives[number];
        instance.has_entered[position as usize] = true;
        instance.payloads[position as usize] = Some(payload);
        if instance.submitted.is_some() {
            self.release(number, position);
        } else if instance.terms.bytes.is_some() {
            if !std::mem::replace(&mut instance.is_waiting, true) {
                self.waiting_collectives.push_back(number);
            }
            self.submit_collectives()?;
        }
        Ok(())
    }

    fn begin_collective(&mut self, rank: RankId, call_site: &CallSite, terms: Terms) -> u32 {
        let comm = &mut self.comms[terms.comm.0 as usize];
        let size = comm.ranks.len();
        let number = self.collectives.next_number();
        comm.begin(OpenCall::Collective(number));
        let first = (rank, call_site.clone());
        self.collectives.push(Instance::new(terms, first, size));
        number
    }

    fn agree(
        &mut self,
        number: u32,
        rank: RankId,
        call_site: &CallSite,
        terms: Terms,
    ) -> Result<(), ProgramError> {
        let instance = &mut self.collectives[number];
        if !instance.terms.fits(&terms) {
            return Err(ProgramError::Differs {
                rank,
                call_site: call_site.clone(),
                call: terms.name(),
                other: instance.first.0,
                other_call_site: instance.first.1.clone(),
                other_call: instance.terms.name(),
            });
        }
        instance.terms.bytes = instance.terms.bytes.or(terms.bytes);
        Ok(())
    }

    /// A rank's part of a collective whose schedule is submitted begins.
    fn release(&mut self, number: u32, position: u32) {
        self.fill(number, position);
        let instance = &self.collectives[number];
        let Some(submitted) = &instance.submitted else {
            return;
        };
        let rank = self.comms[instance.terms.comm.0 as usize].ranks[position as usize];
        let tile = self.ranks[rank.idx()].tile;
        for action in submitted.template.of_tile.get(&tile).into_iter().flatten() {
            let action = ActionId(submitted.base.0 + action);
            self.run.release(action, tile, instance.terms.order());
        }
    }

    /// Writes what a rank gives into its memory; its part may be over at once.
    pub(crate) fn fill(&mut self, number: u32, position: u32) {
        let instance = &mut self.collectives[number];
        let terms = instance.terms;
        let comm = &self.comms[terms.comm.0 as usize];
        let rank = comm.ranks[position as usize];
        let gives = terms.kind.input_holders().include(position == terms.root);
        let payload = instance.payloads[position as usize].as_ref();
        if let (true, Some(payload), Some(submitted)) = (gives, payload, &instance.submitted) {
            let bytes = match terms.kind.gives_blocks() {
                true => by_tile(payload, &comm.by_tile),
                false => payload.clone(),
            };
            let at = noccl_workload::Place {
                tile: TileRef::Cluster(self.ranks[rank.idx()].coord),
                offset: submitted.template.input_offset,
            };
            self.run.write(at, &bytes);
        }
        if self.collectives[number].open[position as usize] == 0 {
            self.part_over(number, position, rank);
        }
    }

    /// A rank's part of a collective is over.
    pub(crate) fn part_over(&mut self, number: u32, position: u32, rank: RankId) {
        self.to_respond.insert(rank);
        let request = self.collectives[number].requests[position as usize].take();
        let Some(request) = request else {
            return;
        };
        let Some(Response::Output(output)) = self.collective_response(number, rank) else {
            return;
        };
        let comm = self.collectives[number].terms.comm;
        let Some(output) = self.output_of_request(request, (comm, position, number), output) else {
            return;
        };
        if let Some(request) = self.requests.get_mut(request) {
            request.output = Some(output);
            request.is_over = true;
        }
    }

    /// A share of a collective's action is over.
    pub(crate) fn step_over(&mut self, number: u32, rank: RankId) {
        let comm = self.collectives[number].terms.comm;
        let Some(position) = self.comms[comm.0 as usize].position(rank) else {
            return;
        };
        let open = &mut self.collectives[number].open[position as usize];
        *open -= 1;
        if *open == 0 {
            self.part_over(number, position, rank);
        }
    }
}
