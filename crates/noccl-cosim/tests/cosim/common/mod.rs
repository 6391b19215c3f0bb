// SPDX-License-Identifier: Apache-2.0
//! Random traces on the simulator, in lock-step with the Verilated mesh.

pub mod cases;
pub mod endpoints;
pub mod engines;
pub mod faults;
pub mod mixed;

pub use crate::libraries::{library, network_of};
use noccl_testkit::schedules::at_once;
use noccl_testkit::traces::{entry, trace, wide_multicast, wide_reduction};
pub use noccl_testkit::{cluster, network};
use noccl_testkit::{cube, is_long, network_with, one_in, place};

use noccl_cosim::lockstep::{Follow, Lockstep, LockstepError};
use noccl_net::Network;
use noccl_net::{Coord, MultiAddress, TileRef};
use noccl_run::{CycleRecord, MemoryImage, Mode, RunConfig, StallConfig};
use noccl_sim::{run_schedule_recorded, run_trace_recorded};
use noccl_studies::StressKind;
use noccl_studies::stress::{Recipe, generate};
use noccl_workload::{
    ActionKind, ElementType, InNetworkReduction, Operator, PortKind, PortTransaction, Trace,
};
use std::env;
use std::ops::Range;

/// Transactions with one destination.
pub const UNICAST: [StressKind; 3] = [StressKind::Write, StressKind::Read, StressKind::Atomic];

/// Transactions that fork and merge.
pub const COLLECTIVE: [StressKind; 2] = [StressKind::Multicast, StressKind::Barrier];

/// Wide reductions, and what else uses their links.
pub const REDUCING: [StressKind; 2] = [StressKind::Reduction, StressKind::Write];

/// Everything but wide reductions.
pub const ALL: [StressKind; 5] = [
    StressKind::Write,
    StressKind::Read,
    StressKind::Atomic,
    StressKind::Multicast,
    StressKind::Barrier,
];

/// Changes records from an index on.
pub type Tamper = fn(&mut Vec<CycleRecord>, usize);

/// The first of these seeds, a run of each kind of stalls, or in long runs all of them.
pub fn first(seeds: Range<u64>) -> Range<u64> {
    let few = seeds.start + 3;
    seeds.start..if is_long() {
        seeds.end
    } else {
        few.min(seeds.end)
    }
}

/// Every fifth of all combinations, or in long runs all of them.
pub fn some<T>(combinations: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    combinations.step_by(one_in(5))
}

/// Handshakes that are enough to have compared, of so many in long runs.
pub fn enough(handshakes: u64) -> u64 {
    handshakes / one_in(5) as u64
}

/// A library of the mesh as a whole, or with `NOCCL_COSIM_TILES=1` that of tiles, as the merge gate has it: a part of the work
/// to build.
pub fn whole_or_tiles(whole: &'static str, tiles: &'static str) -> &'static str {
    let is_of_tiles = env::var_os("NOCCL_COSIM_TILES").is_some();
    if is_of_tiles { tiles } else { whole }
}

/// 4×4 clusters with units of two operands.
pub fn two_operand_network() -> Network {
    let kind = [("router.wide_reduction.kind", "\"two_operand\"")];
    network_with("collective_noc_4x4", &kind)
}

/// A preset whose merge tables have registers.
pub fn registered_merge_network(preset: &str) -> Network {
    network_with(preset, &[("router.merge_cycles", 3)])
}

/// A multicast of every cluster to all, of three bursts, all at once.
pub fn multicasts_of_all_to_all(network: &Network) -> Vec<PortTransaction> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let to = set((0, 0), (width - 1, height - 1));
    let clusters = (0..width).flat_map(|x| (0..height).map(move |y| cluster(x, y)));
    let multicasts = clusters.map(|from| entry(vec![Some(0)], wide_multicast(from, to, 130)));
    multicasts.collect()
}

/// A configuration of stalls per seed: none, at the targets, everywhere.
pub fn stalls(seed: u64) -> Option<StallConfig> {
    [None, Some((120, 0)), Some((60, 60))][(seed % 3) as usize].map(|(target, initiator)| {
        StallConfig {
            target_stall_per_256: target,
            initiator_stall_per_256: initiator,
        }
    })
}

/// Back-pressure of targets and of initiators in most cycles.
pub const HARD: StallConfig = StallConfig {
    target_stall_per_256: 200,
    initiator_stall_per_256: 100,
};

pub fn set(base: (u16, u16), mask: (u16, u16)) -> MultiAddress {
    cube(base.0, base.1, mask.0, mask.1)
}

/// A reduction whose members start at the same time.
pub fn reduction(group: MultiAddress, root: TileRef, beats: u32) -> PortTransaction {
    entry(
        group.members().map(|_| Some(0)).collect(),
        wide_reduction(group, root, beats),
    )
}

/// Rows, a column and all of 2×2 clusters.
pub fn sets_of_2x2() -> [MultiAddress; 4] {
    let ends = [
        ((0, 0), (1, 0)),
        ((0, 1), (1, 0)),
        ((1, 0), (0, 1)),
        ((0, 0), (1, 1)),
    ];
    ends.map(|(base, mask)| set(base, mask))
}

/// Reductions over each set into each cluster, short and longer than the windows.
pub fn reductions_of_2x2() -> impl Iterator<Item = PortTransaction> {
    let roots = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let runs = sets_of_2x2().into_iter();
    let runs = runs.flat_map(move |group| roots.map(|root| (group, root)));
    let runs = runs.flat_map(|(group, root)| [1, 2, 30, 100].map(|beats| (group, root, beats)));
    some(runs).map(|(group, (x, y), beats)| reduction(group, cluster(x, y), beats))
}

