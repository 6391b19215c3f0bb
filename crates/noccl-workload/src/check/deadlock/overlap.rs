// SPDX-License-Identifier: Apache-2.0
//! Which actions of a schedule can be in flight together, and which wait for the end of others.
//!
//! An action is over for the network when all its participants have seen its end; its requests are, if it keeps all
//! participants together, when one of them has. What begins at all its participants behind that is never in flight
//! together with it. Everything else may be.

use crate::check::order::{Order, Vertex};
use crate::{Action, Schedule};
use noccl_net::deadlock::{Activity, Part, Program, Work, is_among};
use noccl_net::{Network, TileId};
use noccl_spec::Plane;
use std::collections::{BTreeMap, BTreeSet};

/// Most pairs of actions that are looked at.
pub(super) const MAX_PAIRS: usize = 1 << 22;

/// Ends of actions that are followed through the order at a time.
const LANES: usize = 256;
type OverlapLanes = [u64; LANES / 64];

/// An end of an action, or of its requests.
struct End {
    vertex: Vertex,
    action: u32,
    is_of_requests: bool,
}

/// Actions that are not ordered, by action.
pub(super) struct Overlaps {
    /// Later actions that begin somewhere before the requests of this one are over.
    beside_requests: Vec<Vec<u32>>,
    /// Later actions that begin somewhere before this one is over.
    later: Vec<Vec<u32>>,
    /// The same of those in whose second part, which begins where all participants have entered.
    second_beside_requests: Vec<Vec<u32>>,
    /// The same until this one is over.
    second_later: Vec<Vec<u32>>,
    /// All actions that may be in flight together with this one.
    beside: Vec<Vec<u32>>,
    /// Per action and participant: actions whose end it waits for.
    awaited: Vec<Vec<(TileId, Vec<u32>)>>,
    queues: Vec<Option<Queue>>,
}

impl Overlaps {
    /// `None` if more than [`MAX_PAIRS`] pairs may be in flight together.
    pub(super) fn new(order: &Order, activities: &[Activity]) -> Option<Self> {
        let num = activities.len();
        let mut overlaps = Self {
            beside_requests: vec![Vec::new(); num],
            later: vec![Vec::new(); num],
            second_beside_requests: vec![Vec::new(); num],
            second_later: vec![Vec::new(); num],
            beside: vec![Vec::new(); num],
            awaited: vec![Vec::new(); num],
            queues: activities.iter().map(|a| queue(&a.work)).collect(),
        };
        let ends = ends(order, activities);
        let mut num_pairs = 0;
        for chunk in ends.chunks(LANES) {
            overlaps.follow(order, activities, chunk);
            num_pairs = overlaps.later.iter().map(Vec::len).sum();
            if num_pairs > MAX_PAIRS {
                return None;
            }
        }
        for (action, one) in activities.iter().enumerate() {
            if hub(order, action, one).is_none() {
                overlaps.beside_requests[action] = overlaps.later[action].clone();
                overlaps.second_beside_requests[action] = overlaps.second_later[action].clone();
            }
        }
        overlaps.join();
        if num_pairs > 0 {
            overlaps.find_awaited(order, activities);
        }
        Some(overlaps)
    }

    /// Notes for a chunk of ends which later actions begin somewhere before them.
    fn follow(&mut self, order: &Order, activities: &[Activity], chunk: &[End]) {
        let first = chunk.iter().map(|end| end.vertex).min();
        let earliest = chunk.iter().map(|end| end.action).min();
        let Some((first, earliest)) = first.zip(earliest) else {
            return;
        };
        let mut own: BTreeMap<Vertex, Vec<usize>> = BTreeMap::new();
        for (lane, end) in chunk.iter().enumerate() {
            own.entry(end.vertex).or_default().push(lane);
        }
        let mut reached: Vec<OverlapLanes> =
            Vec::with_capacity(order.num_vertices() - first as usize);
        for vertex in first..order.num_vertices() as Vertex {
            let mut word = [0; LANES / 64];
            for pred in order.preds(vertex).iter().filter(|pred| **pred >= first) {
                let from = &reached[(*pred - first) as usize];
                word.iter_mut().zip(from).for_each(|(w, f)| *w |= f);
            }
            for lane in own.get(&vertex).into_iter().flatten() {
                word[lane / 64] |= 1 << (lane % 64);
            }
            reached.push(word);
        }
        for (later, one) in activities.iter().enumerate().skip(earliest as usize + 1) {
            if one.work == Work::Nothing {
                continue;
            }
            let ended_before = |vertex: Vertex| {
                let at = vertex.checked_sub(first);
                at.map_or([0; LANES / 64], |at| reached[at as usize])
            };
            let mut all = [u64::MAX; LANES / 64];
            for begin in begins(order, later, one) {
                let word = ended_before(begin);
                all.iter_mut().zip(&word).for_each(|(a, w)| *a &= w);
            }
            let second = order.hub(later).map_or(all, ended_before);
            self.note(chunk, (&all, &second), later as u32);
        }
    }

