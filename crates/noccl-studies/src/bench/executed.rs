// SPDX-License-Identifier: Apache-2.0
//! Compiled programs on 64 cores that execute them: instructions per CPU-second, and flit-hops where cores send.

use super::BenchRow;
use super::measure::Clock;
use super::measure::row;
use crate::Error;
use noccl_compile::Embedded;
use noccl_files::Scratch;
use noccl_net::Network;
use noccl_program::places;
use noccl_riscv::{CostTable, Image};
use noccl_run::{Mode, RunConfig, Tally, Watch};
use noccl_sim::{ExecutedRequest, ExecutedRun};
use noccl_spec::instruction_costs_text;

const RANKS: u32 = 64;
const MEMORY_BYTES: u64 = 1 << 20;
const COSTS: &str = "in_order";

/// What is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExecutedWork {
    /// `programs/bench/private_work.c`.
    PrivateWork,
    /// `programs/bench/all_to_all.c`.
    AllToAll,
}

impl ExecutedWork {
    /// Some seconds of it, or a part of that.
    fn source(self, divisor: u64) -> Embedded {
        let rounds = |usual: u64| (usual / divisor.max(1)).max(1) as u32;
        match self {
            Self::PrivateWork => Embedded::PrivateWork { rounds: rounds(50) },
            Self::AllToAll => Embedded::AllToAll { rounds: rounds(20) },
        }
    }
}

/// Time covers the run, not the compilation.
pub(super) fn run(
    network: &Network,
    program: ExecutedWork,
    divisor: u64,
    watch: Watch<'_>,
) -> Result<BenchRow, Error> {
    let name = format!("noccl-bench-{}", std::process::id());
    let scratch = Scratch::new(std::env::temp_dir().join(name));
    let source = program.source(divisor);
    let compiled = source.compile(&scratch.path("program.elf"), &|_| true)?;
    let text = instruction_costs_text(COSTS).ok_or_else(|| {
        Error::argument(
            "costs",
            COSTS,
            "no such table; accepted: one of the library",
        )
    })?;
    let costs: CostTable = toml::from_str(text)
        .map_err(|error| Error::argument("costs", COSTS, format!("{error}")))?;
    let program = noccl_riscv::Program::new(Image::from_elf(&compiled.program)?, &costs)?;
    let coords = places(network, RANKS)?;
    let places: Vec<_> = coords.iter().map(|at| network.tile_at(*at)).collect();
    let config = RunConfig::new(Mode::Value);
    let request = ExecutedRequest {
        network,
        program: &program,
        places: &places,
        memory_bytes: MEMORY_BYTES,
        config: &config,
        has_times: false,
    };
    let tally = Tally::new(watch, 1);
    let clock = Clock::start();
    let result = tally
        .run(|on_progress| ExecutedRun::to_its_end(&request, on_progress).map_err(Error::from))?;
    let elapsed = clock.elapsed();
    let seconds = elapsed.cpu_seconds;
    let instructions: u64 = result.ranks.iter().map(|rank| rank.instructions).sum();
    let row = row(0.0, result.flit_hops, result.cycles, seconds, elapsed);
    Ok(BenchRow {
        executed_instructions_per_s: Some(instructions as f64 / seconds),
        ..row
    })
}
