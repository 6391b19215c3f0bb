// SPDX-License-Identifier: Apache-2.0
//! Schedules of messages between cores (S4), and the baselines that send the same messages in other orders.
//!
//! On networks of core tiles there are no addresses: every byte is sent by one core and received by another one. So no barrier stands between
//! a write and a read, and what a core waits for is what it has received.

pub(crate) mod exchange;
pub(crate) mod planned;
mod planned_rounds;
mod program;
pub(crate) mod reduce;

use crate::choice::{RoundForm, RoundSync, TreeForm};
use crate::entry::{OnCores, Whole};
use crate::layout::cut_bytes;
use crate::plan::exchange::{Grid, by_partners, linear, pairwise};
use crate::plan::tree::Tree;
use crate::task::{CoreTask, Group, Task};
use crate::{
    Algorithm, Choice, CollError, Inner, check_elements, collectives_on_cores, schedule_of,
};
use exchange::{all_to_all, by_row_and_column};
use noccl_net::Network;
use noccl_workload::{Action, Collective, CollectiveKind, First, Rectangle, Schedule};
use reduce::{
    all_reduce_over, barrier_over_tree, multicast_over, reduce_over, reducing_tree, snake,
};
use std::collections::BTreeMap;

/// The schedule of a collective on core tiles.
pub(crate) fn schedule(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Schedule, CollError> {
    let form = validate(collective, choice)?;
    let group = Group::new(network, collective)?;
    if collective.kind.has_root() && !group.is_root_member() {
        return Err(CollError::Impossible(format!(
            "root {}: not in the group; accepted: a member, as cores send and receive by themselves",
            collective.root
        )));
    }
    let task = Task {
        network,
        collective,
        group: &group,
        choice,
    };
    Ok(Schedule {
        first: first(&task),
        claims_rounds: claims_rounds(&task),
        collective: Some(collective.clone()),
        ..schedule_of(choice.algorithm, parameters(&task)?, actions(&task, form)?)
    })
}

/// What can be wrong whatever the network; the algorithm's form, which does this collective.
fn validate(collective: &Collective, choice: Choice) -> Result<OnCores, CollError> {
    let kind = collective.kind;
    let unsupported = |reason: String| CollError::Unsupported {
        algorithm: choice.to_string(),
        collective: kind.to_string(),
        reason,
    };
    let known = choice.algorithm.entry().on_cores;
    let Some(form) = known.filter(|form| (form.does)(kind)) else {
        let others = Algorithm::ALL.into_iter().filter(|a| a.does_on_cores(kind));
        let others: Vec<&str> = others.map(Algorithm::name).collect();
        return Err(unsupported(match others.as_slice() {
            [] => format!(
                "no algorithm of core tiles does it; accepted: {}",
                collectives_on_cores()
            ),
            names => format!("accepted on core tiles: {}", names.join(", ")),
        }));
    };
    if choice.inner == Inner::Tree {
        return Err(unsupported(
            "accepted: row_column:direct, row_column:chain".to_owned(),
        ));
    }
    let (messages, parameters) = (choice.messages, choice.algorithm.entry().parameters);
    let is_exchange = kind == CollectiveKind::AllToAll;
    if parameters.has_lines && is_exchange && messages.is_direct {
        return Err(unsupported(
            "accepted: row_column with :lag=STEPS, :barrier, :receive, :send".to_owned(),
        ));
    }
    let has_steps =
        messages.lag.is_some() || messages.first.is_some() || messages.sync != RoundSync::default();
    if has_steps && !is_exchange {
        return Err(unsupported(
            "lag, barrier, receive and send are of exchanges; accepted: no such word".to_owned(),
        ));
    }
    if choice.chunks == 0 {
        return Err(CollError::Impossible(
            "chunks = 0; accepted: 1 or more".to_owned(),
        ));
    }
    if choice.chunks > 1 && !choice.algorithm.has_chunks_on_cores(kind) {
        return Err(unsupported("accepted: one chunk".to_owned()));
    }
    check_elements(collective)?;
    Ok(form)
}

/// Choices worth comparing on core tiles.
pub(crate) fn candidates(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    let algorithms = Algorithm::ALL.into_iter().filter(|a| a.does_on_cores(kind));
    let unit_bytes = cut_bytes(network);
    let all_chunks = u32::try_from(collective.bytes.div_ceil(unit_bytes)).unwrap_or(u32::MAX);
    let mut choices = Vec::new();
    for algorithm in algorithms {
        let (plain, has) = (Choice::new(algorithm, 1), algorithm.entry().parameters);
        let mut counts = vec![1];
        if algorithm.has_chunks_on_cores(kind) {
            counts.extend([all_chunks / 4, all_chunks / 2, all_chunks]);
            counts.retain(|num| *num > 0);
            counts.dedup();
        }
        for chunks in counts {
            let cut = Choice { chunks, ..plain };
            if has.has_lines && kind != CollectiveKind::AllToAll {
                choices.extend([cut.direct(), cut]);
            } else if has.has_trees && !kind.has_payload() {
                choices.extend(TreeForm::ALL.map(|tree| cut.with_tree(tree)));
            } else if has.has_rounds {
                choices.extend(RoundForm::ALL.map(|rounds| cut.with_rounds(rounds)));
            } else {
                choices.push(cut);
            }
        }
    }
    choices
}

fn actions(task: &CoreTask<'_>, form: OnCores) -> Result<Vec<Action>, CollError> {
    let collective = task.collective;
    if collective.kind.has_payload() {
        if collective.bytes == 0 && collective.lengths.is_none() {
            return Ok(Vec::new());
        }
        // Buffers that do not fit are refused before anything else.
        task.layout()?;
    }
    (form.build)(task)
}

const fn has_rounds(task: &CoreTask<'_>) -> bool {
    task.choice.algorithm.entry().parameters.has_rounds
}

/// What a core does first: in rounds it receives, as the next round waits for that; else it goes on, so that others can too.
fn first(task: &CoreTask<'_>) -> Option<First> {
    let has_payload = task.collective.kind.has_payload();
    let sends_on = has_payload && !has_rounds(task);
    let usual = sends_on.then_some(First::Send);
    task.choice.messages.first.or(usual)
}

/// Rounds that are split share no link.
fn claims_rounds(task: &CoreTask<'_>) -> bool {
    has_rounds(task) && task.choice.messages.rounds == RoundForm::Split
}

fn parameters(task: &CoreTask<'_>) -> Result<BTreeMap<String, String>, CollError> {
    let num_chunks = if task.collective.bytes == 0 {
        0
    } else {
        task.chunks().len()
    };
    let kind = task.collective.kind;
    let mut parameters = task.choice.message_parameters(kind, num_chunks);
    if has_rounds(task) {
        let rectangle = rectangle(task)?;
        let grid = Grid {
            columns: rectangle.width,
            rows: rectangle.height,
        };
        let counts = grid.counts();
        for (name, value) in [
            ("rounds", counts.rounds as u64),
            ("subrounds", counts.subrounds as u64),
            ("slots", counts.slots as u64),
            ("least_slots", grid.least_slots()),
        ] {
            parameters.insert(name.to_owned(), value.to_string());
        }
    }
    Ok(parameters)
}

/// Columns and rows of the group.
fn grid(task: &CoreTask<'_>) -> Result<(usize, usize), CollError> {
    let lines = task.group.columns_and_rows();
    let (columns, rows) = lines.ok_or_else(|| {
        task.unsupported(
            "the group must be all of some columns and rows; accepted for other sets: algorithms without rows and \
             columns",
        )
    })?;
    Ok((columns.len(), rows.len()))
}

/// The group as a rectangle without holes.
fn rectangle(task: &CoreTask<'_>) -> Result<Rectangle, CollError> {
    Rectangle::of(task.members()).ok_or_else(|| {
        task.unsupported(
            "the group has holes: routes would lead through tiles that take no part; accepted: a rectangle",
        )
    })
}

// Forms on core tiles of algorithms that clusters have too.

pub(crate) const CHAIN: OnCores = OnCores {
    has_chunks: true,
    is_line: true,
    ..OnCores::new(Whole::includes, chain)
};

pub(crate) const TREE: OnCores = OnCores {
    has_chunks: true,
    order_of_many: Some(2),
    ..OnCores::new(
        |kind| Whole::includes(kind) || kind == CollectiveKind::Barrier,
        tree,
    )
};

pub(crate) const ROW_COLUMN: OnCores = OnCores {
    has_chunks: true,
    order_of_many: Some(1),
    ..OnCores::new(
        |kind| {
            use CollectiveKind::{AllReduce, AllToAll, Reduce};
            matches!(kind, Reduce | AllReduce | AllToAll)
        },
        row_column,
    )
};

pub(crate) const UNICAST: OnCores = OnCores {
    has_chunks: true,
    is_line: true,
    ..OnCores::new(
        |kind| matches!(kind, CollectiveKind::AllToAll | CollectiveKind::Multicast),
        |task| match task.collective.kind.has_blocks() {
            true => all_to_all(task, by_partners(task.members().len(), linear)),
            false => multicast_over(task, &Tree::star(task.members().len(), task.root())),
        },
    )
};

pub(crate) const PAIRWISE: OnCores = OnCores {
    order_of_many: Some(5),
    ..OnCores::new(
        |kind| kind == CollectiveKind::AllToAll,
        |task| all_to_all(task, by_partners(task.members().len(), pairwise)),
    )
};

/// Through all lines. All-reduce: to the first member and from there by the static network (S4 §2).
fn chain(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    match Whole::of(task.collective.kind) {
        Some(Whole::Multicast) => multicast_over(task, &snake(task, task.root())),
        Some(Whole::AllReduce) => all_reduce_over(task, &snake(task, 0), None),
        Some(Whole::Reduce) | None => reduce_over(task, &snake(task, task.root())),
    }
}

fn tree(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let binomial = |root| Tree::binomial(task.members().len(), root);
    match Whole::of(task.collective.kind) {
        Some(Whole::Multicast) => multicast_over(task, &binomial(task.root())),
        Some(Whole::Reduce) => reduce_over(task, &reducing_tree(task, task.root())),
        Some(Whole::AllReduce) => {
            all_reduce_over(task, &reducing_tree(task, 0), Some(&binomial(0)))
        }
        None => barrier_over_tree(task),
    }
}

fn row_column(task: &CoreTask<'_>) -> Result<Vec<Action>, CollError> {
    let is_chain = !task.choice.messages.is_direct;
    let tree = |grid, root| Tree::by_row_and_column(grid, root, is_chain);
    match Whole::of(task.collective.kind) {
        Some(Whole::AllReduce) => all_reduce_over(task, &tree(grid(task)?, 0), None),
        Some(Whole::Reduce | Whole::Multicast) => {
            reduce_over(task, &tree(grid(task)?, task.root()))
        }
        None => by_row_and_column(task),
    }
}
