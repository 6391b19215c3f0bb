// SPDX-License-Identifier: Apache-2.0
//! Advice is arithmetic over comparisons, and says what it rests on.

use noccl_studies::{
    Advice, AdviceEvidence, AdvicePart, AdviceRequest, AdviceRow, AdviceSimulation, AdviceWorkload,
    CompareRequest, Mechanism, WORKLOAD_NAMES, Watch, advice_files, advise, compare, load,
    parse_algorithms, parse_group, parse_workload, read_workload,
};
use noccl_testkit::assert_says;
use noccl_workload::{CollectiveKind, ElementType};

const SMALL: &str = r#"
format = 1
name = "small"
about = "A bit of everything"
source = "this test"
flops_per_cluster_cycle = 16
memory_bytes_per_cycle = 64

[[step]]
name = "computation"
count = 3
flops = 256_000
memory_bytes = 128_000

[[step]]
name = "sums"
collective = "allreduce"
count = 5
bytes = 1024
element = "fp32"

[[step]]
name = "exchange"
collective = "all_to_all"
count = 2
total_bytes = 4096

[[step]]
name = "meeting"
collective = "barrier"
count = 7
"#;

fn advice(text: &str, mesh: (u32, u32), simulation: AdviceSimulation) -> Advice {
    let request = AdviceRequest {
        mesh,
        workload: parse_workload("small.toml", text).unwrap(),
        simulation,
    };
    advise(&request, Watch::quiet()).unwrap()
}

fn row(advice: &Advice, mechanism: Mechanism) -> &AdviceRow {
    let mut rows = advice.rows.iter();
    rows.find(|row| row.mechanism == mechanism).unwrap()
}

/// Cycles that a comparison of the part's algorithm alone reports.
fn compared(row: &AdviceRow, part: &AdvicePart) -> u64 {
    let network = load(&row.network, &[]).unwrap().network;
    let group = parse_group(&network, "all").unwrap();
    let kind = part.call.split(' ').next().unwrap();
    let kind = noccl_studies::parse_collective(kind).unwrap();
    let bytes = if kind == CollectiveKind::AllToAll {
        64
    } else {
        1024
    };
    let mut request = CompareRequest::new(kind, group, vec![bytes]);
    request.element = if row.mechanism == Mechanism::Smart {
        ElementType::Int32
    } else {
        ElementType::Fp32
    };
    request.algorithms = parse_algorithms(&part.algorithm).unwrap();
    if kind == CollectiveKind::Multicast {
        let corner = noccl_net::Coord::new(0, 0);
        request.root = Some(noccl_net::TileRef::Cluster(corner));
    }
    let rows = compare(&network, &request, Watch::quiet()).unwrap().rows;
    rows[0].cycles
}

#[test]
fn cycles_of_a_workload_are_those_of_comparisons_times_its_calls() {
    let advice = advice(SMALL, (4, 4), AdviceSimulation::All);
    assert_eq!(advice.rows.len(), Mechanism::ALL.len(), "{advice:?}");
    // 3 times the longer of 256000 / (16 * 16) and 128000 / 64 cycles of 1 GHz.
    assert!(
        (advice.compute_us - 6.0).abs() < 1e-9,
        "{}",
        advice.compute_us
    );
    for row in &advice.rows {
        let sum: u64 = (row.parts.iter())
            .map(|part| part.count * compared(row, part))
            .sum();
        assert_eq!(row.cycles, sum, "{row:?}");
        let time = advice.compute_us + sum as f64 / (row.clock_ghz * 1e3);
        assert!((row.time_us - time).abs() < 1e-9, "{row:?}");
        assert_eq!(row.evidence, AdviceEvidence::Simulated);
        assert!(row.bound_cycles <= row.cycles, "{row:?}");
        let counts: Vec<u64> = row.parts.iter().map(|part| part.count).collect();
        assert!(counts.ends_with(&[2, 7]) && counts[0] == 5, "{counts:?}");
    }
    let (software, wide) = (&advice.rows[0], row(&advice, Mechanism::WideReduction));
    assert_eq!((software.speedup, software.collectives_speedup), (1.0, 1.0));
    assert!((wide.speedup - software.time_us / wide.time_us).abs() < 1e-12);
    assert!(wide.speedup > 1.0 && wide.collectives_speedup > wide.speedup);
}

