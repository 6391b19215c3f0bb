// SPDX-License-Identifier: Apache-2.0
//! Explanations where the simulator tells start and end of each action only: routers with bypass, ESP's, core tiles.
//!
//! From the action that ends last the path goes back to the action of one of its tiles, or of its list, that ends last before this one
//! could have begun. Each action of the path is run alone, with its payload and with a few bytes: the first is what it takes when
//! nothing is in its path, the second what of that does not depend on the payload. What it takes longer in the run is waiting.

use super::first_cycle;
use crate::Error;
use noccl_net::Network;
use noccl_net::counts::max_or_zero;
use noccl_run::{ActionTime, Breakdown, Cause, CauseCycles, PathStep, RunConfig, RunResult, Tally};
use noccl_sim::run_schedule;
use noccl_workload::{Action, ActionKind, Place, Schedule, participants};
use std::collections::{BTreeMap, HashMap};

/// Bytes of the shortest payload: a flit or two of any of these networks.
const FEW_BYTES: u64 = 8;

/// Cycles of an action alone on the network.
#[derive(Debug, Clone, Copy)]
struct Alone {
    cycles: u64,
    /// With a few bytes.
    fixed: u64,
}

/// Runs a schedule and says where its cycles go.
pub(super) fn explain(
    network: &Network,
    schedule: &Schedule,
    config: &RunConfig,
    tally: &Tally<'_>,
) -> Result<(RunResult, Breakdown), Error> {
    let run = |schedule: &Schedule| -> Result<RunResult, Error> {
        Ok(tally
            .run(|on_progress| run_schedule(network, schedule, &[], &[], config, on_progress))?)
    };
    let result = run(schedule)?;
    let from = first_cycle(schedule, &result);
    let mut walk = Walk::new(network, schedule, &result.actions, from);
    let mut known: HashMap<u32, Alone> = HashMap::new();
    let mut next = walk.last();
    while let Some(action) = next.filter(|_| walk.now > from) {
        let alone = match known.get(&action) {
            Some(alone) => *alone,
            None => alone_cycles(schedule, action, &run)?,
        };
        known.insert(action, alone);
        next = walk.step(action, alone);
    }
    walk.count(walk.now - from, Cause::OtherAction);
    let breakdown = walk.finish(from);
    Ok((result, breakdown))
}

/// Runs an action alone, with its payload and with a few bytes.
fn alone_cycles(
    schedule: &Schedule,
    action: u32,
    run: &impl Fn(&Schedule) -> Result<RunResult, Error>,
) -> Result<Alone, Error> {
    let kind = &schedule.actions[action as usize].kind;
    let of = |kind: &ActionKind| -> Result<u64, Error> {
        let alone = Schedule {
            collective: None,
            claims_rounds: false,
            actions: vec![Action {
                kind: kind.clone(),
                after: Vec::new(),
            }],
            ..schedule.clone()
        };
        let result = run(&alone)?;
        let last = max_or_zero(result.actions.iter().map(|time| time.finish_cycle));
        Ok(last - first_cycle(&alone, &result))
    };
    let cycles = of(kind)?;
    let fixed = shortest(kind).map(|kind| of(&kind)).transpose()?;
    Ok(Alone {
        cycles,
        // What has no payload takes what it takes.
        fixed: fixed.unwrap_or(cycles).min(cycles),
    })
}

/// The same movement of a few bytes; `None` of what moves nothing.
fn shortest(kind: &ActionKind) -> Option<ActionKind> {
    let mut kind = kind.clone();
    match &mut kind {
        ActionKind::Transfer(t) | ActionKind::Delivery(t) => {
            (t.bytes, t.rows) = (t.bytes.min(FEW_BYTES), t.rows.min(1));
        }
        ActionKind::Message(message) => {
            message.bytes = message.bytes.min(FEW_BYTES);
            message.rows = None;
        }
        ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) => {
            r.bytes = r.bytes.min(FEW_BYTES);
        }
        ActionKind::ListMulticast(list) => list.bytes = list.bytes.min(FEW_BYTES),
        ActionKind::StaticMulticast(multicast) => multicast.bytes = multicast.bytes.min(FEW_BYTES),
        ActionKind::LocalReduce(_)
        | ActionKind::Compute(_)
        | ActionKind::Barrier(_)
        | ActionKind::Arrival(_)
        | ActionKind::Kernel(_)
        | ActionKind::Chain(_) => return None,
    }
    Some(kind)
}

/// The walk back along the critical path.
struct Walk<'a> {
    network: &'a Network,
    schedule: &'a Schedule,
    times: &'a [ActionTime],
    /// Cycles before this one are not explained.
    from: u64,
    /// Up to here nothing is explained yet.
    now: u64,
    /// By tile: its actions, by the cycle in which they end.
    by_tile: HashMap<u32, Vec<u32>>,
    cycles: BTreeMap<Cause, u64>,
    steps: Vec<PathStep>,
}

