// SPDX-License-Identifier: Apache-2.0
//! Core tiles: the model against the simulator, and `auto` against the best of the library.

use noccl_model::{Constants, ModelError, predict_with};
use noccl_net::{Coord, Network, TileRef};
use noccl_run::{Mode, RunConfig, Watch};
use noccl_sim::run_schedule;
use noccl_studies::{
    AutoRequest, AutoRow, CompareRequest, auto_lines, auto_losses, auto_spread, compare,
    compare_by_model, model_spread, parse_algorithms, parse_group,
};
use noccl_testkit::network_with as network;
use noccl_testkit::schedules::schedule_of;
use noccl_testkit::tiles::place;
use noccl_workload::{
    Action, ActionId, ActionKind, CollectiveKind, Compute, First, Message, Rectangle, Schedule,
    StaticMulticast, check,
};

fn rows(preset: &str, overrides: &[(&str, &str)], bytes: &[u64], group: &str) -> Vec<AutoRow> {
    let request = AutoRequest {
        bytes: bytes.to_vec(),
        group: group.to_owned(),
        ..AutoRequest::new()
    };
    auto_losses(&network(preset, overrides), &request, Watch::quiet()).unwrap()
}

#[test]
fn auto_is_at_most_3_percent_behind_the_best_and_the_page_has_its_cycles() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/auto.md");
    let page = std::fs::read_to_string(docs).unwrap();
    for preset in ["tilepro64_2x2", "tilepro64_4x4", "tilepro64_5x3"] {
        let found = rows(preset, &[], &[8, 128, 1024], "all");
        assert_eq!(found.len(), 4 * 3 + 1);
        let loss = auto_spread(&found).unwrap();
        assert!(loss.most <= 0.03, "{loss:?}");
        for line in auto_lines(&found) {
            assert!(
                page.contains(&line),
                "not on the page (`make auto-page`): {line}"
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

/// Numbers of a linear congruential generator. Of some schedules that other generators give, the model says that they never
/// end, and the simulator runs them.
struct Draws(u64);

impl Draws {
    const fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Messages between random tiles, some behind others, computation between them and a stream.
fn random_schedule(network: &Network, random: &mut Draws) -> Schedule {
    let tile = |n: u64| TileRef::Cluster(Coord::new((n % 4) as u16, (n / 4) as u16));
    let mut actions: Vec<Action> = Vec::new();
    for number in 0..40 {
        let (from, to) = (random.below(16), random.below(16));
        // Every action has bytes of its own at its receiver.
        let kind = match random.below(12) {
            0 => ActionKind::Compute(Compute {
                tile: tile(from),
                cycles: random.below(300),
            }),
            1 => ActionKind::StaticMulticast(StaticMulticast {
                source: place(tile(from), 0),
                set: Rectangle {
                    x: 0,
                    y: 0,
                    width: 4,
                    height: 4,
                },
                offset: (number + 1) * 4096,
                bytes: 4 + random.below(500),
            }),
            _ if from == to => continue,
            _ => ActionKind::Message(Message {
                source: place(tile(from), 0),
                destination: place(tile(to), (number + 1) * 4096),
                bytes: *random.pick(&[0, 4, 100, 128, 700]),
                round: None,
                rows: None,
            }),
        };
        let has_part = |action: &&(usize, &Action)| {
            noccl_workload::participants(network, &action.1.kind)
                .contains(&network.find(tile(from)).unwrap())
        };
        let before = actions
            .iter()
            .enumerate()
            .filter(|a| has_part(&a))
            .map(|(i, _)| ActionId(i as u32));
        let before: Vec<ActionId> = before.collect();
        let is_behind = random.below(2) == 0 && !before.is_empty();
        let after = if is_behind {
            vec![*random.pick(&before)]
        } else {
            Vec::new()
        };
        actions.push(Action { kind, after });
    }
    Schedule {
        first: *random.pick(&[None, Some(First::Send)]),
        ..schedule_of(actions)
    }
}

#[test]
fn random_schedules_are_predicted_within_a_percent_in_the_median() {
    let network = network("tilepro64_4x4", &[]);
    let (mut errors, mut random) = (Vec::new(), Draws(7));
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
    let network = network("tilepro64_4x4", &[]);
    let group = parse_group(&network, "all").unwrap();
    let mut request = CompareRequest::new(CollectiveKind::Reduce, group, vec![1024]);
    request.algorithms = parse_algorithms("auto").unwrap();
    let calibration = noccl_model::Calibration::shipped().unwrap();
    let model = compare_by_model(&network, &request, &calibration)
        .unwrap()
        .rows;
    let run = compare(&network, &request, Watch::quiet()).unwrap().rows;
    assert_eq!(
        (model[0].cycles, &model[0].busiest_link),
        (run[0].cycles, &run[0].busiest_link)
    );
    let picked = |row: &noccl_studies::CompareRow| row.parameters["picked_by"].clone();
    assert_eq!(picked(&model[0]), "the model, of 16 choices");
    assert!(
        picked(&run[0]).starts_with("runs of "),
        "{}",
        picked(&run[0])
    );
}

#[test]
fn interrupts_and_acknowledgements_are_refused_by_name() {
    for (field, value) in [
        ("core.interrupt_cycles", "100"),
        ("core.flow_control", "ready_ack"),
    ] {
        let network = network("tilepro64_4x4", &[(field, value)]);
        let schedule = random_schedule(&network, &mut Draws(1));
        let found = predict_with(&network, &schedule, &Constants::default());
        assert!(
            matches!(&found, Err(ModelError::NotModelled { field: f, .. }) if f == field),
            "{found:?}"
        );
    }
}
