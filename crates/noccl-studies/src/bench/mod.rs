// SPDX-License-Identifier: Apache-2.0
//! How fast and how large is the simulator? Each benchmark runs in a process of its own, so that its
//! peak memory is its own, and on one core, so that figures per CPU-second compare with other
//! simulators'. Nothing here passes or fails: the figures are printed beside their goals.
//!
//! Flit-hop: one flit crossing one router-to-router link of any plane; Local links do not count.

mod children;
mod coherence;
mod cores;
mod executed;
mod measure;
mod wafer;

pub use children::bench;
pub use measure::{Part, bench_here};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Benchmark {
    /// 4×4, uniform random 16-beat writes: the memory that every process needs.
    Uniform4,
    /// 16×16, uniform random 16-beat writes, timing mode.
    Uniform16,
    /// The same in value mode.
    Uniform16Value,
    /// 16×16, every tile multicasts to its row.
    RowMulticast16,
    /// 256×256, uniform random 16-beat writes.
    Uniform256,
    /// The same with two threads.
    Uniform256Threads2,
    /// 256×256, one write from corner to corner of an idle mesh.
    CornerWrite256,
    /// 16×16, uniform random 16-beat writes over routers that flits pass in flight.
    Bypass16,
    /// 16×16 cores, uniform random packets of 34 words over the dynamic network.
    Udn16,
    /// 8×8 core tiles, an all-to-all of 128 bytes by `torus`.
    Exchange8,
    /// 8×8 executed cores, work without messages.
    ExecutedPrivate8,
    /// 8×8 executed cores, all-to-alls of 128 bytes by the message library.
    ExecutedExchange8,
    /// S2's routers with bypass, packets of one flit.
    Smart(SmartScenario),
    /// 8×8 routers with bypass, the kernel `lu` on 64 cores with caches under HT.
    Coherence,
    /// 1024×1024, one collective over all clusters, in the network.
    Wafer(WaferCollective),
}

/// Traffic over routers that a flit passes without being latched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SmartScenario {
    /// 16×16, uniform random.
    Uniform16,
    /// 8×8, the same.
    Uniform8,
    /// 8×8, every tile broadcasts.
    Broadcast8,
    /// 8×8, reductions of all tiles to one.
    ManyToOne8,
}

/// Collective over a million tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaferCollective {
    /// 32 KiB from a memory tile to everybody.
    Multicast,
    /// 32 KiB of everybody into a corner.
    Reduce,
    /// Both, one after the other.
    AllReduce,
    /// Barrier.
    Barrier,
}

impl Benchmark {
    /// Those of minutes; the first is what the others' memory is compared with.
    pub const SHORT: [Benchmark; 17] = [
        Benchmark::Uniform4,
        Benchmark::Uniform16,
        Benchmark::Uniform16Value,
        Benchmark::RowMulticast16,
        Benchmark::Uniform256,
        Benchmark::Uniform256Threads2,
        Benchmark::CornerWrite256,
        Benchmark::Bypass16,
        Benchmark::Udn16,
        Benchmark::Exchange8,
        Benchmark::ExecutedPrivate8,
        Benchmark::ExecutedExchange8,
        Benchmark::Smart(SmartScenario::Uniform16),
        Benchmark::Smart(SmartScenario::Uniform8),
        Benchmark::Smart(SmartScenario::Broadcast8),
        Benchmark::Smart(SmartScenario::ManyToOne8),
        Benchmark::Coherence,
    ];
    /// Those over a million tiles, which take minutes each.
    pub const WAFER: [Benchmark; 4] = [
        Benchmark::Wafer(WaferCollective::Barrier),
        Benchmark::Wafer(WaferCollective::Multicast),
        Benchmark::Wafer(WaferCollective::Reduce),
        Benchmark::Wafer(WaferCollective::AllReduce),
    ];

