// SPDX-License-Identifier: Apache-2.0
//! What is printed is true: what was not checked is not called right, and what is right is not called wrong.

use crate::common::{Folder, done, fails, json, noccl, noccl_in};
use noccl_testkit::assert_says;

#[test]
fn rows_of_the_model_are_not_checked_and_say_so_wherever_they_are_shown() {
    for collective in ["multicast", "reduce", "barrier"] {
        let arguments = format!("compare {collective} --backend model --algorithms in_network");
        for row in json(&format!("{arguments} --json")).as_array().unwrap() {
            assert_eq!(row["verified"], "not_checked", "{row}");
        }
        let table = noccl(&arguments).stdout;
        let (rows, _) = table.split_once("\ntime ").unwrap();
        assert!(rows.contains("not checked"), "{table}");
        assert!(rows.contains("by the model"), "{table}");
        assert!(
            !rows.contains("bit-exact") && !rows.contains("order proved"),
            "{table}"
        );
    }
}

#[test]
fn a_page_of_rows_of_the_model_calls_none_of_them_verified() {
    let folder = Folder::new();
    let rows = noccl("compare multicast --backend model --algorithms in_network --json").stdout;
    // Older versions wrote that such a row was verified.
    for text in [rows.clone(), rows.replace("\"not_checked\"", "true")] {
        folder.file("rows.json", &text);
        done(&folder, "report rows.json -o page.html");
        let page = std::fs::read_to_string(folder.0.join("page.html")).unwrap();
        assert!(page.contains("1 of 1 results are not checked."), "{page}");
        assert!(!page.contains("results are verified") && !page.contains(">bit-exact"));
    }
}

#[test]
fn rows_of_older_versions_are_read_and_mean_what_they_meant() {
    let folder = Folder::new();
    let rows = noccl("compare multicast --group row --algorithms in_network --json").stdout;
    for (old, expected) in [
        ("true", "All 1 results are verified."),
        ("false", "1 of 1 results are wrong."),
    ] {
        let text = rows.replace("\"yes\"", old);
        let text: String = text.lines().filter(|l| !l.contains("_tile\"")).collect();
        let text = text.replace("\"flits\": 16,", "\"flits\": 16");
        folder.file("rows.json", &text);
        done(&folder, "report rows.json -o page.html");
        let page = std::fs::read_to_string(folder.0.join("page.html")).unwrap();
        assert_says(&page, &[expected, "wide mesh (0,0)-&gt;(1,0)"]);
    }
    folder.file("rows.json", &rows.replace("\"yes\"", "\"perhaps\""));
    let refused = fails(&folder, 2, "report rows.json -o page.html");
    assert!(refused.stderr.contains("not_checked"), "{refused:?}");
}

#[test]
fn a_product_is_called_right_only_where_bytes_were_compared() {
    let arguments = "gemm summa --mesh 4x4 --collectives in_network";
    assert_eq!(
        json(&format!("{arguments} --json"))[0]["verified"],
        "not_checked"
    );
    assert!(noccl(arguments).stdout.contains("not checked"));
    let value = noccl(&format!("{arguments} --mode value")).stdout;
    assert!(value.contains("all products are right"), "{value}");
    let both = noccl(&format!("{arguments} --mode value --backend sim,model")).stdout;
    assert!(
        both.contains("1 products are right, bit by bit; the others are not checked"),
        "{both}"
    );
}

