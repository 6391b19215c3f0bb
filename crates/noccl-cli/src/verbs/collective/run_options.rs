// SPDX-License-Identifier: Apache-2.0
//! Which options of `noccl run` have an effect on which kind of work; one without an effect is refused, not ignored.

use clap::error::{Error, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::path::PathBuf;

/// What `noccl run` runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Schedule,
    Trace,
    Messages,
    Script,
    Compiled,
}

use Work::{Compiled, Messages, Schedule, Script, Trace};

/// Every kind of work.
const ALL: &[Work] = &[Schedule, Trace, Messages, Script, Compiled];
/// What is simulated action by action.
const STATED: &[Work] = &[Schedule, Trace];
/// What has ranks.
const RANKS: &[Work] = &[Messages, Script, Compiled];

/// Options by their ids, with the kinds of work on which each has an effect. Those that a kind refuses in words of its own are
/// among its own.
const EFFECTS: [(&str, &[Work]); 33] = [
    ("file", ALL),
    ("spec", ALL),
    ("overrides", ALL),
    ("max_cycles", ALL),
    ("json", ALL),
    ("trace", ALL),
    ("program", ALL),
    ("messages", ALL),
    ("mode", STATED),
    ("seed", STATED),
    ("threads", STATED),
    ("links", STATED),
    ("stalls", STATED),
    ("stall_seed", STATED),
    ("backend", STATED),
    ("boundary", STATED),
    ("hardware", STATED),
    ("lock_step", &[Schedule]),
    ("noise", &[Schedule, Messages, Script, Compiled]),
    ("repeat", &[Schedule]),
    ("start_skew", &[Schedule]),
    ("ranks", RANKS),
    ("collectives", RANKS),
    ("timeline", RANKS),
    ("record", &[Script, Compiled]),
    ("costs", &[Compiled]),
    ("program_memory", &[Compiled]),
    ("arguments", &[Script, Compiled]),
    ("compute_scale", &[Messages]),
    ("library", &[Messages]),
    ("checkpoint", ALL),
    ("checkpoint_every", ALL),
    ("resume", ALL),
];

impl Work {
    fn of(matches: &ArgMatches) -> Self {
        let file = matches.get_one::<PathBuf>("file");
        let is_script = file
            .and_then(|f| f.extension())
            .is_some_and(|end| end == "py");
        match (
            matches.get_flag("trace"),
            matches.get_flag("messages"),
            matches.get_flag("program"),
        ) {
            (true, ..) => Trace,
            (_, true, _) => Messages,
            (.., true) if is_script => Script,
            (.., true) => Compiled,
            (false, false, false) => Schedule,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Schedule => "a schedule",
            Trace => "a trace (--trace)",
            Messages => "a message trace (--messages)",
            Script => "a script (--program X.py)",
            Compiled => "a compiled program (--program)",
        }
    }
}

/// Refuses what has no effect on the work at hand.
///
/// # Errors
/// [`ErrorKind::ArgumentConflict`] with the option and the work on which it has one.
pub fn refuse_without_effect(command: &mut Command, matches: &ArgMatches) -> Result<(), Error> {
    let work = Work::of(matches);
    for (id, effect) in EFFECTS {
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        if !is_given || effect.contains(&work) {
            continue;
        }
        let options = command.get_arguments();
        let option = options.into_iter().find(|option| option.get_id() == id);
        let name = option
            .and_then(|o| o.get_long())
            .map_or("--".to_owned(), |l| format!("--{l}"));
        let accepted: Vec<&str> = effect.iter().map(|work| work.words()).collect();
        let text = format!(
            "the argument '{name}' has no effect on {}; accepted: with {}",
            work.words(),
            accepted.join(", ")
        );
        return Err(command.error(ErrorKind::ArgumentConflict, text));
    }
    Ok(())
}
