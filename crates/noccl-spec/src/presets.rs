// SPDX-License-Identifier: Apache-2.0
//! Named specs that ship with the library, written as the user would write them.
//!
//! One whole file per system. Other sizes of it set its numbers, suffixes put the values of a short file over it, as a user's file
//! does that names a base: a constant is never stated twice.

use crate::SpecError;
use crate::base::put_over;
use crate::files::FileKind;
use crate::parse::nearest;
use crate::parse::{override_value, parse_error, to_toml};

const COLLECTIVE_NOC_4X4: &str = include_str!("../presets/collective_noc_4x4.toml");
const TORRENT_4X5: &str = include_str!("../presets/torrent_4x5.toml");
const TILEPRO64_8X8: &str = include_str!("../presets/tilepro64_8x8.toml");

/// What the suffixes of the systems change, and what ESP's network has in place of Torrent's.
const PUBLISHED_ROUTER: &str = include_str!("../presets/collective_noc/published.toml");
const IDEAL: &str = include_str!("../presets/ideal/ideal.toml");
const BYPASS: &str = include_str!("../presets/collective_noc/bypass.toml");
const LARGE: &str = include_str!("../presets/collective_noc/large.toml");
const PUBLISHED_ENDPOINT: &str = include_str!("../presets/torrent/published.toml");
const PARALLEL: &str = include_str!("../presets/torrent/parallel.toml");
const ESP: &str = include_str!("../presets/esp/esp.toml");
const SMART: &str = include_str!("../presets/smart/smart.toml");
const SMART_BASELINE: &str = include_str!("../presets/smart/baseline.toml");
const SMART_COLLECTIVE: &str = include_str!("../presets/smart/collective.toml");
const SMART_UNICAST: &str = include_str!("../presets/smart/unicast.toml");
const SMART_PRIVATE: &str = include_str!("../presets/smart/private.toml");
const SMART_CONNECTED: &str = include_str!("../presets/smart/connected.toml");
const INTERRUPT: &str = include_str!("../presets/tilepro64/interrupt.toml");
const CALIBRATED: &str = include_str!("../presets/esp/calibrated.toml");

/// Names worth listing. [`preset_text`] also accepts `collective_noc_WxH` for any W and H from 1 to
/// 1024, and the suffixes `_published`, `_large` and `_bypass` behind any of them; `torrent_HxW` for any H and W from 1 to 64,
/// and the suffixes `_published` and `_parallel`; `esp_HxW` for the same, and the suffix `_calibrated`; `ideal_WxH` as
/// `collective_noc_WxH`; `smart_WxH` up to 64, and the suffixes `_baseline`, `_collective`, `_unicast`, `_private` and `_connected`;
/// `tilepro64_WxH` up to 64, and the suffix `_interrupt`.
pub const PRESET_NAMES: [&str; 21] = [
    "collective_noc_4x4",
    "collective_noc_8x8",
    "collective_noc_16x16",
    "collective_noc_8x8_large",
    "collective_noc_8x8_bypass",
    "collective_noc_4x4_published",
    "torrent_4x5",
    "torrent_4x5_published",
    "torrent_4x5_parallel",
    "torrent_3x3",
    "esp_4x5",
    "esp_4x5_calibrated",
    "ideal_4x4",
    "smart_8x8",
    "smart_8x8_baseline",
    "smart_8x8_collective",
    "smart_8x8_unicast",
    "smart_8x8_private",
    "smart_8x8_connected",
    "tilepro64_8x8",
    "tilepro64_8x8_interrupt",
];

/// Text of a preset.
///
/// `collective_noc_WxH` is S1's system with W×H clusters and H memory tiles; the suffix `_published`
/// selects the published router, `_large` an L1 of 1 MiB, `_bypass` routers that flits pass in flight, 8 links in a cycle (fewer
/// where no line of the mesh has as many).
///
/// `torrent_HxW` is S3's system with H rows and W columns of clusters, as S3 writes it; the suffix `_published`
/// selects the published endpoint, `_parallel` overlapped control. `torrent_3x3`, S3's FPGA system, has an L1 of 4 MiB: its largest transfers
/// do not fit into the others' 1 MiB.
///
/// `esp_HxW` is the same system with ESP's routers instead, consumers all started at once; with the suffix `_calibrated`
/// a CPU starts them one by one.
///
/// `ideal_WxH` is S1's system with an ideal crossbar in place of the routers.
///
/// `smart_WxH` is S2's mesh with W columns and H rows of clusters: greedy multicasts on shared trees, complete reductions. `_private`
/// multicasts on private trees, `_unicast` bypasses for unicasts alone, `_collective` forks and combines without bypass, and
/// `_baseline` does neither. `_connected` has a wire of one cycle between any two interfaces: a bound.
///
/// `tilepro64_WxH` is S4's machine with W columns and H rows of cores that pass messages word by word; with the suffix `_interrupt`
/// by a library whose messages interrupt their receivers, as S4's baseline does.
///
/// # Errors
/// [`SpecError::UnknownPreset`] with the accepted names.
pub fn preset_text(name: &str) -> Result<String, SpecError> {
    let table = preset_table(name)?;
    let kind = FileKind::of(&table);
    let read = kind.read_table(table);
    let spec = read.map_err(|e| parse_error(name, "", kind, &e))?;
    Ok(to_toml(&spec))
}

