// SPDX-License-Identifier: Apache-2.0
//! What errors and other texts say.

use std::fmt::Display;

/// A text has all these words.
///
/// # Panics
///
/// If it lacks one of them.
#[track_caller]
pub fn assert_says(text: impl Display, words: &[&str]) {
    let text = text.to_string();
    for word in words {
        assert!(text.contains(word), "no '{word}' in {text}");
    }
}
