// SPDX-License-Identifier: Apache-2.0
//! Options that have no effect on what a command line asks for: each verb states its own, and one that is given is refused. An
//! option that is ignored lets its user believe that it was followed.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use noccl::collective::CollectiveKind;
use std::borrow::Cow;
use std::ffi::OsString;

/// An option without an effect on the work at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idle {
    /// Its id.
    pub option: &'static str,
    /// The work.
    pub on: &'static str,
    /// With what it has an effect.
    pub accepted: Cow<'static, str>,
}

/// These options if they are idle, for one reason.
pub fn idle(
    is_idle: bool,
    options: &[&'static str],
    on: &'static str,
    accepted: &'static str,
) -> Vec<Idle> {
    let options = options.iter().filter(|_| is_idle);
    let each = options.map(|option| Idle {
        option,
        on,
        accepted: accepted.into(),
    });
    each.collect()
}

/// Options that say something about the payload of a collective: a barrier has none.
pub fn of_payload(kind: CollectiveKind, options: &[&'static str]) -> Vec<Idle> {
    let accepted = "a collective that has a payload";
    idle(
        kind == CollectiveKind::Barrier,
        options,
        "a barrier",
        accepted,
    )
}

/// Operator and element of a collective: most combine nothing.
pub fn of_sums(kind: CollectiveKind) -> Vec<Idle> {
    let is_idle = !kind.reduces() && kind != CollectiveKind::Custom;
    let accepted = "reduce, all_reduce, reduce_scatter, scan, custom";
    let on = "a collective that combines nothing";
    idle(is_idle, &["operator", "element"], on, accepted)
}

/// Refuses the first idle option that is on the command line, of the verb or the form of a verb that it names.
///
/// # Errors
/// [`ErrorKind::ArgumentConflict`] with the option and where it has an effect.
pub fn refuse(command: &mut Command, matches: &ArgMatches, idle: &[Idle]) -> Result<(), Error> {
    if let Some((name, of_verb)) = matches.subcommand()
        && let Some(verb) = command.find_subcommand_mut(name)
    {
        return refuse(verb, of_verb, idle);
    }
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let Some(found) = idle.iter().find(|idle| is_given(idle.option)) else {
        return Ok(());
    };
    let option = format!("--{}", name_of(command, found.option));
    Err(no_effect(command, &option, found.on, &found.accepted))
}

/// Where an unknown option is one of other forms of the same verb, the refusal names them.
pub fn of_another_form(command: &mut Command, arguments: &[OsString], error: Error) -> Error {
    let forms = forms_with(command, arguments, &error);
    let Some((form, option, accepted)) = forms.filter(|(.., accepted)| !accepted.is_empty()) else {
        return error;
    };
    no_effect(command, &option, &format!("`{form}`"), &accepted.join(", "))
}

/// The refusal of an option on some work, with the work on which it has an effect.
fn no_effect(command: &mut Command, option: &str, on: &str, accepted: &str) -> Error {
    let text = format!("the argument '{option}' has no effect on {on}; accepted: with {accepted}");
    command.error(ErrorKind::ArgumentConflict, text)
}

/// The form that a command line names, its unknown option, and the forms that have the option.
fn forms_with(
    command: &Command,
    arguments: &[OsString],
    error: &Error,
) -> Option<(String, String, Vec<String>)> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let [_, verb, form, ..] = arguments else {
        return None;
    };
    let ContextValue::String(option) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let of_verb = command.find_subcommand(verb)?;
    let name = format!(
        "noccl {} {}",
        of_verb.get_name(),
        of_verb.find_subcommand(form)?.get_name()
    );
    let long = option.strip_prefix("--")?;
    let has_it = |form: &&Command| form.get_arguments().any(|one| one.get_long() == Some(long));
    let forms = of_verb.get_subcommands().filter(has_it);
    let forms = forms.map(|form| format!("`noccl {} {}`", of_verb.get_name(), form.get_name()));
    Some((name, option.clone(), forms.collect()))
}

/// The name that users write for an option of this id.
fn name_of<'c>(command: &'c Command, id: &str) -> &'c str {
    let mut options = command.get_arguments();
    let option = options.find(|option| option.get_id() == id);
    option.and_then(|option| option.get_long()).unwrap_or("")
}
