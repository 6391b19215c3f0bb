// SPDX-License-Identifier: Apache-2.0
//! Why no rank can go on: a line per rank, with what it waits for and where.

use crate::collective::Instance;
use crate::error::ProgramError;
use crate::ids::{RankId, RequestId};
use crate::matching::tag_name;
use crate::rank::{Call, CallKind};
use crate::request::{Request, RequestKind};
use crate::session::Session;
use noccl_run::RunError;
use std::fmt::Write;

/// Requests that a call that waits names.
const MAX_NAMED: usize = 4;

/// Characters of a request's name where many are kept: that of a collective lists ranks.
const MAX_NAME_CHARS: usize = 120;

fn shorten(name: &mut String) {
    if let Some((end, _)) = name.char_indices().nth(MAX_NAME_CHARS) {
        name.truncate(end);
        name.push('…');
    }
}

impl Session<'_> {
    /// Nobody can go on: what each rank waits for.
    pub(crate) fn stuck(&self, stall: Option<RunError>) -> ProgramError {
        let mut waits = String::new();
        for (number, rank) in self.ranks.iter().enumerate() {
            let rank_id = RankId(number as u32);
            let what = match &rank.call {
                Some(call) => format!("{} at {}", self.waits_for(&call.kind), call.call_site),
                None if rank.is_finished => "has ended".to_owned(),
                None => "has submitted no call".to_owned(),
            };
            let _ = writeln!(waits, "  {rank_id} {what}");
        }
        if let Some(stall) = stall {
            let _ = writeln!(waits, "  {stall}");
        }
        ProgramError::Stuck {
            cycle: self.run.cycle(),
            waits: waits.trim_end().to_owned(),
        }
    }

    fn waits_for(&self, call: &CallKind) -> String {
        match call {
            CallKind::Wait { requests, .. } => {
                format!("waits for {}", self.open_requests(requests).join(", "))
            }
            CallKind::Busy { .. } => "computes".to_owned(),
            CallKind::Probe(wanted) => format!("waits for {}", wanted.name()),
            CallKind::Collective(number) => {
                let terms = self.collectives[*number].terms;
                let missing = self.missing(*number);
                format!("waits in {} for {missing}", terms.name())
            }
            CallKind::Split(split) => {
                let missing = self.missing(self.splits[*split].exchange);
                format!("waits in split for {missing}")
            }
        }
    }

    /// What a call waits for at its start, in a few words.
    pub(crate) fn awaits(&self, call: &CallKind) -> String {
        match call {
            CallKind::Wait { requests, .. } => {
                let mut names = self.open_requests(requests);
                let more = names.len().saturating_sub(MAX_NAMED);
                names.truncate(MAX_NAMED);
                names.iter_mut().for_each(shorten);
                if more > 0 {
                    names.push(format!("{more} more"));
                }
                names.join(", ")
            }
            CallKind::Probe(wanted) => wanted.name(),
            // Of a collective the last caller says more, which is known at its end.
            CallKind::Busy { .. } | CallKind::Collective(_) | CallKind::Split(_) => String::new(),
        }
    }

    /// What a call that is over has waited for; nothing if that is not kept.
    pub(crate) fn awaited(&self, call: &Call) -> String {
        let number = match &call.kind {
            _ if !self.keeps_awaits => return String::new(),
            CallKind::Collective(number) => *number,
            CallKind::Split(split) => self.splits[*split].exchange,
            CallKind::Wait { .. } | CallKind::Busy { .. } | CallKind::Probe(_) => {
                return call.awaits.clone();
            }
        };
        let Instance { last, terms, .. } = &self.collectives[number];
        let size = self.comms[terms.comm.0 as usize].size();
        format!("{size} ranks, of which {last} called last")
    }

    fn open_requests(&self, requests: &[RequestId]) -> Vec<String> {
        let known = requests.iter();
        let known = known.filter_map(|id| Some((*id, self.requests.get(*id)?)));
        known
            .filter(|(_, request)| !request.is_over)
            .map(|(id, request)| self.request_name(id, request))
            .collect()
    }

    /// Ranks that have not called a collective.
    fn missing(&self, number: u32) -> String {
        let instance = &self.collectives[number];
        let comm = &self.comms[instance.terms.comm.0 as usize];
        let ranks = comm.ranks.iter().zip(&instance.has_called);
        let missing: Vec<String> = ranks
            .filter(|(_, has_called)| !**has_called)
            .map(|(rank, _)| rank.to_string())
            .collect();
        if missing.is_empty() {
            return "its messages".to_owned();
        }
        missing.join(", ")
    }

    /// A request that is not over, as messages name it.
    fn request_name(&self, id: RequestId, request: &Request) -> String {
        let other = request.message.map(|message| self.messages.at(message));
        match (&request.kind, other) {
            (RequestKind::Collective(number), _) => {
                let name = self.collectives[*number].terms.name();
                format!("its {name}, which waits for {}", self.missing(*number))
            }
            (RequestKind::Task(name), _) => format!("its {name} called at {}", request.call_site),
            (RequestKind::Send { .. }, Some(message)) => {
                format!(
                    "its message to {} {}",
                    message.target,
                    tag_name(message.tag)
                )
            }
            (RequestKind::Receive { .. }, Some(message)) => {
                let tag = tag_name(message.tag);
                format!("the message from {} {tag}", message.source)
            }
            (RequestKind::Send { .. } | RequestKind::Receive { .. }, None) => {
                let wanted = self.ranks[request.rank.idx()].inbox.wanted(id);
                wanted.map_or_else(|| "a message".to_owned(), |wanted| wanted.name())
            }
        }
    }
}
