// SPDX-License-Identifier: Apache-2.0
//! Which choices are worth comparing.

use crate::{Algorithm, BarrierShape, Choice, Forwarding, messages, schedule};
use noccl_net::Network;
use noccl_workload::check::check_form;
use noccl_workload::{Collective, Schedule, may_overlap_others};

/// Most chunks that a comparison tries.
pub(crate) const MAX_CHUNKS: u32 = 64;
/// Chunks shorter than this lose more to barriers than they gain (S1 ends at 9 beats).
const MIN_CHUNK_BEATS: u64 = 8;

/// Choices worth comparing for a collective: every algorithm that can do it here, chains and trees at
/// powers of two of chunks, first as S1 has them, then with the data moved by the other side. A tree's
/// multicast that pushes has one chunk: its chunks would meet on the same links (S1 §4.2.2). What does not
/// fit in memory or cannot do this group is left out.
#[must_use]
pub fn choices(network: &Network, collective: &Collective) -> Vec<Choice> {
    possible(network, collective, |choice| is_usual(network, *choice))
}

/// Repeated unicasts are the baseline of S3; on S1's networks they are compared when asked for by name.
fn is_usual(network: &Network, choice: Choice) -> bool {
    let has_baselines =
        network.capabilities().chains.is_some() || network.routers().carries_lists_only();
    choice.algorithm != Algorithm::Unicast || has_baselines || network.routers().carries_words()
}

/// Those of one algorithm. The others' schedules are not made, which on a large mesh would take far longer
/// than to run one.
#[must_use]
pub fn choices_of(network: &Network, collective: &Collective, algorithm: Algorithm) -> Vec<Choice> {
    possible(network, collective, |choice| choice.algorithm == algorithm)
}

/// Those of [`choices`] whose schedules the network runs and whose transactions may overlap those of others
/// ([`may_overlap_others`]), as in programs of ranks. All that run where none may.
#[must_use]
pub fn choices_for_programs(network: &Network, collective: &Collective) -> Vec<Choice> {
    let (mut all, mut free) = (Vec::new(), Vec::new());
    for choice in offered(network, collective) {
        if let Some(made) = that_runs(network, collective, choice) {
            all.push(choice);
            if may_overlap_others(network, &made) {
                free.push(choice);
            }
        }
    }
    if free.is_empty() { all } else { free }
}

/// Has an algorithm a choice whose schedule the network runs?
#[must_use]
pub fn runs_by(network: &Network, collective: &Collective, algorithm: Algorithm) -> bool {
    let mut choices = every(network, collective).into_iter();
    choices.any(|choice| {
        choice.algorithm == algorithm && that_runs(network, collective, choice).is_some()
    })
}

/// The schedule of a choice, if the network runs it. One that is made may have actions that the network refuses: clusters that only
/// move messages have no additions.
fn that_runs(network: &Network, collective: &Collective, choice: Choice) -> Option<Schedule> {
    let made = schedule(network, collective, choice).ok()?;
    check_form(network, &made).is_ok().then_some(made)
}

/// Choices that a comparison would look at, those with them that this group or size refuses: no schedule is made.
#[must_use]
pub fn offered(network: &Network, collective: &Collective) -> Vec<Choice> {
    let mut all = every(network, collective);
    all.retain(|choice| is_usual(network, *choice));
    all
}

/// Those of [`choices`] that a condition holds for; schedules of others are not made.
#[must_use]
pub fn choices_among(
    network: &Network,
    collective: &Collective,
    is_asked: impl Fn(&Choice) -> bool,
) -> Vec<Choice> {
    possible(network, collective, |choice| {
        is_asked(choice) && is_usual(network, *choice)
    })
}

fn possible(
    network: &Network,
    collective: &Collective,
    is_asked: impl Fn(&Choice) -> bool,
) -> Vec<Choice> {
    let mut found = every(network, collective);
    found.retain(|choice| is_asked(choice) && schedule(network, collective, *choice).is_ok());
    found
}