impl<'a> Walk<'a> {
    fn new(
        network: &'a Network,
        schedule: &'a Schedule,
        times: &'a [ActionTime],
        from: u64,
    ) -> Self {
        let mut by_tile: HashMap<u32, Vec<u32>> = HashMap::new();
        for (number, action) in schedule.actions.iter().enumerate() {
            for tile in participants(network, &action.kind) {
                by_tile.entry(tile.0).or_default().push(number as u32);
            }
        }
        for actions in by_tile.values_mut() {
            actions.sort_by_key(|number| (times[*number as usize].finish_cycle, *number));
        }
        Self {
            network,
            schedule,
            times,
            from,
            now: max_or_zero(times.iter().map(|time| time.finish_cycle)),
            by_tile,
            cycles: BTreeMap::new(),
            steps: Vec::new(),
        }
    }

    /// The first of the actions that end last.
    fn last(&self) -> Option<u32> {
        let ends = |number: &u32| self.times[*number as usize].finish_cycle == self.now;
        (0..self.times.len() as u32).find(ends)
    }

    fn count(&mut self, cycles: u64, cause: Cause) {
        if cycles > 0 {
            *self.cycles.entry(cause).or_default() += cycles;
        }
    }

    /// Explains an action back to the end of the one before it, which is returned.
    fn step(&mut self, action: u32, alone: Alone) -> Option<u32> {
        let latest = self.now.saturating_sub(alone.cycles);
        let before = self.before(action, latest);
        let ready = before.map_or(self.from, |b| self.times[b as usize].finish_cycle);
        let start = self.times[action as usize].start_cycle;
        // Its first participant may have begun to wait before the others could come.
        let begin = start.max(ready).max(self.from).min(self.now);
        self.steps.push(PathStep {
            action,
            tile: participants(self.network, &self.schedule.actions[action as usize].kind)
                .first()
                .copied()?,
            start_cycle: begin,
            end_cycle: self.now,
        });
        self.split(action, self.now - begin, alone);
        let ready = ready.max(self.from);
        self.count(begin.saturating_sub(ready), Cause::Instructions);
        self.now = begin.min(ready);
        before
    }

    /// What so many cycles of an action are for: as much of what it takes alone as they have, the rest is waiting.
    fn split(&mut self, action: u32, cycles: u64, alone: Alone) {
        let kind = &self.schedule.actions[action as usize].kind;
        let payload = (alone.cycles - alone.fixed).min(cycles);
        let fixed = alone.fixed.min(cycles - payload);
        let hops = hop_cycles(self.network, kind).min(fixed);
        self.count(payload, Cause::Payload);
        self.count(hops, Cause::Routers);
        let software = match kind {
            ActionKind::LocalReduce(_) | ActionKind::Compute(_) | ActionKind::Kernel(_) => {
                Cause::Compute
            }
            ActionKind::Barrier(_) | ActionKind::Arrival(_) => Cause::BarrierCores,
            ActionKind::Transfer(_)
            | ActionKind::Delivery(_)
            | ActionKind::Message(_)
            | ActionKind::InNetworkReduction(_)
            | ActionKind::InNetworkAllReduce(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::StaticMulticast(_) => Cause::Instructions,
        };
        self.count(fixed - hops, software);
        self.count(cycles - payload - fixed, Cause::Arbitration);
    }

    /// The action that ended last, up to a cycle, of those that this one waits for: of its list, or of one of its tiles.
    fn before(&self, action: u32, until: u64) -> Option<u32> {
        let end = |number: u32| self.times[number as usize].finish_cycle;
        let listed = self.schedule.actions[action as usize].after.iter();
        let listed = listed.map(|before| before.0).filter(|b| end(*b) <= until);
        let tiles = participants(self.network, &self.schedule.actions[action as usize].kind);
        let on_tiles = tiles.iter().filter_map(|tile| {
            let actions = self.by_tile.get(&tile.0)?;
            let ended = actions.partition_point(|number| end(*number) <= until);
            let mut earlier = actions[..ended].iter().rev().copied();
            earlier.find(|number| *number < action)
        });
        listed.chain(on_tiles).max_by_key(|b| (end(*b), *b))
    }

    fn finish(mut self, from: u64) -> Breakdown {
        self.steps.reverse();
        let cycles = self.cycles.values().sum();
        let causes = self.cycles.into_iter().map(|(cause, cycles)| CauseCycles {
            cause,
            cycles,
            most: None,
        });
        Breakdown {
            start_cycle: from,
            cycles,
            causes: causes.collect(),
            path: self.steps,
            busiest: Vec::new(),
        }
    }
}

/// Cycles of the routers and links between the tiles of an action: of a message between cores those of its first word, of interfaces
/// without cores all that does not depend on the payload.
fn hop_cycles(network: &Network, kind: &ActionKind) -> u64 {
    if network.cores().is_none() {
        return u64::MAX;
    }
    let ActionKind::Message(message) = kind else {
        return 0;
    };
    let at = |place: Place| network.find(place.tile);
    let ends = at(message.source).zip(at(message.destination));
    // 0: a message within a tile crosses no link.
    let ends = ends.filter(|(from, to)| from != to);
    ends.and_then(|(from, to)| network.lone_packet_cycles(from, to, 1))
        .unwrap_or(0)
}
