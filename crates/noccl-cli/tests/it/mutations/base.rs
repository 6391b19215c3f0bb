// SPDX-License-Identifier: Apache-2.0
//! Valid files of every format, and command lines that read them.

use crate::common::program::packets_to_itself;
use noccl::Watch;
use noccl::collective::{CollectiveKind, CompareRequest};
use noccl::study::stress::{Recipe, generate};
use noccl::study::{Calibration, StressKind};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Files that are mutated, with the command lines that read each.
pub const READERS: [(&str, &[&str]); 30] = [
    ("spec.toml", SPEC),
    ("published.toml", SPEC),
    ("torrent.toml", SPEC),
    ("esp.toml", SPEC),
    ("cores.toml", CORE_SPEC),
    ("multicast.json", SCHEDULE),
    ("chain.json", SCHEDULE),
    ("tree.json", SCHEDULE),
    ("reduce.json", SCHEDULE),
    ("all_reduce.json", SCHEDULE),
    ("all_gather.json", SCHEDULE),
    ("all_to_all.json", SCHEDULE),
    ("barrier.json", SCHEDULE),
    ("counter.json", SCHEDULE),
    ("chainwrite.json", TORRENT),
    ("list.json", ESP),
    ("messages.json", CORES),
    ("static.json", CORES),
    ("trace.json", TRACE),
    ("calls.messages", MESSAGES),
    ("saved.ckpt", CHECKPOINT),
    ("packets.elf", PROGRAM),
    ("program.ckpt", PROGRAM_CHECKPOINT),
    ("calibration.toml", CALIBRATION),
    ("rows.json", ROWS),
    ("page.md", PAGE),
    ("swap.json", DEFINITION),
    ("lengths.json", LENGTHS),
    ("costs.toml", COSTS),
    ("lu.refs", RECORDING),
];

const SPEC: &[&str] = &[
    "elaborate ./FILE",
    "elaborate ./FILE --json",
    "check reduce.json --spec ./FILE",
    "run reduce.json --spec ./FILE --max-cycles 20000",
    "run chain.json --spec ./FILE --max-cycles 20000",
    "run --trace trace.json --spec ./FILE --max-cycles 20000",
    "compare multicast --bytes 64 --group row --algorithms all --spec ./FILE",
    "compare barrier --group row --algorithms in_network --spec ./FILE",
    "compare reduce --bytes 64 --group row --backend model --algorithms in_network --spec ./FILE",
    "order --by id,nearest --spec ./FILE",
    "stress --seeds 1 --spec ./FILE",
    "traffic uniform --beats 1 --loads 0.1 --no-saturation --warmup-cycles 10 --measure-cycles 100 --spec ./FILE",
    "rtl --json --spec ./FILE",
];
const SCHEDULE: &[&str] = &[
    "check FILE",
    "check FILE --json",
    "run FILE --max-cycles 20000",
    "run FILE --max-cycles 20000 --mode timing --links --json --stalls 60,60",
    "run FILE --max-cycles 20000 --spec collective_noc_4x4_published",
];
const TORRENT: &[&str] = &[
    "check FILE --spec torrent_2x2",
    "run FILE --spec torrent_2x2 --max-cycles 20000",
];
const ESP: &[&str] = &[
    "check FILE --spec esp_2x2",
    "run FILE --spec esp_2x2 --max-cycles 20000",
];
const CORE_SPEC: &[&str] = &[
    "elaborate ./FILE",
    "elaborate ./FILE --json",
    "check messages.json --spec ./FILE",
    "run messages.json --spec ./FILE --max-cycles 20000",
    "run static.json --spec ./FILE --max-cycles 20000 --json",
    "run reduce.json --spec ./FILE --max-cycles 20000",
    "run --trace trace.json --spec ./FILE --max-cycles 20000",
    "compare multicast --bytes 64 --group row --algorithms all --spec ./FILE",
    "compare barrier --group row --backend model --algorithms in_network --spec ./FILE",
    "order --by id,nearest --spec ./FILE",
    "stress --seeds 1 --spec ./FILE",
    "traffic uniform --beats 1 --loads 0.1 --no-saturation --warmup-cycles 10 --measure-cycles 100 --spec ./FILE",
    "rtl --json --spec ./FILE",
];
const CORES: &[&str] = &[
    "check FILE --spec tilepro64_2x2",
    "check FILE --spec tilepro64_2x2 -P core.drain=never",
    "run FILE --spec tilepro64_2x2 --max-cycles 20000",
    "run FILE --spec tilepro64_2x2 --max-cycles 20000 --mode timing --links --json",
    "run FILE --max-cycles 20000",
];
const TRACE: &[&str] = &[
    "run --trace FILE --max-cycles 20000",
    "run --trace FILE --max-cycles 20000 --mode timing --json",
    "run --trace FILE --max-cycles 20000 --spec collective_noc_4x4_published",
];
const MESSAGES: &[&str] = &[
    "run FILE --messages --spec tilepro64_4x4 --max-cycles 20000",
    "run FILE --messages --spec collective_noc_4x4 --max-cycles 20000 --json",
];
const CHECKPOINT: &[&str] = &["run long.json --mode timing --max-cycles 20000 --resume FILE"];
const PROGRAM: &[&str] = &[
    "run FILE --program --ranks 4 --spec tilepro64_2x2 --max-cycles 20000",
    "run FILE --program --ranks 4 --spec tilepro64_2x2 --max-cycles 20000 --resume program.ckpt",
];
const PROGRAM_CHECKPOINT: &[&str] = &[
    "run packets.elf --program --ranks 4 --spec tilepro64_2x2 --max-cycles 20000 --resume FILE",
    "run long.json --mode timing --max-cycles 20000 --resume FILE",
];
const CALIBRATION: &[&str] =
    &["compare multicast --bytes 64 --group row --backend model --calibration FILE"];
