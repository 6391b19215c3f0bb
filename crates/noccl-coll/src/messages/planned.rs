// SPDX-License-Identifier: Apache-2.0
//! The schedule of a planned exchange.
//!
//! A send waits for what its core receives before it in the plan, and where the plan lets a core stand still, so does a `compute` action:
//! else it would send while its path is busy, and the words that wait would hold up others. All of it is true of cores that begin together,
//! for which a barrier can stand before it.

use super::exchange::block;
use super::planned_rounds::{Links, Passage, long_bytes, plan_in_rounds};
use super::program::{Program, Wait};
use super::reduce::disseminate;
use crate::CollError;
use crate::choice::RoundSync;
use crate::entry::{Entry, OnCores, Parameters};
use crate::task::CoreTask;
use noccl_net::{Coord, TileRef};
use noccl_spec::CoreTiles;
use noccl_workload::{Action, ActionId, ActionKind, CollectiveKind, Compute};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

pub(crate) const ENTRY: Entry = Entry {
    parameters: Parameters {
        has_plan: true,
        ..Parameters::NONE
    },
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::AllToAll,
        planned,
    )),
    ..Entry::named("planned")
};

/// Sends in the order of the plan.
fn planned(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let num = task.members().len();
    let Some(tiles) = task.network.cores().filter(|_| num <= MOST_RANKS) else {
        return Err(task.unsupported(&format!(
            "a plan of {num} ranks takes too long; accepted: at most {MOST_RANKS} ranks, or torus, which needs no plan"
        )));
    };
    let bytes = |from: usize, to: usize| task.collective.block_bytes(from, to);
    let exchange = Exchange {
        tiles,
        members: task.members(),
        bytes: &bytes,
    };
    let plan = plan(&exchange);
    let mut program = Program::new(task);
    if task.choice.messages.sync == RoundSync::Barrier {
        disseminate(task, &mut program);
    }
    // Per pair: messages that are not received in the program yet, and how many there are.
    let mut messages: BTreeMap<(usize, usize), (VecDeque<ActionId>, u64)> = BTreeMap::new();
    // Per rank: how much of its plan is in the program, and what it has received that none of its actions waits for.
    let mut done = vec![0; num];
    let all = |rank| program.waited_for(rank, Wait::All);
    let mut received: Vec<Vec<ActionId>> = (0..num).map(all).collect();
    for (from, to) in &plan.sends {
        for step in &plan.steps[*from][done[*from]..] {
            done[*from] += 1;
            let own = &mut received[*from];
            match step {
                Step::Receive(other) => {
                    let sent = messages.get_mut(&(*other, *from));
                    own.extend(sent.and_then(|(ids, _)| ids.pop_front()));
                }
                Step::Wait(cycles) => {
                    let wait = Compute {
                        tile: TileRef::Cluster(task.members()[*from]),
                        cycles: *cycles,
                    };
                    program.add(ActionKind::Compute(wait), std::mem::take(own));
                }
                Step::Send(_) => {
                    let (ids, num) = messages.entry((*from, *to)).or_default();
                    let block = block(task, *from, *to).chunk(*num, plan.chunk_bytes);
                    let id = program.send((*from, *to), block, Wait::Nothing);
                    program.wait(id, own.drain(..));
                    ids.push_back(id);
                    *num += 1;
                    break;
                }
            }
        }
    }
    for rank in 0..num {
        program.keep(rank, block(task, rank, rank));
    }
    Ok(program.finish())
}

// A planned exchange: in which order every core sends, and what it receives before, by list scheduling.
//
// Every order of an exchange moves the same words; what differs is how long cores stand still. The plan follows all cores in the time
// that their instructions and words take. Whoever is free next either receives what has come or sends to one of the ranks that it
// still has to serve: one whose path is free just when the words pass, and whose queues have space. The result is an order, not a
// timetable: a run keeps it by waiting for what the plan receives before a send. Deterministic; of a few rules the one with the
// shortest plan.

/// Ranks that a core looks at for a send, at most: what bounds the time of a plan.
const MOST_TRIED: usize = 128;

/// Cycles until a core that can neither send nor receive looks again.
const WAIT_CYCLES: u64 = 6;

/// Messages up to which several rules are tried.
const MOST_MESSAGES: usize = 5000;

/// The rule for more messages. Queues that fill before a core receives give shorter plans there than those of three messages: 12×12, 128 bytes
/// 18,997 cycles instead of 20,186, 16×16 43,345 instead of 44,001; at most 1.1 % longer ones (16×16, empty messages).
const OF_MANY: Rules = Rules {
    most_waiting: 4,
    far_first: true,
};

