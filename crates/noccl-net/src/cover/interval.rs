// SPDX-License-Identifier: Apache-2.0
//! The fewest disjoint cubes whose union is an interval.
//!
//! Aligned blocks come first: let bit t be the highest in which the ends differ, so that the interval
//! is an upper part of the block with t = 0 and a lower part of the block with t = 1. With g = the
//! last value before the interval and h = the first one behind it (bits below t), the upper part
//! falls into one block P(i) for every bit i that is 0 in g (g above i, 1 at i, anything below), the
//! lower part into one block Q(i) for every bit i that is 1 in h (h above i, 0 at i, anything below).
//!
//! One block can be saved when two bits i > j have g = 0 and h = 1 and above j there is no bit with
//! g = 1 and h = 0. Take the two highest such bits. Above j, except at i, g and h agree; call these
//! bits m. Cut Q(i) (t = 1, i = 0) by the first bit below i, down to j, in which a member differs
//! from m. Where m is 0 at that bit, the part completes P of that bit to a cube with t free; where m
//! is 1, it completes Q of that bit to a cube with i free; at j both happen. So Q(i) is gone and no
//! block is added. For all intervals of up to 64 values an integer program found no smaller
//! partition.

/// Disjoint cubes (base, mask) whose union is `low..=high`; empty if `low > high`.
#[must_use]
pub fn interval_cubes(low: u16, high: u16) -> Vec<(u16, u16)> {
    if low > high {
        return Vec::new();
    }
    let span = low ^ high;
    if span == 0 {
        return vec![(low, 0)];
    }
    let top = 1u16 << span.ilog2();
    let below = top - 1;
    let common = low & !(top | below);
    let (first, last) = (low & below, high & below);
    match (first, last) {
        (0, l) if l == below => vec![(common, top | below)],
        (0, _) => [
            vec![(common, below)],
            lower_part(common | top, last + 1, top),
        ]
        .concat(),
        (_, l) if l == below => [
            upper_part(common, first - 1, top),
            vec![(common | top, below)],
        ]
        .concat(),
        (_, _) => straddling(common, first - 1, last + 1, top),
    }
}

/// The bits below `top`, highest first.
fn bits_below(top: u16) -> impl Iterator<Item = u16> {
    let mut bit = top;
    std::iter::from_fn(move || {
        bit >>= 1;
        (bit != 0).then_some(bit)
    })
}

/// Blocks P of `g + 1..top`, each with the base `common`.
fn upper_part(common: u16, g: u16, top: u16) -> Vec<(u16, u16)> {
    let zeros = bits_below(top).filter(|bit| g & bit == 0);
    zeros
        .map(|bit| (common | (g & !(bit | (bit - 1))) | bit, bit - 1))
        .collect()
}

/// Blocks Q of `0..h`, each with the base `common`.
fn lower_part(common: u16, h: u16, top: u16) -> Vec<(u16, u16)> {
    let ones = bits_below(top).filter(|bit| h & bit != 0);
    ones.map(|bit| (common | (h & !(bit | (bit - 1))), bit - 1))
        .collect()
}

fn straddling(common: u16, g: u16, h: u16, top: u16) -> Vec<(u16, u16)> {
    let mut upper = upper_part(common, g, top);
    let mut lower = lower_part(common | top, h, top);
    if let Some((i, j)) = saving(g, h, top) {
        let in_cut = |mask: &u16| *mask + 1 < i && *mask + 1 >= j;
        for (_, mask) in upper.iter_mut().filter(|(_, mask)| in_cut(mask)) {
            *mask |= top;
        }
        lower.retain(|(_, mask)| *mask + 1 != i);
        for (base, mask) in lower.iter_mut().filter(|(_, mask)| in_cut(mask)) {
            *base &= !i;
            *mask |= i;
        }
    }
    upper.append(&mut lower);
    upper
}

/// The two highest bits with g = 0 and h = 1, unless a bit with g = 1 and h = 0 stands above one.
fn saving(g: u16, h: u16, top: u16) -> Option<(u16, u16)> {
    let mut first = None;
    for bit in bits_below(top) {
        match (g & bit != 0, h & bit != 0, first) {
            (true, false, _) => return None,
            (false, true, Some(i)) => return Some((i, bit)),
            (false, true, None) => first = Some(bit),
            (_, _, _) => {}
        }
    }
    None
}
