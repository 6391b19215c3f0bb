// SPDX-License-Identifier: Apache-2.0
//! Rounds that share no link: proved where the schedule claims it, refused where it does not hold.

use super::{cores, exchange};
use noccl_coll::RoundForm;
use noccl_testkit::assert_says;
use noccl_workload::check::check_rounds;
use noccl_workload::{CheckError, check};

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
