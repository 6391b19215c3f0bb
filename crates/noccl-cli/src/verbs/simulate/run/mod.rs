// SPDX-License-Identifier: Apache-2.0
//! `noccl run`: a form for each kind of workload, with the options that have an effect on it.

mod messages;
mod program;
mod program_report;
mod ranks;
mod report;
mod schedule;
mod simulation;
mod systems;
mod trace;

use crate::Outcome;
use crate::effects::Idle;
use crate::verbs::Verb;
use clap::{Args, Subcommand};
use noccl::Error;
use std::borrow::Cow;
use std::ffi::OsString;

/// Run a schedule, a trace, a program or a message trace
///
/// Each kind of workload has a form with its own options: `noccl run schedule --help`. Without a form the file is a schedule; with
/// --trace, --program or --messages it is what the option says.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl run schedule reduce.json
  noccl run trace transactions.json --links --json
  noccl run program jacobi.py --ranks 16 --spec collective_noc_4x4 -- 64
  noccl run messages solver.messages --spec tilepro64_4x4 --compute-scale 4")]
pub struct Run {
    #[command(subcommand)]
    form: Form,
}

#[derive(Debug, Subcommand)]
enum Form {
    Schedule(schedule::RunSchedule),
    Trace(trace::RunTrace),
    Program(program::RunProgram),
    Messages(messages::RunMessages),
}

impl Verb for Run {
    fn idle(&self) -> Vec<Idle> {
        match &self.form {
            Form::Schedule(form) => form.simulation.idle(),
            Form::Trace(form) => form.simulation.idle(),
            Form::Program(form) => form.idle(),
            Form::Messages(_) => Vec::new(),
        }
    }

    fn run(&self) -> Result<Outcome, Error> {
        match &self.form {
            Form::Schedule(form) => form.run(),
            Form::Trace(form) => form.run(),
            Form::Program(form) => form.run(),
            Form::Messages(form) => form.run(),
        }
    }
}

/// Forms; in a call without one an option can have the name of any but the first, which is the default.
const FORMS: [&str; 4] = ["schedule", "trace", "program", "messages"];

/// Words after `noccl run` that are no file either.
const HELP: [&str; 3] = ["help", "--help", "-h"];

/// A command line with the form of `noccl run` that it leaves out: that of the first such option, or the schedule's.
pub fn with_form(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let [program, verb, rest @ ..] = arguments else {
        return arguments.into();
    };
    let is_complete = |first: &OsString| FORMS.iter().chain(&HELP).any(|word| first == word);
    if verb != "run" || rest.first().is_none_or(is_complete) {
        return arguments.into();
    }
    let own = rest.iter().take_while(|word| *word != "--");
    let flag = own.enumerate().find_map(|(index, word)| {
        let name = word.to_str()?.strip_prefix("--")?;
        let form = FORMS[1..].iter().find(|form| **form == name)?;
        Some((index, *form))
    });
    let (at, form) = flag.unzip();
    let mut words = vec![
        program.clone(),
        verb.clone(),
        form.unwrap_or(FORMS[0]).into(),
    ];
    let kept = rest
        .iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != at);
    words.extend(kept.map(|(_, word)| word.clone()));
    words.into()
}
