// SPDX-License-Identifier: Apache-2.0
//! The analytic model against the simulator, and its constants against the runs they come from.

use noccl_model::Calibration;
use noccl_net::Network;
use noccl_run::Watch;
use noccl_studies::parts::runtime_cycles;
use noccl_studies::{
    CompareRequest, CompareRow, MARKED_DEVIATION, Verified, calibrate, compare, compare_by_model,
    deviations, model_accuracy, parse_algorithms, parse_group, parse_root, published_rows,
};
use noccl_testkit::{assert_says, network, network_with};
use noccl_workload::{CollectiveKind, ElementType};

fn shipped() -> Calibration {
    Calibration::shipped().unwrap()
}

fn calibrated(network: &Network) -> Calibration {
    calibrate(network, "a test", Watch::quiet()).unwrap()
}

#[test]
fn shipped_constants_are_those_of_todays_simulator() {
    let now = Calibration {
        command: shipped().command,
        ..calibrated(&network("collective_noc_4x4"))
    };
    assert!(
        now == shipped(),
        "stale: run noccl calibrate --spec collective_noc_4x4 -o \
         crates/noccl-model/constants/collective_noc.toml"
    );
}

#[test]
fn constants_do_not_depend_on_the_size_of_the_mesh() {
    let other = calibrated(&network("collective_noc_8x4"));
    assert_eq!(other.constants, shipped().constants);
    assert_eq!(other.conditions, shipped().conditions);
}

#[test]
fn constants_follow_the_spec_field_that_they_stand_for() {
    let changed = network_with(
        "collective_noc_4x4",
        &[
            ("router.wide_reduction.cut_cycles", "0"),
            ("cluster.dma.start_cycles", "9"),
            ("cluster.instructions.barrier_leave", "14"),
            ("cluster.compute_millicycles_per_beat", "2000"),
            ("cluster.instructions.poll", "1"),
        ],
    );
    let (before, after) = (shipped().constants, calibrated(&changed).constants);
    assert_eq!(after.cut_cycles, before.cut_cycles - 2.0);
    assert_eq!(after.push_alpha_cycles, before.push_alpha_cycles + 7.0);
    assert_eq!(after.pull_alpha_cycles, before.pull_alpha_cycles + 7.0);
    assert_eq!(
        after.reduction_alpha_cycles,
        before.reduction_alpha_cycles + 7.0
    );
    assert_eq!(
        after.barrier_alpha_cycles,
        before.barrier_alpha_cycles + 10.0
    );
    assert_eq!(after.compute_beta_cycles_per_beat, 2.0);
    assert_eq!(after.poll_cycles, before.poll_cycles - 2.0);
    assert_eq!(after.hop_cycles, before.hop_cycles);
}

#[test]
fn the_reductions_laws_hold_for_units_of_two_and_of_three_operands() {
    let two = network_with(
        "collective_noc_4x4",
        &[("router.wide_reduction.kind", "two_operand")],
    );
    let calibration = calibrated(&two);
    assert_eq!(calibration.constants, shipped().constants);
    assert!(calibration.held_out.max_error <= 0.05);
    for run in calibration.runs {
        assert_eq!(
            run.fitted_cycles, run.measured_cycles as f64,
            "{}",
            run.name
        );
    }
}

#[test]
fn constants_are_refused_for_a_network_that_they_were_not_fitted_to() {
    let other = network_with("collective_noc_4x4", &[("cluster.dma.start_cycles", "9")]);
    let error = shipped()
        .constants_for(other.spec())
        .unwrap_err()
        .to_string();
    let words = ["cluster.dma.start_cycles = 9", "2", "noccl calibrate"];
    assert_says(&error, &words);
    let larger = network("collective_noc_8x8_large");
    assert!(shipped().constants_for(larger.spec()).is_ok());
}

