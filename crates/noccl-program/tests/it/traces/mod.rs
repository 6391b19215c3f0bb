// SPDX-License-Identifier: Apache-2.0
//! Message traces: their replay takes the cycles of the same calls, keeps all messages, and ends whatever the file holds.

use crate::common::{Op, first_choice, network, run, run_recorded};
use crate::programs::NETWORKS;
use noccl_net::Network;
use noccl_program::{
    MAX_COMPUTE, Options, ProgramError, Replayed, Report, Session, parse_messages, replay,
};
use noccl_run::{Mode, RunConfig};
use noccl_testkit::assert_says;
use noccl_workload::CollectiveKind;
use proptest::prelude::*;
use std::fmt::Write;

/// The lines of each rank as a trace.
fn trace(ranks: &[Vec<String>]) -> String {
    let mut text = format!("noccl-messages 1\nranks {}\nunit cycles\n", ranks.len());
    for (rank, lines) in ranks.iter().enumerate() {
        let _ = writeln!(text, "rank {rank}");
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "end {}", lines.len());
    }
    text
}

fn replayed(
    network: &Network,
    text: &str,
    max_cycles: u64,
) -> Result<(Report, Vec<Replayed>), ProgramError> {
    let trace = parse_messages("t", text)?;
    let mut config = RunConfig::new(Mode::Value);
    config.max_cycles = max_cycles;
    let options = Options {
        config,
        choose: Box::new(first_choice),
    };
    let mut session = Session::new(network, trace.ranks.len() as u32, options)?;
    let ranks = replay(&mut session, &trace, "t", 1.0, &mut |_| true)?;
    Ok((session.report(), ranks))
}

fn report(preset: &str, text: &str) -> (Report, Vec<Replayed>) {
    match replayed(&network(preset), text, MAX_COMPUTE) {
        Ok(found) => found,
        Err(error) => panic!("{preset}: {error}"),
    }
}

fn lines(text: &str) -> Vec<String> {
    text.split("; ").map(str::to_owned).collect()
}

/// A call, as a list of calls has it and as lines of a trace.
fn both(rank: u32) -> (Vec<Op>, Vec<String>) {
    let (next, before) = ((rank + 1) % 8, (rank + 7) % 8);
    let sum = |bytes: usize| Op::Collective(CollectiveKind::AllReduce, 0, vec![0; bytes]);
    let ops = vec![
        Op::Compute(100 * u64::from(rank) + 1),
        Op::Ireceive(Some(before), Some(3)),
        Op::Isend(next, 3, vec![0; 700]),
        Op::WaitAll,
        sum(64),
        Op::Split(rank / 4, 0),
        Op::Compute(50),
        sum(8),
        Op::Send(next, 4, vec![0; 5]),
        Op::Receive(Some(before), Some(4)),
    ];
    let half = 4 * (rank / 4);
    let members = format!("{half} {} {} {}", half + 1, half + 2, half + 3);
    let text = format!(
        "compute {}; irecv 0 {before} 3 700 1; isend 0 {next} 3 700 2; wait 1 2; \
         allreduce 0 sum int64 64; split 0 5 {members}; compute 50; allreduce 5 sum int64 8; \
         send 0 {next} 4 5; recv 0 {before} 4 5 any",
        100 * rank + 1
    );
    (ops, lines(&text))
}

#[test]
fn a_replay_takes_the_cycles_of_the_same_calls() {
    for preset in NETWORKS {
        let (ops, text): (Vec<_>, Vec<_>) = (0..8).map(both).unzip();
        let (_, cycles) = run(&network(preset), &ops).expect("the calls fit");
        let (found, ranks) = report(preset, &trace(&text));
        assert_eq!(found.cycles, cycles, "{preset}");
        let received: u64 = ranks.iter().map(|rank| rank.received_messages).sum();
        assert_eq!(received, 16);
        let sent: u64 = found.ranks.iter().map(|rank| rank.bytes).sum();
        let received: u64 = ranks.iter().map(|rank| rank.received_bytes).sum();
        assert_eq!((sent, received), (8 * 705, 8 * 705), "{preset}");
    }
}

