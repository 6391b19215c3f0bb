// SPDX-License-Identifier: Apache-2.0
//! Mistakes that readers made: each refusal says what is wrong and what is accepted, and names what comes nearest.

use crate::common::{Folder, done, fails, noccl, refused};
use noccl_testkit::assert_says;

/// A command, and what its refusal says.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "calibrate --spec smart_8x8",
        &["router.flow = \"smart\"", "accepted: \"non_blocking\""],
    ),
    (
        "validation --max-side 7",
        &["--max-side '7': accepted: 4, 8, 16 or 32"],
    ),
    (
        "validation --max-side 64",
        &["--max-side '64': accepted: 4, 8, 16 or 32"],
    ),
    (
        "schedule multicast --algorithm foo",
        &["--algorithm 'foo'", "in_network_static; or auto"],
    ),
    (
        "schedule multicast --algorithm all",
        &["--algorithm 'all': accepted: one algorithm"],
    ),
    (
        "compare all_to_all --spec tilepro64_2x1 --lengths 0,1KiB",
        &["--lengths '0,1KiB': one list; accepted: a list for each rank"],
    ),
    (
        "run program missing.py --ranks 4",
        &["missing.py: cannot read"],
    ),
    (
        "compare custom",
        &[
            "collective 'custom': accepted: with --definition FILE",
            "`noccl schema definition`",
        ],
    ),
    (
        "compare reduce --operator mul",
        &["error: --operator 'mul': accepted: sum, min, max, and, or"],
    ),
    (
        "traffic uniform --loads 50%",
        &["error: --loads '50%': accepted: a number, e.g. 0.5"],
    ),
    (
        "compare barrier -P memory.latency_cycles 5",
        &["tip: -P takes KEY=VALUE: `-P memory.latency_cycles=5`"],
    ),
    (
        "compare all_reduce all_gather",
        &["tip: one collective; `noccl matrix --collectives all_reduce,all_gather`"],
    ),
    (
        "compare --bytes 4",
        &[
            "tip: collectives: multicast, reduce",
            "Usage: noccl compare [OPTIONS] <COLLECTIVE>",
        ],
    ),
    (
        "compare reduce --columns cycles --wide",
        &[
            "cannot be used with '--wide'",
            "Usage: noccl compare [OPTIONS] <COLLECTIVE>",
        ],
    ),
    (
        "compare reduce --bytes 100",
        &["--bytes '100': accepted: a multiple of the element, 8 bytes of fp64, e.g. 96 or 104"],
    ),
    (
        "compare reduce --bytes 1.5KiB",
        &["--bytes '1.5KiB': accepted: a whole number of bytes"],
    ),
    (
        "schedule reduce --bytes 4KiB,8KiB",
        &[
            "--bytes '4KiB,8KiB': accepted: one size here",
            "`noccl compare` takes a list",
        ],
    ),
    (
        "elaborate 8x8",
        &["no preset '8x8' (did you mean `collective_noc_8x8`?); accepted: collective_noc_WxH"],
    ),
    (
        "elaborate collective_noc_8x8.toml",
        &[
            "collective_noc_8x8.toml: cannot read",
            "the preset `collective_noc_8x8`?",
        ],
    ),
    (
        "elaborate collective_noc_4x4 -P latency_cycles=5",
        &[
            "no field 'latency_cycles' here",
            "did you mean `memory.latency_cycles`?",
        ],
    ),
    (
        "elaborate collective_noc_4x4 -P memory.latency_cycles=x",
        &["-P memory.latency_cycles=x", "integer"],
    ),
    (
        "elaborate collective_noc_4x4 -P router.flow=published",
        &["must be \"two_operand\"", "collective_noc_WxH_published"],
    ),
    (
        "compare reduce --algorithms chain:x",
        &["no parameter 'x'; accepted: chain, and behind a colon each: a number of chunks"],
    ),
    (
        "stress --only reduce",
        &["--only 'reduce'", "did you mean `reduction`?"],
    ),
    (
        "gemm summa --mesh 3x3",
        &["--mesh '3x3': accepted: sides that are powers of two"],
    ),
    (
        "attention --tokens 100",
        &["--tokens '100': accepted: a multiple of both sides of the mesh, 32x32"],
    ),
    (
        "gemm summa --prefetch 99",
        &["--prefetch 99 (fewer need less)"],
    ),
];

#[test]
fn a_refusal_says_what_is_wrong_and_what_is_accepted() {
    for (command, words) in REFUSED {
        refused(&Folder::new(), command, words);
    }
}

