// SPDX-License-Identifier: Apache-2.0
//! Records the calls of a session's ranks as a message trace, whose replay in a session like it takes the same cycles.

use super::collectives::{CollectiveName, RecordedCollective};
use super::record::{Event, MessageTrace, NewCommunicator, Record, Unit};
use crate::announce::{Receive, Send};
use crate::ids::{CommId, RankId, RequestId};
use crate::rank::CallKind;
use crate::response::{Received, Response};
use crate::session::Session;
use crate::terms::Terms;
use std::collections::BTreeMap;

/// A request that has not been waited for.
#[derive(Debug, Clone, Copy)]
struct Open {
    number: u32,
    /// Place of a receive among its rank's events.
    receive: Option<usize>,
}

/// What a rank has called.
#[derive(Debug, Default)]
pub(crate) struct RankRecording {
    /// `None`: a receive that was withdrawn.
    events: Vec<Option<Event>>,
    open: BTreeMap<RequestId, Open>,
    next_request: u32,
}

impl RankRecording {
    fn begin(&mut self, request: RequestId, receive: Option<usize>) -> u32 {
        let number = self.next_request;
        self.next_request += 1;
        self.open.insert(request, Open { number, receive });
        number
    }

    /// A request is over; its number.
    fn end(&mut self, request: RequestId, received: &Received) -> Option<u32> {
        let open = self.open.remove(&request)?;
        let place = open.receive.and_then(|at| self.events.get_mut(at));
        if let Some(Some(Event::Receive {
            source, tag, bytes, ..
        })) = place
        {
            *source = received.source;
            *tag = received.tag;
            // 0: a receive that got no payload.
            *bytes = received.data.as_ref().map_or(0, |data| data.len() as u64);
        }
        Some(open.number)
    }

    /// All events; sends that nobody has waited for are waited for at the end.
    fn records(&self) -> Vec<Record> {
        let is_open = |request: Option<u32>| {
            self.open
                .values()
                .any(|open| open.receive.is_some() && Some(open.number) == request)
        };
        let is_left = |event: &&Event| match event {
            Event::Receive { request, .. } => !is_open(*request),
            Event::Compute(_)
            | Event::Send { .. }
            | Event::Wait(_)
            | Event::Collective(_)
            | Event::Begun(_)
            | Event::Split { .. }
            | Event::Group(_) => true,
        };
        let sends = self.open.values().filter(|open| open.receive.is_none());
        let sends: Vec<u32> = sends.map(|open| open.number).collect();
        let last = (!sends.is_empty()).then_some(Event::Wait(sends));
        let events = self.events.iter().flatten().filter(is_left).cloned();
        let numbered = (1..).zip(events.chain(last));
        numbered
            .map(|(line, event)| Record {
                line,
                is_library: false,
                event,
            })
            .collect()
    }
}

