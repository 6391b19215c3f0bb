// SPDX-License-Identifier: Apache-2.0
//! Slices of a rank's time: what is done in each cycle.

use noccl_run::{RankTime, TimeSlices};
use proptest::prelude::*;

fn slices(parts: &[(u64, u64)], time: RankTime) -> TimeSlices {
    let mut made = TimeSlices::default();
    let mut at = 0;
    for (gap, length) in parts {
        at += gap;
        made.add(time, at, at + length);
        at += length;
    }
    made
}

/// What is done in a cycle.
fn at(slices: &TimeSlices, cycle: u64) -> Option<RankTime> {
    let found = slices.all().iter();
    let mut found = found.filter(|s| s.start_cycle <= cycle && cycle < s.end_cycle);
    found.next().map(|slice| slice.time)
}

#[test]
fn a_slice_that_continues_the_last_one_becomes_part_of_it() {
    let mut made = slices(&[(2, 3)], RankTime::Send);
    made.add(RankTime::Send, 5, 8);
    made.add(RankTime::Receive, 6, 9);
    let found: Vec<_> = made.all().iter().map(|s| (s.time, s.end_cycle)).collect();
    assert_eq!(found, [(RankTime::Send, 8), (RankTime::Receive, 9)]);
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    #[test]
    fn own_slices_cover_others_and_the_rest_is_filled(
        own in prop::collection::vec((0u64..9, 0u64..9), 0..9),
        others in prop::collection::vec((0u64..9, 0u64..9), 0..9),
        until in 0u64..120,
    ) {
        let (own, others) = (slices(&own, RankTime::Compute), slices(&others, RankTime::Send));
        let filled = own.over(&others).filled(RankTime::Wait, until);
        for cycle in 0..until {
            let expected = at(&own, cycle).or(at(&others, cycle)).unwrap_or(RankTime::Wait);
            prop_assert_eq!(at(&filled, cycle), Some(expected), "cycle {}", cycle);
        }
        let total: u64 = filled.all().iter().map(|s| s.end_cycle - s.start_cycle).sum();
        prop_assert_eq!(total, until);
    }
}
