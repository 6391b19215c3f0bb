// SPDX-License-Identifier: Apache-2.0
//! The model, benchmarks and the installation.

mod bench;
mod calibrate;
mod completion;
mod doctor;
mod help_markdown;
mod report;
mod schema;
mod validation;

use super::{Verb, group};

group! {
    /// Verbs of this group, in the order of the help.
    pub enum Project {
        Calibrate(calibrate::Calibrate),
        #[command(alias = "verdicts")]
        Validation(validation::ValidationVerb),
        Bench(bench::Bench),
        Report(report::Report),
        Schema(schema::Schema),
        Doctor(doctor::Doctor),
        Completion(completion::Completion),
        #[command(hide = true)]
        HelpMarkdown(help_markdown::HelpMarkdown),
    }
}
