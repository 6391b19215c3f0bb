// SPDX-License-Identifier: Apache-2.0
//! Positions in lists that contain what is searched.
//!
//! With 0 for an element that the list lacks, a schedule would silently take another member's slot.
//! The length of the list is no index of it, so that such a schedule cannot be built.

/// Position of an element; the length of the list if the list lacks it.
pub(crate) fn position_of<T: PartialEq>(list: &[T], element: &T) -> usize {
    list.iter().take_while(|other| *other != element).count()
}

/// Rank of a member of an ascending list; their number if it is no member.
pub(crate) fn rank_of<T: Ord>(members: &[T], member: &T) -> usize {
    members.binary_search(member).unwrap_or(members.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_the_list_lacks_has_no_index_of_it() {
        let list = [3, 5, 8];
        assert_eq!((position_of(&list, &5), rank_of(&list, &5)), (1, 1));
        assert_eq!((position_of(&list, &4), rank_of(&list, &4)), (3, 3));
    }
}
