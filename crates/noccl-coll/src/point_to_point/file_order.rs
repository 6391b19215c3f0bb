// SPDX-License-Identifier: Apache-2.0
//! In which order tasks stand in the file.
//!
//! A cluster's control core works on its transfers in the order of the file, its compute cores on their additions: a task that has to
//! wait holds up those behind it. So tasks stand in the order in which they would start if each took what it takes in an
//! idle network and every port passed a beat per cycle. The estimate decides about speed alone, never about right and wrong.

use super::dataflow::{FlowTask, TaskId};
use noccl_net::{AxiNetwork, Coord, Network, TileRef};
use noccl_spec::Cluster;
use noccl_workload::{ActionKind, Destination, LocalReduce, Transfer};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Which of several tasks that could begin begins first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Priority {
    /// That with the longest path behind it.
    #[default]
    Path,
    /// The same, but what stands before much other work of its worker counts too, so that many chunks stay in their order.
    PathAndQueue,
}

/// Part of a cluster that works on one task at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Worker {
    /// Control core, engine and port.
    Sender(Coord),
    /// Compute cores.
    Adder(Coord),
}

impl Worker {
    fn of(task: &FlowTask) -> Self {
        match task.kind.transfer() {
            Some(_) => Self::Sender(task.agent),
            None => Self::Adder(task.agent),
        }
    }
}

/// What a worker has to do.
#[derive(Debug, Default)]
struct FileWork {
    is_busy: bool,
    /// Tasks that can begin, the most urgent first.
    ready: BinaryHeap<Reverse<(Urgency, TaskId)>>,
}

/// Most urgent is the task with the most cycles behind it.
type Urgency = Reverse<u64>;

/// What happens at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A task's operands are there.
    Ready(TaskId),
    /// The worker of this task is free again.
    Free(TaskId),
}

/// Workers that always take the most urgent task that can begin.
struct Estimate<'a> {
    network: AxiNetwork<'a>,
    tasks: &'a [FlowTask],
    /// What each task's priority is by, in cycles.
    urgency: Vec<u64>,
    /// Per task: how many it waits for, until when at least, and who waits for it.
    open: Vec<usize>,
    ready_at: Vec<u64>,
    waiting: Vec<Vec<TaskId>>,
    workers: HashMap<Worker, FileWork>,
    /// When each destination has taken in what is on its path.
    inputs: HashMap<Coord, u64>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    order: Vec<TaskId>,
}

/// Tasks by estimated begin; a task stands behind all that it waits for.
pub(super) fn file_order(
    network: AxiNetwork<'_>,
    tasks: &[FlowTask],
    priority: Priority,
) -> Vec<TaskId> {
    let mut estimate = Estimate::new(network, tasks, priority);
    let mut touched: Vec<Worker> = Vec::new();
    while let Some(Reverse((now, event))) = estimate.events.pop() {
        touched.push(estimate.take(event));
        // Whatever can begin now is known before anything begins.
        let has_more =
            |e: &Estimate<'_>| e.events.peek().is_some_and(|Reverse((at, _))| *at == now);
        if !has_more(&estimate) {
            for worker in touched.drain(..) {
                estimate.begin(now, worker);
            }
        }
    }
    estimate.order
}

impl<'a> Estimate<'a> {
    fn new(network: AxiNetwork<'a>, tasks: &'a [FlowTask], priority: Priority) -> Self {
        let mut waiting: Vec<Vec<TaskId>> = vec![Vec::new(); tasks.len()];
        for (id, task) in tasks.iter().enumerate() {
            for before in &task.after {
                waiting[*before].push(id);
            }
        }
        let open: Vec<usize> = tasks.iter().map(|t| t.after.len()).collect();
        let free = (0..tasks.len()).filter(|id| open[*id] == 0);
        Self {
            network,
            tasks,
            urgency: urgency(network, tasks, priority),
            events: free.map(|id| Reverse((0, Event::Ready(id)))).collect(),
            open,
            ready_at: vec![0; tasks.len()],
            waiting,
            workers: HashMap::new(),
            inputs: HashMap::new(),
            order: Vec::with_capacity(tasks.len()),
        }
    }

    /// Takes note of an event; the worker that it concerns.
    fn take(&mut self, event: Event) -> Worker {
        let (Event::Ready(id) | Event::Free(id)) = event;
        let task = &self.tasks[id];
        let worker = Worker::of(task);
        let urgency = Reverse(self.urgency[id]);
        let work = self.workers.entry(worker).or_default();
        match event {
            Event::Ready(id) => work.ready.push(Reverse((urgency, id))),
            Event::Free(_) => work.is_busy = false,
        }
        worker
    }

