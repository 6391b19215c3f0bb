// SPDX-License-Identifier: Apache-2.0
//! One collective over a million tiles: schedule, check and run, timing mode, one thread.

use super::measure::Clock;
use super::measure::row;
use super::{BenchRow, WaferCollective};
use crate::Error;
use noccl_coll::{Algorithm, Choice};
use noccl_net::{Coord, MultiAddress, Network, TileRef, TileSet};
use noccl_run::{Mode, RunConfig, Tally, Watch};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, CollectiveKind, ElementType, Operator};

const BYTES: u64 = 32 << 10;

/// Time covers the schedule and its proof too.
pub(super) fn run(
    network: &Network,
    what: WaferCollective,
    watch: Watch<'_>,
) -> Result<BenchRow, Error> {
    let collective = collective(network, what);
    let clock = Clock::start();
    let choice = Choice::new(Algorithm::InNetwork, 1);
    let schedule = noccl_coll::schedule(network, &collective, choice)?;
    noccl_workload::check(network, &schedule)?;
    let config = RunConfig::new(Mode::Timing);
    let result = Tally::run_actions(watch, |on_progress| {
        run_schedule(network, &schedule, &[], &[], &config, on_progress)
    })?;
    let elapsed = clock.elapsed();
    let (hops, cycles) = (result.counters.flit_hops, result.cycles);
    Ok(row(0.0, hops, cycles, elapsed.cpu_seconds, elapsed))
}

fn collective(network: &Network, what: WaferCollective) -> Collective {
    let corner = TileRef::Cluster(Coord::new(0, 0));
    let (kind, root, bytes) = match what {
        WaferCollective::Multicast => (CollectiveKind::Multicast, TileRef::Memory(0), BYTES),
        WaferCollective::Reduce => (CollectiveKind::Reduce, corner, BYTES),
        WaferCollective::AllReduce => (CollectiveKind::AllReduce, corner, BYTES),
        WaferCollective::Barrier => (CollectiveKind::Barrier, corner, 0),
    };
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let all = MultiAddress::new(Coord::new(0, 0), Coord::new(width - 1, height - 1));
    Collective {
        kind,
        group: TileSet::Cube(all),
        root,
        bytes,
        operator: Operator::Sum,
        element: ElementType::Fp64,
        input_offset: 0,
        output_offset: BYTES,
        lengths: None,
        definition: None,
    }
}
