// SPDX-License-Identifier: Apache-2.0
//! S4's claims 12 to 15, 22 and 28: kernels of the NAS benchmarks over its library and over one that interrupts (Figs. 7 to 11).
//!
//! The runs take minutes to hours, so their rows are kept: `make npb-rows` writes `experiments/nocmsg/kernels.json` by `noccl npb`. What
//! is assessed here is what stands there.

use crate::statistics::Outcomes;
use noccl_studies::{Error, NpbRow, parse_json};
use std::collections::BTreeMap;

const ROWS: &str = include_str!("../../../../experiments/nocmsg/kernels.json");

/// S4's text calls a difference small; read as below ten percent.
const SMALL: f64 = 0.1;

/// Timed cycles of a kernel with so many ranks, over both libraries.
#[derive(Debug, Clone, Copy)]
struct KernelPair {
    ranks: u32,
    ours: u64,
    baseline: u64,
}

impl KernelPair {
    fn saved(self) -> f64 {
        1.0 - self.ours as f64 / self.baseline as f64
    }
}

pub(super) fn claims(out: &mut Outcomes) -> Result<(), Error> {
    let rows = read()?;
    let of = |kernel: &str| pairs(&rows, kernel);
    let (mg, is, cg, ft, lu) = (of("mg"), of("is"), of("cg"), of("ft"), of("lu"));
    let put = |out: &mut Outcomes, id: &str, pairs: &[KernelPair], agreeing: usize| {
        out.put(id, agreeing as f64, &words(pairs));
    };
    put(
        out,
        "12-mg",
        &mg,
        ahead(&mg) + falling(&mg, KernelPair::saved),
    );
    put(
        out,
        "13-is",
        &is,
        ahead(&is) + rising(&is, KernelPair::saved),
    );
    put(
        out,
        "13-cg",
        &cg,
        ahead(&cg) + rising(&cg, KernelPair::saved),
    );
    let small = ft.iter().filter(|pair| pair.saved().abs() < SMALL);
    put(out, "14-ft", &ft, small.count());
    let is_behind_first = lu.first().is_some_and(|pair| pair.saved() < 0.0);
    put(
        out,
        "15-lu",
        &lu,
        usize::from(is_behind_first) + rising(&lu, KernelPair::saved),
    );
    put(out, "22-mg", &mg, falling(&mg, |pair| pair.ours as f64));
    other_meshes(&rows, out);
    Ok(())
}

/// Claim 28: kernels that have the published results on S1's mesh.
fn other_meshes(rows: &[NpbRow], out: &mut Outcomes) {
    let there = rows
        .iter()
        .filter(|row| row.library == "calls" && row.verified == Some(true));
    let there: Vec<&str> = there.map(|row| row.kernel.as_str()).collect();
    let detail = format!(
        "{} on collective_noc_4x4, 16 ranks, class S",
        there.join(", ")
    );
    out.put("28-meshes", there.len() as f64, &detail);
}

fn read() -> Result<Vec<NpbRow>, Error> {
    parse_json("experiments/nocmsg/kernels.json", ROWS, "rows of noccl npb")
}

/// Relative error that is left to another order of additions: LU's residual on 9 points a side has fallen to 1e-7 after its 50 steps,
/// and ranks differ from one rank in its eighth digit.
const TOLERANCE: f64 = 1e-6;

/// Has a row the published results, or where there are none, those that one rank has?
fn is_right(rows: &[NpbRow], row: &NpbRow) -> bool {
    if let Some(verified) = row.verified {
        return verified;
    }
    let is_same = |other: &&NpbRow| {
        (&other.kernel, &other.class, &other.define) == (&row.kernel, &row.class, &row.define)
    };
    let Some(one) = rows.iter().filter(is_same).find(|other| other.ranks == 1) else {
        return false;
    };
    let both = one.verification.iter().zip(&row.verification);
    let mut agree = both.map(|(a, b)| {
        a.name == b.name && (a.computed - b.computed).abs() <= TOLERANCE * a.computed.abs()
    });
    let is_whole = one.verification.len() == row.verification.len();
    is_whole && !row.verification.is_empty() && agree.all(|agrees| agrees)
}

