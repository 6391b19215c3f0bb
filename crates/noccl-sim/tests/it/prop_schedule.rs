// SPDX-License-Identifier: Apache-2.0
//! Random schedules end or stall, every share once, in the same cycles in value and timing mode.

use crate::common::random_schedule::{random_inputs, random_schedule};
use crate::common::{cluster, cube, network};
use noccl_net::{Network, TileSet};
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::actions::{barrier, compute};
use noccl_testkit::schedules::in_order;
use noccl_workload::{BarrierMechanism, Schedule};
use proptest::prelude::*;
use std::sync::LazyLock;

static MESH: LazyLock<Network> = LazyLock::new(|| network("collective_noc_4x4"));
static PUBLISHED: LazyLock<Network> = LazyLock::new(|| network("collective_noc_4x4_published"));

fn run(net: &Network, schedule: &Schedule, mode: Mode) -> Result<RunResult, RunError> {
    let inputs = random_inputs(net, 1);
    let config = RunConfig::new(mode);
    noccl_sim::run_schedule(net, schedule, &inputs, &[], &config, &mut |_| true)
}

proptest! {
    #![proptest_config(noccl_testkit::config(32, 128))]

    #[test]
    fn a_random_schedule_does_the_same_in_both_modes(
        seed in any::<u64>(),
        count in 1u32..40,
        is_published in any::<bool>(),
    ) {
        let net: &Network = if is_published { &PUBLISHED } else { &MESH };
        let schedule = random_schedule(net, seed, count);
        match [Mode::Timing, Mode::Value].map(|mode| run(net, &schedule, mode)) {
            [Ok(timing), Ok(value)] => {
                prop_assert_eq!(timing.actions, value.actions);
                prop_assert_eq!(timing.counters, value.counters);
            }
            [timing, value] => prop_assert_eq!(timing.err(), value.err()),
        }
    }
}

#[test]
fn a_software_barrier_that_is_counted_outside_its_group_interrupts_once() {
    let column = TileSet::Cube(cube(0, 0, 0, 3));
    let barrier = barrier(column, cluster(1, 1), BarrierMechanism::Software);
    // Long enough for everything to come to rest.
    let rest = compute(cluster(0, 0), 500);
    let actions = in_order([barrier, rest]);
    let result = run(&MESH, &actions, Mode::Timing).expect("everybody arrives");
    let (atomics, interrupt) = (2 + 1 + 2 + 3, 3);
    assert_eq!(result.counters.flit_hops, 2 * (atomics + interrupt));
}