#[test]
fn each_hardware_is_used_by_the_mechanisms_that_have_it_alone() {
    let advice = advice(SMALL, (4, 4), AdviceSimulation::All);
    let uses = |mechanism: Mechanism, call: &str| {
        let parts = row(&advice, mechanism).parts.iter();
        let mut parts = parts.filter(|part| part.call.starts_with(call));
        parts.any(|part| part.algorithm.starts_with("in_network"))
    };
    for mechanism in Mechanism::ALL {
        let [merges, adds] = match mechanism {
            Mechanism::Software | Mechanism::Torrent | Mechanism::Multicast | Mechanism::Cores => {
                [false, false]
            }
            Mechanism::ParallelReduction => [true, false],
            Mechanism::WideReduction | Mechanism::Bypass | Mechanism::Smart => [true, true],
        };
        assert_eq!(uses(mechanism, "barrier"), merges, "{mechanism:?}");
        assert_eq!(uses(mechanism, "all_reduce"), adds, "{mechanism:?}");
    }
    // Hardware is never a loss on the same network.
    let cycles = |one: Mechanism| row(&advice, one).cycles;
    assert!(cycles(Mechanism::Multicast) <= cycles(Mechanism::Software));
    assert!(cycles(Mechanism::WideReduction) <= cycles(Mechanism::ParallelReduction));
    // What merges barriers does nothing else than what multicasts.
    assert!(cycles(Mechanism::ParallelReduction) < cycles(Mechanism::Multicast));
}

#[test]
fn the_same_request_has_the_same_advice_and_json_keeps_all_of_it() {
    let first = advice(SMALL, (2, 2), AdviceSimulation::Winners);
    assert_eq!(first, advice(SMALL, (2, 2), AdviceSimulation::Winners));
    let value = serde_json::to_value(&first).unwrap();
    assert_eq!(serde_json::from_value::<Advice>(value).unwrap(), first);
}

#[test]
fn what_is_left_to_its_bound_is_slower_than_that() {
    let text = SMALL.replace("bytes = 1024", "bytes = 16384");
    let winners = advice(&text, (4, 4), AdviceSimulation::Winners);
    let all = advice(&text, (4, 4), AdviceSimulation::All);
    let bounds = winners.rows.iter();
    let bounds: Vec<&AdviceRow> = bounds
        .filter(|row| row.evidence == AdviceEvidence::Bound)
        .collect();
    assert!(!bounds.is_empty());
    for bound in bounds {
        let simulated = row(&all, bound.mechanism);
        assert!(simulated.cycles >= bound.cycles, "{bound:?}");
        assert!(
            simulated.collectives_us
                > all.rows[0]
                    .collectives_us
                    .min(row(&all, Mechanism::WideReduction).collectives_us)
        );
    }
    assert_eq!(winners.conclusion.fastest, all.conclusion.fastest);
}

#[test]
fn estimates_name_their_error_and_are_never_below_the_bound() {
    let advice = advice(SMALL, (4, 4), AdviceSimulation::None);
    let page = include_str!("../../../../docs/model.md");
    for row in &advice.rows {
        assert_eq!(row.evidence, AdviceEvidence::Estimated);
        assert!(row.cycles >= row.bound_cycles, "{row:?}");
        for part in &row.parts {
            let error = part.error.as_deref().unwrap();
            assert!(
                error.starts_with("not known") || page.contains(error),
                "{error}"
            );
        }
    }
}

