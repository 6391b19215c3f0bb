// SPDX-License-Identifier: Apache-2.0
//! Schedules of messages between cores: claims of rounds, postconditions by proof and by value, orders of reductions, refusals.

mod postconditions;

use crate::common::network;
use noccl_coll::{Algorithm, Choice, RoundForm, schedule};
use noccl_net::{Coord, Network, TileRef, TileSet};
use noccl_testkit::{assert_says, cluster, schedules};
use noccl_workload::check::check_rounds;
use noccl_workload::{
    CheckError, Collective, CollectiveKind, ElementType, Lengths, Schedule, check,
};

/// Core tiles.
fn cores(columns: u16, rows: u16) -> Network {
    network(&format!("tilepro64_{columns}x{rows}"))
}

/// A collective over a rectangle of cores; the output stands behind the input.
fn task(
    kind: CollectiveKind,
    group: TileSet,
    num_ranks: u64,
    root: TileRef,
    bytes: u64,
) -> Collective {
    let mut collective = Collective {
        element: ElementType::Int64,
        ..schedules::collective(kind, group, root, bytes)
    };
    collective.output_offset = collective
        .input_bytes(num_ranks)
        .max(bytes)
        .next_multiple_of(8);
    collective
}

/// An exchange of everybody on the mesh by rounds of this form.
fn exchange(network: &Network, form: RoundForm, bytes: u64) -> Schedule {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let group = crate::common::rectangle(0, 0, width, height);
    let ranks = u64::from(width) * u64::from(height);
    let root = cluster(0, 0);
    let of = task(CollectiveKind::AllToAll, group, ranks, root, bytes);
    let choice = Choice::new(Algorithm::Rounds, 1).with_rounds(form);
    schedule(network, &of, choice).unwrap()
}

// Rounds that share no link: proved where the schedule claims it, refused where it does not hold.

#[test]
fn split_rounds_share_no_link_on_any_rectangle() {
    for columns in 1..=16 {
        for rows in 1..=16 {
            let network = cores(columns, rows);
            let schedule = exchange(&network, RoundForm::Split, 4);
            assert!(schedule.claims_rounds);
            let proved = check_rounds(&network, &schedule).unwrap();
            let subrounds = &schedule.parameters["subrounds"];
            // A subround without messages has no number in the file.
            assert!(
                proved.unwrap() <= subrounds.parse().unwrap(),
                "{columns}x{rows}"
            );
        }
    }
}

#[test]
fn literal_rounds_are_refused_the_claim_exactly_where_messages_meet() {
    for columns in 1..=6 {
        for rows in 1..=6 {
            let network = cores(columns, rows);
            let mut schedule = exchange(&network, RoundForm::Literal, 4);
            assert!(!schedule.claims_rounds);
            schedule.claims_rounds = true;
            let found = check_rounds(&network, &schedule);
            // Two messages of a line meet if they go two places or more and start less than that apart: on four places and more.
            let holds = columns < 4 && rows < 4;
            assert_eq!(found.is_ok(), holds, "{columns}x{rows}: {found:?}");
        }
    }
}

#[test]
fn the_refusal_names_round_link_and_both_messages() {
    let network = cores(4, 4);
    let mut schedule = exchange(&network, RoundForm::Literal, 4);
    schedule.claims_rounds = true;
    let error = check(&network, &schedule).unwrap_err();
    let CheckError::Rounds(shared) = &error else {
        panic!("{error}");
    };
    // The first class that goes two places is the fifth one.
    assert_eq!(shared.round, 4);
    assert!(
        shared.first.contains("(message) from (0,0) to (2,0)"),
        "{error}"
    );
    assert!(
        shared.second.contains("(message) from (1,0) to (3,0)"),
        "{error}"
    );
    assert_says(&error, &["share the link east of"]);
}

// In which order operands are reduced, as the page of algorithms says.

/// Ranks of a rectangle of three columns and two rows: 0 and 1 in the first column, 2 and 3 in the second, 4 and 5 in the third.
fn orders(kind: CollectiveKind, choice: Choice) -> Vec<String> {
    let network = cores(3, 2);
    let root = cluster(1, 0);
    let of = task(kind, crate::common::rectangle(0, 0, 3, 2), 6, root, 640);
    let made = schedule(&network, &of, choice).unwrap();
    check(&network, &made).unwrap().fold_orders
}

#[test]
fn a_root_reduces_its_column_and_then_the_results_of_its_row() {
    let direct = Choice::new(Algorithm::RowColumn, 1).direct();
    assert_eq!(
        orders(CollectiveKind::Reduce, direct),
        ["[[[2, 3], [0, 1]], [4, 5]]"]
    );
}

#[test]
fn a_chain_reduces_own_operands_first_on_the_path_to_the_root() {
    // To the corner: what the third column sends passes the second one. However many chunks, the order is one.
    for chunks in [1, 5] {
        assert_eq!(
            orders(
                CollectiveKind::AllReduce,
                Choice::new(Algorithm::RowColumn, chunks)
            ),
            ["[[0, 1], [[2, 3], [4, 5]]]"]
        );
    }
    let direct = Choice::new(Algorithm::RowColumn, 1).direct();
    assert_eq!(
        orders(CollectiveKind::AllReduce, direct),
        ["[[[0, 1], [2, 3]], [4, 5]]"]
    );
}

#[test]
fn a_binomial_tree_reduces_near_ranks_first() {
    // Rank 2 is the root: places 0 to 5 are the ranks 2, 3, 4, 5, 0, 1.
    assert_eq!(
        orders(CollectiveKind::Reduce, Choice::new(Algorithm::Tree, 1)),
        ["[[[2, 3], [4, 5]], [0, 1]]"]
    );
}

#[test]
fn doubling_reduces_the_lower_rank_left_and_gives_everybody_the_same_sum() {
    // Six ranks: 0 with 1 and 2 with 3 fold before, then four go on.
    assert_eq!(
        orders(
            CollectiveKind::AllReduce,
            Choice::new(Algorithm::RecursiveDoubling, 1)
        ),
        ["[[[0, 1], [2, 3]], [4, 5]]"]
    );
}

// What cannot be done says what is wrong, and what would be accepted.

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