/// By number of ranks, those that have both libraries and right results.
fn pairs(rows: &[NpbRow], kernel: &str) -> Vec<KernelPair> {
    let mut cycles: BTreeMap<u32, [Option<u64>; 2]> = BTreeMap::new();
    let of_kernel = rows
        .iter()
        .filter(|row| row.kernel == kernel && row.ranks > 1);
    for row in of_kernel.filter(|row| is_right(rows, row)) {
        let place = match row.library.as_str() {
            "nocmsg" => 0,
            "interrupt" => 1,
            _ => continue,
        };
        cycles.entry(row.ranks).or_default()[place] = Some(row.timed_cycles);
    }
    let both = cycles.into_iter().filter_map(|(ranks, of)| match of {
        [Some(ours), Some(baseline)] => Some(KernelPair {
            ranks,
            ours,
            baseline,
        }),
        _ => None,
    });
    both.collect()
}

/// Numbers of ranks with which S4's library is faster.
fn ahead(pairs: &[KernelPair]) -> usize {
    pairs.iter().filter(|pair| pair.saved() > 0.0).count()
}

/// Steps from one number of ranks to the next at which something rises.
fn rising(pairs: &[KernelPair], of: impl Fn(KernelPair) -> f64) -> usize {
    let steps = pairs.windows(2);
    steps.filter(|two| of(two[0]) < of(two[1])).count()
}

fn falling(pairs: &[KernelPair], of: impl Fn(KernelPair) -> f64) -> usize {
    rising(pairs, |pair| -of(pair))
}

fn words(pairs: &[KernelPair]) -> String {
    let of = |pair: &KernelPair| {
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

    fn pair(ranks: u32, ours: u64, baseline: u64) -> KernelPair {
        KernelPair {
            ranks,
            ours,
            baseline,
        }
    }

    #[test]
    fn steps_of_a_trend_are_strict() {
        let growing = [pair(4, 90, 100), pair(8, 80, 100)];
        assert_eq!(
            (rising(&growing, KernelPair::saved), ahead(&growing)),
            (1, 2)
        );
        assert_eq!(falling(&growing, KernelPair::saved), 0);
        assert_eq!(falling(&growing, |pair| pair.ours as f64), 1);
        let level = [pair(4, 90, 100), pair(8, 90, 100)];
        assert_eq!(
            (
                rising(&level, KernelPair::saved),
                falling(&level, KernelPair::saved)
            ),
            (0, 0)
        );
        assert_eq!(rising(&growing[..1], KernelPair::saved), 0);
        assert_eq!(ahead(&[pair(4, 100, 100)]), 0);
    }

    #[test]
    fn a_row_counts_if_both_libraries_have_the_results_of_one_rank() -> Result<(), Error> {
        let rows = read()?;
        let mut damaged = rows.clone();
        for row in damaged.iter_mut().filter(|row| row.library == "nocmsg") {
            for quantity in row.verification.iter_mut().filter(|_| row.ranks > 1) {
                quantity.computed *= 1.0 + 1e-5;
            }
        }
        for kernel in ["cg", "ft", "lu"] {
            assert_eq!(pairs(&rows, kernel).len(), 3, "{kernel}");
            assert!(pairs(&damaged, kernel).is_empty(), "{kernel}");
        }
        // These check themselves.
        for row in &mut damaged {
            row.verified = row.verified.map(|_| false);
        }
        for kernel in ["mg", "is"] {
            assert_eq!(pairs(&rows, kernel).len(), 3, "{kernel}");
            assert!(pairs(&damaged, kernel).is_empty(), "{kernel}");
        }
        let alone: Vec<_> = rows.into_iter().filter(|row| row.ranks > 1).collect();
        assert!(pairs(&alone, "cg").is_empty());
        Ok(())
    }
}
