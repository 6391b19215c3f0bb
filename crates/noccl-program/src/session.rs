// SPDX-License-Identifier: Apache-2.0
//! A program of ranks on a network: what each has called, and when its call is over.

use crate::chunks::{ChunkedCall, ChunkedRequests};
use crate::collective::{Choose, Instance};
use crate::error::ProgramError;
use crate::ids::{CommId, MessageId, RankId, RequestId};
use crate::memory::Ranges;
use crate::message::Messages;
use crate::rank::{Call, CallKind, Rank};
use crate::report::{Span, Uses};
use crate::request::{RequestKind, Requests};
use crate::response::{Received, Response};
use crate::split::{Communicator, Group, Split};
use crate::streams::Streams;
use crate::tasks::TaskWait;
use crate::template::Template;
use crate::terms::Terms;
use crate::trace::RankRecording;
use noccl_coll::{Algorithm, Choice};
use noccl_net::{Coord, Network};
use noccl_run::{Ended, OpenRun, Order, RunConfig, RunError, TimeSlices};
use noccl_sim::open_run;
use noccl_workload::Numbered;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// How a program runs.
pub struct Options<'a> {
    /// How the network is simulated.
    pub config: RunConfig,
    /// Algorithms of collectives.
    pub choose: Choose<'a>,
}

/// Whose an action of the run is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role {
    /// A chunk of a message.
    Message(MessageId),
    /// A rank that is busy.
    Busy(RankId),
    /// A step of a collective.
    Step(u32),
}

/// A program between two calls.
pub struct Session<'n> {
    pub(crate) network: &'n Network,
    pub(crate) run: Box<dyn OpenRun + 'n>,
    pub(crate) choose: Choose<'n>,
    /// The algorithm that the user named for all collectives.
    pub(crate) named: Option<Algorithm>,
    pub(crate) carries_words: bool,
    pub(crate) ranks: Vec<Rank>,
    /// Rank by tile.
    rank_at: BTreeMap<u32, RankId>,
    pub(crate) comms: Vec<Communicator>,
    /// Communicators of ranks alone, once they are asked for.
    pub(crate) alone: BTreeMap<RankId, CommId>,
    /// Communicators of other groups that their members have asked for.
    pub(crate) groups: BTreeMap<Vec<RankId>, Group>,
    pub(crate) requests: Requests,
    pub(crate) messages: Messages,
    /// By action of the run that is not over.
    pub(crate) roles: Numbered<Role>,
    /// Memory of collectives, the same bytes of every tile, and of each rank's messages.
    pub(crate) shared: Ranges,
    pub(crate) own: Vec<Ranges>,
    /// Longest chunk of a message.
    pub(crate) chunk_bytes: u64,
    pub(crate) has_freed: bool,
    /// By rank: messages of which something can be submitted.
    pub(crate) to_submit: Vec<VecDeque<MessageId>>,
    /// Collectives and splits that some rank has not left, and those that all have left.
    pub(crate) collectives: Numbered<Instance>,
    pub(crate) splits: Numbered<Split>,
    pub(crate) left: Vec<u32>,
    pub(crate) left_splits: Vec<u32>,
    pub(crate) waiting_collectives: VecDeque<u32>,
    /// Those that wait for reductions of their communicators, in the order of their calls.
    pub(crate) deferred_collectives: Vec<u32>,
    pub(crate) templates: HashMap<(Terms, u64), Rc<Template>>,
    /// Algorithms of collectives, and of barriers of the same group.
    pub(crate) choices: HashMap<Terms, (Choice, Choice)>,
    pub(crate) streams: Streams,
    /// Collectives that leave streams to other communicators.
    pub(crate) by_streams: HashSet<Terms>,
    pub(crate) uses: Uses,
    /// Collectives that are submitted, with reductions in the network; some may be over.
    pub(crate) reducing: Vec<u32>,
    /// Ranks whose calls may be over.
    pub(crate) to_respond: BTreeSet<RankId>,
    pub(crate) spans: Vec<Span>,
    pub(crate) num_calls: u64,
    pub(crate) keeps_all_calls: bool,
    /// By rank: when it computes, if that is kept.
    pub(crate) computes: Option<Vec<TimeSlices>>,
    /// Do calls say what they wait for?
    pub(crate) keeps_awaits: bool,
    /// By rank: its calls, if they are recorded.
    pub(crate) recording: Option<Vec<RankRecording>>,
    /// What waits for requests beside the calls of its rank.
    pub(crate) task_waits: BTreeMap<RankId, Vec<TaskWait>>,
    /// Collectives in chunks that ranks wait for, the non-blocking ones, and how long chunks are.
    pub(crate) chunked_calls: BTreeMap<RankId, ChunkedCall>,
    pub(crate) chunked_requests: ChunkedRequests,
    pub(crate) collective_chunk_bytes: HashMap<Terms, Option<u64>>,
    failed: Option<ProgramError>,
    ended: Vec<Ended>,
}

