// SPDX-License-Identifier: Apache-2.0
//! Constants of the model from simulator runs.

use super::grid::{GridPoint, paper_grid};
use crate::{Error, Watch};
use noccl_files::{MAX_TOML_BYTES, read_bounded};
use noccl_model::{CALIBRATION_FORMAT, Calibration, calibration_runs, conditions, fit, held_out};
use noccl_net::capabilities::Reduces;
use noccl_net::{Network, elaborate};
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::run_schedule;
use noccl_spec::WideReductionKind;
use noccl_workload::Schedule;
use rayon::prelude::*;
use std::path::Path;

/// Fits the model's constants to this network and checks them on the paper's grid, which the fit does not see.
///
/// `command` is what the user typed; it is kept in the file.
///
/// # Errors
/// [`Error::Model`] for a network of published routers or one that is too small, or runs that do not determine a constant.
///
/// ```
/// let network = noccl_studies::load("collective_noc_4x4", &[])?.network;
/// let calibration = noccl_studies::calibrate(&network, "an example", noccl_studies::Watch::quiet())?;
/// assert!(calibration.held_out.max_error < 0.05);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn calibrate(network: &Network, command: &str, watch: Watch<'_>) -> Result<Calibration, Error> {
    check_routers(network)?;
    let measured_on = telling(network)?;
    let runs = calibration_runs(&measured_on)?;
    let grid = paper_grid(network)?;
    let tally = Tally::new(watch, (runs.len() + grid.len()) as u64);
    let measured: Vec<u64> = runs
        .par_iter()
        .map(|run| simulated_cycles(&measured_on, &run.schedule, &tally))
        .collect::<Result<_, _>>()?;
    let (constants, fitted) = fit(&runs, &measured)?;
    let others: Vec<(String, f64, u64)> = grid
        .par_iter()
        .map(|point: &GridPoint| {
            let predicted = noccl_model::predict_with(network, &point.schedule, &constants)?;
            let simulated = simulated_cycles(network, &point.schedule, &tally)?;
            Ok((point.name.clone(), predicted.cycles, simulated))
        })
        .collect::<Result<_, Error>>()?;
    Ok(Calibration {
        format: CALIBRATION_FORMAT,
        command: command.to_owned(),
        network: network.spec().label(),
        conditions: conditions(network.spec()),
        constants,
        runs: fitted,
        held_out: held_out(&others)?,
    })
}

/// Only routers that reduce and multicast over any set, over links, tell all constants apart.
fn check_routers(network: &Network) -> Result<(), Error> {
    match network.routers().reduces {
        Reduces::AllInputs if network.routers().has_links => Ok(()),
        Reduces::AllInputs | Reduces::TwoInputs | Reduces::Nothing => {
            let flow = network.spec().flow_name().to_owned();
            Err(noccl_model::ModelError::OtherRouters { flow }.into())
        }
    }
}

/// The network on which cut and addition can be told apart: in units of two operands each addition is a pass with a cut of its
/// own, so that runs show their sum only. The constants are those of the parts, which both kinds of units have.
fn telling(network: &Network) -> Result<Network, Error> {
    let mut spec = network.spec().clone();
    if network.routers().reduces == Reduces::AllInputs
        && let Some(axi) = spec.axi_mut()
    {
        axi.router.wide_reduction.kind = WideReductionKind::ThreeOperand;
    }
    Ok(elaborate(&spec)?)
}

/// Cycles of a schedule in timing mode, as `compare` counts them; proved by the checker first.
pub(super) fn simulated_cycles(
    network: &Network,
    schedule: &Schedule,
    tally: &Tally<'_>,
) -> Result<u64, Error> {
    noccl_workload::check(network, schedule)?;
    let config = RunConfig::new(Mode::Timing);
    let result =
        tally.run(|on_progress| run_schedule(network, schedule, &[], &[], &config, on_progress))?;
    tally.finish_unit()?;
    Ok(crate::compare::runtime_cycles(
        Some(schedule),
        &result.actions,
    ))
}

/// Reads a calibration file.
///
/// # Errors
/// [`Error::File`], or [`Error::Model`] with what the reader saw.
pub fn read_calibration(path: &Path) -> Result<Calibration, Error> {
    let text = read_bounded(path, MAX_TOML_BYTES)?;
    Ok(Calibration::read(&path.display().to_string(), &text)?)
}

/// The text of a calibration file.
///
/// # Errors
/// [`Error::Model`] if a value has no form in TOML.
pub fn calibration_text(calibration: &Calibration) -> Result<String, Error> {
    let head =
        "# SPDX-License-Identifier: Apache-2.0\n# Written by `noccl calibrate`; never by hand.\n";
    Ok(head.to_owned() + &calibration.to_toml()?)
}