#[test]
fn a_calibration_reads_back_what_was_written() {
    let text = noccl_studies::calibration_text(&shipped()).unwrap();
    assert_eq!(Calibration::read("text", &text), Ok(shipped()));
    let newer = text.replace("format = 1", "format = 2");
    let error = Calibration::read("newer.toml", &newer)
        .unwrap_err()
        .to_string();
    assert_says(&error, &["newer.toml", "format 2"]);
}

#[test]
fn calibration_refuses_a_mesh_too_small_for_its_runs() {
    let small = network("collective_noc_2x2");
    let error = calibrate(&small, "a test", Watch::quiet())
        .unwrap_err()
        .to_string();
    assert_says(&error, &["2x2", "4 columns"]);
}

#[test]
fn closed_forms_are_within_5_percent_of_the_simulator_on_the_papers_grid_and_3_in_the_median() {
    let net = network("collective_noc_4x4");
    let accuracy = model_accuracy(&net, &shipped(), Watch::quiet()).unwrap();
    assert!(accuracy.rows.len() > 200, "{}", accuracy.rows.len());
    for row in &accuracy.rows {
        assert!(row.error.abs() <= 0.05, "{row:?}");
    }
    assert!(accuracy.median_error <= 0.03 && accuracy.holds);
}

#[test]
fn published_equations_give_the_papers_numbers() {
    for row in published_rows() {
        assert!(row.holds, "{row:?}");
    }
}

#[test]
fn published_equations_leave_the_simulator_where_our_model_stays() {
    let rows = deviations(&shipped(), 8, Watch::quiet()).unwrap();
    for row in &rows {
        assert!(row.model_error.abs() <= 0.05, "{row:?}");
    }
    let multicast = |side: u16, bytes: u64| {
        let of = |row: &&noccl_studies::DeviationRow| {
            (row.side, row.bytes, row.algorithm.as_str()) == (side, bytes, "in_network")
        };
        rows.iter().find(of).unwrap().published_error.abs()
    };
    assert!(multicast(4, 32 << 10) < MARKED_DEVIATION);
    assert!(multicast(8, 1 << 10) > MARKED_DEVIATION);
}

/// Where four and five operands meet, beats take two passes, with waits that the model takes as a mean.
#[test]
fn reductions_to_inner_clusters_are_predicted_within_7_percent() {
    let net = network("collective_noc_4x4");
    for (group, root) in [("all", "1,0"), ("all", "1,1"), ("0,0,4,2", "1,0")] {
        for element in [ElementType::Fp64, ElementType::Fp32, ElementType::Fp16] {
            let group = parse_group(&net, group).unwrap();
            let sizes = vec![64, 4 << 10, 8 << 10, 16 << 10];
            let mut request = CompareRequest::new(CollectiveKind::Reduce, group, sizes);
            request.root = Some(parse_root(&net, root).unwrap());
            request.element = element;
            request.algorithms = parse_algorithms("in_network").unwrap();
            let simulated = compare(&net, &request, Watch::quiet()).unwrap().rows;
            let by_model = compare_by_model(&net, &request, &shipped()).unwrap().rows;
            for (row, model) in simulated.iter().zip(&by_model) {
                let error = model.cycles as f64 / row.cycles as f64 - 1.0;
                let most = if row.bytes == 64 { 0.0 } else { 0.07 };
                assert!(error.abs() <= most, "{error} {} {row:?}", model.cycles);
            }
        }
    }
}

/// Cycles of the model over those of the simulator, less 1: a reduction of 4 KiB over a rectangle of 8x8 into a root.
fn reduction_error(net: &Network, (columns, rows): (u16, u16), root: (u16, u16)) -> f64 {
    let group = parse_group(net, &format!("0,0,{columns},{rows}")).unwrap();
    let mut request = CompareRequest::new(CollectiveKind::Reduce, group, vec![4 << 10]);
    request.root = Some(parse_root(net, &format!("{},{}", root.0, root.1)).unwrap());
    request.algorithms = parse_algorithms("in_network").unwrap();
    let simulated = compare(net, &request, Watch::quiet()).unwrap().rows;
    let by_model = compare_by_model(net, &request, &shipped()).unwrap().rows;
    by_model[0].cycles as f64 / simulated[0].cycles as f64 - 1.0
}

