// SPDX-License-Identifier: Apache-2.0
//! Laws over random schedules: readers and checker take anything without a panic; what passes has one
//! result in every legal order; the proof of a postcondition and the bytes of the interpreter agree.

use crate::common::*;
use noccl_net::{Coord, MultiAddress, Network, TileSet};
use noccl_testkit::actions::to_set;
use noccl_workload::number::{fold_into, random_elements};
use noccl_workload::{
    Action, ActionId, ActionKind, CheckError, CollectiveKind, Destination, ElementType,
    InNetworkReduction, Operator, Place, Schedule, check, interpret, participants, read_schedule,
    read_trace, read_traffic, to_json,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::FileFailurePersistence;
use std::sync::LazyLock;

static NETWORK: LazyLock<Network> = LazyLock::new(mesh4x4);

/// All-reduce of a row: to its east end in the network, back by a multicast.
fn in_network_all_reduce(bytes: u64) -> Schedule {
    let c = collective(CollectiveKind::AllReduce, row(), cluster(3, 0), bytes);
    let mut s = Build::new(Some(c));
    let up = s.reduction(set(0, 0, 3, 0), 0, at(3, 0, 0x8000), bytes, &[]);
    s.multicast(at(3, 0, 0x8000), set(0, 0, 3, 0), 0x8000, bytes, &[up]);
    s.0
}

/// Reduction of a row in two dimensions of a square: pairs first, their sums by one core.
fn gathered_reduce(bytes: u64) -> Schedule {
    let c = collective(CollectiveKind::Reduce, row(), cluster(1, 0), bytes);
    let mut s = Build::new(Some(c));
    let pulls: Vec<u32> = [0u16, 2, 3]
        .iter()
        .map(|x| {
            let here = at(1, 0, 0x1000 * (u64::from(*x) + 1));
            s.copy(cluster(1, 0), at(*x, 0, 0), here, bytes, &[])
        })
        .collect();
    let half = s.local(cluster(1, 0), &[0x1000, 0], 0x5000, bytes, &pulls);
    s.local(
        cluster(1, 0),
        &[0x5000, 0x3000, 0x4000],
        0x8000,
        bytes,
        &[half],
    );
    s.0
}

fn right_schedules(bytes: u64) -> [Schedule; 4] {
    [
        chain_multicast(4, bytes, 2),
        chain_reduce(4, bytes),
        in_network_all_reduce(bytes),
        gathered_reduce(bytes),
    ]
}

/// The same schedule over 64-bit integers, where a wrong sum of random inputs is never right by rounding.
fn over_integers(mut s: Schedule) -> Schedule {
    for action in &mut s.actions {
        match &mut action.kind {
            ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) => {
                r.element = ElementType::Int64;
            }
            ActionKind::LocalReduce(r) => r.element = ElementType::Int64,
            ActionKind::Transfer(_)
            | ActionKind::Compute(_)
            | ActionKind::Barrier(_)
            | ActionKind::Delivery(_)
            | ActionKind::Arrival(_)
            | ActionKind::Kernel(_)
            | ActionKind::Chain(_)
            | ActionKind::ListMulticast(_)
            | ActionKind::Message(_)
            | ActionKind::StaticMulticast(_) => {}
        }
    }
    if let Some(c) = &mut s.collective {
        c.element = ElementType::Int64;
    }
    s
}

/// Random bytes in every cluster, over all offsets that these schedules use.
fn inputs(seed: u64) -> Vec<(Place, Vec<u8>)> {
    (0..4u16)
        .flat_map(|x| (0..4u16).map(move |y| (x, y)))
        .map(|(x, y)| {
            let own = seed * 16 + u64::from(x * 4 + y);
            (
                at(x, y, 0),
                random_elements(own, 0xa000, ElementType::Int64),
            )
        })
        .collect()
}

/// Do the outputs hold, byte for byte, what the collective promises for these inputs?
fn holds(s: &Schedule, inputs: &[(Place, Vec<u8>)]) -> Result<bool, CheckError> {
    let c = s.collective.clone().expect("a schedule with a promise");
    let bytes = c.bytes as usize;
    let views: Vec<(Place, &[u8])> = inputs.iter().map(|(p, b)| (*p, b.as_slice())).collect();
    let plain = Schedule {
        collective: None,
        ..s.clone()
    };
    let memories = interpret(&NETWORK, &plain, &views)?;
    let input = |member: Coord| {
        let (_, bytes_of) = &inputs[usize::from(member.x * 4 + member.y)];
        &bytes_of[c.input_offset as usize..c.input_offset as usize + bytes]
    };
    let members = NETWORK.members(&c.group).expect("the group exists");
    let noccl_net::TileRef::Cluster(root) = c.root else {
        unreachable!("these collectives have cluster roots")
    };
    let mut sum = input(members[0]).to_vec();
    for member in &members[1..] {
        fold_into(&mut sum, input(*member), c.operator, c.element);
    }
    let (expected, sinks) = match c.kind.name() {
        "multicast" => (input(root).to_vec(), members),
        "reduce" => (sum, vec![root]),
        "all_reduce" | "barrier" => (sum, members),
        other => unreachable!("check_blocks.rs or check_own.rs has {other}"),
    };
    let found = |m: &Coord| memories.read(at(m.x, m.y, c.output_offset), c.bytes);
    Ok(sinks.iter().all(|m| found(m).as_ref() == Some(&expected)))
}

