// SPDX-License-Identifier: Apache-2.0
//! `noccl schema`

use crate::verbs::Verb;
use crate::{Outcome, old_names, output};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// Print the JSON Schema of a format
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl schema spec
  noccl schema --all formats")]
pub struct Schema {
    /// Format; --list names them
    #[arg(value_name = "FORMAT", required_unless_present_any = ["all", "list"])]
    format: Option<String>,
    /// List the formats
    #[arg(long, conflicts_with_all = ["format", "all"])]
    list: bool,
    /// Write the schemas of all formats to this folder as FORMAT.schema.json
    #[arg(long, value_name = "FOLDER", conflicts_with = "format")]
    all: Option<PathBuf>,
    /// Accepted for uniformity: the output is JSON anyway
    #[arg(long)]
    json: bool,
}

impl Verb for Schema {
    fn run(&self) -> Result<Outcome, Error> {
        if let Some(folder) = &self.all {
            noccl::files::check_output(&folder.join("schedule.schema.json"))?;
        }
        if let Some(format) = &self.format {
            output::json(&noccl::files::schema(old_names::format_name(format)?)?)?;
        }
        if self.list {
            output::result(&noccl::files::SCHEMA_NAMES.join("\n"))?;
        }
        if let Some(folder) = &self.all {
            for name in noccl::files::SCHEMA_NAMES {
                let text = output::to_json(&noccl::files::schema(name)?)?;
                noccl::files::write_file(&folder.join(format!("{name}.schema.json")), &text)?;
            }
        }
        Ok(Outcome::Fine)
    }
}