/// A message's chunk is at most this part of a tile's memory for messages.
const CHUNKS: u64 = 8;

/// Ends of shares between two questions whether to go on.
const EVENTS_PER_QUESTION: u64 = 64;

impl<'n> Session<'n> {
    /// A program of so many ranks that have called nothing yet: on a rectangle of columns and rows as near to a square as fits, rank after
    /// rank along the rows.
    ///
    /// # Errors
    /// [`ProgramError::Ranks`]; [`ProgramError::Run`] on networks that run whole schedules only.
    pub fn new(
        network: &'n Network,
        ranks: u32,
        options: Options<'n>,
    ) -> Result<Self, ProgramError> {
        let coords = crate::session::places(network, ranks)?;
        let run = open_run(network, &options.config)?;
        let tile = |at: &Coord| network.tile_at(network.mesh_coord(*at));
        let ranks: Vec<Rank> = coords.iter().map(|at| Rank::new(*at, tile(at))).collect();
        let rank_at = (0..).zip(&ranks);
        let rank_at = rank_at.map(|(number, rank)| (rank.tile.0, RankId(number)));
        let all: Vec<RankId> = (0..ranks.len() as u32).map(RankId).collect();
        let align = network.beat_bytes().max(8);
        // 0: without ranks there is no memory.
        let memory = ranks
            .first()
            .map_or(0, |rank| network.memory_bytes(rank.tile));
        let middle = (memory / 2).next_multiple_of(align);
        let own = Ranges::new(middle, memory, align);
        let chunk_bytes = (own.capacity() / CHUNKS / align * align).max(align);
        Ok(Self {
            network,
            run,
            choose: options.choose,
            named: None,
            carries_words: network.routers().carries_words(),
            rank_at: rank_at.collect(),
            comms: vec![Communicator::new(all, &coords)],
            alone: BTreeMap::new(),
            groups: BTreeMap::new(),
            requests: Requests::default(),
            messages: Messages::default(),
            roles: Numbered::default(),
            shared: Ranges::new(0, middle, align),
            own: vec![own; ranks.len()],
            chunk_bytes,
            has_freed: false,
            to_submit: vec![VecDeque::new(); ranks.len()],
            collectives: Numbered::default(),
            splits: Numbered::default(),
            left: Vec::new(),
            left_splits: Vec::new(),
            waiting_collectives: VecDeque::new(),
            deferred_collectives: Vec::new(),
            templates: HashMap::new(),
            choices: HashMap::new(),
            streams: Streams::default(),
            by_streams: HashSet::new(),
            uses: Uses::default(),
            reducing: Vec::new(),
            to_respond: BTreeSet::new(),
            spans: Vec::new(),
            num_calls: 0,
            keeps_all_calls: false,
            computes: None,
            keeps_awaits: false,
            recording: None,
            task_waits: BTreeMap::new(),
            chunked_calls: BTreeMap::new(),
            chunked_requests: ChunkedRequests::default(),
            collective_chunk_bytes: HashMap::new(),
            failed: None,
            ended: Vec::new(),
            ranks,
        })
    }

