// SPDX-License-Identifier: Apache-2.0
//! Matrix products on meshes: cycles per iteration, what limits them, and what collectives change.

mod attention;
mod fused;
mod request;
mod row;
mod shapes;
mod values;

pub use attention::{AttentionRequest, AttentionRow, attention};
pub use request::{
    Backend, Backends, Collectives, Communication, FusedRoot, GemmKernel, GemmRequest,
    NamedProblem, Sides, parse_backends, parse_collectives, parse_fused_root, parse_gemm_kernel,
    parse_mesh, parse_submatrix, parse_sync,
};
pub use row::{COMPUTATION_SHARE, GemmBound, GemmRow};
pub use shapes::{PAPER_SHAPE, PROBLEMS, Problem, parse_problem};
pub use values::{GemmValues, gemm_values};

use crate::runs::Session;
use crate::{Error, Verified, load};
use fused::GemmCase;
use fused::Window;
use noccl_coll::gemm::{Spread, Summa, summa};
use noccl_run::{RunResult, Tally, Watch};
use shapes::candidates;
use std::cell::RefCell;
use values::Inputs;

/// One row per mesh, backend and kind of communication; rows of one mesh stand together.
///
/// # Errors
/// [`Error::Argument`], [`Error::Coll`], [`Error::Model`] or [`Error::Run`], saying what would be accepted;
/// [`Error::Checkpoint`] if the runs cannot be saved or gone on with, [`Error::Suspended`].
pub fn gemm(request: &GemmRequest, watch: Watch<'_>) -> Result<Vec<GemmRow>, Error> {
    request.check()?;
    let cases = request.meshes.len() * request.backends.len() * request.collectives.len();
    let tally = Tally::new(watch, cases as u64);
    let session = RefCell::new(Session::<RunResult>::begin(request.checkpoint.as_ref())?);
    let mut rows = Vec::new();
    for (width, height) in &request.meshes {
        let preset = format!("collective_noc_{width}x{height}");
        let loaded = load(&preset, &request.overrides)?.network;
        let network = Error::axi(&loaded, "matrix products")?;
        let first = rows.len();
        for backend in &request.backends {
            let first_of_backend = rows.len();
            for collectives in &request.collectives {
                let case = GemmCase {
                    network,
                    request,
                    backend: *backend,
                    collectives: *collectives,
                    session: &session,
                    tally: &tally,
                };
                if case.is_known() {
                    rows.push(match request.kernel {
                        GemmKernel::Summa => best_row(&case)?,
                        GemmKernel::FusedConcatLinear => fused::best_row(&case)?,
                    });
                }
                match tally.finish_unit() {
                    // The next run ends before its first cycles, and with it all results so far are saved.
                    Err(_) if request.checkpoint.is_some() => {}
                    ended => ended?,
                }
            }
            row::add_speedups(&mut rows[first_of_backend..]);
        }
        row::add_errors(&mut rows[first..]);
        if request.has_line_energy {
            fused::add_line_energy(network, request, &tally, &mut rows[first..])?;
        }
    }
    Ok(rows)
}

/// The fastest of the kinds of communication that a word stands for.
fn best_row(case: &GemmCase<'_>) -> Result<GemmRow, Error> {
    let rows = candidates(&case.network, case.collectives)
        .into_iter()
        .map(|spread| summa_row(case, spread));
    fastest(rows, case.collectives)
}

/// The row with the shortest iteration, the first of them if several are as short.
fn fastest(
    rows: impl Iterator<Item = Result<GemmRow, Error>>,
    collectives: Collectives,
) -> Result<GemmRow, Error> {
    let mut best: Option<GemmRow> = None;
    for row in rows {
        let row = row?;
        if best
            .as_ref()
            .is_none_or(|b| row.iteration_cycles < b.iteration_cycles)
        {
            best = Some(row);
        }
    }
    best.ok_or_else(|| Error::argument("--collectives", collectives.name(), "nothing to run"))
}

fn summa_row(case: &GemmCase<'_>, spread: Spread) -> Result<GemmRow, Error> {
    let GemmCase {
        network, request, ..
    } = *case;
    let window = Window::new(request, spread);
    let cut = match request.problem {
        Some(problem) => Some(problem.cut(network, request.prefetch)?),
        None => None,
    };
    let shape = cut.map_or(request.shape(), |c| c.submatrix);
    let problem = Summa {
        shape,
        iterations: window.iterations(),
        prefetch: request.prefetch,
        spread,
        sync: request.sync_with(spread),
        compute_cycles: shape.compute_cycles(network, request.utilisation())?,
    };
    let mut row = match case.backend {
        Backend::Published | Backend::PublishedWithDistance => row::summa_row(case, &problem),
        Backend::Sim | Backend::Model => scheduled_row(case, &problem, window)?,
    };
    row.conclude(cut);
    Ok(row)
}

/// A row from the cycles of a schedule's actions.
fn scheduled_row(case: &GemmCase<'_>, problem: &Summa, window: Window) -> Result<GemmRow, Error> {
    let GemmCase {
        network, request, ..
    } = *case;
    let plan = summa(network, problem)?;
    let matrices = case
        .has_values()
        .then(|| values::random_inputs(&plan, problem, request.seed));
    let inputs = matrices.as_ref().map(|[a, b]| Inputs { a, b });
    let images = inputs.map_or_else(Vec::new, |i| values::images(&plan, problem, i));
    let outputs = inputs.map_or_else(Vec::new, |_| values::outputs(&network, &plan));
    let timed = case.time(&plan.schedule, &images, &outputs)?;
    let mut row = GemmRow::new(case, problem);
    window.measure(&plan, &timed, &mut row);
    row.add_run(network, &timed, problem.iterations);
    if let Some(inputs) = inputs {
        let is_right = values::product(&network, &plan, problem, inputs) == timed.memory;
        row.verified = Verified::compared(is_right);
    }
    Ok(row)
}
