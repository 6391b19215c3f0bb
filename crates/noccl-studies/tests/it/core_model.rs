// SPDX-License-Identifier: Apache-2.0
//! Core tiles: the model against the simulator, and `auto` against the best of the library.

use crate::common::{asked, rows_by};
use noccl_model::{Constants, ModelError, predict_with};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Watch};
use noccl_sim::run_schedule;
use noccl_studies::{
    AutoRequest, AutoRow, auto_lines, auto_losses, auto_spread, compare_by_model, model_spread,
};
use noccl_testkit::actions::{compute, message, static_multicast};
use noccl_testkit::random::Congruential;
use noccl_testkit::schedules::{after, schedule_of};
use noccl_testkit::{cluster, clusters, network, network_with, place};
use noccl_workload::{Action, CollectiveKind, First, Schedule, check, participants};

fn rows(preset: &str, overrides: &[(&str, &str)], bytes: &[u64], group: &str) -> Vec<AutoRow> {
    let request = AutoRequest {
        bytes: bytes.to_vec(),
        group: group.to_owned(),
        ..AutoRequest::new()
    };
    auto_losses(&network_with(preset, overrides), &request, Watch::quiet()).unwrap()
}

#[test]
fn auto_is_at_most_3_percent_behind_the_best_and_the_file_has_its_cycles() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/auto_cases.csv");
    let file = std::fs::read_to_string(docs).unwrap();
    for preset in ["tilepro64_2x2", "tilepro64_4x4", "tilepro64_5x3"] {
        let found = rows(preset, &[], &[8, 128, 1024], "all");
        assert_eq!(found.len(), 4 * 3 + 1);
        let loss = auto_spread(&found).unwrap();
        assert!(loss.most <= 0.03, "{loss:?}");
        for line in auto_lines(&found) {
            assert!(
                file.contains(&line),
                "not in docs/auto_cases.csv (`make auto-page`): {line}"
            );
        }
    }
    // A part of the mesh, and a set that is no rectangle.
    for group in ["1,0,3,2", "set:0,0;1,0;3,2"] {
        let found = rows("tilepro64_4x4", &[], &[128], group);
        assert!(auto_spread(&found).unwrap().most <= 0.03, "{found:?}");
    }
}

#[test]
fn what_meets_no_full_links_is_predicted_exactly_and_exchanges_within_2_percent_in_the_median() {
    for (preset, overrides) in [
        ("tilepro64_4x4", &[][..]),
        (
            "tilepro64_5x3",
            &[
                ("router.udn.hop_cycles", "2"),
                ("router.udn.turn_cycles", "0"),
            ][..],
        ),
        (
            "tilepro64_4x4",
            &[
                ("core.send_cycles", "40"),
                ("core.word_cycles", "2"),
                ("core.unit_cycles", "5"),
            ][..],
        ),
    ] {
        let found = rows(preset, overrides, &[8, 128, 1000], "all");
        for kind in [
            CollectiveKind::Multicast,
            CollectiveKind::Reduce,
            CollectiveKind::Barrier,
        ] {
            let error = model_spread(&found, kind).unwrap();
            assert!(
                error.most <= 0.005,
                "{preset} {overrides:?} {kind}: {error:?}"
            );
        }
        let error = model_spread(&found, CollectiveKind::AllReduce).unwrap();
        assert!(error.most <= 0.02, "{preset} {overrides:?}: {error:?}");
        let error = model_spread(&found, CollectiveKind::AllToAll).unwrap();
        assert!(
            error.median <= 0.02 && error.most <= 0.35,
            "{preset} {overrides:?}: {error:?}"
        );
    }
}

