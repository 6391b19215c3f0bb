// SPDX-License-Identifier: Apache-2.0
//! A plan of long messages: rounds of messages that share no core and no link, as full as a greedy search makes them.
//!
//! Between the units of a message others may pass, which a plan by the times of messages does not follow. In rounds nothing wants the links
//! of a message before it has passed, whatever its units do, if cores begin a round at about the same time. As a core does one thing at a
//! time, it either sends or receives in a round. A round takes first what wants the cores and links that most messages still want; of a few
//! random orders the one is taken that takes most of those.

use super::planned::{Exchange, Plan, Step};
use noccl_net::Coord;
use noccl_net::counts::max_or_zero;
use noccl_spec::UdnRouter;
use noccl_workload::number::mix;

/// Orders that are tried for each round.
const TRIES: u64 = 48;

/// By how much a draw lowers the value of a message, at most.
const LOWERED: f64 = 0.3;

/// What the other cores and links of a message count for, relative to the one that most messages want.
const OF_OTHERS: f64 = 0.3;

/// Cycles between the end of a round for its receivers, but for their paths, and the next one: words of neighbouring rounds that meet wait
/// for a unit each time, and a core that has waited is late for all others.
const APART_CYCLES: u64 = 4;

/// Units of a chunk, at most: in longer messages what units lose at corners adds up until words of neighbouring rounds meet.
const CHUNK_UNITS: u64 = 8;

/// A message, and what it takes: cores and links, by number.
#[derive(Debug)]
struct Wanted {
    pair: (usize, usize),
    takes: Vec<usize>,
}

/// Cores and links: how many messages still want each, and the order that has taken it last.
#[derive(Debug)]
struct Packer {
    wanted: Vec<u32>,
    taken: Vec<u64>,
    orders: u64,
}

/// Bytes of every message, if all have as many and are longer than the queues.
pub(super) fn long_bytes(exchange: &Exchange<'_>) -> Option<u64> {
    let core = &exchange.tiles.core;
    let num = exchange.members.len();
    let pairs = (0..num).flat_map(|from| (0..num).map(move |to| (from, to)));
    let mut bytes = pairs
        .filter(|(from, to)| from != to)
        .map(|(from, to)| (exchange.bytes)(from, to));
    let first = bytes.next()?;
    let is_long = core.message_words(first) > u64::from(core.receive_store_words);
    (is_long && bytes.all(|other| other == first)).then_some(first)
}

/// The plan of an exchange of so many bytes of each rank for each other one, chunk by chunk in rounds.
pub(super) fn plan_in_rounds(exchange: &Exchange<'_>, bytes: u64) -> Plan {
    let core = &exchange.tiles.core;
    let units = core.units(bytes);
    let chunk_units = units.div_ceil(units.div_ceil(CHUNK_UNITS));
    let chunk_bytes = chunk_units * u64::from(core.unit_bytes);
    let num = exchange.members.len();
    let mut plan = Plan {
        steps: vec![Vec::new(); num],
        ..Plan::default()
    };
    let mut free_at = vec![0; num];
    plan.chunk_bytes = chunk_bytes;
    let rounds = rounds(exchange);
    let chunks = 0..bytes.div_ceil(chunk_bytes);
    let all = chunks.flat_map(|chunk| rounds.iter().map(move |round| (chunk, round)));
    for (chunk, round) in all {
        let bytes = chunk_bytes.min(bytes - chunk * chunk_bytes);
        let start = plan.cycles;
        for (from, to) in round.iter().copied() {
            let cycles = core.message_words(bytes) * core.written_word_cycles()
                + core.units(bytes) * u64::from(core.unit_cycles);
            let sent = start + u64::from(core.send_cycles) + cycles;
            let received = sent + u64::from(core.receive_cycles) + APART_CYCLES;
            if free_at[from] < start {
                plan.steps[from].push(Step::Wait(start - free_at[from]));
            }
            plan.steps[from].push(Step::Send(to));
            plan.steps[to].push(Step::Receive(from));
            plan.sends.push((from, to));
            (free_at[from], free_at[to]) = (sent, received);
            plan.cycles = plan.cycles.max(received);
        }
    }
    plan
}