#[test]
fn a_movement_of_any_number_of_bytes_is_right_whatever_the_element() {
    let folder = Folder::new();
    for (collective, algorithms) in [
        ("multicast", "in_network chain:1 tree:1"),
        ("all_gather", "in_network ring"),
        ("all_to_all", "pairwise"),
    ] {
        for algorithm in algorithms.split(' ') {
            for bytes in [1, 12, 67] {
                let made = done(
                    &Folder::new(),
                    &format!(
                        "schedule {collective} --group row --bytes {bytes} --element int8 --algorithm {algorithm}"
                    ),
                );
                for element in ["int8", "fp16", "fp32", "fp64"] {
                    let text = made.stdout.replace("\"int8\"", &format!("\"{element}\""));
                    folder.file("s.json", &text);
                    let report = noccl_in(&folder.0, "run s.json --json");
                    let what = format!("{collective} {algorithm} {bytes} {element}: {report:?}");
                    assert_eq!(report.code, Some(0), "{what}");
                    assert!(report.stdout.contains("\"verified\": \"yes\""), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_comparison_of_movements_takes_any_number_of_bytes() {
    let rows =
        json("compare multicast --group row --bytes 1,12,100 --algorithms in_network,tree --json");
    for row in rows.as_array().unwrap() {
        assert_eq!(row["verified"], "yes", "{row}");
    }
}

#[test]
fn a_reduction_of_broken_elements_is_refused_by_its_field() {
    let folder = Folder::new();
    for collective in ["reduce", "all_reduce", "reduce_scatter"] {
        let made = noccl(&format!(
            "schedule {collective} --group row --bytes 12 --element int8"
        ));
        folder.file("s.json", &made.stdout.replace("\"int8\"", "\"fp64\""));
        for verb in ["check", "run"] {
            let said = noccl_in(&folder.0, &format!("{verb} s.json"));
            assert_ne!(said.code, Some(0), "{collective}: {said:?}");
            let names = said.stderr.contains("bytes") && said.stderr.contains("multiple of 8");
            assert!(names, "{collective}: {said:?}");
        }
    }
}

#[test]
fn a_transaction_of_a_trace_has_a_part_of_memory_to_itself_or_is_refused() {
    let folder = Folder::new();
    let trace = |beats: u32| {
        let write = |x: u32| {
            format!(
                r#"{{"start_cycles":[0],"kind":{{"wide_write":{{"from":{{"cluster":{{"x":{x},"y":0}}}},
                "to":{{"cluster":{{"x":1,"y":0}}}},"beats":{beats}}}}}}}"#
            )
        };
        format!(
            r#"{{"format":1,"trace":{{"transactions":[{},{}]}}}}"#,
            write(0),
            write(2)
        )
    };
    folder.file("trace.json", &trace(16_384));
    let largest = done(&folder, "run --trace trace.json --json");
    assert_says(&largest.stdout, &["\"verified\": \"yes\""]);
    folder.file("trace.json", &trace(16_385));
    let refused = noccl_in(&folder.0, "run --trace trace.json --json");
    assert_ne!(refused.code, Some(0), "{refused:?}");
    let field = "transactions[0].kind.wide_write.beats: is 16385; accepted: 1 to 16384";
    assert!(refused.stderr.contains(field), "{refused:?}");
}

#[test]
fn a_table_names_the_ends_of_a_link_as_its_title_names_tiles() {
    let table = noccl("compare multicast --bytes 1KiB --algorithms in_network,tree --wide").stdout;
    assert!(
        table.starts_with("Multicast of 1 KiB from mem:0"),
        "{table}"
    );
    assert!(table.contains("wide mem:0->0,0"), "{table}");
    assert!(table.contains("wide 0,0->0,1"), "{table}");
    assert_says(&table, &["tiles as --root names them"]);
    let rows = json("compare multicast --bytes 1KiB --algorithms in_network --json");
    let link = &rows[0]["busiest_link"];
    assert_eq!(
        (&link["from_tile"], &link["to_tile"]),
        (&"mem:0".into(), &"0,0".into())
    );
}

/// Verbs with an option that takes a number.
const NUMBERS: [(&str, &str); 13] = [
    (
        "traffic uniform --loads 0.1 --no-saturation --measure-cycles 100",
        "--warmup-cycles",
    ),
    (
        "traffic uniform --loads 0.1 --no-saturation --warmup-cycles 0",
        "--measure-cycles",
    ),
    (
        "traffic uniform --loads 0.1 --no-saturation --warmup-cycles 0 --measure-cycles 9",
        "--beats",
    ),
    ("compare multicast --algorithms in_network", "--bytes"),
    ("compare reduce --algorithms in_network", "--bytes"),
    (
        "compare all_to_all --algorithms pairwise --backend model",
        "--bytes",
    ),
    ("schedule all_gather --algorithm in_network", "--bytes"),
    ("gemm summa --collectives in_network", "--prefetch"),
    ("gemm summa --collectives in_network", "--iterations"),
    (
        "attention --mesh 4x4 --head-columns 8 --heads 1",
        "--tokens",
    ),
    (
        "attention --mesh 4x4 --tokens 32 --heads 1",
        "--head-columns",
    ),
    (
        "attention --mesh 4x4 --tokens 32 --head-columns 8",
        "--heads",
    ),
    ("run s.json", "--max-cycles"),
];

/// Numbers that may be anything: seeds, and what only enters a formula.
const ANY: [(&str, &str); 6] = [
    ("order --spec torrent_4x5", "--bytes"),
    (
        "compare reduce --bytes 64 --group row --algorithms in_network",
        "--seed",
    ),
    (
        "traffic uniform --loads 0.1 --no-saturation --warmup-cycles 0 --measure-cycles 99",
        "--seed",
    ),
    ("gemm summa --collectives in_network --mode value", "--seed"),
    (
        "attention --mesh 4x4 --tokens 32 --head-columns 8 --heads 1 --mode value",
        "--seed",
    ),
    ("run s.json", "--seed"),
];

