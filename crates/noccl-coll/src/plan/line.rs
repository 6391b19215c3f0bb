// SPDX-License-Identifier: Apache-2.0
//! Reduce-scatters and all-gathers along a list of members: who sends whose block to whom in which step.
//!
//! Block b belongs to position b. A reduce-scatter leaves the sum of a block at its owner, an all-gather brings every block to all positions.
//! What a step sends, its sender has from earlier steps. Lowerings decide where blocks are kept and how they move.

/// One message of a step, between positions of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockSend {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Positions that own what is sent.
    pub(crate) blocks: Vec<usize>,
}

/// Rule of partners in exchanges by pairs, of positions whose number is a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// Positions that differ in one bit, near ones first.
    Near,
    /// The same, far ones first.
    Far,
    /// To both sides, step after step, at distances 1, 1, 3, 5, 11: the sums of powers of -2.
    Swing,
    /// The same, far ones first.
    Bine,
}

impl Pairing {
    /// Partner of each position in each step.
    pub(crate) fn steps(self, num: usize) -> Vec<Vec<usize>> {
        let count = num.ilog2() as usize;
        let of = |step: usize| (0..num).map(|p| self.partner(num, p, step)).collect();
        match self {
            Self::Near | Self::Swing => (0..count).map(of).collect(),
            Self::Far | Self::Bine => (0..count).rev().map(of).collect(),
        }
    }

    fn partner(self, num: usize, position: usize, step: usize) -> usize {
        match self {
            Self::Near | Self::Far => position ^ (1 << step),
            Self::Swing | Self::Bine => {
                let distance = (1 - (-2_i64).pow(step as u32 + 1)) / 3;
                let signed = if position.is_multiple_of(2) {
                    distance
                } else {
                    -distance
                };
                (position as i64 + signed).rem_euclid(num as i64) as usize
            }
        }
    }

    /// Blocks that a position still has to serve from a step on: its own, and those of all it will send to.
    pub(crate) fn kept(steps: &[Vec<usize>], position: usize, from: usize) -> Vec<usize> {
        let Some(partners) = steps.get(from) else {
            return vec![position];
        };
        let mut kept = Self::kept(steps, position, from + 1);
        kept.extend(Self::kept(steps, partners[position], from + 1));
        kept
    }
}

/// Recursive halving: a partner gets the sums of all blocks that it and those behind it keep.
pub(crate) fn halving(num: usize, pairing: Pairing) -> Vec<Vec<BlockSend>> {
    let steps = pairing.steps(num);
    let sends = steps.iter().enumerate().map(|(step, partners)| {
        let send = |(from, to): (usize, &usize)| BlockSend {
            from,
            to: *to,
            blocks: Pairing::kept(&steps, *to, step + 1),
        };
        partners.iter().enumerate().map(send).collect()
    });
    sends.collect()
}

/// Recursive doubling, the reverse of halving: a partner gets all blocks that a position has.
pub(crate) fn doubling(num: usize, pairing: Pairing) -> Vec<Vec<BlockSend>> {
    let steps = pairing.steps(num);
    let sends = steps.iter().enumerate().rev().map(|(step, partners)| {
        let send = |(from, to): (usize, &usize)| BlockSend {
            from,
            to: *to,
            blocks: Pairing::kept(&steps, from, step + 1),
        };
        partners.iter().enumerate().map(send).collect()
    });
    sends.collect()
}

/// The sum of a block begins at the position after its owner and reaches the owner last, around a ring in this order.
pub(crate) fn ring_reduce_scatter(ring: &[usize]) -> impl Iterator<Item = Vec<BlockSend>> {
    (1..ring.len()).map(|step| ring_step(ring, step))
}

/// Each position sends on the block that it got last, around a ring in this order.
pub(crate) fn ring_all_gather(
    ring: &[usize],
    num_steps: usize,
) -> impl Iterator<Item = Vec<BlockSend>> {
    (0..num_steps).map(|step| ring_step(ring, step))
}

/// Every block passes from so many places behind its owner to the next one, by owner.
fn ring_step(ring: &[usize], step: usize) -> Vec<BlockSend> {
    let num = ring.len();
    let send = |(place, owner): (usize, &usize)| BlockSend {
        from: ring[(place + step) % num],
        to: ring[(place + step + 1) % num],
        blocks: vec![*owner],
    };
    ring.iter().enumerate().map(send).collect()
}

