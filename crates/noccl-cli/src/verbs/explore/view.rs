// SPDX-License-Identifier: Apache-2.0
//! `noccl view`

use crate::args::SpecArgs;
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::{Outcome, output, recording};
use clap::Args;
use noccl::Error;
use noccl::collective::{CollectiveKind, View};
use noccl::collective::{ElementType, Operator, Verified, ViewRequest, parse_collective, word};
use noccl::report::{ShownRun, live_page};
use std::path::{Path, PathBuf};

/// Show a run as a page: flits on the mesh, actions over time
///
/// Writes one HTML file that needs no network: it plays the recorded runs, and simulates others in the browser, by the same simulator.
/// With two algorithms, or two files, both runs play at the same cycle. A file is what `noccl run --record` or `noccl view --json` has written.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl view all_reduce --algorithms in_network_once,ring
  noccl view multicast --spec smart_8x8 --bytes 1KiB -o smart.html
  noccl view all_to_all --spec tilepro64_8x8 --bytes 128 --json > run.json
  noccl view run.json
  noccl view tree.parquet ring.parquet")]
pub struct ViewVerb {
    /// Collective, or one or two files with recorded runs (.json, .parquet)
    #[arg(value_parser = parse_subject, default_value = "all_reduce", value_name = "COLLECTIVE|FILE", num_args = 0..=2)]
    collective: Vec<Subject>,
    #[command(flatten)]
    spec: SpecArgs,
    /// Payload per participant
    #[arg(long, value_name = "SIZE", default_value = "32KiB")]
    bytes: String,
    /// Participants: all, row, row:Y, column:X or X,Y,W,H
    #[arg(long, default_value = "all")]
    group: String,
    /// X,Y (a cluster) or mem:N; default: as of compare
    #[arg(long, value_name = "X,Y|mem:N")]
    root: Option<String>,
    /// auto, or up to two algorithms as compare takes them
    #[arg(long, value_name = "NAME[,NAME]", default_value = "auto")]
    algorithms: String,
    /// Operator of a reduction
    #[arg(long, default_value = "sum", value_parser = noccl::collective::parse_operator)]
    operator: Operator,
    /// Element type of a reduction
    #[arg(long, default_value = "fp64", value_parser = noccl::collective::parse_element)]
    element: ElementType,
    /// Recorded runs, as a FILE without this option
    #[arg(long, value_name = "FILE", conflicts_with_all = ["collective", "spec", "overrides", "json"])]
    from: Option<PathBuf>,
    /// File of the page
    #[arg(short, long, value_name = "FILE", default_value = "view.html")]
    output: PathBuf,
    /// Print the recorded runs as JSON in place of the page
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

/// What is shown.
#[derive(Debug, Clone)]
enum Subject {
    Collective(CollectiveKind),
    /// Runs from a file.
    Runs(PathBuf),
}

fn parse_subject(text: &str) -> Result<Subject, Error> {
    let path = Path::new(text);
    if recording::ends_in(path, "json") || recording::ends_in(path, "parquet") {
        return Ok(Subject::Runs(path.to_owned()));
    }
    if path.extension().is_some() {
        let accepted = "a file; accepted: a collective, or recorded runs (.json, .parquet); `noccl explain FILE` reads a schedule";
        return Err(Error::argument("COLLECTIVE|FILE", text, accepted));
    }
    parse_collective(text)
        .map(Subject::Collective)
        .map_err(|error| {
            let accepted = "or a file with recorded runs: .json or .parquet";
            Error::argument("COLLECTIVE|FILE", text, format!("{error}; {accepted}"))
        })
}

/// Most runs on a page.
const MAX_RUNS: usize = 2;

impl ViewVerb {
    /// Files with runs; none: a collective runs.
    fn files(&self) -> Vec<&Path> {
        let named = self.collective.iter().filter_map(|subject| match subject {
            Subject::Runs(file) => Some(file.as_path()),
            Subject::Collective(_) => None,
        });
        match &self.from {
            Some(file) => vec![file],
            None => named.collect(),
        }
    }

    /// The collective; of two words both must be files.
    fn kind(&self) -> Result<CollectiveKind, Error> {
        match self.collective.as_slice() {
            [Subject::Collective(kind)] => Ok(*kind),
            _ => {
                let accepted = "accepted: one collective, or one or two files with recorded runs";
                Err(Error::argument("COLLECTIVE|FILE", "two of them", accepted))
            }
        }
    }

