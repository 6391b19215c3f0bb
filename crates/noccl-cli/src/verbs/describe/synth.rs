// SPDX-License-Identifier: Apache-2.0
//! `noccl synth`

use crate::args::{SpecArgs, size};
use crate::effects::{self, Idle};
use crate::progress::watched;
use crate::table::grouped;
use crate::verbs::Verb;
use crate::{Outcome, output};
use clap::Args;
use noccl::Error;
use noccl::collective::SynthRequest;
use noccl::collective::{CollectiveKind, ElementType, Objective, Operator, SearchEnd, SynthReport};
use noccl::network::TileRef;
use std::path::PathBuf;
use std::time::Duration;

/// Search the schedule of a collective
///
/// From network, group and size to a schedule that the checker proves.
///
/// The library's schedules, plans by matching in time and by packed trees, and changes to the best of them are simulated until the time
/// is over. The best is proved by the checker and run with random bytes, all of which are compared. It works on any group, on several
/// groups side by side, and around links and tiles that do not work. Ctrl-C ends the search and leaves the best so far.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl synth all_reduce --spec collective_noc_8x8 --bytes 32KiB -o best.json
  noccl synth multicast --spec collective_noc_8x8 --root 0,0 --bytes 32KiB --software --time-limit 10s
  noccl synth all_gather --group 0,0,2,4 --group 2,0,2,4 --bytes 512
  noccl synth reduce --group row:1 --bytes 4KiB --faulty-link 1,1-2,1
  noccl synth all_reduce --bytes 4KiB --tries 100 --seed 7 --json")]
pub struct Synth {
    /// multicast, reduce, all_reduce, all_gather, reduce_scatter or all_to_all
    #[arg(value_parser = noccl::collective::parse_collective)]
    collective: CollectiveKind,
    #[command(flatten)]
    spec: SpecArgs,
    /// Participants: all, row, row:Y, column:X, X,Y,W,H or set:X,Y;X,Y;…; repeated: groups that do it side by side
    #[arg(long, value_name = "GROUP", default_value = "all")]
    group: Vec<String>,
    /// X,Y (a cluster) or mem:N; default: memory tile 0 for a multicast, else each group's south-west cluster
    #[arg(long, value_name = "X,Y|mem:N")]
    root: Option<String>,
    /// Payload per participant
    #[arg(long, value_name = "SIZE", default_value = "4KiB")]
    bytes: String,
    /// Operator of reductions: sum, min, max, and, or
    #[arg(long, default_value = "sum", value_parser = noccl::collective::parse_operator)]
    operator: Operator,
    /// Element: fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8, int16, int32 or int64
    #[arg(long, default_value = "fp64", value_parser = noccl::collective::parse_element)]
    element: ElementType,
    /// What is minimised: cycles or energy
    #[arg(long, default_value = "cycles", value_parser = noccl::collective::parse_objective)]
    objective: Objective,
    /// Seed of the search and of the random bytes
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Host time of the search, e.g. 1s, 500ms or 2min; the proof comes after it
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = noccl::parse_time_limit)]
    time_limit: Duration,
    /// Most schedules that are simulated: with the same seed the same result on every machine that reaches it in time
    #[arg(long, value_name = "N")]
    tries: Option<u64>,
    /// Without multicasts and reductions of the network; so it is anyway where something does not work
    #[arg(long)]
    software: bool,
    /// A link that does not work, by its ends; may be repeated
    #[arg(long, value_name = "X,Y-X,Y", value_parser = noccl::network::parse_faulty_link)]
    faulty_link: Vec<(TileRef, TileRef)>,
    /// A tile that does not work, its router with it; may be repeated
    #[arg(long, value_name = "X,Y|mem:N")]
    faulty_tile: Vec<String>,
    /// Where to write the schedule
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Verb for Synth {
    fn idle(&self) -> Vec<Idle> {
        // The seed is that of the search too.
        let payload = effects::of_payload(self.collective, &["bytes"]);
        [payload, effects::of_sums(self.collective)].concat()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.output
            .as_deref()
            .map_or(Ok(()), noccl::files::check_output)?;
        let network = self.spec.load()?;
        let groups = self.group.iter();
        let groups = groups.map(|text| noccl::network::parse_group(&network, text));
        let root = self.root.as_deref();
        let tiles = self.faulty_tile.iter();
        let tiles = tiles.map(|text| Ok(network.parse_tile_ref(text)?));
        let request = SynthRequest {
            root: root
                .map(|r| noccl::network::parse_root(&network, r))
                .transpose()?,
            operator: self.operator,
            element: self.element,
            seed: self.seed,
            time_limit: self.time_limit,
            tries: self.tries,
            objective: self.objective,
            is_software: self.software,
            faulty_links: self.faulty_link.clone(),
            faulty_tiles: tiles.collect::<Result<_, Error>>()?,
            ..SynthRequest::new(
                self.collective,
                groups.collect::<Result<_, _>>()?,
                size(&self.bytes)?,
            )
        };
        let (report, schedule) = watched("% of the time", |watch| {
            noccl::collective::synth(&network, &request, watch)
        })?;
        if let Some(path) = &self.output {
            noccl::files::write_file(path, &output::to_json(&schedule)?)?;
            output::log(&format!(
                "{}: {} actions",
                path.display(),
                report.num_actions
            ));
        }
        if self.json {
            output::json(&report)?;
        } else {
            output::result(&text(&report))?;
        }
        Ok(Outcome::Fine)
    }
}

fn text(report: &SynthReport) -> String {
    let energy = |pj: f64| format!("{:.1} nJ", pj / 1000.0);
    let library = match (&report.library, report.gain) {
        (Some(best), Some(gain)) => format!(
            "{} cycles, {} ({}); gain {gain:.2}",
            grouped(best.cycles),
            energy(best.energy_pj),
            best.algorithm
        ),
        (_, _) if report.num_untried > 0 => "no time for any".to_owned(),
        (_, _) => "nothing that avoids the faults".to_owned(),
    };
    let end = match report.end {
        SearchEnd::TimeLimit => "the time limit",
        SearchEnd::Tries => "the number of tries",
        SearchEnd::Exhausted => "nothing new",
        SearchEnd::Interrupted => "an interruption",
    };
    let untried = if report.num_untried > 0 {
        format!(", {} of the library's not", report.num_untried)
    } else {
        String::new()
    };
    let faults = if report.faults.is_empty() {
        String::new()
    } else {
        format!("avoided      {}\n", report.faults.join(" "))
    };
    format!(
        "{} of {} on {}, {}\n{faults}\
         found        {} cycles, {} ({}, {} actions)\n\
         library      {library}\n\
         bounds       {} cycles; in software {}\n\
         search       seed {}, {} schedules, {} by an estimate alone{untried}; ended by {end}; {:.1} s\n\
         verified     {}\n",
        report.collective,
        noccl::files::format_bytes(report.bytes),
        report.network,
        report.groups.join(" and "),
        grouped(report.cycles),
        energy(report.energy_pj),
        report.method,
        report.num_actions,
        grouped(report.lower_bound_cycles),
        grouped(report.software_bound_cycles),
        report.seed,
        report.num_tried,
        report.num_estimated,
        report.host_seconds,
        report.verified,
    )
}
