// SPDX-License-Identifier: Apache-2.0
//! The verbs, one file each, in a folder per subject.

mod collective;
mod network;
mod study;
mod tool;

use crate::Outcome;
use crate::effects::{self, Idle};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use collective::{baselines, check, compare, demo, matrix, order, run, schedule};
use network::{elaborate, rtl};
use noccl::Error;
use std::ffi::OsString;
use study::{
    attention, auto, barrier, calibrate, coherence, gemm, npb, stress, sweep, synth, traffic,
    validation,
};
use tool::{bench, build, doctor, help_markdown, report, schema};

const EXIT_CODES: &str = "\
Exit codes: 0 fine; 1 a check failed, a run stalled or delivered wrong bytes; \
2 wrong input, nothing ran; 3 interrupted and saved (--checkpoint); \
4 an output could not be written (what was there before is still there); 130 interrupted.
Results go to stdout, remarks and progress to stderr.";

/// Collective communication on networks-on-chip: verified, cycle-accurate.
#[derive(Debug, Parser)]
#[command(name = "noccl", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Demo(demo::Demo),
    Elaborate(elaborate::Elaborate),
    Schedule(schedule::Schedule),
    Order(order::Order),
    Check(check::Check),
    Run(run::Run),
    Compare(compare::Compare),
    Matrix(matrix::Matrix),
    Auto(auto::Auto),
    #[command(alias = "rivals")]
    Baselines(baselines::Baselines),
    Gemm(gemm::Gemm),
    Attention(attention::Attention),
    Calibrate(calibrate::Calibrate),
    #[command(alias = "verdicts")]
    Validation(validation::ValidationVerb),
    Traffic(traffic::Traffic),
    Stress(stress::Stress),
    Sweep(sweep::Sweep),
    Synth(synth::Synth),
    Bench(bench::Bench),
    Barrier(barrier::Barrier),
    Coherence(coherence::Coherence),
    Build(build::Build),
    Npb(npb::Npb),
    Report(report::Report),
    Rtl(rtl::Rtl),
    Schema(schema::Schema),
    Doctor(doctor::Doctor),
    #[command(hide = true)]
    HelpMarkdown(help_markdown::HelpMarkdown),
}

impl Verb {
    /// Options without an effect on what is asked for.
    fn idle(&self) -> Vec<Idle> {
        match self {
            Verb::Run(verb) => verb.idle(),
            Verb::Schedule(verb) => verb.idle(),
            Verb::Order(verb) => verb.idle(),
            Verb::Compare(verb) => verb.idle(),
            Verb::Auto(verb) => verb.idle(),
            Verb::Baselines(verb) => verb.idle(),
            Verb::Gemm(verb) => verb.idle(),
            Verb::Attention(verb) => verb.idle(),
            Verb::Synth(verb) => verb.idle(),
            Verb::Coherence(verb) => verb.idle(),
            Verb::Demo(_)
            | Verb::Elaborate(_)
            | Verb::Check(_)
            | Verb::Matrix(_)
            | Verb::Calibrate(_)
            | Verb::Validation(_)
            | Verb::Traffic(_)
            | Verb::Stress(_)
            | Verb::Sweep(_)
            | Verb::Bench(_)
            | Verb::Barrier(_)
            | Verb::Build(_)
            | Verb::Npb(_)
            | Verb::Report(_)
            | Verb::Rtl(_)
            | Verb::Schema(_)
            | Verb::Doctor(_)
            | Verb::HelpMarkdown(_) => Vec::new(),
        }
    }
}

impl Cli {
    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    /// Those of clap; an option without an effect on what is asked for.
    pub fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        let arguments = run::with_form(arguments);
        let mut command = Self::command();
        let matches = command
            .try_get_matches_from_mut(arguments.iter())
            .map_err(|error| effects::of_another_form(&mut command, &arguments, error))?;
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        effects::refuse(&mut command, &matches, &cli.verb.idle())?;
        Ok(cli)
    }

    /// Runs the verb.
    ///
    /// # Errors
    /// Those of the facade.
    pub fn run(&self) -> Result<Outcome, Error> {
        match &self.verb {
            Verb::Demo(verb) => verb.run(),
            Verb::Elaborate(verb) => verb.run(),
            Verb::Schedule(verb) => verb.run(),
            Verb::Order(verb) => verb.run(),
            Verb::Check(verb) => verb.run(),
            Verb::Run(verb) => verb.run(),
            Verb::Compare(verb) => verb.run(),
            Verb::Matrix(verb) => verb.run(),
            Verb::Auto(verb) => verb.run(),
            Verb::Baselines(verb) => verb.run(),
            Verb::Gemm(verb) => verb.run(),
            Verb::Attention(verb) => verb.run(),
            Verb::Calibrate(verb) => verb.run(),
            Verb::Validation(verb) => verb.run(),
            Verb::Traffic(verb) => verb.run(),
            Verb::Stress(verb) => verb.run(),
            Verb::Sweep(verb) => verb.run(),
            Verb::Synth(verb) => verb.run(),
            Verb::Bench(verb) => verb.run(),
            Verb::Barrier(verb) => verb.run(),
            Verb::Coherence(verb) => verb.run(),
            Verb::Build(verb) => verb.run(),
            Verb::Npb(verb) => verb.run(),
            Verb::Report(verb) => verb.run(),
            Verb::Rtl(verb) => verb.run(),
            Verb::Schema(verb) => verb.run(),
            Verb::Doctor(verb) => verb.run(),
            Verb::HelpMarkdown(verb) => verb.run(),
        }
    }
}