/// One small change of one action; out of range changes are the checker's to refuse.
fn edit(s: &mut Schedule, action: usize, field: u8, delta: i64) {
    let index = action % s.actions.len();
    let shift = |value: &mut u64| *value = value.wrapping_add_signed(delta);
    let kind = &mut s.actions[index].kind;
    match kind {
        ActionKind::Transfer(t) => match field % 4 {
            0 => shift(&mut t.source.offset),
            1 => shift(&mut t.bytes),
            2 => t.bytes = 0,
            _ => match &mut t.destination {
                Destination::One(place) => shift(&mut place.offset),
                Destination::Multicast { offset, .. } => shift(offset),
            },
        },
        ActionKind::InNetworkReduction(r) | ActionKind::InNetworkAllReduce(r) => match field % 4 {
            0 => shift(&mut r.source_offset),
            1 => shift(&mut r.bytes),
            2 => r.operator = Operator::Max,
            _ => shift(&mut r.root.offset),
        },
        ActionKind::LocalReduce(r) => match field % 4 {
            0 => shift(&mut r.inputs[0]),
            1 => shift(&mut r.bytes),
            2 => r.inputs.truncate(1),
            _ => shift(&mut r.output),
        },
        ActionKind::Compute(_)
        | ActionKind::Barrier(_)
        | ActionKind::Delivery(_)
        | ActionKind::Arrival(_)
        | ActionKind::Kernel(_)
        | ActionKind::Chain(_)
        | ActionKind::ListMulticast(_)
        | ActionKind::Message(_)
        | ActionKind::StaticMulticast(_) => {}
    }
}

/// A legal order of the actions, chosen by `picks`, with ids renamed.
fn reordered(s: &Schedule, picks: &[u32]) -> Schedule {
    let mut new_id = vec![None; s.actions.len()];
    let mut actions = Vec::new();
    for step in 0..s.actions.len() {
        let ready: Vec<usize> = (0..s.actions.len())
            .filter(|a| new_id[*a].is_none())
            .filter(|a| {
                s.actions[*a]
                    .after
                    .iter()
                    .all(|b| new_id[b.0 as usize].is_some())
            })
            .collect();
        let chosen = ready[picks[step % picks.len()] as usize % ready.len()];
        new_id[chosen] = Some(ActionId(step as u32));
        let action = &s.actions[chosen];
        let after = action
            .after
            .iter()
            .filter_map(|b| new_id[b.0 as usize])
            .collect();
        actions.push(Action {
            kind: action.kind.clone(),
            after,
        });
    }
    Schedule {
        actions,
        ..s.clone()
    }
}

/// Small actions on two rows of two clusters, close together in memory so that they often meet.
fn any_kind() -> impl Strategy<Value = ActionKind> {
    let tile = || (0u16..2, 0u16..2);
    let offset = || (0u64..6).prop_map(|o| o * 8);
    let place = move || (tile(), offset()).prop_map(|((x, y), o)| at(x, y, o));
    let cube = || (tile(), tile()).prop_map(|((x, y), (mx, my))| set(x, y, mx, my));
    let bytes = || prop_oneof![Just(0u64), Just(4), Just(8), Just(16)];
    prop_oneof![
        4 => (tile(), place(), place(), bytes()).prop_map(|((x, y), source, to, bytes)| {
            copy(cluster(x, y), source, Destination::One(to), bytes)
        }),
        2 => (tile(), place(), cube(), offset(), bytes()).prop_map(|((x, y), source, set, offset, bytes)| {
            copy(cluster(x, y), source, to_set(set, offset), bytes)
        }),
        2 => (cube(), offset(), place(), bytes()).prop_map(|(group, source_offset, root, bytes)| {
            ActionKind::InNetworkReduction(InNetworkReduction {
                group,
                source_offset,
                root,
                bytes: bytes & !7,
                operator: Operator::Sum,
                element: ElementType::Int64,
            })
        }),
        4 => cube().prop_map(|group: MultiAddress| {
            let mut s = Build::new(None);
            s.barrier(TileSet::Cube(group), &[]);
            s.0.actions.swap_remove(0).kind
        }),
    ]
}

