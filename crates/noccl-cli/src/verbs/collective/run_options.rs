// SPDX-License-Identifier: Apache-2.0
//! Which options of `noccl run` have an effect on which kind of work; one without an effect is refused, not ignored.

use crate::effects::{self, Idle};
use clap::ArgMatches;
use noccl::Mode;
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

/// Options without an effect on the work that a command line of `noccl run` asks for.
pub fn idle(matches: &ArgMatches) -> Vec<Idle> {
    let work = Work::of(matches);
    let without = EFFECTS
        .into_iter()
        .filter(|(_, effect)| !effect.contains(&work));
    let stated = without.map(|(option, effect)| Idle {
        option,
        on: work.words(),
        accepted: names(effect).into(),
    });
    let is_timed = matches.get_one::<Mode>("mode") == Some(&Mode::Timing);
    let seed = effects::idle(is_timed, &["seed"], "--mode timing", "--mode value");
    stated.chain(seed).collect()
}

/// The kinds of work of a row of [`EFFECTS`] in words.
fn names(effect: &[Work]) -> String {
    let words: Vec<&str> = effect.iter().map(|work| work.words()).collect();
    words.join(", ")
}
