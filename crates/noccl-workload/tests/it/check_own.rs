// SPDX-License-Identifier: Apache-2.0
//! Custom collectives: what makes no sense is refused with field, finding and what is accepted; wrong outputs name the chunk.

use crate::common::*;
use noccl_testkit::actions::compute;
use noccl_testkit::assert_says;
use noccl_workload::{
    ActionKind, CheckError, ChunkRef, Collective, CollectiveKind, Definition, InputChunks,
    Postcondition, Schedule, Want, check, check_collective, read_schedule, to_json,
};

const BYTES: u64 = 64;
const OUTPUT: u64 = 0x8000;

const fn chunk(rank: u32, chunk: u32) -> ChunkRef {
    ChunkRef { rank, chunk }
}

/// Rank 1 wants chunk 1 of rank 0; rank 3 wants the sum of chunk 0 of all.
fn own() -> Collective {
    let mut own = collective(CollectiveKind::Custom, row(), cluster(0, 0), BYTES);
    own.definition = Some(Box::new(Definition {
        name: "corner".to_owned(),
        inputs: InputChunks::Each(2),
        outputs: vec![
            vec![],
            vec![Want::Nothing, Want::Copy(chunk(0, 1))],
            vec![],
            vec![Want::All { all: 0 }],
        ],
    }));
    own
}

/// A copy and a reduction, which is made by the network.
fn schedule() -> Schedule {
    let mut s = Build::new(Some(own()));
    let (source, destination) = (at(0, 0, BYTES), at(1, 0, OUTPUT + BYTES));
    s.copy(cluster(0, 0), source, destination, BYTES, &[]);
    s.reduction(set(0, 0, 3, 0), 0, at(3, 0, OUTPUT), BYTES, &[]);
    s.0
}

fn refusal(collective: &Collective) -> String {
    let error = check_collective(&mesh4x4(), collective).expect_err("it makes no sense");
    error.to_string()
}

fn with(change: impl Fn(&mut Definition)) -> Collective {
    let mut own = own();
    if let Some(definition) = &mut own.definition {
        change(definition);
    }
    own
}

#[test]
fn a_right_schedule_is_accepted_and_read_back() {
    let report = check(&mesh4x4(), &schedule()).expect("it is right");
    assert_eq!(report.fold_orders.len(), 1, "the only reduction");
    let text = to_json(&schedule());
    assert_eq!(read_schedule("own.json", &text), Ok(schedule()));
}

#[test]
fn the_postcondition_has_each_value_once() {
    let twice = with(|d| d.outputs[2] = vec![Want::All { all: 0 }, Want::Copy(chunk(0, 1))]);
    let asked = Postcondition::new(&mesh4x4(), &twice);
    assert_eq!((asked.values.len(), asked.outputs.len()), (2, 4));
    // The same chunks in another order and form are the same value.
    let all: Vec<ChunkRef> = (0..4).rev().map(|rank| chunk(rank, 0)).collect();
    let listed = with(|d| d.outputs[2] = vec![Want::Reduction(all.clone())]);
    let asked = Postcondition::new(&mesh4x4(), &listed);
    assert_eq!((asked.values.len(), asked.outputs.len()), (2, 3));
}

#[test]
fn a_wrong_output_names_rank_and_chunk() {
    let wrong = |schedule: &Schedule| match check(&mesh4x4(), schedule) {
        Err(CheckError::Postcondition(wrong)) => wrong.to_string(),
        other => panic!("expected a wrong output, got {other:?}"),
    };
    let mut other = schedule();
    other.collective = Some(with(|d| d.outputs[1][1] = Want::Copy(chunk(2, 1))));
    let message = wrong(&other);
    assert_says(&message, &["rank 1", "(2,0)"]);
    other.collective = Some(with(|d| {
        d.outputs[3][0] = Want::Reduction(vec![chunk(0, 0), chunk(1, 0), chunk(2, 1)]);
    }));
    let message = wrong(&other);
    let expected = "over chunk 0 of rank 0";
    assert_says(&message, &[expected, "not asked for"]);
    other.collective = Some(with(|d| d.outputs[3][0] = Want::All { all: 1 }));
    assert!(wrong(&other).contains("rank 3"), "{}", wrong(&other));
}