/// Ranks of a plan, at most.
const MOST_RANKS: usize = 400;

/// One core's share of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To this rank.
    Send(usize),
    /// From this rank.
    Receive(usize),
    /// Nothing, for so many cycles.
    Wait(u64),
}

/// What every core does, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Per rank.
    pub(super) steps: Vec<Vec<Step>>,
    /// Sends of all ranks as sender and receiver, in the order of their beginnings.
    pub(super) sends: Vec<(usize, usize)>,
    /// Cycles until the last core is done.
    pub(super) cycles: u64,
    /// What each of the sends of a pair has of its bytes, the first ones first; 0: all.
    pub(super) chunk_bytes: u64,
}

/// What is exchanged, and what it costs.
pub(super) struct Exchange<'a> {
    pub(super) tiles: &'a CoreTiles,
    /// By rank.
    pub(super) members: &'a [Coord],
    /// Bytes that a rank sends to another one.
    pub(super) bytes: &'a dyn Fn(usize, usize) -> u64,
}

/// What a message costs.
#[derive(Debug, Clone, Copy)]
struct Cost {
    words: u64,
    /// Before the first word is written.
    start_cycles: u64,
    send_cycles: u64,
    receive_cycles: u64,
    /// From the first word to the last on a link, one after the other.
    link_cycles: u64,
}

/// A message that is on its path or in a queue.
#[derive(Debug, Clone, Copy)]
struct Coming {
    from: usize,
    /// When its first word can be read.
    arrival: u64,
    cost: Cost,
}

/// Rules of a plan.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// A core with fewer messages in its queues sends first.
    most_waiting: usize,
    /// Far ranks first, not those that have received least.
    far_first: bool,
}

/// The shortest of a few plans; in rounds if messages are longer than queues, as long as their number allows it.
pub(super) fn plan(exchange: &Exchange<'_>) -> Plan {
    let num = exchange.members.len();
    if num * num <= MOST_MESSAGES
        && let Some(bytes) = long_bytes(exchange)
    {
        return plan_in_rounds(exchange, bytes);
    }
    if num * num > MOST_MESSAGES {
        return Planner::new(exchange, OF_MANY).run();
    }
    let rules = [3, 2, 1].into_iter().flat_map(|most_waiting| {
        [true, false].map(|far_first| Rules {
            most_waiting,
            far_first,
        })
    });
    let run = |rules| Planner::new(exchange, rules).run();
    let best = rules.map(run).min_by_key(|plan| plan.cycles);
    best.unwrap_or_else(|| run(OF_MANY))
}

struct Planner<'a> {
    exchange: &'a Exchange<'a>,
    rules: Rules,
    links: Links,
    /// Per rank: ranks that it has to serve.
    to_serve: Vec<Vec<usize>>,
    coming: Vec<VecDeque<Coming>>,
    /// Words that come or stand in the queues of a rank.
    stored: Vec<u64>,
    /// Messages that a rank has been sent, and has received.
    served: Vec<usize>,
    received: Vec<usize>,
    free_at: Vec<u64>,
    free: BinaryHeap<Reverse<(u64, usize)>>,
    plan: Plan,
}

impl<'a> Planner<'a> {
    fn new(exchange: &'a Exchange<'a>, rules: Rules) -> Self {
        let num = exchange.members.len();
        let hops = |a: usize, b: usize| exchange.members[a].hops_to(exchange.members[b]);
        let to_serve = (0..num).map(|rank| {
            // Each begins behind itself, so that not all begin with one rank.
            let mut others: Vec<usize> = (1..num).map(|step| (rank + step) % num).collect();
            if rules.far_first {
                others.sort_by_key(|other| Reverse(hops(rank, *other)));
            }
            others
        });
        Self {
            exchange,
            rules,
            links: Links::new(&exchange.tiles.router.udn, exchange.members),
            to_serve: to_serve.collect(),
            coming: vec![VecDeque::new(); num],
            stored: vec![0; num],
            served: vec![0; num],
            received: vec![0; num],
            free_at: vec![0; num],
            free: (0..num).map(|rank| Reverse((0, rank))).collect(),
            plan: Plan {
                steps: vec![Vec::new(); num],
                ..Plan::default()
            },
        }
    }

    fn run(mut self) -> Plan {
        let num = self.exchange.members.len();
        while let Some(Reverse((now, rank))) = self.free.pop() {
            if self.to_serve[rank].is_empty() && self.received[rank] + 1 == num {
                continue;
            }
            let end = self.act(rank, now);
            self.free_at[rank] = end;
            self.free.push(Reverse((end, rank)));
        }
        self.plan
    }

