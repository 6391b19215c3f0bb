// SPDX-License-Identifier: Apache-2.0
//! Designs of the network by name.

use crate::{Error, load, preset_names};
use noccl_net::Network;

/// Name, preset, and fields of `router.smart` that differ.
type Named = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// S2's designs. Its baseline merges acknowledgements in the whole router (footnote 13).
const NAMED: [Named; 8] = [
    ("baseline", "smart_8x8_baseline", &[]),
    ("collective", "smart_8x8_collective", &[ROUTER]),
    ("unicast", "smart_8x8_unicast", &[]),
    (
        "greedy",
        "smart_8x8",
        &[
            ("reduction", "\"greedy\""),
            ("priority", "\"bypass\""),
            ROUTER,
        ],
    ),
    ("complete", "smart_8x8", &[]),
    ("private", "smart_8x8_private", &[]),
    (
        "slots",
        "smart_8x8_private",
        &[("multicast", "\"complete\"")],
    ),
    ("connected", "smart_8x8_connected", &[]),
];
const ROUTER: (&str, &str) = ("merge_scope", "\"router\"");

/// Names that stand for designs of S2.
pub const DESIGN_NAMES: [&str; 8] = [
    NAMED[0].0, NAMED[1].0, NAMED[2].0, NAMED[3].0, NAMED[4].0, NAMED[5].0, NAMED[6].0, NAMED[7].0,
];

/// A network with the name that it was asked for.
pub(super) struct Design {
    pub name: String,
    pub network: Network,
}

impl Design {
    /// # Errors
    /// As [`load`].
    pub(super) fn load(name: &str, overrides: &[(String, String)]) -> Result<Self, Error> {
        let known = NAMED.iter().find(|(known, ..)| *known == name);
        let (preset, fields) =
            known.map_or((name, &[][..]), |(_, preset, fields)| (*preset, *fields));
        let field =
            |(key, value): &(&str, &str)| (format!("router.smart.{key}"), (*value).to_owned());
        let fields: Vec<_> = fields
            .iter()
            .map(field)
            .chain(overrides.iter().cloned())
            .collect();
        Ok(Self {
            name: name.to_owned(),
            network: load(preset, &fields)?.network,
        })
    }
}

/// A list of designs with commas between them.
///
/// # Errors
/// [`Error::Argument`] for names that are neither designs, presets nor files.
pub fn parse_designs(text: &str) -> Result<Vec<String>, Error> {
    let names = text.split(',').map(str::trim);
    names
        .map(|name| {
            let is_file = name.contains(['.', '/']);
            let is_known = DESIGN_NAMES.contains(&name) || name.starts_with("smart_") || is_file;
            if is_known {
                return Ok(name.to_owned());
            }
            let known = DESIGN_NAMES.into_iter();
            let hint = noccl_spec::nearest(name, known);
            let presets = preset_names().iter().copied();
            let presets = presets.filter(|preset| preset.starts_with("smart_"));
            let accepted: Vec<&str> = DESIGN_NAMES.into_iter().chain(presets).collect();
            let accepted = format!("accepted: {}, or a file{hint}", accepted.join(", "));
            Err(Error::argument("--design", name, accepted))
        })
        .collect()
}