    fn requests(&self) -> Result<Vec<ViewRequest>, Error> {
        let kind = self.kind()?;
        let algorithms: Vec<&str> = self.algorithms.split(',').map(str::trim).collect();
        if algorithms.len() > 2 {
            let accepted = "accepted: one algorithm or two";
            return Err(Error::argument("--algorithms", &self.algorithms, accepted));
        }
        let (network, overrides) = self.network()?;
        let request = |algorithm: &str| ViewRequest {
            network: network.clone(),
            overrides: overrides.clone(),
            collective: word(&kind),
            bytes: self.bytes.clone(),
            group: self.group.clone(),
            // 0: an empty root is the default one.
            root: self.root.clone().unwrap_or_default(),
            algorithm: algorithm.to_owned(),
            operator: word(&self.operator),
            element: word(&self.element),
        };
        Ok(algorithms.into_iter().map(request).collect())
    }

    /// A preset and its overrides, or the text of a spec: the page has no file.
    fn network(&self) -> Result<(String, Vec<String>), Error> {
        let overrides = &self.spec.overrides.overrides;
        if noccl::network::preset_names().contains(&self.spec.spec.as_str()) {
            let pairs = overrides
                .iter()
                .map(|(key, value)| format!("{key}={value}"));
            return Ok((self.spec.spec.clone(), pairs.collect()));
        }
        let loaded = noccl::network::load(&self.spec.spec, overrides)?;
        Ok((noccl::network::to_toml(loaded.network.spec()), Vec::new()))
    }

    fn views(&self) -> Result<Vec<View>, Error> {
        let run = |request| watched("actions", |watch| noccl::collective::view(request, watch));
        self.requests()?.iter().map(run).collect()
    }

    /// Runs of the files.
    fn recorded(&self, files: &[&Path]) -> Result<Vec<ShownRun>, Error> {
        if self.from.is_none() && files.len() < self.collective.len() {
            self.kind()?;
        }
        if let Some((key, _)) = self.spec.overrides.overrides.first() {
            let accepted = "it has no effect on recorded runs; accepted: with a collective";
            return Err(Error::argument("-P", key, accepted));
        }
        let mut runs = Vec::new();
        for file in files {
            runs.append(&mut recording::read(file)?);
        }
        match runs.len() {
            1..=MAX_RUNS => Ok(runs),
            count => {
                let accepted = "accepted: one run, or two at the same cycle";
                Err(Error::argument("FILE", format!("{count} runs"), accepted))
            }
        }
    }
}

fn is_wrong(run: &ShownRun) -> bool {
    match run {
        ShownRun::View(view) => view.stall.is_some() || view.verified == Verified::No,
        ShownRun::Recording(_) => false,
    }
}

/// A line about a run.
fn line(run: &ShownRun) -> String {
    match run {
        ShownRun::View(view) => match view.cycles {
            Some(cycles) => format!("{}: {cycles} cycles\n", view.algorithm),
            None => {
                let algorithm = &view.algorithm;
                format!("{algorithm}: given up; the page says who waits for whom\n")
            }
        },
        ShownRun::Recording(run) => {
            let workload = noccl::files::visible_line(&run.workload);
            format!("{workload}: {} cycles\n", run.cycles)
        }
    }
}

impl Verb for ViewVerb {
    fn idle(&self) -> Vec<Idle> {
        let given = [
            "spec",
            "bytes",
            "group",
            "root",
            "algorithms",
            "operator",
            "element",
            "json",
        ];
        let has_files = !self.files().is_empty();
        let of_files = effects::idle(has_files, &given, "recorded runs", "a collective");
        let of_kind = self.kind().map_or_else(
            |_| Vec::new(),
            |kind| {
                [
                    effects::of_payload(kind, &["bytes"]),
                    effects::of_sums(kind),
                ]
                .concat()
            },
        );
        [of_files, of_kind].concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        let files = self.files();
        let runs = if files.is_empty() {
            let views = self.views()?;
            if self.json {
                output::json(&views)?;
            }
            let shown = views.into_iter().map(|view| ShownRun::View(Box::new(view)));
            shown.collect()
        } else {
            self.recorded(&files)?
        };
        if !self.json {
            noccl::files::write_file(&self.output, &live_page(&runs)?)?;
            let lines: String = runs.iter().map(line).collect();
            let page = self.output.display();
            output::result(&format!("{lines}Open {page} in a browser."))?;
        }
        Ok(if runs.iter().any(is_wrong) {
            Outcome::Failed
        } else {
            Outcome::Fine
        })
    }
}
