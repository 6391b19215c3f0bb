// SPDX-License-Identifier: Apache-2.0
//! Which algorithm carried out which collectives of a program, and why it was not the chosen one.

use crate::ids::{CommId, RankId};
use crate::session::Session;
use noccl_coll::Choice;
use serde::Serialize;
use std::collections::BTreeMap;

/// Calls of a collective that were carried out alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollectiveUse {
    /// The collective; the name of MPI where it was composed of messages.
    pub collective: String,
    /// Ranks of the communicator.
    pub ranks: u32,
    /// Bytes of a block; `None` where blocks of ranks differ or only their ranks know them, and for lengths beyond the first
    /// thousand different rows.
    pub bytes: Option<u64>,
    /// Algorithm with its parameters; `messages`: composed of messages by the library of the program.
    pub algorithm: String,
    /// Why it is not the algorithm that was named or that `auto` picks for the whole call; `None` if it is.
    pub reason: Option<String>,
    /// Calls.
    pub calls: u64,
}

/// Different uses that are told apart.
const MAX_USES: usize = 1000;

/// Why a collective that needs the memory of its ranks is called in chunks.
const CHUNKS: &str = "a chunk: the buffers are longer than a tile's memory for collectives";
/// Why messages take the place of reductions in the network, and of streams.
const FULL_STORES: &str = "reductions of other groups may fill the routers' stores";
const STREAMS: &str = "another group multicasts over the static network";

/// Collective, ranks, bytes, algorithm, reason.
type Key = (String, u32, Option<u64>, String, Option<String>);

/// Calls by what they were and how they were carried out.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    calls: BTreeMap<Key, u64>,
}

impl Uses {
    fn count(&mut self, mut key: Key) {
        if self.calls.len() >= MAX_USES && !self.calls.contains_key(&key) {
            key.2 = None;
        }
        *self.calls.entry(key).or_default() += 1;
    }

    pub(crate) fn rows(&self) -> Vec<CollectiveUse> {
        let row = |(key, calls): (&Key, &u64)| {
            let (collective, ranks, bytes, algorithm, reason) = key.clone();
            CollectiveUse {
                collective,
                ranks,
                bytes,
                algorithm,
                reason,
                calls: *calls,
            }
        };
        self.calls.iter().map(row).collect()
    }
}

impl Session<'_> {
    /// The library of a program composes a collective of messages, with blocks of a length that all ranks know, or of others. Every
    /// rank says so; the first one of the communicator counts.
    pub fn note_composed(
        &mut self,
        rank: RankId,
        comm: CommId,
        collective: &str,
        bytes: Option<u64>,
        reason: &str,
    ) {
        let Some(comm) = self.comms.get(comm.0 as usize) else {
            return;
        };
        if comm.ranks.first() == Some(&rank) && comm.size() > 1 {
            self.uses.count((
                collective.to_owned(),
                comm.size(),
                bytes,
                "messages".to_owned(),
                Some(reason.to_owned()),
            ));
        }
    }

    /// The schedule of a collective is submitted.
    pub(crate) fn note_use(&mut self, number: u32) {
        let terms = self.collectives[number].terms;
        let Some((choice, _)) = self.choices.get(&terms) else {
            return;
        };
        let reason = if terms.sends_messages {
            Some(FULL_STORES)
        } else if self.by_streams.contains(&terms) {
            Some(STREAMS)
        } else {
            terms.is_chunk.then_some(CHUNKS)
        };
        self.uses.count((
            terms.kind.name().to_owned(),
            self.comms[terms.comm.0 as usize].size(),
            terms.bytes,
            label(*choice),
            reason.map(str::to_owned),
        ));
    }
}

/// An algorithm with its parameters, as `noccl compare` names both.
fn label(choice: Choice) -> String {
    let parameters = choice.parameters(choice.chunks);
    let words = parameters
        .iter()
        .map(|(key, value)| format!("{key}={value}"));
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        return choice.algorithm.name().to_owned();
    }
    format!("{}:{}", choice.algorithm.name(), words.join(","))
}
