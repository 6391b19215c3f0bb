// SPDX-License-Identifier: Apache-2.0
//! The file of `--record`.

use crate::python::run_module;
use crate::{Outcome, output};
use noccl::Error;
use noccl::collective::RunRecording;
use noccl::files::{Scratch, check_output, write_file};
use std::ffi::OsString;
use std::path::Path;

/// The module of the Python package that converts recordings.
const CONVERTER: &str = "noccl.recordings";

fn ends_in(place: &Path, end: &str) -> bool {
    place
        .extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(end))
}

/// Refuses a file of another kind, or in a place that cannot be written, before the run.
pub fn check(place: &Path) -> Result<(), Error> {
    if !ends_in(place, "json") && !ends_in(place, "parquet") {
        let accepted = "accepted: a file that ends in .json or .parquet";
        return Err(Error::argument("--record", place.display(), accepted));
    }
    check_output(place)
}

/// Writes a recording; Parquet files are written by the Python package.
pub fn write(place: &Path, recording: &RunRecording) -> Result<(), Error> {
    let text = recording.file()?;
    if ends_in(place, "json") {
        return write_file(place, &text);
    }
    let scratch = Scratch::temporary("noccl-recording", "file");
    scratch.write("recording.json", text.as_bytes())?;
    let from = scratch.path("recording.json");
    let arguments: [OsString; 2] = [from.into(), place.into()];
    match run_module(CONVERTER, &arguments)? {
        Outcome::Ended(0) => Ok(()),
        Outcome::Fine | Outcome::Failed | Outcome::Ended(_) => {
            output::log("The run itself has ended; --record FILE.json needs no Python.");
            let accepted = "accepted: .json, or .parquet with the extra noccl[frames]";
            Err(Error::argument("--record", place.display(), accepted))
        }
    }
}