#[test]
fn statements_that_make_no_sense_are_refused_by_field() {
    let cases: [(Collective, &[&str]); 9] = [
        (
            with(|d| d.outputs[0] = vec![Want::Copy(chunk(4, 0))]),
            &["definition.outputs[0][0] = [4, 0]", "a rank below 4"],
        ),
        (
            with(|d| d.outputs[0] = vec![Want::Copy(chunk(3, 2))]),
            &["[3, 2]", "the input of rank 3, which has 2"],
        ),
        (
            with(|d| d.outputs[0] = vec![Want::All { all: 2 }]),
            &["[0, 2]", "which has 2"],
        ),
        (
            with(|d| drop(d.outputs.pop())),
            &["definition.outputs = 3 lists", "each of the 4 ranks"],
        ),
        (
            with(|d| d.inputs = InputChunks::ByRank(vec![2; 5])),
            &["definition.inputs = 5 numbers"],
        ),
        (
            with(|d| d.outputs[0] = vec![Want::Reduction(vec![chunk(1, 1), chunk(1, 1)])]),
            &["[1, 1] twice", "each operand of a reduction once"],
        ),
        (
            with(|d| d.outputs = vec![vec![Want::Nothing]; 4]),
            &["ask for nothing"],
        ),
        (
            with(|d| d.name = " ".to_owned()),
            &["definition.name", "a name for reports"],
        ),
        (
            Collective { bytes: 0, ..own() },
            &["collective.bytes = 0", "at least 1"],
        ),
    ];
    for (collective, words) in cases {
        let message = refusal(&collective);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn a_definition_belongs_to_a_custom_collective_and_it_must_fit() {
    let mut none = own();
    none.definition = None;
    assert_says(refusal(&none), &["definition = nothing"]);
    let other = Collective {
        kind: CollectiveKind::AllReduce,
        ..own()
    };
    assert_says(refusal(&other), &["a definition of all_reduce: nothing"]);
    let large = with(|d| d.inputs = InputChunks::ByRank(vec![2, 2, 3000, 2]));
    assert!(refusal(&large).contains("131072"), "{}", refusal(&large));
    let torn = Collective { bytes: 12, ..own() };
    assert!(refusal(&torn).contains("bytes = 12"), "{}", refusal(&torn));
    // Copies take any bytes.
    let copies = with(|d| d.outputs[3] = vec![]);
    let copies = Collective {
        bytes: 12,
        ..copies
    };
    assert_eq!(check_collective(&mesh4x4(), &copies), Ok(()));
}

/// Rank r reads the inputs of all before it and adds them to its own.
fn scan() -> Schedule {
    let own = collective(CollectiveKind::Scan, row(), cluster(0, 0), BYTES);
    let mut s = Build::new(Some(own));
    for rank in 0..4_u16 {
        let slot = |from: u16| 0x4000 + u64::from(from) * BYTES;
        let tile = cluster(rank, 0);
        let read = |from| s.copy(tile, at(from, 0, 0), at(rank, 0, slot(from)), BYTES, &[]);
        let after: Vec<u32> = (0..rank).map(read).collect();
        let inputs: Vec<u64> = (0..rank).map(slot).chain([0]).collect();
        s.local(tile, &inputs, OUTPUT, BYTES, &after);
    }
    s.0
}

#[test]
fn scatter_gather_and_scan_are_what_they_are_called() {
    let of = |kind| collective(kind, row(), cluster(0, 0), BYTES);
    let mut scatter = Build::new(Some(of(CollectiveKind::Scatter)));
    let mut gather = Build::new(Some(of(CollectiveKind::Gather)));
    for (x, skip) in (0..4_u16).map(|rank| (rank, u64::from(rank) * BYTES)) {
        let tile = cluster(x, 0);
        scatter.copy(tile, at(0, 0, skip), at(x, 0, OUTPUT), BYTES, &[]);
        gather.copy(tile, at(x, 0, 0), at(0, 0, OUTPUT + skip), BYTES, &[]);
    }
    let net = mesh4x4();
    for made in [scatter.0, gather.0, scan()] {
        check(&net, &made).unwrap_or_else(|e| panic!("{:?}: {e}", made.collective));
        for without in 0..made.actions.len() {
            let mut less = made.clone();
            // Its tile does something else, and all others keep their numbers.
            let kind = &less.actions[without].kind;
            let tile = if let ActionKind::Transfer(t) = kind {
                t.initiator
            } else if let ActionKind::LocalReduce(fold) = kind {
                fold.tile
            } else {
                panic!("{kind:?}");
            };
            less.actions[without].kind = compute(tile, 1);
            let found = check(&net, &less);
            assert!(
                matches!(found, Err(CheckError::Postcondition(_))),
                "{found:?}"
            );
        }
    }
    // The sum of all is no sum of the first ones.
    let mut all = scan();
    if let ActionKind::LocalReduce(fold) = &mut all.actions[2].kind {
        fold.inputs = vec![0x4000, 0x4000];
    }
    let message = check(&net, &all).unwrap_err().to_string();
    assert_says(&message, &["the inputs of ranks 0 to 1", "twice"]);
}