const LARGE: [&str; 4] = [
    "4294967294",
    "4294967295",
    "18446744073709551614",
    "18446744073709551615",
];

#[test]
fn a_number_at_the_end_of_its_type_is_refused_by_its_option_or_taken() {
    let folder = Folder::new();
    folder.file("s.json", &compute(10));
    for (arguments, option) in NUMBERS {
        for number in ["0", "1"].into_iter().chain(LARGE) {
            // So many cycles of traffic are possible, but nobody waits for them here.
            let number = if arguments.starts_with("traffic") && number.len() == 10 {
                "68719476737"
            } else {
                number
            };
            let said = noccl_in(&folder.0, &format!("{arguments} {option} {number}"));
            let what = format!("{arguments} {option} {number}: {said:?}");
            if said.code == Some(0) {
                assert!(number.len() == 1 || option == "--max-cycles", "{what}");
                continue;
            }
            assert!(matches!(said.code, Some(1 | 2)), "{what}");
            let name = option
                .trim_start_matches('-')
                .split('-')
                .next_back()
                .unwrap();
            assert!(said.stderr.contains(name), "{what}");
            assert!(!said.stderr.contains("panicked"), "{what}");
        }
    }
}

#[test]
fn seeds_and_sizes_in_formulas_may_be_any_number() {
    let folder = Folder::new();
    folder.file("s.json", &compute(10));
    for (arguments, option) in ANY {
        for number in LARGE {
            done(&folder, &format!("{arguments} {option} {number}"));
        }
    }
}

#[test]
fn a_share_that_makes_a_kernel_endless_is_refused() {
    for (verb, mesh) in [
        ("gemm summa", "4x4"),
        ("attention --tokens 32 --heads 1", "4x4"),
    ] {
        let said = fails(
            &Folder::new(),
            2,
            &format!("{verb} --mesh {mesh} --utilisation 1e-300"),
        );
        assert!(said.stderr.contains("utilisation"), "{said:?}");
    }
}

/// One cluster that computes for so many cycles.
fn compute(cycles: u64) -> String {
    format!(
        r#"{{"format":1,"algorithm":"wait","parameters":{{}},"collective":null,"actions":[{{"kind":
        {{"compute":{{"tile":{{"cluster":{{"x":0,"y":0}}}},"cycles":{cycles}}}}},"after":[]}}]}}"#
    )
}

#[test]
fn a_run_ends_at_its_limit_however_long_nothing_happens() {
    let folder = Folder::new();
    for spec in ["collective_noc_4x4", "torrent_4x5"] {
        folder.file("s.json", &compute(1 << 40));
        let said = fails(
            &folder,
            1,
            &format!("run s.json --spec {spec} --max-cycles 1000"),
        );
        assert!(
            said.stderr.contains("given up in cycle 1000"),
            "{spec}: {said:?}"
        );
        folder.file("s.json", &compute(990));
        done(
            &folder,
            &format!("run s.json --spec {spec} --max-cycles 2000"),
        );
    }
}

#[test]
fn a_run_of_lists_ends_at_its_limit_too() {
    // A CPU starts one consumer after the other, 100 cycles each; nothing else happens meanwhile.
    let folder = Folder::new();
    let network = "--spec esp_4x5_calibrated";
    let made = done(
        &Folder::new(),
        &format!("schedule multicast {network} --algorithm in_network_list --root 0,0 --bytes 64"),
    );
    folder.file("s.json", &made.stdout);
    let said = fails(
        &folder,
        1,
        &format!("run s.json {network} --max-cycles 150"),
    );
    assert!(said.stderr.contains("given up in cycle 150"), "{said:?}");
}

#[test]
fn computing_takes_the_cycles_that_are_written_or_is_refused() {
    let folder = Folder::new();
    for (cycles, is_accepted) in [
        (0, true),
        (1, true),
        (1 << 39, true),
        ((1 << 48) + 1, false),
        (u64::MAX, false),
    ] {
        folder.file("s.json", &compute(cycles));
        let said = noccl_in(&folder.0, "run s.json --json");
        if is_accepted {
            let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
            let taken = report["cycles"].as_u64().unwrap();
            assert!(
                (cycles..cycles + 100).contains(&taken),
                "{cycles}: {said:?}"
            );
        } else {
            assert_eq!(said.code, Some(1), "{cycles}: {said:?}");
            assert_says(&said.stderr, &["actions[0].kind.compute.cycles"]);
        }
    }
}
