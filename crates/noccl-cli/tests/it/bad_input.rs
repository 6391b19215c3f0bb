// SPDX-License-Identifier: Apache-2.0
//! Wrong input ends with exit code 2 (1 for a schedule that is proved wrong), a message that names
//! the field and what would be accepted, no panic, and no file.

use crate::common::{Folder, done, fails, noccl};
use noccl_testkit::assert_says;

/// The command fails with this code, its message holds all these words, and nothing else came out.
fn refuses(arguments: &str, words: &[&str]) {
    let folder = Folder::new();
    check(&folder, arguments, 2, words);
    let left = folder.names();
    assert!(left.is_empty(), "{arguments} left {left:?}");
}

fn check(folder: &Folder, arguments: &str, code: i32, words: &[&str]) {
    let said = fails(folder, code, arguments);
    assert!(said.stdout.is_empty(), "{arguments}: {said:?}");
    assert!(!said.stderr.contains("panicked"), "{arguments}: {said:?}");
    assert_says(&said.stderr, words);
}

#[test]
fn unknown_presets_and_files_are_named_with_what_exists() {
    refuses(
        "elaborate collective_noc_4x5x",
        &["collective_noc_4x5x", "collective_noc_4x4"],
    );
    refuses(
        "compare barrier --spec nothing.toml",
        &["nothing.toml", "cannot read"],
    );
}

#[test]
fn unknown_or_mistyped_overrides_name_the_key_and_the_fields_there() {
    let base = "elaborate collective_noc_4x4 -P";
    let refused = |rest: &str, words: &[&str]| refuses(&format!("{base} {rest}"), words);
    refused(
        "ni.max_burst_beat=3",
        &["ni.max_burst_beat", "max_burst_beats"],
    );
    refused(
        "ni.max_burst_beats=three",
        &["ni.max_burst_beats", "integer"],
    );
    refused("ni.max_burst_beats", &["KEY=VALUE"]);
    refused("mesh.width=0", &["mesh"]);
}

#[test]
fn a_misspelt_key_of_a_spec_file_is_named_with_the_nearest_one() {
    let folder = Folder::new();
    let spec = noccl("elaborate collective_noc_4x4 --toml").stdout;
    folder.file(
        "spec.toml",
        &spec.replace("max_burst_beats", "max_burst_beat"),
    );
    check(
        &folder,
        "elaborate ./spec.toml",
        2,
        &["spec.toml", "max_burst_beat", "did you mean"],
    );
}

#[test]
fn groups_and_roots_outside_the_mesh_name_the_option_and_the_mesh() {
    let base = "compare multicast --bytes 1KiB";
    let refused = |rest: &str, words: &[&str]| refuses(&format!("{base} {rest}"), words);
    refused("--group 0,0,5,1", &["--group", "0,0,5,1", "4 x 4"]);
    refused("--group row:4", &["--group", "row:4"]);
    refused("--group 0,0,0,1", &["--group", "at least 1"]);
    refused("--group everyone", &["--group", "everyone", "row:Y"]);
    refused("--root 4,0", &["--root", "4,0"]);
    refused("--root mem:9", &["--root", "mem:9"]);
    refused("--root centre", &["--root", "mem:N"]);
}

#[test]
fn impossible_sizes_name_the_element_or_the_memory() {
    refuses(
        "compare multicast --bytes 0",
        &["--bytes", "0", "at least one byte"],
    );
    refuses("compare reduce --bytes 12", &["--bytes", "12", "8 bytes"]);
    refuses("compare reduce --bytes 1kW", &["--bytes", "1kW", "KiB"]);
    refuses(
        "compare reduce --bytes 128KiB",
        &["--bytes", "262144", "131072", "cluster.l1_bytes"],
    );
    refuses(
        "compare multicast --bytes 2MiB",
        &["--bytes", "2097152", "1048576", "memory.bytes"],
    );
}

#[test]
fn unknown_algorithms_operators_elements_and_kinds_name_what_exists() {
    let base = "compare reduce --bytes 1KiB";
    let refused = |rest: &str, words: &[&str]| refuses(&format!("{base} {rest}"), words);
    refused("--algorithms star", &["--algorithms", "star", "in_network"]);
    refused("--algorithms chain:0", &["--algorithms", "chain:0"]);
    refused("--algorithms counter", &["counter", "reduce"]);
    refused("--operator mean", &["--operator", "mean", "sum"]);
    refused("--element fp128", &["--element", "fp128", "fp64"]);
    refused("--operator and", &["And", "integer"]);
    refuses("compare gossip --bytes 1KiB", &["gossip", "all_reduce"]);
    refuses("stress --only writes", &["--only", "writes", "multicast"]);
    refuses("schema specs", &["specs", "schedule"]);
    refuses("bench --only fast", &["--only", "fast", "uniform_16x16"]);
}

