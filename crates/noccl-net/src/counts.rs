// SPDX-License-Identifier: Apache-2.0
//! Maxima, counts and lengths of what may be empty or absent, where 0 is the right value.
//!
//! A default of 0 at a caller does not say whether an absent value is a fault, a missing measurement
//! or nothing to count; the lint of `tools/check_defaults.py` refuses it without a reason. These
//! functions are for nothing to count only. A missing measurement remains an `Option` or an error.

/// An unsigned integer: 0 is the least, so it is the neutral element of maximum and sum.
///
/// Signed and floating-point numbers have no such element at 0, so they are not of this kind.
pub trait Unsigned: Copy + Ord + Default {}

impl Unsigned for u8 {}
impl Unsigned for u16 {}
impl Unsigned for u32 {}
impl Unsigned for u64 {}
impl Unsigned for usize {}

/// The largest value; 0 of no values, the neutral element of the maximum of unsigned integers.
///
/// For loads, distances, sizes and ends of which an empty set has none. Not for measurements: the
/// largest of none is unknown.
pub fn max_or_zero<T: Unsigned>(values: impl IntoIterator<Item = T>) -> T {
    values.into_iter().fold(T::default(), T::max)
}

/// What a map counted under a key so far: 0 where it has no entry, since entries begin with the first count.
#[must_use]
pub fn count_so_far<T: Unsigned>(entry: Option<&T>) -> T {
    // 0: see above, nothing was counted under this key.
    entry.copied().unwrap_or(T::default())
}

/// Length of a list that a map may not have: 0 where it has no entry, since entries begin with the first element.
#[must_use]
pub fn len_of<T>(list: Option<&Vec<T>>) -> usize {
    // 0: see above, nothing was added under this key.
    list.map_or(0, Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn nothing_counts_as_0_and_something_as_it_is() {
        assert_eq!(max_or_zero([3_u64, 7, 5]), 7);
        assert_eq!(max_or_zero([0_u64; 0]), 0);
        let counts = BTreeMap::from([("multicasts", 2_u64)]);
        assert_eq!(count_so_far(counts.get("multicasts")), 2);
        assert_eq!(count_so_far(counts.get("reductions")), 0);
        let lists = BTreeMap::from([("waiting", vec![4, 2])]);
        assert_eq!(len_of(lists.get("waiting")), 2);
        assert_eq!(len_of(lists.get("running")), 0);
    }
}
