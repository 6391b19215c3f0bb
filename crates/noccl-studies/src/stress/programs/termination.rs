// SPDX-License-Identifier: Apache-2.0
//! Drawn programs terminate, whatever the order of their messages.

use super::draw::{Limits, draw};
use super::values::{Call, Plan, Request, Stream};
use std::collections::BTreeSet;

/// Runs a program in which every message waits until its receive has begun, receives of any sender take what was sent last, and a
/// collective waits for all: the strictest order that MPI allows.
fn terminates(plan: &Plan) -> bool {
    let mut next = vec![0; plan.calls.len()];
    let mut begun = BTreeSet::new();
    let mut waits_in: Vec<Option<usize>> = vec![None; plan.calls.len()];
    let taken = |begun: &BTreeSet<Request>, stream: usize, message: usize| {
        let of = &plan.streams[stream].messages;
        let places = 0..of.len();
        let receives = places.filter(|place| {
            let place = *place;
            begun.contains(&Request::Receive { stream, place })
        });
        let is_named = plan.streams[stream].from.is_some();
        let place = of.iter().position(|of| *of == message).unwrap();
        // Of any sender: nobody knows which receive it is before all have begun.
        receives.count() > if is_named { place } else { of.len() - 1 }
    };
    let is_over = |begun: &BTreeSet<Request>, request: &Request| match *request {
        Request::Send { message } => {
            let of = |stream: &Stream| stream.messages.contains(&message);
            let stream = plan.streams.iter().position(of).unwrap();
            taken(begun, stream, message)
        }
        Request::Receive { stream, place } => {
            let sent = plan.streams[stream].messages.iter();
            let sent = sent.filter(|m| begun.contains(&Request::Send { message: **m }));
            sent.count() > place
        }
    };
    loop {
        let mut has_moved = false;
        for (rank, calls) in plan.calls.iter().enumerate() {
            while let Some(call) = calls.get(next[rank]) {
                let goes_on = match call {
                    Call::Compute { .. } => true,
                    Call::Begin(request) => {
                        begun.insert(*request);
                        true
                    }
                    Call::Probe { stream, place } => {
                        let (stream, place) = (*stream, *place);
                        is_over(&begun, &Request::Receive { stream, place })
                    }
                    Call::Wait { requests, .. } => {
                        requests.iter().all(|request| is_over(&begun, request))
                    }
                    Call::Collective { .. } | Call::Split { .. } => false,
                };
                if !goes_on {
                    break;
                }
                next[rank] += 1;
                has_moved = true;
            }
            let calls_all =
                |call: &&Call| matches!(call, Call::Collective { .. } | Call::Split { .. });
            waits_in[rank] = calls.get(next[rank]).filter(calls_all).map(|_| next[rank]);
        }
        let group_of = |call: &Call| match call {
            Call::Collective { step } => Some((0, *step, plan.collectives[*step].group)),
            Call::Split { step } => Some((1, *step, plan.splits[*step].group)),
            Call::Compute { .. } | Call::Begin(_) | Call::Probe { .. } | Call::Wait { .. } => None,
        };
        let at = |rank: usize| group_of(&plan.calls[rank][waits_in[rank]?]);
        let all: Vec<_> = (0..plan.calls.len()).map(at).collect();
        for called in all.iter().flatten().collect::<BTreeSet<_>>() {
            let members = &plan.groups[called.2].members;
            if members
                .iter()
                .all(|rank| all[*rank as usize] == Some(*called))
            {
                members.iter().for_each(|rank| next[*rank as usize] += 1);
                has_moved = true;
            }
        }
        if !has_moved {
            return next
                .iter()
                .zip(&plan.calls)
                .all(|(next, calls)| *next == calls.len());
        }
    }
}

#[test]
fn drawn_programs_terminate_in_the_strictest_order() {
    let limits = Limits {
        most_ranks: 16,
        most_steps: 64,
        is_any_group: true,
    };
    for seed in 0..300 {
        assert!(terminates(&draw(seed, limits)), "seed {seed}");
    }
}
