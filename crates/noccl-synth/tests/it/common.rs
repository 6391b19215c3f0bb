// SPDX-License-Identifier: Apache-2.0
//! Networks, collectives, and the simulator as an evaluator that has every schedule proved first.

use noccl_net::{Network, TileRef};
use noccl_run::{Mode, RunConfig};
use noccl_sim::run_schedule;
use noccl_synth::{Evaluator, Faults, Objective, Part, Problem, Rating, Settings};
pub(crate) use noccl_testkit::network;
use noccl_testkit::schedules;
use noccl_workload::{Collective, CollectiveKind, Postcondition, Schedule, check};

pub(crate) fn collective(
    network: &Network,
    kind: CollectiveKind,
    group: &str,
    root: TileRef,
    bytes: u64,
) -> Collective {
    let group = network.parse_tile_set(group).unwrap();
    let members = network.members(&group).unwrap().len() as u64;
    let mut collective = schedules::collective(kind, group, root, bytes);
    let inputs = collective.input_bytes(members).max(bytes);
    collective.output_offset = inputs.next_multiple_of(64);
    collective
}

pub(crate) fn problem<'a>(
    network: &'a Network,
    collectives: Vec<Collective>,
    faults: Faults,
) -> Result<Problem<'a>, noccl_synth::SynthError> {
    let parts = collectives.into_iter().map(|collective| Part {
        wanted: Postcondition::new(network, &collective),
        collective,
    });
    Problem::new(network, parts.collect(), faults)
}

pub(crate) const fn settings(seed: u64, tries: u64) -> Settings {
    Settings {
        seed,
        tries: Some(tries),
        is_software: true,
        objective: Objective::Cycles,
    }
}

/// Proves and simulates.
pub(crate) struct Proving<'a> {
    pub(crate) network: &'a Network,
    pub(crate) faults: Faults,
    pub(crate) num_proved: u64,
}

impl<'a> Proving<'a> {
    pub(crate) const fn new(network: &'a Network, faults: Faults) -> Self {
        Self {
            network,
            faults,
            num_proved: 0,
        }
    }
}

impl Evaluator for Proving<'_> {
    fn rate(&mut self, schedules: &[Schedule]) -> Vec<Option<Rating>> {
        let mut ratings = Vec::new();
        for schedule in schedules {
            if let Err(error) = check(self.network, schedule) {
                panic!("{} {:?}: {error}", schedule.algorithm, schedule.parameters);
            }
            self.num_proved += 1;
            let config = RunConfig::new(Mode::Timing);
            let run = run_schedule(self.network, schedule, &[], &[], &config, &mut |_| true);
            let result = run.unwrap();
            for load in &result.links {
                let from = self.network.coord(load.link.tile);
                let to = self.network.neighbour(from, load.link.port);
                let is_faulty = to.is_some_and(|to| self.faults.has_link(from, to));
                assert!(!is_faulty, "{:?} carries {} flits", load.link, load.flits);
                let is_lost = self.faults.has_tile(self.network, load.link.tile);
                assert!(!is_lost, "{:?} is of a faulty tile", load.link);
            }
            let finish = result.actions.iter().map(|a| a.finish_cycle).max();
            ratings.push(Some(Rating {
                cycles: finish.unwrap_or(0),
                energy_fj: result.counters.payload_byte_hops,
                starts: result.actions.iter().map(|a| a.start_cycle).collect(),
            }));
        }
        ratings
    }

    fn is_over(&self) -> bool {
        false
    }
}
