// SPDX-License-Identifier: Apache-2.0
//! Collectives as messages, where the network's algorithms do not do them: the steps of one rank, in their order.
//!
//! The same trees, rings and pairwise exchanges as `python/noccl/programs/composed.py`, which moves the bytes of Python's ranks; a test
//! compares the cycles of both.

/// What a rank does in a collective that is composed of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Starts to send to a rank of the communicator.
    Send { to: u32, bytes: u64 },
    /// Starts to receive from one.
    Receive { from: u32 },
    /// Waits for all that it has started.
    Wait,
}

/// A rank of a communicator, for which steps are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupRank {
    pub(crate) rank: u32,
    pub(crate) size: u32,
}

impl GroupRank {
    /// The rank that stands so far behind another one, around the circle.
    fn at(self, distance: u32, from: u32) -> u32 {
        ((u64::from(distance) + u64::from(from)) % u64::from(self.size)) as u32
    }

    /// Distance of this rank from a root, around the circle.
    fn from(self, root: u32) -> u32 {
        self.at(self.size - root, self.rank)
    }

    /// The lowest bit of its distance that is set: the step of a binomial tree in which it meets its parent; the root's is the first power of
    /// two that is not below the size.
    fn level(self, distance: u32) -> u32 {
        let mut step = 1;
        while step < self.size && distance & step == 0 {
            step <<= 1;
        }
        step
    }

    /// Broadcast over a binomial tree.
    pub(crate) fn broadcast(self, root: u32, bytes: u64) -> Vec<Step> {
        self.down(root, |_| bytes)
    }

    /// Scatter of equal blocks over a binomial tree.
    pub(crate) fn scatter_equal(self, root: u32, bytes: u64) -> Vec<Step> {
        let size = self.size;
        self.down(root, |(child, step)| {
            u64::from(step.min(size - child)) * bytes
        })
    }

    /// Down a binomial tree; bytes by distance of the child and its step.
    fn down(self, root: u32, bytes: impl Fn((u32, u32)) -> u64) -> Vec<Step> {
        let own = self.from(root);
        let mut steps = Vec::new();
        let mut step = self.level(own);
        if own != 0 {
            let from = self.at(own - step, root);
            steps.extend([Step::Receive { from }, Step::Wait]);
        }
        step >>= 1;
        while step > 0 {
            if own + step < self.size {
                let to = self.at(own + step, root);
                let bytes = bytes((own + step, step));
                steps.push(Step::Send { to, bytes });
            }
            step >>= 1;
        }
        steps.push(Step::Wait);
        steps
    }

    /// Gather of equal blocks over a binomial tree.
    pub(crate) fn gather_equal(self, root: u32, bytes: u64) -> Vec<Step> {
        let own = self.from(root);
        let mut steps = Vec::new();
        let mut blocks = 1;
        let mut step = 1;
        while step < self.size {
            if own & step != 0 {
                let (to, bytes) = (self.at(own - step, root), bytes * u64::from(blocks));
                steps.extend([Step::Send { to, bytes }, Step::Wait]);
                return steps;
            }
            if own + step < self.size {
                let from = self.at(own + step, root);
                steps.extend([Step::Receive { from }, Step::Wait]);
                blocks += step.min(self.size - own - step);
            }
            step <<= 1;
        }
        steps
    }

    /// All ranks but one.
    fn others(self, one: u32) -> impl Iterator<Item = u32> {
        (0..self.size).filter(move |rank| *rank != one)
    }

    /// Gather of blocks of any length, straight to the root.
    pub(crate) fn gather(self, root: u32, bytes: u64) -> Vec<Step> {
        if self.rank != root {
            return vec![Step::Send { to: root, bytes }, Step::Wait];
        }
        let receives = self.others(root).map(|from| Step::Receive { from });
        receives.chain([Step::Wait]).collect()
    }

    /// Scatter of blocks of any length, straight from the root; lengths by rank, at the root.
    pub(crate) fn scatter(self, root: u32, bytes: &[u64]) -> Vec<Step> {
        if self.rank != root {
            return vec![Step::Receive { from: root }, Step::Wait];
        }
        let length = |rank: u32| bytes[rank as usize];
        let sends = self.others(root).map(|to| Step::Send {
            to,
            bytes: length(to),
        });
        sends.chain([Step::Wait]).collect()
    }

    /// Sends and receives at the same time.
    fn exchange(to: u32, bytes: u64, from: u32) -> [Step; 3] {
        [Step::Receive { from }, Step::Send { to, bytes }, Step::Wait]
    }

    /// All-gather over a ring; lengths by rank.
    pub(crate) fn all_gather(self, bytes: impl Fn(u32) -> u64) -> Vec<Step> {
        let (next, before) = (self.at(1, self.rank), self.at(self.size - 1, self.rank));
        let sent = |step: u32| bytes(self.at(self.size - step, self.rank));
        (0..self.size - 1)
            .flat_map(|step| Self::exchange(next, sent(step), before))
            .collect()
    }

    /// All-to-all by pairwise exchanges; lengths of what is sent, by rank.
    pub(crate) fn all_to_all(self, bytes: impl Fn(u32) -> u64) -> Vec<Step> {
        let pair = |step| {
            let to = self.at(step, self.rank);
            Self::exchange(to, bytes(to), self.at(self.size - step, self.rank))
        };
        (1..self.size).flat_map(pair).collect()
    }

