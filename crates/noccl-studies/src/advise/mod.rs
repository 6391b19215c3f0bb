// SPDX-License-Identifier: Apache-2.0
//! Is hardware for collectives worth it? A workload by every mechanism on one mesh: time, energy, area, path, and a conclusion.
//!
//! A workload is arithmetic over single collectives: their cycles times their counts, and the computation between them, of which nothing is
//! hidden. Each collective is run as `noccl compare` runs it, by the fastest algorithm that the mechanism has hardware for.

mod calls;
mod conclusion;
mod evaluate;
mod mechanism;
mod recorded;
mod report;
mod synthesis;
mod workload;

pub use evaluate::AdviceSimulation;
pub use mechanism::Mechanism;
pub use recorded::{program_preset, read_workload_on};
pub use report::{
    Advice, AdviceConclusion, AdviceEvidence, AdviceLeftOut, AdvicePart, AdviceRow, DeadlockFreedom,
};
pub use synthesis::{AdviceArea, AdvicePath};
pub use workload::{
    AdviceStep, AdviceWorkload, WORKLOAD_FORMAT, WORKLOAD_NAMES, parse_workload, read_workload,
    workload_text, workload_toml,
};

use crate::compare::Expectation;
use crate::{CompareRequest, Error, Verified, Watch, word};
use calls::{WorkloadCall, calls, compute_us};
use evaluate::{Chosen, Evaluated, Evaluator};
use noccl_net::Network;
use noccl_workload::Operator;
use workload::Called;

/// Most columns and rows: those of the smallest family of presets.
const MAX_SIDE: u32 = 64;
/// Estimates are off by half at most where their error is known: what is estimated slower than this many times the fastest cannot win.
const CAN_WIN: f64 = 1.5;
/// Cycles of 1 GHz in a microsecond.
const CYCLES_PER_US: f64 = 1e3;
const PJ_PER_UJ: f64 = 1e6;
/// The algorithm of a command where none was looked for.
const AUTO: &str = "auto";

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct AdviceRequest {
    /// Columns and rows of clusters.
    pub mesh: (u32, u32),
    /// What runs on them.
    pub workload: AdviceWorkload,
    /// How much is simulated.
    pub simulation: AdviceSimulation,
}

/// Compares mechanisms for a workload.
///
/// # Errors
/// [`Error::Argument`] for a mesh that the presets do not have or a group that is not on it; if nothing of the library does one of the
/// collectives; when interrupted.
///
/// ```
/// use noccl_studies::{AdviceRequest, AdviceSimulation, Watch, advise, read_workload};
/// let request = AdviceRequest {
///     mesh: (2, 2),
///     workload: read_workload("llama3-8b-decode")?,
///     simulation: AdviceSimulation::Winners,
/// };
/// let advice = advise(&request, Watch::quiet())?;
/// assert!(advice.rows.len() > 6 && advice.rows[0].speedup == 1.0);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn advise(request: &AdviceRequest, watch: Watch<'_>) -> Result<Advice, Error> {
    check_mesh(request.mesh)?;
    let num_steps = request.workload.step.len();
    let num_units = (Mechanism::ALL.len() * num_steps) as u64;
    let mut evaluator = Evaluator::new(request.mesh, num_units, watch)?;
    let calls = calls(&request.workload, evaluator.network(Mechanism::Software)?)?;
    let mesh = [request.mesh.0, request.mesh.1];
    let num_clusters = u64::from(mesh[0]) * u64::from(mesh[1]);
    let computed_us = compute_us(&request.workload, num_clusters);
    let (mut evaluated, left_out) = evaluate_all(&mut evaluator, &calls, request.simulation)?;
    if request.simulation == AdviceSimulation::Winners {
        simulate_winners(&mut evaluator, &calls, &mut evaluated)?;
    }
    let mut rows = Vec::new();
    for (mechanism, of_calls) in &evaluated {
        rows.push(row(
            &mut evaluator,
            *mechanism,
            &calls,
            of_calls,
            computed_us,
        )?);
    }
    if rows.first().map(|row| row.mechanism) != Some(Mechanism::Software) {
        let reason = left_out.first().map_or("", |one| one.reason.as_str());
        let accepted = format!("software alone cannot do it: {reason}");
        return Err(Error::argument(
            "--workload",
            &request.workload.name,
            accepted,
        ));
    }
    fill_speedups(&mut rows);
    let has_runs = request.simulation != AdviceSimulation::None;
    let conclusion = conclusion::conclusion(
        &mut evaluator,
        &rows,
        &calls,
        &evaluated,
        (computed_us, has_runs),
    )?;
    Ok(Advice {
        workload: request.workload.name.clone(),
        about: request.workload.about.clone(),
        source: request.workload.source.clone(),
        mesh,
        compute_us: computed_us,
        rows,
        left_out,
        conclusion,
    })
}

