// SPDX-License-Identifier: Apache-2.0
//! Workloads of programs: the collectives that a message trace has, and the computation between them.
//!
//! A workload has totals, a trace the calls of each rank. Communicators of one shape (the rows of a mesh, say) call at the same time, so the
//! one that calls most often counts; computation is that of the rank that computes longest. Messages between ranks are no collectives: how
//! many there are is stated, and they are left out.

use super::mechanism::Mechanism;
use super::workload::{AdviceStep, AdviceWorkload, WORKLOAD_FORMAT, is_file, read_workload};
use crate::{Error, load_spec};
use noccl_files::{MAX_TOML_BYTES, read_text};
use noccl_net::{Coord, Network, elaborate};
use noccl_program::{
    CollectiveName, Event, MessageTrace, RecordedCollective, Unit, parse_messages, places,
};
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::collections::BTreeMap;
use std::path::Path;

/// First word of a message trace.
const TRACE: &str = "noccl-messages";

/// Columns and rows of a communicator's ranks, its place left out.
type GroupShape = (u16, u16);
/// What is called: shape, collective, bytes, how values are combined.
type CallKey = (
    GroupShape,
    CollectiveKind,
    u64,
    Option<(Operator, ElementType)>,
);

/// Calls of a kind by the south-west corner of their ranks.
type CallCounts = BTreeMap<(u16, u16), u64>;

/// What the ranks of a trace call.
#[derive(Default)]
struct RecordedCalls {
    /// Calls by what and in which rectangle, in the order in which they first occur.
    counts: Vec<(CallKey, CallCounts)>,
    messages: u64,
    /// Calls that have no place in a workload, by the reason.
    left_out: BTreeMap<&'static str, u64>,
    longest_compute: u64,
}

/// As [`read_workload`], and from a message trace, whose ranks are on the clusters of this mesh.
///
/// # Errors
/// As [`read_workload`]; for a trace [`Error::Program`] with its line, and as a workload without collectives.
pub fn read_workload_on(name_or_file: &str, mesh: (u32, u32)) -> Result<AdviceWorkload, Error> {
    if !is_file(name_or_file) {
        return read_workload(name_or_file);
    }
    let path = Path::new(name_or_file);
    let text = read_text(path)?;
    if text.trim_start().starts_with(TRACE) {
        let trace = parse_messages(name_or_file, &text)?;
        let network = elaborate(&load_spec(&program_preset(mesh)?, &[])?)?;
        // 0: a path without a name cannot be read.
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        return recorded_workload(&name, &trace, &network);
    }
    match text.len() as u64 <= MAX_TOML_BYTES {
        true => super::parse_workload(name_or_file, &text),
        // Says which length is accepted.
        false => read_workload(name_or_file),
    }
}

/// The network of a mesh on which a program runs to be recorded.
///
/// # Errors
/// [`Error::Argument`] for a mesh that the presets do not have.
pub fn program_preset(mesh: (u32, u32)) -> Result<String, Error> {
    super::check_mesh(mesh)?;
    Ok(Mechanism::Software.preset(mesh))
}

/// The workload of a message trace on the clusters of a network, a rank per cluster as a replay places them.
///
/// # Errors
/// [`Error::Program`] for more ranks than clusters; [`Error::Argument`] for a trace without collectives that can stand in a workload.
fn recorded_workload(
    name: &str,
    trace: &MessageTrace,
    network: &Network,
) -> Result<AdviceWorkload, Error> {
    let tiles = places(network, trace.ranks.len() as u32)?;
    let mut calls = RecordedCalls::default();
    for rank in 0..trace.ranks.len() as u32 {
        calls.add_rank(trace, rank, &tiles);
    }
    if calls.counts.is_empty() {
        let accepted = format!(
            "it calls no collective that can be compared{}; accepted: a program that does",
            calls.remark()
        );
        return Err(Error::argument("--workload", name, accepted));
    }
    let num_clusters = u64::from(network.cluster_width()) * u64::from(network.cluster_height());
    let mut step = Vec::new();
    if calls.longest_compute > 0 {
        step.push(AdviceStep {
            // An operation per cluster and cycle: cycles of the rank that computes longest.
            flops: Some(calls.longest_compute as f64 * num_clusters as f64),
            ..AdviceStep::named("computation of the rank that computes longest")
        });
    }
    step.extend(calls.counts.iter().map(|call| call_step(call, network)));
    let times = match trace.unit {
        Unit::Nanoseconds => "nanoseconds of the recording machine",
        Unit::Cycles => "cycles of a core",
    };
    Ok(AdviceWorkload {
        format: WORKLOAD_FORMAT,
        name: name.to_owned(),
        about: format!(
            "{name}: {} ranks, recorded{}",
            trace.ranks.len(),
            calls.remark()
        ),
        source: format!("{}; computation in {times}", trace.source),
        flops_per_cluster_cycle: Some(1.0),
        memory_bytes_per_cycle: None,
        step,
    })
}

