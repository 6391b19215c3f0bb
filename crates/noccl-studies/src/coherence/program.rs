// SPDX-License-Identifier: Apache-2.0
//! Programs: kernels of our own, or recordings of users'.

use super::CoherenceProtocol;
use crate::{Error, load, preset_names};
use noccl_coherence::{Kernel, Log, Size};
use noccl_net::Network;
use std::path::Path;

/// Largest file of a recording.
const MAX_RECORDING_BYTES: u64 = 1 << 30;

/// What runs on the machine.
#[derive(Debug, Clone)]
pub struct CoherenceProgram {
    pub(super) name: String,
    pub(super) log: Log,
}

impl CoherenceProgram {
    /// A kernel of our own, recorded with so many threads. Its result is checked.
    ///
    /// # Errors
    /// [`Error::Argument`] for numbers of threads that do not fit.
    pub fn kernel(kernel: Kernel, threads: u32, size: Size) -> Result<Self, Error> {
        let most = noccl_coherence::recording::MAX_THREADS as u32;
        if !(1..=most).contains(&threads) {
            let accepted = format!("accepted: 1 to {most}, a core each");
            return Err(Error::argument("--threads", threads, accepted));
        }
        let log = kernel.record(threads as usize, size)?;
        let name = kernel.name().to_owned();
        Ok(Self { name, log })
    }

    /// Writes the recording.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        crate::write_bytes(path, &self.log.to_bytes())
    }
}

/// Reads a recording and checks that it has no race.
///
/// # Errors
/// [`Error::File`], [`Error::Recording`].
pub fn read_recording(path: &Path) -> Result<CoherenceProgram, Error> {
    let bytes = noccl_files::read_bytes(path, MAX_RECORDING_BYTES)?;
    let log = Log::from_bytes(&bytes)?;
    log.check()?;
    let name = path.display().to_string();
    Ok(CoherenceProgram { name, log })
}

/// A list of kernels with commas between them, or `all`.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_kernels(text: &str) -> Result<Vec<Kernel>, Error> {
    if text == "all" {
        return Ok(Kernel::ALL.to_vec());
    }
    let names = Kernel::ALL.map(Kernel::name);
    let parse = |name: &str| {
        Kernel::from_name(name.trim()).ok_or_else(|| {
            let hint = noccl_spec::nearest(name, names.into_iter());
            let accepted = format!("accepted: {}, or all{hint}", names.join(", "));
            Error::argument("--kernel", name, accepted)
        })
    };
    text.split(',').map(parse).collect()
}

/// A list of protocols with commas between them.
///
/// # Errors
/// [`Error::Argument`] with the names that exist.
pub fn parse_protocols(text: &str) -> Result<Vec<CoherenceProtocol>, Error> {
    let parse = |name: &str| match name.trim() {
        "ht" => Ok(CoherenceProtocol::Ht),
        "token" => Ok(CoherenceProtocol::Token),
        _ => Err(Error::argument("--protocol", name, "accepted: ht, token")),
    };
    text.split(',').map(parse).collect()
}

// Designs of the network by name.

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

/// Do the routers of presets with such a name carry packets from tile to tile?
fn carries_packets(preset: &str) -> bool {
    preset.starts_with("smart_") || preset.starts_with("tilepro64_")
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
            let is_known = DESIGN_NAMES.contains(&name) || carries_packets(name) || is_file;
            if is_known {
                return Ok(name.to_owned());
            }
            let known = DESIGN_NAMES.into_iter();
            let hint = noccl_spec::nearest(name, known);
            let presets = preset_names().iter().copied();
            let presets = presets.filter(|preset| carries_packets(preset));
            let accepted: Vec<&str> = DESIGN_NAMES.into_iter().chain(presets).collect();
            let accepted = format!("accepted: {}, or a file{hint}", accepted.join(", "));
            Err(Error::argument("--design", name, accepted))
        })
        .collect()
}
