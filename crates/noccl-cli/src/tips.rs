// SPDX-License-Identifier: Apache-2.0
//! What is proposed for a word that no verb knows: what people mean by it, or a name that differs in a letter or two, or nothing.
//! A tip that leads elsewhere is worse than none.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use noccl::collective::{CollectiveKind, parse_collective};
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

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

/// A value that is refused, in the words of its reader alone, which name the option.
pub fn of_value(command: &Command, arguments: &[OsString], error: Error) -> Error {
    match value_text(&error) {
        Some(text) => {
            let mut verb = verb_of(command, arguments).unwrap_or(command).clone();
            verb.error(ErrorKind::ValueValidation, text)
        }
        None => error,
    }
}

fn value_text(error: &Error) -> Option<String> {
    let source = error.source()?;
    if source.is::<noccl::Error>() {
        return Some(source.to_string());
    }
    let accepted = if source.is::<ParseFloatError>() {
        "a number, e.g. 0.5"
    } else {
        let kind = source.downcast_ref::<ParseIntError>()?.kind();
        if *kind == IntErrorKind::Zero {
            "a whole number, 1 or more"
        } else if *kind == IntErrorKind::PosOverflow {
            "a smaller whole number"
        } else {
            "a whole number"
        }
    };
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (option, value) = text(ContextKind::InvalidArg).zip(text(ContextKind::InvalidValue))?;
    let option = option.split(' ').next().unwrap_or(option);
    Some(format!("{option} '{value}': accepted: {accepted}"))
}

/// Arguments that are missing or exclude each other, with the usage of the verb: that of clap repeats what was typed.
fn with_usage(command: &Command, arguments: &[OsString], mut error: Error) -> Error {
    let Some(verb) = verb_of(command, arguments) else {
        return error;
    };
    let usage = ContextValue::StyledStr(verb.clone().render_usage());
    error.insert(ContextKind::Usage, usage);
    let lacks_collective = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::Strings(missing))
        if missing.iter().any(|one| one == "<COLLECTIVE>"));
    if lacks_collective {
        let names = CollectiveKind::ALL.map(|kind| kind.class().name).join(", ");
        let tip = ContextValue::StyledStrs(vec![format!("collectives: {names}").into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// The same refusal with a tip that helps, or with none.
pub fn with_tip(command: &Command, arguments: &[OsString], mut error: Error) -> Error {
    if matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict
    ) {
        return with_usage(command, arguments, error);
    }
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
    let option = place.and_then(|place| arguments[..place].iter().rev().nth(1)?.to_str());
    if let (Some("-P"), Some(key)) = (option, before) {
        return Some(format!("-P takes KEY=VALUE: `-P {key}={word}`"));
    }
    if word.starts_with('-') && word.trim_start_matches('-').parse::<f64>().is_ok() {
        return Some("numbers and sizes have no sign here".to_owned());
    }
    if let Some(first) = before.and_then(|before| parse_collective(before).ok())
        && let Ok(second) = parse_collective(word)
    {
        let several = format!("`noccl matrix --collectives {first},{second}` compares several");
        return Some(format!("one collective; {several}"));
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