/// The rounds of an exchange, as pairs of ranks.
fn rounds(exchange: &Exchange<'_>) -> Vec<Vec<(usize, usize)>> {
    let links = Links::new(&exchange.tiles.router.udn, exchange.members);
    let num = exchange.members.len();
    let pairs = (0..num).flat_map(|from| (0..num).map(move |to| (from, to)));
    let wanted = pairs.filter(|(from, to)| from != to).map(|pair| {
        let path = links.outputs((exchange.members[pair.0], exchange.members[pair.1]));
        let path = path.into_iter().map(|output| num + output);
        let takes = [pair.0, pair.1].into_iter().chain(path).collect();
        Wanted { pair, takes }
    });
    let mut left: Vec<Wanted> = wanted.collect();
    let mut packer = Packer::new(&left);
    let mut rounds = Vec::new();
    while !left.is_empty() {
        let mut is_taken = vec![false; left.len()];
        let round = packer.fullest(&left);
        for place in &round {
            is_taken[*place] = true;
            packer.take(&left[*place]);
        }
        rounds.push(round.iter().map(|place| left[*place].pair).collect());
        let mut is_taken = is_taken.into_iter();
        left.retain(|_| !is_taken.next().unwrap_or(false));
    }
    rounds
}

impl Packer {
    fn new(messages: &[Wanted]) -> Self {
        let all = messages.iter().flat_map(|message| &message.takes);
        let num = max_or_zero(all.clone().map(|at| at + 1));
        let mut wanted = vec![0; num];
        all.for_each(|at| wanted[*at] += 1);
        Self {
            wanted,
            taken: vec![0; num],
            orders: 0,
        }
    }

    fn take(&mut self, message: &Wanted) {
        for at in &message.takes {
            self.wanted[*at] -= 1;
        }
    }

    /// Places of the messages of a round.
    fn fullest(&mut self, left: &[Wanted]) -> Vec<usize> {
        let most = max_or_zero(self.wanted.iter().copied()).max(1);
        let share = |wanted: &u32| f64::from(*wanted) / f64::from(most);
        let weights: Vec<f64> = self.wanted.iter().map(|w| share(w).powi(8)).collect();
        let sum = |m: &Wanted| m.takes.iter().map(|at| weights[*at]).sum::<f64>();
        let largest = |m: &Wanted| m.takes.iter().map(|at| weights[*at]).fold(0.0, f64::max);
        let values = left.iter().map(|m| largest(m) + OF_OTHERS * sum(m));
        let values: Vec<f64> = values.collect();
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for _ in 0..TRIES {
            let round = self.in_order(left, &values);
            let filled: f64 = round.iter().map(|place| sum(&left[*place])).sum();
            if filled >= best.0 {
                best = (filled, round);
            }
        }
        best.1
    }

    /// Takes messages in the order of their values, each lowered by a draw.
    fn in_order(&mut self, left: &[Wanted], values: &[f64]) -> Vec<usize> {
        self.orders += 1;
        let drawn = |place: usize| {
            let drawn = mix(self.orders << 32 | place as u64) >> 40;
            drawn as f64 / f64::from(1 << 24)
        };
        // The value in the upper half, so that integers are sorted; equal ones in the order of the messages.
        let key = |(place, value): (usize, &f64)| {
            let value = value * (1.0 - LOWERED * drawn(place)) * f64::from(1 << 26);
            (value as u64) << 32 | u64::from(u32::MAX - place as u32)
        };
        let mut order: Vec<u64> = values.iter().enumerate().map(key).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        let mut round = Vec::new();
        for key in order {
            let place = (u32::MAX - key as u32) as usize;
            let takes = &left[place].takes;
            if takes.iter().all(|at| self.taken[*at] != self.orders) {
                takes.iter().for_each(|at| self.taken[*at] = self.orders);
                round.push(place);
            }
        }
        round
    }
}

// When links of the dynamic network are busy in a plan: X first, then Y, one word per cycle, and the port of the core at the end.

