// SPDX-License-Identifier: Apache-2.0
//! Our model: S1's equations with a hop term and with who waits for whom.
//!
//! S1 charges every transfer the same α and every synchronisation the same δ. Here a transfer takes
//! α + γ·h + β·n over h hops, and a synchronisation costs its members γ/2 per hop to the counter and
//! γ/2 back, so a step takes as long as its farthest *active* member, δ = δ₀ + γ·h, and never less than a barrier
//! over the whole group. All constants are
//! fitted (`fit`), the structure is that of the algorithms of `docs/algorithms.md`; nothing else is.
//!
//! The forms hold for rectangles of clusters whose entry, root and counter is the south-west corner. Trees
//! are exact for powers of two. `predict` does any schedule; the two agree where both apply
//! (`tests/forms.rs`).

mod reduce;

use crate::constants::Constants;
use crate::polling::seen_full;
use crate::published::Extent;

/// Where a multicast's data lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MulticastSource {
    /// In a tile outside the group, that many hops from the south-west corner (S1's memory tile: 1).
    Outside {
        /// Hops.
        hops: u32,
    },
    /// In the L1 of the south-west corner, where its own copy belongs.
    Corner,
}

/// What the member that decides a step does between two barriers.
#[derive(Debug, Clone, Copy)]
struct Work {
    /// Hops from the member to the counter.
    hops: f64,
    /// From leaving the barrier to the end of its last action.
    busy_cycles: f64,
    /// Is that action a transfer, for whose end it has to wait?
    has_wait: bool,
}

/// A payload in equal chunks of whole beats, the last one shorter.
#[derive(Debug, Clone, Copy)]
struct Chunks {
    len: u64,
    full: u64,
    last: u64,
}

impl Chunks {
    fn new(beats: u64, wanted: u32) -> Self {
        let full = beats.div_ceil(u64::from(wanted.max(1))).max(1);
        let len = beats.div_ceil(full).max(1);
        Self {
            len,
            full,
            last: beats - (len - 1) * full,
        }
    }

    fn beats(self, chunk: u64) -> f64 {
        (if chunk + 1 == self.len {
            self.last
        } else {
            self.full
        }) as f64
    }
}

impl Constants {
    /// A transfer in which the destination reads. S1 §2.2, with a hop term.
    #[must_use]
    pub fn pull_cycles(&self, hops: u32, beats: u64) -> f64 {
        self.moved(self.pull_alpha_cycles, hops, beats as f64)
    }

    /// A transfer in which the source writes, to one tile or to several, h hops to the farthest.
    #[must_use]
    pub fn push_cycles(&self, hops: u32, beats: u64) -> f64 {
        self.moved(self.push_alpha_cycles, hops, beats as f64)
    }

    /// Additions by the cores.
    #[must_use]
    pub fn compute_cycles(&self, beats: f64) -> f64 {
        self.compute_alpha_cycles + self.compute_beta_cycles_per_beat * beats
    }

    /// The network's barrier, all members entering together, the farthest h hops from the counter.
    #[must_use]
    pub fn barrier_cycles(&self, hops: u32) -> f64 {
        self.barrier_alpha_cycles + self.hop_cycles * f64::from(hops)
    }

    /// The software barrier: members farther than d hops pass the counter, one after the other, behind the
    /// first of them; the slowest d decides. The counter's cluster sees it full when its round of polling ends, and the interrupt goes
    /// out.
    #[must_use]
    pub fn counter_barrier_cycles(&self, extent: Extent) -> f64 {
        let (width, height) = (extent.columns, extent.rows);
        let at = |d: u32| (0..width.min(d + 1)).filter(|x| d - x < height).count();
        let farthest = width + height - 2;
        let mut behind = 0;
        let mut queue: f64 = 0.0;
        for d in (0..=farthest).rev() {
            behind += at(d);
            let arrival = self.path_cycles(d);
            queue = queue.max(arrival + behind as f64 * self.counter_member_cycles);
        }
        // It polls from the response to its own atomic on, which takes as long as a round.
        let (own, round) = (self.counter_member_cycles, self.poll_cycles);
        let seen = seen_full(own, queue, round, round);
        self.counter_alpha_cycles + seen + self.path_cycles(farthest)
    }

    /// `in_network` multicast. S1 eq. (4), (13).
    #[must_use]
    pub fn multicast_in_network_cycles(
        &self,
        extent: Extent,
        beats: u64,
        source: MulticastSource,
    ) -> f64 {
        let farthest = extent.columns + extent.rows - 2;
        match source {
            MulticastSource::Corner => self.push_cycles(farthest, beats),
            MulticastSource::Outside { hops } => {
                self.moved(self.relay_alpha_cycles, hops + farthest, beats as f64)
            }
        }
    }

