// SPDX-License-Identifier: Apache-2.0
//! Specs with memory tiles around the clusters.
#![allow(dead_code, unused_imports)] // every test file uses its own part

#[path = "sides_text.rs"]
mod sides_text;

use noccl_spec::{Spec, parse_spec};
pub use sides_text::{Sides, text};

/// A preset with memory tiles around the clusters.
pub fn spec(base: &str, clusters: (u32, u32), sides: Sides) -> Spec {
    let text = text(base, clusters, sides);
    parse_spec("sides.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
