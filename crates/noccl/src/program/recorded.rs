// SPDX-License-Identifier: Apache-2.0
//! Message traces of programs on executed cores: `programs/recorder/cores` prints them, and they are taken out of what ranks have printed.

use crate::Error;
use noccl_program::MESSAGES_VERSION;
use std::fmt::Write;

/// What a line of a trace begins with (`PREFIX` of `programs/recorder/cores/recorder.c`).
const PREFIX: &str = "noccl-messages: ";
/// What the line begins with, behind that, that says what the library takes for words.
const LIBRARY: &str = "head library ";

/// The message trace that ranks on a network have printed on their consoles, from which it is removed.
///
/// # Errors
/// [`Error::Argument`] for a rank that has printed none.
pub fn take_recorded<'a>(
    (source, network): (&str, &str),
    consoles: impl ExactSizeIterator<Item = &'a mut String>,
) -> Result<String, Error> {
    let mut text = format!(
        "noccl-messages {MESSAGES_VERSION}\nranks {}\nunit cycles\nsource {source}\n",
        consoles.len()
    );
    let mut has_library = false;
    for (rank, console) in consoles.enumerate() {
        let printed = std::mem::take(console);
        let before = text.len();
        for line in printed.lines() {
            match line.strip_prefix(PREFIX) {
                // What its library takes for words stands in the head, once.
                Some(record) => match record.strip_prefix(LIBRARY) {
                    Some(_) if std::mem::replace(&mut has_library, true) => {}
                    Some(cycles) => drop(writeln!(text, "library {network} {cycles}")),
                    None => drop(writeln!(text, "{record}")),
                },
                None => drop(writeln!(console, "{line}")),
            }
        }
        if text.len() == before {
            let accepted = "it has printed no trace; accepted: a program built with programs/recorder/cores, in which each rank comes to MPI_Finalize";
            return Err(Error::argument(
                "--record",
                format!("rank {rank}"),
                accepted,
            ));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_taken_out_of_what_ranks_print() {
        let rank = |rank| {
            format!("hello\n{PREFIX}head library 4 3 60\n{PREFIX}rank {rank}\n{PREFIX}end 0\nbye\n")
        };
        let mut consoles = [rank(0), rank(1)];
        let text = take_recorded(("here", "net"), consoles.iter_mut()).expect("both have one");
        assert_eq!(consoles, ["hello\nbye\n", "hello\nbye\n"]);
        let trace = noccl_program::parse_messages("t", &text).expect("it is a trace");
        assert_eq!((trace.ranks.len(), &*trace.source), (2, "here"));
        assert_eq!(trace.library.map(|l| l.network).as_deref(), Some("net"));
        let mut consoles = [rank(0), "hello\n".to_owned()];
        let refused = take_recorded(("here", "net"), consoles.iter_mut());
        let text = refused.expect_err("rank 1 has none").to_string();
        assert!(text.starts_with("--record 'rank 1'"), "{text}");
    }
}
