// SPDX-License-Identifier: Apache-2.0
//! The random program in C (`programs/stress`) on executed cores, over their ports: compiled once, its seed is written into each run's image.
//!
//! The program compares its bytes itself. That nobody leaves a barrier before all have entered is seen here, in the cycles that all ranks
//! print.

use super::report::{Completed, Ended};
use crate::Error;
use noccl_compile::{Embedded, STRESS_SEED, STRESS_STEPS};
use noccl_files::Scratch;
use noccl_net::Network;
use noccl_net::counts::max_or_zero;
use noccl_program::places;
use noccl_riscv::{CostTable, Image, Program};
use noccl_run::{Mode, OnProgress, Rng, RunConfig, RunError};
use noccl_sim::{ExecutedError, ExecutedRank, ExecutedRequest, ExecutedResult, ExecutedRun};
use noccl_spec::INSTRUCTION_COSTS;

/// Most ranks of a program (`MOST_RANKS` of `draw.h`).
const MOST_RANKS: u64 = 64;
const MEMORY_BYTES: u64 = 4 << 20;
/// No program comes near it: cores that look at a port again and again do something for ever.
const MAX_CYCLES_PER_STEP: u64 = 1 << 20;
const MAX_CYCLES: u64 = 1 << 22;
/// Steps of a program per step that is asked for: each of them is several messages.
const STEPS_SHARE: u32 = 4;

/// The program, for the seeds of one request.
pub(super) struct Executed {
    image: Image,
    costs: Vec<CostTable>,
}

/// Has this network cores?
pub(super) fn refuse(network: &Network) -> Result<(), Error> {
    if network.cores().is_some() {
        return Ok(());
    }
    let accepted = "accepted: a network of core tiles, as in the preset tilepro64_4x4";
    Err(Error::argument("--only", "executed_program", accepted))
}

impl Executed {
    /// Compiles the program; `may_go_on` is asked meanwhile.
    ///
    /// # Errors
    /// Those of compiling.
    pub(super) fn new(may_go_on: &dyn Fn() -> bool) -> Result<Self, Error> {
        let name = format!("noccl-stress-{}", std::process::id());
        let scratch = Scratch::new(std::env::temp_dir().join(name));
        let compiled = Embedded::Stress.compile(&scratch.path("stress.elf"), &|_| may_go_on())?;
        let tables = INSTRUCTION_COSTS.iter().map(|(name, text)| {
            toml::from_str(text)
                .map_err(|error| Error::argument("--only", name, format!("{error}")))
        });
        Ok(Self {
            image: Image::from_elf(&compiled.program)?,
            costs: tables.collect::<Result<_, _>>()?,
        })
    }

    /// Steps of a seed's program, and how it ended.
    pub(super) fn run(
        &self,
        network: &Network,
        (seed, most_steps): (u64, u32),
        on_progress: OnProgress<'_>,
    ) -> Result<(u64, Ended), Error> {
        let mut rng = Rng::new(seed, "stress executed program");
        let tiles = u64::from(network.cluster_width()) * u64::from(network.cluster_height());
        let most = tiles.min(MOST_RANKS);
        let ranks = if rng.one_in(3) {
            most
        } else {
            1 + rng.below(most)
        };
        let steps = 1 + rng.below(u64::from(most_steps / STEPS_SHARE));
        let mut image = self.image.clone();
        set(&mut image, STRESS_SEED, seed)?;
        set(&mut image, STRESS_STEPS, steps)?;
        let program = Program::new(image, rng.pick(&self.costs))?;
        let coords = places(network, ranks as u32)?;
        let places: Vec<_> = coords.iter().map(|at| network.tile_at(*at)).collect();
        let mut config = RunConfig::new(Mode::Value);
        config.max_cycles = MAX_CYCLES + steps * MAX_CYCLES_PER_STEP;
        let request = ExecutedRequest {
            network,
            program: &program,
            places: &places,
            memory_bytes: MEMORY_BYTES,
            config: &config,
            has_times: false,
        };
        let ended = match ExecutedRun::to_its_end(&request, on_progress) {
            Ok(result) => Ok(Completed {
                cycles: result.cycles,
                faults: faults(&printed(&result)),
                ..Completed::default()
            }),
            Err(ExecutedError::Run(RunError::Stall(diagnosis))) => Err(diagnosis),
            Err(ExecutedError::Run(error)) => return Err(error.into()),
            Err(ExecutedError::Program(error)) => return Err(error.into()),
            Err(ExecutedError::Fault(fault)) => Ok(Completed {
                faults: vec![fault.to_string()],
                ..Completed::default()
            }),
        };
        Ok((steps, ended))
    }
}