    /// The network.
    #[must_use]
    pub const fn network(&self) -> &'n Network {
        self.network
    }

    /// The communicator of all ranks.
    #[must_use]
    pub const fn world(&self) -> CommId {
        CommId(0)
    }

    /// Cycle in which a rank stands.
    #[must_use]
    pub fn now(&self, rank: RankId) -> u64 {
        self.ranks[rank.idx()].cycle
    }

    /// A rank's program has ended.
    pub fn finish(&mut self, rank: RankId) {
        self.ranks[rank.idx()].is_finished = true;
    }

    /// A rank's program has failed: so does the whole one.
    pub fn fail(&mut self, rank: RankId, message: String) {
        let failed = ProgramError::Failed { rank, message };
        self.failed.get_or_insert(failed);
    }

    /// Simulates until calls of ranks are over: each of them makes its next call, or reports that it has finished, before the next call of this.
    /// No responses: all ranks have finished.
    ///
    /// # Errors
    /// [`ProgramError::Stuck`] if no rank can go on, and those of calls.
    pub fn advance(&mut self) -> Result<Vec<(RankId, Response)>, ProgramError> {
        self.advance_while(&mut || true)
    }

    /// As [`Session::advance`]; `goes_on` is called now and then, and ends the program when it returns false.
    ///
    /// # Errors
    /// As [`Session::advance`]; [`RunError::Interrupted`].
    pub fn advance_while(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<(RankId, Response)>, ProgramError> {
        let mut events = 0_u64;
        loop {
            events += 1;
            if events.is_multiple_of(EVENTS_PER_QUESTION) && !goes_on() {
                let cycle = self.run.cycle();
                return Err(ProgramError::Run(RunError::Interrupted { cycle }));
            }
            if let Some(failed) = self.failed.take() {
                return Err(failed);
            }
            let responses = self.responses()?;
            self.submit_all()?;
            if !responses.is_empty() || self.ranks.iter().all(|rank| rank.is_finished) {
                return Ok(responses);
            }
            if !self.to_respond.is_empty() {
                // Chunks that were called just now may be over at once.
                continue;
            }
            let mut ended = std::mem::take(&mut self.ended);
            ended.clear();
            if let Err(error) = self.run.advance(&mut ended) {
                return Err(self.stuck(Some(error)));
            }
            if ended.is_empty() {
                return Err(self.stuck(None));
            }
            for event in &ended {
                self.happened(*event)?;
            }
            self.ended = ended;
            self.submit_all()?;
        }
    }

    /// What waited for chunks before it, or for memory.
    fn submit_all(&mut self) -> Result<(), ProgramError> {
        self.enter_deferred()?;
        while std::mem::take(&mut self.has_freed) {
            for rank in 0..self.ranks.len() as u32 {
                self.submit_messages(RankId(rank), Order::Concurrent)?;
            }
            self.submit_collectives()?;
        }
        Ok(())
    }

    fn happened(&mut self, event: Ended) -> Result<(), ProgramError> {
        let Some(rank) = self.rank_at.get(&event.tile.0).copied() else {
            return Ok(());
        };
        let role = self.roles[event.action.0];
        if event.is_last {
            self.roles.forget(event.action.0);
        }
        if !event.is_over {
            if let Role::Message(message) = role {
                self.message_comes(message)?;
            }
            return Ok(());
        }
        let cycle = &mut self.ranks[rank.idx()].cycle;
        *cycle = (*cycle).max(event.cycle).max(self.run.cycle());
        match role {
            Role::Message(message) => self.chunk_over(message, event.action, rank)?,
            Role::Step(number) => self.step_over(number, rank),
            Role::Busy(busy) => {
                if let Some(Call {
                    kind: CallKind::Busy { is_over, .. },
                    ..
                }) = &mut self.ranks[busy.idx()].call
                {
                    *is_over = true;
                    self.to_respond.insert(busy);
                }
            }
        }
        Ok(())
    }

    /// Ranks whose calls are over, ascending.
    fn responses(&mut self) -> Result<Vec<(RankId, Response)>, ProgramError> {
        let mut responses = Vec::new();
        for rank in std::mem::take(&mut self.to_respond) {
            self.respond_to_tasks(rank, &mut responses);
            let Some(mut call) = self.ranks[rank.idx()].call.take() else {
                continue;
            };
            match self.response(rank, &call.kind) {
                Some(response) => {
                    let now = self.run.cycle().max(self.ranks[rank.idx()].cycle);
                    self.ranks[rank.idx()].cycle = now;
                    self.note_over(rank, &call.kind, &response);
                    if let Some(response) = self.collective_chunk_over(rank, &mut call, response)? {
                        self.note_span(rank, call, now);
                        responses.push((rank, response));
                    }
                }
                None => self.ranks[rank.idx()].call = Some(call),
            }
        }
        self.forget_left();
        Ok(responses)
    }

    fn response(&mut self, rank: RankId, call: &CallKind) -> Option<Response> {
        match call {
            CallKind::Wait { requests, all } => self.wait_response(requests, *all),
            CallKind::Busy { is_over, .. } => is_over.then_some(Response::Done),
            CallKind::Probe(wanted) => {
                let found = self.ranks[rank.idx()].inbox.probe(*wanted);
                found.and_then(|message| self.probed(message))
            }
            CallKind::Collective(number) => self.collective_response(*number, rank),
            CallKind::Split(split) => self.split_response(*split, rank),
        }
    }

    pub(crate) fn wait_response(&mut self, requests: &[RequestId], all: bool) -> Option<Response> {
        let is_over = |id: &RequestId| self.requests.get(*id).is_some_and(|r| r.is_over);
        let over: Vec<usize> = (0..requests.len())
            .filter(|at| is_over(&requests[*at]))
            .collect();
        if !requests.is_empty() && (over.is_empty() || all && over.len() < requests.len()) {
            return None;
        }
        let close = |index: usize| {
            let request = self.requests.close(requests[index])?;
            let is_received = match request.kind {
                RequestKind::Send { .. } => false,
                RequestKind::Receive { .. } => true,
                RequestKind::Collective(_) | RequestKind::Task(_) => {
                    return Some(Received {
                        index,
                        source: 0,
                        tag: 0,
                        data: request.output,
                    });
                }
            };
            let id = request.message?;
            let message = self.messages.at_mut(id);
            let data = is_received.then(|| std::mem::take(&mut message.data));
            let (source, tag) = (message.source, message.tag);
            let comm = &self.comms[message.comm.0 as usize];
            let source = comm.position(source)?;
            self.forget_message(id);
            Some(Received {
                index,
                source,
                tag,
                data,
            })
        };
        Some(Response::Requests(
            over.into_iter().filter_map(close).collect(),
        ))
    }

    pub(crate) fn probed(&self, message: MessageId) -> Option<Response> {
        let message = self.messages.at(message);
        let comm = &self.comms[message.comm.0 as usize];
        Some(Response::Probed {
            source: comm.position(message.source)?,
            tag: message.tag,
            bytes: message.bytes,
        })
    }

    pub(crate) fn coord(&self, rank: RankId) -> Coord {
        self.ranks[rank.idx()].coord
    }
}

