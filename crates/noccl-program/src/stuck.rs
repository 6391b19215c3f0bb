// SPDX-License-Identifier: Apache-2.0
//! Why no rank can go on: a line per rank, with what it waits for and where.

use crate::error::ProgramError;
use crate::ids::{RankId, RequestId};
use crate::matching::tag_name;
use crate::rank::CallKind;
use crate::request::{Request, RequestKind};
use crate::session::Session;
use noccl_run::RunError;
use std::fmt::Write;

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
                let open = requests
                    .iter()
                    .filter_map(|id| Some((*id, self.requests.get(*id)?)));
                let open = open.filter(|(_, request)| !request.is_over);
                let names: Vec<String> = open
                    .map(|(id, request)| self.request_name(id, request))
                    .collect();
                format!("waits for {}", names.join(", "))
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
