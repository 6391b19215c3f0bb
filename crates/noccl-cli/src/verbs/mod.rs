// SPDX-License-Identifier: Apache-2.0
//! The verbs, one file each, in a folder per group of the help. A new verb is its file and two lines of its group.

mod describe;
mod explanation;
mod explore;
mod hardware;
mod project;
mod rows;
mod simulate;

use crate::effects::{self, Idle};
use crate::{Outcome, tips};
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use describe::Describe;
use explore::Explore;
use hardware::Hardware;
use noccl::Error;
use project::Project;
use simulate::Simulate;
use std::ffi::OsString;
use std::fmt::Write;

const EXIT_CODES: &str = "\
Exit codes: 0 fine; 1 a check failed, a run stalled or delivered wrong bytes; \
2 wrong input, nothing ran; 3 interrupted and saved (--checkpoint); \
4 an output could not be written (a former file is unchanged); 130 interrupted.
Results go to stdout, remarks and progress to stderr.";

/// First commands for somebody who has none yet.
const FIRST_COMMANDS: &str = "\
Start with:
  noccl demo                                     what collectives in the network gain, as a page of plots
  noccl compare all_reduce --bytes 1KiB,32KiB    every algorithm for your collective
  noccl VERB --help                              options and examples of a verb";

/// One verb: its options, and what it does.
trait Verb {
    /// Options without an effect on what is asked for, which are refused.
    fn idle(&self) -> Vec<Idle> {
        Vec::new()
    }

    /// Does the work.
    fn run(&self) -> Result<Outcome, Error>;
}

/// Makes a group of verbs from one variant per verb.
macro_rules! group {
    ($(#[$meta:meta])* pub enum $group:ident { $($(#[$attribute:meta])* $variant:ident($verb:ty)),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, clap::Subcommand)]
        pub enum $group { $($(#[$attribute])* $variant($verb)),+ }

        impl Verb for $group {
            fn idle(&self) -> Vec<crate::effects::Idle> {
                match self { $($group::$variant(verb) => verb.idle()),+ }
            }

            fn run(&self) -> Result<crate::Outcome, noccl::Error> {
                match self { $($group::$variant(verb) => verb.run()),+ }
            }
        }
    };
}
use group;

/// Collective communication on networks-on-chip: verified, cycle-accurate.
#[derive(Debug, Parser)]
#[command(name = "noccl", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Any,
}

group! {
    /// A verb of any group.
    pub enum Any {
        #[command(flatten)]
        Explore(Explore),
        #[command(flatten)]
        Describe(Describe),
        #[command(flatten)]
        Simulate(Simulate),
        #[command(flatten)]
        Hardware(Hardware),
        #[command(flatten)]
        Project(Project),
    }
}

impl Cli {
    /// The command line with its help: verbs by group.
    pub fn with_help() -> Command {
        let groups = [
            listed::<Explore>("Explore"),
            listed::<Describe>("Describe"),
            listed::<Simulate>("Simulate"),
            listed::<Hardware>("Hardware"),
            listed::<Project>("Model and project"),
        ]
        .concat();
        Self::command().help_template(format!(
            "{{about}}\n\nUsage: {{usage}}\n\n{groups}{FIRST_COMMANDS}\n\nOptions:\n{{options}}{{after-help}}"
        ))
    }

    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    /// Those of clap; an option without an effect on what is asked for.
    pub fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        let arguments = simulate::with_form(arguments);
        let mut command = Self::with_help();
        let matches = command
            .try_get_matches_from_mut(arguments.iter())
            .map_err(|error| effects::of_another_form(&mut command, &arguments, error))
            .map_err(|error| tips::of_value(&command, &arguments, error))
            .map_err(|error| tips::with_tip(&command, &arguments, error))?;
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        effects::refuse(&mut command, &matches, &cli.verb.idle())?;
        Ok(cli)
    }

    /// Runs the verb.
    ///
    /// # Errors
    /// Those of the facade.
    pub fn run(&self) -> Result<Outcome, Error> {
        self.verb.run()
    }
}

/// Names and first lines of a group's verbs, under its title.
fn listed<G: Subcommand>(title: &str) -> String {
    let group = G::augment_subcommands(Command::new("noccl"));
    let mut text = format!("{title}:\n");
    for verb in group.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let about = verb
            .get_about()
            .map_or_else(String::new, ToString::to_string);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:<12}{about}", verb.get_name());
    }
    text + "\n"
}
