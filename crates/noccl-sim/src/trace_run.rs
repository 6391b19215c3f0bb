// SPDX-License-Identifier: Apache-2.0
//! Driver that replays a trace: bare AXI transactions, answered by memories, no cores and no DMA engines.
//!
//! Runtime of an entry: from the first cycle in which a participant asserts valid to the handshake of
//! the last response. Long writes, reads and reductions are cut into bursts by the NI's burst rules and
//! issued back to back.

use crate::burst::Bursts;
use crate::issue::{Arithmetic, Target};
use crate::machine::{Done, Machine};
use crate::ni::Source;
use crate::peer::refuse_three_operands;
use crate::txn::Owner;
use noccl_net::TileRef;
use noccl_net::tree::Cube;
use noccl_run::{ActionTime, RunError};
use noccl_workload::{ElementType, Operator, PortKind, Trace};

const INTEGER_SUM: Arithmetic = Arithmetic {
    operator: Operator::Sum,
    element: ElementType::Int64,
};

/// One entry while it runs.
#[derive(Debug, Clone, Default)]
struct Entry {
    time: ActionTime,
    has_started: bool,
    /// Participants that have asserted valid, by tile; kept for diagnosis.
    contributed: Vec<u32>,
    /// Responses still to come, all participants and bursts.
    open: u32,
    /// Reduction bursts or the barrier, opened by the first participant.
    txns: Vec<u32>,
    is_done: bool,
    is_wrong: bool,
}

pub(crate) struct TraceDriver<'t> {
    trace: &'t Trace,
    entries: Vec<Entry>,
    pub num_done: usize,
}

impl<'t> TraceDriver<'t> {
    /// Checks the trace against the network and schedules every start.
    pub(crate) fn new(trace: &'t Trace, machine: &mut Machine<'_>) -> Result<Self, RunError> {
        let mut entries = vec![Entry::default(); trace.transactions.len()];
        for (i, t) in trace.transactions.iter().enumerate() {
            entries[i].open = open_responses(&t.kind, machine);
            let members = participants(&t.kind, machine, i)?;
            if members.len() != t.start_cycles.len() {
                return Err(refused(
                    i,
                    format!(
                        "{} start cycles for {} participants",
                        t.start_cycles.len(),
                        members.len()
                    ),
                ));
            }
            for (m, start) in t.start_cycles.iter().enumerate() {
                if let Some(cycle) = start {
                    machine.call_driver(*cycle, i as u32, m as u32);
                }
            }
        }
        Ok(Self {
            trace,
            entries,
            num_done: 0,
        })
    }

