// SPDX-License-Identifier: Apache-2.0
//! Named specs that ship with the library, written as the user would write them.
//!
//! One text per system; larger meshes of the same system are the same text with another size, so a
//! constant is never stated twice.

use crate::SpecError;
use crate::nearest::nearest;

const COLLECTIVE_NOC_4X4: &str = include_str!("../presets/collective_noc_4x4.toml");

/// Names worth listing. [`preset_text`] also accepts `collective_noc_WxH` for any W and H from 1 to
/// 1024, and the suffixes `_peer` and `_large` behind any of them.
pub const PRESET_NAMES: [&str; 5] = [
    "collective_noc_4x4",
    "collective_noc_8x8",
    "collective_noc_16x16",
    "collective_noc_8x8_large",
    "collective_noc_4x4_peer",
];

/// Text of a preset.
///
/// `collective_noc_WxH` is S1's system with W×H clusters and H memory tiles; the suffix `_peer`
/// selects the published router, `_large` an L1 of 1 MiB.
///
/// # Errors
/// [`SpecError::UnknownPreset`] with the accepted names.
pub fn preset_text(name: &str) -> Result<String, SpecError> {
    let unknown = || SpecError::UnknownPreset {
        name: name.to_owned(),
        known: PRESET_NAMES.join(", "),
        hint: format!(
            "; any collective_noc_WxH with W and H from 1 to 1024 works too{}",
            nearest(name, PRESET_NAMES.into_iter())
        ),
    };
    let rest = name.strip_prefix("collective_noc_").ok_or_else(unknown)?;
    let (size, suffix) = rest.split_once('_').unwrap_or((rest, ""));
    let (width, height) = size.split_once('x').ok_or_else(unknown)?;
    let side = |text: &str| {
        let n: u32 = text.parse().ok()?;
        // One name per preset: no sign, no leading zero.
        ((1..=1024).contains(&n) && n.to_string() == text).then_some(n)
    };
    let (width, height) = side(width).zip(side(height)).ok_or_else(unknown)?;
    if !matches!(suffix, "" | "peer" | "large") || rest.ends_with('_') {
        return Err(unknown());
    }
    Ok(resized(name, width, height, suffix))
}

fn resized(name: &str, width: u32, height: u32, suffix: &str) -> String {
    let text = COLLECTIVE_NOC_4X4
        .replace(
            "name = \"collective_noc_4x4\"",
            &format!("name = \"{name}\""),
        )
        .replace(
            "[mesh]\nwidth = 5\nheight = 4",
            &format!("[mesh]\nwidth = {}\nheight = {height}", width + 1),
        )
        .replace(
            "x = 0\ny = 0\nwidth = 1\nheight = 4",
            &format!("x = 0\ny = 0\nwidth = 1\nheight = {height}"),
        )
        .replace(
            "x = 1\ny = 0\nwidth = 4\nheight = 4",
            &format!("x = 1\ny = 0\nwidth = {width}\nheight = {height}"),
        );
    let text = match suffix {
        "peer" => text
            .replace("flow = \"non_blocking\"", "flow = \"peer_compatible\"")
            .replace("merge_table_entries = 8", "merge_table_entries = 0")
            .replace("store_beats = 640", "store_beats = 0")
            .replace("window_beats = 20", "window_beats = 0")
            .replace("kind = \"three_operand\"", "kind = \"two_operand\""),
        "large" => text
            .replace("l1_bytes = 0x2_0000", "l1_bytes = 0x10_0000")
            .replace("stride_bytes = 0x4_0000", "stride_bytes = 0x10_0000"),
        _ => text,
    };
    let padded_tiles = width.next_power_of_two() * height.next_power_of_two();
    if padded_tiles <= 256 {
        return text;
    }
    // The regions outgrow the gaps of the small map: move both up, where up to 1024x1024 clusters
    // of 1 MiB stay aligned.
    text.replace(
        "base_address = 0x7000_0000",
        "base_address = 0x80_0000_0000",
    )
    .replace(
        "base_address = 0x2000_0000",
        "base_address = 0x100_0000_0000",
    )
}
