// SPDX-License-Identifier: Apache-2.0
//! A program of any number of calls runs in constant memory: what is over is forgotten, by the session and by every engine.
//!
//! The memory of data is that of a process, so the calls are made in one of their own: the test calls its own program. Resident memory
//! would not do: a kernel that takes pages back and gives them again makes it grow.

use crate::common::first_choice;
use noccl_net::Network;
use noccl_program::{
    CollectiveCall, MAX_CALLS, Options, ProgramError, RankId, Receive, Send, Session,
};
use noccl_run::{Mode, RunConfig};
use noccl_testkit::{is_long, network};
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::fs::read_to_string;
use std::process::Command;

const NETWORKS: [&str; 3] = ["collective_noc_4x4", "smart_4x4", "tilepro64_4x4"];
const RANKS: u32 = 4;

/// Calls of a rank in one round: a poll, an exchange with a neighbour while a receive stays open, a barrier, a sum.
const CALLS: u64 = 4;

/// The calls that a rank has made, and the receive that it opened before them.
fn next_call(session: &mut Session<'_>, rank: RankId, call: u64) -> Result<(), ProgramError> {
    let (comm, place) = (session.world(), "memory".to_owned());
    let collective = |kind, payload| CollectiveCall {
        comm,
        kind,
        payload,
        root: 0,
        operator: Operator::Sum,
        element: ElementType::Int64,
    };
    match call % CALLS {
        0 => session.poll(rank, None, place),
        1 => {
            let partner = rank.0 ^ 1;
            let receive = Receive {
                comm,
                source: Some(partner),
                tag: Some(1),
                max_bytes: None,
            };
            let send = Send {
                comm,
                target: partner,
                tag: 1,
                data: vec![rank.0 as u8; 8],
                is_synchronous: false,
            };
            let receive = session.irecv(rank, receive, place.clone())?;
            let send = session.isend(rank, send, place.clone())?;
            session.wait(rank, vec![receive, send], true, place)
        }
        2 => session.collective(rank, collective(CollectiveKind::Barrier, Vec::new()), place),
        _ => {
            let sum = collective(CollectiveKind::AllReduce, vec![1; 8]);
            session.collective(rank, sum, place)
        }
    }
}

fn data_bytes() -> usize {
    let status = read_to_string("/proc/self/status").expect("Linux tells");
    let data = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    let kib = data.and_then(|data| data.split_whitespace().next()?.parse().ok());
    kib.map_or(0, |kib: usize| kib * 1024)
}

/// Makes rounds of calls; growth of the memory of data in the second half of them.
fn growth(network: &Network, rounds: u64) -> Result<usize, ProgramError> {
    let options = Options {
        config: RunConfig::new(Mode::Value),
        choose: Box::new(first_choice),
    };
    let mut session = Session::new(network, RANKS, options)?;
    let open = Receive {
        comm: session.world(),
        source: Some(0),
        tag: Some(2),
        max_bytes: None,
    };
    session.irecv(RankId(1), open, "never met".to_owned())?;
    let mut calls = [0; RANKS as usize];
    for rank in 0..RANKS {
        next_call(&mut session, RankId(rank), 0)?;
    }
    let mut at_half = 0;
    loop {
        for (rank, _) in session.advance()? {
            let made = &mut calls[rank.0 as usize];
            *made += 1;
            if *made < rounds * CALLS {
                next_call(&mut session, rank, *made)?;
            } else {
                session.finish(rank);
            }
        }
        let [first, ..] = calls;
        if first == rounds * CALLS / 2 && at_half == 0 {
            at_half = data_bytes();
            assert!(at_half > 0, "/proc/self/status has no VmData");
        }
        if calls.iter().all(|made| *made == rounds * CALLS) {
            assert_eq!(session.num_calls(), rounds * CALLS * u64::from(RANKS));
            return Ok(data_bytes().saturating_sub(at_half));
        }
    }
}

/// Half of the rounds fill the timeline, which keeps so many calls.
fn rounds() -> u64 {
    let least = 2 * MAX_CALLS as u64 / (CALLS * u64::from(RANKS));
    if is_long() { 60 * least } else { least + 2000 }
}

#[test]
#[ignore = "the worker of the next test"]
fn worker() {
    for name in NETWORKS {
        let bytes = growth(&network(name), rounds()).expect("all ranks end");
        println!("growth {name} {bytes}");
    }
}

#[test]
fn memory_does_not_grow_with_calls() {
    let program = std::env::current_exe().expect("it runs");
    let worker = Command::new(program)
        .args(["--exact", "memory::worker", "--ignored", "--nocapture"])
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&worker.stdout);
    let grown = text.lines().filter_map(|line| line.strip_prefix("growth "));
    let grown: Vec<(&str, u64)> = grown
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, bytes)| Some((name, bytes.parse().ok()?)))
        .collect();
    assert_eq!(grown.len(), NETWORKS.len(), "{text}");
    let calls = rounds() / 2 * CALLS * u64::from(RANKS);
    for (name, bytes) in grown {
        // 1 MB for a million calls, and what allocators keep.
        assert!(
            bytes <= calls + 300_000,
            "{name}: {bytes} bytes in {calls} calls"
        );
    }
}
