// SPDX-License-Identifier: Apache-2.0
//! A run that was interrupted, saved and loaded gives the result of a run that was not; a damaged checkpoint is
//! refused before anything of it is believed.

use crate::common::hand_written::schedule_of;
use crate::common::random_schedule::{all_outputs, random_inputs, random_schedule};
use crate::common::saved::{self, digest, refused_contents, refuses_damage, save, step};
use crate::common::{cluster, cube, deep_network, network, network_with, stalling};
use noccl_net::{MultiAddress, Network};
use noccl_run::{MemoryImage, Mode, Request, RunConfig, RunError};
use noccl_sim::ScheduleRun;
use noccl_sim::checkpoint::{CheckpointError, FORMAT, Identity, Part, Saved};
use noccl_testkit::actions::{self, network_sum};
use noccl_testkit::networks::small_store;
use noccl_testkit::schedules::{after, alone};
use noccl_testkit::{one_in, place};
use noccl_workload::{Action, ElementType, Schedule};
use proptest::prelude::*;
use std::sync::LazyLock;

static MESH: LazyLock<Network> = LazyLock::new(|| network("collective_noc_4x4"));
static PUBLISHED: LazyLock<Network> = LazyLock::new(|| network("collective_noc_4x4_published"));
/// Merge tables with registers.
static REGISTERED_MERGE: LazyLock<Network> =
    LazyLock::new(|| network_with("collective_noc_4x4", &[("router.merge_cycles", "3")]));
/// FIFOs of other depths than two, and long links.
static DEEP: LazyLock<Network> = LazyLock::new(deep_network);

/// One run, and where to interrupt it.
#[derive(Debug)]
struct Case<'a> {
    net: &'a Network,
    schedule: &'a Schedule,
    inputs: &'a [MemoryImage],
    config: RunConfig,
    /// Threads after the interruption.
    threads_after: usize,
}

impl Case<'_> {
    const fn request<'a>(&'a self, config: &'a RunConfig) -> Request<'a> {
        Request {
            network: self.net,
            schedule: self.schedule,
            inputs: self.inputs,
            config,
        }
    }

    fn len(&self) -> Result<u64, RunError> {
        saved::len(&self.request(&self.config))
    }

    /// Interrupts after `first` steps, and after `second` more.
    fn check(&self, first: u64, second: u64) -> Result<(), RunError> {
        let mut config = self.config.clone();
        config.threads = self.threads_after;
        let requests = [&self.request(&self.config), &self.request(&config)];
        let outputs = all_outputs(self.net);
        saved::check(requests, [first, second], |run| run.result(&outputs))
    }
}

const fn without_inputs<'a>(
    net: &'a Network,
    schedule: &'a Schedule,
    config: RunConfig,
    threads_after: usize,
) -> Case<'a> {
    Case {
        net,
        schedule,
        inputs: &[],
        config,
        threads_after,
    }
}

fn config(mode: Mode, threads: usize, stalls: bool) -> RunConfig {
    RunConfig {
        threads,
        stalls: stalls.then_some(stalling(40, 60)),
        stall_seed: 5,
        ..RunConfig::new(mode)
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(24, 96))]

    #[test]
    fn a_resumed_run_is_the_run_that_was_not_interrupted(
        seed in any::<u64>(),
        count in 1u32..30,
        which in 0usize..4,
        is_value in any::<bool>(),
        stalls in any::<bool>(),
        threads in (1usize..3, 1usize..3),
        destinations in (any::<u64>(), 0u64..200),
    ) {
        let net: &Network = [&MESH, &PUBLISHED, &REGISTERED_MERGE, &DEEP][which];
        let schedule = random_schedule(net, seed, count);
        let mode = if is_value { Mode::Value } else { Mode::Timing };
        let inputs = if is_value { random_inputs(net, seed) } else { Vec::new() };
        let case = Case {
            net,
            schedule: &schedule,
            inputs: &inputs,
            config: config(mode, threads.0, stalls),
            threads_after: threads.1,
        };
        // The published unit refuses three operands before the first cycle.
        if let Ok(len) = case.len() {
            case.check(destinations.0 % (len + 1), destinations.1).expect("has begun before");
        }
    }
}

fn multicast(x: u16, to: MultiAddress) -> Action {
    alone(actions::multicast(cluster(x, 0), to, 0x4000, 4096))
}

fn reduction(group: MultiAddress, beats: u64, at: u64) -> Action {
    let root = place(cluster(0, 0), 0x2000 * at);
    let sum = network_sum(group, root, beats * 64, ElementType::Fp64);
    after(sum, &[0, 1])
}

fn compute(y: u16, cycles: u64) -> Action {
    alone(actions::compute(cluster(0, y), cycles))
}

/// Four reductions crowd the store of a root that has to contribute to a fifth first.
fn crowd() -> Schedule {
    let mut actions = vec![compute(0, 2000), compute(1, 4000)];
    actions.push(reduction(cube(0, 0, 0, 1), 64, 1));
    actions.extend((2..6).map(|at| reduction(cube(0, 0, 0, 2), 64, at)));
    schedule_of(actions)
}

