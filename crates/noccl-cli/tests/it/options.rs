// SPDX-License-Identifier: Apache-2.0
//! Options of every verb: one that would have no effect on the work at hand is refused before any file is read.

use crate::common::noccl;

/// Command lines of each kind of work. No such files exist.
const WORK: [&str; 5] = [
    "run schedule a.json",
    "run trace a.json",
    "run messages a.messages",
    "run program a.py --ranks 2",
    "run program a.elf --ranks 2",
];

/// Options, and by kind of work whether each has an effect (`x`), none (`-`), or is refused by clap's own rules (`.`).
const OPTIONS: [(&str, &str); 20] = [
    ("--mode timing", "xx---"),
    ("--seed 7", "xx---"),
    ("--threads 2", "xx---"),
    ("--links --json", "xx---"),
    ("--stalls 60,60", "xx---"),
    ("--stalls 60,60 --stall-seed 3", "xx---"),
    ("--backend rtl", "xx---"),
    ("--backend rtl --boundary dma", "xx---"),
    ("--backend rtl --hardware rtl", "xx---"),
    ("--lock-step", "x----"),
    ("--noise 1", "x-xxx"),
    ("--noise 1 --repeat 5", "x----"),
    ("--ranks 2", "--x.."),
    ("--costs one_cycle", "----x"),
    ("--program-memory 8MiB", "----x"),
    ("--env SIZE=1", "----x"),
    ("--file a.txt=b.txt", "----x"),
    ("--compute-scale 2", "--x--"),
    ("--max-cycles 100", "xxxxx"),
    ("--json", "xxxxx"),
];

#[test]
fn an_option_without_an_effect_is_refused() {
    for (option, effects) in OPTIONS {
        for (line, effect) in WORK.iter().zip(effects.chars()) {
            let said = noccl(&format!("{line} {option}"));
            let is_refused = said.stderr.contains("has no effect on ");
            assert_eq!(is_refused, effect == '-', "{line} {option}: {said:?}");
            // No such file exists, so nothing runs.
            assert_ne!(said.code, Some(0), "{line} {option}: {said:?}");
            assert!(
                effect == 'x' || said.code == Some(2),
                "{line} {option}: {said:?}"
            );
        }
    }
}

#[test]
fn a_refusal_names_the_forms_that_have_the_option() {
    let said = noccl("run trace a.json --lock-step");
    let words =
        "'--lock-step' has no effect on `noccl run trace`; accepted: with `noccl run schedule`";
    assert!(said.stderr.contains(words), "{said:?}");
    // One that no form has is unknown.
    let said = noccl("run trace a.json --lockstep");
    assert!(
        said.stderr.contains("unexpected argument '--lockstep'"),
        "{said:?}"
    );
}

#[test]
fn a_call_without_a_form_is_the_same() {
    for (old, form) in [
        ("run a.json", "run schedule a.json"),
        ("run a.json --trace", "run trace a.json"),
        (
            "run a.elf --program --ranks 2",
            "run program a.elf --ranks 2",
        ),
        ("run --messages a.messages", "run messages a.messages"),
        ("run --seed 1 a.json", "run schedule --seed 1 a.json"),
        (
            "run a.elf --ranks 2 --program -- --trace",
            "run program a.elf --ranks 2 -- --trace",
        ),
        // Of two the first one counts, and the second one is refused.
        ("run a --trace --program", "run trace a --program"),
    ] {
        let (said, expected) = (noccl(old), noccl(form));
        assert_eq!(
            (said.code, said.stderr),
            (expected.code, expected.stderr),
            "{old}"
        );
    }
}

/// Options that the table of above leaves out: they say what runs, or are refused in words of their own.
const OTHERS: [&str; 11] = [
    "spec",
    "systems",
    "collectives",
    "record",
    "record-run",
    "timeline",
    "library",
    "start-skew",
    "checkpoint",
    "checkpoint-every",
    "resume",
];