    /// Participant `member` of entry `index` asserts valid now.
    pub(crate) fn start(&mut self, index: u32, member: u32, machine: &mut Machine<'_>) {
        let entry = &mut self.entries[index as usize];
        if !entry.has_started {
            entry.has_started = true;
            entry.time.start_cycle = machine.cycle;
        }
        let base = u64::from(index) << 20;
        let find = |r: TileRef| machine.network.find(r).map_or(0, |t| t.0);
        match &self.trace.transactions[index as usize].kind {
            PortKind::WideWrite { from, to, beats } => {
                let target = Target::Tile(find(*to));
                write(machine, find(*from), target, *beats, index, base);
            }
            PortKind::WideMulticast { from, to, beats } => {
                let target = Target::Set(machine.network.cube(*to));
                write(machine, find(*from), target, *beats, index, base);
            }
            PortKind::WideRead {
                from,
                source,
                beats,
            } => {
                let (tile, source) = (find(*from), find(*source));
                for (b, burst) in Bursts::of_beats(*beats, machine.network.spec()).enumerate() {
                    let owner = Owner::Trace {
                        entry: index,
                        burst: b as u32,
                    };
                    machine.issue_read(tile, source, burst.offset, burst.bytes, owner);
                }
            }
            PortKind::WideReduction { group, root, beats } => {
                let (cube, root) = (machine.network.cube(*group), find(*root));
                let tile = member_tile(machine, cube, member);
                self.entries[index as usize].contributed.push(tile);
                self.contribute(machine, index, cube, root, *beats, tile);
            }
            PortKind::NarrowWrite { from, to } => {
                let (tile, to) = (find(*from), Target::Tile(find(*to)));
                machine.issue_narrow_write(
                    tile,
                    to,
                    Owner::Trace {
                        entry: index,
                        burst: 0,
                    },
                );
            }
            PortKind::NarrowMulticast { from, to } => {
                let (tile, to) = (find(*from), Target::Set(machine.network.cube(*to)));
                machine.issue_narrow_write(
                    tile,
                    to,
                    Owner::Trace {
                        entry: index,
                        burst: 0,
                    },
                );
            }
            PortKind::NarrowRead { from, source } => {
                let (tile, source) = (find(*from), find(*source));
                machine.issue_narrow_read(
                    tile,
                    source,
                    Owner::Trace {
                        entry: index,
                        burst: 0,
                    },
                );
            }
            PortKind::Atomic { from, to } => {
                let (tile, to) = (find(*from), find(*to));
                machine.issue_atomic(
                    tile,
                    to,
                    0,
                    Owner::Trace {
                        entry: index,
                        burst: 0,
                    },
                );
            }
            PortKind::Barrier { group, root } => {
                let (cube, root) = (machine.network.cube(*group), find(*root));
                let tile = member_tile(machine, cube, member);
                let entry = &mut self.entries[index as usize];
                entry.contributed.push(tile);
                if entry.txns.is_empty() {
                    entry.txns.push(machine.open_barrier(
                        cube,
                        root,
                        Owner::Trace {
                            entry: index,
                            burst: 0,
                        },
                    ));
                }
                machine.arrive_at_barrier(tile, entry.txns[0]);
            }
        }
    }

    fn contribute(
        &mut self,
        machine: &mut Machine<'_>,
        index: u32,
        group: Cube,
        root: u32,
        beats: u32,
        tile: u32,
    ) {
        let entry = &mut self.entries[index as usize];
        let base = u64::from(index) << 20;
        for (b, burst) in Bursts::of_beats(beats, machine.network.spec()).enumerate() {
            if entry.txns.len() <= b {
                let owner = Owner::Trace {
                    entry: index,
                    burst: b as u32,
                };
                entry.txns.push(machine.open_reduction(
                    group,
                    root,
                    base + burst.offset,
                    burst.bytes,
                    INTEGER_SUM,
                    owner,
                ));
            }
            let seed = contribution_seed(index, tile) ^ burst.offset.wrapping_mul(0x9e37);
            machine.contribute(tile, entry.txns[b], Source::Pattern(seed));
        }
    }

    /// Takes note of a completion.
    pub(crate) fn on_done(&mut self, done: Done, machine: &mut Machine<'_>) {
        let (owner, resp) = match done {
            Done::Transaction { owner, resp, .. } | Done::Member { owner, resp, .. } => {
                (owner, resp)
            }
            Done::ReadBeat { .. } | Done::Drained { .. } | Done::Delivered { .. } => return,
        };
        let Owner::Trace { entry, .. } = owner else {
            return;
        };
        let state = &mut self.entries[entry as usize];
        state.time.finish_cycle = machine.cycle;
        state.is_wrong |= resp != 0;
        state.open -= 1;
        if state.open == 0 {
            state.is_done = true;
            self.num_done += 1;
            if machine.is_value()
                && !crate::trace_verify::is_right(
                    &self.trace.transactions[entry as usize].kind,
                    entry,
                    machine,
                )
            {
                state.is_wrong = true;
            }
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.num_done == self.entries.len()
    }

    pub(crate) fn times(&self) -> Vec<ActionTime> {
        self.entries.iter().map(|e| e.time).collect()
    }

    pub(crate) fn num_wrong(&self) -> u64 {
        self.entries.iter().filter(|e| e.is_wrong).count() as u64
    }

    pub(crate) fn has_started(&self, entry: usize) -> bool {
        self.entries[entry].has_started
    }

    pub(crate) fn has_contributed(&self, entry: usize, tile: u32) -> bool {
        self.entries[entry].contributed.contains(&tile)
    }

    pub(crate) fn start_of(&self, entry: usize) -> u64 {
        self.entries[entry].time.start_cycle
    }

    pub(crate) fn kind(&self, entry: usize) -> &'t PortKind {
        &self.trace.transactions[entry].kind
    }