    /// A worker that is free takes the next task.
    fn begin(&mut self, now: u64, worker: Worker) {
        let work = self.workers.entry(worker).or_default();
        if work.is_busy {
            return;
        }
        let Some(Reverse((_, id))) = work.ready.pop() else {
            return;
        };
        work.is_busy = true;
        self.order.push(id);
        let (free, over, noticed) = self.times(now, id);
        self.events.push(Reverse((free, Event::Free(id))));
        for next in std::mem::take(&mut self.waiting[id]) {
            let is_own = self.tasks[next].agent == self.tasks[id].agent;
            let known = if is_own { over } else { noticed };
            self.ready_at[next] = self.ready_at[next].max(known);
            self.open[next] -= 1;
            if self.open[next] == 0 {
                self.events
                    .push(Reverse((self.ready_at[next], Event::Ready(next))));
            }
        }
    }

    /// When the worker is free, when the task is over for its cluster, and when its destination notices.
    fn times(&mut self, now: u64, id: TaskId) -> (u64, u64, u64) {
        let task = &self.tasks[id];
        let Some(transfer) = task.kind.transfer() else {
            let end = now + alone(self.network, task);
            return (end, end, end);
        };
        let start = start_cycles(self.network, transfer);
        let beats = beats(&self.network, transfer);
        let path = path_cycles(self.network, task.agent, transfer);
        let input = self
            .inputs
            .entry(task.destination.unwrap_or(task.agent))
            .or_default();
        *input = (now + start + path).max(*input) + beats;
        (now + start.max(beats), *input + path, *input)
    }
}

/// Cycles from the begin of each task to the end of everything that waits for it.
fn remaining(network: AxiNetwork<'_>, tasks: &[FlowTask]) -> Vec<u64> {
    let mut rest = vec![0_u64; tasks.len()];
    for (id, task) in tasks.iter().enumerate().rev() {
        rest[id] += alone(network, task);
        for before in &task.after {
            rest[*before] = rest[*before].max(rest[id]);
        }
    }
    rest
}

fn urgency(network: AxiNetwork<'_>, tasks: &[FlowTask], priority: Priority) -> Vec<u64> {
    let path = remaining(network, tasks);
    match priority {
        Priority::Path => path,
        Priority::PathAndQueue => {
            let queue = queued(network, tasks);
            path.iter().zip(queue).map(|(p, q)| 2 * p + q).collect()
        }
    }
}

/// Cycles of the work of each task's worker that was stated later.
fn queued(network: AxiNetwork<'_>, tasks: &[FlowTask]) -> Vec<u64> {
    let mut later: HashMap<Worker, u64> = HashMap::new();
    let mut queued = vec![0_u64; tasks.len()];
    for (id, task) in tasks.iter().enumerate().rev() {
        let work = later.entry(Worker::of(task)).or_default();
        queued[id] = *work;
        *work += match task.kind.transfer() {
            Some(transfer) => beats(&network, transfer),
            None => alone(network, task),
        };
    }
    queued
}

/// Cycles of a task in an idle network.
fn alone(network: AxiNetwork<'_>, task: &FlowTask) -> u64 {
    match (&task.kind, task.kind.transfer()) {
        (_, Some(transfer)) => {
            let path = path_cycles(network, task.agent, transfer);
            start_cycles(network, transfer) + path + beats(&network, transfer)
        }
        (ActionKind::LocalReduce(reduce), None) => fold_cycles(network, reduce),
        (_, None) => 0,
    }
}

fn beats(network: &Network, transfer: &Transfer) -> u64 {
    transfer.bytes.div_ceil(network.beat_bytes()) * u64::from(transfer.rows)
}

/// Instructions of the core and the engine's start.
fn start_cycles(network: AxiNetwork<'_>, transfer: &Transfer) -> u64 {
    let cluster = &network.axi().cluster;
    let instructions = &cluster.instructions;
    u64::from(if transfer.rows > 1 {
        instructions.dma_start_2d
    } else {
        instructions.dma_start
    })
}

/// From the engine's start to the destination's cores, without the beats.
fn path_cycles(network: AxiNetwork<'_>, from: Coord, transfer: &Transfer) -> u64 {
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

fn fold_cycles(network: AxiNetwork<'_>, reduce: &LocalReduce) -> u64 {
    let cluster = &network.axi().cluster;
    let operands = (reduce.inputs.len() as u64 - 1).max(1);
    let beats = reduce.bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES) * operands;
    let work = (beats * u64::from(cluster.compute_millicycles_per_beat)).div_ceil(1000);
    u64::from(cluster.instructions.compute_start) + work
}
