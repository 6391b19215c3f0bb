// SPDX-License-Identifier: Apache-2.0
//! FIFOs of every depth beside a queue that holds as many flits.

use crate::router::collective::control::block::{Block, LANES, LOCAL, PORTS, SLOTS, Wants};
use crate::router::collective::fifo::store::{FlitEntry, empty_slots};
use crate::router::collective::fifo::tails::DeepFifos;
use std::collections::VecDeque;

/// A small generator (xorshift), the same in every run.
struct Draws(u64);

impl Draws {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

const LANE: usize = 37;

fn flit(number: u64) -> FlitEntry {
    FlitEntry(!number)
}

/// What a flit asks for: one of the outputs, or other contributions.
fn wants(number: u64) -> Wants {
    std::array::from_fn(|i| u64::from(i as u64 == number % 6) << LANE)
}

/// Fills, drains or does both, in phases, so that every occupancy occurs.
fn chances(draws: &mut Draws, step: u64) -> (bool, bool) {
    let (push, pop) = [(3, 1), (1, 3), (4, 4)][(step / 50 % 3) as usize];
    (draws.next(4) < push, draws.next(4) < pop)
}

#[test]
fn an_input_of_any_depth_is_a_queue_whose_head_asks() {
    for depth in 1..=16 {
        let (mut block, mut full) = (Block::default(), 0);
        let mut deep = DeepFifos::new(1, depth, 2);
        let (mut slots, mut draws) = (empty_slots(SLOTS), Draws(depth as u64 + 7));
        let mut queue = VecDeque::new();
        for step in 0..1500 {
            let is_full = queue.len() == depth;
            assert_eq!(full >> LANE & 1 != 0, is_full, "depth {depth}, step {step}");
            assert_eq!(block.in_any[LOCAL] >> LANE & 1 != 0, !queue.is_empty());
            if let Some(&head) = queue.front() {
                let slot = (block.in_head[LOCAL] >> LANE & 1) as usize;
                assert_eq!(slots[slot * LANES + LANE], flit(head), "depth {depth}");
                let asked: Wants = std::array::from_fn(|i| {
                    let lanes = block.requests.get(i).map_or(0, |inputs| inputs[LOCAL]);
                    lanes
                        | if i == PORTS {
                            block.join_heads[LOCAL]
                        } else {
                            0
                        }
                });
                assert_eq!(asked, wants(head), "depth {depth}, step {step}");
            }
            let (push, pop) = chances(&mut draws, step);
            let mut inputs = deep.inputs.whole();
            let has_head = !queue.is_empty();
            if push && !is_full {
                let slot = (block.input_slots(LOCAL) >> LANE & 1) as usize;
                inputs.place((0, LOCAL, LANE), &mut slots, slot, flit(step));
                let (at, lanes) = ((0, LOCAL), 1 << LANE);
                inputs.enter(&mut block, &mut full, at, lanes, &wants(step));
                queue.push_back(step);
            }
            if pop && has_head {
                // A granted head asks no more.
                block.requests.iter_mut().for_each(|r| r[LOCAL] = 0);
                block.join_heads[LOCAL] = 0;
                let lanes = 1 << LANE;
                inputs.leave(&mut block, &mut full, &mut slots, (0, LOCAL), lanes);
                queue.pop_front();
            }
        }
    }
}

#[test]
fn an_output_of_any_depth_is_a_queue() {
    for depth in 1..=16 {
        let mut block = Block::default();
        let mut deep = DeepFifos::new(1, 2, depth);
        let (mut slots, mut draws) = (empty_slots(SLOTS), Draws(depth as u64 + 99));
        let mut queue = VecDeque::new();
        for step in 0..1500 {
            let is_full = queue.len() == depth;
            assert_eq!(
                block.out_full[LOCAL] >> LANE & 1 != 0,
                is_full,
                "depth {depth}, step {step}"
            );
            let offers = block.out_any[LOCAL] >> LANE & 1 != 0;
            assert_eq!(offers, !queue.is_empty(), "depth {depth}, step {step}");
            let (push, pop) = chances(&mut draws, step);
            let mut outputs = deep.outputs.whole();
            if pop && let Some(head) = queue.pop_front() {
                let slot = (block.out_head[LOCAL] >> LANE & 1) as usize;
                let only_delivered = block.only_delivered() >> LANE & 1 != 0;
                outputs.pop_outputs(&mut block, 0, LOCAL, 1 << LANE);
                // The slot is read after its flit has left.
                assert_eq!(slots[slot * LANES + LANE], flit(head), "depth {depth}");
                assert_eq!(only_delivered, head % 3 == 0, "depth {depth}, step {step}");
            }
            outputs.move_up(&mut block, &mut slots, 0, LOCAL);
            if push && !is_full {
                let at = (0, LOCAL, LANE);
                outputs.append(&mut block, &mut slots, at, flit(step), step % 3 == 0);
                queue.push_back(step);
            }
        }
    }
}
