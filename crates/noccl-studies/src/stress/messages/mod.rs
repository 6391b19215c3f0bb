// SPDX-License-Identifier: Apache-2.0
//! Random schedules for networks that carry messages: writes, reads, multicasts, reductions and barriers that overlap; and for cores that
//! send them.
//!
//! Every action writes to a range of its own, so that any order leaves the same bytes; some read what an earlier one has left, after
//! that. What they leave is compared with the reference interpreter, in whole memories.

mod core_generator;
mod generator;

use super::{Program, StressKind};
use crate::Error;
use core_generator::CoreGenerator;
use generator::Generator;
use noccl_net::{Network, TileRef};
use noccl_run::{MemoryImage, Rng, RunResult};
use noccl_workload::{First, Memories, Place, SCHEDULE_FORMAT, Schedule, interpret};
use std::collections::BTreeMap;

/// Bytes at the start of each memory that are random, and that nobody writes.
const INPUT_BYTES: u64 = 4096;
/// Most bytes of a row of lines, and of a contribution.
const MAX_BYTES: u64 = 1024;
/// Fewest bytes of the range of an action: an element.
const MIN_BYTES: u64 = 8;

/// A schedule with its inputs.
pub(super) struct Messages {
    pub schedule: Schedule,
    pub inputs: Vec<MemoryImage>,
    pub num_transactions: u64,
    range_bytes: u64,
}

/// Has every action a range in all memories, and is there no kind that such networks do not carry?
pub(super) fn refuse(
    network: &Network,
    kinds: &[StressKind],
    transactions: u32,
) -> Result<(), Error> {
    if !kinds.iter().any(|kind| is_carried(network, *kind)) {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        let accepted = match network.cores() {
            Some(_) => {
                "accepted: write (messages), multicast (static network) and reduction (within a memory); cores have nothing else"
            }
            None => {
                "accepted: write, read, multicast, reduction and barrier; these routers carry messages and no atomics"
            }
        };
        return Err(Error::argument("--only", names.join(","), accepted));
    }
    if range_bytes(network, transactions) >= MIN_BYTES {
        return Ok(());
    }
    let needed = INPUT_BYTES + u64::from(transactions) * MIN_BYTES;
    let accepted =
        format!("accepted: what fits into memories; these need {needed} bytes of every tile");
    Err(Error::argument("--transactions", transactions, accepted))
}

/// What such networks do not carry is left out of a mix.
fn is_carried(network: &Network, kind: StressKind) -> bool {
    match network.cores() {
        Some(_) => core_generator::is_carried(kind),
        None => kind != StressKind::Atomic,
    }
}

/// Bytes of an action's range: whole elements.
fn range_bytes(network: &Network, transactions: u32) -> u64 {
    let tiles = network.clusters().chain(network.memories());
    let least = tiles.map(|tile| network.memory_bytes(tile)).min();
    // 0: without memories no byte is free, and no action has a range.
    let free = least.unwrap_or(0).saturating_sub(INPUT_BYTES);
    (free / u64::from(transactions)).min(MAX_BYTES) / MIN_BYTES * MIN_BYTES
}