/// Exact into a corner; with more operands at the root beats take two passes, whose waits are a mean; several multi-addresses: several at once.
#[test]
fn reductions_over_rectangles_up_to_8x8_are_predicted_into_every_kind_of_root() {
    let net = network("collective_noc_8x8");
    for (columns, rows) in [1u16, 2, 3, 4, 6, 8]
        .map(|c| [1u16, 2, 4, 7, 8].map(|r| (c, r)))
        .concat()
    {
        let (east, north) = (columns - 1, rows - 1);
        let corners = [(0, 0), (0, north), (east, 0), (east, north)];
        let inside = [(columns / 2, rows / 2), (columns / 2, 0), (0, rows / 2)];
        let is_one = columns.is_power_of_two() && rows.is_power_of_two();
        for root in corners.into_iter().chain(inside) {
            let most = match (is_one, corners.contains(&root)) {
                (true, true) => 0.0,
                (true, false) => 0.12,
                (false, true) => 0.06,
                (false, false) => 0.4,
            };
            let error = reduction_error(&net, (columns, rows), root);
            assert!(
                error.abs() <= most,
                "{columns}x{rows} into {root:?}: {error}"
            );
        }
    }
}

/// Every algorithm of the paper by both backends: cycles within 5 %, the same energy.
fn agree(kind: CollectiveKind, preset: &str, group: &str, root: &str, bytes: u64) {
    let net = network(preset);
    let mut request = CompareRequest::new(kind, parse_group(&net, group).unwrap(), vec![bytes]);
    request.root = Some(parse_root(&net, root).unwrap());
    let by_model = compare_by_model(&net, &request, &shipped()).unwrap().rows;
    // Others of the library send over the same links at the same time, and so do the segments of an all-reduce.
    let paper = [
        "chain",
        "tree",
        "row_column",
        "in_network",
        "in_network_once",
        "counter",
    ];
    for model in by_model {
        let is_segmented = kind == CollectiveKind::AllReduce && model.algorithm == "in_network";
        if is_segmented || !paper.contains(&model.algorithm.as_str()) {
            continue;
        }
        let mut name = model.algorithm.clone();
        for key in [
            "chunks",
            "inner",
            "forwarding",
            "structure",
            "counters",
            "root",
        ] {
            let value = model.parameters.get(key).map(String::as_str);
            let is_default = name.starts_with("row_column") && value == Some("chain");
            if let Some(value) = value.filter(|_| !is_default) {
                name += &format!(":{value}");
            }
        }
        request.algorithms = parse_algorithms(&name).unwrap();
        let rows = compare(&net, &request, Watch::quiet()).unwrap().rows;
        let simulated: &CompareRow = &rows[0];
        let error = model.cycles as f64 / simulated.cycles as f64 - 1.0;
        let what = format!("{kind:?} {group} {root} {bytes} {name}");
        assert!(
            error.abs() <= 0.05,
            "{what}: {}, {}",
            model.cycles,
            simulated.cycles
        );
        assert_eq!(model.energy_pj, simulated.energy_pj, "{what}");
        assert_eq!(
            (model.verified, simulated.verified),
            (Verified::NotChecked, Verified::Yes)
        );
    }
}

#[test]
fn both_backends_agree_on_any_group_and_root_while_no_link_is_contended() {
    use CollectiveKind::{AllReduce, Barrier, Multicast, Reduce};
    for (group, root) in [("row:1", "0,1"), ("column:2", "2,3"), ("0,0,4,2", "1,1")] {
        for bytes in [1 << 10, 8 << 10] {
            for kind in [Multicast, Reduce, AllReduce] {
                agree(kind, "collective_noc_4x4", group, root, bytes);
            }
        }
        agree(Barrier, "collective_noc_4x4", group, root, 0);
    }
    agree(Multicast, "collective_noc_8x8", "all", "mem:0", 2048);
    agree(Reduce, "collective_noc_8x8", "all", "0,0", 2048);
}

