// SPDX-License-Identifier: Apache-2.0
//! Which choices are worth comparing.

mod combining;

use crate::chain::order::ChainOrder;
use crate::{
    Algorithm, BarrierShape, Choice, Forwarding, Inner, LineForm, PointForm, messages, schedule,
};
use combining::combining;
use noccl_net::{Coord, Network};
use noccl_workload::{Collective, CollectiveKind};
use std::collections::BTreeSet;

/// Most chunks that a comparison tries.
const MAX_CHUNKS: u32 = 64;
/// Chunks shorter than this lose more to barriers than they gain (S1 ends at 9 beats).
const MIN_CHUNK_BEATS: u64 = 8;

/// Numbers of chains that a comparison tries besides one.
const CHAINS: [u32; 3] = [2, 4, 8];

/// Forms of both dimensions that a comparison tries.
const LINES: [(LineForm, LineForm); 8] = [
    (LineForm::Ring, LineForm::Ring),
    (LineForm::Both, LineForm::Both),
    (LineForm::Ring, LineForm::Both),
    (LineForm::Ring, LineForm::Halving),
    (LineForm::Halving, LineForm::Halving),
    (LineForm::Swing, LineForm::Swing),
    (LineForm::Bine, LineForm::Bine),
    (LineForm::Direct, LineForm::Direct),
];
/// Numbers of trees that a comparison tries.
const TREES: [u8; 4] = [1, 2, 4, 8];
/// Parts of lines that a comparison tries for a multicast's trees along lines, and lengths of their pieces.
const ROTATED: [u8; 2] = [2, 4];
const ROTATED_PIECE_BEATS: [u64; 3] = [4, 8, 16];
/// Members of the smallest lines of a form by neighbours and far members.
const RADIX: u8 = 4;
/// Forms of a scatter or gather that a comparison tries; of a custom collective the first.
const STRAIGHT: [PointForm; 5] = [
    PointForm::Lines(LineForm::Direct, LineForm::Direct),
    PointForm::Lines(LineForm::Halving, LineForm::Halving),
    PointForm::Radix(RADIX),
    PointForm::Radix(2 * RADIX),
    PointForm::Radix(3 * RADIX),
];
/// Forms of a scan that a comparison tries.
const SCANS: [PointForm; 5] = [
    PointForm::Ring,
    PointForm::Lines(LineForm::Ring, LineForm::Ring),
    PointForm::Lines(LineForm::Ring, LineForm::Halving),
    PointForm::Lines(LineForm::Halving, LineForm::Ring),
    PointForm::Lines(LineForm::Halving, LineForm::Halving),
];
/// Pieces of lines that a comparison tries, of payloads only the first two.
const LINE_PIECES: [u32; 3] = [1, 2, 8];
/// Lengths of the pieces of trees that a comparison tries: shorter ones lose more to the start of transfers than they gain.
const TREE_PIECE_BEATS: [u64; 2] = [8, 16];
/// Most messages of a piece in forms by rings that a comparison tries: those of a mesh of 32 by 32.
const MAX_MESSAGES: usize = 1 << 16;
/// Longest ring that a comparison tries.
const MAX_RING_MEMBERS: usize = 256;

/// Lengths of an in-network all-reduce's segments that a comparison tries.
const REDUCED_CHUNK_BEATS: [u64; 8] = [8, 12, 16, 24, 32, 48, 64, 128];

/// Choices worth comparing for a collective: every algorithm that can do it here, chains and trees at
/// powers of two of chunks, first as S1 has them, then with the data moved by the other side. A tree's
/// multicast that pushes has one chunk: its pieces would meet on the same links (S1 §4.2.2). What does not
/// fit in memory or cannot do this group is left out.
#[must_use]
pub fn choices(network: &Network, collective: &Collective) -> Vec<Choice> {
    possible(network, collective, |choice| is_usual(network, *choice))
}

/// Repeated unicasts are the baseline of S3; beside S1's mechanisms they are compared when asked for by name.
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

