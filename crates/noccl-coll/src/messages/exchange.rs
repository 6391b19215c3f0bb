// SPDX-License-Identifier: Apache-2.0
//! All-to-all by messages: in which order every rank sends to every other one.
//!
//! Linear: to rank 0, 1, 2, … Pairwise: by exclusive or where the ranks are a power of two, else to the rank so many places on. Torus: to the
//! tile so many columns and rows on, around the edge, through the rows back and forth. Rounds: by displacement without going around (S4 §3). All wait for what they have
//! received `lag` steps before, and keep a copy of their own block last.

use super::Work;
use super::program::{MessagePart, Program, Wait};
use super::rounds::Grid;
use super::tree::MessageTree;
use crate::CollError;
use crate::choice::{RoundForm, RoundSync};
use crate::entry::{Entry, OnCores, Parameters};
use noccl_workload::{Action, CollectiveKind, MessageRows};

/// Messages of a step, as ranks.
pub(super) type ExchangeStep = Vec<(usize, usize)>;

/// A message of a step: its ranks, bytes, and rows if it has several. A rank sends itself what it copies.
pub(super) type Sent = ((usize, usize), (MessagePart, Option<MessageRows>));

pub(crate) const TORUS: Entry = Entry {
    parameters: Parameters {
        lag: Some(2),
        ..Parameters::NONE
    },
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::AllToAll,
        |work| work.exchange(work.torus()?),
    )),
    ..Entry::named("torus")
};

pub(crate) const ROUNDS: Entry = Entry {
    parameters: Parameters {
        has_rounds: true,
        lag: Some(1),
        ..Parameters::NONE
    },
    on_cores: Some(OnCores::new(
        |kind| kind == CollectiveKind::AllToAll,
        |work| work.exchange(work.rounds()?),
    )),
    ..Entry::named("rounds")
};

fn is_sent((pair, _): &Sent) -> bool {
    pair.0 != pair.1
}

impl Work<'_> {
    /// By rows and columns.
    pub(super) fn exchange_by_row_and_column(&self) -> Result<Vec<Action>, CollError> {
        let (steps, passed_on) = self.row_column_steps()?;
        self.in_steps(&steps, passed_on)
    }

    /// Everybody's blocks, each to its rank, in the order of these steps.
    pub(super) fn exchange(&self, steps: Vec<ExchangeStep>) -> Result<Vec<Action>, CollError> {
        let steps = steps.into_iter().filter(|step| !step.is_empty());
        let steps = steps.map(|pairs| {
            let sent = |pair: (usize, usize)| (pair, (self.block(pair.0, pair.1), None));
            pairs.into_iter().map(sent).collect()
        });
        let mut steps: Vec<Vec<Sent>> = steps.collect();
        let ranks = 0..self.members.len();
        let own = ranks.map(|rank| ((rank, rank), (self.block(rank, rank), None)));
        steps.push(own.collect());
        self.in_steps(&steps, 0)
    }

    /// Messages step by step. What a core sends in step `passed_on` and later it may have received in the steps before that one, all of
    /// which it waits for.
    fn in_steps(&self, steps: &[Vec<Sent>], passed_on: u32) -> Result<Vec<Action>, CollError> {
        let form = self.choice.messages;
        let lag = self.choice.lag();
        let tree = match form.sync {
            RoundSync::Barrier => Some(self.barrier_tree()?),
            RoundSync::None => None,
        };
        // A barrier's messages have rounds of their own, between those of the exchange.
        let stride = if tree.is_some() { 2 } else { 1 };
        let last = steps.iter().rposition(|step| step.iter().any(is_sent));
        let mut program = Program::new(self);
        for (step, messages) in steps.iter().enumerate() {
            let is_before_others = last.is_some_and(|last| step < last);
            let step = step as u32;
            (program.step, program.round) = (step, Some(step * stride));
            for (pair, (part, rows)) in messages {
                let before = passed_on.checked_sub(1).filter(|_| step >= passed_on);
                let behind = step.checked_sub(lag).filter(|_| lag > 0);
                let wait = match before.max(behind) {
                    _ if pair.0 == pair.1 => before.map_or(Wait::Nothing, Wait::UpTo),
                    _ if tree.is_some() => Wait::All,
                    Some(last) => Wait::UpTo(last),
                    None => Wait::Nothing,
                };
                if pair.0 != pair.1 || part.bytes > 0 {
                    program.send_rows(*pair, (*part, *rows), wait);
                }
            }
            if let Some(tree) = &tree
                && is_before_others
            {
                program.round = Some(step * stride + 1);
                gather_and_release(tree, &mut program);
            }
        }
        Ok(program.finish())
    }

    /// Steps in which every rank has one partner, who is another one or itself.
    fn by_step(&self, partner: impl Fn(usize, usize) -> usize) -> Vec<ExchangeStep> {
        let num = self.members.len();
        let step = |s: usize| (0..num).map(|rank| (rank, partner(rank, s))).collect();
        let mut steps: Vec<ExchangeStep> = (0..num).map(step).collect();
        for step in &mut steps {
            step.retain(|pair| pair.0 != pair.1);
        }
        steps
    }

    /// To rank 0, 1, 2, …
    pub(super) fn linear(&self) -> Vec<ExchangeStep> {
        self.by_step(|_, step| step)
    }

    /// By exclusive or where the ranks are a power of two, else to the rank so many places on.
    pub(super) fn pairwise(&self) -> Vec<ExchangeStep> {
        let num = self.members.len();
        match num.is_power_of_two() {
            true => self.by_step(|rank, step| rank ^ step),
            false => self.by_step(|rank, step| (rank + step) % num),
        }
    }

    /// To the tile so many columns and rows on, around the edge.
    fn torus(&self) -> Result<Vec<ExchangeStep>, CollError> {
        let (columns, rows) = self.grid()?;
        Ok(self.by_step(|rank, step| {
            // Rows up for an even number of columns, down for an odd one: one step differs from the next by a row or a column.
            let (across, along) = (step / rows, step % rows);
            let along = if across.is_multiple_of(2) {
                along
            } else {
                rows - 1 - along
            };
            let x = (rank / rows + across) % columns;
            x * rows + (rank % rows + along) % rows
        }))
    }

    /// The paper's rounds, split or not.
    fn rounds(&self) -> Result<Vec<ExchangeStep>, CollError> {
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
    pub(super) fn block(&self, from: usize, to: usize) -> MessagePart {
        let collective = self.collective;
        MessagePart {
            from: collective.input_offset + to as u64 * collective.bytes,
            to: collective.output_offset + from as u64 * collective.bytes,
            bytes: collective.block_bytes(from, to),
        }
    }
}

/// Everybody tells its parent when all its children have told it; then the root releases its children, which release theirs.
pub(super) fn gather_and_release(tree: &MessageTree, program: &mut Program<'_>) {
    for rank in tree.order.iter().rev() {
        if let Some(parent) = tree.parents[*rank] {
            program.send((*rank, parent), MessagePart::NOTHING, Wait::All);
        }
    }
    for rank in &tree.order {
        for child in &tree.children[*rank] {
            program.send((*rank, *child), MessagePart::NOTHING, Wait::All);
        }
    }
}
