// SPDX-License-Identifier: Apache-2.0
//! Calls of programs that are lists of registers: values, cycles, errors, and arguments of every kind. Programs in C:
//! `python/tests/test_programs_of_calls.py`.

use crate::common::{
    List, MEMORY_BYTES, Registers, call, data, end, given, image, network, run_on,
};
use noccl_execute::{CalledRequest, ExecuteError, Number, c_header, run};
use noccl_program::{Options, ProgramError, Session};
use noccl_riscv::{CostTable, MEMORY_BASE, Program};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_testkit::assert_says;
use noccl_testkit::generated::assert_fresh;
use proptest::prelude::*;
use std::path::Path;

const NETWORKS: [&str; 3] = ["tilepro64_2x2", "collective_noc_2x2", "torrent_2x2"];
const LIMIT: u64 = 1 << 20;

/// Rank 0 sends a word to rank 1, which ends with it.
fn message() -> Vec<List> {
    let wait = |rank, request| call(Number::Wait, &[given(rank, request), 1, 0, data(rank, 8)]);
    vec![
        List {
            calls: vec![
                call(Number::Send, &[data(0, 0), 8, 1, 5, 0]),
                wait(0, 0),
                end(data(0, 11)),
            ],
            data: vec![1234],
        },
        List {
            calls: vec![
                call(Number::Receive, &[data(1, 0), 8, u64::MAX, u64::MAX, 0]),
                wait(1, 0),
                end(data(1, 0)),
            ],
            data: vec![],
        },
    ]
}

#[test]
fn a_message_reaches_memory_and_equal_runs_take_equal_cycles() {
    for preset in NETWORKS {
        let network = network(preset);
        let found = run_on(&network, &message(), LIMIT).unwrap();
        let codes: Vec<u64> = found.ranks.iter().map(|rank| rank.exit_code).collect();
        assert_eq!(codes, [0, 1234], "{preset}");
        assert_eq!(found, run_on(&network, &message(), LIMIT).unwrap());
        for rank in &found.ranks {
            let report = &rank.report;
            let spent = report.compute_cycles + report.send_cycles + report.receive_cycles;
            assert!(
                report.compute_cycles >= rank.instructions - 3,
                "{preset}: {report:?}"
            );
            assert_eq!(spent + report.wait_cycles, report.finish_cycle, "{preset}");
        }
    }
}

#[test]
fn what_a_receive_gives_is_written_beside_its_data() {
    let mut lists = message();
    for (word, wanted) in [(8, 0), (9, 0), (10, 5), (11, 8)] {
        lists[1].calls[2] = end(data(1, word));
        let found = run_on(&network("collective_noc_2x2"), &lists, LIMIT).unwrap();
        assert_eq!(found.ranks[1].exit_code, wanted, "word {word}");
    }
}

#[test]
fn collectives_are_done_by_the_network_or_left_to_the_program() {
    let sum_of_int64 = 3 | 3 << 16;
    let list = |rank: u64, what: u64| List {
        calls: vec![
            call(
                Number::Collective,
                &[what, data(rank, 0), 8, data(rank, 1), 0, 0],
            ),
            end(if what == sum_of_int64 {
                data(rank, 1)
            } else {
                given(rank, 0)
            }),
        ],
        data: vec![rank + 1],
    };
    for preset in NETWORKS {
        let network = network(preset);
        for (what, wanted) in [(sum_of_int64, 10), (3 | 5 << 8 | 3 << 16, 1), (7, 1)] {
            let lists: Vec<List> = (0..4).map(|rank| list(rank, what)).collect();
            let found = run_on(&network, &lists, LIMIT).unwrap();
            let codes: Vec<u64> = found.ranks.iter().map(|rank| rank.exit_code).collect();
            assert_eq!(codes, [wanted; 4], "{preset}, {what:#x}");
        }
    }
}

fn refusal(lists: &[List]) -> String {
    let found = run_on(&network("collective_noc_2x2"), lists, LIMIT);
    found.expect_err("a mistake").to_string()
}

/// Rank 0 makes this call; rank 1 ends at once.
fn alone(call: Registers) -> Vec<List> {
    vec![
        List::of(vec![call, end(data(0, 0))]),
        List::of(vec![end(data(1, 0))]),
    ]
}