impl Session<'_> {
    /// Records all calls from here on.
    pub fn record(&mut self) {
        let ranks = self.ranks.iter();
        self.recording = Some(ranks.map(|_| RankRecording::default()).collect());
    }

    /// The calls so far as a trace; `None` if they are not recorded.
    #[must_use]
    pub fn recorded(&self, source: &str) -> Option<MessageTrace> {
        let ranks = self.recording.as_ref()?;
        Some(MessageTrace {
            unit: Unit::Cycles,
            source: source.to_owned(),
            library: None,
            ranks: ranks.iter().map(RankRecording::records).collect(),
        })
    }

    /// A communicator's number for a rank.
    fn recorded_comm(&self, rank: RankId, comm: CommId) -> u32 {
        if comm == self.world() {
            0
        } else if self.alone.get(&rank) == Some(&comm) {
            1
        } else {
            comm.0 + 1
        }
    }

    fn recorded_members(&self, rank: RankId, comm: CommId) -> NewCommunicator {
        let members = self.comms[comm.0 as usize].ranks.iter();
        NewCommunicator {
            number: self.recorded_comm(rank, comm),
            ranks: members.map(|member| member.0).collect(),
        }
    }

    pub(crate) fn note_group(&mut self, rank: RankId, comm: CommId) {
        if self.recording.is_some() {
            self.note(rank, Event::Group(self.recorded_members(rank, comm)));
        }
    }

    fn recording_of(&mut self, rank: RankId) -> Option<&mut RankRecording> {
        self.recording.as_mut()?.get_mut(rank.idx())
    }

    fn note(&mut self, rank: RankId, event: Event) {
        if let Some(recording) = self.recording_of(rank) {
            recording.events.push(Some(event));
        }
    }

    pub(crate) fn note_compute(&mut self, rank: RankId, cycles: u64) {
        self.note(rank, Event::Compute(cycles));
    }

    pub(crate) fn note_send(
        &mut self,
        rank: RankId,
        send: (CommId, u32, i64, u64),
        is_synchronous: bool,
        request: RequestId,
    ) {
        let (comm, target, tag, bytes) = send;
        let comm = self.recorded_comm(rank, comm);
        let Some(recording) = self.recording_of(rank) else {
            return;
        };
        let request = Some(recording.begin(request, None));
        recording.events.push(Some(Event::Send {
            comm,
            target,
            tag,
            bytes,
            is_synchronous,
            request,
        }));
    }

    pub(crate) fn note_receive(&mut self, rank: RankId, receive: &Receive, request: RequestId) {
        let comm = self.recorded_comm(rank, receive.comm);
        let is_any_source = receive.source.is_none();
        let Some(recording) = self.recording_of(rank) else {
            return;
        };
        let request = Some(recording.begin(request, Some(recording.events.len())));
        recording.events.push(Some(Event::Receive {
            comm,
            // 0: any source, until the message has arrived.
            source: receive.source.unwrap_or(0),
            // 0: any tag, until the message has arrived.
            tag: receive.tag.unwrap_or(0),
            bytes: 0,
            is_any_source,
            request,
        }));
    }

    pub(crate) fn note_cancel(&mut self, rank: RankId, request: RequestId) {
        let Some(recording) = self.recording_of(rank) else {
            return;
        };
        let open = recording.open.remove(&request);
        let place = open.and_then(|open| recording.events.get_mut(open.receive?));
        if let Some(event) = place {
            *event = None;
        }
    }

    /// A non-blocking collective begins.
    pub(crate) fn note_begun(&mut self, rank: RankId, terms: &Terms) {
        if self.recording.is_some() {
            let begun = self.recorded_collective(rank, terms);
            self.note(rank, Event::Begun(begun));
        }
    }

    /// A call that the rank has waited in is over.
    pub(crate) fn note_over(&mut self, rank: RankId, call: &CallKind, response: &Response) {
        if self.recording.is_none() {
            return;
        }
        let event = match (call, response) {
            (CallKind::Wait { requests, .. }, Response::Requests(over)) => {
                let Some(recording) = self.recording_of(rank) else {
                    return;
                };
                let ended = over.iter();
                let numbers = ended.filter_map(|r| recording.end(*requests.get(r.index)?, r));
                Event::Wait(numbers.collect())
            }
            (CallKind::Collective(number), _) => {
                let terms = self.collectives[*number].terms;
                Event::Collective(self.recorded_collective(rank, &terms))
            }
            (CallKind::Split(split), Response::Communicator(made)) => {
                let comm = self.split_comm(*split);
                let made = made.map(|(made, ..)| self.recorded_members(rank, made));
                let comm = self.recorded_comm(rank, comm);
                Event::Split { comm, made }
            }
            (
                CallKind::Wait { .. }
                | CallKind::Busy { .. }
                | CallKind::Probe(_)
                | CallKind::Split(_),
                _,
            ) => return,
        };
        if event != Event::Wait(Vec::new()) {
            self.note(rank, event);
        }
    }

    fn recorded_collective(&self, rank: RankId, terms: &Terms) -> RecordedCollective {
        // A custom one, which MPI does not have, is no call of a program.
        let name = CollectiveName::of(terms.kind).unwrap_or(CollectiveName::Scan);
        let has_bytes = terms.kind.has_payload();
        RecordedCollective {
            name,
            comm: self.recorded_comm(rank, terms.comm),
            root: if name.has_root() { terms.root } else { 0 },
            fold: terms
                .kind
                .reduces()
                .then_some((Some(terms.operator), terms.element)),
            bytes: has_bytes
                .then(|| terms.agreed_bytes())
                .into_iter()
                .collect(),
        }
    }
}

/// What a trace says of a send.
pub(crate) fn sent(send: &Send) -> (CommId, u32, i64, u64) {
    (send.comm, send.target, send.tag, send.data.len() as u64)
}