fn check_mesh((columns, rows): (u32, u32)) -> Result<(), Error> {
    let sides = 1..=MAX_SIDE;
    if sides.contains(&columns) && sides.contains(&rows) && columns * rows > 1 {
        return Ok(());
    }
    let accepted = format!("accepted: 1 to {MAX_SIDE} columns and rows, two clusters at least");
    Err(Error::argument(
        "--mesh",
        format!("{columns}x{rows}"),
        accepted,
    ))
}

/// What is known of all calls, by mechanism.
type OfMechanisms = Vec<(Mechanism, Vec<Evaluated>)>;

/// All calls with all mechanisms, and what some of them cannot do.
fn evaluate_all(
    evaluator: &mut Evaluator<'_>,
    calls: &[WorkloadCall],
    simulation: AdviceSimulation,
) -> Result<(OfMechanisms, Vec<AdviceLeftOut>), Error> {
    let (mut evaluated, mut left_out) = (OfMechanisms::new(), Vec::new());
    let mut least_us = f64::INFINITY;
    for mechanism in Mechanism::ALL {
        if simulation == AdviceSimulation::Winners
            && let Some(bounds) = beaten(evaluator, mechanism, calls, least_us)?
        {
            evaluated.push((mechanism, bounds));
            continue;
        }
        match whole(evaluator, mechanism, calls, simulation, true)? {
            Ok(of_calls) => {
                let clock_ghz = evaluator.network(mechanism)?.spec().clock_ghz;
                let time = collectives_us(calls, &of_calls, clock_ghz);
                let is_firm = evidence(&of_calls) == AdviceEvidence::Simulated;
                least_us = least_us.min(if is_firm { time } else { CAN_WIN * time });
                evaluated.push((mechanism, of_calls));
            }
            Err(reason) => left_out.push(AdviceLeftOut { mechanism, reason }),
        }
    }
    Ok((evaluated, left_out))
}

/// The bounds of a mechanism that cannot win by them: no algorithm has to be looked for.
fn beaten(
    evaluator: &mut Evaluator<'_>,
    mechanism: Mechanism,
    calls: &[WorkloadCall],
    least_us: f64,
) -> Result<Option<Vec<Evaluated>>, Error> {
    let mut of_calls = Vec::new();
    for call in calls {
        of_calls.push(Evaluated {
            chosen: Vec::new(),
            bound_cycles: evaluator.proved_bound(mechanism, call)?,
        });
    }
    let clock_ghz = evaluator.network(mechanism)?.spec().clock_ghz;
    // Where one bound is not known the others say nothing of the whole.
    let is_known = of_calls.iter().all(|one| one.bound_cycles > 0);
    if !is_known || collectives_us(calls, &of_calls, clock_ghz) <= least_us {
        return Ok(None);
    }
    calls.iter().try_for_each(|_| evaluator.finish_unit())?;
    Ok(Some(of_calls))
}

/// The weakest evidence of calls.
fn evidence(of_calls: &[Evaluated]) -> AdviceEvidence {
    let each = of_calls.iter().map(Evaluated::evidence);
    // Without calls there is nothing to doubt.
    each.max().unwrap_or(AdviceEvidence::Simulated)
}

/// All calls with a mechanism; or what it cannot do.
fn whole(
    evaluator: &mut Evaluator<'_>,
    mechanism: Mechanism,
    calls: &[WorkloadCall],
    simulation: AdviceSimulation,
    is_first: bool,
) -> Result<Result<Vec<Evaluated>, String>, Error> {
    let mut out = Vec::new();
    for call in calls {
        let is_simulated = match simulation {
            AdviceSimulation::All => true,
            AdviceSimulation::Winners => !is_first || !evaluator.is_costly(call)?,
            AdviceSimulation::None => false,
        };
        match evaluator.call(mechanism, call, is_simulated)? {
            Ok(one) => out.push(one),
            Err(reason) => return Ok(Err(format!("{}: {reason}", call.name()))),
        }
        if is_first {
            evaluator.finish_unit()?;
        }
    }
    Ok(Ok(out))
}