#[test]
fn an_algorithm_that_is_named_twice_or_in_too_many_chunks_has_one_row_and_a_note() {
    let compare = "compare reduce --group row --columns algorithm";
    for (algorithms, note) in [
        (
            "tree,binomial",
            "note: tree is named more than once and has one row",
        ),
        ("chain:8,chain:8", "note: chain:8 is named more than once"),
        (
            "chain:16,chain:99999",
            "chain:99999 is named more than once",
        ),
        ("chain:99999", "note: chain:99999 of 1 KiB has 16 chunks"),
    ] {
        let said = done(
            &Folder::new(),
            &format!("{compare} --algorithms {algorithms}"),
        );
        let names = ["tree", "chain:"].map(|name| format!("\n{name}"));
        let rows = names
            .iter()
            .map(|name| said.stdout.matches(name.as_str()).count());
        assert_eq!(rows.sum::<usize>(), 1, "{}", said.stdout);
        assert_says(&said.stdout, &[note]);
    }
    let schedule = "schedule reduce --group row --algorithm chain:99999";
    let said = done(&Folder::new(), schedule);
    assert_says(&said.stderr, &["note: chain:99999 of 1 KiB has 16 chunks"]);
}

#[test]
fn impossible_traffic_names_the_option_and_the_range() {
    refuses(
        "traffic uniform --loads 1.5",
        &["--loads", "1.5", "at most 1"],
    );
    refuses("traffic uniform --loads 0", &["--loads", "above 0"]);
    refuses("traffic uniform --beats 65", &["beats", "65", "64"]);
    refuses(
        "traffic uniform --spec tilepro64_4x4 --beats 35",
        &["beats", "35", "1 to 34 (core.unit_bytes)"],
    );
    refuses(
        "traffic broadcast --spec tilepro64_4x4",
        &["broadcast", "uniform, transpose"],
    );
    refuses("traffic diagonal", &["pattern", "diagonal", "transpose"]);
    refuses(
        "traffic transpose --spec collective_noc_4x2",
        &["transpose", "4x2"],
    );
    refuses("stress --seeds 0", &["--seeds", "1 to 1000000"]);
    refuses(
        "stress --transactions 8",
        &["--transactions", "64 to 16384"],
    );
}

#[test]
fn a_broken_schedule_file_is_named_with_line_and_field() {
    let folder = Folder::new();
    folder.file("empty.json", "");
    check(&folder, "check empty.json", 2, &["empty.json"]);
    let schedule = noccl("schedule multicast --bytes 1KiB --algorithm in_network").stdout;
    folder.file(
        "key.json",
        &schedule.replacen("\"initiator\"", "\"initator\"", 1),
    );
    check(&folder, "check key.json", 2, &["key.json", "initator"]);
    folder.file(
        "format.json",
        &schedule.replacen("\"format\": 1", "\"format\": 99", 1),
    );
    check(&folder, "check format.json", 2, &["format.json", "99"]);
    check(&folder, "run absent.json", 2, &["absent.json"]);
}

#[test]
fn a_schedule_that_loses_data_or_leaves_memory_fails_the_check_before_it_runs() {
    let folder = Folder::new();
    let text = noccl("schedule multicast --group row --bytes 1KiB --algorithm chain:1").stdout;
    let mut schedule: serde_json::Value = serde_json::from_str(&text).unwrap();
    let actions = schedule["actions"].as_array_mut().unwrap();
    let last = actions
        .iter()
        .rposition(|a| a["kind"].get("transfer").is_some())
        .unwrap();
    actions[last]["kind"]["transfer"]["bytes"] = 512.into();
    folder.file("missing.json", &schedule.to_string());
    for verb in ["check", "run"] {
        check(
            &folder,
            &format!("{verb} missing.json"),
            1,
            &["collective.output_offset", "expected"],
        );
    }
    schedule["actions"][last]["kind"]["transfer"]["bytes"] = (1 << 30).into();
    folder.file("outside.json", &schedule.to_string());
    check(&folder, "check outside.json", 1, &["actions[", "bytes"]);
}

