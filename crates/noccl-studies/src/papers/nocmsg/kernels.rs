// SPDX-License-Identifier: Apache-2.0
//! S4's claims 12 to 15 and 22: kernels of the NAS benchmarks over its library and over one that interrupts (Figs. 7 to 11).
//!
//! The runs take minutes to hours, so their rows are kept: `make npb-rows` writes `experiments/nocmsg/kernels.json` by `noccl npb`. What
//! is judged here is what stands there.

use crate::npb::NpbRow;
use crate::papers::outcome::Outcomes;
use crate::{Error, read_rows};
use std::collections::BTreeMap;

const ROWS: &str = include_str!("../../../../../experiments/nocmsg/kernels.json");

/// S4's text calls a difference small; read as below ten percent.
const SMALL: f64 = 0.1;

/// Timed cycles of a kernel with so many ranks, over both libraries.
#[derive(Debug, Clone, Copy)]
struct Pair {
    ranks: u32,
    ours: u64,
    baseline: u64,
}

impl Pair {
    fn saved(self) -> f64 {
        1.0 - self.ours as f64 / self.baseline as f64
    }
}

pub(super) fn claims(out: &mut Outcomes) -> Result<(), Error> {
    let rows: Vec<NpbRow> = read_rows(ROWS)?;
    let of = |kernel: &str| pairs(&rows, kernel);
    let (mg, is, cg, ft, lu) = (of("mg"), of("is"), of("cg"), of("ft"), of("lu"));
    let put = |out: &mut Outcomes, id: &str, pairs: &[Pair], is_shown: bool| {
        let last = pairs.last().map_or(0.0, |pair| pair.saved());
        out.put_shown(id, last, &words(pairs), is_shown);
    };
    put(out, "12-mg", &mg, is_ahead(&mg) && falls(&mg, Pair::saved));
    put(out, "13-is", &is, is_ahead(&is) && rises(&is, Pair::saved));
    put(out, "13-cg", &cg, is_ahead(&cg) && rises(&cg, Pair::saved));
    let is_small = !ft.is_empty() && ft.iter().all(|pair| pair.saved().abs() < SMALL);
    put(out, "14-ft", &ft, is_small);
    let is_behind_first = lu.first().is_some_and(|pair| pair.saved() < 0.0);
    put(out, "15-lu", &lu, is_behind_first && rises(&lu, Pair::saved));
    put(out, "22-mg", &mg, falls(&mg, |pair| pair.ours as f64));
    Ok(())
}

/// By number of ranks, those that have both libraries and right results.
fn pairs(rows: &[NpbRow], kernel: &str) -> Vec<Pair> {
    let mut cycles: BTreeMap<u32, [Option<u64>; 2]> = BTreeMap::new();
    let right = rows.iter().filter(|row| row.kernel == kernel && row.verified != Some(false));
    for row in right {
        let place = match row.library.as_str() {
            "nocmsg" => 0,
            "interrupt" => 1,
            _ => continue,
        };
        cycles.entry(row.ranks).or_default()[place] = Some(row.timed_cycles);
    }
    let both = cycles.into_iter().filter_map(|(ranks, of)| match of {
        [Some(ours), Some(baseline)] => Some(Pair {
            ranks,
            ours,
            baseline,
        }),
        _ => None,
    });
    both.collect()
}

fn is_ahead(pairs: &[Pair]) -> bool {
    !pairs.is_empty() && pairs.iter().all(|pair| pair.saved() > 0.0)
}

fn rises(pairs: &[Pair], of: impl Fn(Pair) -> f64) -> bool {
    pairs.len() > 1 && pairs.windows(2).all(|two| of(two[0]) < of(two[1]))
}

fn falls(pairs: &[Pair], of: impl Fn(Pair) -> f64) -> bool {
    rises(pairs, |pair| -of(pair))
}

fn words(pairs: &[Pair]) -> String {
    let of = |pair: &Pair| {
        format!(
            "{} ranks {} against {} cycles ({:.1} % saved)",
            pair.ranks,
            pair.ours,
            pair.baseline,
            100.0 * pair.saved()
        )
    };
    pairs.iter().map(of).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(ranks: u32, ours: u64, baseline: u64) -> Pair {
        Pair {
            ranks,
            ours,
            baseline,
        }
    }

    #[test]
    fn trends_are_strict_and_need_two_points() {
        let growing = [pair(4, 90, 100), pair(8, 80, 100)];
        assert!(rises(&growing, Pair::saved) && is_ahead(&growing));
        assert!(!falls(&growing, Pair::saved));
        assert!(falls(&growing, |pair| pair.ours as f64));
        let level = [pair(4, 90, 100), pair(8, 90, 100)];
        assert!(!rises(&level, Pair::saved) && !falls(&level, Pair::saved));
        assert!(!rises(&growing[..1], Pair::saved) && !is_ahead(&[]));
        assert!(!is_ahead(&[pair(4, 100, 100)]));
    }

    #[test]
    fn a_row_counts_if_both_libraries_have_right_results() -> Result<(), Error> {
        let rows: Vec<NpbRow> = read_rows(ROWS)?;
        let mut damaged = rows.clone();
        for row in &mut damaged {
            row.verified = Some(false);
        }
        assert!(!pairs(&rows, "is").is_empty());
        assert!(pairs(&damaged, "is").is_empty());
        Ok(())
    }
}
