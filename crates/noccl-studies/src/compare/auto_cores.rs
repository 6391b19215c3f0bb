// SPDX-License-Identifier: Apache-2.0
//! `auto` on core tiles: the model looks at all choices, and short runs decide between the best of them.
//!
//! Which algorithm is fastest there depends on how often cores wait for each other, which no closed form says. The model walks over the
//! messages of every choice, and is exact but for exchanges at full links; so of an all-to-all the nearest choices are run, and a planned one
//! too. All this is bounded, so that large meshes take seconds: exchanges of many words are looked at with
//! shorter blocks, choices of too many messages are left out, and if all are, a rule decides. What was done is said with the choice.

use super::auto::Picked;
use super::runtime_cycles;
use crate::{Error, format_bytes};
use noccl_coll::{Algorithm, Choice, CollError, collectives_on_cores, offered};
use noccl_model::{Constants, predict_with};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig};
use noccl_sim::run_schedule;
use noccl_workload::{Collective, CollectiveKind, Schedule, check};
use rayon::prelude::*;

/// Messages and units that the model still looks at: of an exchange, of another choice.
const MOST_EXCHANGED: u64 = 100_000;
const MOST_MESSAGES: u64 = 600_000;
const MOST_UNITS: u64 = 1_000_000;
/// Among more ranks chains, and lines whose members send to one end, are not looked at.
const MOST_IN_LINE: u64 = 1024;
/// Choices so near the least prediction are run: of exchanges, and of what the model knows better.
const NEAR_EXCHANGE: f64 = 1.15;
const NEAR: f64 = 1.03;
/// At most so many; with so many words over links together, or two besides a planned one of so many.
const MOST_RUNS: usize = 4;
const MOST_FLIT_HOPS: u64 = 12_000_000;
/// A planned exchange of longer blocks is not run with shorter ones: the longer the blocks, the more it loses.
const PLANNED_UNITS: u64 = 8;

/// A choice with what the model says of it.
struct Predicted {
    choice: Choice,
    schedule: Schedule,
    cycles: f64,
    flit_hops: u64,
}

/// The choice for a collective; `has_runs`: may the simulator decide?
pub(super) fn pick(
    network: &Network,
    collective: &Collective,
    has_runs: bool,
) -> Result<Picked, Error> {
    let num_members = network.members(&collective.group)?.len() as u64;
    let (few, many): (Vec<Choice>, Vec<Choice>) = offered(network, collective)
        .into_iter()
        .partition(|choice| is_small(network, collective, *choice, num_members));
    let looked_at = shortened(network, collective, num_members * num_members, MOST_UNITS);
    let known = predict_all(network, &looked_at, &few)?;
    if known.is_empty() {
        return by_rule(network, collective, &many);
    }
    let of = match many.len() {
        0 => format!("{} choices", known.len()),
        left => format!(
            "{} choices; {left} of too many messages left out",
            known.len()
        ),
    };
    let units = collective.bytes.div_ceil(unit_bytes(network));
    let (near, is_whole) = match has_runs {
        true => near(&known, collective.kind, units),
        false => (Vec::new(), true),
    };
    let total: u64 = near.iter().map(|one| one.flit_hops).sum();
    let run = match is_whole {
        true => Some(looked_at.clone()),
        false => with_flit_hops(network, &looked_at, total),
    };
    let (Some(run), true) = (run, near.len() > 1) else {
        let by = format!("the model{}, of {of}", in_place_of(&looked_at, collective));
        let choice = known[0].choice;
        return Ok(Picked { choice, by });
    };
    let choice = fastest(network, &near, &run, run.bytes == looked_at.bytes)?;
    let num = near.len();
    let by = format!("runs of {num}{}, of {of}", in_place_of(&run, collective));
    Ok(Picked { choice, by })
}

/// Says that blocks were shorter.
fn in_place_of(looked_at: &Collective, collective: &Collective) -> String {
    if looked_at.bytes == collective.bytes {
        return String::new();
    }
    let (short, long) = (looked_at.bytes, collective.bytes);
    format!(
        " with {} in place of {}",
        format_bytes(short),
        format_bytes(long)
    )
}

/// The choices that can do this, the fastest first.
fn predict_all(
    network: &Network,
    collective: &Collective,
    choices: &[Choice],
) -> Result<Vec<Predicted>, Error> {
    let mut known: Vec<Predicted> = choices
        .par_iter()
        .filter_map(|choice| predicted(network, collective, *choice).transpose())
        .collect::<Result<_, Error>>()?;
    known.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
    Ok(known)
}

