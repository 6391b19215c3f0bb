// SPDX-License-Identifier: Apache-2.0
//! Named specs that ship with the library, written as the user would write them.
//!
//! One text per system; larger meshes of the same system are the same text with another size, so a
//! constant is never stated twice.

use crate::SpecError;
use crate::nearest::nearest;

const COLLECTIVE_NOC_4X4: &str = include_str!("../presets/collective_noc_4x4.toml");
const TORRENT_4X5: &str = include_str!("../presets/torrent_4x5.toml");

/// First lines of two parts of `torrent_4x5`.
const TORRENT_TABLE: &str = "# endpoint_path_cycles is the one fitted constant";
const MEMORY_TABLE: &str = "# No tile of this system is one.";

const ESP_ROUTER: &str = "\
[router.esp]
header_bits = 512
reserve_cycles = 1
worm_flits = 0
";

/// `setup_cycles` and, where it is not 0, `consumer_start_cycles` are assumed: the design note 0006 says why.
const ESP_ENDPOINT: &str = "\
[cluster.esp]
setup_cycles = 20
consumer_start_cycles = {start}
request_cycles = 2
";

/// Names worth listing. [`preset_text`] also accepts `collective_noc_WxH` for any W and H from 1 to
/// 1024, and the suffixes `_peer` and `_large` behind any of them; `torrent_HxW` for any H and W from 1 to 64,
/// and the suffixes `_published` and `_parallel`; `esp_HxW` for the same, and the suffix `_calibrated`.
pub const PRESET_NAMES: [&str; 11] = [
    "collective_noc_4x4",
    "collective_noc_8x8",
    "collective_noc_16x16",
    "collective_noc_8x8_large",
    "collective_noc_4x4_peer",
    "torrent_4x5",
    "torrent_4x5_published",
    "torrent_4x5_parallel",
    "torrent_3x3",
    "esp_4x5",
    "esp_4x5_calibrated",
];

/// Text of a preset.
///
/// `collective_noc_WxH` is S1's system with W×H clusters and H memory tiles; the suffix `_peer`
/// selects the published router, `_large` an L1 of 1 MiB.
///
/// `torrent_HxW` is S3's system with H rows and W columns of clusters, as S3 writes it; the suffix `_published`
/// selects the published endpoint, `_parallel` overlapped control. `torrent_3x3`, S3's FPGA system, has an L1 of 4 MiB: its largest transfers
/// do not fit into the others' 1 MiB.
///
/// `esp_HxW` is the same system with ESP's routers instead, consumers all started at once; with the suffix `_calibrated`
/// a CPU starts them one by one.
///
/// # Errors
/// [`SpecError::UnknownPreset`] with the accepted names.
pub fn preset_text(name: &str) -> Result<String, SpecError> {
    let unknown = || SpecError::UnknownPreset {
        name: name.to_owned(),
        known: PRESET_NAMES.join(", "),
        hint: format!(
            "; any collective_noc_WxH with W and H from 1 to 1024 and torrent_HxW, esp_HxW up to 64 work too{}",
            nearest(name, PRESET_NAMES.into_iter())
        ),
    };
    if let Some(rest) = name.strip_prefix("torrent_") {
        let (height, width, suffix) = parts(rest, 64).ok_or_else(unknown)?;
        return match suffix {
            "" | "published" | "parallel" => Ok(torrent(name, width, height, suffix)),
            _ => Err(unknown()),
        };
    }
    if let Some(rest) = name.strip_prefix("esp_") {
        let (height, width, suffix) = parts(rest, 64).ok_or_else(unknown)?;
        return match suffix {
            "" | "calibrated" => Ok(esp(name, width, height, suffix)),
            _ => Err(unknown()),
        };
    }
    let rest = name.strip_prefix("collective_noc_").ok_or_else(unknown)?;
    let (width, height, suffix) = parts(rest, 1024).ok_or_else(unknown)?;
    if !matches!(suffix, "" | "peer" | "large") {
        return Err(unknown());
    }
    Ok(resized(name, width, height, suffix))
}

/// The numbers of `AxB` or `AxB_SUFFIX`, each from 1 to `max`, and the suffix.
fn parts(rest: &str, max: u32) -> Option<(u32, u32, &str)> {
    let (size, suffix) = rest.split_once('_').unwrap_or((rest, ""));
    let (first, second) = size.split_once('x')?;
    let side = |text: &str| {
        let n: u32 = text.parse().ok()?;
        // One name per preset: no sign, no leading zero.
        ((1..=max).contains(&n) && n.to_string() == text).then_some(n)
    };
    let (first, second) = side(first).zip(side(second))?;
    (!rest.ends_with('_')).then_some((first, second, suffix))
}

fn torrent(name: &str, width: u32, height: u32, suffix: &str) -> String {
    let size = |w: u32, h: u32| format!("width = {w}\nheight = {h}");
    let text = TORRENT_4X5
        .replace("name = \"torrent_4x5\"", &format!("name = \"{name}\""))
        .replace(&size(5, 4), &size(width, height));
    let text = if (width, height) == (3, 3) {
        text.replace("l1_bytes = 0x10_0000", "l1_bytes = 0x40_0000")
            .replace("stride_bytes = 0x40_0000", "stride_bytes = 0x80_0000")
    } else {
        text
    };
    let text = match suffix {
        "published" => text
            .replace("mode = \"safe\"", "mode = \"published\"")
            .replace("buffer_bursts = 2", "buffer_bursts = 0"),
        "parallel" => text
            .replace("dispatch = \"chain_order\"", "dispatch = \"tail_first\"")
            .replace("= \"chained\"", "= \"parallel\"")
            .replace("open_tasks = 1", "open_tasks = 8"),
        _ => text,
    };
    if width.next_power_of_two() * height.next_power_of_two() <= 128 {
        return text;
    }
    // The region outgrows the alignment of the small base.
    text.replace(
        "base_address = 0x4000_0000",
        "base_address = 0x80_0000_0000",
    )
}

/// S3's system with ESP's routers and without Torrent endpoints.
fn esp(name: &str, width: u32, height: u32, suffix: &str) -> String {
    let text = torrent(name, width, height, "")
        .replace(
            "# S3's evaluation system: 20 clusters with a Torrent endpoint each;",
            "# S3's evaluation system with ESP's routers;",
        )
        .replace(
            "# The published routers: a write burst is one worm of an AW flit and its W flits.",
            "# Input queues of four flits, no output queues; the merge units are not there.",
        )
        .replace("flow = \"peer_compatible\"", "flow = \"esp\"")
        .replace("input_fifo_flits = 2", "input_fifo_flits = 4")
        .replace("output_fifo_flits = 2", "output_fifo_flits = 0")
        .replace("\n[ni]\n", &format!("\n{ESP_ROUTER}\n[ni]\n"));
    let start = if suffix == "calibrated" { "100" } else { "0" };
    let endpoint = ESP_ENDPOINT.replace("{start}", start);
    match (text.find(TORRENT_TABLE), text.find(MEMORY_TABLE)) {
        (Some(from), Some(to)) => format!("{}{endpoint}\n{}", &text[..from], &text[to..]),
        (_, _) => text,
    }
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