#[test]
fn shipped_workloads_follow_from_their_published_shapes() {
    for name in WORKLOAD_NAMES {
        let workload = read_workload(name).unwrap();
        assert_eq!(workload.name, name);
        assert!(!workload.source.is_empty());
    }
    let calls = |name: &str, collective: &str| -> (u64, u64) {
        let workload = read_workload(name).unwrap();
        let steps = workload.step.iter();
        let of = steps.filter(|step| step.collective.as_deref() == Some(collective));
        let (mut count, mut bytes) = (0, 0);
        for step in of {
            count += step.count;
            bytes += step.count * step.bytes.or(step.total_bytes).unwrap();
        }
        (count, bytes)
    };
    // Two sums per layer of hidden size times tokens times two bytes.
    let (hidden, layers) = (4096, 32);
    let sums = |tokens: u64| (2 * layers, 2 * layers * hidden * tokens * 2);
    assert_eq!(calls("llama3-8b-decode", "all_reduce"), sums(1));
    assert_eq!(calls("llama3-8b-prefill", "all_reduce"), sums(512));
    // There and back, two experts for each of 256 tokens.
    let moved = 2 * layers * 256 * 2 * hidden * 2;
    assert_eq!(calls("mixtral-moe", "all_to_all"), (2 * layers, moved));
    assert_eq!(calls("fft", "all_to_all"), (3, 3 * (1 << 20) * 8));
    assert_eq!(calls("stencil", "halo"), (3335, 3335 * 4000 * 8));
    assert_eq!(calls("stencil", "all_reduce").0, 2 * 3335);
}

/// Weights of a layer follow from the model's dimensions.
#[test]
fn computation_of_language_models_follows_from_their_dimensions() {
    let flops = |name: &str, step: &str| -> f64 {
        let workload: AdviceWorkload = read_workload(name).unwrap();
        let mut steps = workload.step.into_iter();
        steps.find(|one| one.name == step).unwrap().flops.unwrap()
    };
    let attention = 2.0 * 4096.0 * 4096.0 + 2.0 * 4096.0 * 1024.0;
    let expert = 3.0 * 4096.0 * 14_336.0;
    let layer = "weights of a layer";
    let of_token = 2.0 * (attention + expert);
    assert_eq!(flops("llama3-8b-decode", layer), of_token);
    assert_eq!(flops("llama3-8b-prefill", layer), 512.0 * of_token);
    let of_batch = 256.0 * 2.0 * (attention + 2.0 * expert);
    assert_eq!(flops("mixtral-moe", layer), of_batch);
    assert_eq!(
        flops("llama3-8b-decode", "output head"),
        2.0 * 4096.0 * 128_256.0
    );
}

#[test]
fn neighbours_exchange_borders_on_all_networks() {
    let text = SMALL.replace("\"all_to_all\"", "\"halo\"");
    let advice = advice(&text, (4, 2), AdviceSimulation::All);
    assert_eq!(
        advice.rows.len(),
        Mechanism::ALL.len(),
        "{:?}",
        advice.left_out
    );
    for row in &advice.rows {
        let halo = row.parts.iter().find(|part| part.call.starts_with("halo"));
        let halo = halo.unwrap();
        // A line of 4096 bytes over two rows.
        assert_eq!(halo.call, "halo of 2 KiB");
        let file = if row.mechanism == Mechanism::Cores {
            "--lengths halo_4x2_2048.json"
        } else {
            "--definition halo_4x2.json"
        };
        assert_says(&halo.command, &[file]);
    }
    let request = AdviceRequest {
        mesh: (4, 2),
        workload: parse_workload("small.toml", &text).unwrap(),
        simulation: AdviceSimulation::None,
    };
    let files = advice_files(&request).unwrap();
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["halo_4x2.json", "halo_4x2_2048.json"]);
    // Ten pairs of neighbours, in both directions.
    assert_eq!(files[1].1.matches("2048").count(), 20);
}