/// Files of the next table: a schedule of eight clusters, half of it, and what is no schedule.
fn files() -> Folder {
    let folder = Folder::new();
    let made = noccl("schedule reduce --group 0,0,4,2 --root 3,0 --bytes 1KiB --algorithm tree");
    let mut small: serde_json::Value = serde_json::from_str(&made.stdout).unwrap();
    small["collective"] = serde_json::Value::Null;
    folder.file("tree.json", &made.stdout);
    folder.file("bare.json", &small.to_string());
    folder.file("cut.json", &made.stdout[..300]);
    folder.file("rows.json", "[{\"network\": ");
    folder.file("syn.py", "from mpi4py import MPI\n");
    folder.file("bad.c", "int main(void) { return 0; }\n");
    let specs = [
        (
            "base.toml",
            "name = \"my\"\nbase = \"collective_noc_8x9x\"\n",
        ),
        ("unnamed.toml", "base = \"collective_noc_4x4\"\n"),
    ];
    for (name, text) in specs {
        folder.file(name, text);
    }
    let whole = noccl("elaborate collective_noc_4x4 --toml").stdout;
    let quoted = whole.replace("max_burst_beats = 64", "max_burst_beats = \"64\"");
    assert_ne!(whole, quoted);
    folder.file("quoted.toml", &quoted);
    let quoted =
        "name = \"my\"\nbase = \"collective_noc_4x4\"\n[memory]\nlatency_cycles = \"20\"\n";
    folder.file("quoted_base.toml", quoted);
    folder
}

/// A command on such files, its exit code, and what its refusal says.
const REFUSED_FILES: &[(&str, i32, &[&str])] = &[
    (
        "run bare.json --spec collective_noc_2x2",
        1,
        &["cluster (3,0): accepted: a tile of the network: clusters (0,0) to (1,1)"],
    ),
    (
        "run tree.json --spec smart_8x8",
        1,
        &["no cluster computes with router.flow = \"smart\"; accepted: a reduction in the network"],
    ),
    (
        "run cut.json",
        2,
        &["cut.json:", "the file ends here", "is it cut off?"],
    ),
    (
        "report rows.json",
        2,
        &[
            "rows.json: not a list of compare rows",
            "is the file cut off?",
        ],
    ),
    (
        "report tree.json",
        2,
        &[
            "tree.json: not a list of compare rows: it is one object",
            "`noccl compare --json`",
        ],
    ),
    (
        "run syn.py",
        2,
        &[
            "syn.py: not a schedule",
            "`noccl run program FILE --ranks N`",
        ],
    ),
    (
        "run program bad.c --ranks 2",
        2,
        &["bad.c: not a program", "`noccl build FILE -o PROGRAM.elf`"],
    ),
    (
        "run program tree.json --ranks 2",
        2,
        &["tree.json: not a program", "`noccl run schedule FILE`"],
    ),
    (
        "view tree.json",
        2,
        &["tree.json: not a recording of a run", "`recording`"],
    ),
    (
        "view bad.toml",
        2,
        &[
            "COLLECTIVE|FILE 'bad.toml': a file",
            "recorded runs (.json, .parquet)",
            "`noccl explain FILE` reads a schedule",
        ],
    ),
    (
        "elaborate ./base.toml",
        2,
        &[
            "base.toml: ",
            "line 2",
            "no preset 'collective_noc_8x9x' (did you mean `collective_noc_8x8`?)",
        ],
    ),
    (
        "elaborate ./unnamed.toml",
        2,
        &["`name` is missing; accepted: ", "name = \"my_noc\""],
    ),
    (
        "elaborate ./quoted_base.toml",
        2,
        &["line 4", "expected a whole number without quotes"],
    ),
    (
        "elaborate ./quoted.toml",
        2,
        &[
            "max_burst_beats = \"64\"",
            "expected a whole number without quotes",
        ],
    ),
];

#[test]
fn a_file_of_another_kind_or_network_is_named_with_what_to_do() {
    let folder = files();
    for (command, code, words) in REFUSED_FILES {
        assert_says(&fails(&folder, *code, command).stderr, words);
    }
}

#[test]
fn words_that_people_type_first_are_read() {
    for (command, meant) in [
        ("reduce --operator add", "reduce --operator sum"),
        (
            "reduce --element int64 --operator maximum",
            "reduce --element int64 --operator max",
        ),
    ] {
        let [read, usual] = [command, meant].map(|rest| {
            done(
                &Folder::new(),
                &format!("compare {rest} --algorithms in_network --json"),
            )
            .stdout
        });
        assert_eq!(read, usual, "{command}");
    }
}
