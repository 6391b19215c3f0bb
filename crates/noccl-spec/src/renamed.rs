// SPDX-License-Identifier: Apache-2.0
//! Names that specs had before they were renamed. They are still read: files live longer than names.

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
