// SPDX-License-Identifier: Apache-2.0
//! `noccl sweep`: hands studies of many points to the Python package, which has the Parquet files and the pools.

use crate::Outcome;
use crate::python::run_module;
use crate::verbs::Verb;
use clap::{Args, Subcommand};
use noccl::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Run a study of many points
///
/// Every spec, collective, size, group and algorithm of the study, by the model or by the simulator.
///
/// Finished points are stored in a folder as Parquet; the same command goes on where an earlier one ended, however that ended.
/// Needs the Python package noccl with its extra noccl[frames]; `plot` needs noccl[plot] too.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
Examples:
  noccl sweep study.toml
  noccl sweep study.toml -o results --processes 8
  noccl sweep status results
  noccl sweep plot results -o pareto.svg --collective reduce

A study:
  [[product]]
  specs = [\"collective_noc_4x4\", \"collective_noc_8x8\"]
  collectives = [\"multicast\", \"reduce\"]
  bytes = [\"1KiB\", \"4KiB\"]
  groups = [\"all\", \"row\"]
  algorithms = [\"chain:4\", \"in_network\"]
  backends = [\"model\", \"sim\"]"
)]
pub struct Sweep {
    /// The study, a TOML file
    #[arg(required = true, value_name = "STUDY")]
    study: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(subcommand)]
    action: Option<Action>,
}

/// How a study runs.
#[derive(Debug, Args)]
struct RunArgs {
    /// Folder of the results; default: the study's name with .sweep in place of .toml, in this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Processes of the pool; default: the processors of this machine
    #[arg(long, value_name = "N")]
    processes: Option<u16>,
    /// Run on a Ray cluster (package extra noccl[ray]): its address, or auto
    #[arg(long, value_name = "ADDRESS", conflicts_with = "processes")]
    ray: Option<String>,
    /// Print the state as JSON at the end
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// What of a study is done, refused, failed and missing; also while it runs
    Status {
        /// Folder of the results
        folder: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Draw cycles over energy per algorithm, with the Pareto front
    Plot {
        /// Folder of the results
        folder: PathBuf,
        /// Where to write it (.svg, .png, .pdf)
        #[arg(short, long, value_name = "FILE", default_value = "pareto.svg")]
        output: PathBuf,
        /// Only this collective; needed where the study has several
        #[arg(long, value_name = "NAME")]
        collective: Option<String>,
        /// Only this backend: sim or model
        #[arg(long, value_name = "NAME")]
        backend: Option<String>,
        /// Only this size, e.g. 4KiB
        #[arg(long, value_name = "SIZE")]
        bytes: Option<String>,
        /// Only this network, by its name
        #[arg(long, value_name = "NAME")]
        network: Option<String>,
        /// Only this group
        #[arg(long, value_name = "GROUP")]
        group: Option<String>,
        /// Only these algorithms, as the study names them
        #[arg(long, value_name = "NAME,...")]
        algorithms: Option<String>,
    },
}

/// Words of a command line that grow.
#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn word(&mut self, word: impl Into<OsString>) {
        self.0.push(word.into());
    }

    /// An option with its value in one word, so that a value may begin with a dash.
    fn option<T: Into<OsString> + Clone>(&mut self, name: &str, value: Option<&T>) {
        if let Some(value) = value {
            let mut word = OsString::from(format!("--{name}="));
            word.push(value.clone().into());
            self.0.push(word);
        }
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.word(format!("--{name}"));
        }
    }
}

impl Verb for Sweep {
    fn run(&self) -> Result<Outcome, Error> {
        if let Some(study) = &self.study {
            refuse_unreadable(study)?;
        }
        run_module("noccl.sweeps", &self.words().0)
    }
}

impl Sweep {
    fn words(&self) -> Words {
        let mut words = Words::default();
        match &self.action {
            None => self.run_words(&mut words),
            Some(Action::Status { folder, json }) => {
                words.word("status");
                words.flag("json", *json);
                words.word("--");
                words.word(folder);
            }
            Some(Action::Plot {
                folder,
                output,
                collective,
                backend,
                bytes,
                network,
                group,
                algorithms,
            }) => {
                words.word("plot");
                words.option("output", Some(output));
                words.option("collective", collective.as_ref());
                words.option("backend", backend.as_ref());
                words.option("bytes", bytes.as_ref());
                words.option("network", network.as_ref());
                words.option("group", group.as_ref());
                words.option("algorithms", algorithms.as_ref());
                words.word("--");
                words.word(folder);
            }
        }
        words
    }

    fn run_words(&self, words: &mut Words) {
        words.word("run");
        words.flag("ends-with-input", true);
        words.option("output", self.run.output.as_ref());
        let processes = self.run.processes.map(|n| n.to_string());
        words.option("processes", processes.as_ref());
        words.option("ray", self.run.ray.as_ref());
        words.flag("json", self.run.json);
        words.word("--");
        // 0: no word, which is refused where it is read.
        words.word(self.study.clone().unwrap_or_default());
    }
}

/// Refuses a file that cannot be read before an interpreter starts, since the start takes a hundred times as long.
///
/// A pipe is left to the package: its text can be read once only.
fn refuse_unreadable(study: &Path) -> Result<(), Error> {
    let is_pipe = study
        .metadata()
        .is_ok_and(|found| !found.is_file() && !found.is_dir());
    if !is_pipe {
        noccl::files::read_text(study)?;
    }
    Ok(())
}
