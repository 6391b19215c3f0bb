// SPDX-License-Identifier: Apache-2.0
//! What a program has done so far: where each rank's time went, and when.

use crate::ids::{CommId, RankId};
use crate::rank::{Call, CallKind, CallSite, Rank};
use crate::session::Session;
use noccl_coll::{Algorithm, Choice};
use noccl_net::counts::max_or_zero;
use noccl_run::{RankTime, RecordRequest, Recording, TimeSlices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A call of a rank, from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Which rank.
    pub rank: RankId,
    /// When it called.
    pub start_cycle: u64,
    /// When the call was over.
    pub end_cycle: u64,
    /// What it called: `wait`, `compute`, `poll`, `probe`, `split`, or the name of a collective.
    pub what: &'static str,
    /// Where.
    pub call_site: CallSite,
    /// What it waited for, of which rank; empty unless [`Session::record_run`] was called.
    pub awaits: String,
}

/// Calls that a session keeps unless it is asked for all: a program of millions of calls runs in constant memory.
pub const MAX_CALLS: usize = 1 << 17;

/// Where a rank's time went. The parts add up to `finish_cycle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RankReport {
    /// Which rank.
    pub rank: RankId,
    /// Cycles that its program computes.
    pub compute_cycles: u64,
    /// Instructions and words of what it sends.
    pub send_cycles: u64,
    /// Instructions and words of what it receives.
    pub receive_cycles: u64,
    /// All other cycles up to its end: it waits.
    pub wait_cycles: u64,
    /// Messages that it has sent; steps of collectives are not counted.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// When its last call was over.
    pub finish_cycle: u64,
    /// Most bytes of its memory that held messages at once.
    pub memory_bytes: u64,
}

/// What a program has done so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// When the last rank's last call was over.
    pub cycles: u64,
    /// By rank.
    pub ranks: Vec<RankReport>,
    /// Flits or words times links.
    pub flit_hops: u64,
    /// How its collectives were carried out.
    pub collectives: Vec<CollectiveUse>,
}

impl Session<'_> {
    /// What the program has done so far.
    #[must_use]
    pub fn report(&self) -> Report {
        let ranks: Vec<RankReport> = (0..self.ranks.len() as u32)
            .map(|rank| self.rank_report(RankId(rank)))
            .collect();
        Report {
            cycles: max_or_zero(ranks.iter().map(|rank| rank.finish_cycle)),
            ranks,
            flit_hops: self.run.status().flit_hops(),
            collectives: self.uses.rows(),
        }
    }

    /// Calls in the order in which they ended: the first [`MAX_CALLS`], or all after [`Session::keep_all_calls`] or
    /// [`Session::record_times`].
    #[must_use]
    pub fn timeline(&self) -> &[Span] {
        &self.spans
    }

    /// Calls that have ended.
    #[must_use]
    pub const fn num_calls(&self) -> u64 {
        self.num_calls
    }

    fn rank_report(&self, id: RankId) -> RankReport {
        let rank = &self.ranks[id.idx()];
        let busy = self.run.busy(rank.tile);
        let spent = rank.compute_cycles + busy.send_cycles + busy.receive_cycles;
        RankReport {
            rank: id,
            compute_cycles: rank.compute_cycles,
            send_cycles: busy.send_cycles,
            receive_cycles: busy.receive_cycles,
            wait_cycles: rank.cycle.saturating_sub(spent),
            messages: rank.messages,
            bytes: rank.bytes,
            finish_cycle: rank.cycle,
            memory_bytes: self.own[id.idx()].most_bytes(),
        }
    }

    /// From now on all calls are kept, not only the first ones.
    pub const fn keep_all_calls(&mut self) {
        self.keeps_all_calls = true;
    }

    /// From now on it is kept when each rank computes, sends and receives.
    pub fn record_times(&mut self) {
        self.keep_all_calls();
        self.run.record_times();
        self.computes = Some(vec![TimeSlices::default(); self.ranks.len()]);
    }

    /// From now on links, blocked ports and transactions are recorded, and of the first [`MAX_CALLS`] calls what they wait for.
    pub fn record_run(&mut self, asked: RecordRequest) {
        self.run.record(asked);
        self.run.record_times();
        self.computes = Some(vec![TimeSlices::default(); self.ranks.len()]);
        self.keeps_awaits = true;
    }

    /// What has been recorded, once.
    pub fn take_recording(&mut self) -> Option<Recording> {
        self.run.take_recording()
    }

    /// What a rank has done in each cycle up to its end: computing before sending before receiving, where a tile does two of them at
    /// once; else it waited. Nothing if it was not kept.
    #[must_use]
    pub fn times(&self, rank: RankId) -> TimeSlices {
        let Some(computes) = &self.computes else {
            return TimeSlices::default();
        };
        let rank = (&self.ranks[rank.idx()], &computes[rank.idx()]);
        let (Rank { tile, cycle, .. }, computes) = rank;
        let busy = self.run.times(*tile);
        computes.over(&busy).filled(RankTime::Wait, *cycle)
    }

    pub(crate) fn note_span(&mut self, rank: RankId, call: Call, end_cycle: u64) {
        if let CallKind::Busy {
            is_computation: true,
            cycles,
            ..
        } = call.kind
            && let Some(computes) = &mut self.computes
        {
            let start_cycle = end_cycle.saturating_sub(cycles);
            computes[rank.idx()].add(RankTime::Compute, start_cycle, end_cycle);
        }
        self.num_calls += 1;
        if !self.keeps_all_calls && self.spans.len() >= MAX_CALLS {
            return;
        }
        self.spans.push(Span {
            rank,
            start_cycle: call.since_cycle,
            end_cycle,
            what: self.call_name(&call.kind),
            awaits: self.awaited(&call),
            call_site: call.call_site,
        });
    }

    fn call_name(&self, call: &CallKind) -> &'static str {
        if let CallKind::Collective(number) = call {
            return self.collectives[*number].terms.kind.name();
        }
        call.name()
    }
}

// Which algorithm carried out which collectives of a program, and why it was not the chosen one.

/// Calls of a collective that were carried out alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectiveUse {
    /// The collective; the name of MPI where it was composed of messages.
    pub collective: String,
    /// Ranks of the communicator.
    pub ranks: u32,
    /// Bytes of a block; none where blocks of ranks differ or only their ranks know them, and for lengths beyond the first
    /// thousand different rows.
    pub bytes: Option<u64>,
    /// Algorithm with its parameters; `messages`: composed of messages by the library of the program.
    pub algorithm: String,
    /// Why it is not the algorithm that was named or that `auto` picks for the whole call; none if it is.
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

/// Why `auto` chooses although the user named an algorithm.
const NOT_NAMED: &str = "the named algorithm does not carry this out here";

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
    /// Calls by another algorithm get a reason in the report.
    pub fn name_algorithm(&mut self, named: Option<Algorithm>) {
        self.named = named;
    }

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
        } else if self.named.is_some_and(|named| named != choice.algorithm) {
            Some(NOT_NAMED)
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
