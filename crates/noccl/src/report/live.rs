// SPDX-License-Identifier: Apache-2.0
//! The page in which a mesh runs, with recorded runs in it.

use super::Error;
use noccl_files::FileError;
use noccl_studies::{RunRecording, View, parse_recording};
use std::path::Path;

/// The built page, empty if the library was built without it.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));
/// Where the page has its runs.
const RUNS: &str = "/*RECORDED*/";

/// A run that the page shows.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownRun {
    /// A collective or a schedule.
    View(Box<View>),
    /// What a run has recorded over time.
    Recording(Box<RunRecording>),
}

/// One HTML file that shows these runs and simulates others, offline.
///
/// # Errors
/// [`Error::File`] if this library was built without the page.
pub fn live_page(runs: &[ShownRun]) -> Result<String, Error> {
    let failed = |reason: String| {
        Error::File(FileError::Content {
            path: "page/dist/noccl.html".to_owned(),
            expected: "page",
            reason,
        })
    };
    if !PAGE.contains(RUNS) {
        let failure = FileError::File {
            path: "page".to_owned(),
            reason: "this program was built without it; accepted: --json, or a program after `make page` and `make build`"
                .to_owned(),
        };
        return Err(failure.into());
    }
    let text = |run: &ShownRun| match run {
        ShownRun::View(view) => {
            serde_json::to_string(view).map_err(|error| failed(error.to_string()))
        }
        ShownRun::Recording(recording) => recording.plain_file(),
    };
    let texts: Vec<String> = runs.iter().map(text).collect::<Result<_, Error>>()?;
    let json = format!("[{}]", texts.join(","));
    // Within a script element only `<` could end the text; names come from users.
    Ok(PAGE.replacen(RUNS, &json.replace('<', "\\u003c"), 1))
}

/// Reads runs from a file: the output of `noccl view --json`, or a recording.
///
/// # Errors
/// As [`crate::files::read_json`] and [`parse_recording`].
pub fn read_runs(path: &Path) -> Result<Vec<ShownRun>, Error> {
    let text = noccl_files::read_text(path)?;
    let name = path.display().to_string();
    // The output of `view` is a list, a recording an object.
    if text.trim_start().starts_with('{') {
        let recording = parse_recording(&name, &text)?;
        return Ok(vec![ShownRun::Recording(Box::new(recording))]);
    }
    let expected = "list of runs, as noccl view --json prints it, or recording of a run";
    let views: Vec<View> = noccl_files::parse_json(&name, &text, expected)?;
    Ok(views
        .into_iter()
        .map(|view| ShownRun::View(Box::new(view)))
        .collect())
}