    /// Entries that are not over.
    pub(crate) fn open_entries(&self) -> impl Iterator<Item = usize> + '_ {
        self.entries
            .iter()
            .enumerate()
            .filter(|(_, e)| !e.is_done)
            .map(|(i, _)| i)
    }
}

/// Seed of the bytes that `tile` contributes to entry `index`.
pub(crate) fn contribution_seed(index: u32, tile: u32) -> u64 {
    crate::random::mix(u64::from(index) << 32 | u64::from(tile))
}

fn write(machine: &mut Machine<'_>, tile: u32, target: Target, beats: u32, index: u32, base: u64) {
    for (b, burst) in Bursts::of_beats(beats, machine.network.spec()).enumerate() {
        let owner = Owner::Trace {
            entry: index,
            burst: b as u32,
        };
        let seed = contribution_seed(index, tile) ^ burst.offset.wrapping_mul(0x9e37);
        machine.issue_write(
            tile,
            target,
            base + burst.offset,
            burst.bytes,
            owner,
            Source::Pattern(seed),
        );
    }
}

fn member_tile(machine: &Machine<'_>, group: Cube, member: u32) -> u32 {
    let at = group
        .members()
        .nth(member as usize)
        .expect("start cycles were counted against members");
    machine.network.tile_at(at).0
}

/// Responses that end an entry.
fn open_responses(kind: &PortKind, machine: &Machine<'_>) -> u32 {
    let bursts = |beats: u32| Bursts::of_beats(beats, machine.network.spec()).count() as u32;
    match kind {
        PortKind::WideWrite { beats, .. }
        | PortKind::WideMulticast { beats, .. }
        | PortKind::WideRead { beats, .. } => bursts(*beats),
        PortKind::WideReduction { group, beats, .. } => bursts(*beats) * group.len(),
        PortKind::Barrier { group, .. } => group.len(),
        PortKind::NarrowWrite { .. }
        | PortKind::NarrowMulticast { .. }
        | PortKind::NarrowRead { .. }
        | PortKind::Atomic { .. } => 1,
    }
}

/// Tiles that assert valid, after checking that every tile named exists.
fn participants(
    kind: &PortKind,
    machine: &Machine<'_>,
    index: usize,
) -> Result<Vec<u32>, RunError> {
    let find = |r: &TileRef| {
        machine
            .network
            .find(*r)
            .map(|t| t.0)
            .ok_or_else(|| refused(index, format!("{r} is not on the mesh")))
    };
    let members = |set: &noccl_net::MultiAddress| -> Result<Vec<u32>, RunError> {
        machine
            .network
            .multi_tiles(*set)
            .map(|t| {
                t.map(|t| t.0).ok_or_else(|| {
                    refused(index, "the set names a tile that does not exist".to_owned())
                })
            })
            .collect()
    };
    match kind {
        PortKind::WideWrite { from, to, .. }
        | PortKind::NarrowWrite { from, to }
        | PortKind::Atomic { from, to } => {
            find(to)?;
            Ok(vec![find(from)?])
        }
        PortKind::WideRead { from, source, .. } | PortKind::NarrowRead { from, source } => {
            find(source)?;
            Ok(vec![find(from)?])
        }
        PortKind::WideMulticast { from, to, .. } | PortKind::NarrowMulticast { from, to } => {
            members(to)?;
            Ok(vec![find(from)?])
        }
        PortKind::WideReduction { group, root, .. } => {
            let root = machine.coord(find(root)?);
            let what = format!("transactions[{index}]");
            refuse_three_operands(machine.network, what, machine.network.cube(*group), root)?;
            members(group)
        }
        PortKind::Barrier { group, root } => {
            find(root)?;
            members(group)
        }
    }
}

fn refused(index: usize, reason: String) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: format!("transactions[{index}]"),
        reason,
    }
}
