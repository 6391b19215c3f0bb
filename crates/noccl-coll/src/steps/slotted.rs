// SPDX-License-Identifier: Apache-2.0
//! All-to-all by the clock: every transfer starts when all links on its path will be free.
//!
//! Direct sends saturate a mesh at less than half of what its middle could carry: a beat that waits for
//! a link holds up all behind it, wherever those are going. Here nobody waits: transfers are placed one
//! by one, the longest first, at the earliest time at which the sender's port, every link (a hop takes
//! the same time for every beat) and the receiver's port are free for all of its beats. Members keep
//! time by counting cycles on their compute cores, from a common start.

use super::{at, push};
use crate::entry::{Entry, Length, OnClusters};
use crate::task::Task;
use crate::{CollError, GroupTraffic};
use noccl_net::{AxiNetwork, Coord, Network, TileRef};
use noccl_spec::Plane;
use noccl_workload::number::mix;
use noccl_workload::{Action, ActionId, ActionKind, CollectiveKind, Compute};

pub(crate) const ENTRY: Entry = Entry {
    length: Length::Members,
    on_clusters: Some(OnClusters {
        traffic: |_| Some(GroupTraffic::WritesInSlots),
        ..OnClusters::new(|kind| kind == CollectiveKind::AllToAll, all_to_all)
    }),
    ..Entry::named("slotted")
};

/// Free cycles between two transfers on one link: the slack for what the plan does not know.
const GAP_CYCLES: u64 = 2;
/// Orders that are tried, of which the one with the shortest plan is taken; fewer for large groups.
const MAX_TRIES: u64 = 8;
/// Pairs times tries are kept below this.
const MAX_PLACEMENTS: u64 = 150_000;

/// One planned transfer, by rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    from: usize,
    to: usize,
    start_cycles: u64,
}

/// Cycles that the plan counts with.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// A transfer holds each link for so long.
    link_cycles: u64,
    /// A member starts at most one transfer in this time.
    issue_cycles: u64,
    /// From one link to the next.
    hop_cycles: u64,
    /// A core cannot wait for less.
    least_wait_cycles: u64,
}

impl Pace {
    fn new(network: AxiNetwork<'_>, bytes: u64) -> Self {
        let axi = network.axi();
        let beats = bytes.div_ceil(u64::from(axi.ni.wide_beat_bytes));
        // Blocks that do not begin at a beat may span one more.
        let beats = beats + u64::from(!bytes.is_multiple_of(u64::from(axi.ni.wide_beat_bytes)));
        let beats = beats * u64::from(network.flit_cycles());
        let hop_cycles = u64::from(network.plane(Plane::Wide).hop_cycles);
        let link_cycles = (beats + GAP_CYCLES).next_multiple_of(hop_cycles.max(1));
        let wait = u64::from(axi.cluster.instructions.compute_start);
        let issue = wait + u64::from(axi.cluster.instructions.dma_start);
        Self {
            link_cycles,
            issue_cycles: issue.max(link_cycles).next_multiple_of(hop_cycles.max(1)),
            hop_cycles,
            least_wait_cycles: wait,
        }
    }
}

/// Actions of the planned all-to-all.
fn all_to_all(task: &Task<'_>) -> Result<Vec<Action>, CollError> {
    task.layout()?;
    let (members, bytes) = (task.members(), task.collective.bytes);
    let pace = Pace::new(task.network, bytes);
    let mut slots = best_plan(&task.network, members, pace);
    slots.sort_unstable_by_key(|s| (s.from, s.start_cycles));
    let mut actions: Vec<Action> = Vec::new();
    let mut add = |kind, after: Option<ActionId>| {
        let id = ActionId(actions.len() as u32);
        let after = after.into_iter().collect();
        actions.push(Action { kind, after });
        id
    };
    for (rank, member) in members.iter().enumerate() {
        let sent = slots.iter().filter(|s| s.from == rank);
        let mut waited: (u64, Option<ActionId>) = (0, None);
        for (count, slot) in sent.enumerate() {
            if slot.start_cycles > 0 {
                let cycles = slot.start_cycles - waited.0 - pace.least_wait_cycles;
                let tile = TileRef::Cluster(*member);
                let wait = ActionKind::Compute(Compute { tile, cycles });
                waited = (slot.start_cycles, Some(add(wait, waited.1)));
            }
            let to = at(members[slot.to], task.output_block(rank));
            let source = task.input_block(slot.to);
            add(push(*member, source, to, bytes), waited.1);
            if count == 0 {
                let to = at(*member, task.output_block(rank));
                add(push(*member, task.input_block(rank), to, bytes), None);
            }
        }
    }
    Ok(actions)
}