/// Writes a number over a variable of the program.
fn set(image: &mut Image, name: &str, value: u64) -> Result<(), Error> {
    let found = image.symbols.iter().find(|symbol| symbol.name == name);
    let address = found.map(|symbol| symbol.address);
    let place = address.and_then(|address| {
        image.segments.iter_mut().find_map(|segment| {
            let from = address.checked_sub(segment.address)? as usize;
            segment.bytes.get_mut(from..from + 8)
        })
    });
    let accepted = "not in the data of the program; accepted: programs/stress as it is";
    let place = place.ok_or_else(|| Error::argument("variable", name, accepted))?;
    place.copy_from_slice(&value.to_le_bytes());
    Ok(())
}

/// What each rank has ended with, and printed.
fn printed(result: &ExecutedResult) -> Vec<(u64, String)> {
    let rank = |rank: &ExecutedRank| {
        let text = String::from_utf8_lossy(&rank.console).into_owned();
        (rank.exit_code, text)
    };
    result.ranks.iter().map(rank).collect()
}

/// What ranks have found, and who has left what before all have entered.
fn faults(printed: &[(u64, String)]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut syncs: Vec<Vec<(u64, u64)>> = Vec::new();
    for (rank, (exit_code, text)) in printed.iter().enumerate() {
        let found = text.lines().filter(|line| line.starts_with("fault "));
        faults.extend(found.map(|line| format!("rank {rank}: {line}")));
        let count = text.lines().find_map(|line| line.strip_prefix("faults "));
        if count.is_none() || *exit_code != 0 {
            let last = text.lines().last().unwrap_or("nothing printed");
            faults.push(format!("rank {rank} ended with {exit_code}: {last}"));
        }
        let cycles = text.lines().filter_map(|line| {
            let (from, until) = line.strip_prefix("sync ")?.split_once(' ')?;
            Some((from.parse().ok()?, until.parse().ok()?))
        });
        syncs.push(cycles.collect());
    }
    let longest = max_or_zero(syncs.iter().map(Vec::len));
    for number in 0..longest {
        let all = syncs.iter().enumerate();
        let mut of_ranks = all.filter_map(|(rank, of)| Some((rank, of.get(number)?)));
        let entered = of_ranks.clone().map(|(_, (from, _))| *from).max();
        let early = of_ranks.find(|(_, (_, until))| Some(*until) < entered);
        if let Some((rank, (_, until))) = early {
            faults.push(format!(
                "rank {rank} left barrier or collective {number} in cycle {until}, before all had entered"
            ));
        }
        if syncs.iter().any(|of| of.len() < longest) {
            faults.push("ranks entered different numbers of barriers".to_owned());
            break;
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(consoles: [&str; 2]) -> Vec<(u64, String)> {
        consoles.map(|text| (0, text.to_owned())).to_vec()
    }

    #[test]
    fn a_barrier_that_does_nothing_is_noticed() {
        let right = result(["sync 10 30\nfaults 0\n", "sync 29 31\nfaults 0\n"]);
        assert_eq!(faults(&right), [""; 0]);
        let early = result(["sync 10 12\nfaults 0\n", "sync 29 31\nfaults 0\n"]);
        let found = faults(&early);
        assert!(found[0].contains("rank 0 left barrier"), "{found:?}");
    }

    #[test]
    fn faults_and_ends_of_ranks_are_told() {
        let wrong = result([
            "fault step 3, ring, other rank 1: 4 in place of 5\nfaults 1\n",
            "faults 0\n",
        ]);
        assert!(faults(&wrong)[0].contains("rank 0: fault step 3"));
        let silent = result(["", "faults 0\n"]);
        assert!(faults(&silent)[0].contains("rank 0 ended with"));
        let fewer = result(["faults 0\n", "sync 1 2\nfaults 0\n"]);
        assert!(faults(&fewer)[0].contains("different numbers"));
    }
}