/// Simulates what was estimated of software, with which all are compared, and of every mechanism that can win.
fn simulate_winners(
    evaluator: &mut Evaluator<'_>,
    calls: &[WorkloadCall],
    evaluated: &mut [(Mechanism, Vec<Evaluated>)],
) -> Result<(), Error> {
    let mut times = Vec::new();
    for (mechanism, of_calls) in evaluated.iter() {
        let clock_ghz = evaluator.network(*mechanism)?.spec().clock_ghz;
        times.push(collectives_us(calls, of_calls, clock_ghz));
    }
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    for ((mechanism, of_calls), time) in evaluated.iter_mut().zip(times) {
        let can_win = *mechanism == Mechanism::Software || time <= CAN_WIN * least;
        if !can_win || evidence(of_calls) != AdviceEvidence::Estimated {
            continue;
        }
        let again = whole(
            evaluator,
            *mechanism,
            calls,
            AdviceSimulation::Winners,
            false,
        )?;
        if let Ok(simulated) = again {
            *of_calls = simulated;
        }
    }
    // What others asked of the same network is known of all.
    for (mechanism, of_calls) in evaluated.iter_mut() {
        if evidence(of_calls) == AdviceEvidence::Estimated
            && let Ok(known) = whole(evaluator, *mechanism, calls, AdviceSimulation::None, false)?
        {
            *of_calls = known;
        }
    }
    Ok(())
}

fn collectives_us(calls: &[WorkloadCall], of_calls: &[Evaluated], clock_ghz: f64) -> f64 {
    total_cycles(calls, of_calls) as f64 / (clock_ghz * CYCLES_PER_US)
}

fn total_cycles(calls: &[WorkloadCall], of_calls: &[Evaluated]) -> u64 {
    let each = calls.iter().zip(of_calls);
    each.map(|(call, one)| call.count * one.cycles()).sum()
}

fn row(
    evaluator: &mut Evaluator<'_>,
    mechanism: Mechanism,
    calls: &[WorkloadCall],
    of_calls: &[Evaluated],
    computed_us: f64,
) -> Result<AdviceRow, Error> {
    let network = evaluator.network(mechanism)?;
    let (name, clock_ghz) = (network.spec().name.clone(), network.spec().clock_ghz);
    let is_free = network.routers().is_deadlock_free && network.capabilities().are_chains_safe();
    let cycles = total_cycles(calls, of_calls);
    let each = || calls.iter().zip(of_calls);
    let bound_cycles = each()
        .map(|(call, one)| call.count * one.bound_cycles)
        .sum();
    let parts: Vec<AdvicePart> = each()
        .flat_map(|(call, one)| match &one.chosen[..] {
            [] => vec![bound_part(network, mechanism, call, one.bound_cycles)],
            chosen => chosen
                .iter()
                .map(|one| Ok(part(network, call, one)))
                .collect(),
        })
        .collect::<Result<_, Error>>()?;
    let energies = parts.iter().map(|part| {
        let energy = part.energy_pj?;
        Some(energy * part.count as f64 / PJ_PER_UJ)
    });
    let (area, path) = synthesis::synthesised(mechanism)?;
    let at = |clock_ghz: f64| cycles as f64 / (clock_ghz * CYCLES_PER_US);
    let time_at_path_us = path
        .as_ref()
        .map(|path| computed_us + at(clock_ghz.min(path.mhz / 1e3)));
    Ok(AdviceRow {
        mechanism,
        network: name,
        clock_ghz,
        energy_uj: energies.sum(),
        parts,
        cycles,
        evidence: evidence(of_calls),
        bound_cycles,
        cycles_over_bound: cycles as f64 / (bound_cycles.max(1)) as f64,
        collectives_us: at(clock_ghz),
        time_us: computed_us + at(clock_ghz),
        time_at_path_us,
        collectives_speedup: 1.0,
        speedup: 1.0,
        area,
        path,
        deadlock_freedom: match is_free {
            true => DeadlockFreedom::AnyTraffic,
            false => DeadlockFreedom::TheseSchedules,
        },
        remark: mechanism.remark().to_owned(),
    })
}

fn fill_speedups(rows: &mut [AdviceRow]) {
    let software = rows.first().map(|row| (row.collectives_us, row.time_us));
    let Some((collectives_us, time_us)) = software else {
        return;
    };
    for row in rows {
        row.collectives_speedup = collectives_us / row.collectives_us;
        row.speedup = time_us / row.time_us;
    }
}