const ROWS: &[&str] = &["report FILE -o page.html"];
const PAGE: &[&str] = &["barrier --clusters 2 --page FILE"];
const DEFINITION: &[&str] = &[
    "schedule custom --definition FILE --group 0,0,2,1 --bytes 64 --algorithm point_to_point",
    "compare custom --definition FILE --group 0,0,2,1 --bytes 64",
    "synth custom --definition FILE --group 0,0,2,1 --bytes 64 --tries 2 --time-limit 100ms",
];
const LENGTHS: &[&str] =
    &["schedule all_to_all --spec tilepro64_2x1 --lengths FILE --algorithm pairwise"];
const COSTS: &[&str] =
    &["run packets.elf --program --ranks 4 --spec tilepro64_2x2 --max-cycles 20000 --costs ./FILE"];
const COSTS_TEXT: &str =
    include_str!("../../../../noccl-spec/presets/instruction_costs/in_order.toml");
const RECORDING: &[&str] =
    &["coherence --recording FILE --protocol token --design smart_2x2 --json"];

/// Command lines whose words are mutated.
pub const LINES: [&str; 35] = [
    "elaborate collective_noc_4x4 -P mesh.width=5",
    "elaborate collective_noc_4x4 -P ni.max_burst_beats=64 -P cluster.l1_bytes=131072 --json",
    "schedule reduce --bytes 4KiB --algorithm in_network --group row",
    "schedule multicast --bytes 1KiB --algorithm chain:8 --root mem:0",
    "schedule all_reduce --bytes 64 --algorithm tree:2 --element fp32 --operator sum",
    "schedule all_to_all --bytes 64 --algorithm pairwise --group 0,0,2,2",
    "schedule multicast --spec torrent_2x2 --bytes 64 --algorithm chainwrite:greedy --group set:0,0;1,1",
    "schedule barrier --group row:0",
    "elaborate tilepro64_4x4 -P core.send_cycles=10 -P router.udn.hop_cycles=2 --json",
    "schedule all_to_all --spec tilepro64_3x2 --bytes 128 --algorithm rounds --group all",
    "compare all_reduce --spec tilepro64_2x2 --bytes 64 --algorithms tree,recursive_doubling",
    "order --spec torrent_4x5 --source 0,0 --destinations 0,0,3,2 --bytes 64KiB --by greedy",
    "order --spec torrent_4x5 --counts 4,8 --draws 2 --seed 1 --by id",
    "check reduce.json --spec collective_noc_4x4",
    "run reduce.json --seed 1 --threads 2 --max-cycles 20000 --stalls 60,60 --stall-seed 7",
    "run --trace trace.json --max-cycles 20000 --mode value",
    "run calls.messages --messages --spec tilepro64_4x4 --compute-scale 0.5 --max-cycles 20000",
    "run reduce.json --checkpoint c.ckpt --checkpoint-every 0.5",
    "run packets.elf --program --ranks 4 --spec tilepro64_2x2 --max-cycles 20000 --resume program.ckpt",
    "compare multicast --bytes 64,128 --group row --algorithms chain:2,in_network",
    "compare reduce --group 0,0,2,2 --root 0,0 --bytes 64 --algorithms tree --seed 3",
    "compare barrier --group column:1 --algorithms in_network --json",
    "compare all_gather --group row --bytes 64 --backend model --algorithms auto",
    "matrix --spec collective_noc_2x2 --collectives reduce --bytes 64 --algorithms in_network",
    "baselines --size 2x2 --source 0,0 --destinations 2 --bytes 64",
    "gemm summa --mesh 2x2 --iterations 1 --collectives in_network --submatrix 8x8x8 --prefetch 2",
    "gemm summa --mesh 4x4 --backend model --shape 64x64x64",
    "attention --mesh 2x2 --tokens 16 --heads 1 --head-columns 8",
    "traffic uniform --loads 0.1,0.2 --beats 4 --warmup-cycles 10 --measure-cycles 50 --no-saturation",
    "traffic row_multicast --loads 0.1 --beats 1 --warmup-cycles 10 --measure-cycles 50 --no-saturation",
    "stress --seeds 2 --first-seed 5 --transactions 64 --only write,barrier",
    "barrier --clusters 2,4",
    "report rows.json -o page.html",
    "rtl --spec collective_noc_2x2 --json -P router.merge_table_entries=4",
    "schema trace",
];