    /// Name as users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Benchmark::Uniform4 => "uniform_4x4",
            Benchmark::Uniform16 => "uniform_16x16",
            Benchmark::Uniform16Value => "uniform_16x16_value",
            Benchmark::RowMulticast16 => "row_multicast_16x16",
            Benchmark::Uniform256 => "uniform_256x256",
            Benchmark::Uniform256Threads2 => "uniform_256x256_threads_2",
            Benchmark::CornerWrite256 => "corner_write_256x256",
            Benchmark::Bypass16 => "bypass_uniform_16x16",
            Benchmark::Udn16 => "udn_uniform_16x16",
            Benchmark::Exchange8 => "core_all_to_all_8x8",
            Benchmark::ExecutedPrivate8 => "executed_private_8x8",
            Benchmark::ExecutedExchange8 => "executed_all_to_all_8x8",
            Benchmark::Smart(SmartScenario::Uniform16) => "smart_uniform_16x16",
            Benchmark::Smart(SmartScenario::Uniform8) => "smart_uniform_8x8",
            Benchmark::Smart(SmartScenario::Broadcast8) => "smart_broadcast_8x8",
            Benchmark::Smart(SmartScenario::ManyToOne8) => "smart_many_to_one_8x8",
            Benchmark::Coherence => "coherence",
            Benchmark::Wafer(WaferCollective::Multicast) => "wafer_multicast",
            Benchmark::Wafer(WaferCollective::Reduce) => "wafer_reduce",
            Benchmark::Wafer(WaferCollective::AllReduce) => "wafer_all_reduce",
            Benchmark::Wafer(WaferCollective::Barrier) => "wafer_barrier",
        }
    }

    /// What is to be reached.
    #[must_use]
    pub const fn goal(self) -> &'static str {
        match self {
            Benchmark::Uniform4 => "base of bytes_per_tile",
            Benchmark::Uniform16 => "100 million flit-hops/s",
            Benchmark::Uniform16Value | Benchmark::RowMulticast16 | Benchmark::Bypass16 => {
                "50 million flit-hops/s"
            }
            Benchmark::Udn16 | Benchmark::Smart(SmartScenario::Uniform16) => {
                "60 million flit-hops/s"
            }
            Benchmark::Smart(SmartScenario::Broadcast8) => "30 million flit-hops/s",
            Benchmark::Smart(SmartScenario::Uniform8) => "15 million flit-hops/s",
            Benchmark::Smart(SmartScenario::ManyToOne8) => "10 million flit-hops/s",
            Benchmark::Exchange8 | Benchmark::ExecutedExchange8 => "4 million flit-hops/s",
            Benchmark::ExecutedPrivate8 => "400 million instructions/s",
            Benchmark::Uniform256 => "80 million flit-hops/s; 1229 bytes per tile",
            Benchmark::Uniform256Threads2 => "1.85 x uniform_256x256 per second of wall time",
            Benchmark::CornerWrite256 => "1 ms; elaboration 1 s",
            Benchmark::Coherence => "1 million references/s",
            Benchmark::Wafer(WaferCollective::Multicast) => "10 s; 12 GiB",
            Benchmark::Wafer(WaferCollective::Reduce) => "30 s; 12 GiB",
            Benchmark::Wafer(WaferCollective::AllReduce) => "40 s; 12 GiB",
            Benchmark::Wafer(WaferCollective::Barrier) => "10 s; 12 GiB",
        }
    }

    /// The benchmark of a name.
    ///
    /// # Errors
    /// [`crate::Error::Argument`] with the names that exist.
    pub fn parse(text: &str) -> Result<Self, crate::Error> {
        let all = || Benchmark::SHORT.into_iter().chain(Benchmark::WAFER);
        all().find(|b| b.name() == text).ok_or_else(|| {
            let names: Vec<&str> = all().map(Benchmark::name).collect();
            let names = names.join(", ");
            crate::Error::argument("--only", text, format!("accepted: {names}"))
        })
    }
}