    /// `begun` and `second`: which ends come before the later action begins, before its second part does.
    fn note(&mut self, chunk: &[End], (begun, second): (&OverlapLanes, &OverlapLanes), later: u32) {
        for (lane, end) in chunk.iter().enumerate().filter(|(_, e)| e.action < later) {
            let is_over = |lanes: &OverlapLanes| lanes[lane / 64] >> (lane % 64) & 1 == 1;
            let action = end.action as usize;
            let (first_list, second_list) = if end.is_of_requests {
                (
                    &mut self.beside_requests[action],
                    &mut self.second_beside_requests[action],
                )
            } else {
                (&mut self.later[action], &mut self.second_later[action])
            };
            for (list, lanes) in [(first_list, begun), (second_list, second)] {
                if !is_over(lanes) && list.last() != Some(&later) {
                    list.push(later);
                }
            }
        }
    }

    /// Lists in order, and in both directions.
    fn join(&mut self) {
        let lists = [
            &mut self.later,
            &mut self.beside_requests,
            &mut self.second_later,
            &mut self.second_beside_requests,
        ];
        for list in lists.into_iter().flatten() {
            list.sort_unstable();
            list.dedup();
        }
        for (action, list) in self.later.iter().enumerate() {
            for later in list {
                self.beside[*later as usize].push(action as u32);
            }
        }
        for (beside, later) in self.beside.iter_mut().zip(&self.later) {
            beside.extend(later);
            beside.sort_unstable();
        }
    }

    /// Whose end do participants wait for before they begin an action that others have perhaps begun?
    fn find_awaited(&mut self, order: &Order, activities: &[Activity]) {
        let vertices = Vertices::new(order, activities);
        for (action, one) in activities.iter().enumerate() {
            let tiles = order.members(action);
            if tiles.len() < 2 || one.work == Work::Nothing || self.beside[action].is_empty() {
                continue;
            }
            for (participant, tile) in tiles.iter().enumerate() {
                let enter = order.enter(action, participant);
                let found = vertices.awaited(order, enter, &self.beside[action]);
                if !found.is_empty() {
                    let found = found.into_iter().collect();
                    self.awaited[action].push((*tile, found));
                }
            }
        }
    }
}

/// Ends of all actions that ask something of the network, by action. Requests of a reduction or barrier are over where all
/// have entered.
fn ends(order: &Order, activities: &[Activity]) -> Vec<End> {
    let mut ends = Vec::new();
    for (action, one) in activities.iter().enumerate() {
        if one.work == Work::Nothing {
            continue;
        }
        let hub = hub(order, action, one);
        let end = |vertex, is_of_requests| End {
            vertex,
            action: action as u32,
            is_of_requests,
        };
        // A tile that takes part in two packets to lists takes part in the second one when the first one is over.
        let is_packet = matches!(one.work, Work::ListMulticast { .. });
        let participants = 0..order.members(action).len();
        match hub.filter(|_| is_packet) {
            Some(hub) => ends.push(end(hub, false)),
            None => ends.extend(participants.map(|p| end(order.finish(action, p), false))),
        }
        ends.extend(hub.map(|hub| end(hub, true)));
    }
    ends
}

/// Where the requests of a reduction or barrier are over.
fn hub(order: &Order, action: usize, one: &Activity) -> Option<Vertex> {
    match &one.work {
        Work::Flow(_) | Work::ListMulticast { .. } => order.hub(action),
        Work::Nothing | Work::Movement { .. } | Work::Rendezvous { .. } | Work::Chain { .. } => {
            None
        }
    }
}

/// Where an action begins to ask for places of the network: at each participant, but a packet to a list when all destinations
/// have asked for it.
fn begins(order: &Order, action: usize, one: &Activity) -> Vec<Vertex> {
    match &one.work {
        Work::ListMulticast { .. } => order.hub(action).into_iter().collect(),
        Work::Nothing
        | Work::Flow(_)
        | Work::Movement { .. }
        | Work::Rendezvous { .. }
        | Work::Chain { .. } => {
            let participants = 0..order.members(action).len();
            participants.map(|p| order.enter(action, p)).collect()
        }
    }
}

/// Vertices of the order with their actions, and what a tile has begun before.
struct Vertices {
    /// Action of each vertex, `u32::MAX` for the beginnings of tiles.
    actions: Vec<u32>,
    /// Per vertex at which a participant enters: where it entered the action before that. Cores begin their actions in
    /// the order of the schedule.
    before: Vec<Vertex>,
    /// Per action: does it ask nothing of the network?
    is_quiet: Vec<bool>,
}

