// SPDX-License-Identifier: Apache-2.0
//! How the line of an algorithm looks: hue of its family, shade of the algorithm, marker and dashes.
//!
//! An algorithm has the colour that it has in the plots of the Python package, so that a reader who knows one picture
//! reads the other. Mirror: `python/noccl/colours.py`, which says how the colours were chosen;
//! `python/tests/test_report_page.py` compares both.

use super::svg::MARKERS;

/// Hues of `style.css`, classes `c0a` to `c6c`.
const HUES: usize = 7;
/// Shades of a hue.
const SHADES: [&str; 3] = ["a", "b", "c"];
/// Dash patterns of lines, classes `d0` to `d3`.
const DASHES: usize = 4;

/// Beginning of a name to its hue and its slot in the family; the longest one that fits decides.
const ALGORITHMS: [(&str, usize, usize); 21] = [
    ("point_to_point", 0, 0),
    ("planned", 0, 1),
    ("in_network", 1, 0),
    ("in_network_once", 1, 1),
    ("in_network_lines", 1, 2),
    ("in_network_list", 1, 3),
    ("in_network_static", 1, 4),
    ("tree", 2, 0),
    ("double_tree", 2, 1),
    ("row_column", 3, 0),
    ("torus", 3, 1),
    ("chain", 4, 0),
    ("chainwrite", 4, 1),
    ("ring", 5, 0),
    ("pairwise", 5, 1),
    ("rounds", 5, 2),
    ("recursive_doubling", 5, 3),
    ("slotted", 5, 4),
    ("dissemination", 5, 5),
    ("unicast", 6, 0),
    ("counter", 6, 2),
];

/// Look of a line; no two of a plot are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    hue: usize,
    shade: usize,
    marker: usize,
    dash: usize,
}

impl Look {
    /// The n-th line of the algorithm in a slot of a family.
    const fn new((hue, slot): (usize, usize), member: usize) -> Self {
        let index = slot + member;
        Self {
            hue,
            shade: slot % SHADES.len(),
            marker: (hue + index) % MARKERS,
            dash: (index + member / MARKERS) % DASHES,
        }
    }

    /// Class of the colour, which sets `--c`.
    pub(super) fn colour(self) -> String {
        format!("c{}{}", self.hue, SHADES[self.shade])
    }

    /// Classes of the line.
    pub(super) fn line(self) -> String {
        format!("line {} d{}", self.colour(), self.dash)
    }

    /// Shape of its markers.
    pub(super) const fn marker(self) -> usize {
        self.marker
    }
}

/// Looks of the lines of one plot. A name of no family takes a hue that no family of the plot has, while there is one.
pub(super) fn looks(names: &[String]) -> Vec<Look> {
    let used: Vec<usize> = (names.iter().filter_map(|name| algorithm(name)))
        .map(|(hue, _)| hue)
        .collect();
    let mut free: Vec<usize> = (0..HUES).filter(|hue| !used.contains(hue)).collect();
    if free.is_empty() {
        free = (0..HUES).collect();
    }
    let mut strangers = 0;
    let mut found: Vec<Look> = Vec::new();
    for name in names {
        let place = algorithm(name).unwrap_or_else(|| {
            strangers += 1;
            let index = strangers - 1;
            (free[index % free.len()], index / free.len())
        });
        let mut member = 0;
        while found.contains(&Look::new(place, member)) {
            member += 1;
        }
        found.push(Look::new(place, member));
    }
    found
}

fn algorithm(name: &str) -> Option<(usize, usize)> {
    let fits = ALGORITHMS
        .iter()
        .filter(|(begin, ..)| name.starts_with(begin));
    let longest = fits.max_by_key(|(begin, ..)| begin.len());
    longest.map(|(_, hue, slot)| (*hue, *slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn no_two_lines_of_a_plot_look_alike() {
        let kinds = [
            "tree:1",
            "in_network",
            "in_network_list:2",
            "torus",
            "other",
        ];
        let many: Vec<String> = kinds.iter().flat_map(|kind| names(&[*kind; 6])).collect();
        let found = looks(&many);
        let seen: std::collections::BTreeSet<_> = (found.iter())
            .map(|look| (look.line(), look.marker()))
            .collect();
        assert_eq!(seen.len(), many.len());
    }

    #[test]
    fn a_name_of_no_family_takes_a_hue_that_is_left() {
        let found = looks(&names(&["in_network", "other", "tree"]));
        assert_eq!(found[0].hue, 1);
        assert!(![1, 2].contains(&found[1].hue));
    }
}
