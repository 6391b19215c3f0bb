// SPDX-License-Identifier: Apache-2.0
//! `noccl calibrate` on core tiles: the library's collectives on executed cores, and the constants of modelled ones that follow.

use crate::program::{ExecutedRequest, ProgramReport, run_executed};
use crate::{Error, Watch};
use noccl_compile::{Embedded, OnStep};
use noccl_files::Scratch;
use noccl_net::{Network, elaborate};
use noccl_spec::Spec;
use noccl_studies::{CoreCosts, ExecutedCase, calibrate_cores};
use std::collections::BTreeMap;
use std::path::Path;

/// Meshes to which constants are fitted.
const FITTED: [(u32, u32); 2] = [(2, 2), (4, 4)];

/// Sizes to which constants are fitted; a barrier has none.
const FITTED_BYTES: [u64; 4] = [0, 8, 128, 1024];

/// Tiles of the largest mesh that is executed: it takes seconds.
const MOST_TILES: u32 = 64;

/// Memory of each core, more than blocks for all of 64 ranks take.
const MEMORY_BYTES: u64 = 8 << 20;

/// Runs the library's collectives on executed cores, and fits a network's modelled cores to them.
///
/// The meshes are 2×2, 4×4 and the network's own if it has at most 64 tiles. Returns the network's spec with the constants, too.
///
/// # Errors
/// [`Error::Argument`] for a network without core tiles; those of compiling and running.
pub fn core_costs(
    network: &Network,
    instruction_costs: &str,
    on_step: OnStep<'_>,
    watch: Watch<'_>,
) -> Result<(Spec, CoreCosts), Error> {
    let spec = network.spec();
    crate::program::executed::costs(instruction_costs)?;
    let scratch =
        Scratch::new(std::env::temp_dir().join(format!("noccl-core-costs-{}", std::process::id())));
    let program = scratch.path("collectives.elf");
    Embedded::Collectives.compile(&program, on_step)?;
    let own = (spec.mesh.width, spec.mesh.height);
    let mut meshes = FITTED.to_vec();
    if !meshes.contains(&own) && own.0 * own.1 <= MOST_TILES {
        meshes.push(own);
    }
    let mut cases = Vec::new();
    for mesh in meshes {
        cases.extend(executed(spec, mesh, &program, instruction_costs, watch)?);
    }
    calibrate_cores(spec, instruction_costs, &cases, watch)
}

/// All collectives on a mesh.
fn executed(
    spec: &Spec,
    mesh: (u32, u32),
    program: &Path,
    costs: &str,
    watch: Watch<'_>,
) -> Result<Vec<ExecutedCase>, Error> {
    let mut spec = spec.clone();
    (spec.mesh.width, spec.mesh.height) = mesh;
    let request = ExecutedRequest {
        program: program.to_owned(),
        arguments: Vec::new(),
        environment: Vec::new(),
        files: Vec::new(),
        ranks: mesh.0 * mesh.1,
        costs: costs.to_owned(),
        memory_bytes: MEMORY_BYTES,
        max_cycles: None,
        checkpoint: None,
    };
    let report = run_executed(&elaborate(&spec)?, &request, watch)?;
    cases_of(&report, mesh)
}

/// A line of each rank for each case; the last rank's counts.
fn cases_of(report: &ProgramReport, mesh: (u32, u32)) -> Result<Vec<ExecutedCase>, Error> {
    let mut longest: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for line in report
        .ranks
        .iter()
        .flat_map(|rank| rank.console.iter().flat_map(|text| text.lines()))
    {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, bytes, cycles] = words[..] else {
            return Err(unreadable(line));
        };
        let (Ok(bytes), Ok(cycles)) = (bytes.parse(), cycles.parse::<u64>()) else {
            return Err(unreadable(line));
        };
        let slot = longest.entry((name.to_owned(), bytes)).or_default();
        *slot = cycles.max(*slot);
    }
    let case = |((function, bytes), cycles)| ExecutedCase {
        mesh,
        function,
        bytes,
        cycles,
        is_fitted: FITTED.contains(&mesh) && FITTED_BYTES.contains(&bytes),
    };
    Ok(longest.into_iter().map(case).collect())
}

fn unreadable(line: &str) -> Error {
    let accepted = "accepted: a function, bytes and cycles";
    Error::argument("programs/calibrate/collectives.c", line, accepted)
}