/// The schedule of a seed.
pub(super) fn generate(
    network: &Network,
    kinds: &[StressKind],
    transactions: u32,
    seed: u64,
) -> Messages {
    let clusters: Vec<TileRef> = network.clusters().map(|t| network.tile_ref(t)).collect();
    let memories = network.memories().map(|t| network.tile_ref(t));
    let tiles: Vec<TileRef> = clusters.iter().copied().chain(memories).collect();
    let mut rng = Rng::new(seed, "stress messages");
    let image = |tile: &TileRef| MemoryImage {
        tile: *tile,
        offset: 0,
        bytes: (0..INPUT_BYTES).map(|_| rng.draw() as u8).collect(),
    };
    let inputs = tiles.iter().map(image).collect();
    let range_bytes = range_bytes(network, transactions);
    let kinds = kinds.iter().copied();
    let kinds = kinds.filter(|kind| is_carried(network, *kind)).collect();
    let first = network
        .cores()
        .map(|_| *rng.pick(&[First::Receive, First::Send]));
    let drawn = (rng, range_bytes);
    let actions = match network.as_axi() {
        None => {
            let mut generator = CoreGenerator::new(network, tiles, kinds, drawn);
            (0..transactions).for_each(|index| generator.add(index.into()));
            generator.actions
        }
        Some(network) => {
            let mut generator = Generator::new(network, (clusters, tiles), kinds, drawn);
            (0..transactions).for_each(|index| generator.add(index.into()));
            generator.actions
        }
    };
    Messages {
        schedule: Schedule {
            format: SCHEDULE_FORMAT,
            first,
            claims_rounds: false,
            algorithm: "stress".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions,
        },
        inputs,
        num_transactions: u64::from(transactions),
        range_bytes,
    }
}

