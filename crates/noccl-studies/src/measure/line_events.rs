// SPDX-License-Identifier: Apache-2.0
//! Event counts of the two matrix multiplications of S1 and the energy they cost, by its method.
//!
//! The method (S1 §4.3.3): count primitive operations over all clusters, price each by Table 1. Collectives of
//! one line of clusters are simulated; a square mesh is made of as many equal lines. Counting rules, which
//! follow from Table 1: a unicast's first hop is free; a load from memory includes its write into L1; a core's sum
//! includes the write of its result, a store into memory the write there. Computation is 16×16×16 multiplications per cluster and step, a
//! submatrix 16×16 FP64 numbers.

use crate::Error;
use crate::measure::runner::software;
use crate::measure::runner::{Runner, collective, network};
use noccl_coll::{Algorithm, Choice};
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{Counters, energy_pj};
use noccl_spec::EnergyTable;
use noccl_workload::{
    Action, ActionKind, CollectiveKind, Destination, Effect, Place, SCHEDULE_FORMAT, Schedule,
    Transfer,
};
use std::collections::BTreeMap;

/// What a cluster moves and computes in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterStep {
    /// One submatrix of A, of B or of C.
    pub bytes: u64,
    /// Multiply-adds.
    pub multiplications: u64,
}

/// Counts in the order of Table 1's columns: bytes, then operations.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Of the simulator.
    pub events: Counters,
    /// Multiply-adds.
    pub multiplications: u64,
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        let (a, b) = (self.events, other.events);
        Self {
            events: Counters {
                payload_byte_hops: a.payload_byte_hops + b.payload_byte_hops,
                dma_load_bytes: a.dma_load_bytes + b.dma_load_bytes,
                dma_store_bytes: a.dma_store_bytes + b.dma_store_bytes,
                spm_write_bytes: a.spm_write_bytes + b.spm_write_bytes,
                dca_ops: a.dca_ops + b.dca_ops,
                software_reduce_ops: a.software_reduce_ops + b.software_reduce_ops,
                ..Counters::default()
            },
            multiplications: self.multiplications + other.multiplications,
        }
    }

    fn times(self, factor: u64) -> Self {
        let e = self.events;
        Self {
            events: Counters {
                payload_byte_hops: e.payload_byte_hops * factor,
                dma_load_bytes: e.dma_load_bytes * factor,
                dma_store_bytes: e.dma_store_bytes * factor,
                spm_write_bytes: e.spm_write_bytes * factor,
                dca_ops: e.dca_ops * factor,
                software_reduce_ops: e.software_reduce_ops * factor,
                ..Counters::default()
            },
            multiplications: self.multiplications * factor,
        }
    }

    /// The row of Table 1, in thousands.
    #[must_use]
    pub fn row(&self) -> [f64; 7] {
        let e = &self.events;
        [
            e.dma_load_bytes,
            e.dma_store_bytes,
            e.payload_byte_hops,
            e.spm_write_bytes,
            self.multiplications,
            e.software_reduce_ops,
            e.dca_ops,
        ]
        .map(|count| count as f64 / 1e3)
    }

    /// What these events cost.
    #[must_use]
    pub fn energy_pj(&self, table: &EnergyTable) -> f64 {
        energy_pj(&self.events, table) + self.multiplications as f64 * table.gemm_pj_per_op
    }
}

/// Simulated events of a schedule in the paper's counting.
fn counted(runner: Runner<'_>, network: &Network, schedule: &Schedule) -> Result<Counts, Error> {
    let mut events = runner.run(network, schedule)?.counters;
    for action in &schedule.actions {
        if let Some(transfer) = action.kind.transfer() {
            uncount(&mut events, transfer);
        }
        if let Some(fold) = action.kind.network_fold() {
            let members = u64::from(fold.reduction.group.len());
            events.dma_load_bytes -= fold.reduction.bytes * members;
        }
        if let Effect::LocalFold(reduce) = action.kind.effect() {
            events.spm_write_bytes -= reduce.bytes;
        }
    }
    Ok(Counts {
        events,
        multiplications: 0,
    })
}

/// What the paper does not count of a transfer.
fn uncount(events: &mut Counters, transfer: &Transfer) {
    let is_load = matches!(transfer.source.tile, TileRef::Memory(_));
    let is_own = transfer.source.tile == transfer.initiator;
    let is_multicast = matches!(transfer.destination, Destination::Multicast { .. });
    if !is_multicast || !is_own {
        events.payload_byte_hops -= transfer.bytes;
    }
    if let Destination::One(place) = transfer.destination
        && matches!(place.tile, TileRef::Memory(_))
    {
        events.spm_write_bytes -= transfer.bytes;
    }
    if !is_load {
        events.dma_load_bytes -= transfer.bytes;
    } else if is_multicast {
        // The initiator's own copy.
        events.spm_write_bytes -= transfer.bytes;
    } else {
        events.dma_store_bytes -= transfer.bytes;
        events.spm_write_bytes -= transfer.bytes;
    }
}

fn by_choice(
    runner: Runner<'_>,
    network: &Network,
    (kind, bytes): (CollectiveKind, u64),
    is_software: bool,
) -> Result<Counts, Error> {
    let of = collective(network, kind, "row", bytes)?;
    let choice = if is_software {
        let (mut choices, tree) = software(kind, bytes, false);
        choices.extend(tree);
        runner.fastest(network, &of, &choices)?.1
    } else {
        Choice::new(Algorithm::InNetwork, 1)
    };
    let schedule = noccl_coll::schedule(network, &of, choice)?;
    counted(runner, network, &schedule)
}

