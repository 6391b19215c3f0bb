// SPDX-License-Identifier: Apache-2.0
//! `noccl schema`

use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use std::path::PathBuf;

/// Print the JSON Schema of a format that is read or written
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl schema spec
  noccl schema --all formats")]
pub struct Schema {
    /// Format: spec, network, schedule, trace, traffic, check, run, compare, sweep, stress or bench
    #[arg(value_name = "FORMAT", required_unless_present = "all")]
    format: Option<String>,
    /// Write the schemas of all formats to this folder as FORMAT.schema.json
    #[arg(long, value_name = "FOLDER", conflicts_with = "format")]
    all: Option<PathBuf>,
    /// Accepted for uniformity: the output is JSON anyway
    #[arg(long)]
    json: bool,
}

impl Schema {
    pub fn run(&self) -> Result<Outcome, Error> {
        if let Some(format) = &self.format {
            output::json(&noccl::schema(format)?)?;
        }
        if let Some(folder) = &self.all {
            for name in noccl::SCHEMA_NAMES {
                let text = output::to_json(&noccl::schema(name)?)?;
                noccl::write_file(&folder.join(format!("{name}.schema.json")), &text)?;
            }
        }
        Ok(Outcome::Fine)
    }
}