impl Messages {
    /// What runs, and what is read.
    pub(super) fn program(&self) -> Program<'_> {
        Program {
            schedule: &self.schedule,
            inputs: &self.inputs,
            outputs: self.outputs(),
        }
    }

    /// All memories as far as anything is written.
    fn outputs(&self) -> Vec<(Place, u64)> {
        let bytes = INPUT_BYTES + self.num_transactions * self.range_bytes;
        let tiles = self.inputs.iter().map(|image| image.tile);
        tiles
            .map(|tile| (Place { tile, offset: 0 }, bytes))
            .collect()
    }

    /// What every memory holds in the end; the checker accepts these schedules, they are right programs.
    pub(super) fn expected<'n>(&self, network: &'n Network) -> Result<Memories<'n>, Error> {
        let inputs: Vec<(Place, &[u8])> = { self.inputs.iter() }
            .map(|image| {
                let (tile, offset) = (image.tile, image.offset);
                (Place { tile, offset }, &image.bytes[..])
            })
            .collect();
        Ok(interpret(network, &self.schedule, &inputs)?)
    }

    /// Actions whose range, or else the input, holds anything else at some tile.
    pub(super) fn num_wrong(&self, expected: &Memories<'_>, result: &RunResult) -> u64 {
        let mut is_wrong = vec![false; self.num_transactions as usize + 1];
        for (found, (place, bytes)) in result.memory.iter().zip(self.outputs()) {
            let Some(expected) = expected.read(place, bytes) else {
                // Nothing to compare with: at least one action is wrong.
                is_wrong[0] = true;
                continue;
            };
            if found.bytes == expected {
                continue;
            }
            for at in 0..bytes.max(found.bytes.len() as u64) {
                if found.bytes.get(at as usize) != expected.get(at as usize) {
                    let range = at.checked_sub(INPUT_BYTES);
                    // 0: the input, which lies before the ranges.
                    let range = range.map_or(0, |at| at / self.range_bytes + 1);
                    is_wrong[range.min(self.num_transactions) as usize] = true;
                }
            }
        }
        is_wrong.into_iter().filter(|wrong| *wrong).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use noccl_run::{Mode, RunConfig};
    use noccl_sim::run_schedule;
    use noccl_workload::ActionKind;
    use std::collections::BTreeSet;

    #[test]
    fn every_wrong_byte_counts_for_the_action_whose_range_it_is_in() {
        let network = load("smart_3x2", &[]).unwrap().network;
        let messages = generate(&network, &StressKind::ALL, 64, 5);
        let expected = messages.expected(&network).unwrap();
        let config = RunConfig::new(Mode::Value);
        let outputs = messages.outputs();
        let (schedule, inputs) = (&messages.schedule, &messages.inputs);
        let result =
            run_schedule(&network, schedule, inputs, &outputs, &config, &mut |_| true).unwrap();
        assert_eq!(messages.num_wrong(&expected, &result), 0);
        let mut changed = result.clone();
        // Of the input, of the first range at two tiles, and of the last one.
        let last = (INPUT_BYTES + 64 * messages.range_bytes) as usize - 1;
        for (tile, at) in [(0, 7), (1, 4096), (2, 4096), (5, last)] {
            changed.memory[tile].bytes[at] ^= 0x80;
        }
        assert_eq!(messages.num_wrong(&expected, &changed), 3);
        let mut short = result;
        short.memory[3].bytes.pop();
        assert_eq!(messages.num_wrong(&expected, &short), 1);
    }

    #[test]
    fn all_kinds_occur_and_actions_read_what_others_have_left() {
        let network = load("smart_4x4", &[]).unwrap().network;
        let (mut names, mut num_later) = (BTreeSet::new(), 0);
        for seed in 0..10 {
            let messages = generate(&network, &StressKind::ALL, 64, seed);
            messages.expected(&network).unwrap();
            for action in &messages.schedule.actions {
                names.insert(action.kind.name());
                if let ActionKind::Transfer(t) | ActionKind::Delivery(t) = &action.kind {
                    num_later += u64::from(t.source.offset >= INPUT_BYTES);
                }
            }
        }
        let all = [
            "arrival",
            "barrier",
            "compute",
            "delivery",
            "in_network_reduction",
            "transfer",
        ];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), all);
        assert!(num_later > 20, "{num_later}");
    }

    #[test]
    fn cores_of_any_variant_complete_with_the_right_bytes() {
        let network = load("tilepro64_4x4", &[]).unwrap().network;
        let request = crate::stress::StressRequest {
            spec_arguments: String::new(),
            seeds: 150,
            first_seed: 0,
            kinds: StressKind::ALL.to_vec(),
            transactions: 64,
            has_variants: true,
        };
        let report = crate::stress::stress(&network, &request, noccl_run::Watch::quiet()).unwrap();
        assert_eq!(
            (report.completed, report.wrong),
            (150, 0),
            "{:?}",
            report.failures
        );
        let mut names = BTreeSet::new();
        for seed in 0..10 {
            let drawn = generate(&network, &StressKind::ALL, 64, seed)
                .schedule
                .actions;
            names.extend(drawn.iter().map(|action| action.kind.name()));
        }
        let all = ["compute", "local_reduce", "message", "static_multicast"];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), all);
        let error = refuse(&network, &[StressKind::Barrier], 64).unwrap_err();
        assert!(
            error.to_string().contains("accepted: write (messages)"),
            "{error}"
        );
    }

    #[test]
    fn schedules_of_any_length_keep_the_limit_of_open_barriers() {
        for limit in [1, 3, 8] {
            let fields = [
                ("cluster.l1_bytes", 8192),
                ("ni.max_open_reductions", limit),
            ];
            let fields = fields.map(|(field, value)| (field.to_owned(), value.to_string()));
            let network = load("smart_4x4", &fields).unwrap().network;
            for kinds in [&StressKind::ALL[..], &[StressKind::Barrier]] {
                let messages = generate(&network, kinds, 512, 0);
                let checked = noccl_workload::check(&network, &messages.schedule);
                assert!(checked.is_ok(), "{limit}: {checked:?}");
                let actions = messages.schedule.actions.iter();
                let num_barriers = actions.filter(|a| a.kind.barrier().is_some()).count();
                assert!(num_barriers > 24, "{limit}: {num_barriers}");
            }
        }
    }

    #[test]
    fn more_transactions_than_memories_have_ranges_for_are_refused() {
        let small = [("cluster.l1_bytes".to_owned(), "8192".to_owned())];
        let network = load("smart_4x4", &small).unwrap().network;
        assert!(refuse(&network, &StressKind::ALL, 512).is_ok());
        let error = refuse(&network, &StressKind::ALL, 513).unwrap_err();
        assert!(error.to_string().contains("--transactions"), "{error}");
        let full = load("smart_4x4", &[]).unwrap().network;
        assert!(refuse(&full, &StressKind::ALL, crate::MAX_STRESS_TRANSACTIONS).is_ok());
    }
}