#[test]
fn a_failed_command_leaves_no_output_file() {
    refuses("schedule reduce --bytes 12 -o schedule.json", &["--bytes"]);
    refuses("report absent.json -o page.html", &["absent.json"]);
    let folder = Folder::new();
    folder.file("rows.json", "[]");
    check(&folder, "report rows.json -o page.html", 2, &["no rows"]);
    folder.file("rows.json", "[{}]");
    check(
        &folder,
        "report rows.json -o page.html",
        2,
        &["rows.json", "missing field"],
    );
    assert_eq!(folder.names(), ["rows.json"]);
}

#[test]
fn hardware_that_does_not_exist_is_refused_by_its_field() {
    let published = "rtl -P router.flow=\"published\" -P router.wide_reduction.kind=\"two_operand\" \
                -P router.merge_table_entries=0 -P router.wide_reduction.store_beats=0 \
                -P router.wide_reduction.window_beats=0";
    let refused = |rest: &str, words: &[&str]| refuses(&format!("{published} {rest}"), words);
    refused("--json", &["router.flow", "published", "non_blocking"]);
    refused("--vectors v.hex", &["router.flow", "published"]);
    refuses("rtl", &["--output", "--json"]);
    refuses(
        "rtl -o hardware --sources elsewhere",
        &["elsewhere", "missing", "folder rtl of a checkout"],
    );
}

/// A multicast whose base is its second member.
const MASKED_BASE: &str = r#"{"format":1,"trace":{"transactions":[{"start_cycles":[0],"kind":{"wide_multicast":
{"from":{"cluster":{"x":0,"y":0}},"to":{"base":{"x":1,"y":0},"mask":{"x":1,"y":0}},"beats":1}}}]}}"#;

#[test]
fn a_trace_with_masked_bits_in_a_base_is_refused_by_field_on_every_router() {
    let folder = Folder::new();
    folder.file("masked.json", MASKED_BASE);
    for spec in [
        "collective_noc_4x4",
        "collective_noc_4x4_published",
        "esp_4x5",
    ] {
        check(
            &folder,
            &format!("run masked.json --trace --spec {spec}"),
            1,
            &[
                "transactions[0].kind.wide_multicast.to",
                "base (1,0) with mask (1,0)",
                "here (0,0)",
            ],
        );
    }
}

#[test]
fn a_collective_that_nothing_runs_is_refused_with_the_reason_of_each_algorithm() {
    for verb in [
        "compare all_reduce --spec esp_4x5",
        "matrix --spec esp_4x5 --collectives all_reduce --bytes 64",
    ] {
        let words = [
            "all_reduce: no algorithm of the library runs on esp_4x5",
            "accepted: another collective or network",
            "ring: actions[0].kind = transfer: accepted: list_multicast; ",
            "routers of flow esp carry nothing else",
        ];
        refuses(verb, &words);
    }
}

#[test]
fn benchmarks_are_refused_before_anything_is_compiled() {
    let cases = [
        ("npb foo --ranks 4", "KERNELS 'foo': accepted: is, cg"),
        ("npb is --ranks 0", "--ranks '0': accepted: 1 to 4096"),
        ("npb is --ranks 4097", "--ranks '4097': accepted: 1 to 4096"),
        ("npb is --ranks 4 --class Z", "--class 'Z': accepted: S, W"),
        (
            "npb is --ranks 4 --library foo",
            "--library 'foo': accepted: nocmsg",
        ),
        (
            "npb is --ranks 4 --spec collective_noc_4x4",
            "accepted: a network of core tiles, or --library calls",
        ),
    ];
    for (command, words) in cases {
        refuses(command, &[words]);
    }
}

#[test]
fn what_an_error_of_too_little_memory_proposes_works() {
    let compare = "compare all_reduce --bytes 256KiB --algorithms in_network_once --backend model";
    let folder = Folder::new();
    let said = fails(&folder, 2, compare);
    let (_, options) = said
        .stderr
        .trim()
        .split_once("give fewer bytes, or ")
        .unwrap();
    assert_says(
        options,
        &["cluster.l1_bytes", "mesh.regions.1.stride_bytes"],
    );
    done(&folder, &format!("{compare} {options}"));
    // The addresses of a memory tile cannot grow so far.
    let said = fails(&folder, 2, "compare multicast --bytes 16GiB");
    assert!(said.stderr.ends_with("give fewer bytes\n"), "{said:?}");
}