impl Vertices {
    fn new(order: &Order, activities: &[Activity]) -> Self {
        let num = order.num_vertices();
        let (mut actions, mut before) = (vec![u32::MAX; num], vec![Vertex::MAX; num]);
        let mut last: BTreeMap<TileId, Vertex> = BTreeMap::new();
        for action in 0..activities.len() {
            for (participant, tile) in order.members(action).iter().enumerate() {
                let enter = order.enter(action, participant);
                actions[order.finish(action, participant) as usize] = action as u32;
                actions[enter as usize] = action as u32;
                if let Some(earlier) = last.insert(*tile, enter) {
                    before[enter as usize] = earlier;
                }
            }
            if let Some(hub) = order.hub(action) {
                actions[hub as usize] = action as u32;
            }
        }
        let quiet = activities.iter().map(|a| a.work == Work::Nothing);
        Self {
            actions,
            before,
            is_quiet: quiet.collect(),
        }
    }

    /// Actions among `beside` whose end comes before a participant enters an action.
    fn awaited(&self, order: &Order, enter: Vertex, beside: &[u32]) -> BTreeSet<u32> {
        let mut awaited = BTreeSet::new();
        let mut seen: BTreeSet<Vertex> = BTreeSet::from([enter]);
        let mut open = vec![enter];
        while let Some(vertex) = open.pop() {
            let begun = self.before[vertex as usize];
            // What has begun need not be over.
            let starts = (begun != Vertex::MAX).then_some((begun, false));
            let ends = order.preds(vertex).iter().map(|pred| (*pred, true));
            for (from, is_end) in ends.chain(starts) {
                let of = self.actions[from as usize];
                let is_beside = is_among(beside, of);
                if is_end && is_beside {
                    awaited.insert(of);
                }
                // What is over whenever this action is in flight holds nobody up; nor does what comes before it.
                let is_open = is_beside || self.is_quiet.get(of as usize) == Some(&true);
                if is_open && seen.insert(from) {
                    open.push(from);
                }
            }
        }
        awaited
    }
}

impl Program for Overlaps {
    fn beside(&self, action: usize) -> &[u32] {
        &self.beside[action]
    }

    fn may_overlap(&self, one: (usize, Part), other: (usize, Part)) -> bool {
        let ((first, part), (second, its_part)) = if one.0 < other.0 {
            (one, other)
        } else {
            (other, one)
        };
        let list = match (part, its_part) {
            (Part::Request, Part::Request) => &self.beside_requests[first],
            (Part::Response, Part::Request) => &self.later[first],
            (Part::Request, Part::Response) => &self.second_beside_requests[first],
            (Part::Response, Part::Response) => &self.second_later[first],
        };
        first == second || is_among(list, second as u32)
    }

    fn is_issued_first(&self, _: TileId, first: usize, second: usize) -> bool {
        first < second && self.queues[first].is_some() && self.queues[first] == self.queues[second]
    }

    fn awaited(&self, action: usize, tile: TileId) -> &[u32] {
        let mut tiles = self.awaited[action].iter();
        tiles
            .find(|(one, _)| *one == tile)
            .map_or(&[], |(_, found)| found)
    }
}

// From actions to what they ask of the network.

/// Every action of a schedule of the right form.
pub(super) fn activities(network: &Network, schedule: &Schedule) -> Vec<Activity> {
    let of = |(index, action): (usize, &Action)| Activity {
        name: schedule.action_name(index),
        work: action.kind.work(network).unwrap_or(Work::Nothing),
    };
    schedule.actions.iter().enumerate().map(of).collect()
}

/// Do all chains take their destinations in one order, and has every destination space for bursts? One chain alone needs neither.
pub(super) fn are_chains_safe(network: &Network, schedule: &Schedule) -> bool {
    let is_chain = |action: &&Action| action.kind.chain().is_some();
    network.capabilities().are_chains_safe() || schedule.actions.iter().filter(is_chain).count() < 2
}

/// Which queue of a tile's interface the action's requests stand in, if they stand in one at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Queue {
    /// Transfers of the DMA engine, in schedule order.
    Engine,
    /// Contributions to reductions, in schedule order.
    Contributions,
    /// Stores of the core: barriers, atomics.
    Stores,
}

/// The queue of an action.
pub(super) fn queue(work: &Work) -> Option<Queue> {
    match work {
        Work::Movement { .. } => Some(Queue::Engine),
        Work::Flow(flow) => match flow.plane() {
            Plane::Wide => Some(Queue::Contributions),
            Plane::Req | Plane::Rsp => Some(Queue::Stores),
        },
        Work::Rendezvous { .. } => Some(Queue::Stores),
        Work::Nothing | Work::ListMulticast { .. } | Work::Chain { .. } => None,
    }
}