/// Figures of one benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BenchRow {
    /// Name.
    pub name: String,
    /// Flit-hops per CPU-second (per second of wall time with several threads).
    pub flit_hops_per_s: f64,
    /// Simulated cycles per CPU-second (per second of wall time with several threads).
    pub cycles_per_s: f64,
    /// References of cores to memory per CPU-second, where there are any.
    #[serde(default)]
    pub references_per_s: Option<f64>,
    /// Instructions of executed cores per CPU-second, where there are any.
    #[serde(default)]
    pub executed_instructions_per_s: Option<f64>,
    /// Peak resident memory above that of the 4×4, divided by the tiles; absent for the 4×4 itself and where the system does not report the peaks.
    pub bytes_per_tile: Option<f64>,
    /// Offered load in beats per cluster and cycle; 0 where there is no open-loop traffic.
    pub offered_beats_per_cycle: f64,
    /// Flit-hops of the measured run.
    pub flit_hops: u64,
    /// Cycles of the measured run.
    pub cycles: u64,
    /// CPU time of the measured run, all threads.
    pub cpu_seconds: f64,
    /// Wall time of the measured run.
    pub wall_seconds: f64,
    /// Time to elaborate the network.
    pub elaboration_seconds: f64,
    /// Peak resident memory of the process; absent where the system does not report it.
    pub peak_resident_bytes: Option<u64>,
    /// Tiles of the mesh.
    pub tiles: u64,
    /// Instructions executed, if they were counted.
    pub instructions: Option<u64>,
    /// What is to be reached.
    pub goal: String,
}

/// Change of the figure that matters between two runs of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BenchChange {
    /// Name.
    pub name: String,
    /// Flit-hops per second now, divided by those before; above 1 is faster.
    pub speed_ratio: f64,
    /// Bytes per tile now, divided by those before; above 1 is larger.
    pub memory_ratio: Option<f64>,
    /// Instructions per flit-hop now, divided by those before, if both were counted.
    pub instructions_ratio: Option<f64>,
}

/// Compares figures with stored ones, by name.
#[must_use]
pub fn changes(before: &[BenchRow], now: &[BenchRow]) -> Vec<BenchChange> {
    now.iter()
        .filter_map(|new| {
            let old = before.iter().find(|old| old.name == new.name)?;
            let per_hop = |row: &BenchRow| {
                row.instructions
                    .map(|i| i as f64 / row.flit_hops.max(1) as f64)
            };
            let ratio = |new: Option<f64>, old: Option<f64>| {
                new.zip(old)
                    .map(|(new, old)| new / old.max(f64::MIN_POSITIVE))
            };
            Some(BenchChange {
                name: new.name.clone(),
                speed_ratio: new.flit_hops_per_s / old.flit_hops_per_s.max(f64::MIN_POSITIVE),
                memory_ratio: ratio(new.bytes_per_tile, old.bytes_per_tile),
                instructions_ratio: ratio(per_hop(new), per_hop(old)),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_reads_back_from_its_name() {
        for benchmark in Benchmark::SHORT.into_iter().chain(Benchmark::WAFER) {
            assert_eq!(Benchmark::parse(benchmark.name()), Ok(benchmark));
        }
        assert!(Benchmark::parse("uniform").is_err());
    }

    #[test]
    fn a_faster_and_smaller_run_has_ratios_on_the_right_side_of_one() {
        let row = |speed: f64, bytes: f64| BenchRow {
            name: "uniform_16x16".to_owned(),
            flit_hops_per_s: speed,
            cycles_per_s: 1.0,
            references_per_s: None,
            executed_instructions_per_s: None,
            bytes_per_tile: Some(bytes),
            offered_beats_per_cycle: 0.1,
            flit_hops: 100,
            cycles: 10,
            cpu_seconds: 1.0,
            wall_seconds: 1.0,
            elaboration_seconds: 0.0,
            peak_resident_bytes: Some(1),
            tiles: 1,
            instructions: None,
            goal: String::new(),
        };
        let change = &changes(&[row(10.0, 200.0)], &[row(20.0, 100.0)])[0];
        assert!(change.speed_ratio > 1.0 && change.memory_ratio < Some(1.0));
        assert_eq!(change.instructions_ratio, None);
    }
}
