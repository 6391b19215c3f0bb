// SPDX-License-Identifier: Apache-2.0
//! The page in which a mesh runs, with recorded runs in it.

use super::Error;
use noccl_files::FileError;
use noccl_studies::View;

/// The built page, empty if the library was built without it.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));
/// Where the page has its runs.
const RUNS: &str = "/*RECORDED*/";

/// One HTML file that shows these runs and simulates others, offline.
///
/// # Errors
/// [`Error::File`] if this library was built without the page.
pub fn live_page(views: &[View]) -> Result<String, Error> {
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
    let json = serde_json::to_string(views).map_err(|error| failed(error.to_string()))?;
    // Within a script element only `<` could end the text; names come from users.
    Ok(PAGE.replacen(RUNS, &json.replace('<', "\\u003c"), 1))
}

/// Reads recorded runs: the output of `noccl view --json`.
///
/// # Errors
/// As [`crate::files::read_json`].
pub fn read_views(path: &std::path::Path) -> Result<Vec<View>, Error> {
    super::read_json(path, "list of runs, as noccl view --json prints it")
}
