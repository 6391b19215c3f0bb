// SPDX-License-Identifier: Apache-2.0
//! The best schedules before the checker, and in a run with real bytes.

use crate::compare::{Case, runtime_cycles};
use crate::{Error, Verified};
use noccl_net::Network;
use noccl_run::{MemoryImage, Mode, RunConfig, energy_pj};
use noccl_sim::run_schedule;
use noccl_synth::{Candidate, Found, Problem};
use noccl_workload::{Place, Schedule, check, interpret};

/// A schedule that is proved, with what its run says.
pub(super) struct Judged {
    pub(super) schedule: Schedule,
    pub(super) method: String,
    pub(super) cycles: u64,
    pub(super) energy_pj: f64,
    pub(super) verified: Verified,
}

/// The first of the best that is proved and delivers the right bytes.
pub(super) fn judge(
    network: &Network,
    problem: &Problem<'_>,
    found: &Found,
    seed: u64,
) -> Result<Judged, Error> {
    let mut refusal = None;
    for candidate in &found.best {
        match judge_one(network, problem, candidate, seed) {
            Ok(judged) if judged.verified.is_yes() => return Ok(judged),
            Ok(judged) => {
                let accepted =
                    "found, but its run delivers other bytes: a defect; please report it";
                refusal = Some(Error::argument("schedule", judged.method, accepted));
            }
            Err(error) => refusal = Some(error),
        }
    }
    Err(refusal.unwrap_or_else(|| {
        let accepted = "accepted: a payload and group that the network can do";
        Error::argument("collective", "no schedule", accepted)
    }))
}

fn judge_one(
    network: &Network,
    problem: &Problem<'_>,
    candidate: &Candidate,
    seed: u64,
) -> Result<Judged, Error> {
    let schedule = &candidate.schedule;
    let mut cases = Vec::new();
    for part in problem.parts() {
        cases.push(Case::new(network, &part.collective, seed)?);
    }
    let mut inputs: Vec<MemoryImage> = Vec::new();
    for image in cases.iter().flat_map(|c| &c.inputs) {
        // Groups that share a root in a memory tile share its input.
        let is_known =
            |known: &MemoryImage| known.tile == image.tile && known.offset == image.offset;
        if !inputs.iter().any(is_known) {
            inputs.push(image.clone());
        }
    }
    let outputs: Vec<(Place, u64)> = cases.iter().flat_map(|c| c.outputs.clone()).collect();
    let config = RunConfig::new(Mode::Value);
    let result = run_schedule(network, schedule, &inputs, &outputs, &config, &mut |_| true)?;
    let bytes: Vec<(Place, &[u8])> = inputs
        .iter()
        .map(|image| {
            let place = Place {
                tile: image.tile,
                offset: image.offset,
            };
            (place, image.bytes.as_slice())
        })
        .collect();
    let mut is_right = true;
    let mut first = 0;
    for (case, part) in cases.iter().zip(problem.parts()) {
        let claimed = Schedule {
            collective: Some(part.collective.clone()),
            ..schedule.clone()
        };
        check(network, &claimed)?;
        let memories = interpret(network, &claimed, &bytes)?;
        let wanted = case.outputs.iter();
        let reference: Vec<Option<Vec<u8>>> = wanted
            .map(|(at, bytes)| memories.read(*at, *bytes))
            .collect();
        let got = &result.memory[first..first + case.outputs.len()];
        first += case.outputs.len();
        is_right &= case.judge(&reference, got).is_right;
    }
    let table = network.energy().ok_or_else(|| {
        let accepted = "accepted: clusters behind AXI interfaces, whose events have costs";
        Error::argument("network", network.spec().label(), accepted)
    })?;
    Ok(Judged {
        schedule: schedule.clone(),
        method: candidate.name.clone(),
        cycles: runtime_cycles(Some(schedule), &result.actions),
        energy_pj: energy_pj(&result.counters, table),
        verified: Verified::compared(is_right),
    })
}