#[test]
fn a_wrong_workload_is_refused_with_line_field_and_what_is_accepted() {
    let with = |from: &str, to: &str| SMALL.replacen(from, to, 1);
    for (text, words) in [
        (
            with("format = 1", "format = 2"),
            &["line 2", "format = 2", "accepted: 1"][..],
        ),
        (
            with("count = 5", "count = 0"),
            &["line 18", "step.1.count = 0", "1 to"],
        ),
        (
            with("count = 5", "calls = 5"),
            &["line 18", "calls", "count"],
        ),
        (with("count = 5", "count = -5"), &["line 18", "-5"]),
        (
            with("\"allreduce\"", "\"allsum\""),
            &["line 17", "step.1.collective = allsum", "halo, multicast"],
        ),
        (
            with("\"allreduce\"", "\"custom\""),
            &["line 17", "custom", "halo"],
        ),
        (
            with("bytes = 1024", "bytes = 1023"),
            &["line 19", "step.1.bytes = 1023", "4 bytes"],
        ),
        (
            with("bytes = 1024", "total_bytes = 1024"),
            &["line 19", "whole payload"],
        ),
        (
            with("bytes = 1024\n", ""),
            &["line 15", "step.1.bytes = missing"],
        ),
        (with("\"fp32\"", "\"fp31\""), &["line 20", "fp31", "fp32"]),
        (
            with("total_bytes = 4096", "element = \"fp32\"\nbytes = 64"),
            &["line 26", "combines"],
        ),
        (
            with("count = 7", "count = 7\nbytes = 8"),
            &["line 32", "barrier has no payload"],
        ),
        (
            with("flops = 256_000", "flops = 0"),
            &["line 12", "above 0"],
        ),
        (
            with("flops = 256_000", "bytes = 64"),
            &["line 12", "step.0.bytes", "a step with a collective"],
        ),
        (
            with("flops_per_cluster_cycle = 16\n", ""),
            &["line 11", "flops_per_cluster_cycle"],
        ),
        (
            with("count = 5", "count = 5\nflops = 3"),
            &["line 19", "a step without a collective"],
        ),
        (
            with("collective = \"allreduce\"\n", ""),
            &["line 18", "step.1.bytes"],
        ),
    ] {
        let error = parse_workload("small.toml", &text).unwrap_err().to_string();
        assert_says(&error, &["small.toml: not a workload"]);
        assert_says(&error, words);
    }
    let empty = SMALL.split("[[step]]").next().unwrap();
    let error = parse_workload("small.toml", empty).unwrap_err().to_string();
    assert_says(&error, &["step"]);
    assert_says(
        read_workload("ftt").unwrap_err().to_string(),
        &["ftt", "stencil", "fft"],
    );
}

#[test]
fn a_mesh_or_group_that_does_not_exist_is_refused() {
    let asked = |mesh: (u32, u32), text: &str| {
        let request = AdviceRequest {
            mesh,
            workload: parse_workload("small.toml", text).unwrap(),
            simulation: AdviceSimulation::None,
        };
        advise(&request, Watch::quiet()).unwrap_err().to_string()
    };
    assert_says(asked((1, 1), SMALL), &["--mesh", "two clusters"]);
    assert_says(asked((65, 2), SMALL), &["--mesh", "64"]);
    let text = SMALL.replacen("count = 5", "count = 900_000_000", 1);
    let text = text.replacen("bytes = 1024", "bytes = 104_857_600", 1);
    assert_says(
        asked((4, 4), &text),
        &["--workload", "sums", "at most 1000000000 calls"],
    );
    let text = SMALL.replacen("count = 7", "count = 7\ngroup = \"0,0,9,9\"", 1);
    assert_says(asked((4, 4), &text), &["--group", "0,0,9,9"]);
}

#[test]
fn work_that_is_asked_to_end_ends() {
    let request = AdviceRequest {
        mesh: (4, 4),
        workload: parse_workload("small.toml", SMALL).unwrap(),
        simulation: AdviceSimulation::All,
    };
    let error = advise(&request, Watch::new(&|_| false)).unwrap_err();
    assert_says(error.to_string(), &["interrupted"]);
}
