// SPDX-License-Identifier: Apache-2.0
//! `noccl view`

use crate::args::SpecArgs;
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::collective::{CollectiveKind, View};
use noccl::collective::{ElementType, Operator, Verified, ViewRequest, parse_collective, word};
use noccl::{Error, report};
use std::path::PathBuf;

/// Show a run as a page: flits on the mesh, actions over time
///
/// Writes one HTML file that needs no network: it plays the recorded runs, and simulates others in the browser, by the same simulator.
/// With two algorithms both runs play at the same cycle.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl view all_reduce --algorithms in_network_once,ring
  noccl view multicast --spec smart_8x8 --bytes 1KiB -o smart.html
  noccl view all_to_all --spec tilepro64_8x8 --bytes 128 --json > run.json
  noccl view --from run.json")]
pub struct ViewVerb {
    /// Collective
    #[arg(value_parser = parse_shown, default_value = "all_reduce")]
    collective: CollectiveKind,
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
    /// Recorded runs (`noccl view --json`) in place of new ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spec", "overrides", "json"])]
    from: Option<PathBuf>,
    /// File of the page
    #[arg(short, long, value_name = "FILE", default_value = "view.html")]
    output: PathBuf,
    /// Print the recorded runs as JSON in place of the page
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

/// A collective; who names a file is told where schedules are shown.
fn parse_shown(text: &str) -> Result<CollectiveKind, Error> {
    if std::path::Path::new(text).extension().is_some() {
        let accepted = format!(
            "a file; accepted: a collective, or --from FILE with recorded runs; `noccl explain {text}` reads a schedule"
        );
        return Err(Error::argument("COLLECTIVE", text, accepted));
    }
    parse_collective(text)
}

impl ViewVerb {
    fn requests(&self) -> Result<Vec<ViewRequest>, Error> {
        let algorithms: Vec<&str> = self.algorithms.split(',').map(str::trim).collect();
        if algorithms.len() > 2 {
            let accepted = "accepted: one algorithm or two";
            return Err(Error::argument("--algorithms", &self.algorithms, accepted));
        }
        let (network, overrides) = self.network()?;
        let request = |algorithm: &str| ViewRequest {
            network: network.clone(),
            overrides: overrides.clone(),
            collective: word(&self.collective),
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
        if let Some(file) = &self.from {
            return report::read_views(file);
        }
        let requests = self.requests()?;
        let run = |request| watched("actions", |watch| noccl::collective::view(request, watch));
        requests.iter().map(run).collect()
    }
}

impl Verb for ViewVerb {
    fn idle(&self) -> Vec<Idle> {
        let given = [
            "collective",
            "bytes",
            "group",
            "root",
            "algorithms",
            "operator",
            "element",
        ];
        [
            effects::idle(
                self.from.is_some(),
                &given,
                "--from",
                "runs that are simulated",
            ),
            effects::of_payload(self.collective, &["bytes"]),
            effects::of_sums(self.collective),
        ]
        .concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        let views = self.views()?;
        if self.json {
            output::json(&views)?;
        } else {
            noccl::files::write_file(&self.output, &report::live_page(&views)?)?;
            let runs = views.iter().map(|view| match view.cycles {
                Some(cycles) => format!("{}: {cycles} cycles\n", view.algorithm),
                None => format!(
                    "{}: given up; the page says who waits for whom\n",
                    view.algorithm
                ),
            });
            let runs: String = runs.collect();
            output::result(&format!(
                "{runs}Open {} in a browser.",
                self.output.display()
            ))?;
        }
        let is_wrong = |view: &View| view.stall.is_some() || view.verified == Verified::No;
        Ok(if views.iter().any(is_wrong) {
            Outcome::Failed
        } else {
            Outcome::Fine
        })
    }
}
