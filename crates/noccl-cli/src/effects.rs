// SPDX-License-Identifier: Apache-2.0
//! Options that have no effect on what a command line asks for: each verb states its own, and one that is given is refused. An
//! option that is ignored lets its user believe that it was followed.

use clap::error::{Error, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use noccl::CollectiveKind;
use std::borrow::Cow;

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

/// Refuses the first idle option that is on the command line.
///
/// # Errors
/// [`ErrorKind::ArgumentConflict`] with the option and where it has an effect.
pub fn refuse(command: &mut Command, matches: &ArgMatches, idle: &[Idle]) -> Result<(), Error> {
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let Some(found) = idle.iter().find(|idle| is_given(idle.option)) else {
        return Ok(());
    };
    let text = format!(
        "the argument '--{}' has no effect on {}; accepted: with {}",
        name_of(command, found.option),
        found.on,
        found.accepted
    );
    Err(command.error(ErrorKind::ArgumentConflict, text))
}

/// The name that users write for an option of this id.
fn name_of<'c>(command: &'c Command, id: &str) -> &'c str {
    let mut options = command.get_arguments();
    let option = options.find(|option| option.get_id() == id);
    option.and_then(|option| option.get_long()).unwrap_or("")
}
