// SPDX-License-Identifier: Apache-2.0
//! One benchmark in this process.

use super::{
    BenchRow, Benchmark, SmartScenario, WaferCollective, coherence, cores, executed, wafer,
};
use crate::{Error, load};
use noccl_model::capacity_beats_per_cycle;
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{Mode, RunConfig, Tally, TrafficResult, Watch};
use noccl_sim::{run_trace, run_traffic};
use noccl_workload::{MAX_RANDOM_MEMBERS, Pattern, PortKind, PortTransaction, Trace, Traffic};
use std::fs;
use std::time::Instant;

const BEATS: u32 = 16;
/// A unit of 128 bytes with header and tag.
const UDN_WORDS: u32 = 34;

/// Open-loop traffic at half of the accepted load.
struct HalfLoad {
    pattern: Pattern,
    beats: u32,
    mode: Mode,
    threads: usize,
    /// Cycles of the run that finds the accepted load, and of the measured run; half of each warms up.
    probe_cycles: u64,
    measured_cycles: u64,
    repetitions: u32,
}

/// Which part of a benchmark to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// Find the load at which to measure; the row holds it and no figures. The source queues of a
    /// saturated mesh grow, so its memory must not count.
    Probe,
    /// Measure at this load; the measured cycles are divided by `divisor`, for counting instructions.
    Measure {
        /// Beats per cluster and cycle; not read where there is no open-loop traffic.
        load: f64,
        /// At least 1.
        divisor: u64,
    },
}

/// Runs one part of a benchmark here and now; `bytes_per_tile` stays absent, because it needs two processes.
///
/// # Errors
/// [`Error`] if a run cannot finish.
pub fn bench_here(benchmark: Benchmark, part: Part, watch: Watch<'_>) -> Result<BenchRow, Error> {
    let preset = match benchmark {
        Benchmark::Uniform4 => "collective_noc_4x4",
        Benchmark::Uniform16 | Benchmark::Uniform16Value | Benchmark::RowMulticast16 => {
            "collective_noc_16x16"
        }
        Benchmark::Uniform256 | Benchmark::Uniform256Threads2 | Benchmark::CornerWrite256 => {
            "collective_noc_256x256"
        }
        Benchmark::Bypass16 => "collective_noc_16x16_bypass",
        Benchmark::Udn16 => "tilepro64_16x16",
        Benchmark::Exchange8 | Benchmark::ExecutedPrivate8 | Benchmark::ExecutedExchange8 => {
            "tilepro64_8x8"
        }
        Benchmark::Smart(SmartScenario::Uniform16) => "smart_16x16",
        Benchmark::Smart(
            SmartScenario::Uniform8 | SmartScenario::Broadcast8 | SmartScenario::ManyToOne8,
        )
        | Benchmark::Coherence => "smart_8x8",
        Benchmark::Wafer(_) => "collective_noc_1024x1024",
    };
    let clock = Clock::start();
    let network = load(preset, &[])?.network;
    let elaboration_seconds = clock.elapsed().wall_seconds;
    let mut row = match (work(benchmark), part) {
        (Work::HalfLoad(plan), Part::Probe) => probe(&network, &plan, watch)?,
        (Work::HalfLoad(mut plan), Part::Measure { load, divisor }) => {
            plan.measured_cycles = (plan.measured_cycles / divisor.max(1)).max(2);
            if divisor > 1 {
                // Instructions of every repetition would be counted.
                plan.repetitions = 1;
            }
            measure(&network, &plan, load, watch)?
        }
        (
            Work::CornerWrite
            | Work::Coherence
            | Work::Exchange
            | Work::Executed(_)
            | Work::Wafer(_),
            Part::Probe,
        ) => row(0.0, 0, 0, 1.0, Elapsed::NONE),
        (Work::Executed(program), Part::Measure { divisor, .. }) => {
            executed::run(&network, program, divisor, watch)?
        }
        (Work::Exchange, Part::Measure { divisor, .. }) => cores::run(&network, divisor, watch)?,
        (Work::CornerWrite, Part::Measure { .. }) => corner_write(&network, watch)?,
        (Work::Coherence, Part::Measure { .. }) => coherence::run(&network, watch)?,
        (Work::Wafer(collective), Part::Measure { .. }) => wafer::run(&network, collective, watch)?,
    };
    row.name = benchmark.name().to_owned();
    row.goal = benchmark.goal().to_owned();
    row.tiles = network.num_tiles() as u64;
    row.elaboration_seconds = elaboration_seconds;
    row.peak_resident_bytes = peak_resident_bytes();
    Ok(row)
}

/// What a benchmark does.
enum Work {
    HalfLoad(HalfLoad),
    CornerWrite,
    Wafer(WaferCollective),
    Coherence,
    Exchange,
    Executed(executed::ExecutedWork),
}

