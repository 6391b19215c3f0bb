// SPDX-License-Identifier: Apache-2.0
//! The two readings of S4's baseline side by side: every row that is assessed under both, and how many hold.

use super::machine::Layer;
use crate::claims::{Claim, Evidence, Paper};
use crate::statistics::{Outcome, Outcomes};
use crate::table::{Table, short};
use noccl_studies::Error;

/// A row under one reading.
#[derive(Debug, Clone, Copy)]
struct Assessed {
    ours: f64,
    holds: bool,
    /// Was a number of the reading fitted to it?
    is_fitted: bool,
}

/// Rows that hold and fail of one reading, without those that it is fitted to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    fitted: usize,
    hold: usize,
    fail: usize,
}

impl Tally {
    fn count(&mut self, row: Assessed) {
        if row.is_fitted {
            self.fitted += 1;
        } else if row.holds {
            self.hold += 1;
        } else {
            self.fail += 1;
        }
    }

    fn words(self) -> String {
        let Self { fitted, hold, fail } = self;
        format!(
            "one fitted number, {fitted} rows that rest on it; of the others {hold} hold and {fail} fail"
        )
    }
}

/// The table.
pub(super) fn table(outcomes: &Outcomes) -> Result<Table, Error> {
    let claims = Paper::Nocmsg.claims()?;
    let mut markdown =
        "| # | claim | S4 | trees | | flat | |\n|---|---|---|---|---|---|---|\n".to_owned();
    let mut tallies = [Tally::default(); 2];
    for claim in &claims {
        let both = Layer::LIBRARIES.map(|(_, suffix)| {
            let id = format!("{}{suffix}", claim.id);
            let twin = claims.iter().find(|claim| claim.id == id);
            twin.and_then(|twin| assessed(twin, outcomes))
        });
        let [Some(trees), Some(flat)] = both else {
            continue;
        };
        tallies[0].count(trees);
        tallies[1].count(flat);
        let cells = [trees, flat].map(|row| format!("{} | {}", short(row.ours), result(row)));
        let paper = claim.paper.map_or_else(String::new, short);
        let of_both = cells.join(" | ");
        markdown += &format!(
            "| {} | {} | {paper} | {of_both} |\n",
            claim.id, claim.statement
        );
    }
    let [trees, flat] = tallies;
    markdown += &format!(
        "\nTrees: {}. Flat: {}. {}\n",
        trees.words(),
        flat.words(),
        better(trees, flat)
    );
    Ok(Table {
        name: "accounts",
        markdown,
    })
}

const fn result(row: Assessed) -> &'static str {
    match (row.is_fitted, row.holds) {
        (true, true) => "fitted",
        (false, true) => "holds",
        (_, false) => "**fails**",
    }
}

fn better(trees: Tally, flat: Tally) -> String {
    let which = match trees.hold.cmp(&flat.hold) {
        std::cmp::Ordering::Greater => {
            "More rows hold under trees, which the presets `_interrupt` have."
        }
        std::cmp::Ordering::Less => {
            "More rows hold under the flat reading, which the presets `_interrupt` do not have."
        }
        std::cmp::Ordering::Equal => "As many rows hold under both.",
    };
    which.to_owned()
}

/// A row, if it was measured.
fn assessed(claim: &Claim, outcomes: &Outcomes) -> Option<Assessed> {
    match outcomes.by_id.get(&claim.id)? {
        Outcome::Measured { ours, is_shown, .. } => Some(Assessed {
            ours: *ours,
            holds: *is_shown && claim.accepts(*ours),
            is_fitted: claim.evidence == Evidence::FittedConstant,
        }),
        Outcome::Missing(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_readings_stand_beside_each_other_and_are_counted_without_the_fitted_ones() {
        let mut outcomes = Outcomes::default();
        for (id, ours) in [
            ("3-barrier", 0.98),
            ("1-pairwise", 0.945),
            ("3-broadcast", 0.996),
        ] {
            outcomes.put(id, ours, "");
        }
        for (id, ours) in [
            ("3-barrier-flat", 0.98),
            ("1-pairwise-flat", 0.6),
            ("3-broadcast-flat", 0.5),
        ] {
            outcomes.put(id, ours, "");
        }
        let text = table(&outcomes).unwrap().markdown;
        assert!(
            text.contains("| 0.945 | **fails** | 0.6 | holds |"),
            "{text}"
        );
        assert!(text.contains("| 0.98 | fitted | 0.98 | fitted |"), "{text}");
        let tally = "one fitted number, 1 rows that rest on it; of the others 1 hold and 1 fail";
        assert!(
            text.contains(&format!("Trees: {tally}. Flat: {tally}.")),
            "{text}"
        );
        assert!(text.contains("As many rows hold under both"), "{text}");
    }
}