/// The shortest plan of several orders.
fn best_plan(network: &Network, members: &[Coord], pace: Pace) -> Vec<Slot> {
    let pairs = (members.len() * members.len()) as u64;
    let tries = (MAX_PLACEMENTS / pairs.max(1)).clamp(1, MAX_TRIES);
    let plans = (0..tries).map(|seed| plan(network, members, pace, seed));
    let span = |plan: &Vec<Slot>| plan.iter().map(|s| s.start_cycles).max();
    let first = || plan(network, members, pace, 0);
    plans.min_by_key(span).unwrap_or_else(first)
}

/// Places all transfers, longest first; `seed` orders those of equal length.
fn plan(network: &Network, members: &[Coord], pace: Pace, seed: u64) -> Vec<Slot> {
    let mut pairs: Vec<(u32, u64, usize, usize)> = Vec::new();
    for (from, a) in members.iter().enumerate() {
        for (to, b) in members.iter().enumerate().filter(|(to, _)| *to != from) {
            let mixed = mix(seed << 40 | (from as u64) << 20 | to as u64);
            pairs.push((u32::MAX - a.hops_to(*b), mixed, from, to));
        }
    }
    pairs.sort_unstable();
    let mut calendar = Calendar::new(network, pace);
    pairs
        .into_iter()
        .map(|(_, _, from, to)| Slot {
            from,
            to,
            start_cycles: calendar.place(network, members[from], members[to]),
        })
        .collect()
}

/// When each link and injection port is taken.
struct Calendar {
    pace: Pace,
    /// Per tile and port (the last is injection): where nothing more can be placed, as begins and ends, ascending. Transfers on a port are
    /// equally long, so that a shorter gap between two of them is no gap.
    taken: Vec<[Vec<(u64, u64)>; 6]>,
}

impl Calendar {
    fn new(network: &Network, pace: Pace) -> Self {
        Self {
            pace,
            taken: vec![Default::default(); network.num_tiles()],
        }
    }

    /// Takes the earliest time at which the whole path is free.
    fn place(&mut self, network: &Network, from: Coord, to: Coord) -> u64 {
        const INJECTION: usize = 5;
        let (from, to) = (network.mesh_coord(from), network.mesh_coord(to));
        let mut path = vec![(network.tile_at(from).idx(), INJECTION, 0)];
        let links = network.path(from, to).zip(1u64..);
        path.extend(links.map(|((router, port), hop)| {
            let lag = hop * self.pace.hop_cycles;
            (network.tile_at(router).idx(), port.idx(), lag)
        }));
        let mut start = 0;
        loop {
            let conflict = path.iter().find_map(|(tile, port, lag)| {
                let length = self.length(*port);
                let busy = &self.taken[*tile][*port];
                let at = start + lag;
                let first = busy.partition_point(|(_, end)| *end <= at);
                let next = busy.get(first).filter(|(begin, _)| *begin < at + length)?;
                Some(next.1 - lag)
            });
            match conflict {
                Some(later) => start = later.max(self.pace.least_wait_cycles),
                None => break,
            }
        }
        for (tile, port, lag) in path {
            let length = self.length(port);
            take(&mut self.taken[tile][port], start + lag, length);
        }
        start
    }

    fn length(&self, port: usize) -> u64 {
        if port < 5 {
            self.pace.link_cycles
        } else {
            self.pace.issue_cycles
        }
    }
}

/// Takes `length` cycles of a port from `begin` on, which are free.
fn take(busy: &mut Vec<(u64, u64)>, begin: u64, length: u64) {
    let end = begin + length;
    let at = busy.partition_point(|(_, end)| *end <= begin);
    let joins_before = at > 0 && begin - busy[at - 1].1 < length;
    let joins_next = busy.get(at).is_some_and(|next| next.0 - end < length);
    match (joins_before, joins_next) {
        (true, true) => {
            busy[at - 1].1 = busy[at].1;
            busy.remove(at);
        }
        (true, false) => busy[at - 1].1 = end,
        (false, true) => busy[at].0 = begin,
        (false, false) => busy.insert(at, (begin, end)),
    }
}