/// East, west, north, south, and the core's own port.
const OUTPUTS: usize = 5;
/// The core's own port.
const CORE: usize = OUTPUTS - 1;

/// A message on its path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) from: Coord,
    pub(super) to: Coord,
    /// When the core writes the first word.
    pub(super) first_word: u64,
    /// From the first word to the last.
    pub(super) cycles: u64,
}

/// A step of a path: out of a FIFO, through an output.
#[derive(Debug, Clone, Copy)]
struct Hop {
    output: usize,
    /// The FIFO before it, by the output that fills it; the core's own by that of the core.
    from: usize,
    /// From the first word's writing to its passing.
    offset: u64,
    corner_cycles: u64,
}

/// Until when each output of each tile of a rectangle is busy, and the FIFO behind it is not empty.
#[derive(Debug)]
pub(super) struct Links {
    hop_cycles: u64,
    corner_cycles: u64,
    rows: usize,
    busy_until: Vec<u64>,
    drained_at: Vec<u64>,
}

impl Links {
    pub(super) fn new(udn: &UdnRouter, members: &[Coord]) -> Self {
        let columns = max_or_zero(members.iter().map(|c| usize::from(c.x) + 1));
        let rows = max_or_zero(members.iter().map(|c| usize::from(c.y) + 1));
        let outputs = columns * rows * OUTPUTS;
        Self {
            hop_cycles: u64::from(udn.hop_cycles),
            corner_cycles: u64::from(udn.turn_cycles),
            rows,
            busy_until: vec![0; outputs],
            drained_at: vec![0; outputs],
        }
    }

    /// Steps of a path, the core's port at its end; true if `visit` is for all.
    fn path(&self, (from, to): (Coord, Coord), mut visit: impl FnMut(Hop) -> bool) -> bool {
        let mut at = from;
        let output = |at: Coord, port: usize| {
            (usize::from(at.x) * self.rows + usize::from(at.y)) * OUTPUTS + port
        };
        let mut hop = Hop {
            output: 0,
            from: output(at, CORE),
            offset: 0,
            corner_cycles: 0,
        };
        loop {
            let port = if at.x != to.x {
                usize::from(at.x > to.x)
            } else if at.y != to.y {
                2 + usize::from(at.y > to.y)
            } else {
                CORE
            };
            // The corner: the first step along the column, behind one along the row.
            let is_corner = at.x == to.x && at.y == from.y && at.x != from.x && port != CORE;
            hop.corner_cycles = if is_corner { self.corner_cycles } else { 0 };
            hop.offset += self.hop_cycles + hop.corner_cycles;
            hop.output = output(at, port);
            if !visit(hop) {
                return false;
            }
            match port {
                0 => at.x += 1,
                1 => at.x -= 1,
                2 => at.y += 1,
                3 => at.y -= 1,
                _ => return true,
            }
            hop.from = hop.output;
        }
    }

    /// Outputs of routers on a path, without the port of the core at its end.
    pub(super) fn outputs(&self, ends: (Coord, Coord)) -> Vec<usize> {
        let mut outputs = Vec::new();
        self.path(ends, |hop| {
            if hop.output % OUTPUTS != CORE {
                outputs.push(hop.output);
            }
            true
        });
        outputs
    }

    /// Is every output free when the words pass? A head that changes direction waits at the front of its FIFO.
    pub(super) fn are_free(&self, passage: &Passage) -> bool {
        self.path((passage.from, passage.to), |hop| {
            let passes = passage.first_word + hop.offset;
            self.busy_until[hop.output] <= passes
                && self.drained_at[hop.from] + hop.corner_cycles <= passes
        })
    }

    /// Takes the outputs of a path.
    pub(super) fn take(&mut self, passage: Passage) {
        let mut taken = Vec::new();
        self.path((passage.from, passage.to), |hop| {
            taken.push(hop);
            true
        });
        for hop in taken {
            let until = passage.first_word + hop.offset + passage.cycles;
            self.busy_until[hop.output] = until;
            self.drained_at[hop.from] = until;
        }
    }

