// SPDX-License-Identifier: Apache-2.0
//! Names that verbs and formats had before they were renamed: still accepted, with a note on stderr.

use crate::output;
use std::ffi::OsString;

/// Old and new names of verbs; the old ones are hidden aliases of the new ones. The formats of their rows have the same names.
const VERBS: [(&str, &str); 2] = [("rivals", "baselines"), ("verdicts", "validation")];

/// Says so if the verb of a command line has another name today.
pub fn note_verb(arguments: &[OsString]) {
    let verb = arguments.get(1).and_then(|verb| verb.to_str());
    if let Some((old, new)) = verb.and_then(renamed) {
        output::log(&format!("note: `noccl {old}` is now `noccl {new}`"));
    }
}

/// Today's name of a format; says so if it is another one.
pub fn format_name(name: &str) -> &str {
    renamed(name).map_or(name, |(old, new)| {
        output::log(&format!("note: the format `{old}` is now `{new}`"));
        new
    })
}

fn renamed(name: &str) -> Option<(&'static str, &'static str)> {
    VERBS.into_iter().find(|(old, _)| *old == name)
}