/// Commands that make the files, in the folder that is the process's own.
const MAKERS: [&str; 14] = [
    "schedule multicast --bytes 192 --group row -o multicast.json",
    "schedule multicast --bytes 192 --group row --algorithm chain:2 -o chain.json",
    "schedule reduce --bytes 64 --group row --algorithm tree:1 -o tree.json",
    "schedule reduce --bytes 128 --group 0,0,2,2 -o reduce.json",
    "schedule all_reduce --bytes 64 --group 0,0,2,2 -o all_reduce.json",
    "schedule all_gather --bytes 64 --group row -o all_gather.json",
    "schedule all_to_all --bytes 64 --group 0,0,2,2 --algorithm pairwise -o all_to_all.json",
    "schedule barrier --group row -o barrier.json",
    "schedule barrier --group row --algorithm counter -o counter.json",
    "schedule multicast --spec torrent_2x2 --bytes 128 --root 0,0 --algorithm chainwrite:greedy -o chainwrite.json",
    "schedule multicast --spec esp_2x2 --bytes 128 --root 0,0 --algorithm in_network_list -o list.json",
    "schedule multicast --bytes 32KiB --algorithm chain:1 -o long.json",
    "schedule all_to_all --spec tilepro64_2x2 --bytes 136 --algorithm pairwise -o messages.json",
    "schedule multicast --spec tilepro64_2x2 --bytes 64 --root 0,0 --algorithm in_network_static -o static.json",
];

/// Words of a command line as the process gets them.
pub fn words(line: &str) -> Vec<OsString> {
    let words = line.split_whitespace().map(OsString::from);
    std::iter::once(OsString::from("noccl"))
        .chain(words)
        .collect()
}

/// Makes all files in the current folder.
pub fn make() {
    let presets = [
        "collective_noc_4x4",
        "collective_noc_4x4_published",
        "torrent_2x2",
        "esp_2x2",
        "tilepro64_2x2",
    ];
    let names = [
        "spec.toml",
        "published.toml",
        "torrent.toml",
        "esp.toml",
        "cores.toml",
    ];
    for (preset, name) in presets.iter().zip(names) {
        fs::write(name, noccl::network::preset_text(preset).unwrap()).unwrap();
    }
    for line in MAKERS {
        assert_eq!(noccl_cli::call(words(line)), 0, "{line}");
    }
    let save = "run long.json --mode timing --checkpoint saved.ckpt --checkpoint-every 0.000001";
    assert_eq!(noccl_cli::call(words(save)), 0);
    fs::write("packets.elf", packets_to_itself(500)).unwrap();
    let save = "run packets.elf --program --ranks 4 --spec tilepro64_2x2 --max-cycles 20000 --checkpoint program.ckpt --checkpoint-every 0.000001";
    assert_eq!(noccl_cli::call(words(save)), 0);
    let network = noccl::network::load("collective_noc_4x4", &[])
        .unwrap()
        .network;
    let recipe = Recipe::new(network.as_axi().unwrap(), &StressKind::ALL, 12);
    let trace =
        serde_json::json!({"format": 1, "trace": generate(network.as_axi().unwrap(), &recipe, 3)});
    fs::write("trace.json", trace.to_string()).unwrap();
    let calls = include_str!("../../../../noccl-program/tests/it/traces/calls.messages");
    fs::write("calls.messages", calls).unwrap();
    let calibration = noccl::study::calibration_text(&Calibration::shipped().unwrap()).unwrap();
    fs::write("calibration.toml", calibration).unwrap();
    let group = noccl::network::parse_group(&network, "row").unwrap();
    let mut request = CompareRequest::new(CollectiveKind::Reduce, group, vec![64]);
    request.has_links = true;
    let rows = noccl::collective::compare(&network, &request, Watch::quiet())
        .unwrap()
        .rows;
    fs::write("rows.json", serde_json::to_string(&rows).unwrap()).unwrap();
    let swap = r#"{"name": "swap", "inputs": 1, "outputs": [[[1, 0]], [[0, 0], {"all": 0}]]}"#;
    fs::write("swap.json", swap).unwrap();
    let lengths = r#"{"sends": [[0, 64], [8, 4]], "receives": [[0, 8], [64, 4]]}"#;
    fs::write("lengths.json", lengths).unwrap();
    fs::write("costs.toml", COSTS_TEXT).unwrap();
    let save =
        "coherence --kernel lu --threads 4 --protocol token --design smart_2x2 --save lu.refs";
    assert_eq!(noccl_cli::call(words(save)), 0);
    let page = "<!-- barriers: generated by `noccl barrier`; do not edit -->\nx\n<!-- end of barriers -->\n";
    fs::write("page.md", page).unwrap();
    for (name, _) in READERS {
        assert!(Path::new(name).exists(), "{name}");
    }
}