#[test]
fn what_a_session_records_is_read_again_and_takes_the_same_cycles() {
    let lists: Vec<_> = (0..8).map(|rank| both(rank).0).collect();
    for preset in NETWORKS {
        let (_, cycles, recorded) = run_recorded(&network(preset), &lists).expect("the calls fit");
        let text = recorded.to_string();
        let read = parse_messages("t", &text).expect("what is written can be read");
        assert_eq!(read.to_string(), text, "{preset}");
        let (found, _) = report(preset, &text);
        assert_eq!(found.cycles, cycles, "{preset}");
        for (rank, (_, lines)) in (0..8).map(both).enumerate() {
            let section = text.split("\nend ").nth(rank).expect("a section per rank");
            let computes = lines.iter().filter(|line| line.starts_with("compute"));
            for line in computes {
                assert!(section.contains(line.as_str()), "{preset}: {section}");
            }
            assert_eq!(
                section.matches("allreduce").count(),
                2,
                "{preset}: {section}"
            );
            assert_eq!(section.matches("irecv").count(), 2, "{preset}: {section}");
        }
    }
}

#[test]
fn all_collectives_end_on_all_networks_and_lose_no_message() {
    let rank = |rank: u32| {
        let own = rank + 1;
        let at_root = if rank == 2 { " 1 2 3 4 5 6" } else { "" };
        lines(&format!(
            "barrier 0; bcast 0 1 100; reduce 0 2 sum fp64 64; allreduce 0 other int8 13; \
             reduce_scatter_block 0 min int32 8; reduce_scatter 0 max int32 0 4 8 0 4 4; \
             reduce_scatter 0 sum int32 4 4 4 4 4 4; scan 0 sum fp64 8; exscan 0 sum fp64 8; \
             gather 0 3 9; gatherv 0 5 {own}; scatter 0 4 9; scatterv 0 2{at_root}; \
             allgather 0 16; allgatherv 0 1 0 2 0 3 0; alltoall 0 8; \
             alltoallv 0 0 {own} 0 {own} 0 1; bcast 0 0 0; barrier 1; bcast 1 0 8"
        ))
    };
    let text = trace(&(0..6).map(rank).collect::<Vec<_>>());
    for preset in NETWORKS {
        let (found, ranks) = report(preset, &text);
        let sent = found.ranks.iter().map(|rank| (rank.messages, rank.bytes));
        let received = ranks
            .iter()
            .map(|r| (r.received_messages, r.received_bytes));
        let sum = |(a, b): (u64, u64), (c, d): (u64, u64)| (a + c, b + d);
        let sent = sent.fold((0, 0), sum);
        assert_eq!(sent, received.fold((0, 0), sum), "{preset}");
        assert!(sent.0 > 100, "{preset}: {sent:?}");
    }
}

/// What `programs/recorder` has recorded of `test_calls.c`; a test in Python compares new recordings with it.
#[test]
fn a_recording_of_every_call_is_replayed_on_all_networks() {
    for preset in NETWORKS {
        let (found, ranks) = report(preset, include_str!("calls.messages"));
        let sent: u64 = found.ranks.iter().map(|rank| rank.messages).sum();
        let received: u64 = ranks.iter().map(|rank| rank.received_messages).sum();
        assert_eq!(sent, received, "{preset}");
        assert!(sent > 100, "{preset}: {sent}");
    }
}