// Which tiles ranks run on: a rectangle from the south-west corner, as near to a square as the network has.

/// The tile of each rank, along the rows.
///
/// # Errors
/// [`ProgramError::Ranks`] if there are more ranks than tiles, or none.
pub fn places(network: &Network, ranks: u32) -> Result<Vec<Coord>, ProgramError> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let rectangles = (1..=width).flat_map(|columns| (1..=height).map(move |rows| (columns, rows)));
    let holds =
        rectangles.filter(|(columns, rows)| u32::from(*columns) * u32::from(*rows) >= ranks);
    // Fewest tiles, then nearest to a square, then more columns than rows.
    let best = holds.min_by_key(|(columns, rows)| {
        let tiles = u32::from(*columns) * u32::from(*rows);
        (tiles, columns.abs_diff(*rows), columns < rows)
    });
    let Some((columns, _)) = best.filter(|_| ranks > 0) else {
        return Err(ProgramError::Ranks {
            ranks,
            tiles: usize::from(width) * usize::from(height),
            what: if network.cores().is_some() {
                "core"
            } else {
                "cluster"
            },
        });
    };
    let columns = u32::from(columns);
    let at = |rank: u32| Coord::new((rank % columns) as u16, (rank / columns) as u16);
    Ok((0..ranks).map(at).collect())
}
