// SPDX-License-Identifier: Apache-2.0
//! Named networks and single-transaction runs, shared by the formula tests.

pub mod chains;
pub mod formulas;
pub mod hand_written;
pub mod interpreted;
pub mod listed_program;
pub mod lists;
pub mod random_schedule;
pub mod saved;

use noccl_net::{Network, TileRef};
use noccl_run::{
    Diagnosis, MemoryImage, Mode, RecordRequest, RunConfig, RunError, RunResult, StallConfig,
};
use noccl_testkit::random::random_trace;
use noccl_testkit::traces::{entry, together, trace, wide_reduction};
pub use noccl_testkit::{cluster, cube, network, network_with};
use noccl_workload::{Difference, Fault, Place, PortKind, Schedule, Trace};

/// FIFOs of other depths than two, and links of more than a cycle.
pub fn deep_network() -> Network {
    let sizes = [
        ("router.input_fifo_flits", "5"),
        ("router.output_fifo_flits", "3"),
        ("router.link_cycles.rsp", "2"),
        ("router.link_cycles.wide", "4"),
    ];
    network_with("collective_noc_4x4", &sizes)
}

/// Who waits for whom in a run that cannot end.
pub fn stalled<T: std::fmt::Debug>(outcome: Result<T, RunError>) -> Diagnosis {
    match outcome {
        Err(RunError::Stall(diagnosis)) => *diagnosis,
        other => panic!("should stall: {other:?}"),
    }
}

/// Runs a schedule whose bytes do not matter.
pub fn run_alone(
    net: &Network,
    schedule: &Schedule,
    config: &RunConfig,
) -> Result<RunResult, RunError> {
    noccl_sim::run_schedule(net, schedule, &[], &[], config, &mut |_| true)
}

/// Cycles from the start of an action to its end.
pub fn length_of(result: &RunResult, action: usize) -> u64 {
    let time = result.actions[action];
    time.finish_cycle - time.start_cycle
}

/// A member that disagrees with the others of the first transaction.
pub const fn disagree(member: u32, difference: Difference) -> Fault {
    Fault::Disagree {
        transaction: 0,
        member,
        difference,
    }
}

/// What lies in a memory at first.
pub const fn image(tile: TileRef, offset: u64, bytes: Vec<u8>) -> MemoryImage {
    MemoryImage {
        tile,
        offset,
        bytes,
    }
}

/// How often in 256 cycles a target and an initiator stall.
pub const fn stalling(target: u32, initiator: u32) -> StallConfig {
    StallConfig {
        target_stall_per_256: target,
        initiator_stall_per_256: initiator,
    }
}

/// An offset in the memory of the cluster with these coordinates.
pub fn place_at((x, y): (u16, u16), offset: u64) -> Place {
    noccl_testkit::at(x, y, offset)
}

/// Runs one transaction in value mode, all participants at cycle 0.
pub fn run_one(
    network: &Network,
    participants: usize,
    kind: PortKind,
) -> Result<RunResult, RunError> {
    run_in(network, participants, kind, Mode::Value)
}

fn run_in(
    network: &Network,
    participants: usize,
    kind: PortKind,
    mode: Mode,
) -> Result<RunResult, RunError> {
    noccl_sim::run_trace(
        network,
        &trace(vec![together(kind, participants)]),
        &RunConfig::new(mode),
        &mut |_| true,
    )
}

/// Cycles of one transaction alone on the network; equal in both modes, bytes right.
pub fn runtime(network: &Network, participants: usize, kind: PortKind) -> u64 {
    let run = |mode| {
        let result = run_in(network, participants, kind.clone(), mode)
            .unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        assert_eq!(
            result.wrong_transactions, 0,
            "{kind:?} delivered wrong bytes"
        );
        result.actions[0].finish_cycle
    };
    let (value, timing) = (run(Mode::Value), run(Mode::Timing));
    assert_eq!(value, timing, "value and timing mode differ for {kind:?}");
    value
}

/// Runs entries with faults in both modes and with a record over time, which must agree; nothing but what the faults make wrong is wrong.
pub fn run_trace(
    network: &Network,
    entries: Vec<(Vec<Option<u64>>, PortKind)>,
    faults: Vec<Fault>,
) -> Result<RunResult, RunError> {
    let transactions = entries
        .into_iter()
        .map(|(start_cycles, kind)| entry(start_cycles, kind))
        .collect();
    let trace = Trace {
        transactions,
        faults,
    };
    let run = |mode| noccl_sim::run_trace(network, &trace, &RunConfig::new(mode), &mut |_| true);
    let value = run(Mode::Value)?;
    let timing = run(Mode::Timing)?;
    assert_eq!(value.actions, timing.actions, "modes differ in cycles");
    assert_eq!(
        value.responses, timing.responses,
        "modes differ in responses"
    );
    assert_eq!(value.wrong_transactions, 0, "{trace:?}: {value:?}");
    check_record(network, &trace, &timing);
    Ok(value)
}

/// A recorded run of a trace is the same run; the record has all of its flits and transactions.
fn check_record(network: &Network, trace: &Trace, expected: &RunResult) {
    let config = RunConfig::new(Mode::Timing);
    let asked = RecordRequest {
        max_windows: 16,
        max_entries: 1 << 20,
        is_links_only: false,
    };
    let recorded = noccl_sim::record_trace_over_time(network, trace, &config, asked, &mut |_| true);
    let (result, recording) = recorded.expect("it ends without a record");
    assert_eq!(result, *expected, "a recorded run is the same run");
    assert_eq!(recording.links, result.links);
    let windows = recording.windows.iter().flat_map(|window| &window.flits);
    let flits: u64 = windows.map(|(_, flits)| u64::from(*flits)).sum();
    assert_eq!(
        flits,
        result.links.iter().map(|link| link.flits).sum::<u64>()
    );
    let mut entries: Vec<_> = recording
        .transactions
        .iter()
        .map(|one| one.action)
        .collect();
    entries.sort_unstable();
    entries.dedup();
    // What an interface refuses is no transaction of the network.
    if result.counters.error_responses == 0 {
        assert_eq!(entries.len(), trace.transactions.len(), "{recording:?}");
    }
}

/// Runs a trace to its end, on so many threads, with stalls at the endpoints or without: every byte is right.
pub fn replay(net: &Network, trace: &Trace, mode: Mode, threads: usize, stalls: bool) -> RunResult {
    let mut config = RunConfig::new(mode);
    config.threads = threads;
    config.stalls = stalls.then_some(stalling(90, 60));
    let result = noccl_sim::run_trace(net, trace, &config, &mut |_| true);
    let result = result.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(result.wrong_transactions, 0);
    result
}

/// Random overlapping transactions, with stalls at the endpoints, have the right bytes, whatever the number of threads, and
/// the same cycles in both modes.
pub fn check_overlaps(net: &Network, seed: u64) {
    let trace = random_trace(net, seed, 150, 400);
    let value = replay(net, &trace, Mode::Value, 1, true);
    let threads = replay(net, &trace, Mode::Value, 3, true);
    assert_eq!(value, threads, "seed {seed}");
    let timing = replay(net, &trace, Mode::Timing, 1, true);
    assert_eq!(value.actions, timing.actions, "seed {seed}");
}

/// A reduction of 16 clusters into (1, 1), all at once.
pub fn reduction(beats: u32) -> (Vec<Option<u64>>, PortKind) {
    let kind = wide_reduction(cube(0, 0, 3, 3), cluster(1, 1), beats);
    (vec![Some(0); 16], kind)
}