/// What the model says of a choice; nothing if it cannot do this group or size.
fn predicted(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Option<Predicted>, Error> {
    let Ok(schedule) = noccl_coll::schedule(network, collective, choice) else {
        return Ok(None);
    };
    let prediction = predict_with(network, &schedule, &Constants::default())?;
    Ok(Some(Predicted {
        choice,
        schedule,
        cycles: prediction.cycles,
        flit_hops: prediction.counters.flit_hops,
    }))
}

/// Choices that are run, those near the first and of exchanges the planned one; and whether they are run as they are.
fn near(known: &[Predicted], kind: CollectiveKind, units: u64) -> (Vec<&Predicted>, bool) {
    let is_exchange = kind == CollectiveKind::AllToAll;
    let factor = if is_exchange { NEAR_EXCHANGE } else { NEAR };
    let most = known[0].cycles * factor;
    let is_planned = |one: &Predicted| one.choice.algorithm.is_planned();
    let near = known
        .iter()
        .filter(|one| one.cycles <= most && !is_planned(one));
    let mut near: Vec<&Predicted> = near.take(MOST_RUNS).collect();
    let planned = known.iter().find(|one| is_planned(one));
    let is_short = planned.is_some_and(|one| one.flit_hops <= MOST_FLIT_HOPS);
    if let Some(planned) = planned.filter(|_| is_short || units <= PLANNED_UNITS) {
        let total: u64 = near.iter().map(|one| one.flit_hops).sum();
        if total + planned.flit_hops > MOST_FLIT_HOPS {
            near.truncate(2);
        }
        near.push(planned);
    }
    let total: u64 = near.iter().map(|one| one.flit_hops).sum();
    (near, is_short || total <= MOST_FLIT_HOPS)
}

/// The collective of a run: the same, or if so many words over links are too many, with shorter blocks where it has some. `None` if that
/// would be too long too.
fn with_flit_hops(
    network: &Network,
    collective: &Collective,
    flit_hops: u64,
) -> Option<Collective> {
    if flit_hops <= MOST_FLIT_HOPS {
        return Some(collective.clone());
    }
    let units = collective.bytes.div_ceil(unit_bytes(network)).max(1);
    let short = shortened(network, collective, flit_hops / units, MOST_FLIT_HOPS);
    let is_short = short.bytes < collective.bytes && flit_hops / units <= 2 * MOST_FLIT_HOPS;
    is_short.then_some(short)
}

/// An exchange with blocks so short that they have, at `per_unit` for each unit of a block, no more than `most`; others as they are.
fn shortened(network: &Network, collective: &Collective, per_unit: u64, most: u64) -> Collective {
    let mut short = collective.clone();
    if collective.kind == CollectiveKind::AllToAll && collective.lengths.is_none() {
        let units = (most / per_unit.max(1)).max(1);
        short.bytes = short.bytes.min(units * unit_bytes(network));
    }
    short
}

fn unit_bytes(network: &Network) -> u64 {
    network
        .cores()
        .map_or(1, |tiles| tiles.core.unit_bytes.max(1).into())
}

/// The fastest in a run; the first of them if several are as fast.
fn fastest(
    network: &Network,
    near: &[&Predicted],
    collective: &Collective,
    is_as_predicted: bool,
) -> Result<Choice, Error> {
    let config = RunConfig::new(Mode::Timing);
    let cycles = |one: &&Predicted| {
        let other = match is_as_predicted {
            true => None,
            false => Some(noccl_coll::schedule(network, collective, one.choice)?),
        };
        let schedule = other.as_ref().unwrap_or(&one.schedule);
        check(network, schedule)?;
        let result = run_schedule(network, schedule, &[], &[], &config, &mut |_| true)?;
        Ok::<u64, Error>(runtime_cycles(Some(schedule), &result.actions))
    };
    let all: Vec<u64> = near.par_iter().map(cycles).collect::<Result<_, Error>>()?;
    let best = all.iter().zip(near).min_by_key(|(cycles, _)| **cycles);
    Ok(best.map_or(near[0].choice, |(_, one)| one.choice))
}

/// Has a choice few enough messages for the model? Exchanges of many units are looked at with shorter blocks.
fn is_small(network: &Network, collective: &Collective, choice: Choice, members: u64) -> bool {
    let others = members.saturating_sub(1);
    let units = collective.bytes.div_ceil(unit_bytes(network)).max(1);
    let is_line = choice.is_line();
    if collective.kind == CollectiveKind::AllToAll {
        return members * others <= MOST_EXCHANGED;
    }
    let messages = others * units.min(choice.chunks.into());
    let is_looked_at = members <= MOST_IN_LINE || !is_line;
    let is_short = messages <= MOST_MESSAGES && others * units <= MOST_UNITS;
    !collective.kind.has_payload() || is_looked_at && is_short
}

/// The first of a list that can do it, where every choice has too many messages for the model.
fn by_rule(network: &Network, collective: &Collective, many: &[Choice]) -> Result<Picked, Error> {
    let wanted = Algorithm::for_many_messages().into_iter();
    let wanted = wanted.filter_map(|algorithm| {
        let of = many.iter().filter(|choice| choice.algorithm == algorithm);
        of.copied().max_by_key(|choice| choice.chunks)
    });
    for choice in wanted {
        if noccl_coll::schedule(network, collective, choice).is_ok() {
            let by = format!(
                "a rule, as every choice has more than {MOST_MESSAGES} messages or {MOST_UNITS} units"
            );
            return Ok(Picked { choice, by });
        }
    }
    let kind = collective.kind;
    Err(Error::from(CollError::Impossible(format!(
        "auto: no algorithm of core tiles does this {kind} here; accepted: {}",
        collectives_on_cores()
    ))))
}