/// What names there are, in a line.
const FAMILIES: &str = "collective_noc_WxH and ideal_WxH with W and H from 1 to 1024, torrent_HxW, esp_HxW, smart_WxH and tilepro64_WxH up to 64, \
     and variants such as collective_noc_4x4_published, which `noccl doctor` lists";

/// The preset that a name may mean: one that differs in few letters, or S1's of the same size.
fn near_preset(name: &str) -> String {
    let size = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    match parts(size, 1024) {
        Some((_, _, "")) if !name.contains('_') => {
            format!(" (did you mean `collective_noc_{size}`?)")
        }
        Some(_) | None => nearest(name, PRESET_NAMES.into_iter()),
    }
}

/// A preset as a table, for files that have it as their base.
pub(crate) fn preset_table(name: &str) -> Result<toml::Table, SpecError> {
    let renamed = renamed_preset(name);
    let name = renamed.as_deref().unwrap_or(name);
    let unknown = || SpecError::UnknownPreset {
        name: name.to_owned(),
        known: FAMILIES,
        hint: near_preset(name),
    };
    let system = |prefix: &str, max| name.strip_prefix(prefix).and_then(|rest| parts(rest, max));
    let mut preset = if let Some((width, height, suffix)) = system("collective_noc_", 1024) {
        let changes = match suffix {
            "" => None,
            "published" => Some(PUBLISHED_ROUTER),
            "large" => Some(LARGE),
            "bypass" => Some(BYPASS),
            _ => return Err(unknown()),
        };
        collective_noc(width, height, changes)?
    } else if let Some((width, height, "")) = system("ideal_", 1024) {
        collective_noc(width, height, Some(IDEAL))?
    } else if let Some((height, width, suffix)) = system("torrent_", 64) {
        let changes = match suffix {
            "" => None,
            "published" => Some(PUBLISHED_ENDPOINT),
            "parallel" => Some(PARALLEL),
            _ => return Err(unknown()),
        };
        torrent(width, height, changes)?
    } else if let Some((height, width, suffix)) = system("esp_", 64) {
        let mut preset = torrent(width, height, Some(ESP))?;
        match suffix {
            "" => {}
            "calibrated" => preset.put(CALIBRATED)?,
            _ => return Err(unknown()),
        }
        preset
    } else if let Some((width, height, suffix)) = system("smart_", 64) {
        let mut preset = torrent(width, height, Some(SMART))?;
        match suffix {
            "" => {}
            "baseline" => preset.put(SMART_BASELINE)?,
            "collective" => preset.put(SMART_COLLECTIVE)?,
            "unicast" => preset.put(SMART_UNICAST)?,
            "private" => preset.put(SMART_PRIVATE)?,
            "connected" => preset.put(SMART_CONNECTED)?,
            _ => return Err(unknown()),
        }
        preset
    } else if let Some((width, height, suffix)) = system("tilepro64_", 64) {
        let mut preset = Preset::new(TILEPRO64_8X8)?;
        match suffix {
            "" => {}
            "interrupt" => preset.put(INTERRUPT)?,
            _ => return Err(unknown()),
        }
        preset.set("mesh.width", width)?;
        preset.set("mesh.height", height)?;
        preset
    } else {
        return Err(unknown());
    };
    preset.set("name", name)?;
    Ok(preset.table)
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

/// A preset while it is made from a file of the library.
struct Preset {
    table: toml::Table,
}

impl Preset {
    fn new(text: &str) -> Result<Self, SpecError> {
        let table =
            toml::from_str(text).map_err(|e| parse_error("preset", text, FileKind::Axi, &e))?;
        Ok(Self { table })
    }

    fn set(&mut self, field: &str, value: impl std::fmt::Display) -> Result<(), SpecError> {
        override_value(&mut self.table, field, &value.to_string())
    }

    fn put(&mut self, text: &str) -> Result<(), SpecError> {
        let changes =
            toml::from_str(text).map_err(|e| parse_error("preset", text, FileKind::Axi, &e))?;
        put_over(&mut self.table, changes);
        Ok(())
    }
}

fn collective_noc(width: u32, height: u32, changes: Option<&str>) -> Result<Preset, SpecError> {
    let mut preset = Preset::new(COLLECTIVE_NOC_4X4)?;
    preset.set("mesh.width", width + 1)?;
    preset.set("mesh.height", height)?;
    preset.set("mesh.regions.0.height", height)?;
    preset.set("mesh.regions.1.width", width)?;
    preset.set("mesh.regions.1.height", height)?;
    changes.map_or(Ok(()), |text| preset.put(text))?;
    if changes == Some(LARGE) {
        preset.set("mesh.regions.1.stride_bytes", 0x10_0000)?;
    }
    if changes == Some(BYPASS) {
        // The mesh has a column of memory tiles beside the clusters. A path ends at its edge.
        let hpc_max = width.max(height - 1).min(8);
        preset.set("router.bypass.hpc_max", hpc_max)?;
    }
    let padded_tiles = width.next_power_of_two() * height.next_power_of_two();
    if padded_tiles > 256 {
        // The regions outgrow the gaps of the small map: move both up, where up to 1024x1024 clusters
        // of 1 MiB stay aligned.
        preset.set("mesh.regions.0.base_address", 0x80_0000_0000_u64)?;
        preset.set("mesh.regions.1.base_address", 0x100_0000_0000_u64)?;
    }
    Ok(preset)
}

fn torrent(width: u32, height: u32, changes: Option<&str>) -> Result<Preset, SpecError> {
    let mut preset = Preset::new(TORRENT_4X5)?;
    for side in ["mesh", "mesh.regions.0"] {
        preset.set(&format!("{side}.width"), width)?;
        preset.set(&format!("{side}.height"), height)?;
    }
    if (width, height) == (3, 3) {
        preset.set("cluster.l1_bytes", 0x40_0000)?;
        preset.set("mesh.regions.0.stride_bytes", 0x80_0000)?;
    }
    changes.map_or(Ok(()), |text| preset.put(text))?;
    if width.next_power_of_two() * height.next_power_of_two() > 128 {
        // The region outgrows the alignment of the small base.
        preset.set("mesh.regions.0.base_address", 0x80_0000_0000_u64)?;
    }
    Ok(preset)
}

// Names that specs had before they were renamed. They are still read: files live longer than names.

/// The suffix of S1's presets with the published router, and its value of `router.flow`, before and now.
const PRESET_SUFFIX: (&str, &str) = ("_peer", "_published");
const FLOW: (&str, &str) = ("peer_compatible", "published");
const FLOW_FIELD: &str = "router.flow";

/// Today's name of a preset that had another one.
pub(crate) fn renamed_preset(name: &str) -> Option<String> {
    let system = name.strip_suffix(PRESET_SUFFIX.0)?;
    system
        .starts_with("collective_noc_")
        .then(|| format!("{system}{}", PRESET_SUFFIX.1))
}

/// What a user should know about old names in the name of a preset, the text of a file or overrides: one sentence per name.
///
/// Of `collective_noc_4x4_peer`: `the preset collective_noc_4x4_peer is now collective_noc_4x4_published`.
#[must_use]
pub fn old_names(preset_or_file: &str, text: &str, overrides: &[(String, String)]) -> Vec<String> {
    // 0: an empty table has no old names; a text that is no table is refused where it is parsed.
    let file: toml::Table = toml::from_str(text).unwrap_or_default();
    let base = file.get("base").and_then(toml::Value::as_str);
    let presets = [Some(preset_or_file), base].into_iter().flatten();
    let mut notes: Vec<String> = presets
        .filter_map(|name| {
            let now = renamed_preset(name)?;
            Some(format!("the preset {name} is now {now}"))
        })
        .collect();
    let router = file.get("router").and_then(toml::Value::as_table);
    let in_file = router.and_then(|r| r.get("flow"));
    let in_file = in_file.and_then(toml::Value::as_str);
    let flows = overrides.iter().filter(|(key, _)| key == FLOW_FIELD);
    let mut flows = flows.map(|(_, value)| value.trim_matches('"'));
    if in_file == Some(FLOW.0) || flows.any(|flow| flow == FLOW.0) {
        let (before, now) = FLOW;
        notes.push(format!("{FLOW_FIELD} = \"{before}\" is now \"{now}\""));
    }
    notes
}