#[test]
fn every_option_is_tried() {
    for form in ["schedule", "trace", "program", "messages"] {
        let help = noccl(&format!("run {form} --help")).stdout;
        let first_words = help
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let names = first_words.filter_map(|word| word.strip_prefix("--"));
        for name in names.filter(|name| !["", "help"].contains(name)) {
            let option = format!("--{name}");
            let is_tried = OPTIONS
                .iter()
                .any(|(tried, _)| tried.split(' ').any(|word| word == option));
            assert!(
                is_tried || OTHERS.contains(&name),
                "{option} is in no table"
            );
        }
    }
}

/// Command lines of other verbs with an option that has no effect on them.
const IDLE: [(&str, &str); 34] = [
    ("run a.json --mode timing", "--seed 7"),
    ("compare barrier", "--bytes 64"),
    ("compare barrier", "--seed 7"),
    ("compare barrier", "--operator max"),
    ("compare multicast", "--element int32"),
    ("compare all_to_all", "--operator max"),
    ("compare reduce", "--calibration no.toml"),
    ("compare reduce --backend model", "--seed 7"),
    ("schedule barrier", "--bytes 64"),
    ("synth multicast", "--operator max"),
    ("synth all_gather", "--element int32"),
    ("baselines --collective barrier", "--bytes 64"),
    ("baselines --collective barrier", "--seed 7"),
    ("order --counts 3", "--bytes 64"),
    ("auto", "--seed 7"),
    ("auto --spec collective_noc_2x2", "--seed 7"),
    ("attention", "--seed 7"),
    ("coherence --recording no.rec", "--threads 4"),
    ("coherence --recording no.rec", "--size small"),
    ("gemm summa", "--element fp32"),
    ("gemm summa", "--seed 7"),
    ("gemm summa", "--root corner"),
    ("gemm summa", "--calibration no.toml"),
    ("gemm summa --collectives software", "--sync flags"),
    ("gemm summa --backend model", "--mode value"),
    ("gemm summa --backend model", "--threads 2"),
    ("gemm summa --backend model", "--iterations 2"),
    ("gemm summa --backend published", "--checkpoint no.ck"),
    ("gemm summa --backend published", "--calibration no.toml"),
    ("gemm fused_concat_linear", "--prefetch 4"),
    ("gemm fused_concat_linear", "--sync flags"),
    ("gemm fused_concat_linear", "--iterations 2"),
    (
        "gemm fused_concat_linear --collectives software",
        "--root corner",
    ),
    ("gemm summa --mode timing --backend all", "--seed 7"),
];

#[test]
fn other_verbs_refuse_options_without_an_effect() {
    for (line, option) in IDLE {
        let said = noccl(&format!("{line} {option}"));
        let name = option.split(' ').next().unwrap_or_default();
        let words = format!("the argument '{name}' has no effect on ");
        assert!(
            said.code == Some(2) && said.stderr.contains(&words),
            "{line} {option}: {said:?}"
        );
    }
}

/// Command lines that end at once, with an option that has an effect on them: what they print differs.
const EFFECTS: [(&str, &str); 22] = [
    ("compare reduce --spec collective_noc_2x2", "--operator max"),
    (
        "compare reduce --spec collective_noc_2x2",
        "--element int32 --bytes 2KiB",
    ),
    ("compare reduce --spec collective_noc_2x2", "--root 1,1"),
    (
        "compare multicast --spec collective_noc_2x2",
        "--group 0,0,2,1",
    ),
    (
        "compare multicast --spec collective_noc_2x2",
        "--algorithms tree",
    ),
    (
        "compare multicast --spec collective_noc_2x2",
        "--backend model",
    ),
    (
        "compare multicast --spec collective_noc_2x2 --json",
        "--links",
    ),
    (
        "compare all_to_all --spec tilepro64_2x2 --algorithms rounds:literal",
        "--noise 1 --start-skew 50 --repeat 2",
    ),
    ("schedule reduce --spec collective_noc_2x2", "--bytes 64"),
    (
        "schedule reduce --spec collective_noc_2x2",
        "--algorithm chain:2",
    ),
    (
        "baselines --size 2x2 --destinations 2 --bytes 64",
        "--source 1,1",
    ),
    (
        "baselines --size 2x2 --destinations 2 --bytes 64",
        "--collective reduce",
    ),
    ("order --spec collective_noc_4x4", "--bytes 64"),
    (
        "order --spec collective_noc_4x4 --counts 3 --draws 4",
        "--seed 7",
    ),
    (
        "gemm summa --mesh 2x2 --backend model",
        "--collectives software",
    ),
    ("gemm summa --mesh 2x2 --backend model", "--prefetch 4"),
    (
        "gemm summa --mesh 2x2 --backend model",
        "--submatrix 16x16x16",
    ),
    ("gemm summa --mesh 2x2 --backend model", "--utilisation 0.5"),
    (
        "gemm summa --mesh 2x2 --backend sim --iterations 1 --json",
        "--line-energy",
    ),
    ("elaborate collective_noc_2x2", "--tree multicast:0,0"),
    (
        "elaborate collective_noc_2x2 --tree multicast:0,0",
        "--group row:0",
    ),
    (
        "elaborate collective_noc_2x2",
        "-P ni.max_burst_beats=32 --toml",
    ),
];