fn transfers(bytes: u64, list: Vec<(Coord, TileRef, TileRef)>) -> Schedule {
    let place = |tile| Place { tile, offset: 0 };
    let actions = list.into_iter().map(|(initiator, from, to)| Action {
        kind: ActionKind::Transfer(Transfer::row(
            TileRef::Cluster(initiator),
            place(from),
            Destination::One(place(to)),
            bytes,
        )),
        after: Vec::new(),
    });
    Schedule {
        format: SCHEDULE_FORMAT,
        first: None,
        claims_rounds: false,
        algorithm: "transfers".to_owned(),
        parameters: BTreeMap::new(),
        collective: None,
        actions: actions.collect(),
    }
}

/// The four rows of Table 1 on one square mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Workloads {
    /// SUMMA by software.
    pub summa_software: Counts,
    /// SUMMA by the network.
    pub summa_in_network: Counts,
    /// FusedConcatLinear by software.
    pub fcl_software: Counts,
    /// FusedConcatLinear by the network.
    pub fcl_in_network: Counts,
    /// The same with the paper's rule for a line that is reduced in the network: two stores, one write,
    /// no hop, and a row's sum stored before the column adds it.
    pub fcl_by_rule: Counts,
    /// Loads of B, which every row of FCL holds.
    pub loads: Counts,
}

/// Counts of both multiplications on a mesh of `side` × `side` clusters.
///
/// # Errors
/// Those of the schedules and of their runs.
pub fn workloads(runner: Runner<'_>, side: u32, step: ClusterStep) -> Result<Workloads, Error> {
    let bytes = step.bytes;
    let line = network(&format!("collective_noc_{side}x1"), &[])?;
    let [multicast, reduce] =
        [CollectiveKind::Multicast, CollectiveKind::Reduce].map(|kind| (kind, bytes));
    let lines = u64::from(side);
    let compute = Counts {
        multiplications: lines * lines * step.multiplications,
        ..Counts::default()
    };
    let memory = TileRef::Memory(0);
    let at = |x: u32| Coord::new(x as u16, 0);
    let loads = (0..side).map(|x| (at(x), memory, TileRef::Cluster(at(x))));
    let loads = counted(runner, &line, &transfers(bytes, loads.collect()))?.times(lines);
    let store = transfers(bytes, vec![(at(0), TileRef::Cluster(at(0)), memory)]);
    let store = counted(runner, &line, &store)?;
    let fcl = loads.plus(store).plus(compute);
    let in_network = by_choice(runner, &line, reduce, false)?;
    // In one pass over the mesh the column adds what passes: nobody stores a row's sum or loads it again.
    let mut column = in_network;
    column.events.dma_store_bytes = 0;
    column.events.spm_write_bytes = 0;
    let mut rows = in_network.times(lines);
    rows.events.spm_write_bytes = in_network.events.spm_write_bytes;
    let mut by_rule = in_network;
    by_rule.events.dma_store_bytes = 2 * bytes;
    by_rule.events.spm_write_bytes = bytes;
    by_rule.events.payload_byte_hops = 0;
    Ok(Workloads {
        summa_software: by_choice(runner, &line, multicast, true)?
            .times(2 * lines)
            .plus(compute),
        summa_in_network: by_choice(runner, &line, multicast, false)?
            .times(2 * lines)
            .plus(compute),
        fcl_software: by_choice(runner, &line, reduce, true)?
            .times(lines + 1)
            .plus(fcl),
        fcl_in_network: rows.plus(column).plus(fcl),
        fcl_by_rule: by_rule.times(lines + 1).plus(fcl),
        loads,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Watch;
    use noccl_run::Tally;

    const STEP: ClusterStep = ClusterStep {
        bytes: 16 * 16 * 8,
        multiplications: 16 * 16 * 16,
    };

    #[test]
    fn lines_add_up_to_the_mesh_that_is_simulated_as_a_whole() {
        let tally = Tally::new(Watch::quiet(), 1);
        let runner = Runner { tally: &tally };
        let of = workloads(runner, 4, STEP).unwrap();
        let mesh = network("collective_noc_4x4", &[]).unwrap();
        let whole = collective(&mesh, CollectiveKind::Reduce, "all", STEP.bytes).unwrap();
        let choice = Choice::new(Algorithm::InNetwork, 1);
        let schedule = noccl_coll::schedule(&mesh, &whole, choice).unwrap();
        let whole = counted(runner, &mesh, &schedule).unwrap();
        let loads_hops = 4 * (1 + 2 + 3) * STEP.bytes;
        let store_bytes = STEP.bytes;
        let fcl = of.fcl_in_network.events;
        assert_eq!(whole.events.dca_ops, fcl.dca_ops);
        assert_eq!(
            whole.events.payload_byte_hops + loads_hops,
            fcl.payload_byte_hops
        );
        assert_eq!(
            whole.events.dma_store_bytes + store_bytes,
            fcl.dma_store_bytes
        );
        assert_eq!(whole.events.spm_write_bytes, fcl.spm_write_bytes);
    }
}