/// Each position sends to each other one, the next one first: what it owns, or (`is_received`) what the receiver owns.
pub(crate) fn direct(num: usize, is_received: bool) -> impl Iterator<Item = Vec<BlockSend>> {
    (1..num).map(move |step| {
        let send = |from: usize| {
            let to = (from + step) % num;
            let owner = if is_received { to } else { from };
            BlockSend {
                from,
                to,
                blocks: vec![owner],
            }
        };
        (0..num).map(send).collect()
    })
}

/// Positions of a list in the order of a ring whose neighbours are at most two apart: every second one there, the others back.
pub(crate) fn there_and_back(num: usize) -> Vec<usize> {
    let there = (0..num).step_by(2);
    let back = (0..num).skip(1).step_by(2);
    there.chain(back.rev()).collect()
}

/// Dissemination: whom each position signals in each step, at doubling distances. Behind the last step all have heard of all.
pub(crate) fn dissemination(num: usize) -> Vec<Vec<usize>> {
    let num_steps = num.next_power_of_two().ilog2();
    let step = |step: u32| (0..num).map(|p| (p + (1 << step)) % num).collect();
    (0..num_steps).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_ring_of_a_list_has_every_position_once_and_neighbours_at_most_two_apart() {
        for num in 1..20 {
            let ring = there_and_back(num);
            let mut sorted = ring.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..num).collect::<Vec<_>>());
            for place in 0..num {
                assert!(ring[(place + 1) % num].abs_diff(ring[place]) <= 2);
            }
        }
    }

    /// Senders have what they send, and in the end all positions have all blocks.
    fn check_all_gather(num: usize, steps: impl IntoIterator<Item = Vec<BlockSend>>) {
        let mut has: Vec<BTreeSet<usize>> = (0..num).map(|p| BTreeSet::from([p])).collect();
        for step in steps {
            let before = has.clone();
            for send in step {
                assert!(send.blocks.iter().all(|b| before[send.from].contains(b)));
                has[send.to].extend(&send.blocks);
            }
        }
        assert!(has.iter().all(|blocks| blocks.len() == num));
    }

    /// Sums of a block that are sent have operands of their own, and in the end the owner has all.
    fn check_reduce_scatter(num: usize, steps: impl IntoIterator<Item = Vec<BlockSend>>) {
        let mut sums: Vec<Vec<BTreeSet<usize>>> =
            (0..num).map(|p| vec![BTreeSet::from([p]); num]).collect();
        for step in steps {
            let before = sums.clone();
            for send in step {
                for block in &send.blocks {
                    let operands = &before[send.from][*block];
                    assert!(sums[send.to][*block].is_disjoint(operands));
                    sums[send.to][*block].extend(operands);
                }
            }
        }
        let full = (0..num).filter(|owner| sums[*owner][*owner].len() == num);
        assert_eq!(full.count(), num);
    }

    #[test]
    fn every_family_gathers_all_blocks_and_adds_every_operand_once() {
        for num in 1..=16 {
            let ring = there_and_back(num);
            check_all_gather(num, ring_all_gather(&ring, num - 1));
            check_reduce_scatter(num, ring_reduce_scatter(&ring));
            check_all_gather(num, direct(num, false));
            check_reduce_scatter(num, direct(num, true));
            if num.is_power_of_two() {
                for pairing in [Pairing::Near, Pairing::Far, Pairing::Swing, Pairing::Bine] {
                    check_all_gather(num, doubling(num, pairing));
                    check_reduce_scatter(num, halving(num, pairing));
                }
            }
        }
    }

    #[test]
    fn behind_a_dissemination_all_have_heard_of_all() {
        for num in 1..40 {
            let mut heard: Vec<BTreeSet<usize>> = (0..num).map(|p| BTreeSet::from([p])).collect();
            for step in dissemination(num) {
                let before = heard.clone();
                for (from, to) in step.into_iter().enumerate() {
                    heard[to].extend(&before[from]);
                }
            }
            assert!(heard.iter().all(|all| all.len() == num), "{num}");
        }
    }
}
