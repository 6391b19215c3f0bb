// SPDX-License-Identifier: Apache-2.0
//! Command lines as people write them first: `noccl allreduce`, `--mesh 8x8`, `--group row 0`. What can mean one thing only is read as
//! that, with a note.

use crate::verbs::Cli;
use clap::Command;
use std::ffi::OsString;

/// Options of other programs and of other verbs here, and ours.
const OPTIONS: [(&str, &str); 7] = [
    ("preset", "spec"),
    ("network", "spec"),
    ("size", "bytes"),
    ("sizes", "bytes"),
    ("algorithm", "algorithms"),
    ("algorithms", "algorithm"),
    ("load", "loads"),
];
/// Words of a group that a number follows, and ours.
const LINES: [(&str, &str); 6] = [
    ("row", "row"),
    ("rows", "row"),
    ("column", "column"),
    ("columns", "column"),
    ("col", "column"),
    ("cols", "column"),
];

/// The command line that is meant, and what to say of it.
pub fn read(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let Some(words) = texts(&arguments) else {
        return (arguments, Vec::new());
    };
    let command = Cli::with_help();
    let mut notes = Vec::new();
    let words = with_verb(&command, words, &mut notes);
    let Some(verb) = verb_of(&command, &words) else {
        return (words.into_iter().map(OsString::from).collect(), notes);
    };
    let mut out = Vec::new();
    let mut left = words.into_iter().peekable();
    while let Some(word) = left.next() {
        if word == "--" {
            out.push(word);
            out.extend(left);
            break;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let Some(name) = name.strip_prefix("--") else {
            out.push(word);
            continue;
        };
        if name == "group" && has(verb, name) {
            let value = value.or_else(|| left.next_if(|next| !next.starts_with("--")));
            let further =
                left.next_if(|next| is_number(next) && value.as_deref().is_some_and(is_line));
            out.extend(group(value, further, &mut notes));
        } else if name == "csv" && has(verb, "format") && !has(verb, name) && value.is_none() {
            notes.push("--csv is read as --format csv".to_owned());
            out.extend(["--format", "csv"].map(str::to_owned));
        } else if name == "mesh" && has(verb, "spec") && !has(verb, name) {
            let value = value.or_else(|| left.next_if(|next| !next.starts_with("--")));
            out.extend(mesh(value, &mut notes));
        } else if let Some(ours) = option(verb, name) {
            notes.push(format!("--{name} is read as --{ours}"));
            out.push(match value {
                Some(value) => format!("--{ours}={value}"),
                None => format!("--{ours}"),
            });
        } else {
            out.push(word);
        }
    }
    (out.into_iter().map(OsString::from).collect(), notes)
}

/// Arguments as text; none if one is not.
fn texts(arguments: &[OsString]) -> Option<Vec<String>> {
    let texts = arguments
        .iter()
        .map(|word| word.to_str().map(str::to_owned));
    texts.collect()
}

/// With the verb `compare` before a collective that is no verb.
fn with_verb(command: &Command, mut words: Vec<String>, notes: &mut Vec<String>) -> Vec<String> {
    let Some(first) = words.get(1).filter(|word| !word.starts_with('-')) else {
        return words;
    };
    if command.find_subcommand(first).is_some() {
        return words;
    }
    if let Ok(kind) = noccl::collective::parse_collective(first) {
        let meant = format!("compare {kind}");
        notes.push(format!("`noccl {first}` is read as `noccl {meant}`"));
        words[1] = kind.to_string();
        words.insert(1, "compare".to_owned());
    }
    words
}

/// The verb that a command line names, or its form.
fn verb_of<'c>(command: &'c Command, words: &[String]) -> Option<&'c Command> {
    let verb = command.find_subcommand(words.get(1)?)?;
    let form = words.get(2).and_then(|word| verb.find_subcommand(word));
    Some(form.unwrap_or(verb))
}

fn has(verb: &Command, option: &str) -> bool {
    let mut options = verb.get_arguments();
    options.any(|one| one.get_long() == Some(option))
}

/// Our name of an option that a verb does not have.
fn option(verb: &Command, name: &str) -> Option<&'static str> {
    if has(verb, name) {
        return None;
    }
    let mut ours = OPTIONS.iter().filter(|(other, _)| *other == name);
    ours.find_map(|(_, ours)| has(verb, ours).then_some(*ours))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_line(word: &str) -> bool {
    LINES.iter().any(|(line, _)| *line == word)
}

/// `--mesh 8x8`: clusters of the default kind of network.
fn mesh(value: Option<String>, notes: &mut Vec<String>) -> Vec<String> {
    let Some(value) = value else {
        return vec!["--mesh".to_owned()];
    };
    let spec = format!("collective_noc_{value}");
    notes.push(format!("--mesh {value} is read as --spec {spec}"));
    vec!["--spec".to_owned(), spec]
}

/// `--group row 0`, `--group 'row 0'`, `--group col:1`.
fn group(value: Option<String>, further: Option<String>, notes: &mut Vec<String>) -> Vec<String> {
    let Some(value) = value else {
        return vec!["--group".to_owned()];
    };
    let written = further.map_or(value.clone(), |number| format!("{value} {number}"));
    let parts = written.split_once([' ', ':', '=']);
    let meant = parts.and_then(|(line, number)| {
        let (_, ours) = LINES.iter().find(|(other, _)| *other == line)?;
        let number = number.trim();
        is_number(number).then(|| format!("{ours}:{number}"))
    });
    let meant = meant.unwrap_or_else(|| written.clone());
    if meant != written {
        notes.push(format!("--group {written} is read as --group {meant}"));
    }
    vec!["--group".to_owned(), meant]
}
