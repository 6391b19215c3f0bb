// SPDX-License-Identifier: Apache-2.0
//! Which vertices precede which: one sweep in the order of their numbers, one bit per source.

use super::{LANES, Lanes, Order, Vertex};

impl Order {
    /// Which vertices come after this one?
    pub(in crate::check) fn reached_from(&self, vertex: Vertex) -> impl Fn(Vertex) -> bool + use<> {
        let mut reached = vec![false; self.num_vertices() - vertex as usize];
        reached[0] = true;
        for (at, preds) in self.starts[vertex as usize..]
            .windows(2)
            .enumerate()
            .skip(1)
        {
            let preds = &self.preds[preds[0] as usize..preds[1] as usize];
            reached[at] = preds
                .iter()
                .any(|p| *p >= vertex && reached[(*p - vertex) as usize]);
        }
        move |at| at >= vertex && reached[(at - vertex) as usize]
    }

    /// First question (index) whose `before` does not precede its `after`. Any number of questions.
    pub(in crate::check) fn first_unordered(
        &self,
        questions: &[(Vertex, Vertex)],
    ) -> Option<usize> {
        let mut by_source: Vec<u32> = (0..questions.len() as u32).collect();
        by_source.sort_unstable_by_key(|q| questions[*q as usize]);
        let mut reached: Vec<Lanes> = Vec::new();
        let mut worst: Option<u32> = None;
        let mut rest = by_source.as_slice();
        while !rest.is_empty() {
            let (group, later) = rest.split_at(group_length(rest, questions));
            rest = later;
            let unordered = self.sweep(group, questions, &mut reached);
            worst = match (worst, unordered) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        worst.map(|q| q as usize)
    }

    /// Decides a group with at most [`LANES`] sources; returns the smallest unordered question.
    fn sweep(
        &self,
        group: &[u32],
        questions: &[(Vertex, Vertex)],
        reached: &mut Vec<Lanes>,
    ) -> Option<u32> {
        let ask = |q: &u32| questions[*q as usize];
        let first = group.first().map(|q| ask(q).0)?;
        let last = group.iter().map(|q| ask(q).1).max()?;
        reached.clear();
        reached.resize((last.max(first) - first + 1) as usize, [0; LANES / 64]);
        let mut lanes = SourceLanes::default();
        let mut sources = group.iter().map(|q| ask(q).0).peekable();
        for vertex in first..=last.max(first) {
            let mut word = [0; LANES / 64];
            let preds = self.starts[vertex as usize]..self.starts[vertex as usize + 1];
            for pred in &self.preds[preds.start as usize..preds.end as usize] {
                if *pred >= first {
                    let from = &reached[(pred - first) as usize];
                    word.iter_mut().zip(from).for_each(|(w, f)| *w |= f);
                }
            }
            while sources.next_if_eq(&vertex).is_some() {
                let lane = lanes.of(vertex);
                word[lane / 64] |= 1 << (lane % 64);
            }
            reached[(vertex - first) as usize] = word;
        }
        let mut lanes = SourceLanes::default();
        let unordered = group.iter().filter(|q| {
            let (before, after) = ask(q);
            let lane = lanes.of(before);
            let is_before = before < after
                && (reached[(after - first) as usize][lane / 64] >> (lane % 64)) & 1 == 1;
            !is_before
        });
        unordered.min().copied()
    }
}

// Which bit of a sweep stands for which source.

/// Numbers distinct sources in the order in which they come.
#[derive(Default)]
pub(crate) struct SourceLanes {
    last: Option<(Vertex, usize)>,
}

impl SourceLanes {
    /// The source's lane.
    pub(crate) fn of(&mut self, source: Vertex) -> usize {
        let lane = match self.last {
            Some((vertex, lane)) if vertex == source => lane,
            Some((_, lane)) => lane + 1,
            None => 0,
        };
        self.last = Some((source, lane));
        lane
    }
}

/// How many of the questions, sorted by source, have no more than [`LANES`] sources.
pub(crate) fn group_length(sorted: &[u32], questions: &[(Vertex, Vertex)]) -> usize {
    let mut lanes = SourceLanes::default();
    sorted
        .iter()
        .position(|q| lanes.of(questions[*q as usize].0) == LANES)
        .unwrap_or(sorted.len())
}
