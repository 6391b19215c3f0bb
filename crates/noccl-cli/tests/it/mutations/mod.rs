// SPDX-License-Identifier: Apache-2.0
//! Mutated files and command lines, each through its verb: it is refused or done. Nothing panics, aborts, needs more
//! than 4 GB, or goes on for more than 10 s and after a user's interrupt.
//!
//! The cases run in processes of their own. `NOCCL_MUTATIONS=100000 cargo test -p noccl-cli --test it mutations::` runs
//! more of them than the few thousand of every push; `NOCCL_MUTATIONS_FIRST` is the number of the first one.
#![allow(clippy::print_stdout)]

mod base;
mod mutate;
mod parent;
mod worker;

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| text.parse().unwrap())
}

#[test]
fn mutated_input_is_refused_or_done_in_bounded_time_and_memory() {
    let first = number("NOCCL_MUTATIONS_FIRST", 0);
    let cases = number("NOCCL_MUTATIONS", noccl_testkit::cases(500, 2_000).into());
    let failures = parent::run(first, cases);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// What the processes of the test above do; alone it has nothing to do.
#[test]
#[ignore = "run by the other test in processes of its own"]
fn worker() {
    worker::run();
}

/// Makes the files that are mutated, in the current folder.
#[test]
#[ignore = "run by the other test in a folder of its own"]
fn files() {
    base::make();
}
