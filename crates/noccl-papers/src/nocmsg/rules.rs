// SPDX-License-Identifier: Apache-2.0
//! S4's claims 24 and 25: collectives without flow control, by drain rule, and what flow control costs.

use super::collectives::{ALL_REDUCE, ALL_TO_ALL, BARRIER, REDUCE};
use super::machine::{LARGEST, Layer, cycles, observe, schedule};
use crate::statistics::Outcomes;
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{RunError, Tally};
use noccl_studies::Error;
use noccl_studies::parts::Runner;
use noccl_workload::number::mix;
use noccl_workload::{Action, ActionId, ActionKind, CollectiveKind, Compute, First, Schedule};
use rayon::prelude::*;

/// Random collectives per drain rule.
const CASES: u64 = 10_000;
/// Largest side of a random rectangle, and most words of data.
const MOST_SIDE: u64 = 4;
const MOST_WORDS: u64 = 256;
/// The latest that a core begins, in cycles.
const MOST_DELAY: u64 = 2_000;

/// Ids and values of `core.drain`.
const RULES: [(&str, &str); 3] = [
    ("24-always", "always"),
    ("24-in-receive", "in_receive"),
    ("24-never", "never"),
];

/// Collectives of random cases, by S4's algorithms and by others.
const ALGORITHMS: [(CollectiveKind, &str); 14] = [
    (CollectiveKind::AllToAll, "rounds"),
    (CollectiveKind::AllToAll, "rounds:literal"),
    (CollectiveKind::AllToAll, "rounds:lag=0"),
    (CollectiveKind::AllToAll, "torus"),
    (CollectiveKind::AllToAll, "pairwise:lag=0"),
    (CollectiveKind::AllToAll, "unicast"),
    (CollectiveKind::Reduce, "row_column:direct"),
    (CollectiveKind::Reduce, "row_column:chain"),
    (CollectiveKind::AllReduce, "row_column:direct"),
    (CollectiveKind::AllReduce, "recursive_doubling"),
    (CollectiveKind::Multicast, "in_network_static"),
    (CollectiveKind::Multicast, "tree"),
    (CollectiveKind::Barrier, "tree:neighbour"),
    (CollectiveKind::Barrier, "dissemination"),
];

/// Claim 24.
pub(super) fn deadlocks(tally: &Tally<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, drain) in RULES {
        let deadlocks = |seed: &u64| is_deadlocked(tally, drain, *seed);
        let seeds: Vec<u64> = (0..CASES).collect();
        let found: Result<Vec<bool>, Error> = seeds.par_iter().map(deadlocks).collect();
        let found = found?;
        let count = found.iter().filter(|is_deadlocked| **is_deadlocked).count();
        let first = found.iter().position(|is_deadlocked| *is_deadlocked);
        let case = first.map_or(Ok(String::new()), |seed| {
            words(drain, seed as u64).map(|case| format!("; the first: {case}"))
        })?;
        let detail = format!("of {CASES} random collectives{case}");
        out.put(id, count as f64, &detail);
    }
    Ok(())
}

/// A random case: a rectangle, a collective of it, and cores that begin late.
struct RandomCase {
    network: Network,
    schedule: Schedule,
    words: String,
}

impl RandomCase {
    fn new(drain: &str, seed: u64) -> Result<Self, Error> {
        let mut state = mix(seed);
        let mut next = |below: u64| {
            state = mix(state);
            state % below
        };
        let (columns, rows) = (2 + next(MOST_SIDE - 1), 1 + next(MOST_SIDE));
        let (kind, algorithm) = ALGORITHMS[next(ALGORITHMS.len() as u64) as usize];
        let bytes = 4 * (1 + next(MOST_WORDS));
        let size = (columns as u16, rows as u16);
        let network = Layer::Polling.mesh(size, &[("core.drain", drain)])?;
        let mut schedule = schedule(&network, kind, bytes, algorithm)?;
        if kind == CollectiveKind::AllToAll {
            schedule.first = Some([First::Receive, First::Send][next(2) as usize]);
        }
        let late = (0..size.0).flat_map(|x| (0..size.1).map(move |y| Coord::new(x, y)));
        let late: Vec<(Coord, u64)> = late.map(|at| (at, next(MOST_DELAY))).collect();
        let words = format!("{columns}×{rows}, {kind} by {algorithm}, {bytes} bytes");
        Ok(Self {
            network,
            schedule: delayed(schedule, &late),
            words,
        })
    }
}

/// The schedule with cores that compute first.
fn delayed(schedule: Schedule, late: &[(Coord, u64)]) -> Schedule {
    let shift = late.len() as u32;
    let first = late.iter().map(|(at, cycles)| Action {
        kind: ActionKind::Compute(Compute {
            tile: TileRef::Cluster(*at),
            cycles: *cycles,
        }),
        after: Vec::new(),
    });
    let then = schedule.actions.into_iter().map(|action| Action {
        kind: action.kind,
        after: action
            .after
            .iter()
            .map(|id| ActionId(id.0 + shift))
            .collect(),
    });
    Schedule {
        actions: first.chain(then).collect(),
        collective: None,
        claims_rounds: false,
        ..schedule
    }
}

fn words(drain: &str, seed: u64) -> Result<String, Error> {
    Ok(RandomCase::new(drain, seed)?.words)
}

/// Does a random case come to a standstill?
fn is_deadlocked(tally: &Tally<'_>, drain: &str, seed: u64) -> Result<bool, Error> {
    let case = RandomCase::new(drain, seed)?;
    match observe(tally, &case.network, &case.schedule, false) {
        Ok(_) => Ok(false),
        Err(Error::Run(RunError::Stall(_))) => Ok(true),
        Err(other) => Err(other),
    }
}

/// Claim 25: time with acknowledgements over that without, on 7×7.
pub(super) fn flow_control(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let size = (LARGEST, LARGEST);
    let off = Layer::Polling.mesh(size, &[("core.flow_control", "none")])?;
    let on = Layer::Polling.mesh(size, &[("core.flow_control", "ready_ack")])?;
    let (mut least, mut words) = (f64::INFINITY, Vec::new());
    for case in [ALL_TO_ALL, BARRIER, REDUCE, ALL_REDUCE] {
        let at = |network| cycles(runner, network, case.kind, case.bytes, case.ours);
        let (without, with) = (at(&off)?, at(&on)?);
        least = f64::min(least, with as f64 / without as f64);
        words.push(format!("{} {without} cycles, with it {with}", case.name));
    }
    out.put("25-off", least, &words.join("; "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::machine::quietly;
    use super::*;

    /// All of them, and more: `noccl-papers nocmsg`.
    #[test]
    fn random_collectives_end_if_cores_drain_and_some_deadlock_if_they_do_not() {
        quietly(|runner| {
            let count = |drain: &str| {
                let deadlocks = |seed: &u64| is_deadlocked(runner.tally, drain, *seed).unwrap();
                (0..200).filter(deadlocks).count()
            };
            assert_eq!(count("always"), 0);
            assert!(count("never") > 0);
        });
    }
}
