// SPDX-License-Identifier: Apache-2.0
//! Command lines as people write them first: read as what they mean, with a note, or refused with a tip that helps, or with none.

use crate::common::{Folder, fails, noccl};
use noccl_testkit::assert_says;

/// What is written, what it means, and the note.
const READ: [(&str, &str, &str); 10] = [
    (
        "all-reduce --group row --algorithms ring --json",
        "compare all_reduce --group row --algorithms ring --json",
        "`noccl all-reduce` is read as `noccl compare all_reduce`",
    ),
    (
        "allreduce --group row --algorithms ring --json",
        "compare all_reduce --group row --algorithms ring --json",
        "`noccl allreduce` is read as `noccl compare all_reduce`",
    ),
    (
        "bcast --size 1K --algorithms in_network --json",
        "compare multicast --bytes 1KiB --algorithms in_network --json",
        "`noccl bcast` is read as `noccl compare multicast`",
    ),
    (
        "reduce-scatter --group row --bytes 64 --json",
        "compare reduce_scatter --group row --bytes 64 --json",
        "`noccl reduce-scatter` is read as `noccl compare reduce_scatter`",
    ),
    (
        "alltoall --group row --bytes 64 --algorithm pairwise --json",
        "compare all_to_all --group row --bytes 64 --algorithms pairwise --json",
        "--algorithm is read as --algorithms",
    ),
    (
        "compare barrier --mesh 2x2 --json",
        "compare barrier --spec collective_noc_2x2 --json",
        "--mesh 2x2 is read as --spec collective_noc_2x2",
    ),
    (
        "compare barrier --mesh=2x2 --json",
        "compare barrier --preset collective_noc_2x2 --json",
        "--mesh 2x2 is read as --spec collective_noc_2x2",
    ),
    (
        "compare reduce --bytes 2K --group row 1 --algorithms tree --json",
        "compare reduce --bytes 2KiB --group row:1 --algorithms tree --json",
        "--group row 1 is read as --group row:1",
    ),
    (
        "compare reduce --bytes 32kib --group=col:1 --algorithms tree --json",
        "compare reduce --bytes 32KiB --group column:1 --algorithms tree --json",
        "32kib is read as 32 KiB, 32768 bytes",
    ),
    (
        "compare barrier --csv",
        "compare barrier --format csv",
        "--csv is read as --format csv",
    ),
];

#[test]
fn what_can_mean_one_thing_only_is_read_as_that_with_a_note() {
    for (written, meant, note) in READ {
        let (read, usual) = (noccl(written), noccl(meant));
        assert_eq!(
            (read.code, usual.code),
            (Some(0), Some(0)),
            "{written}: {read:?} {usual:?}"
        );
        assert_eq!(read.stdout, usual.stdout, "{written}");
        assert!(
            read.stderr.contains(&format!("note: {note}")),
            "{written}: {}",
            read.stderr
        );
    }
}

#[test]
fn options_of_a_verb_and_arguments_of_programs_are_left_alone() {
    // `--mesh` of gemm, `--size` of baselines, and what stands behind `--`.
    for line in [
        "gemm summa --mesh 2x2",
        "baselines --size 2x2 --destinations 2 --bytes 64",
        "run program absent.py --ranks 2 -- --mesh 8x8 --size 3",
    ] {
        let said = noccl(line);
        assert!(!said.stderr.contains("is read as"), "{line}: {said:?}");
    }
}

/// Mistakes of readers, and the tip that each gets; `None`: no tip.
const TIPS: [(&str, Option<&str>); 20] = [
    ("presets", Some("`noccl doctor` lists the presets")),
    ("specs", Some("`noccl doctor` lists the presets")),
    ("list", Some("`noccl doctor` lists the presets")),
    ("version", Some("`noccl --version`")),
    ("simulate a.json", Some("`noccl run schedule FILE`")),
    ("frobnicate", None),
    ("compar multicast", Some("did you mean `compare`?")),
    (
        "compare multicast --bytes -5",
        Some("numbers and sizes have no sign here"),
    ),
    (
        "compare multicast --output f",
        Some("results go to stdout: add `> FILE`"),
    ),
    (
        "compare multicast -o f",
        Some("results go to stdout: add `> FILE`"),
    ),
    (
        "check s.json --format csv",
        Some("`--json` prints the results for programs"),
    ),
    (
        "check s.json --csv",
        Some("`--json` prints the results for programs"),
    ),
    ("compare multicast --verbose", Some("remarks to stderr")),
    ("compare multicast --threads 4", Some("RAYON_NUM_THREADS=4")),
    (
        "compare multicast --json out.json",
        Some("results go to stdout: `--json > out.json`"),
    ),
    (
        "compare multicast --algorithms in_network tree",
        Some("a list has commas: `--algorithms in_network,tree`"),
    ),
    (
        "compare multicast --algoritms tree",
        Some("did you mean `--algorithms`?"),
    ),
    ("traffic --laods 0.5", Some("did you mean `--loads`?")),
    ("gemm summa --preset X", Some("its --help has examples")),
    ("compare multicast --frobnicate", None),
];

#[test]
fn a_mistake_has_the_tip_that_helps_or_none() {
    for (line, tip) in TIPS {
        let said = fails(&Folder::new(), 2, line);
        match tip {
            Some(tip) => assert_says(&said.stderr, &["tip: ", tip]),
            None => assert!(!said.stderr.contains("tip:"), "{line}: {}", said.stderr),
        }
        for misleading in [
            "similar",
            "use '-- ",
            "--repeat",
            "--operator <",
            "reproduce",
        ] {
            assert!(!said.stderr.contains(misleading), "{line}: {}", said.stderr);
        }
    }
}