    /// When the core at the end can read the first word.
    pub(super) fn arrival(&self, passage: &Passage) -> u64 {
        let hops = u64::from(passage.from.hops_to(passage.to));
        let corners = u64::from(passage.from.x != passage.to.x && passage.from.y != passage.to.y);
        passage.first_word + (hops + 1) * self.hop_cycles + corners * self.corner_cycles + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn rounds_share_no_core_and_no_link_and_have_every_pair_once() {
        let name = "tilepro64_8x8";
        let text = noccl_spec::preset_text(name).unwrap();
        let spec = noccl_spec::parse_spec(name, &text, &[]).unwrap();
        let tiles = spec.cores().unwrap();
        for (columns, rows) in [(1, 1), (3, 1), (4, 3), (8, 8)] {
            let members = (0..columns).flat_map(|x| (0..rows).map(move |y| Coord::new(x, y)));
            let members: Vec<Coord> = members.collect();
            let exchange = Exchange {
                tiles,
                members: &members,
                bytes: &|_, _| 1024,
            };
            let links = Links::new(&tiles.router.udn, &members);
            let all = rounds(&exchange);
            let mut pairs = BTreeSet::new();
            for round in &all {
                let (mut cores, mut outputs) = (BTreeSet::new(), BTreeSet::new());
                for (from, to) in round {
                    assert!(pairs.insert((*from, *to)), "{from} to {to} again");
                    assert!(cores.insert(*from) && cores.insert(*to), "{round:?}");
                    let path = links.outputs((members[*from], members[*to]));
                    assert!(
                        path.into_iter().all(|output| outputs.insert(output)),
                        "{round:?}"
                    );
                }
            }
            let num = members.len();
            assert_eq!(pairs.len(), num * (num - 1));
            // Of 64 cores the middle links allow 128 rounds, and the cores 126.
            assert!(num < 64 || all.len() <= 153, "{} rounds", all.len());
        }
    }

    fn links() -> Links {
        let udn = UdnRouter {
            input_fifo_flits: 3,
            hop_cycles: 1,
            turn_cycles: 1,
            flit_bits: 32,
        };
        Links::new(&udn, &[Coord::new(3, 3)])
    }

    fn passage(from: (u16, u16), to: (u16, u16), first_word: u64) -> Passage {
        Passage {
            from: Coord::new(from.0, from.1),
            to: Coord::new(to.0, to.1),
            first_word,
            cycles: 34,
        }
    }

    #[test]
    fn a_path_goes_along_the_row_first_and_ends_at_the_core() {
        let links = links();
        let mut ports = Vec::new();
        links.path((Coord::new(0, 0), Coord::new(2, 3)), |hop| {
            ports.push(hop.output % OUTPUTS);
            true
        });
        assert_eq!(ports, [0, 0, 2, 2, 2, CORE]);
        // Six routers and a corner, and the core reads a cycle later.
        assert_eq!(links.arrival(&passage((0, 0), (2, 3), 100)), 108);
    }

    #[test]
    fn words_that_would_meet_on_a_link_or_at_a_core_are_no_passage() {
        let mut links = links();
        links.take(passage((0, 0), (2, 0), 0));
        // The link into column 2 is busy in the cycles 2 to 35.
        assert!(!links.are_free(&passage((1, 0), (3, 0), 34)));
        assert!(links.are_free(&passage((1, 0), (3, 0), 35)));
        // Opposite links and other rows are free, the core at the end is not.
        assert!(links.are_free(&passage((2, 0), (0, 0), 0)));
        assert!(links.are_free(&passage((0, 1), (3, 1), 0)));
        assert!(!links.are_free(&passage((2, 1), (2, 0), 34)));
        assert!(links.are_free(&passage((2, 1), (2, 0), 35)));
    }

    #[test]
    fn a_head_that_changes_direction_waits_at_the_front_of_its_fifo() {
        let mut links = links();
        links.take(passage((0, 0), (1, 2), 0));
        // Straight behind it on the link: the FIFO at the corner is emptied a cycle later than words come, and the head waits one more.
        assert!(!links.are_free(&passage((0, 0), (1, 1), 34)));
        assert!(links.are_free(&passage((0, 0), (1, 1), 35)));
    }
}