    /// What a rank does when it is free; when it is free again.
    fn act(&mut self, rank: usize, now: u64) -> u64 {
        let next = self.coming[rank].front().copied();
        // What the queues do not hold is read as it comes.
        let store = u64::from(self.exchange.tiles.core.receive_store_words);
        if let Some(message) = next.filter(|message| message.cost.words > store) {
            return self.receive(rank, now.max(message.arrival), message);
        }
        let has_come = next.filter(|message| message.arrival <= now);
        let is_behind = self.coming[rank].len() >= self.rules.most_waiting;
        if let Some(message) = has_come.filter(|_| is_behind) {
            return self.receive(rank, now, message);
        }
        if let Some(end) = self.send(rank, now) {
            return end;
        }
        if let Some(message) = next.filter(|message| message.arrival <= now + WAIT_CYCLES) {
            return self.receive(rank, now.max(message.arrival), message);
        }
        if !self.to_serve[rank].is_empty() {
            match self.plan.steps[rank].last_mut() {
                Some(Step::Wait(cycles)) => *cycles += WAIT_CYCLES,
                Some(Step::Send(_) | Step::Receive(_)) | None => {
                    self.plan.steps[rank].push(Step::Wait(WAIT_CYCLES));
                }
            }
        }
        now + WAIT_CYCLES
    }

    fn receive(&mut self, rank: usize, now: u64, message: Coming) -> u64 {
        self.coming[rank].pop_front();
        self.stored[rank] -= message.cost.words;
        self.received[rank] += 1;
        self.plan.steps[rank].push(Step::Receive(message.from));
        let last_word = message.arrival + message.cost.link_cycles;
        let end = last_word.max(now + message.cost.receive_cycles);
        self.plan.cycles = self.plan.cycles.max(end);
        end
    }

    /// Sends to the best rank that can be reached now, if there is one.
    fn send(&mut self, rank: usize, now: u64) -> Option<u64> {
        let tried = self.to_serve[rank].iter().take(MOST_TRIED).enumerate();
        let possible = tried.filter(|(_, to)| self.is_possible(rank, **to, now));
        let (place, to) = if self.rules.far_first && self.has_short_messages(rank) {
            possible.map(|(place, to)| (place, *to)).next()?
        } else {
            let ranked = possible.map(|(place, to)| (place, *to));
            ranked.min_by_key(|(place, to)| {
                let served = if self.rules.far_first {
                    0
                } else {
                    self.served[*to]
                };
                (self.gap(rank, *to, now), served, *place)
            })?
        };
        self.to_serve[rank].remove(place);
        let cost = self.cost(rank, to);
        self.links.take(self.passage(rank, to, now, cost));
        let message = Coming {
            from: rank,
            arrival: self.arrival(rank, to, now, cost),
            cost,
        };
        let place = self.coming[to].partition_point(|m| m.arrival <= message.arrival);
        self.coming[to].insert(place, message);
        self.stored[to] += cost.words;
        self.served[to] += 1;
        self.plan.steps[rank].push(Step::Send(to));
        self.plan.sends.push((rank, to));
        let end = now + cost.send_cycles;
        self.plan.cycles = self.plan.cycles.max(end);
        Some(end)
    }

    fn cost(&self, rank: usize, to: usize) -> Cost {
        let core = &self.exchange.tiles.core;
        let bytes = (self.exchange.bytes)(rank, to);
        let words = core.message_words(bytes);
        let (written, read) = (
            words * core.written_word_cycles(),
            words * core.read_word_cycles(),
        );
        let of_units = core.units(bytes) * u64::from(core.unit_cycles);
        // The head of each unit waits where it changes direction. FIFOs before that take two words more than pass at a time.
        let (from, at) = (self.exchange.members[rank], self.exchange.members[to]);
        let corners = u64::from(from.x != at.x && from.y != at.y);
        let corner_cycles = u64::from(self.exchange.tiles.router.udn.turn_cycles);
        let late = corners * (core.units(bytes) - 1) * corner_cycles;
        let space = u64::from(from.x.abs_diff(at.x));
        // Between units others may pass first if the path is not quite free yet.
        let guard = match core.units(bytes) {
            1 => 0,
            units => 2 * units,
        };
        Cost {
            words,
            start_cycles: u64::from(core.send_cycles + core.unit_cycles),
            send_cycles: u64::from(core.send_cycles)
                + of_units
                + written
                + late.saturating_sub(space),
            link_cycles: of_units + written + late + guard,
            receive_cycles: u64::from(core.receive_cycles) + of_units + read,
        }
    }

