// SPDX-License-Identifier: Apache-2.0
//! Layouts of matrices: patterns against the address formula.

use noccl_workload::{Layout, LayoutError};
use proptest::prelude::*;

/// Layout and shape: submatrices of up to 8 x 4 blocks, up to 4 x 4 of them.
fn layouts() -> impl Strategy<Value = (Layout, (u64, u64))> {
    (1u64..=8, 1u64..=4, 1u64..=4, 1u64..=4, any::<bool>()).prop_map(|(a, b, m, n, is_plain)| {
        let (a, b) = (8 * a, 8 * b);
        let layout = if is_plain {
            Layout::ROWS
        } else {
            Layout::of_submatrices(a, b).unwrap()
        };
        (layout, (m * a, n * b))
    })
}

proptest! {
    #![proptest_config(noccl_testkit::cheap())]

    /// Beat after beat, word after word, byte after byte: 8x8 blocks of the matrix, row by row of them, at the offsets
    /// of the formula; and the formula fills a range without a hole.
    #[test]
    fn a_pattern_enumerates_exactly_the_offsets_of_the_formula((layout, shape) in layouts(), offset in 0u64..100) {
        let (rows, columns) = shape;
        let base = offset * 8;
        let pattern = layout.pattern(base, shape).unwrap();
        prop_assert_eq!(pattern.beats(), rows * columns / 64);
        let mut is_used = vec![false; (rows * columns) as usize];
        for beat in 0..pattern.beats() {
            let (row, column) = (beat / (columns / 8) * 8, beat % (columns / 8) * 8);
            for word in 0..8 {
                let start = pattern.word_offset(beat, word);
                for byte in 0..8 {
                    let at = layout.element_offset(shape, (row + word, column + byte)).unwrap();
                    prop_assert_eq!(start + byte, base + at);
                    prop_assert!(!is_used[at as usize], "offset {} twice", at);
                    is_used[at as usize] = true;
                }
            }
        }
        prop_assert!(is_used.into_iter().all(|used| used));
    }

    #[test]
    fn a_layout_reads_back_from_its_name((layout, _) in layouts()) {
        prop_assert_eq!(layout.to_string().parse::<Layout>(), Ok(layout));
    }

    #[test]
    fn any_name_and_any_shape_are_read_or_refused(name in "MN?M?[0-9]{0,22}N?[0-9]{0,22}", rows: u64, columns: u64) {
        if let Ok(layout) = name.parse::<Layout>() {
            prop_assert_eq!(layout.to_string(), name);
            let _ = layout.element_offset((rows, columns), (columns, rows));
            let _ = layout.pattern(0, (rows, columns));
        }
    }
}

/// S3 Table II.
#[test]
fn the_published_layouts_place_their_elements_as_published() {
    let at = |name: &str, element| {
        let layout: Layout = name.parse().unwrap();
        layout.element_offset((128, 32), element).unwrap()
    };
    assert_eq!(at("MN", (3, 5)), 3 * 32 + 5);
    // The second row of submatrices, the second in it.
    assert_eq!(at("MNM16N8", (16, 8)), 16 * 32 + 16 * 8);
    assert_eq!(at("MNM8N8", (17, 9)), 2 * 8 * 32 + 8 * 8 + 8 + 1);
    assert_eq!(at("MNM64N16", (65, 18)), 64 * 32 + 64 * 16 + 16 + 2);
}

#[test]
fn what_is_no_layout_and_what_it_does_not_cover_is_refused_with_what_is_accepted() {
    for name in [
        "", "NM", "MNM16", "MNM16N", "MNM0N8", "MNM12N8", "MNM16N+8", "MNM016N8", "MNM16N8 ",
    ] {
        let error = name.parse::<Layout>().unwrap_err();
        assert_eq!(error, LayoutError::Name(name.to_owned()));
        assert!(error.to_string().contains("MNM16N8"), "{error}");
    }
    let layout: Layout = "MNM16N8".parse().unwrap();
    for shape in [(0, 8), (16, 0), (24, 8), (16, 12), (1 << 62, 8)] {
        let error = layout.pattern(0, shape).unwrap_err();
        assert!(error.to_string().contains("whole submatrices"), "{error}");
    }
    assert!(Layout::ROWS.pattern(0, (8, 12)).is_err());
    let error = layout.element_offset((16, 8), (16, 0)).unwrap_err();
    assert!(error.to_string().contains("rows below 16"), "{error}");
}