#[test]
fn options_with_an_effect_change_what_is_printed() {
    for (line, option) in EFFECTS {
        let (without, with) = (noccl(line), noccl(&format!("{line} {option}")));
        assert_eq!(
            (without.code, with.code),
            (Some(0), Some(0)),
            "{line} {option}: {with:?}"
        );
        assert_ne!(without.stdout, with.stdout, "{line} {option}");
    }
}

/// Results name the overrides of a spec.
#[test]
fn overrides_are_named_with_the_results() {
    let set = "-P router.input_fifo_flits=4";
    let named = "collective_noc_2x2 -P router.input_fifo_flits=4";
    let spec = "--spec collective_noc_2x2";
    let lines = [
        format!("compare multicast {spec} {set} --bytes 64"),
        format!("compare multicast {spec} {set} --bytes 64 --json"),
        format!("compare multicast {spec} {set} --bytes 64 --backend model --json"),
        format!("matrix {spec} {set} --collectives multicast --bytes 64"),
        format!("traffic uniform {spec} {set} --loads 0.1 --no-saturation"),
        format!("traffic uniform {spec} {set} --loads 0.1 --no-saturation --json"),
        format!("stress {spec} {set} --seeds 1 --json"),
        format!("order {spec} {set} --json"),
        format!("elaborate collective_noc_2x2 {set}"),
        format!("elaborate collective_noc_2x2 {set} --json"),
        format!("elaborate collective_noc_2x2 {set} --tree multicast:0,0 --json"),
        format!("synth multicast {spec} {set} --bytes 64 --tries 2 --json"),
        format!("rtl {spec} {set} --json"),
        format!("auto {spec} {set} --collectives multicast --bytes 64 --json"),
        format!("gemm summa --mesh 2x2 --backend model --json {set}"),
    ];
    for line in lines {
        let said = noccl(&line);
        assert_eq!(said.code, Some(0), "{line}: {said:?}");
        assert!(said.stdout.contains(named), "{line}: {}", said.stdout);
    }
    // As a field, too.
    let (key, value) = set.trim_start_matches("-P ").split_once('=').unwrap();
    for line in [
        format!("compare multicast {spec} {set} --bytes 64 --json"),
        format!("matrix {spec} {set} --collectives multicast --bytes 64 --json"),
        format!("auto {spec} {set} --collectives multicast --bytes 64 --json"),
        format!("traffic uniform {spec} {set} --loads 0.1 --no-saturation --json"),
    ] {
        let found = crate::common::json(&line);
        let first = found.get(0).unwrap_or(&found);
        assert_eq!(first["overrides"][key], value, "{line}");
    }
    let said = noccl(&format!("gemm summa --mesh 2x2 --backend model {set}"));
    assert!(
        said.stdout.starts_with(&format!("with {set}\n")),
        "{said:?}"
    );
}

#[test]
fn loads_of_links_are_printed_as_json_only() {
    for line in ["run a.json --links", "compare multicast --links"] {
        let said = noccl(line);
        assert!(
            said.code == Some(2) && said.stderr.contains("--json"),
            "{line}: {said:?}"
        );
    }
}