    /// `chain` in a row, `row_column` in two dimensions: chunk i passes stage s in step i + s.
    /// S1 eq. (1), (2), (10), (11).
    ///
    /// Where chunks run along row and columns at the same time, a cluster of the first row sends two of them through its one port; eq. (11)
    /// counts one.
    #[must_use]
    pub fn multicast_chain_cycles(
        &self,
        extent: Extent,
        beats: u64,
        num_chunks: u32,
        source: MulticastSource,
    ) -> f64 {
        let chunks = Chunks::new(beats, num_chunks);
        let stages = u64::from(extent.columns + extent.rows - 2);
        // Hops from the counter to the stage's farthest reader, and over how many it reads.
        let mut readers: Vec<(f64, u32)> = (1..=stages).map(|i| (i as f64, 1)).collect();
        if let MulticastSource::Outside { hops } = source {
            readers.insert(0, (0.0, hops));
        }
        let num_steps = (readers.len() as u64 + chunks.len).saturating_sub(1);
        // In two dimensions a cluster of the first row hands on to its row and to its column.
        let corner = readers.len() as u64 - u64::from(extent.rows - 1);
        let has_corner = extent.columns > 1 && extent.rows > 1;
        let steps = (0..num_steps).map(|step| {
            let first = (step + 1).saturating_sub(chunks.len);
            let last = step.min(readers.len() as u64 - 1);
            let moved = |stage: u64| {
                let (hops, over) = readers[stage as usize];
                let beats = chunks.beats(step - stage);
                self.transfer_work(hops, self.moved(self.pull_alpha_cycles, over, beats))
            };
            let mut works: Vec<Work> = (first..=last).map(moved).collect();
            if has_corner && first < corner && corner <= last {
                let row = moved(corner - 1);
                let column = chunks.beats(step - corner);
                works.push(Work {
                    busy_cycles: row.busy_cycles + self.beta_cycles_per_beat * column,
                    ..row
                });
            }
            works
        });
        self.in_steps(extent, steps)
    }

    /// `tree` in a row, `row_column:…:tree` in two dimensions, one chunk. S1 eq. (3), (12).
    #[must_use]
    pub fn multicast_tree_cycles(
        &self,
        extent: Extent,
        beats: u64,
        source: MulticastSource,
    ) -> f64 {
        let row = strides(extent.columns).map(|s| (f64::from(extent.columns - 2 * s), s));
        let edge = f64::from(extent.columns - 1);
        let column = strides(extent.rows).map(|s| (edge + f64::from(extent.rows - 2 * s), s));
        let mut steps: Vec<Vec<Work>> = row
            .chain(column)
            .map(|(hops, stride)| vec![self.transfer_work(hops, self.push_cycles(stride, beats))])
            .collect();
        if let MulticastSource::Outside { hops } = source {
            // The entry reads and goes on to write: no barrier between.
            let read = self.pull_cycles(hops, beats);
            match steps.first_mut().and_then(|works| works.first_mut()) {
                Some(work) => work.busy_cycles += self.issue_cycles + read + self.wait_cycles,
                None => steps.push(vec![self.transfer_work(0.0, read)]),
            }
        }
        self.in_steps(extent, steps.into_iter())
    }

    /// From the start of the first transfer to the end of the last action of steps with barriers between; leaving a
    /// barrier is one.
    ///
    /// Members without work enter the next barrier as soon as they have left the last one, so no step is shorter
    /// than the round trip of a barrier over the whole group.
    fn in_steps(&self, extent: Extent, steps: impl Iterator<Item = Vec<Work>>) -> f64 {
        let reach = self.path_cycles(extent.columns + extent.rows - 2);
        // When the counter has let everybody go, and what a member adds until it goes on.
        let mut released = 0.0;
        let mut is_first = true;
        let mut end: f64 = 0.0;
        for works in steps {
            let entered = if is_first { 0.0 } else { reach };
            let mut next = released + entered + reach + self.barrier_alpha_cycles;
            end = end.max(released + entered);
            for work in &works {
                let path = self.hop_cycles / 2.0 * work.hops;
                let leaves = released + if is_first { 0.0 } else { path };
                let over = leaves + work.busy_cycles;
                let wait = if work.has_wait { self.wait_cycles } else { 0.0 };
                end = end.max(over);
                next = next.max(over + wait + path + self.barrier_alpha_cycles);
            }
            released = next;
            is_first = false;
        }
        (end - self.issue_cycles).max(0.0)
    }

    fn transfer_work(&self, hops: f64, cycles: f64) -> Work {
        Work {
            hops,
            busy_cycles: self.issue_cycles + cycles,
            has_wait: true,
        }
    }

    fn fold_work(&self, hops: f64, beats: f64) -> Work {
        Work {
            hops,
            busy_cycles: self.compute_cycles(beats),
            has_wait: false,
        }
    }

    fn moved(&self, alpha_cycles: f64, hops: u32, beats: f64) -> f64 {
        alpha_cycles + self.hop_cycles * f64::from(hops) + self.beta_cycles_per_beat * beats
    }

    /// Cycles from a tile to another over so many paths (hops, without bypass), without a response.
    pub(crate) fn path_cycles(&self, paths: u32) -> f64 {
        self.hop_cycles / 2.0 * f64::from(paths)
    }
}

/// Strides of a binary tree over a line, falling: half the line, a quarter, …, 1.
fn strides(members: u32) -> impl Iterator<Item = u32> {
    let levels = members.max(1).ilog2();
    (0..levels).rev().map(|level| 1 << level)
}
