// SPDX-License-Identifier: Apache-2.0
//! What priority `bypass` loses, and by which of its rules (`docs/papers/S2.md`).

use super::super::contend::Known;
use super::super::traffic_run;
use super::contention::{BYPASS, row, three};
use super::network;
use noccl_net::Network;
use noccl_run::{Mode, Run, RunConfig};
use noccl_workload::{Pattern, Traffic};

/// Rules that are left out: requests beyond their flit, and places that losers keep.
const VARIANTS: [(Known, bool, &str); 5] = [
    (Known::Nothing, false, "bypass"),
    (
        Known::Inputs,
        false,
        "no input for a flit that does not come",
    ),
    (Known::All, false, "no link and no input for it"),
    (Known::Nothing, true, "what loses gives up its place"),
    (Known::All, true, "neither"),
];

/// Packets of one flit, or broadcasts, that a mesh accepts per cycle at full offer, measured over so many cycles.
fn accepted(
    network: &Network,
    pattern: Pattern,
    variant: (Known, bool),
    (seed, measure_cycles): (u64, u64),
) -> f64 {
    let tiles = network.num_tiles() as f64;
    let traffic = Traffic {
        pattern,
        beats: 1,
        offered_beats_per_cycle: if pattern == Pattern::Uniform {
            1.0
        } else {
            1.5 / tiles
        },
        warmup_cycles: 1_000,
        measure_cycles,
        seed,
    };
    let config = RunConfig::new(Mode::Timing);
    let mut run = traffic_run(network, &traffic, &config).unwrap();
    if let Some(contention) = &mut run.packets.plane.contention {
        (contention.variant.known, contention.variant.passes_over) = variant;
    }
    // Without the drain: what is accepted has come by then.
    while run.cycle < traffic.warmup_cycles + traffic.measure_cycles {
        run.step();
    }
    let result = run.result(&[]);
    let flits = result.accepted_beats_per_cycle * tiles;
    result.accepted_flows_per_cycle.unwrap_or(flits)
}

#[test]
fn request_that_is_known_to_have_ended_idles_no_link() {
    let network = row(&[BYPASS]);
    let mut plane = super::plane(&network, 0);
    assert_eq!(three(&network, &mut plane, 0), [5, 6, 7]);
    // C goes over link 4 at once, as B has lost link 1 to A.
    let mut plane = super::plane(&network, 0);
    plane.contention.as_mut().unwrap().variant.known = Known::All;
    assert_eq!(three(&network, &mut plane, 0), [5, 6, 5]);
}

#[test]
fn links_that_idle_for_flits_that_do_not_come_are_most_of_what_bypass_loses() {
    let fields = |priority: &str| [("vcs", "3".to_owned()), ("priority", priority.to_owned())];
    let local = network("smart_8x8", &fields("\"local\""));
    let bypass = network("smart_8x8", &fields("\"bypass\""));
    let cycles = noccl_testkit::cases(2_000, 10_000).into();
    for pattern in [Pattern::Uniform, Pattern::Broadcast] {
        let of = |known: Known, over: bool| accepted(&bypass, pattern, (known, over), (1, cycles));
        let published = of(Known::Nothing, false);
        let lost = accepted(&local, pattern, (Known::Nothing, false), (1, cycles)) - published;
        assert!(of(Known::All, false) - published > 0.8 * lost, "{pattern}");
        assert!(
            of(Known::Nothing, true) - published < 0.2 * lost,
            "{pattern}"
        );
    }
}

/// The numbers of the page: `cargo test --release -p noccl-tests --test sim_units losses -- --ignored --nocapture`.
#[test]
#[ignore = "prints the numbers of docs/papers/S2.md and asserts nothing that others do not; a minute"]
#[allow(clippy::print_stdout)]
fn print_what_priority_bypass_loses() {
    for pattern in [Pattern::Uniform, Pattern::Broadcast] {
        for vcs in [3, 4] {
            let print = |priority: &str, (known, over, name): (Known, bool, &str)| {
                let fields = [
                    ("vcs", vcs.to_string()),
                    ("priority", format!("\"{priority}\"")),
                ];
                let network = network("smart_8x8", &fields);
                let seeds = 1..=5_u64;
                let all =
                    seeds.map(|seed| accepted(&network, pattern, (known, over), (seed, 10_000)));
                let mean = all.sum::<f64>() / 5.0;
                println!("{pattern}, vcs {vcs}, {name}: {mean:.3}");
            };
            print("local", (Known::Nothing, false, "local"));
            VARIANTS
                .iter()
                .for_each(|variant| print("bypass", *variant));
        }
    }
}