/// A trace without its wide reductions.
pub fn without_reductions(mut trace: Trace) -> Trace {
    let is_other = |t: &PortTransaction| !matches!(t.kind, PortKind::WideReduction { .. });
    trace.transactions.retain(is_other);
    trace
}

/// Transactions match the simulator, without and with back-pressure. Returns the handshakes compared.
pub fn agree_on(name: &str, network: &Network, transactions: Vec<PortTransaction>) -> u64 {
    let trace = trace(transactions);
    let comparison = |stalls| {
        let records = record_trace(network, &trace, stalls, 1);
        let compared = follow(name, network, &records);
        compared.unwrap_or_else(|error| panic!("{name}, {:?}: {error}", trace.transactions))
    };
    comparison(None).1 + comparison(Some(HARD)).1
}

/// Makes of every second FP64 number one of about 1: of such sums the order of operands can be told, of numbers far apart only the
/// largest.
fn like_a_small_number(i: u32, byte: u8) -> u8 {
    match i % 16 {
        15 => 0x3f | byte & 0x80,
        14 => 0xe0 | byte & 0x1f,
        _ => byte,
    }
}

/// A reduction into a root by every operator that the element type has, in one run.
pub fn follow_arithmetic(
    name: &str,
    network: &Network,
    (group, root): (MultiAddress, TileRef),
    element: ElementType,
) -> Result<(u64, u64), LockstepError> {
    let is_float = !matches!(
        element,
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64
    );
    let operators: &[Operator] = if is_float {
        &[Operator::Sum, Operator::Min, Operator::Max]
    } else {
        &[
            Operator::Sum,
            Operator::Min,
            Operator::Max,
            Operator::And,
            Operator::Or,
        ]
    };
    let action = |(i, operator): (usize, &Operator)| {
        ActionKind::InNetworkReduction(InNetworkReduction {
            group,
            source_offset: 0,
            root: place(root, 0x1000 * (i as u64 + 1)),
            bytes: 192,
            operator: *operator,
            element,
        })
    };
    let schedule = at_once(operators.iter().enumerate().map(action));
    let byte = |i: u32, at: Coord| (i * 151 + 37 * u32::from(at.x) + 101 * u32::from(at.y)) as u8;
    let image = |at: Coord| MemoryImage {
        tile: TileRef::Cluster(at),
        offset: 0,
        bytes: (0..192)
            .map(|i| like_a_small_number(i, byte(i, at)))
            .collect(),
    };
    let inputs: Vec<MemoryImage> = group.members().map(image).collect();
    let mut records = Vec::new();
    let mut keep = |record: &CycleRecord| records.push(record.clone());
    let config = RunConfig::new(Mode::Value);
    run_schedule_recorded(network, &schedule, &inputs, &config, &mut keep).unwrap();
    follow(name, network, &records)
}

/// All records of a random trace of `transactions` transactions.
pub fn records(
    network: &Network,
    kinds: &[StressKind],
    transactions: u32,
    seed: u64,
) -> Vec<CycleRecord> {
    let axi = network.as_axi().unwrap();
    let trace = generate(axi, &Recipe::new(axi, kinds, transactions), seed);
    record_trace(network, &trace, stalls(seed), seed)
}

fn record_trace(
    network: &Network,
    trace: &Trace,
    stalls: Option<StallConfig>,
    stall_seed: u64,
) -> Vec<CycleRecord> {
    record_with(network, trace, &stalled(stalls, stall_seed))
}

/// A run in value mode with these stalls.
pub fn stalled(stalls: Option<StallConfig>, stall_seed: u64) -> RunConfig {
    RunConfig {
        stalls,
        stall_seed,
        ..RunConfig::new(Mode::Value)
    }
}

pub fn record_with(network: &Network, trace: &Trace, config: &RunConfig) -> Vec<CycleRecord> {
    let mut all = Vec::new();
    let mut keep = |record: &CycleRecord| all.push(record.clone());
    run_trace_recorded(network, trace, config, &mut keep).unwrap();
    all
}

/// Runs the mesh along records. Returns cycles and handshakes compared.
pub fn follow(
    name: &str,
    network: &Network,
    records: &[CycleRecord],
) -> Result<(u64, u64), LockstepError> {
    let mut mesh = Lockstep::open(&library(name), network)?;
    for record in records {
        mesh.follow(record)?;
    }
    mesh.drain()?;
    Ok((mesh.cycle(), mesh.num_compared()))
}

/// Random traces of these kinds match the simulator on a preset, seed by seed.
pub fn agree(name: &str, preset: &str, kinds: &[StressKind], seeds: Range<u64>) {
    agree_with(name, &network(preset), kinds, seeds);
}

/// The same on any network.
pub fn agree_with(name: &str, network: &Network, kinds: &[StressKind], seeds: Range<u64>) {
    let mut compared = 0;
    for seed in first(seeds) {
        let records = records(network, kinds, 64, seed);
        match follow(name, network, &records) {
            Ok((_, handshakes)) => compared += handshakes,
            Err(error) => panic!("{name}, seed {seed}: {error}"),
        }
    }
    assert!(
        compared > enough(5_000),
        "{compared} handshakes are too few"
    );
}

/// Traces of these kinds differ from a faulty mesh of 2×2 clusters, in one of the first seeds.
pub fn is_noticed(name: &str, kinds: &[StressKind]) {
    is_noticed_on(&network("collective_noc_2x2"), name, kinds);
}

/// The same with a faulty mesh of another network.
pub fn is_noticed_on(network: &Network, name: &str, kinds: &[StressKind]) {
    let mut errors = (0..6).filter_map(|seed| {
        let records = records(network, kinds, 64, seed);
        follow(name, network, &records).err()
    });
    let divergence = errors.find(|error| matches!(error, LockstepError::Divergence(_)));
    assert!(divergence.is_some(), "{name} survives");
}