/// Messages between random tiles, some behind others, computation between them and a stream. Of some schedules that other generators
/// give, the model says that they never end, and the simulator runs them.
fn random_schedule(network: &Network, random: &mut Congruential) -> Schedule {
    let tile = |n: u64| cluster((n % 4) as u16, (n / 4) as u16);
    let mut actions: Vec<Action> = Vec::new();
    for number in 0..40 {
        let (from, to) = (random.below(16), random.below(16));
        // Every action has bytes of its own at its receiver.
        let kind = match random.below(12) {
            0 => compute(tile(from), random.below(300)),
            1 => {
                let (source, set) = (place(tile(from), 0), clusters(0, 0, 4, 4));
                static_multicast(source, set, (number + 1) * 4096, 4 + random.below(500))
            }
            _ if from == to => continue,
            _ => {
                let destination = place(tile(to), (number + 1) * 4096);
                let bytes = *random.pick(&[0, 4, 100, 128, 700]);
                message(place(tile(from), 0), destination, bytes)
            }
        };
        let own = network.find(tile(from)).unwrap();
        let has_part = |action: &Action| participants(network, &action.kind).contains(&own);
        let numbered = actions.iter().zip(0_u32..);
        let before: Vec<u32> = numbered
            .filter(|(a, _)| has_part(a))
            .map(|(_, i)| i)
            .collect();
        let is_behind = random.below(2) == 0 && !before.is_empty();
        let behind = is_behind.then(|| *random.pick(&before));
        actions.push(after(kind, behind.as_slice()));
    }
    Schedule {
        first: *random.pick(&[None, Some(First::Send)]),
        ..schedule_of(actions)
    }
}

#[test]
fn random_schedules_are_predicted_within_a_percent_in_the_median() {
    let network = network("tilepro64_4x4");
    let (mut errors, mut random) = (Vec::new(), Congruential(7));
    for _ in 0..300 {
        let schedule = random_schedule(&network, &mut random);
        if check(&network, &schedule).is_err() {
            continue;
        }
        let config = RunConfig::new(Mode::Timing);
        let run = run_schedule(&network, &schedule, &[], &[], &config, &mut |_| true).unwrap();
        let cycles = noccl_studies::compare::runtime_cycles(Some(&schedule), &run.actions);
        let model = predict_with(&network, &schedule, &Constants::default()).unwrap();
        assert_eq!(model.counters.flit_hops, run.counters.flit_hops);
        assert_eq!(
            model.counters.payload_byte_hops,
            run.counters.payload_byte_hops
        );
        errors.push((model.cycles / cycles as f64 - 1.0).abs());
    }
    errors.sort_by(f64::total_cmp);
    let (num, median, most) = (
        errors.len(),
        errors[errors.len() / 2],
        errors[errors.len() - 1],
    );
    assert!(num >= 100, "{num}");
    assert!(
        median <= 0.01 && most <= 0.25,
        "{num} schedules: {median} {most}"
    );
}

#[test]
fn rows_of_the_model_are_those_of_runs_and_say_how_auto_has_picked() {
    let network = network("tilepro64_4x4");
    let request = asked(&network, CollectiveKind::Reduce, ("all", &[1024]), "auto");
    let calibration = noccl_model::Calibration::shipped().unwrap();
    let model = compare_by_model(&network, &request, &calibration);
    let (model, run) = (model.unwrap().rows, rows_by(&network, &request));
    assert_eq!(
        (model[0].cycles, &model[0].busiest_link),
        (run[0].cycles, &run[0].busiest_link)
    );
    let picked = |row: &noccl_studies::CompareRow| row.parameters["picked_by"].clone();
    assert_eq!(picked(&model[0]), "the model, of 16 choices");
    let found = picked(&run[0]);
    assert!(found.starts_with("runs of "), "{found}");
}

#[test]
fn interrupts_and_acknowledgements_are_refused_by_name() {
    for (field, value) in [
        ("core.interrupt_cycles", "100"),
        ("core.flow_control", "ready_ack"),
    ] {
        let network = network_with("tilepro64_4x4", &[(field, value)]);
        let schedule = random_schedule(&network, &mut Congruential(1));
        let found = predict_with(&network, &schedule, &Constants::default());
        assert!(
            matches!(&found, Err(ModelError::NotModelled { field: f, .. }) if f == field),
            "{found:?}"
        );
    }
}