#[test]
fn mistakes_are_refused_with_rank_and_place() {
    let minus = |number: i64| number.cast_unsigned();
    let beyond = MEMORY_BASE + MEMORY_BYTES;
    let own = data(0, 0);
    for (call, part) in [
        (call(Number::Send, &[8, 4, 1, 0, 0]), "4 bytes at 0x8"),
        (call(Number::Send, &[beyond - 4, 8, 1, 0, 0]), "8 bytes at"),
        (call(Number::Send, &[own, minus(-4), 1, 0, 0]), "-4 bytes"),
        (call(Number::Send, &[own, 8, 2, 0, 0]), "destination 2"),
        (
            call(Number::Send, &[own, 8, minus(-7), 0, 0]),
            "destination -7",
        ),
        (call(Number::Send, &[own, 8, 1, minus(-3), 0]), "tag -3"),
        (call(Number::Send, &[own, 8, 1, 0, 9]), "communicator 9"),
        (call(Number::Receive, &[MEMORY_BASE, 4, 1, 0, 0]), "in code"),
        (call(Number::Receive, &[own, 4, 1, minus(-2), 0]), "tag -2"),
        (
            call(Number::Receive, &[own, 4, minus(-2), 0, 0]),
            "source -2",
        ),
        (call(Number::Wait, &[own, 1, 0, data(0, 1)]), "request 0"),
        (
            call(Number::Wait, &[own, minus(-1), 0, data(0, 1)]),
            "-4 bytes",
        ),
        (call(Number::Wait, &[own, u64::MAX >> 1, 0, 0]), "bytes at"),
        (call(Number::Collective, &[2, own, 8, 0, 0, 4]), "root 4"),
        (call(Number::Collective, &[99]), "collective 0x63"),
        (call(Number::Split, &[0, minus(-9), 0]), "colour -9"),
        (call(Number::Fail, &[0, u64::MAX]), "400 bytes at 0x0"),
        ([0, 0, 0, 0, 0, 0, 0, 4], "ecall with a7 = 4"),
    ] {
        let said = refusal(&alone(call));
        assert!(said.starts_with("rank 0"), "{said}");
        assert_says(&said, &["0x10000034", part]);
    }
}

#[test]
fn mistakes_of_two_ranks_name_both_and_deadlocks_name_all() {
    let collective = |what, bytes| {
        let arguments = [what, data(0, 0), bytes, data(0, 1), 0, 0];
        List::of(vec![call(Number::Collective, &arguments)])
    };
    let said = refusal(&[collective(2, 8), collective(8, 8)]);
    let parts = [
        "rank 0 at",
        "rank 1 at",
        "MPI_Reduce of 8 bytes",
        "MPI_Scatter of 8 bytes",
    ];
    assert_says(&said, &parts);
    let said = refusal(&[collective(0, 0), List::of(vec![end(data(1, 0))])]);
    let parts = ["rank 0 waits in barrier", "for rank 1", "rank 1 has ended"];
    assert_says(&said, &parts);
    let mut lists = message();
    lists[1].calls[0][1] = 4;
    assert_says(refusal(&lists), &["receives at most 4 bytes, but rank 0"]);
}

/// Rank 1 accesses the second word of the window of rank 0, which ends with it when rank 1 has ended its accesses.
fn accessing(head: [u64; 4], before: u64, operand: u64) -> Vec<List> {
    let send = |word, length| call(Number::Send, &[data(1, word), length, 0, WINDOW_TAG, 0]);
    let wait = |rank, request| call(Number::Wait, &[given(rank, request), 1, 0, data(rank, 16)]);
    let complete = 8;
    vec![
        List {
            calls: vec![
                call(Number::Expose, &[data(0, 0), 16, 7]),
                call(Number::Ended, &[7, 1]),
                wait(0, 1),
                end(data(0, 1)),
            ],
            data: vec![1, before],
        },
        List {
            calls: vec![
                send(0, 40),
                wait(1, 0),
                send(8, 32),
                wait(1, 2),
                end(data(1, 15)),
            ],
            // Kind, operator, type; window, first byte, bytes; the operand; then the end of accesses.
            data: [&head[..], &[operand, 0, 0, 0, complete, head[1]]].concat(),
        },
    ]
}

/// Of messages that ask for an access.
const WINDOW_TAG: u64 = 1 << 40;

const ACCUMULATE: u64 = 2;
const INT64: u64 = 3 << 16;
const FP64: u64 = 9 << 16;