const fn work(benchmark: Benchmark) -> Work {
    let (pattern, mode, threads) = match benchmark {
        Benchmark::Uniform4
        | Benchmark::Uniform16
        | Benchmark::Uniform256
        | Benchmark::Bypass16
        | Benchmark::Udn16 => (Pattern::Uniform, Mode::Timing, 1),
        Benchmark::Uniform16Value => (Pattern::Uniform, Mode::Value, 1),
        Benchmark::RowMulticast16 => (Pattern::RowMulticast, Mode::Timing, 1),
        Benchmark::Uniform256Threads2 => (Pattern::Uniform, Mode::Timing, 2),
        Benchmark::Smart(scenario) => (smart_pattern(scenario), Mode::Timing, 1),
        Benchmark::CornerWrite256 => return Work::CornerWrite,
        Benchmark::Coherence => return Work::Coherence,
        Benchmark::Exchange8 => return Work::Exchange,
        Benchmark::ExecutedPrivate8 => return Work::Executed(executed::ExecutedWork::PrivateWork),
        Benchmark::ExecutedExchange8 => return Work::Executed(executed::ExecutedWork::AllToAll),
        Benchmark::Wafer(collective) => return Work::Wafer(collective),
    };
    let is_large = matches!(
        benchmark,
        Benchmark::Uniform256 | Benchmark::Uniform256Threads2
    );
    let (probe_cycles, measured_cycles, repetitions) = if is_large {
        (1_200, 1_000, 1)
    } else {
        (4_000, 40_000, 3)
    };
    Work::HalfLoad(HalfLoad {
        pattern,
        beats: packet_beats(benchmark),
        mode,
        threads,
        probe_cycles,
        measured_cycles,
        repetitions,
    })
}

const fn packet_beats(benchmark: Benchmark) -> u32 {
    if matches!(benchmark, Benchmark::Smart(_)) {
        // S2's synthetic traffic has packets of one flit.
        1
    } else if matches!(benchmark, Benchmark::Udn16) {
        UDN_WORDS
    } else {
        BEATS
    }
}

const fn smart_pattern(scenario: SmartScenario) -> Pattern {
    match scenario {
        SmartScenario::Uniform16 | SmartScenario::Uniform8 => Pattern::Uniform,
        SmartScenario::Broadcast8 => Pattern::Broadcast,
        SmartScenario::ManyToOne8 => Pattern::ManyToOne,
    }
}

/// Half of the accepted load.
fn probe(network: &Network, plan: &HalfLoad, watch: Watch<'_>) -> Result<BenchRow, Error> {
    let offered = probe_load(network, plan);
    let (result, _) = run(network, plan, offered, plan.probe_cycles, watch)?;
    let load = accepted_load(network, plan, &result) / 2.0;
    Ok(row(load, 0, 0, 1.0, Elapsed::NONE))
}

/// Runs at a load and keeps the fastest repetition.
fn measure(
    network: &Network,
    plan: &HalfLoad,
    load: f64,
    watch: Watch<'_>,
) -> Result<BenchRow, Error> {
    let mut best: Option<(TrafficResult, Elapsed)> = None;
    for _ in 0..plan.repetitions {
        let (result, elapsed) = run(network, plan, load, plan.measured_cycles, watch)?;
        if best
            .as_ref()
            .is_none_or(|(_, b)| elapsed.cpu_seconds < b.cpu_seconds)
        {
            best = Some((result, elapsed));
        }
    }
    let Some((result, elapsed)) = best else {
        return Err(Error::argument("repetitions", 0, "accepted: at least 1"));
    };
    let seconds = if plan.threads > 1 {
        elapsed.wall_seconds
    } else {
        elapsed.cpu_seconds
    };
    Ok(row(load, result.flit_hops, result.cycles, seconds, elapsed))
}

/// Twice what the bisection of the mesh lets through: each direction of the middle column of links
/// carries a quarter of all uniform traffic; a row multicast is limited by the targets' inputs.
fn probe_load(network: &Network, plan: &HalfLoad) -> f64 {
    let width = f64::from(network.cluster_width());
    match plan.pattern {
        Pattern::RowMulticast => (2.0 / width).min(1.0),
        Pattern::Broadcast
        | Pattern::CornerBroadcast
        | Pattern::RandomMulticast
        | Pattern::ManyToOne => {
            let capacity = capacity_beats_per_cycle(network, plan.pattern, plan.beats);
            (2.0 * capacity).min(1.0)
        }
        Pattern::Uniform
        | Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot => (2.0 * 4.0 / width).min(1.0),
    }
}

