// SPDX-License-Identifier: Apache-2.0
//! What cannot be done says what is wrong, and what would be accepted.

use super::{cores, exchange, task};
use noccl_coll::{Algorithm, Choice, RoundForm, schedule};
use noccl_net::{Coord, TileRef, TileSet};
use noccl_testkit::{assert_says, cluster};
use noccl_workload::{CollectiveKind, Lengths, check};

fn origin() -> TileRef {
    cluster(0, 0)
}

#[test]
fn groups_with_holes_have_no_static_network_no_rounds_and_no_tree_along_links() {
    let network = cores(4, 4);
    let holes = TileSet::Arbitrary(vec![Coord::new(0, 0), Coord::new(1, 1), Coord::new(3, 0)]);
    for (kind, choice, words) in [
        (CollectiveKind::Multicast, "in_network_static", "holes"),
        (CollectiveKind::AllToAll, "rounds:split", "holes"),
        (CollectiveKind::AllToAll, "torus", "columns and rows"),
        (CollectiveKind::Barrier, "tree:neighbour", "neighbour"),
        (
            CollectiveKind::Reduce,
            "row_column:direct",
            "columns and rows",
        ),
        (CollectiveKind::AllToAll, "row_column", "columns and rows"),
    ] {
        let of = task(kind, holes.clone(), 3, origin(), 8);
        let choice: Choice = choice.parse().unwrap();
        let error = schedule(&network, &of, choice).unwrap_err().to_string();
        assert_says(&error, &[words, "accepted"]);
    }
}

#[test]
fn roots_outside_the_group_and_what_core_tiles_do_not_do_are_refused() {
    let network = cores(4, 4);
    let group = crate::common::rectangle(0, 0, 2, 2);
    let outside = cluster(3, 3);
    let of = task(CollectiveKind::Reduce, group.clone(), 4, outside, 8);
    let error = schedule(&network, &of, Choice::new(Algorithm::Tree, 1)).unwrap_err();
    assert_says(&error, &["root cluster (3,3): not in the group"]);
    let of = task(CollectiveKind::AllGather, group.clone(), 4, origin(), 8);
    let error = schedule(&network, &of, Choice::new(Algorithm::Ring, 1)).unwrap_err();
    assert_says(&error, &["accepted: multicast, reduce"]);
    let of = task(CollectiveKind::Reduce, group, 4, origin(), 8);
    let error = schedule(&network, &of, Choice::new(Algorithm::DoubleTree, 1)).unwrap_err();
    assert_says(&error, &["accepted on core tiles: chain, tree, row_column"]);
    let error = schedule(&network, &of, "row_column:1:tree".parse().unwrap()).unwrap_err();
    assert_says(&error, &["row_column:direct, row_column:chain"]);
}

#[test]
fn rows_and_columns_exchange_blocks_of_one_length_and_have_words_of_exchanges_alone() {
    let network = cores(2, 2);
    let group = crate::common::rectangle(0, 0, 2, 2);
    let refusal = |kind, name: &str, lengths| {
        let mut of = task(kind, group.clone(), 4, origin(), 8);
        of.lengths = lengths;
        let choice: Choice = name.parse().unwrap();
        schedule(&network, &of, choice).unwrap_err().to_string()
    };
    let sends = vec![vec![8; 4]; 4];
    let receives = Vec::new();
    let lengths = Some(Lengths { sends, receives });
    let (exchange, reduce) = (CollectiveKind::AllToAll, CollectiveKind::Reduce);
    for (text, words) in [
        (
            refusal(exchange, "row_column", lengths),
            "accepted: blocks of one length",
        ),
        (
            refusal(exchange, "row_column:direct", None),
            ":lag=STEPS, :barrier",
        ),
        (
            refusal(exchange, "row_column:4", None),
            "accepted: one chunk",
        ),
        (refusal(reduce, "row_column:lag=2", None), "of exchanges"),
        (refusal(reduce, "row_column:barrier", None), "of exchanges"),
        (refusal(reduce, "row_column:receive", None), "of exchanges"),
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn lengths_that_differ_between_ranks_name_both() {
    let network = cores(2, 1);
    let group = crate::common::rectangle(0, 0, 2, 1);
    let mut of = task(CollectiveKind::AllToAll, group.clone(), 2, origin(), 64);
    let mut made = schedule(&network, &of, Choice::new(Algorithm::Pairwise, 1)).unwrap();
    let mut refuse = |lengths: Lengths| {
        of.lengths = Some(lengths);
        made.collective = Some(of.clone());
        check(&network, &made).unwrap_err().to_string()
    };
    let sends = vec![vec![0, 64], vec![8, 0]];
    let receives = vec![vec![0, 8], vec![32, 0]];
    let error = refuse(Lengths {
        sends: sends.clone(),
        receives,
    });
    assert!(
        error.contains("rank 0 sends 64 bytes to rank 1, which expects 32: it would be cut short"),
        "{error}"
    );
    let error = refuse(Lengths {
        sends: vec![vec![0, 65], vec![8, 0]],
        receives: Vec::new(),
    });
    assert!(
        error.starts_with("collective.lengths.sends[0][1] = 65: at most"),
        "{error}"
    );
    let error = refuse(Lengths {
        sends: vec![vec![0, 64]],
        receives: Vec::new(),
    });
    assert!(
        error.contains("1 lists without lengths of rank 1: one list for each of the 2 ranks"),
        "{error}"
    );
    let error = refuse(Lengths {
        sends,
        receives: vec![vec![0, 8], vec![64]],
    });
    assert!(
        error.starts_with("collective.lengths.receives[1] = 1 lengths of rank 1"),
        "{error}"
    );
    // Other collectives have none.
    let mut reduce = task(CollectiveKind::Reduce, group, 2, origin(), 64);
    reduce.lengths = Some(Lengths {
        sends: vec![vec![0; 2]; 2],
        receives: Vec::new(),
    });
    made.collective = Some(reduce);
    let error = check(&network, &made).unwrap_err().to_string();
    assert!(
        error.starts_with("collective.lengths = lengths of reduce: nothing"),
        "{error}"
    );
}

#[test]
fn messages_that_lose_their_round_or_their_bytes_are_found() {
    let network = cores(3, 2);
    let whole = exchange(&network, RoundForm::Split, 16);
    check(&network, &whole).unwrap();
    let text = noccl_workload::to_json(&whole);
    // The file says the same.
    assert_eq!(
        noccl_workload::read_schedule("schedule.json", &text).unwrap(),
        whole
    );
    let without = text.replacen(",\n          \"round\": 3", "", 1);
    for (text, words) in [
        (without, "kind.message.round = none"),
        (
            text.replacen(
                "\"bytes\": 16,\n          \"round\": 3",
                "\"bytes\": 8,\n          \"round\": 3",
                1,
            ),
            "expected bytes",
        ),
    ] {
        let schedule = noccl_workload::read_schedule("schedule.json", &text).unwrap();
        assert_says(check(&network, &schedule).unwrap_err(), &[words]);
    }
}