/// Actions that mostly come after all earlier ones that share a participant.
fn any_schedule() -> impl Strategy<Value = Schedule> {
    prop::collection::vec((any_kind(), 0u8..100), 1..9).prop_map(|drawn| {
        let mut s = Build::new(None);
        for (kind, keep) in drawn {
            let own = participants(&NETWORK, &kind);
            let shares = |a: &Action| {
                participants(&NETWORK, &a.kind)
                    .iter()
                    .any(|t| own.contains(t))
            };
            let earlier: Vec<u32> = (0..s.0.actions.len() as u32)
                .filter(|a| shares(&s.0.actions[*a as usize]))
                .filter(|a| keep < 90 || a % 2 == 0)
                .collect();
            s.add(kind, &earlier);
        }
        s.0
    })
}

proptest! {
    // Failures found are kept beside this file.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..noccl_testkit::cheap()
    })]

    #[test]
    fn what_passes_has_one_result_in_every_legal_order(
        schedule in any_schedule(),
        picks in prop::collection::vec(any::<u32>(), 8),
    ) {
        let start = inputs(1);
        let views: Vec<(Place, &[u8])> = start.iter().map(|(p, b)| (*p, b.as_slice())).collect();
        if let Ok(first) = interpret(&NETWORK, &schedule, &views) {
            let second = interpret(&NETWORK, &reordered(&schedule, &picks), &views);
            let second = second.expect("an order of the same actions passes too");
            for (place, bytes) in &start {
                let read = |m: &noccl_workload::Memories<'_>| m.read(*place, bytes.len() as u64);
                prop_assert_eq!(read(&first), read(&second), "{:?}", place.tile);
            }
        }
    }

    #[test]
    fn the_proof_and_the_bytes_agree(
        which in 0usize..4,
        bytes in (1u64..9).prop_map(|b| b * 16),
        edits in prop::collection::vec(
            (any::<usize>(), any::<u8>(), prop_oneof![Just(8i64), Just(-8), Just(16), Just(64), Just(4), Just(1)]),
            0..3,
        ),
        seed in 0u64..1000,
    ) {
        let mut s = over_integers(right_schedules(bytes)[which].clone());
        for (action, field, delta) in &edits {
            edit(&mut s, *action, *field, *delta);
        }
        let proof = check(&NETWORK, &s);
        match &proof {
            Ok(_) => prop_assert_eq!(holds(&s, &inputs(seed)), Ok(true)),
            Err(CheckError::Postcondition(_)) => prop_assert_eq!(holds(&s, &inputs(seed)), Ok(false)),
            // Refused before bytes could be compared.
            Err(
                CheckError::Field { .. }
                | CheckError::DoesNotFit { .. }
                | CheckError::WaitCycle(_)
                | CheckError::Race(_)
                | CheckError::Overload(_)
                | CheckError::Deadlock(_)
                | CheckError::Rounds(_)
                | CheckError::BarrierLeak { .. },
            ) => {}
        }
        if edits.is_empty() {
            prop_assert!(proof.is_ok());
        }
    }

    #[test]
    fn mutated_text_is_read_and_checked_without_a_panic(
        which in 0usize..4,
        mutations in prop::collection::vec((any::<prop::sample::Index>(), 0u8..5, any::<u8>()), 1..6),
    ) {
        let mut text = to_json(&right_schedules(64)[which]).into_bytes();
        for (at, how, byte) in &mutations {
            let at = at.index(text.len());
            match how {
                0 => text[at] = *byte,
                1 => drop(text.remove(at)),
                2 => text.insert(at, b"0123456789-.e\"{}[],:"[usize::from(*byte) % 20]),
                // Digits change numbers; most other changes only break the syntax.
                3 => if let Some(d) = text.iter_mut().skip(at).find(|c| c.is_ascii_digit()) {
                    *d = b'0' + byte % 10;
                },
                _ => if let Some(d) = (at..text.len()).find(|i| text[*i].is_ascii_digit()) {
                    text.splice(d..d, std::iter::repeat_n(b'9', usize::from(byte % 21)));
                },
            }
        }
        let text = String::from_utf8_lossy(&text);
        if let Ok(schedule) = read_schedule("mutated", &text) {
            if check(&NETWORK, &schedule).is_ok() {
                interpret(&NETWORK, &schedule, &[]).expect("what passes once passes again");
            }
            prop_assert_eq!(read_schedule("again", &to_json(&schedule)), Ok(schedule));
        }
        drop(read_traffic("mutated", &text));
        drop(read_trace("mutated", &text));
    }
}

#[test]
fn random_schedules_pass_often_enough_to_mean_something() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut passed, mut races) = (0, 0);
    for _ in 0..500 {
        let schedule = any_schedule()
            .new_tree(&mut runner)
            .expect("a schedule")
            .current();
        match check(&NETWORK, &schedule) {
            Ok(_) if schedule.actions.len() > 2 => passed += 1,
            Err(CheckError::Race(_)) => races += 1,
            Ok(_) | Err(_) => {}
        }
    }
    assert!(passed > 50, "{passed} of 500 pass");
    assert!(races > 50, "{races} of 500 have races");
}
