// SPDX-License-Identifier: Apache-2.0
//! Routers that flits pass in flight, under any load: every byte is right, and with paths of one link they are the routers without bypass.

use crate::common::random_schedule::{random_inputs, random_schedule};
use crate::common::{network_with, replay};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, RunError, RunResult};
use noccl_testkit::random::random_trace;
use noccl_workload::{Pattern, PortKind, Schedule, Traffic, check_trace_limits};
use proptest::prelude::*;

const MESHES: [&str; 4] = ["4x4", "8x8", "16x2", "2x16"];

/// FIFO slots at inputs and outputs.
type Slots = (u32, u32);

fn network(mesh: &str, slots: Slots, numbers: &[(&str, u32)]) -> Network {
    let (inputs, outputs) = slots;
    let fifos = [
        ("router.input_fifo_flits", inputs),
        ("router.output_fifo_flits", outputs),
    ];
    network_with(
        &format!("collective_noc_{mesh}"),
        &[numbers, &fifos].concat(),
    )
}

fn with_bypass(mesh: &str, slots: Slots, hpc_max: u32, setup_cycles: u32) -> Network {
    let most = network(&format!("{mesh}_bypass"), slots, &[]);
    let most = most
        .spec()
        .axi()
        .expect("it has clusters")
        .router
        .bypass
        .expect("the preset has it")
        .hpc_max;
    let numbers = [
        ("router.bypass.hpc_max", hpc_max.min(most)),
        ("router.bypass.setup_cycles", setup_cycles),
    ];
    network(&format!("{mesh}_bypass"), slots, &numbers)
}

/// The same without bypass: a further cycle of setup is a register stage, as one of a longer link.
fn without_bypass(mesh: &str, slots: Slots, setup_cycles: u32) -> Network {
    let planes = ["req", "rsp", "wide"].map(|plane| format!("router.link_cycles.{plane}"));
    let numbers: Vec<(&str, u32)> = planes.iter().map(|p| (p.as_str(), setup_cycles)).collect();
    network(mesh, slots, &numbers)
}

fn run(net: &Network, schedule: &Schedule, mode: Mode) -> Result<RunResult, RunError> {
    let inputs = random_inputs(net, 1);
    let config = RunConfig::new(mode);
    noccl_sim::run_schedule(net, schedule, &inputs, &[], &config, &mut |_| true)
}

fn traffic(pattern: Pattern, seed: u64) -> Traffic {
    Traffic {
        pattern,
        beats: 4,
        offered_beats_per_cycle: 0.05,
        warmup_cycles: 100,
        measure_cycles: 300,
        seed,
    }
}

fn mesh() -> impl Strategy<Value = &'static str> {
    prop::sample::select(MESHES.to_vec())
}

fn slots() -> impl Strategy<Value = Slots> {
    prop::sample::select(vec![(2, 2), (2, 2), (1, 1), (1, 2), (3, 1), (4, 5)])
}

proptest! {
    #![proptest_config(noccl_testkit::config(12, 48))]

    #[test]
    fn paths_of_one_link_are_the_network_without_bypass(
        mesh in mesh(),
        slots in slots(),
        setup_cycles in 1u32..=2,
        seed in any::<u64>(),
    ) {
        let one = with_bypass(mesh, slots, 1, setup_cycles);
        let none = without_bypass(mesh, slots, setup_cycles);
        let trace = random_trace(&none, seed, 40, 200);
        prop_assume!(check_trace_limits(&one, &trace).is_ok());
        let schedule = random_schedule(&none, seed, 20);
        for mode in [Mode::Timing, Mode::Value] {
            let [a, b] = [&one, &none].map(|net| replay(net, &trace, mode, 1, true));
            prop_assert_eq!(a, b);
            let [a, b] = [&one, &none].map(|net| run(net, &schedule, mode));
            prop_assert_eq!(a, b);
        }
        for pattern in [Pattern::Uniform, Pattern::RowMulticast] {
            let traffic = traffic(pattern, seed);
            let config = RunConfig::new(Mode::Timing);
            let [a, b] = [&one, &none].map(|net| {
                noccl_sim::run_traffic(net, &traffic, &config, &mut |_| true)
            });
            prop_assert_eq!(a, b);
        }
    }

    #[test]
    fn random_traces_bring_every_byte_in_the_same_cycles_in_both_modes(
        mesh in mesh(),
        slots in slots(),
        hpc_max in 2u32..=8,
        setup_cycles in 1u32..=2,
        (seed, count, window_cycles) in (any::<u64>(), 1usize..120, 1u64..400),
        has_stalls in any::<bool>(),
    ) {
        let net = with_bypass(mesh, slots, hpc_max, setup_cycles);
        let trace = random_trace(&net, seed, count, window_cycles);
        prop_assume!(check_trace_limits(&net, &trace).is_ok());
        let [timing, value] = [Mode::Timing, Mode::Value]
            .map(|mode| replay(&net, &trace, mode, 1, has_stalls));
        prop_assert_eq!(timing.actions, value.actions);
    }

    /// Every flit crosses the links of its route, however many in a cycle. Sums of one beat meet elsewhere, so these have two.
    #[test]
    fn flits_cross_the_links_that_they_cross_without_bypass(
        mesh in mesh(),
        hpc_max in 2u32..=8,
        seed in any::<u64>(),
    ) {
        let passing = with_bypass(mesh, (2, 2), hpc_max, 1);
        let stopping = without_bypass(mesh, (2, 2), 1);
        // One after the other: what merges on its path depends on what is there at the time.
        let mut trace = random_trace(&stopping, seed, 12, 1);
        for (i, transaction) in trace.transactions.iter_mut().enumerate() {
            for start in transaction.start_cycles.iter_mut().flatten() {
                *start = 4000 * i as u64;
            }
            if let PortKind::WideReduction { beats, .. } = &mut transaction.kind {
                *beats = 2.max(*beats);
            }
        }
        let [a, b] = [&passing, &stopping].map(|net| replay(net, &trace, Mode::Value, 1, false));
        prop_assert_eq!(a.counters.flit_hops, b.counters.flit_hops);
        prop_assert_eq!(a.links, b.links);
    }
}
