// SPDX-License-Identifier: Apache-2.0
//! Random programs of ranks: messages, collectives and splits in any order that is right by construction, with random times between them.
//!
//! All bytes, the order of messages of each sender, and that nobody leaves a collective too early are compared with what the program
//! alone says.

mod draw;
mod runner;
#[cfg(test)]
mod termination;
mod values;
mod verify;

use super::report::{Completed, Ended};
use crate::Error;
use crate::compare::program_choice;
use draw::{Limits, draw};
use noccl_coll::{Algorithm, Choice, choices_for_programs};
use noccl_net::Network;
use noccl_net::capabilities::Carries;
use noccl_program::{Options, ProgramError, Session};
use noccl_run::{Diagnosis, OnProgress, Rng, RunError};
use noccl_workload::Collective;

/// Most ranks of a program.
const MOST_RANKS: u64 = 64;

/// Does this network run programs?
pub(super) fn refuse(network: &Network) -> Result<(), Error> {
    let opened = Session::new(network, 1, options(network, 0));
    opened.map(|_| ()).map_err(|error| {
        let accepted = format!("{error}; accepted: a network that runs programs of ranks");
        Error::argument("--only", "program", accepted)
    })
}

/// Steps of a seed's program, and how it ended.
pub(super) fn run(
    network: &Network,
    (seed, most_steps): (u64, u32),
    on_progress: OnProgress<'_>,
) -> Result<(u64, Ended), RunError> {
    let plan = draw(seed, limits(network, most_steps));
    let ranks = plan.calls.len() as u32;
    let seen = Session::new(network, ranks, options(network, seed))
        .and_then(|mut session| runner::run(&mut session, &plan, on_progress));
    // 0: only cores that read words one by one are ahead of those that hear of them.
    let word_cycles = (network.cores()).map_or(0, |tiles| u64::from(tiles.core.word_cycles));
    let ended = match seen {
        Ok(seen) => Ok(Completed {
            cycles: seen.cycles,
            faults: verify::faults(&plan, &seen, word_cycles),
            ..Completed::default()
        }),
        Err(ProgramError::Stuck { cycle, waits }) => Err(Box::new(Diagnosis {
            cycle,
            last_progress_cycle: cycle,
            summary: format!("no rank can go on:\n{waits}\n"),
            waits: Vec::new(),
        })),
        Err(ProgramError::Run(RunError::Stall(diagnosis))) => Err(diagnosis),
        Err(ProgramError::Run(error)) => return Err(error),
        Err(other) => Ok(Completed {
            faults: vec![other.to_string()],
            ..Completed::default()
        }),
    };
    Ok((plan.num_steps(), ended))
}

fn limits(network: &Network, most_steps: u32) -> Limits {
    let tiles = u64::from(network.cluster_width()) * u64::from(network.cluster_height());
    let routers = network.routers();
    Limits {
        most_ranks: tiles.min(MOST_RANKS) as u32,
        most_steps,
        // The multicasts that end a barrier of other groups may wait for each other in a circle, or it would need atomics.
        is_any_group: routers.is_deadlock_free && routers.carries != Carries::Messages,
    }
}

/// Collectives by algorithms that the seed draws, the same for equal calls, or in a quarter of the seeds by those that programs have.
fn options(network: &Network, seed: u64) -> Options<'_> {
    let is_free = network.routers().is_deadlock_free;
    let is_usual = is_free && Rng::new(seed, "stress algorithm").one_in(4);
    let mut config = super::config(seed);
    // Where transactions of several tiles can wait for each other, programs are right only by the course that they take; and on routers
    // with bypass a run whose actions are stated while it goes on does not survive stalls.
    if !is_free || network.routers().carries == Carries::Messages {
        config.stalls = None;
    }
    Options {
        config,
        choose: Box::new(move |network, collective| {
            let usual = is_usual.then(|| program_choice(network, collective, None));
            match usual {
                // The model by which `auto` chooses does not have all cores.
                Some(Ok(choice)) => Ok(choice),
                Some(Err(_)) | None => drawn(network, collective, seed),
            }
        }),
    }
}

fn drawn(network: &Network, collective: &Collective, seed: u64) -> Result<Choice, String> {
    let mut all = choices_for_programs(network, collective);
    let has_atomics = network.routers().carries != Carries::Messages;
    all.retain(|choice| has_atomics || choice.algorithm != Algorithm::Counter);
    if all.is_empty() {
        return Err("no algorithm".to_owned());
    }
    let name = collective.kind.to_string();
    let mut rng = Rng::new(seed ^ collective.bytes << 32, &name);
    Ok(*rng.pick(&all))
}