#[test]
fn an_access_changes_the_window_of_a_rank_that_waits() {
    for preset in NETWORKS {
        let head = [ACCUMULATE | INT64, 7, 8, 8];
        let found = run_on(&network(preset), &accessing(head, 40, 2), LIMIT).unwrap();
        assert_eq!(found.ranks[0].exit_code, 42, "{preset}");
    }
}

#[test]
fn operators_of_accesses_give_what_mpi_defines() {
    let network = network("collective_noc_2x2");
    let after = |operator: u64, element, before, operand| {
        let head = [ACCUMULATE | operator << 8 | element, 7, 8, 8];
        let found = run_on(&network, &accessing(head, before, operand), LIMIT);
        found.map(|found| found.ranks[0].exit_code)
    };
    let (x, y) = (-5_i64, 4_i64);
    let wanted = [-1, -20, -5, 4, 1, 1, 0, x & y, x | y, x ^ y];
    for (operator, wanted) in (0..).zip(wanted) {
        let found = after(operator, INT64, x.cast_unsigned(), y.cast_unsigned());
        assert_eq!(found.unwrap().cast_signed(), wanted, "{operator}");
    }
    assert_eq!(after(0, INT64, i64::MAX as u64, 1).unwrap(), 1 << 63);
    assert_eq!(
        (
            after(12, INT64, 1, 2).unwrap(),
            after(13, INT64, 1, 2).unwrap()
        ),
        (2, 1)
    );
    let floats = |operator, x: f64, y: f64| after(operator, FP64, x.to_bits(), y.to_bits());
    assert_eq!(floats(0, 0.1, 0.2).unwrap(), (0.1_f64 + 0.2).to_bits());
    // The NaN of a core's instructions; a comparison with one is false.
    assert_eq!(
        floats(0, f64::INFINITY, f64::NEG_INFINITY).unwrap(),
        0x7ff8 << 48
    );
    assert_eq!(floats(2, 1.0, f64::NAN).unwrap(), 1.0_f64.to_bits());
    assert_says(
        floats(7, 1.0, 2.0).unwrap_err(),
        &["operator, type or length"],
    );
}

#[test]
fn accesses_that_do_not_fit_the_window_end_the_run() {
    let network = network("collective_noc_2x2");
    let kind = ACCUMULATE | INT64;
    for (head, reason) in [
        ([kind, 6, 8, 8], "a window that the rank does not have"),
        ([kind, 7, 16, 8], "an access outside the window"),
        ([0, 7, u64::MAX, 8], "an access outside the window"),
        ([kind, 7, 0, 16], "operator, type or length"),
        ([kind | 11 << 8, 7, 8, 8], "operator, type or length"),
        (
            [1, 7, 0, u64::MAX >> 1],
            "a window that the rank does not have",
        ),
    ] {
        let failed = run_on(&network, &accessing(head, 40, 2), LIMIT);
        assert_says(failed.unwrap_err(), &["rank 0", reason]);
    }
}

#[test]
fn a_rank_that_never_calls_is_given_up() {
    let network = network("collective_noc_2x2");
    let costs: CostTable =
        toml::from_str(noccl_spec::instruction_costs_text("one_cycle").unwrap()).unwrap();
    let options = Options {
        config: RunConfig::new(Mode::Value),
        choose: Box::new(|_, _| Err("none".to_owned())),
    };
    let mut session = Session::new(&network, 1, options).unwrap();
    let mut forever = image(&[]);
    forever.segments.truncate(1);
    forever.segments[0].bytes[..4].copy_from_slice(&0x0000_006f_u32.to_le_bytes());
    let program = Program::new(forever, &costs).unwrap();
    let mut request = CalledRequest {
        network: &network,
        program: &program,
        ranks: 1,
        memory_bytes: MEMORY_BYTES,
        max_cycles: 10_000,
    };
    let given_up = run(&mut session, &request, &mut |_| true);
    assert!(
        matches!(&given_up, Err(ExecuteError::Run(RunError::Stall(_)))),
        "{given_up:?}"
    );
    request.max_cycles = u64::MAX;
    let interrupted = run(&mut session, &request, &mut |_| false);
    let is_interrupted = matches!(
        interrupted,
        Err(ExecuteError::Run(RunError::Interrupted { .. }))
    );
    assert!(is_interrupted, "{interrupted:?}");
}

#[test]
fn the_header_has_the_numbers_of_the_crate() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    assert_fresh(&programs.join("calls/numbers.h"), &c_header());
}

