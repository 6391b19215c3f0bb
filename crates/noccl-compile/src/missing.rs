// SPDX-License-Identifier: Apache-2.0
//! What a program uses and nobody defines: the linker's many lines about it become one line for each name.

use std::fmt;

/// How the linker says it, before and after the name.
const UNDEFINED: &str = "undefined reference to `";
const UNDEFINED_END: char = '\'';

/// Page with what programs in C have.
const PAGE: &str = "docs/executed_cores.md#programs-in-c";

/// Names that are defined nowhere, with hints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Each name once, in the order of the linker, and a hint at what it may have been meant to be.
    pub names: Vec<(String, String)>,
    /// Functions that programs can call.
    pub provided: Vec<String>,
}

impl Missing {
    /// The names in the linker's messages; none if something else is wrong, too.
    pub(crate) fn in_messages(messages: &str) -> Option<Vec<String>> {
        let is_error = |line: &str| line.contains(": error: ") && !line.starts_with("collect2: ");
        if messages.lines().any(is_error) {
            return None;
        }
        let mut names: Vec<String> = Vec::new();
        for line in messages.lines() {
            let rest = line.split_once(UNDEFINED).map(|(_, rest)| rest);
            let name = rest.and_then(|rest| rest.split(UNDEFINED_END).next());
            if let Some(name) = name.filter(|name| names.iter().all(|known| known != name)) {
                names.push(name.to_owned());
            }
        }
        (!names.is_empty()).then_some(names)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, hint)) in self.names.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(
                f,
                "{end}{name} is defined neither by the program nor by its libraries{hint}; what these have: {PAGE}"
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
        assert_eq!(found, ["MPI_Win_create", "helper"]);
        assert_eq!(Missing::in_messages("a.c:1:2: error: no"), None);
        assert_eq!(Missing::in_messages("ld: cannot find -lx"), None);
        let names = found
            .into_iter()
            .map(|name| (name, String::new()))
            .collect();
        let text = Missing {
            names,
            provided: Vec::new(),
        }
        .to_string();
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}
