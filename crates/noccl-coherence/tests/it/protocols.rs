// SPDX-License-Identifier: Apache-2.0
//! All orders of messages of three caches and one line: single writer, every copy as last stored, every run ends with nobody waiting.

use noccl_coherence::protocol::explore::{Repeats, explore, wander};
use noccl_coherence::protocol::{Ht, Protocol, Token};
use noccl_testkit::is_long;

fn holds<P: Protocol>(begins: &[u8], repeats: Repeats) {
    let explored = explore::<P>(begins, repeats, 4_000_000);
    let explored = explored.unwrap_or_else(|reason| panic!("{begins:?}: {reason}"));
    assert!(explored.ends > 0 && explored.steps > explored.states);
}

#[test]
fn ht_holds_in_every_order() {
    holds::<Ht>(&[2, 2, 2], Repeats::AnyTime);
    holds::<Ht>(&[4, 2], Repeats::AnyTime);
}

#[test]
fn token_coherence_holds_in_every_order() {
    holds::<Token<1>>(&[1, 1, 1], Repeats::WhenQuiet);
    holds::<Token<2>>(&[1, 1, 1], Repeats::WhenQuiet);
    holds::<Token<1>>(&[1, 1], Repeats::AnyTime);
    holds::<Token<0>>(&[2, 1], Repeats::AnyTime);
    holds::<Token<0>>(&[1, 2], Repeats::AnyTime);
    if is_long() {
        holds::<Token<1>>(&[2, 1, 1], Repeats::WhenQuiet);
    }
}

/// Without the difference a copy without data would pass for one of a line without stores.
#[test]
fn a_copy_without_data_has_no_value() {
    let mut line = <Token<1> as Protocol>::Line::default();
    assert_eq!(Token::<1>::value(&line), None);
    Token::<1>::store(&mut line, 0);
    assert_eq!(Token::<1>::value(&line), Some(0));
}

#[test]
fn token_coherence_holds_in_random_orders() {
    let held = wander::<Token<2>>(&[2, 2, 2], 3_000, 1);
    assert_eq!(held, Ok(()));
    assert_eq!(wander::<Token<1>>(&[3, 3, 3, 3], 1_000, 2), Ok(()));
}
