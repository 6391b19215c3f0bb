// SPDX-License-Identifier: Apache-2.0
//! All-to-all by messages: in which order every rank sends to every other one.
//!
//! Linear: to rank 0, 1, 2, … Pairwise: by exclusive or where the ranks are a power of two, else to the rank so many places on. Torus: to the
//! tile so many columns and rows on, around the edge. Rounds: by displacement without going around (S4 §3). All wait for what they have
//! received `lag` steps before, and keep a copy of their own block last.

use super::Work;
use super::program::{Part, Program, Wait};
use super::rounds::Grid;
use super::tree::Tree;
use crate::choice::{RoundForm, RoundSync};
use crate::{Algorithm, CollError};
use noccl_workload::Action;

/// Messages of a step, as ranks.
pub(super) type Step = Vec<(usize, usize)>;

impl Work<'_> {
    /// The exchange.
    pub(super) fn all_to_all(&self) -> Result<Vec<Action>, CollError> {
        let steps = self.exchange_steps()?;
        let form = self.choice.messages;
        let lag = form.lag.unwrap_or(self.choice.algorithm.usual_lag());
        let tree = match form.sync {
            RoundSync::Barrier => Some(self.barrier_tree()?),
            RoundSync::None => None,
        };
        // A barrier's messages have rounds of their own, between those of the exchange.
        let stride = if tree.is_some() { 2 } else { 1 };
        let mut program = Program::new(self);
        for (step, pairs) in steps.iter().enumerate() {
            let step = step as u32;
            (program.step, program.round) = (step, Some(step * stride));
            for (from, to) in pairs {
                let wait = match step.checked_sub(lag) {
                    Some(last) if lag > 0 => Wait::UpTo(last),
                    Some(_) | None => Wait::Nothing,
                };
                let wait = if tree.is_some() { Wait::All } else { wait };
                program.send((*from, *to), self.block(*from, *to), wait);
            }
            if let Some(tree) = &tree
                && step as usize + 1 < steps.len()
            {
                program.round = Some(step * stride + 1);
                gather_and_release(tree, &mut program);
            }
        }
        for rank in 0..self.members.len() {
            program.keep(rank, self.block(rank, rank));
        }
        Ok(program.finish())
    }

    /// Who sends to whom, step by step.
    pub(super) fn exchange_steps(&self) -> Result<Vec<Step>, CollError> {
        let num = self.members.len();
        let by_step = |partner: &dyn Fn(usize, usize) -> usize| -> Vec<Step> {
            let step = |s: usize| (0..num).map(move |rank| (rank, partner(rank, s)));
            let apart = |pair: &(usize, usize)| pair.0 != pair.1;
            (0..num).map(|s| step(s).filter(apart).collect()).collect()
        };
        let is = |algorithm| self.choice.algorithm == algorithm;
        let steps = if is(Algorithm::Rounds) {
            self.rounds()?
        } else if is(Algorithm::Torus) {
            let (columns, rows) = self.grid()?;
            by_step(&|rank, step| {
                let x = (rank / rows + step / rows) % columns;
                x * rows + (rank % rows + step % rows) % rows
            })
        } else if !is(Algorithm::Pairwise) {
            by_step(&|_, step| step)
        } else if num.is_power_of_two() {
            by_step(&|rank, step| rank ^ step)
        } else {
            by_step(&|rank, step| (rank + step) % num)
        };
        Ok(steps.into_iter().filter(|step| !step.is_empty()).collect())
    }

    /// The paper's rounds, split or not.
    fn rounds(&self) -> Result<Vec<Step>, CollError> {
        let rectangle = self.rectangle()?;
        let grid = Grid {
            columns: rectangle.width,
            rows: rectangle.height,
        };
        let rounds = match self.choice.messages.rounds {
            RoundForm::Split => grid.split_rounds(),
            RoundForm::Literal => grid.literal_rounds(),
        };
        let rank = |(x, y): (u16, u16)| usize::from(x) * usize::from(grid.rows) + usize::from(y);
        let ranks = |(from, to)| (rank(from), rank(to));
        let rounds = rounds.into_iter();
        Ok(rounds
            .map(|round| round.into_iter().map(ranks).collect())
            .collect())
    }

    /// Block of the rank `to` in the input of `from`, and its place in the output.
    pub(super) fn block(&self, from: usize, to: usize) -> Part {
        let collective = self.collective;
        Part {
            from: collective.input_offset + to as u64 * collective.bytes,
            to: collective.output_offset + from as u64 * collective.bytes,
            bytes: collective.block_bytes(from, to),
        }
    }
}

/// Everybody tells its parent when all its children have told it; then the root releases its children, which release theirs.
pub(super) fn gather_and_release(tree: &Tree, program: &mut Program<'_>) {
    for rank in tree.order.iter().rev() {
        if let Some(parent) = tree.parents[*rank] {
            program.send((*rank, parent), Part::NOTHING, Wait::All);
        }
    }
    for rank in &tree.order {
        for child in &tree.children[*rank] {
            program.send((*rank, *child), Part::NOTHING, Wait::All);
        }
    }
}