#[test]
fn ranks_that_do_not_fit_are_refused_with_both_lines() {
    let refused = |ranks: &[&str], expected: &[&str]| {
        let ranks: Vec<_> = ranks.iter().map(|rank| lines(rank)).collect();
        let network = network("tilepro64_4x4");
        let found = match replayed(&network, &trace(&ranks), MAX_COMPUTE) {
            Ok(found) => panic!("{found:?}"),
            Err(error) => error.to_string(),
        };
        assert_says(&found, expected);
    };
    let differ = ["rank 1 at t:9 calls", "but rank 0 at t:5 calls"];
    refused(&["barrier 0; barrier 0", "bcast 0 0 1"], &differ);
    refused(&["gather 0 0 4; barrier 0", "gather 0 1 4"], &differ);
    refused(
        &["scan 0 sum int8 4; barrier 0", "scan 0 max int8 4"],
        &differ,
    );
    refused(&["bcast 0 0 4; barrier 0", "split 0 -"], &differ);
    refused(
        &["recv 0 1 4 8", "send 0 0 4 9"],
        &["rank 0 at t:5 receives at most 8 bytes"],
    );
    refused(
        &["recv 0 1 4 9", "send 0 0 4 8"],
        &["has 8 bytes; accepted: 9, as recorded"],
    );
    refused(
        &["split 0 2 0 1", "split 0 -"],
        &["rank 0 at t:5: a communicator of 2 ranks"],
    );
    let most = format!(
        "isend 0 1 0 {0} 1; isend 0 1 0 {0} 2; isend 0 1 0 {0} 3; isend 0 1 0 {0} 4; isend 0 1 0 1 5; wait 1 2 3 4 5",
        1 << 28
    );
    refused(
        &[&most, "barrier 1"],
        &["t:9: 1073741825 bytes of sends are open"],
    );
}

#[test]
fn short_computations_keep_their_sum() {
    let text = trace(&[vec!["compute 1".to_owned(); 1000]]);
    let trace = parse_messages("t", &text).expect("it is right");
    let network = network("tilepro64_4x4");
    for (scale, cycles) in [(0.0, 0), (0.7, 700), (0.001, 1), (2.5, 2500)] {
        let options = Options {
            config: RunConfig::new(Mode::Value),
            choose: Box::new(first_choice),
        };
        let mut session = Session::new(&network, 1, options).expect("a session");
        replay(&mut session, &trace, "t", scale, &mut |_| true).expect("it ends");
        assert_eq!(session.report().ranks[0].compute_cycles, cycles, "{scale}");
    }
}

#[test]
fn a_message_that_nobody_receives_does_not_keep_a_run_going() {
    let ranks = [lines("recv 0 1 4 8"), lines("send 0 0 5 8")];
    for preset in NETWORKS {
        let text = match replayed(&network(preset), &trace(&ranks), 1_000_000) {
            Ok(found) => panic!("{preset}: {found:?}"),
            Err(error) => error.to_string(),
        };
        let expected = "rank 0 waits for a message from rank 1 with tag 4 at t:5";
        assert!(text.contains(expected), "{preset}: {text}");
        assert!(!text.contains("1000000"), "{preset}: {text}");
    }
}

/// A word in place of one of the trace.
fn word() -> impl Strategy<Value = String> {
    let words = "0 1 2 3 5 7 - any compute send isend recv irecv wait split end rank ranks barrier \
                 bcast reduce alltoallv scatterv sum fp64 int8 4294967295 18446744073709551615 99999999999999999999999 -1 1e3 ä \u{0}";
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    prop_oneof![4 => prop::sample::select(words), 1 => ".{0,5}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..noccl_testkit::config(100, 400) })]

    /// A damaged trace is refused or replayed, within the limit of cycles.
    #[test]
    fn a_damaged_trace_ends(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4u8, word()), 1..4)) {
        let (_, ranks): (Vec<_>, Vec<_>) = (0..8).map(both).unzip();
        let text = trace(&ranks);
        let mut all: Vec<Vec<String>> = text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
        for (line, place, what, word) in changes {
            let line = line.index(all.len());
            match what {
                0 => { all.remove(line); }
                1 => { let copy = all[line].clone(); all.insert(line, copy); }
                2 => { let place = place.index(all[line].len()); all[line][place] = word; }
                _ => { all[line].push(word); }
            }
        }
        let text: Vec<String> = all.iter().map(|words| words.join(" ")).collect();
        let cut = text.join("\n");
        if let Ok((found, _)) = replayed(&network("tilepro64_4x4"), &cut, 100_000) {
            prop_assert!(found.cycles <= 100_000);
        }
    }

    /// So are bytes that are no trace behind its head.
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,60}", head in any::<bool>()) {
        let begin = if head { "noccl-messages 1\nranks 1\nunit cycles\nrank 0\n" } else { "" };
        let _ = parse_messages("t", &format!("{begin}{text}"));
    }
}