/// Offered load that would be accepted; a multicast is delivered to every tile of a row.
fn accepted_load(network: &Network, plan: &HalfLoad, probe: &TrafficResult) -> f64 {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let others = f64::from(width) * f64::from(height) - 1.0;
    let copies = match plan.pattern {
        Pattern::RowMulticast => f64::from(width),
        Pattern::Broadcast => others,
        Pattern::CornerBroadcast => others * 4.0 / (others + 1.0),
        // Means of the numbers of members, 2 to the most.
        Pattern::RandomMulticast => 1.0 + others.min(f64::from(MAX_RANDOM_MEMBERS)) / 2.0,
        Pattern::ManyToOne => 1.0,
        Pattern::Uniform
        | Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot => 1.0,
    };
    probe.accepted_beats_per_cycle / copies
}

fn run(
    network: &Network,
    plan: &HalfLoad,
    load: f64,
    cycles: u64,
    watch: Watch<'_>,
) -> Result<(TrafficResult, Elapsed), Error> {
    let traffic = Traffic {
        pattern: plan.pattern,
        beats: plan.beats,
        offered_beats_per_cycle: load,
        warmup_cycles: cycles / 2,
        measure_cycles: cycles / 2,
        seed: 1,
    };
    let mut config = RunConfig::new(plan.mode);
    config.threads = plan.threads;
    let clock = Clock::start();
    let result = Tally::run_actions(watch, |on_progress| {
        run_traffic(network, &traffic, &config, on_progress)
    })?;
    Ok((result, clock.elapsed()))
}

fn corner_write(network: &Network, watch: Watch<'_>) -> Result<BenchRow, Error> {
    let far = Coord::new(network.cluster_width() - 1, network.cluster_height() - 1);
    let trace = Trace {
        transactions: vec![PortTransaction {
            start_cycles: vec![Some(0)],
            kind: PortKind::WideWrite {
                from: TileRef::Cluster(Coord::new(0, 0)),
                to: TileRef::Cluster(far),
                beats: BEATS,
            },
        }],
        ..Trace::default()
    };
    let config = RunConfig::new(Mode::Timing);
    let clock = Clock::start();
    let result = Tally::run_actions(watch, |on_progress| {
        run_trace(network, &trace, &config, on_progress)
    })?;
    let elapsed = clock.elapsed();
    Ok(row(
        0.0,
        result.counters.flit_hops,
        result.cycles,
        elapsed.cpu_seconds,
        elapsed,
    ))
}

pub(super) fn row(
    load: f64,
    flit_hops: u64,
    cycles: u64,
    seconds: f64,
    elapsed: Elapsed,
) -> BenchRow {
    BenchRow {
        name: String::new(),
        flit_hops_per_s: flit_hops as f64 / seconds,
        cycles_per_s: cycles as f64 / seconds,
        references_per_s: None,
        executed_instructions_per_s: None,
        bytes_per_tile: None,
        offered_beats_per_cycle: load,
        flit_hops,
        cycles,
        cpu_seconds: elapsed.cpu_seconds,
        wall_seconds: elapsed.wall_seconds,
        elaboration_seconds: 0.0,
        peak_resident_bytes: None,
        tiles: 0,
        instructions: None,
        goal: String::new(),
    }
}

// CPU time and peak memory of this process, as Linux reports them.

/// Measures a piece of work.
pub(super) struct Clock {
    start: Instant,
    cpu_start_seconds: Option<f64>,
}

/// Time that a piece of work took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Elapsed {
    pub(super) cpu_seconds: f64,
    pub(super) wall_seconds: f64,
}

impl Elapsed {
    /// Nothing was measured.
    pub(super) const NONE: Self = Self {
        cpu_seconds: 0.0,
        wall_seconds: 0.0,
    };
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            cpu_start_seconds: cpu_seconds(),
            start: Instant::now(),
        }
    }

    /// Where the system reports no CPU time, wall time stands for it.
    pub(super) fn elapsed(&self) -> Elapsed {
        let wall_seconds = self.start.elapsed().as_secs_f64();
        let cpu = cpu_seconds()
            .zip(self.cpu_start_seconds)
            .map(|(end, start)| end - start);
        Elapsed {
            cpu_seconds: cpu.unwrap_or(wall_seconds).max(1e-9),
            wall_seconds: wall_seconds.max(1e-9),
        }
    }
}

/// CPU time of all threads so far: the scheduler's count in nanoseconds, or, where the kernel keeps
/// none, the process's user and system time in ticks of 10 ms.
fn cpu_seconds() -> Option<f64> {
    scheduler_seconds().or_else(tick_seconds)
}

fn scheduler_seconds() -> Option<f64> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = tasks.filter_map(|task| {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Some(nanoseconds.sum::<u64>() as f64 / 1e9).filter(|seconds| *seconds > 0.0)
}

fn tick_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses and may hold spaces.
    let (_, fields) = text.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

/// Largest resident memory of this process so far; `None` where the system does not report it.
pub(super) fn peak_resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let rest = (status.lines()).find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = rest.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}
