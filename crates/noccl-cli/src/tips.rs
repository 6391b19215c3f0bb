// SPDX-License-Identifier: Apache-2.0
//! What is proposed for a word that no verb knows: what people mean by it, or a name that differs in a letter or two, or nothing.
//! A tip that leads elsewhere is worse than none.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use std::ffi::OsString;

/// Words in the place of a verb.
const VERBS: [(&[&str], &str); 6] = [
    (
        &["presets", "specs", "networks", "list", "ls"],
        "`noccl doctor` lists the presets, `noccl elaborate NAME` shows one",
    ),
    (&["version"], "`noccl --version`"),
    (
        &["network", "show", "info", "spec"],
        "`noccl elaborate NAME` shows a network",
    ),
    (
        &["simulate", "sim"],
        "`noccl run schedule FILE`, or `noccl compare COLLECTIVE`",
    ),
    (
        &["plot", "page"],
        "`noccl report ROWS.json` makes a page with plots",
    ),
    (&["verify", "prove"], "`noccl check SCHEDULE.json`"),
];

/// Options that no verb has, or few.
const OPTIONS: [(&[&str], &str); 5] = [
    (
        &["--output", "-o", "--out", "--file"],
        "results go to stdout: add `> FILE`",
    ),
    (
        &["--format", "--csv"],
        "`--json` prints the results for programs",
    ),
    (
        &["--verbose", "-v", "--quiet", "-q"],
        "results go to stdout, remarks to stderr; there is no more and no less",
    ),
    (
        &["--threads", "-j", "--jobs"],
        "all processors are used; RAYON_NUM_THREADS=4 sets another number",
    ),
    (
        &["--mesh", "--preset", "--spec", "--size"],
        "this verb takes its networks otherwise; its --help has examples",
    ),
];

/// The same refusal with a tip that helps, or with none.
pub fn with_tip(command: &Command, arguments: &[OsString], mut error: Error) -> Error {
    let is_verb = error.kind() == ErrorKind::InvalidSubcommand;
    let context = if is_verb {
        ContextKind::InvalidSubcommand
    } else if error.kind() == ErrorKind::UnknownArgument {
        ContextKind::InvalidArg
    } else {
        return error;
    };
    let Some(ContextValue::String(word)) = error.get(context) else {
        return error;
    };
    let verb = verb_of(command, arguments);
    let tip = if is_verb {
        known(&VERBS, word).or_else(|| near_verb(command, word))
    } else {
        of_argument(verb, arguments, word)
    };
    for context in [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
        ContextKind::SuggestedCommand,
        ContextKind::Suggested,
    ] {
        error.remove(context);
    }
    if let Some(tip) = tip {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    // The usage of clap names what it suggests.
    if let Some(verb) = verb {
        let usage = ContextValue::StyledStr(verb.clone().render_usage());
        error.insert(ContextKind::Usage, usage);
    }
    error
}

fn verb_of<'c>(command: &'c Command, arguments: &[OsString]) -> Option<&'c Command> {
    let verb = command.find_subcommand(arguments.get(1)?)?;
    let form = arguments.get(2).and_then(|word| verb.find_subcommand(word));
    Some(form.unwrap_or(verb))
}

fn known(tips: &[(&[&str], &str)], word: &str) -> Option<String> {
    let mut tips = tips.iter();
    let found = tips.find(|(words, _)| words.contains(&word));
    found.map(|(_, tip)| (*tip).to_owned())
}

fn near_verb(command: &Command, word: &str) -> Option<String> {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    near(word, verbs.map(Command::get_name))
}

/// Of an option, or of a word where none belongs.
fn of_argument(verb: Option<&Command>, arguments: &[OsString], word: &str) -> Option<String> {
    let place = arguments.iter().position(|argument| argument == word);
    let before = place.and_then(|place| arguments[..place].last()?.to_str());
    if word.trim_start_matches('-').parse::<f64>().is_ok() {
        return Some("numbers and sizes have no sign here".to_owned());
    }
    if !word.starts_with('-') {
        return match before? {
            "--json" => Some(format!("results go to stdout: `--json > {word}`")),
            option if option.starts_with("--") => None,
            other => {
                let option = arguments[..place?].iter().rev().nth(1)?.to_str()?;
                let takes_list = option.starts_with("--") && takes_value(verb?, option);
                takes_list.then(|| format!("a list has commas: `{option} {other},{word}`"))
            }
        };
    }
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let options = verb?.get_arguments().filter_map(|one| one.get_long());
    let options: Vec<String> = options.map(|long| format!("--{long}")).collect();
    known(&OPTIONS, name).or_else(|| near(name, options.iter().map(String::as_str)))
}

fn takes_value(verb: &Command, option: &str) -> bool {
    let mut options = verb.get_arguments();
    let long = option.trim_start_matches('-');
    options.any(|one| one.get_long() == Some(long) && one.get_action().takes_values())
}

/// A name that differs in a letter or two.
fn near<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let hint = noccl::network::nearest(word, names);
    let hint = hint.trim().trim_start_matches('(').trim_end_matches(')');
    (!hint.is_empty()).then(|| hint.to_owned())
}
