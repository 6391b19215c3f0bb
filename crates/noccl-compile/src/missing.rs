// SPDX-License-Identifier: Apache-2.0
//! What a program uses and nobody defines: the linker's many lines about it become one line for each name.

use std::fmt;

/// How the linker says it, before and after the name.
const UNDEFINED: &str = "undefined reference to `";
const UNDEFINED_END: char = '\'';

/// Page with what programs in C have.
const PAGE: &str = "docs/executed_cores.md#programs-in-c";

/// A name that is defined nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingName {
    /// The name.
    pub name: String,
    /// Where it is used first: file and line.
    pub location: String,
    /// What it may have been meant to be.
    pub hint: String,
}

/// Names that are defined nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Each name once, in the order of the linker.
    pub names: Vec<MissingName>,
    /// Functions that programs can call.
    pub provided: Vec<String>,
}

impl Missing {
    /// The names in the linker's messages; none if something else is wrong, too.
    pub(crate) fn in_messages(messages: &str) -> Option<Vec<MissingName>> {
        let is_error = |line: &str| line.contains(": error: ") && !line.starts_with("collect2: ");
        if messages.lines().any(is_error) {
            return None;
        }
        let mut names: Vec<MissingName> = Vec::new();
        for line in messages.lines() {
            let Some((before, rest)) = line.split_once(UNDEFINED) else {
                continue;
            };
            let (name, _) = rest.split_once(UNDEFINED_END).unwrap_or((rest, ""));
            if names.iter().any(|known| known.name == name) {
                continue;
            }
            // The linker may name itself before the file.
            let (_, location) = before.rsplit_once("ld: ").unwrap_or(("", before));
            names.push(MissingName {
                name: name.to_owned(),
                location: location.trim_end_matches(": ").to_owned(),
                hint: String::new(),
            });
        }
        (!names.is_empty()).then_some(names)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, missing) in self.names.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            let MissingName {
                name,
                location,
                hint,
            } = missing;
            write!(
                f,
                "{end}{location}: {name} is defined neither by the program nor by its libraries{hint}; what these have: {PAGE}"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_once_and_only_if_nothing_else_is_wrong() {
        let messages = "ld: /tmp/a.o: in function `main':\n/w/a.c:3: undefined reference to `MPI_Win_create'\n\
            ld: /w/a.c:4: undefined reference to `MPI_Win_create'\nld: a.c:5: undefined reference to `helper'\n\
            collect2: error: ld returned 1 exit status";
        let found = Missing::in_messages(messages).unwrap();
        let places = found.iter().map(|at| (&*at.name, &*at.location));
        let wanted = [("MPI_Win_create", "/w/a.c:3"), ("helper", "a.c:5")];
        assert!(places.eq(wanted), "{found:?}");
        assert_eq!(Missing::in_messages("a.c:1:2: error: no"), None);
        assert_eq!(Missing::in_messages("ld: cannot find -lx"), None);
        let provided = Vec::new();
        let text = Missing {
            names: found,
            provided,
        }
        .to_string();
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}
