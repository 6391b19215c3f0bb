// SPDX-License-Identifier: Apache-2.0
//! Files with recordings of runs: written by `noccl run`, shown by `noccl view`.

use crate::python::run_module;
use crate::{Outcome, output};
use noccl::Error;
use noccl::collective::RunRecording;
use noccl::files::{Scratch, check_output, write_file};
use noccl::report::{ShownRun, read_runs};
use std::ffi::OsString;
use std::path::Path;

/// The module of the Python package that converts recordings.
const CONVERTER: &str = "noccl.recordings";

/// Has the name of a file such an end?
pub fn ends_in(place: &Path, end: &str) -> bool {
    place
        .extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(end))
}

/// Refuses a file of another kind, or in a place that cannot be written, before the run; `option` names it.
pub fn check(option: &str, place: &Path) -> Result<(), Error> {
    if !ends_in(place, "json") && !ends_in(place, "parquet") {
        let accepted = "accepted: a file that ends in .json or .parquet";
        return Err(Error::argument(option, place.display(), accepted));
    }
    check_output(place)
}

/// Writes a recording; Parquet files are written by the Python package.
pub fn write(option: &str, place: &Path, recording: &RunRecording) -> Result<(), Error> {
    if ends_in(place, "json") {
        return write_file(place, &recording.file()?);
    }
    let scratch = Scratch::temporary("noccl-recording", "file");
    scratch.write("recording.json", recording.plain_file()?.as_bytes())?;
    if convert(&scratch.path("recording.json"), place)? {
        return Ok(());
    }
    output::log("The run itself has ended; a file that ends in .json needs no Python.");
    let accepted = "accepted: .json, or .parquet with the extra noccl[frames]";
    Err(Error::argument(option, place.display(), accepted))
}

/// Runs in a file: a recording, as JSON or Parquet, or what `noccl view --json` has printed.
pub fn read(place: &Path) -> Result<Vec<ShownRun>, Error> {
    if !ends_in(place, "parquet") {
        return read_runs(place);
    }
    let scratch = Scratch::temporary("noccl-recording", "file");
    let json = scratch.path("recording.json");
    if convert(place, &json)? {
        return read_runs(&json);
    }
    let accepted = "accepted: the recording of a run, with the extra noccl[frames] for .parquet";
    Err(Error::argument("FILE", place.display(), accepted))
}

/// Makes a file with a recording of another one; false if the package could not, which has said why.
fn convert(from: &Path, to: &Path) -> Result<bool, Error> {
    let arguments: [OsString; 2] = [from.into(), to.into()];
    Ok(match run_module(CONVERTER, &arguments)? {
        Outcome::Ended(0) => true,
        Outcome::Fine | Outcome::Failed | Outcome::Ended(_) => false,
    })
}