fn candidates(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    let algorithms = Algorithm::ALL.into_iter().filter(|a| a.does(kind));
    if kind == CollectiveKind::Barrier {
        let shaped = |a| BarrierShape::ALL.map(|shape| Choice::shaped(a, shape));
        return algorithms
            .flat_map(|a| {
                let shapes = shaped(a).into_iter().filter(|c| c.is_barrier());
                let is_by_flags = a == Algorithm::PointToPoint;
                let by_flags = is_by_flags.then(|| combining(network, collective));
                let by_flags = by_flags.into_iter().flatten();
                [Choice::new(a, 1)]
                    .into_iter()
                    .chain(shapes)
                    .chain(by_flags)
            })
            .collect();
    }
    if kind.has_blocks() {
        let others = algorithms.filter(|a| *a != Algorithm::PointToPoint);
        let others = others.map(|a| Choice::new(a, 1));
        return others.chain(points(network, collective)).collect();
    }
    let is_plane = is_two_dimensional(network, collective);
    let beats = beats(network, collective);
    let counts = chunk_counts(beats);
    let tree_counts: &[u32] = if kind == CollectiveKind::Multicast {
        &[1]
    } else {
        &counts
    };
    algorithms
        .filter(|a| is_plane || *a != Algorithm::RowColumn)
        .flat_map(|algorithm| match algorithm {
            Algorithm::Tree => of(&[Inner::Tree], tree_counts, |_, c| {
                Choice::new(algorithm, c)
            }),
            Algorithm::RowColumn => {
                let mut both = of(&[Inner::Chain], &counts, Choice::row_column);
                both.extend(of(&[Inner::Tree], tree_counts, Choice::row_column));
                both
            }
            Algorithm::InNetwork if kind == CollectiveKind::AllReduce => {
                of(&[Inner::Chain], &all_reduce_counts(beats), |_, c| {
                    Choice::new(algorithm, c)
                })
            }
            Algorithm::Chain | Algorithm::DoubleTree => {
                of(&[Inner::Chain], &counts, |_, c| Choice::new(algorithm, c))
            }
            Algorithm::Chainwrite => {
                let orders = [ChainOrder::Latency, ChainOrder::Greedy, ChainOrder::Id];
                let single = orders.map(Choice::chainwrite).into_iter();
                // Chains that wait for each other in the initiator's queue gain nothing.
                let endpoint = network.capabilities().chains;
                let is_open = endpoint.is_some_and(|e| e.open_tasks > 1);
                let several = CHAINS.into_iter().filter(|_| is_open);
                let several =
                    several.map(|chains| Choice::chainwrites(ChainOrder::Latency, chains));
                let blocks = Choice::chainwrite_blocks(ChainOrder::Latency, 1);
                single.chain(several).chain([blocks]).collect()
            }
            Algorithm::InNetworkOnce => vec![Choice::new(algorithm, 1), Choice::central()],
            Algorithm::Unicast
            | Algorithm::Ring
            | Algorithm::Pairwise
            | Algorithm::Slotted
            | Algorithm::Counter
            | Algorithm::InNetwork
            | Algorithm::InNetworkLines
            | Algorithm::InNetworkList
            | Algorithm::InNetworkStatic
            | Algorithm::Torus
            | Algorithm::Rounds
            | Algorithm::Planned
            | Algorithm::RecursiveDoubling
            | Algorithm::Dissemination => vec![Choice::new(algorithm, 1)],
            Algorithm::PointToPoint => points(network, collective),
        })
        .collect()
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

/// Forms without barriers, each with the numbers of pieces that may be best.
fn points(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    if kind == CollectiveKind::AllToAll {
        return vec![Choice::new(Algorithm::PointToPoint, 1)];
    }
    if matches!(
        kind,
        CollectiveKind::Scatter | CollectiveKind::Gather | CollectiveKind::Custom
    ) {
        let is_custom = kind == CollectiveKind::Custom;
        let forms = if is_custom {
            &STRAIGHT[..1]
        } else {
            &STRAIGHT[..]
        };
        let choices = forms.iter().map(|form| Choice::point_to_point(*form, 1));
        return choices.collect();
    }
    let of = |form: PointForm, counts: &[u32]| -> Vec<Choice> {
        let choice = |c: &u32| Choice::point_to_point(form, *c);
        counts.iter().map(choice).collect()
    };
    let lines = LINES.into_iter().map(|(a, b)| PointForm::Lines(a, b));
    let lines = lines.chain([PointForm::Radix(RADIX)]);
    let combining = combining(network, collective);
    let has_few_messages = has_few_messages(network, collective);
    let lines = lines.filter(|form| has_few_messages || has_few_steps(*form));
    if kind.has_blocks() {
        let passes = lines.flat_map(|form| of(form, &LINE_PIECES));
        let passes = passes.chain(ring(network, collective));
        return passes.chain(combining).collect();
    }
    let beats = beats(network, collective);
    let pieces = |lengths: &[u64]| -> Vec<u32> {
        let pieces = |b: &u64| beats.div_ceil(*b).clamp(1, u64::from(MAX_CHUNKS)) as u32;
        let pieces: BTreeSet<u32> = lengths.iter().map(pieces).collect();
        pieces.into_iter().collect()
    };
    if kind == CollectiveKind::Scan {
        let mut counts = pieces(&TREE_PIECE_BEATS);
        if counts.first() != Some(&1) {
            counts.insert(0, 1);
        }
        let scans = SCANS.iter().flat_map(|form| of(*form, &counts));
        return scans.chain(combining).collect();
    }
    let trees = TREES.into_iter().map(PointForm::Trees);
    let trees = trees.flat_map(|form| of(form, &pieces(&TREE_PIECE_BEATS)));
    // Sums are added at every member of a tree: there parts of lines are faster.
    let is_multicast = kind == CollectiveKind::Multicast;
    let rotated = ROTATED.into_iter().filter(|_| is_multicast);
    let rotated = rotated.map(PointForm::Rotated);
    let rotated = rotated.flat_map(|form| of(form, &pieces(&ROTATED_PIECE_BEATS)));
    let lines = lines.flat_map(|form| of(form, &LINE_PIECES[..2]));
    let mut all: Vec<Choice> = lines
        .chain(trees)
        .chain(rotated)
        .chain(ring(network, collective))
        .chain(combining)
        .collect();
    all.dedup();
    all
}

/// Do members of a line exchange in steps whose number grows with the logarithm of the members?
const fn has_few_steps(form: PointForm) -> bool {
    const fn is_in_pairs(line: LineForm) -> bool {
        matches!(line, LineForm::Halving | LineForm::Swing | LineForm::Bine)
    }
    match form {
        PointForm::Lines(first, second) => is_in_pairs(first) && is_in_pairs(second),
        PointForm::Radix(_)
        | PointForm::Combine(_)
        | PointForm::Trees(_)
        | PointForm::Rotated(_) => true,
        PointForm::Ring => false,
    }
}

/// Are messages to everybody of a row and column few enough for a comparison, which makes a schedule of each choice?
fn has_few_messages(network: &Network, collective: &Collective) -> bool {
    let Ok(members) = network.members(&collective.group) else {
        return true;
    };
    let count = |of: fn(&Coord) -> u16| members.iter().map(of).collect::<BTreeSet<_>>().len();
    members.len() * (count(|c| c.x) + count(|c| c.y)) <= MAX_MESSAGES
}

/// One ring over all members, if they are not too many: it takes as many steps.
fn ring(network: &Network, collective: &Collective) -> Option<Choice> {
    let members = network.members(&collective.group).map_or(0, |m| m.len());
    (members <= MAX_RING_MEMBERS).then(|| Choice::point_to_point(PointForm::Ring, 1))
}

/// Beats of the payload.
fn beats(network: &Network, collective: &Collective) -> u64 {
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

/// A choice per structure and chunk count.
fn of(inner: &[Inner], counts: &[u32], choice: impl Fn(Inner, u32) -> Choice) -> Vec<Choice> {
    let pairs = inner
        .iter()
        .flat_map(|i| counts.iter().map(move |c| (*i, *c)));
    pairs.map(|(i, c)| choice(i, c)).collect()
}

/// Numbers of segments of an all-reduce: segments of a size between which the best one lies.
fn all_reduce_counts(beats: u64) -> Vec<u32> {
    let counts = REDUCED_CHUNK_BEATS.iter().map(|s| beats.div_ceil(*s));
    let mut counts: Vec<u32> = counts.filter_map(|c| u32::try_from(c).ok()).collect();
    counts.push(1);
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Does the group extend along both dimensions, so that `row_column` differs from its inner form?
fn is_two_dimensional(network: &Network, collective: &Collective) -> bool {
    crate::group::Group::new(network, collective)
        .ok()
        .and_then(|group| group.columns_and_rows())
        .is_some_and(|(columns, rows)| columns.len() > 1 && rows.len() > 1)
}