fn call_step(
    ((shape, kind, bytes, combined), counts): &(CallKey, CallCounts),
    network: &Network,
) -> AdviceStep {
    let most = counts.iter().max_by_key(|(_, count)| **count);
    // A key is made with its first call.
    let (corner, count) = most.map_or(((0, 0), 1), |(corner, count)| (*corner, *count));
    let is_all = *shape == (network.cluster_width(), network.cluster_height());
    let group = format!("{},{},{},{}", corner.0, corner.1, shape.0, shape.1);
    AdviceStep {
        count,
        collective: Some(kind.name().to_owned()),
        bytes: kind.has_payload().then_some(*bytes),
        operator: combined.map(|(operator, _)| operator),
        element: combined.map(|(_, element)| element),
        group: (!is_all).then_some(group),
        ..AdviceStep::named(kind.name())
    }
}

impl RecordedCalls {
    /// Counts the calls of a rank: collectives of the communicators whose first rank it is.
    fn add_rank(&mut self, trace: &MessageTrace, rank: u32, tiles: &[Coord]) {
        let all_ranks: Vec<u32> = (0..tiles.len() as u32).collect();
        let mut comms = BTreeMap::from([(0, all_ranks), (1, vec![rank])]);
        let mut computed = 0u64;
        let records = trace.ranks[rank as usize].iter();
        for record in records.filter(|record| !record.is_library) {
            match &record.event {
                Event::Compute(time) => computed = computed.saturating_add(*time),
                Event::Send { .. } => self.messages += 1,
                Event::Receive { .. } | Event::Wait(_) => {}
                Event::Split { made: None, .. } => {}
                Event::Split {
                    made: Some(made), ..
                }
                | Event::Group(made) => {
                    comms.insert(made.number, made.ranks.clone());
                }
                Event::Collective(call) | Event::Begun(call) => {
                    let members = comms.get(&call.comm).map_or(&[][..], Vec::as_slice);
                    if members.first() == Some(&rank) && members.len() > 1 {
                        self.add(call, members, tiles);
                    }
                }
            }
        }
        self.longest_compute = self.longest_compute.max(computed);
    }

    fn add(&mut self, call: &RecordedCollective, members: &[u32], tiles: &[Coord]) {
        let combined = match call.fold {
            Some((Some(operator), element)) => Some((operator, element)),
            Some((None, _)) => return self.leave_out("with an operator of the program"),
            None => None,
        };
        let Some((corner, shape)) = rectangle(members, tiles) else {
            return self.leave_out("of ranks that form no rectangle");
        };
        let kind = kind_of(call.name);
        // As if all blocks had the length of the longest.
        let bytes = call.bytes.iter().copied().fold(0, u64::max);
        if kind.has_payload() && bytes == 0 {
            return self.leave_out("of no bytes");
        }
        let key = (shape, kind, bytes, combined);
        let known = self.counts.iter().position(|(known, _)| *known == key);
        let index = known.unwrap_or_else(|| {
            self.counts.push((key, BTreeMap::new()));
            self.counts.len() - 1
        });
        *self.counts[index].1.entry(corner).or_default() += 1;
    }

    fn leave_out(&mut self, reason: &'static str) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// What is not in the workload.
    fn remark(&self) -> String {
        let left_out = self.left_out.iter();
        let calls = left_out.map(|(reason, count)| format!("{count} collectives {reason}"));
        let messages = (self.messages > 0).then(|| format!("{} messages", self.messages));
        let parts: Vec<String> = calls.chain(messages).collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!("; without {}", parts.join(", ")),
        }
    }
}

/// Corner and size of the rectangle that the tiles of ranks fill.
fn rectangle(members: &[u32], tiles: &[Coord]) -> Option<((u16, u16), GroupShape)> {
    let mut at: Vec<Coord> = Vec::new();
    for member in members {
        at.push(*tiles.get(*member as usize)?);
    }
    let (xs, ys) = (at.iter().map(|at| at.x), at.iter().map(|at| at.y));
    let corner = (xs.clone().min()?, ys.clone().min()?);
    let shape = (xs.max()? - corner.0 + 1, ys.max()? - corner.1 + 1);
    let num = usize::from(shape.0) * usize::from(shape.1);
    (num == at.len()).then_some((corner, shape))
}

const fn kind_of(name: CollectiveName) -> CollectiveKind {
    match name {
        CollectiveName::Barrier => CollectiveKind::Barrier,
        CollectiveName::Bcast => CollectiveKind::Multicast,
        CollectiveName::Reduce => CollectiveKind::Reduce,
        CollectiveName::Allreduce => CollectiveKind::AllReduce,
        CollectiveName::ReduceScatterBlock | CollectiveName::ReduceScatter => {
            CollectiveKind::ReduceScatter
        }
        CollectiveName::Scan | CollectiveName::Exscan => CollectiveKind::Scan,
        CollectiveName::Gather | CollectiveName::Gatherv => CollectiveKind::Gather,
        CollectiveName::Scatter | CollectiveName::Scatterv => CollectiveKind::Scatter,
        CollectiveName::Allgather | CollectiveName::Allgatherv => CollectiveKind::AllGather,
        CollectiveName::Alltoall | CollectiveName::Alltoallv => CollectiveKind::AllToAll,
    }
}