fn every(network: &Network, collective: &Collective) -> Vec<Choice> {
    if network.routers().carries_words() {
        return messages::candidates(network, collective);
    }
    let papers = candidates(network, collective);
    let others = other_direction(network, collective, &papers);
    papers.into_iter().chain(others).collect()
}

/// A collective for which an algorithm offers choices.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    pub(crate) network: &'a Network,
    pub(crate) collective: &'a Collective,
    pub(crate) algorithm: Algorithm,
}

impl Offer<'_> {
    /// The algorithm without any parameter.
    pub(crate) fn plain(&self) -> Vec<Choice> {
        vec![Choice::new(self.algorithm, 1)]
    }

    /// The same, and of a barrier all shapes.
    pub(crate) fn shapes(&self) -> Vec<Choice> {
        let shaped = BarrierShape::ALL.map(|shape| Choice::shaped(self.algorithm, shape));
        let shaped = shaped
            .into_iter()
            .filter(|_| !self.collective.kind.has_payload());
        self.plain().into_iter().chain(shaped).collect()
    }

    /// A choice per number of chunks.
    pub(crate) fn by_chunks(&self) -> Vec<Choice> {
        let counts = self.chunk_counts().into_iter();
        counts.map(|c| Choice::new(self.algorithm, c)).collect()
    }

    /// Powers of two that leave no chunk too short.
    pub(crate) fn chunk_counts(&self) -> Vec<u32> {
        chunk_counts(self.beats())
    }

    /// Beats of the payload.
    pub(crate) fn beats(&self) -> u64 {
        beats(self.network, self.collective)
    }

    /// Does the group extend along both dimensions, so that `row_column` differs from its inner form?
    pub(crate) fn is_two_dimensional(&self) -> bool {
        crate::task::Group::new(self.network, self.collective)
            .ok()
            .and_then(|group| group.columns_and_rows())
            .is_some_and(|(columns, rows)| columns.len() > 1 && rows.len() > 1)
    }
}

fn candidates(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    let mut algorithms = Algorithm::ALL.to_vec();
    algorithms.retain(|a| a.does(kind));
    // Of blocks, the many forms without barriers come last.
    algorithms.sort_by_key(|a| kind.has_blocks() && a.entry().parameters.has_form);
    let of = |algorithm: Algorithm| {
        let offer = Offer {
            network,
            collective,
            algorithm,
        };
        let form = algorithm.entry().on_clusters;
        // 0: no candidates of an algorithm without a form on clusters.
        form.map_or(Vec::new(), |form| (form.candidates)(&offer))
    };
    algorithms.into_iter().flat_map(of).collect()
}

/// The same with pull for push and push for pull. The naive chain is S1's, which pulls; trees that pull are
/// cut into chunks too.
fn other_direction(network: &Network, collective: &Collective, papers: &[Choice]) -> Vec<Choice> {
    let is_naive = |c: &Choice| c.algorithm == Algorithm::Chain && c.chunks == 1;
    let counts = chunk_counts(beats(network, collective));
    let mut out: Vec<Choice> = Vec::new();
    for choice in papers.iter().filter(|c| c.has_forwarding() && !is_naive(c)) {
        let (forwarding, counts) = match choice.forwarding {
            Forwarding::Pull => (Forwarding::Push, &[choice.chunks][..]),
            Forwarding::Push => (Forwarding::Pull, &counts[..]),
        };
        let others = counts.iter().map(|chunks| Choice {
            chunks: *chunks,
            forwarding,
            ..*choice
        });
        let new: Vec<Choice> = others.filter(|c| !out.contains(c)).collect();
        out.extend(new);
    }
    out
}

/// Beats of the payload.
pub(crate) fn beats(network: &Network, collective: &Collective) -> u64 {
    let beat_bytes = network.beat_bytes();
    collective.bytes.div_ceil(beat_bytes)
}

/// Powers of two that leave no chunk too short.
fn chunk_counts(beats: u64) -> Vec<u32> {
    (0..=MAX_CHUNKS.ilog2())
        .map(|e| 1u32 << e)
        .filter(|c| *c == 1 || beats / u64::from(*c) >= MIN_CHUNK_BEATS)
        .collect()
}
