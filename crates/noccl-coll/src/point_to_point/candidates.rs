// SPDX-License-Identifier: Apache-2.0
//! Which forms without barriers are worth comparing.

use super::Family;
use crate::candidates::{MAX_CHUNKS, Offer, beats};
use crate::{Algorithm, Choice, LineForm, PointForm};
use noccl_net::{Coord, Network};
use noccl_workload::{Collective, CollectiveKind};
use std::collections::BTreeSet;

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
/// Parts of lines that a comparison tries for a multicast's trees along lines, and lengths of their chunks.
const ROTATED: [u8; 2] = [2, 4];
const ROTATED_CHUNK_BEATS: [u64; 3] = [4, 8, 16];
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
/// Chunks of lines that a comparison tries, of payloads only the first two.
const LINE_CHUNKS: [u32; 3] = [1, 2, 8];
/// Lengths of the chunks of trees that a comparison tries: shorter ones lose more to the start of transfers than they gain.
const TREE_CHUNK_BEATS: [u64; 2] = [8, 16];
/// Most messages of a chunk in forms by rings that a comparison tries: those of a mesh of 32 by 32.
const MAX_MESSAGES: usize = 1 << 16;
/// Longest ring that a comparison tries.
const MAX_RING_MEMBERS: usize = 256;

/// Choices for a collective: of a barrier those by flags, of others the forms that move data.
pub(super) fn candidates(offer: &Offer<'_>) -> Vec<Choice> {
    let (network, collective) = (offer.network, offer.collective);
    match Family::of(collective.kind) == Family::Flags {
        true => [offer.plain(), combining(network, collective)].concat(),
        false => points(network, collective),
    }
}

/// Forms without barriers, each with the numbers of chunks that may be best.
fn points(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    let family = Family::of(kind);
    if family == Family::Exchange {
        return vec![Choice::new(Algorithm::PointToPoint, 1)];
    }
    if family.is_straight() {
        let forms = match family == Family::ScatterGather {
            true => &STRAIGHT[..],
            false => &STRAIGHT[..1],
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
        let passes = lines.flat_map(|form| of(form, &LINE_CHUNKS));
        let passes = passes.chain(ring(network, collective));
        return passes.chain(combining).collect();
    }
    let beats = beats(network, collective);
    let counts_of = |lengths: &[u64]| -> Vec<u32> {
        let count = |b: &u64| beats.div_ceil(*b).clamp(1, u64::from(MAX_CHUNKS)) as u32;
        let counts: BTreeSet<u32> = lengths.iter().map(count).collect();
        counts.into_iter().collect()
    };
    if family == Family::Scan {
        let mut counts = counts_of(&TREE_CHUNK_BEATS);
        if counts.first() != Some(&1) {
            counts.insert(0, 1);
        }
        let scans = SCANS.iter().flat_map(|form| of(*form, &counts));
        return scans.chain(combining).collect();
    }
    let trees = TREES.into_iter().map(PointForm::Trees);
    let trees = trees.flat_map(|form| of(form, &counts_of(&TREE_CHUNK_BEATS)));
    // Sums are added at every member of a tree: there parts of lines are faster.
    let is_multicast = kind == CollectiveKind::Multicast;
    let rotated = ROTATED.into_iter().filter(|_| is_multicast);
    let rotated = rotated.map(PointForm::Rotated);
    let rotated = rotated.flat_map(|form| of(form, &counts_of(&ROTATED_CHUNK_BEATS)));
    let lines = lines.flat_map(|form| of(form, &LINE_CHUNKS[..2]));
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
    // 0: a group that is not on the network is refused where the schedule is built.
    let members = network.members(&collective.group).map_or(0, |m| m.len());
    (members <= MAX_RING_MEMBERS).then(|| Choice::point_to_point(PointForm::Ring, 1))
}

// Which numbers of operands of one addition are worth comparing.

/// Operands of one addition that a comparison tries, besides the members of a row.
const COMBINED: [u16; 3] = [4, 8, MAX_COMBINED];
/// Of a group of so many members a comparison tries one addition of all operands; of more two levels and more were faster (4x4 to 8x8, 8 bytes).
const MAX_COMBINED: u16 = 16;
/// Longest row of which a comparison tries one addition of all operands.
const MAX_COMBINED_ROW: usize = 32;
/// Longest payload that is not cut among members, in beats: of longer ones the parts of rings, pairs and trees were faster (2x2 to 8x8).
const MAX_COMBINED_BEATS: u64 = 8;

/// Additions of many operands at a time, of payloads short enough. Where every member sends to every other one, of a group that is no product of columns
/// and rows only if its members are few.
fn combining(network: &Network, collective: &Collective) -> Vec<Choice> {
    let Ok(members) = network.members(&collective.group) else {
        return Vec::new();
    };
    let columns = members.iter().map(|c| c.x).collect::<BTreeSet<_>>().len();
    let rows = members.iter().map(|c| c.y).collect::<BTreeSet<_>>().len();
    let is_product = columns * rows == members.len();
    let is_rooted = matches!(
        collective.kind,
        CollectiveKind::Reduce | CollectiveKind::Multicast
    );
    let num = members.len();
    let has_few_messages = is_rooted || is_product || num <= usize::from(MAX_COMBINED);
    let is_short = beats(network, collective) <= MAX_COMBINED_BEATS;
    if num < 2 || !is_short || !has_few_messages {
        return Vec::new();
    }
    let row = (is_product && columns <= MAX_COMBINED_ROW).then_some(columns as u16);
    let most: BTreeSet<u16> = COMBINED
        .into_iter()
        .chain(row)
        .map(|most| most.min(u16::try_from(num).unwrap_or(most)))
        .filter(|most| *most >= 2)
        .collect();
    let choice = |most: u16| Choice::point_to_point(PointForm::Combine(most), 1);
    most.into_iter().map(choice).collect()
}
