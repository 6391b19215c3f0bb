// SPDX-License-Identifier: Apache-2.0
//! Named specs that ship with the library, written as the user would write them.
//!
//! One text per system; larger meshes of the same system are the same text with another size, so a
//! constant is never stated twice.

use crate::SpecError;

const COLLECTIVE_NOC_4X4: &str = include_str!("../presets/collective_noc_4x4.toml");

/// Names that [`preset_text`] accepts. `collective_noc_WxH` also works for any W and H that are
/// powers of two up to 1024.
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
        hint: "; any collective_noc_WxH with W, H powers of two from 1 to 1024 works too"
            .to_owned(),
    };
    let rest = name.strip_prefix("collective_noc_").ok_or_else(unknown)?;
    let (size, suffix) = rest
        .split_once('_')
        .map_or((rest, ""), |(size, suffix)| (size, suffix));
    let (width, height) = size.split_once('x').ok_or_else(unknown)?;
    let (width, height): (u32, u32) = (
        width.parse().map_err(|_| unknown())?,
        height.parse().map_err(|_| unknown())?,
    );
    let fits = |n: u32| n.is_power_of_two() && n <= 1024;
    if !fits(width) || !fits(height) || !matches!(suffix, "" | "peer" | "large") {
        return Err(unknown());
    }
    Ok(resized(name, width, height, suffix))
}

fn resized(name: &str, width: u32, height: u32, suffix: &str) -> String {
    let mut text = COLLECTIVE_NOC_4X4
        .replace(
            "name = \"collective_noc_4x4\"",
            &format!("name = \"{name}\""),
        )
        .replacen(
            "width = 5\nheight = 4",
            &format!("width = {}\nheight = {height}", width + 1),
            1,
        )
        .replacen(
            "width = 1\nheight = 4",
            &format!("width = 1\nheight = {height}"),
            1,
        )
        .replacen(
            "width = 4\nheight = 4",
            &format!("width = {width}\nheight = {height}"),
            1,
        );
    if width * height > 1024 {
        // The cluster region outgrows the gap below the memory tiles: move both apart.
        text = text
            .replace(
                "base_address = 0x7000_0000",
                "base_address = 0x100_0000_0000",
            )
            .replace(
                "base_address = 0x2000_0000",
                "base_address = 0x80_0000_0000",
            );
    }
    match suffix {
        "peer" => text
            .replace("flow = \"non_blocking\"", "flow = \"peer_compatible\"")
            .replace("kind = \"three_operand\"", "kind = \"two_operand\""),
        "large" => text
            .replace("l1_bytes = 0x2_0000", "l1_bytes = 0x10_0000")
            .replace("stride_bytes = 0x4_0000", "stride_bytes = 0x10_0000"),
        _ => text,
    }
}
