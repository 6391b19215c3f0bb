// SPDX-License-Identifier: Apache-2.0
//! Names of before. Renamed verbs and formats are still accepted, with a note on stderr; of those that have left the product an
//! error says where they are.

use crate::output;
use noccl::Error;
use std::ffi::OsString;

/// Old and new names of verbs; the old ones are hidden aliases of the new ones. The formats of their rows have the same names.
const VERBS: [(&str, &str); 2] = [("rivals", "baselines"), ("verdicts", "validation")];
/// Old and new names of other formats.
const FORMATS: [(&str, &str); 1] = [("messages", "program")];

/// Says so if the verb of a command line has another name today.
pub fn note_verb(arguments: &[OsString]) {
    let verb = arguments.get(1).and_then(|verb| verb.to_str());
    if let Some((old, new)) = verb.and_then(|verb| renamed(VERBS, verb)) {
        output::log(&format!("note: `noccl {old}` is now `noccl {new}`"));
    }
}

/// Refuses a verb that has left the product.
///
/// # Errors
/// [`Error::Argument`] with the command that does its work.
pub fn refuse_left(arguments: &[OsString]) -> Result<(), Error> {
    if arguments.get(1).is_none_or(|verb| verb != "reproduce") {
        return Ok(());
    }
    let command = "make claims, or cargo run --release -p noccl-papers -- smart --quick";
    Err(Error::argument("verb", "reproduce", in_checkout(command)))
}

/// Where the work of the experiments on papers is done.
fn in_checkout(command: &str) -> String {
    format!("papers' claims are measured by noccl-papers, from a checkout: {command}")
}

/// Today's name of a format; says so if it is another one.
///
/// # Errors
/// [`Error::Argument`] if the format has left the product.
pub fn format_name(name: &str) -> Result<&str, Error> {
    if name == "claims" {
        let command = "cargo run --release -p noccl-papers -- --schema";
        return Err(Error::argument("format", name, in_checkout(command)));
    }
    let formats = VERBS.into_iter().chain(FORMATS);
    Ok(renamed(formats, name).map_or(name, |(old, new)| {
        output::log(&format!("note: the format `{old}` is now `{new}`"));
        new
    }))
}

fn renamed(
    names: impl IntoIterator<Item = (&'static str, &'static str)>,
    name: &str,
) -> Option<(&'static str, &'static str)> {
    names.into_iter().find(|(old, _)| *old == name)
}