    /// Reduction over a binomial tree to rank 0, and on to the root.
    pub(crate) fn reduce(self, root: u32, bytes: u64) -> Vec<Step> {
        let rank = self.rank;
        let mut steps = Vec::new();
        let mut step = 1;
        while step < self.size {
            if rank & step != 0 {
                let to = rank - step;
                steps.extend([Step::Send { to, bytes }, Step::Wait]);
                break;
            }
            if rank + step < self.size {
                let from = rank + step;
                steps.extend([Step::Receive { from }, Step::Wait]);
            }
            step <<= 1;
        }
        if root != 0 && rank == 0 {
            steps.extend([Step::Send { to: root, bytes }, Step::Wait]);
        } else if root != 0 && rank == root {
            steps.extend([Step::Receive { from: 0 }, Step::Wait]);
        }
        steps
    }

    /// Prefix reduction by recursive doubling.
    pub(crate) fn scan(self, bytes: u64) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut step = 1;
        while step < self.size {
            let other = self.rank ^ step;
            if other < self.size {
                steps.extend(Self::exchange(other, bytes, other));
            }
            step <<= 1;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn group_ranks(size: u32) -> impl Iterator<Item = GroupRank> {
        (0..size).map(move |rank| GroupRank { rank, size })
    }

    /// Bytes that went from each rank to each, if all ranks end; messages of a pair are taken in their order.
    fn carried(steps: &[Vec<Step>]) -> BTreeMap<(u32, u32), Vec<u64>> {
        let mut sent: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        let mut taken: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        let mut next = vec![0; steps.len()];
        let mut wanted: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
        let mut has_moved = true;
        while has_moved {
            has_moved = false;
            for (rank, list) in steps.iter().enumerate() {
                while let Some(step) = list.get(next[rank]) {
                    match *step {
                        Step::Send { to, bytes } => {
                            sent.entry((rank as u32, to)).or_default().push(bytes);
                        }
                        Step::Receive { from } => wanted[rank].push(from),
                        Step::Wait => {
                            let came = |from: &u32| {
                                let pair = (*from, rank as u32);
                                let all = sent.get(&pair).map_or(0, Vec::len);
                                all > taken.get(&pair).copied().unwrap_or(0)
                            };
                            if !wanted[rank].iter().all(came) {
                                break;
                            }
                            for from in wanted[rank].drain(..) {
                                *taken.entry((from, rank as u32)).or_default() += 1;
                            }
                        }
                    }
                    next[rank] += 1;
                    has_moved = true;
                }
            }
        }
        for (rank, list) in steps.iter().enumerate() {
            assert_eq!(next[rank], list.len(), "rank {rank} waits");
        }
        for (pair, all) in &sent {
            assert_eq!(taken.get(pair), Some(&all.len()), "{pair:?}");
        }
        sent
    }

    /// Bytes that come to a rank, less those that it passes on.
    fn kept(sent: &BTreeMap<(u32, u32), Vec<u64>>, rank: u32) -> i64 {
        let sum = |bytes: &[u64]| bytes.iter().sum::<u64>() as i64;
        let signed = sent.iter().map(|((from, to), bytes)| {
            i64::from(*to == rank) * sum(bytes) - i64::from(*from == rank) * sum(bytes)
        });
        signed.sum()
    }

    #[test]
    fn every_message_of_a_composed_collective_is_received() {
        for size in 1..=9 {
            for root in 0..size {
                let of = |steps: fn(GroupRank, u32) -> Vec<Step>| -> Vec<Vec<Step>> {
                    group_ranks(size)
                        .map(|group_rank| steps(group_rank, root))
                        .collect()
                };
                carried(&of(|group_rank, root| group_rank.broadcast(root, 7)));
                carried(&of(|group_rank, root| group_rank.reduce(root, 7)));
                carried(&of(|group_rank, _| group_rank.scan(7)));
                let dealt = carried(&of(|group_rank, root| group_rank.scatter_equal(root, 7)));
                let gathered = carried(&of(|group_rank, root| group_rank.gather_equal(root, 7)));
                for rank in 0..size {
                    let all = 7 * (i64::from(size) - 1);
                    let (own, others) = if rank == root { (-all, all) } else { (7, -7) };
                    assert_eq!(kept(&dealt, rank), own, "{size}, {root}, {rank}");
                    assert_eq!(kept(&gathered, rank), others, "{size}, {root}, {rank}");
                }
            }
        }
    }

    #[test]
    fn blocks_of_different_lengths_keep_them() {
        let size = 5;
        let length = |from: u32, to: u32| u64::from(10 * from + to);
        let swapped: Vec<_> = group_ranks(size)
            .map(|group_rank| group_rank.all_to_all(|to| length(group_rank.rank, to)))
            .collect();
        for ((from, to), bytes) in carried(&swapped) {
            assert_eq!(bytes, [length(from, to)]);
        }
        let ring: Vec<_> = group_ranks(size)
            .map(|group_rank| group_rank.all_gather(u64::from))
            .collect();
        for ((from, _), bytes) in carried(&ring) {
            let own = |step: u32| u64::from((from + size - step) % size);
            assert_eq!(bytes, (0..4).map(own).collect::<Vec<_>>());
        }
        let lengths = [1, 2, 3, 4, 5];
        let dealt: Vec<_> = group_ranks(size)
            .map(|group_rank| group_rank.scatter(2, &lengths))
            .collect();
        for ((from, to), bytes) in carried(&dealt) {
            assert_eq!((from, bytes), (2, vec![lengths[to as usize]]));
        }
        let gathered: Vec<_> = group_ranks(size)
            .map(|group_rank| group_rank.gather(2, u64::from(group_rank.rank)))
            .collect();
        for ((from, to), bytes) in carried(&gathered) {
            assert_eq!((to, bytes), (2, vec![u64::from(from)]));
        }
    }
}
