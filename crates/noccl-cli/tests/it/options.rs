// SPDX-License-Identifier: Apache-2.0
//! Options of `noccl run` on every kind of work: one that would have no effect is refused before any file is read.

use crate::common::noccl;

/// Command lines of each kind of work, and how messages name it. No such files exist.
const WORK: [(&str, &str); 5] = [
    ("run a.json", "a schedule"),
    ("run a.json --trace", "a trace (--trace)"),
    ("run a.messages --messages", "a message trace (--messages)"),
    ("run a.py --program --ranks 2", "a script (--program X.py)"),
    (
        "run a.elf --program --ranks 2",
        "a compiled program (--program)",
    ),
];

/// Options, and by kind of work whether each has an effect (`x`), none (`-`), or is refused by clap's own rules (`.`).
const OPTIONS: [(&str, &str); 18] = [
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
    ("--costs one_cycle", "...-x"),
    ("--program-memory 8MiB", "...-x"),
    ("--compute-scale 2", "..x.."),
    ("--max-cycles 100", "xxxxx"),
    ("--json", "xxxxx"),
];

#[test]
fn an_option_without_an_effect_is_refused() {
    for (option, effects) in OPTIONS {
        for ((line, work), effect) in WORK.iter().zip(effects.chars()) {
            let said = noccl(&format!("{line} {option}"));
            let is_refused = said.stderr.contains(&format!("has no effect on {work}"));
            // Of what clap refuses by its own rules some comes as far as these.
            let is_as_stated = effect == '.' || is_refused == (effect == '-');
            assert!(is_as_stated, "{line} {option}: {said:?}");
            // No such file exists, so nothing runs.
            assert_ne!(said.code, Some(0), "{line} {option}: {said:?}");
            assert!(
                effect != '.' || said.code == Some(2),
                "{line} {option}: {said:?}"
            );
        }
    }
}

/// Options that the table of above leaves out: they say what runs, or are refused in words of their own.
const OTHERS: [&str; 12] = [
    "spec",
    "trace",
    "program",
    "messages",
    "collectives",
    "record",
    "timeline",
    "library",
    "start-skew",
    "checkpoint",
    "checkpoint-every",
    "resume",
];

#[test]
fn every_option_is_tried() {
    let help = noccl("run --help").stdout;
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
