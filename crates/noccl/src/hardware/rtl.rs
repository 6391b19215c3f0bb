// SPDX-License-Identifier: Apache-2.0
//! The hardware of a network: its numbers, a folder for a chip, routing vectors.

use crate::Error;
use crate::files::write_file;
use noccl_cosim::read_sources;
use noccl_files::{check_output_folder, write_folder};
use noccl_net::Network;
use noccl_rtl::{
    DIGEST_FILE, ExportFile, PARTS, Package, Part, RtlConfig, RtlNumbers, SourceFile,
    hardware_sources,
};
use std::path::Path;

/// Numbers that the hardware of a network is made from.
///
/// # Errors
/// [`Error::Rtl`] with the field of the spec that asks for something without hardware.
///
/// ```
/// let network = noccl::network::load("collective_noc_4x4", &[])?.network;
/// assert_eq!(noccl::hardware::rtl_config(&network)?.mesh_width, 5);
/// # Ok::<(), noccl::Error>(())
/// ```
pub fn rtl_config(network: &Network) -> Result<RtlConfig, Error> {
    Ok(RtlConfig::new(network)?)
}

/// The same of whatever routers: those with bypass have a hardware of their own.
///
/// # Errors
/// As [`rtl_config`].
pub fn rtl_numbers(network: &Network) -> Result<RtlNumbers, Error> {
    Ok(RtlNumbers::new(network)?)
}

/// Writes the configuration package alone.
///
/// # Errors
/// Those of [`rtl_numbers`] and [`write_file`].
pub fn write_rtl_package(network: &Network, path: &Path) -> Result<(), Error> {
    write_file(path, &rtl_numbers(network)?.package().text)
}

/// Can [`write_rtl`] write this folder? To be asked before other outputs are written.
///
/// # Errors
/// [`Error::File`] with the names of files that were not written by an earlier call, or what the system says.
pub fn check_rtl_folder(folder: &Path) -> Result<(), Error> {
    Ok(check_output_folder(folder, DIGEST_FILE)?)
}

/// Writes a folder for a chip: package, sources, file list, README. The folder is complete or as before; it must
/// be new, empty or as an earlier call wrote it. `sources`: a folder `rtl`, or `None` for the hardware of this program. Returns
/// the files' paths relative to `folder`.
///
/// # Errors
/// Those of [`rtl_numbers`]; [`Error::Rtl`] if `sources` is no folder of sources; [`Error::File`] with the names of foreign files;
/// [`Error::File`].
pub fn write_rtl(
    network: &Network,
    sources: Option<&Path>,
    folder: &Path,
) -> Result<Vec<String>, Error> {
    let numbers = rtl_numbers(network)?;
    let found = match sources {
        None => {
            let is_part =
                |s: &SourceFile| s.path.starts_with("include/") || s.path.starts_with("src/");
            hardware_sources().into_iter().filter(is_part).collect()
        }
        Some(root) => {
            let of_chip = |(name, _): &Part| matches!(*name, "include" | "src");
            let mut parts: Vec<Part> = PARTS.into_iter().filter(of_chip).collect();
            parts.sort_unstable();
            read_sources(root, &parts)?
        }
    };
    let origin = sources.unwrap_or(Path::new("rtl")).display().to_string();
    let files = noccl_rtl::export(&numbers, &origin, &found)?;
    let texts: Vec<(&str, &str)> = (files.iter())
        .map(|ExportFile { path, text }| (path.as_str(), text.as_str()))
        .collect();
    write_folder(folder, DIGEST_FILE, &texts)?;
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// Writes what every router of a network must decide, as [`noccl_rtl::vectors_text`] says.
///
/// # Errors
/// Those of [`rtl_config`] and [`write_file`].
pub fn write_rtl_vectors(network: &Network, path: &Path) -> Result<(), Error> {
    rtl_config(network)?;
    write_file(path, &noccl_rtl::vectors_text(network))
}