fn part(network: &Network, call: &WorkloadCall, one: &Chosen) -> AdvicePart {
    AdvicePart {
        step: call.step.clone(),
        call: match call.called {
            Called::Halo => call.name(),
            Called::Collective(_) => call.name_as(one.request.collective.name()),
        },
        count: call.count,
        algorithm: one.choice.to_string(),
        cycles: one.row.cycles,
        evidence: match one.expectation {
            None => AdviceEvidence::Simulated,
            Some(_) => AdviceEvidence::Estimated,
        },
        error: one.expectation.map(|by| error_words(by).to_owned()),
        verified: one.row.verified,
        energy_pj: one.row.energy_pj,
        command: command(network, call, &one.request, &one.choice.to_string()),
    }
}

/// A call of which the bound alone is known.
fn bound_part(
    network: &Network,
    mechanism: Mechanism,
    call: &WorkloadCall,
    cycles: u64,
) -> Result<AdvicePart, Error> {
    let request = calls::request(network, call, None, mechanism.element(call.element))?;
    Ok(AdvicePart {
        step: call.step.clone(),
        call: call.name(),
        count: call.count,
        algorithm: AUTO.to_owned(),
        cycles,
        evidence: AdviceEvidence::Bound,
        error: None,
        verified: Verified::NotChecked,
        energy_pj: None,
        command: command(network, call, &request, AUTO),
    })
}

/// What `docs/model.md` says of the error of an estimate.
const fn error_words(by: Expectation) -> &'static str {
    match by {
        Expectation::SharedLinks => "0.0 to 2.5 % in the median, 49 % at most",
        Expectation::Messages => "0 to 0.5 % in the median, 37 % at most",
        Expectation::Rough => "not known on this network",
    }
}

/// The command that simulates a part.
fn command(
    network: &Network,
    call: &WorkloadCall,
    request: &CompareRequest,
    algorithm: &str,
) -> String {
    let mut words = vec![format!(
        "noccl compare {} --spec {}",
        request.collective.name(),
        network.spec().label()
    )];
    let mut put = |option: &str, value: String| words.push(format!("--{option} {value}"));
    if request.definition.is_some() {
        put("definition", definition_file(network));
    }
    if call.group != "all" {
        let is_plain = !call.group.contains([';', ' ']);
        let quote = if is_plain { "" } else { "'" };
        put("group", format!("{quote}{}{quote}", call.group));
    }
    if let Some(root) = request.root {
        put("root", crate::root_name(root));
    }
    if request.lengths.is_some() {
        put("lengths", lengths_file(network, call.bytes));
    } else if request.collective.has_payload() {
        put("bytes", crate::format_bytes(call.bytes).replace(' ', ""));
    }
    if request.collective.reduces() {
        put("element", word(&request.element));
        if request.operator != Operator::Sum {
            put("operator", word(&request.operator));
        }
    }
    put("algorithms", algorithm.to_owned());
    words.join(" ")
}

fn definition_file(network: &Network) -> String {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    format!("halo_{width}x{height}.json")
}

fn lengths_file(network: &Network, bytes: u64) -> String {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    format!("halo_{width}x{height}_{bytes}.json")
}

/// Files that the commands of exchanges with neighbours name: definition and lengths. Empty without such steps.
///
/// # Errors
/// As [`advise()`] of a mesh and its groups.
pub fn advice_files(request: &AdviceRequest) -> Result<Vec<(String, String)>, Error> {
    check_mesh(request.mesh)?;
    let mut evaluator = Evaluator::new(request.mesh, 0, Watch::quiet())?;
    let network = evaluator.network(Mechanism::Software)?;
    let calls = calls(&request.workload, network)?;
    let of_halo = calls.iter().filter(|call| call.called == Called::Halo);
    let mut files = Vec::new();
    for call in of_halo {
        let definition = calls::halo_definition(network);
        files.push((definition_file(network), json(&definition)?));
        let lengths = calls::halo_lengths(network, call.bytes);
        files.push((lengths_file(network, call.bytes), json(&lengths)?));
    }
    files.dedup();
    Ok(files)
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value)
        .map(|text| text + "\n")
        .map_err(|e| {
            Error::File(noccl_files::FileError::Content {
                path: "definition".to_owned(),
                expected: "JSON value",
                reason: e.to_string(),
            })
        })
}
