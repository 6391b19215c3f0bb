// SPDX-License-Identifier: Apache-2.0
//! S4's claim 16: cycles in which words wait for a link, by collective and reading.

use super::collectives::{ALL_TO_ALL, BARRIER, BROADCAST, REDUCE};
use super::machine::{Layer, PACKET, SIDES, observe, schedule};
use crate::outcome::Outcomes;
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::route_writes;
use noccl_studies::Error;
use noccl_workload::{CheckError, CollectiveKind, check};
use rayon::prelude::*;

/// Id, collective, bytes, algorithm.
const READINGS: [(&str, CollectiveKind, u64, &str); 6] = [
    (
        "16-alltoall-blocked",
        ALL_TO_ALL.kind,
        PACKET,
        "rounds:split",
    ),
    ("16-broadcast", BROADCAST.kind, PACKET, "in_network_static"),
    ("16-barrier", BARRIER.kind, 0, "tree:neighbour"),
    ("16-barrier-ternary", BARRIER.kind, 0, "tree:ternary"),
    ("16-reduce", REDUCE.kind, PACKET, "row_column:direct"),
    ("16-reduce-chain", REDUCE.kind, PACKET, "row_column:chain"),
];

pub(super) fn claims(tally: &Tally<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, kind, bytes, algorithm) in READINGS {
        let at = |side: &u16| blocked(tally, *side, (kind, bytes, algorithm), true);
        let found: Result<Vec<u64>, Error> = SIDES.par_iter().map(at).collect();
        put(id, &found?, out);
    }
    for (id, algorithm) in [
        ("16-alltoall", "rounds:split"),
        ("16-alltoall-literal", "rounds:literal"),
    ] {
        shared_links(id, algorithm, out)?;
    }
    // As S4 runs it: nothing keeps the rounds apart.
    let at = |side: &u16| {
        blocked(
            tally,
            *side,
            (ALL_TO_ALL.kind, PACKET, "rounds:split"),
            false,
        )
    };
    let found: Result<Vec<u64>, Error> = SIDES.par_iter().map(at).collect();
    put("16-alltoall-drifting", &found?, out);
    Ok(())
}

/// Squares on which the checker proves that messages of a round share no link.
fn shared_links(id: &str, algorithm: &str, out: &mut Outcomes) -> Result<(), Error> {
    let (mut proved, mut first) = (0_usize, String::new());
    for side in SIDES {
        let network = Layer::Polling.square(side)?;
        let mut rounds = schedule(&network, ALL_TO_ALL.kind, PACKET, algorithm)?;
        rounds.claims_rounds = true;
        match check::check(&network, &rounds) {
            Ok(_) => proved += 1,
            Err(found @ CheckError::Rounds(_)) if first.is_empty() => {
                first = format!("first on {side}×{side}: {found}");
            }
            Err(CheckError::Rounds(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    out.put(id, proved as f64, &first);
    Ok(())
}

fn put(id: &str, blocked: &[u64], out: &mut Outcomes) {
    let words = blocked.iter().zip(SIDES);
    let words: Vec<String> = words
        .map(|(cycles, side)| format!("{cycles} on {side}×{side}"))
        .collect();
    let sum: u64 = blocked.iter().sum();
    out.put(
        id,
        sum as f64,
        &format!("blocked cycles: {}", words.join(", ")),
    );
}

/// Blocked cycles of one collective on a square, over all links between routers.
fn blocked(
    tally: &Tally<'_>,
    side: u16,
    (kind, bytes, algorithm): (CollectiveKind, u64, &str),
    is_lock_step: bool,
) -> Result<u64, Error> {
    let network = Layer::Polling.square(side)?;
    let schedule = schedule(&network, kind, bytes, algorithm)?;
    let result = observe(tally, &network, &schedule, is_lock_step)?;
    result.blocked_link_cycles.ok_or_else(|| {
        let accepted = "accepted: a run that counts the cycles in which links are blocked";
        Error::argument("blocked_link_cycles", "none", accepted)
    })
}

/// Claim 23: routes that cores write for a broadcast, per task.
pub(super) fn routes(tally: &Tally<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let mut writes = Vec::new();
    for side in SIDES {
        let network = Layer::Polling.square(side)?;
        let sent = schedule(&network, BROADCAST.kind, PACKET, BROADCAST.ours)?;
        let config = RunConfig::new(Mode::Timing);
        let count = tally.run(|on| route_writes(&network, &sent, &config, on))?;
        writes.push((side, count));
    }
    let per_task = writes
        .iter()
        .map(|(side, writes)| *writes as f64 / f64::from(side * side));
    let most = per_task.fold(0.0, f64::max);
    let words = writes
        .iter()
        .map(|(side, writes)| format!("{writes} on {side}×{side}"));
    let words: Vec<String> = words.collect();
    out.put(
        "23-routes",
        most,
        &format!("routes written: {}", words.join(", ")),
    );
    Ok(())
}
