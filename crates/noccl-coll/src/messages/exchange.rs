// SPDX-License-Identifier: Apache-2.0
//! All-to-all by messages, in the orders of [`crate::plan::exchange`].
//!
//! All wait for what they have received `lag` steps before, and keep a copy of their own block last.

use super::program::{MessagePart, Program, Wait};
use super::reduce::{barrier_tree, gather_and_release};
use super::{grid, rectangle};
use crate::CollError;
use crate::choice::{RoundForm, RoundSync};
use crate::entry::{Entry, OnCores, Parameters};
use crate::plan::exchange;
use crate::plan::exchange::{ByRowAndColumn, ExchangeStep, Grid, Moved, Pair, by_partners};
use crate::task::CoreTask;
use noccl_workload::{Action, CollectiveKind};

pub(crate) const TORUS: Entry = Entry {
    parameters: Parameters {
        lag: Some(2),
        ..Parameters::NONE
    },
    on_cores: Some(OnCores {
        order_of_many: Some(4),
        ..OnCores::new(
            |kind| kind == CollectiveKind::AllToAll,
            |task| {
                let (_, rows) = grid(task)?;
                all_to_all(
                    task,
                    by_partners(task.members().len(), exchange::torus(rows)),
                )
            },
        )
    }),
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
        |task| all_to_all(task, rounds(task)?),
    )),
    ..Entry::named("rounds")
};

/// Everybody's blocks, each to its rank, in the order of these steps.
pub(super) fn all_to_all(
    task: &CoreTask<'_>,
    steps: impl IntoIterator<Item = ExchangeStep>,
) -> Result<Vec<Action>, CollError> {
    let others = steps.into_iter().map(|mut step| {
        step.retain(|(from, to)| from != to);
        step
    });
    let others = others.filter(|step| !step.is_empty());
    let local = (0..task.members().len()).map(|rank| (rank, rank)).collect();
    let moved = |(from, to): (usize, usize)| block(task, from, to).between(from, to);
    let steps = others
        .chain([local])
        .map(|step| step.into_iter().map(moved).collect());
    in_steps(task, &steps.collect::<Vec<_>>(), 0)
}

/// By rows and columns, a message to each other tile of a rank's row and column in place of one to each rank: for short blocks what a message
/// costs counts, and not its words, of which there are twice as many.
pub(super) fn by_row_and_column(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let collective = task.collective;
    if collective.lengths.is_some() {
        return Err(task.unsupported(
            "blocks for a column do not lie side by side if their lengths differ; accepted: blocks of one length",
        ));
    }
    let (columns, rows) = grid(task)?;
    let mut layout = task.layout()?;
    // A group that is a single row or column takes one of the two parts.
    let between = if rows == 1 {
        collective.output_offset
    } else if columns == 1 {
        collective.input_offset
    } else {
        layout.alloc(collective.bytes * task.members().len() as u64)
    };
    task.check_layout(&layout)?;
    let plan = ByRowAndColumn {
        columns,
        rows,
        bytes: collective.bytes,
        input: collective.input_offset,
        between,
        output: collective.output_offset,
    };
    // The last step of each part is a rank's own column or row.
    let along_rows = (1..=columns).filter(|_| columns > 1 || rows == 1);
    let along_rows = along_rows.map(|step| plan.along_rows(step, exchange::rotation));
    let mut steps: Vec<Vec<Moved>> = along_rows.collect();
    let passed_on = steps.len() as u32;
    let along_columns = (1..=rows).filter(|_| rows > 1);
    steps.extend(along_columns.map(|step| plan.along_columns(step, exchange::rotation)));
    in_steps(task, &steps, passed_on)
}

/// Messages step by step. What a core sends in step `passed_on` and later it may have received in the steps before that one, all of
/// which it waits for. A rank sends itself what it copies.
fn in_steps(
    task: &CoreTask<'_>,
    steps: &[Vec<Moved>],
    passed_on: u32,
) -> Result<Vec<Action>, CollError> {
    let lag = task.choice.lag();
    let tree = match task.choice.messages.sync {
        RoundSync::Barrier => Some(barrier_tree(task)?),
        RoundSync::None => None,
    };
    // A barrier's messages have rounds of their own, between those of the exchange.
    let stride = if tree.is_some() { 2 } else { 1 };
    let is_sent = |one: &Moved| one.from != one.to;
    let last = steps.iter().rposition(|step| step.iter().any(is_sent));
    let mut program = Program::new(task);
    for (step, messages) in steps.iter().enumerate() {
        let is_before_others = last.is_some_and(|last| step < last);
        let step = step as u32;
        (program.step, program.round) = (step, Some(step * stride));
        let before = passed_on.checked_sub(1).filter(|_| step >= passed_on);
        let behind = step.checked_sub(lag).filter(|_| lag > 0);
        for one in messages {
            let wait = match before.max(behind) {
                _ if !is_sent(one) => before.map_or(Wait::Nothing, Wait::UpTo),
                _ if tree.is_some() => Wait::All,
                Some(last) => Wait::UpTo(last),
                None => Wait::Nothing,
            };
            if is_sent(one) || one.bytes > 0 {
                program.send_rows(one, wait);
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

/// The paper's rounds, split or not.
fn rounds(task: &CoreTask<'_>) -> Result<Vec<ExchangeStep>, CollError> {
    let rectangle = rectangle(task)?;
    let grid = Grid {
        columns: rectangle.width,
        rows: rectangle.height,
    };
    let rounds = match task.choice.messages.rounds {
        RoundForm::Split => grid.split_rounds(),
        RoundForm::Literal => grid.literal_rounds(),
    };
    let rank = |(x, y): (u16, u16)| usize::from(x) * usize::from(grid.rows) + usize::from(y);
    let ranks = |(from, to)| (rank(from), rank(to));
    let in_ranks = |round: Vec<Pair>| round.into_iter().map(ranks).collect();
    Ok(rounds.into_iter().map(in_ranks).collect())
}

/// Block of the rank `to` in the input of `from`, and its place in the output.
pub(super) fn block(task: &CoreTask<'_>, from: usize, to: usize) -> MessagePart {
    let collective = task.collective;
    MessagePart {
        from: collective.input_offset + to as u64 * collective.bytes,
        to: collective.output_offset + from as u64 * collective.bytes,
        bytes: collective.block_bytes(from, to),
    }
}
