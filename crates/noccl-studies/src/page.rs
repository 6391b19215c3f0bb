// SPDX-License-Identifier: Apache-2.0
//! Pages with generated tables between marker lines.

use crate::Error;
use noccl_files::FileError;

/// A page with what stands between two marker lines replaced.
///
/// # Errors
/// [`Error::File`] if the page has no markers.
pub fn between(
    path: &str,
    page: &str,
    (begin, end): (&str, &str),
    body: &str,
) -> Result<String, Error> {
    let missing = || {
        Error::File(FileError::Content {
            path: path.to_owned(),
            expected: "page with a generated table",
            reason: format!("accepted: a line '{begin}' and behind it a line '{end}'"),
        })
    };
    let (before, rest) = page.split_once(begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}\n\n{body}\n{end}{after}"))
}