#[test]
fn the_closed_form_of_an_all_reduce_in_one_transaction_is_its_runtime() {
    use noccl_workload::ActionKind;
    for (preset, groups) in [
        (
            "collective_noc_4x4",
            ["all", "row:1", "column:2", "2,0,2,4"],
        ),
        ("collective_noc_8x8", ["all", "row:7", "4,0,4,4", "0,2,8,2"]),
    ] {
        let net = network(preset);
        for (at, group) in groups.into_iter().enumerate() {
            let element = [ElementType::Fp64, ElementType::Fp32, ElementType::Int8][at % 3];
            for name in ["in_network_once", "in_network_once:centre"] {
                let group = parse_group(&net, group).unwrap();
                let mut request =
                    CompareRequest::new(CollectiveKind::AllReduce, group, vec![64, 4096]);
                request.element = element;
                let choice: noccl_coll::Choice = name.parse().unwrap();
                request.algorithms = vec![noccl_studies::AlgorithmRequest::Fixed(choice)];
                for row in compare(&net, &request, Watch::quiet()).unwrap().rows {
                    let collective = noccl_workload::Collective {
                        kind: CollectiveKind::AllReduce,
                        group: request.group.clone(),
                        root: parse_root(&net, "0,0").unwrap(),
                        bytes: row.bytes,
                        input_offset: 0,
                        output_offset: row.bytes,
                        operator: request.operator,
                        element,
                        lengths: None,
                        definition: None,
                    };
                    let schedule = noccl_coll::schedule(&net, &collective, choice).unwrap();
                    let ActionKind::InNetworkAllReduce(r) = &schedule.actions[0].kind else {
                        panic!("{name} is one transaction");
                    };
                    let formula =
                        noccl_model::all_reduce_once_cycles(net.as_axi().unwrap(), r).unwrap();
                    let what = format!("{preset} {:?} {element:?} {name}", request.group);
                    // Exact but for partial sums, whose waits are a mean.
                    let most = if name == "in_network_once" || row.bytes == 64 {
                        0
                    } else {
                        formula / 10
                    };
                    let is_near = formula.abs_diff(row.cycles) <= most;
                    assert!(is_near, "{what}: {formula}, {row:?}");
                }
            }
        }
    }
}

#[test]
fn products_are_predicted_from_their_schedules() {
    use noccl_coll::gemm::{Spread, SubmatrixShape, Summa, Sync, summa};
    let shape = SubmatrixShape {
        rows: 18,
        columns: 18,
        inner: 18,
        element: ElementType::Fp64,
    };
    let kinds = [
        (Spread::InNetwork, Sync::Barriers),
        (Spread::InNetwork, Sync::Flags),
        (Spread::Tree, Sync::Barriers),
        (Spread::Chain { chunks: 1 }, Sync::Barriers),
    ];
    for preset in ["collective_noc_4x4", "collective_noc_8x8"] {
        let net = network(preset);
        // Bound by transfers that cross each other, where the model is a guess, and by the kernels.
        for (compute_cycles, tolerance) in [(100, 0.2), (743, 0.02)] {
            for (spread, sync) in kinds {
                let product = Summa {
                    shape,
                    iterations: 8,
                    prefetch: 2,
                    spread,
                    sync,
                    compute_cycles,
                };
                let schedule = summa(net.as_axi().unwrap(), &product).unwrap().schedule;
                let predicted = noccl_model::predict(&net, &schedule, &shipped()).unwrap();
                let config = noccl_run::RunConfig::new(noccl_run::Mode::Timing);
                let run =
                    noccl_sim::run_schedule(&net, &schedule, &[], &[], &config, &mut |_| true);
                let cycles = runtime_cycles(Some(&schedule), &run.unwrap().actions);
                let error = predicted.cycles / cycles as f64 - 1.0;
                assert!(
                    error.abs() <= tolerance,
                    "{preset} {compute_cycles} {spread} {sync:?}: {}, {}",
                    predicted.cycles,
                    cycles
                );
            }
        }
    }
}
