// SPDX-License-Identifier: Apache-2.0
//! The library's own schedules: what a search must not fall behind.

use crate::problem::Problem;
use noccl_coll::{Algorithm, Choice, LineForm, PointForm, offered};

/// The library's choices for each collective, those that are fast most often first.
#[must_use]
pub fn library_choices(problem: &Problem<'_>, is_software: bool) -> Vec<Vec<Choice>> {
    let of_part = |part: &crate::Part| {
        let is_asked = |choice: &Choice| {
            let is_possible =
                problem.faults.is_empty() || choice.algorithm == Algorithm::PointToPoint;
            let uses_network = choice.algorithm.is_in_network();
            is_possible && !(is_software && uses_network)
        };
        let mut found = offered(&problem.network, &part.collective);
        found.retain(is_asked);
        found.sort_by_key(rank);
        found
    };
    problem.parts.iter().map(of_part).collect()
}

/// Smaller is tried earlier.
fn rank(choice: &Choice) -> u8 {
    let is_usual =
        |form: LineForm| matches!(form, LineForm::Ring | LineForm::Halving | LineForm::Both);
    if choice.algorithm.is_in_network() {
        return 0;
    }
    if choice.algorithm != Algorithm::PointToPoint {
        return 3;
    }
    match choice.point {
        PointForm::Lines(first, second) if is_usual(first) && is_usual(second) => 1,
        PointForm::Rotated(_) => 1,
        PointForm::Lines(..)
        | PointForm::Ring
        | PointForm::Radix(_)
        | PointForm::Combine(_)
        | PointForm::Trees(_) => 2,
    }
}
