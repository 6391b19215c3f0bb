// SPDX-License-Identifier: Apache-2.0
//! In which order operands are reduced, as the page of algorithms says.

use super::{cores, task};
use noccl_coll::{Algorithm, Choice, schedule};
use noccl_testkit::cluster;
use noccl_workload::{CollectiveKind, check};

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
    // To the corner: what the third column sends passes the second one. However many pieces, the order is one.
    for pieces in [1, 5] {
        assert_eq!(
            orders(
                CollectiveKind::AllReduce,
                Choice::new(Algorithm::RowColumn, pieces)
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