    /// Do the queues hold a whole message?
    fn has_short_messages(&self, rank: usize) -> bool {
        let other = self.to_serve[rank].first().copied().unwrap_or(rank);
        self.cost(rank, other).words <= u64::from(self.exchange.tiles.core.receive_store_words)
    }

    fn passage(&self, rank: usize, to: usize, now: u64, cost: Cost) -> Passage {
        Passage {
            from: self.exchange.members[rank],
            to: self.exchange.members[to],
            first_word: now + cost.start_cycles,
            cycles: cost.link_cycles,
        }
    }

    fn arrival(&self, rank: usize, to: usize, now: u64, cost: Cost) -> u64 {
        self.links.arrival(&self.passage(rank, to, now, cost))
    }

    /// Cycles that the other rank would stand still until the first word is there.
    fn gap(&self, rank: usize, to: usize, now: u64) -> u64 {
        let cost = self.cost(rank, to);
        if cost.words <= u64::from(self.exchange.tiles.core.receive_store_words) {
            return 0;
        }
        self.arrival(rank, to, now, cost)
            .saturating_sub(self.free_at[to])
    }

    /// Is every link of the path free when the words pass, and is there space for them?
    fn is_possible(&self, rank: usize, to: usize, now: u64) -> bool {
        let core = &self.exchange.tiles.core;
        let store = u64::from(core.receive_store_words);
        let cost = self.cost(rank, to);
        let has_space = if cost.words <= store {
            self.stored[to] + cost.words <= store
        } else {
            // What the queues do not hold has to be read while it comes.
            let begins = self.free_at[to] + u64::from(core.receive_cycles);
            self.stored[to] == 0 && begins <= self.arrival(rank, to, now, cost) + store
        };
        has_space && self.links.are_free(&self.passage(rank, to, now, cost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn tiles() -> CoreTiles {
        let name = "tilepro64_8x8";
        let text = noccl_spec::preset_text(name).unwrap();
        let spec = noccl_spec::parse_spec(name, &text, &[]).unwrap();
        spec.cores().unwrap().clone()
    }

    fn rectangle(columns: u16, rows: u16) -> Vec<Coord> {
        let tiles = (0..columns).flat_map(|x| (0..rows).map(move |y| Coord::new(x, y)));
        tiles.collect()
    }

    fn planned(tiles: &CoreTiles, members: &[Coord], bytes: u64) -> Plan {
        plan(&Exchange {
            tiles,
            members,
            bytes: &|_, _| bytes,
        })
    }

    #[test]
    fn every_pair_is_sent_and_received_once_and_nothing_is_received_before_it_is_sent() {
        let tiles = tiles();
        for (columns, rows, bytes) in [(1, 1, 128), (2, 1, 0), (4, 3, 128), (3, 5, 1000)] {
            let members = rectangle(columns, rows);
            let plan = planned(&tiles, &members, bytes);
            let num = members.len();
            let sends: BTreeSet<_> = plan.sends.iter().collect();
            assert_eq!(
                (plan.sends.len(), sends.len()),
                (num * (num - 1), num * (num - 1))
            );
            for (rank, steps) in plan.steps.iter().enumerate() {
                let sent = steps.iter().filter_map(|s| match s {
                    Step::Send(to) => Some((rank, *to)),
                    Step::Receive(_) | Step::Wait(_) => None,
                });
                let received = steps.iter().filter_map(|s| match s {
                    Step::Receive(from) => Some(*from),
                    Step::Send(_) | Step::Wait(_) => None,
                });
                let order = plan.sends.iter().filter(|(from, _)| *from == rank).copied();
                assert_eq!(sent.collect::<Vec<_>>(), order.collect::<Vec<_>>());
                let received: BTreeSet<usize> = received.collect();
                assert_eq!(received.len(), num - 1);
            }
        }
    }

    #[test]
    fn a_plan_is_the_same_each_time_and_near_the_bound_of_its_cores() {
        let tiles = tiles();
        let members = rectangle(7, 7);
        let plan = planned(&tiles, &members, 128);
        assert_eq!(plan, planned(&tiles, &members, 128));
        // 48 sends and receives of 34 words each.
        let core = &tiles.core;
        let bound = 48 * u64::from(core.send_cycles + core.receive_cycles + 2 * 34);
        assert!(
            plan.cycles >= bound && plan.cycles * 10 <= bound * 11,
            "{}",
            plan.cycles
        );
    }
}
