// SPDX-License-Identifier: Apache-2.0
//! In which order tasks stand in the file.
//!
//! A cluster's control core works on its transfers in the order of the file, its compute cores on their folds: a task that has to
//! wait holds up those behind it. So tasks stand in the order in which they would start if each took what it takes in an
//! idle network and every port passed a beat per cycle. The estimate decides about speed alone, never about right and wrong.

use super::dataflow::{Task, TaskId};
use noccl_net::{Coord, Network, TileRef};
use noccl_spec::Cluster;
use noccl_workload::{ActionKind, Destination, LocalReduce, Transfer};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// When the parts of a cluster are free again.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    control: u64,
    compute: u64,
    output: u64,
    input: u64,
}

/// When a task begins, and when its agent and its destination know that it is over.
struct Span {
    begin: u64,
    over: u64,
    noticed: u64,
}

/// Tasks by estimated begin; a task stands behind all that it waits for.
pub(super) fn file_order(network: &Network, tasks: &[Task]) -> Vec<TaskId> {
    let mut open: Vec<usize> = tasks.iter().map(|t| t.after.len()).collect();
    let mut waiting: Vec<Vec<TaskId>> = vec![Vec::new(); tasks.len()];
    for (id, task) in tasks.iter().enumerate() {
        for before in &task.after {
            waiting[*before].push(id);
        }
    }
    let rank = remaining(network, tasks);
    let mut ready_at = vec![0_u64; tasks.len()];
    let key = |at: u64, id: TaskId| Reverse((at, Reverse(rank[id]), id));
    let first = (0..tasks.len()).filter(|id| open[*id] == 0);
    let mut ready: BinaryHeap<_> = first.map(|id| key(0, id)).collect();
    let mut busy: HashMap<Coord, Busy> = HashMap::new();
    let mut starts: Vec<(u64, usize, TaskId)> = Vec::with_capacity(tasks.len());
    while let Some(Reverse((at, _, id))) = ready.pop() {
        let span = run(network, &tasks[id], at, &mut busy);
        starts.push((span.begin, starts.len(), id));
        for next in &waiting[id] {
            let is_own = tasks[*next].agent == tasks[id].agent;
            let known = if is_own { span.over } else { span.noticed };
            ready_at[*next] = ready_at[*next].max(known);
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.push(key(ready_at[*next], *next));
            }
        }
    }
    starts.sort_unstable();
    starts.into_iter().map(|(_, _, id)| id).collect()
}

/// Cycles from the begin of each task to the end of everything that waits for it.
fn remaining(network: &Network, tasks: &[Task]) -> Vec<u64> {
    let mut rest = vec![0_u64; tasks.len()];
    for (id, task) in tasks.iter().enumerate().rev() {
        rest[id] += alone(network, task);
        for before in &task.after {
            rest[*before] = rest[*before].max(rest[id]);
        }
    }
    rest
}

/// Cycles of a task in an idle network.
fn alone(network: &Network, task: &Task) -> u64 {
    match (&task.kind, task.kind.transfer()) {
        (_, Some(transfer)) => {
            let words = beats(network, transfer);
            start_cycles(network, transfer) + path_cycles(network, task.agent, transfer) + words
        }
        (ActionKind::LocalReduce(reduce), None) => fold_cycles(network, reduce),
        (_, None) => 0,
    }
}

fn run(network: &Network, task: &Task, at: u64, busy: &mut HashMap<Coord, Busy>) -> Span {
    if let ActionKind::LocalReduce(reduce) = &task.kind {
        let own = busy.entry(task.agent).or_default();
        let begin = at.max(own.compute);
        own.compute = begin + fold_cycles(network, reduce);
        return Span {
            begin,
            over: own.compute,
            noticed: own.compute,
        };
    }
    let Some(transfer) = task.kind.transfer() else {
        return Span {
            begin: at,
            over: at,
            noticed: at,
        };
    };
    let (start, beats) = (start_cycles(network, transfer), beats(network, transfer));
    let path = path_cycles(network, task.agent, transfer);
    let own = busy.entry(task.agent).or_default();
    let begin = at.max(own.control);
    own.control = begin + start;
    let leaves = (begin + start).max(own.output);
    own.output = leaves + beats;
    let target = busy
        .entry(task.destination.unwrap_or(task.agent))
        .or_default();
    let arrives = (leaves + path).max(target.input);
    target.input = arrives + beats;
    Span {
        begin,
        over: arrives + beats + path,
        noticed: arrives + beats,
    }
}

fn beats(network: &Network, transfer: &Transfer) -> u64 {
    transfer.bytes.div_ceil(network.beat_bytes()) * u64::from(transfer.rows)
}

/// Instructions of the core and the engine's start.
fn start_cycles(network: &Network, transfer: &Transfer) -> u64 {
    let cluster = &network.axi().cluster;
    let instructions = &cluster.instructions;
    u64::from(if transfer.rows > 1 {
        instructions.dma_start_2d
    } else {
        instructions.dma_start
    })
}

/// From the engine's start to the destination's cores, without the beats.
fn path_cycles(network: &Network, from: Coord, transfer: &Transfer) -> u64 {
    let cluster = &network.axi().cluster;
    let Destination::One(place) = transfer.destination else {
        return 0;
    };
    let source = network.mesh_coord(from);
    let target = match place.tile {
        TileRef::Cluster(to) => network.mesh_coord(to),
        TileRef::Memory(_) => source,
    };
    let ends = cluster.dma.start_cycles
        + cluster.request_path_cycles
        + cluster.l1_latency_cycles
        + cluster.instructions.poll;
    u64::from(ends + 2 * (source.hops_to(target) + 1))
}

fn fold_cycles(network: &Network, reduce: &LocalReduce) -> u64 {
    let cluster = &network.axi().cluster;
    let operands = (reduce.inputs.len() as u64 - 1).max(1);
    let beats = reduce.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES) * operands;
    let work = (beats * u64::from(cluster.compute_millicycles_per_beat)).div_ceil(1000);
    u64::from(cluster.instructions.compute_start) + work
}