#[test]
fn a_run_that_stalls_stalls_with_the_same_diagnosis_after_an_interruption() {
    let row = cube(0, 0, 3, 0);
    let overlapping = schedule_of(vec![multicast(0, row), multicast(3, row)]);
    for (net, schedule) in [(&*PUBLISHED, overlapping), (&small_store(), crowd())] {
        let case = without_inputs(net, &schedule, config(Mode::Value, 1, false), 1);
        let mut run = ScheduleRun::new(net, case.schedule, &[], &case.config).expect("is accepted");
        let whole = step(&mut run, u64::MAX);
        assert!(matches!(whole, Err(RunError::Stall(_))), "{whole:?}");
        let len = case.len().expect("is accepted");
        for eighth in 0..=8 {
            case.check(len * eighth / 8, 7).expect("is accepted");
        }
    }
}

#[test]
fn a_large_mesh_goes_on_with_another_number_of_threads() {
    let net = network("collective_noc_64x64");
    let all = cube(0, 0, 63, 63);
    let [first, second] = [0, 1].map(|y| compute(y, 1));
    let [one, other] = [0, 63].map(|x| multicast(x, all));
    let schedule = schedule_of(vec![first, second, one, other, reduction(all, 16, 4)]);
    for threads in [(1, 2), (2, 1)] {
        let config = config(Mode::Timing, threads.0, false);
        let case = without_inputs(&net, &schedule, config, threads.1);
        let len = case.len().expect("is accepted");
        case.check(len / 3, 10).expect("is accepted");
    }
}

/// A run in its middle.
fn sample(request: &Request<'_>) -> Vec<u8> {
    let mut run = request.start().expect("is accepted");
    step(&mut run, 300).expect("does not stall");
    assert!(!run.is_over(), "it is worth saving");
    save::<Request<'_>>(&run)
}

/// Passes a run of a random schedule with stalls, and its inputs.
fn with_request(checked: impl FnOnce(&Request<'_>)) {
    checked(&Request {
        network: &MESH,
        schedule: &random_schedule(&MESH, 11, 30),
        inputs: &random_inputs(&MESH, 1)[..2],
        config: &config(Mode::Value, 1, true),
    });
}

/// A change of what is stored, or of what the simulator does, is a new format: a checkpoint of the old one would
/// go on to another result. So raise [`FORMAT`] and put the new digests here.
#[test]
fn the_format_number_stands_for_these_bytes() {
    let digest = |net: &Network, mode, stalls| {
        digest(&sample(&Request {
            network: net,
            schedule: &random_schedule(net, 11, 30),
            inputs: &random_inputs(net, 1)[..2],
            config: &config(mode, 1, stalls),
        }))
    };
    let found = (
        FORMAT,
        digest(&MESH, Mode::Value, true),
        digest(&PUBLISHED, Mode::Timing, false),
    );
    let known = (19, 0x5c67_5f55_110e_16bf, 0xa592_5d29_a4ee_a5db);
    assert_eq!(found, known, "{found:#x?}");
}

#[test]
fn a_truncated_extended_or_changed_checkpoint_is_refused() {
    with_request(|request| refuses_damage(request, &sample(request), 97));
}

#[test]
fn contents_that_no_run_has_written_are_refused_or_loaded_but_never_a_panic() {
    with_request(|request| {
        let refused = refused_contents(request, &sample(request), 41 * one_in(25));
        assert!(refused > 0, "no length was hit");
    });
}

#[test]
fn a_checkpoint_of_another_run_is_refused_and_says_what_differs() {
    let schedule = random_schedule(&MESH, 1, 5);
    let inputs = random_inputs(&MESH, 1);
    let timing = RunConfig::new(Mode::Timing);
    let of =
        |network: &Network, schedule: &Schedule, inputs: &[MemoryImage], config: &RunConfig| {
            Identity::of(&Request {
                network,
                schedule,
                inputs,
                config,
            })
        };
    let own = of(&MESH, &schedule, &inputs, &timing);
    let other_schedule = random_schedule(&MESH, 2, 5);
    let stalled = config(Mode::Timing, 1, true);
    let seeded = RunConfig {
        stall_seed: 99,
        ..timing
    };
    let shorter = RunConfig {
        max_cycles: 1000,
        ..timing
    };
    let value = RunConfig::new(Mode::Value);
    let others = [
        (of(&PUBLISHED, &schedule, &inputs, &timing), Part::Spec),
        (of(&MESH, &other_schedule, &inputs, &timing), Part::Schedule),
        (of(&MESH, &schedule, &inputs[1..], &timing), Part::Inputs),
        (of(&MESH, &schedule, &inputs, &value), Part::Mode),
        (of(&MESH, &schedule, &inputs, &stalled), Part::Stalls),
        (of(&MESH, &schedule, &inputs, &seeded), Part::Stalls),
        (of(&MESH, &schedule, &inputs, &shorter), Part::Limits),
    ];
    for (other, part) in others {
        assert_eq!(own.compare(&other), Err(CheckpointError::Differs(part)));
    }
    let more_threads = RunConfig {
        threads: 8,
        ..timing
    };
    let same = of(&MESH, &schedule, &inputs, &more_threads);
    assert_eq!(own.compare(&same), Ok(()));
}
