// SPDX-License-Identifier: Apache-2.0
//! "Did you mean …?": the accepted name closest to the one written.

/// A hint in parentheses, or nothing when no candidate is close.
///
/// Of `all_reduse` among `all_reduce` and `barrier`: did you mean `all_reduce`?
#[must_use]
pub fn nearest<'a>(found: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    match candidates.map(|key| (distance(found, key), key)).min() {
        Some((edits, name)) if edits <= 1 + name.len() / 4 => format!(" (did you mean `{name}`?)"),
        Some(_) | None => String::new(),
    }
}

/// Levenshtein distance; inputs are names, so the quadratic cost is nothing.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("width", "widht", 2),
            ("width", "with", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), edits, "{a} {b}");
            assert_eq!(distance(b, a), edits, "{b} {a}");
        }
    }

    #[test]
    fn nearest_without_a_close_candidate_says_nothing() {
        assert_eq!(nearest("zzzzzz", ["width", "height"].into_iter()), "");
        assert_eq!(
            nearest("hieght", ["width", "height"].into_iter()),
            " (did you mean `height`?)"
        );
    }
}