/// Numbers as no program should pass them.
fn wrong() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(u64::MAX),
        Just(u64::MAX - 1),
        Just(MEMORY_BASE),
        Just(MEMORY_BASE + MEMORY_BYTES - 4),
        0..64_u64,
        any::<u64>(),
    ]
}

/// Arguments that a call may have, by their places.
fn right(number: Number) -> BoxedStrategy<Vec<u64>> {
    let address = || (0..2_u64, 0..40_u64).prop_map(|(rank, word)| data(rank, word));
    let small = || 0..2_u64;
    let mixed = match number {
        Number::Send | Number::Receive => {
            let bytes = prop_oneof![Just(0), Just(8), Just(24)];
            (address(), bytes, small(), small(), Just(0), small())
                .prop_map(<[u64; 6]>::from)
                .boxed()
        }
        Number::Wait => {
            let list = (0..2_u64, 0..4_u64).prop_map(|(rank, call)| given(rank, call));
            (list, small(), 0..8_u64, address(), Just(0), Just(0))
                .prop_map(<[u64; 6]>::from)
                .boxed()
        }
        Number::Probe => (small(), small(), Just(0), address(), small(), Just(0))
            .prop_map(<[u64; 6]>::from)
            .boxed(),
        Number::Collective => {
            let what = (0..8_u64, 0..6_u64, 0..11_u64, small())
                .prop_map(|(f, op, e, begins)| f | op << 8 | e << 16 | begins << 24);
            (what, address(), Just(8), address(), Just(0), small())
                .prop_map(<[u64; 6]>::from)
                .boxed()
        }
        Number::Split => (Just(0), small(), small(), Just(0), Just(0), Just(0))
            .prop_map(<[u64; 6]>::from)
            .boxed(),
        Number::Member => (Just(0), small(), Just(0), Just(0), Just(0), Just(0))
            .prop_map(<[u64; 6]>::from)
            .boxed(),
        Number::Join => {
            let list = (0..2_u64, 0..4_u64).prop_map(|(rank, call)| given(rank, call));
            (list, small(), Just(0), Just(0), Just(0), Just(0))
                .prop_map(<[u64; 6]>::from)
                .boxed()
        }
        Number::Expose | Number::Access => {
            (address(), Just(64), small(), Just(0), Just(0), Just(0))
                .prop_map(<[u64; 6]>::from)
                .boxed()
        }
        Number::Ended => (small(), small(), Just(0), Just(0), Just(0), Just(0))
            .prop_map(<[u64; 6]>::from)
            .boxed(),
        Number::Cancel => (small(), Just(0), Just(0), Just(0), Just(0), Just(0))
            .prop_map(<[u64; 6]>::from)
            .boxed(),
        Number::Members | Number::Alone | Number::Clock | Number::Fail => Just([0; 6]).boxed(),
    };
    mixed.prop_map(|arguments| arguments.to_vec()).boxed()
}

fn one_call() -> impl Strategy<Value = Registers> {
    let number = (0..Number::ALL.len()).prop_map(|index| Number::ALL[index]);
    let wrong = prop::option::weighted(0.3, (0..6_usize, wrong()));
    let parts = number.prop_flat_map(|number| (Just(number), right(number)));
    (parts, wrong).prop_map(|((number, mut arguments), wrong)| {
        if let Some((place, wrong)) = wrong {
            arguments[place] = wrong;
        }
        call(number, &arguments)
    })
}

fn list() -> impl Strategy<Value = List> {
    prop::collection::vec(one_call(), 0..6).prop_map(|mut calls| {
        calls.push(end(data(0, 0)));
        List::of(calls)
    })
}

proptest! {
    #![proptest_config(noccl_testkit::config(37, 150))]

    #[test]
    fn arguments_of_every_kind_end_without_a_panic(lists in prop::collection::vec(list(), 1..3)) {
        let network = network("tilepro64_2x2");
        match run_on(&network, &lists, LIMIT) {
            Ok(found) => prop_assert_eq!(found.ranks.len(), lists.len()),
            Err(ExecuteError::Call(error)) => {
                let is_defect = matches!(*error, ProgramError::Changed { .. });
                prop_assert!(!is_defect, "{}", error);
            }
            Err(error) => prop_assert!(error.to_string().contains("rank"), "{}", error),
        }
    }
}
