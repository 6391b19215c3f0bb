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

/// Several options of one reason.
pub fn idle<const N: usize>(
    options: [&'static str; N],
    on: &'static str,
    accepted: &'static str,
) -> impl Iterator<Item = Idle> {
    options.into_iter().map(move |option| Idle {
        option,
        on,
        accepted: accepted.into(),
    })
}

/// Of a collective: a barrier has no payload, and most collectives combine nothing.
pub fn of_collective(kind: CollectiveKind) -> Vec<Idle> {
    let mut found = Vec::new();
    if kind == CollectiveKind::Barrier {
        let accepted = "a collective that has a payload";
        found.extend(idle(["bytes", "seed"], "a barrier", accepted));
    }
    if !kind.reduces() && kind != CollectiveKind::Custom {
        let accepted = "reduce, all_reduce, reduce_scatter, scan, custom";
        let on = "a collective that combines nothing";
        found.extend(idle(["operator", "element"], on, accepted));
    }
    found
}

/// Refuses the first idle option that is on the command line.
///
/// # Errors
/// [`ErrorKind::ArgumentConflict`] with the option and where it has an effect.
pub fn refuse(command: &mut Command, matches: &ArgMatches, idle: &[Idle]) -> Result<(), Error> {
    let is_given = |id: &str| {
        let is_known = matches.ids().any(|known| known == id);
        is_known && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
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
