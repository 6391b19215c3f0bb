// SPDX-License-Identifier: Apache-2.0
//! Is a number in a sorted list? Lists of what may be in flight together mostly hold all numbers of a range.

/// Is the value in this list, which is sorted and names no value twice?
///
/// Between the ends there is space for as many positions as there are values, so both ends bound the position: one look in a
/// list without gaps, a binary search over the gaps in others.
#[must_use]
pub fn is_among(sorted: &[u32], value: u32) -> bool {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return false;
    };
    if value < *first || value > *last {
        return false;
    }
    let (from_first, to_last) = ((value - first) as usize, (last - value) as usize);
    let end = sorted.len().min(from_first + 1);
    let begin = sorted.len().saturating_sub(to_last + 1);
    begin < end && sorted[begin..end].binary_search(&value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_among;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_in_the_list_is_found_and_nothing_else(list in prop::collection::btree_set(0u32..60, 0..60), far: bool) {
            let mut set: BTreeSet<u32> = list;
            if far {
                set.insert(u32::MAX);
            }
            let sorted: Vec<u32> = set.iter().copied().collect();
            for value in (0..64).chain([u32::MAX - 1, u32::MAX]) {
                prop_assert_eq!(is_among(&sorted, value), set.contains(&value));
            }
        }
    }
}
