// SPDX-License-Identifier: Apache-2.0
//! `noccl traffic`

use crate::Outcome;
use crate::args::SpecArgs;
use crate::effects::Idle;
use crate::forms::{FormArgs, RowColumn, RowTable, Value};
use crate::progress::watched;
use crate::verbs::Verb;
use clap::Args;
use noccl::Error;
use noccl::study::{TrafficPoint, TrafficReport, TrafficRequest};

/// Latency over load of open-loop traffic, and saturation
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  noccl traffic uniform --spec collective_noc_8x8
  noccl traffic row_multicast --beats 8 --loads 0.01,0.05,0.1 --json
  noccl traffic transpose --no-saturation --measure-cycles 50000
  noccl traffic broadcast --spec smart_8x8 --beats 1 --seeds 5 --latency-limit 30
  noccl traffic many_to_one --spec smart_8x8
  noccl traffic uniform --spec tilepro64_8x8")]
pub struct Traffic {
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    request: TrafficRequest,
    #[command(flatten)]
    form: FormArgs,
}

impl Verb for Traffic {
    fn idle(&self) -> Vec<Idle> {
        self.form.idle()
    }

    fn run(&self) -> Result<Outcome, Error> {
        self.form.check(&TABLE)?;
        let network = self.spec.load()?;
        let report = watched("loads", |watch| {
            noccl::study::traffic(&network, &self.request, watch)
        })?;
        let above = format!("{} on {}\n\n", report.pattern, report.network);
        let below = saturation(&report);
        self.form
            .print(&TABLE, &report.points, &report, (&above, &below))?;
        Ok(Outcome::Fine)
    }
}

static TABLE: RowTable<TrafficPoint> = RowTable {
    columns: &[
        RowColumn::number("offered", "offered [beats/cycle]", |p| {
            load(p.offered_beats_per_cycle)
        }),
        RowColumn::number("accepted", "accepted [beats/cycle]", |p| {
            load(p.accepted_beats_per_cycle)
        }),
        RowColumn::number("accepted_gb_per_s", "accepted [GB/s]", |p| {
            load(p.accepted_gb_per_s)
        }),
        RowColumn::number("mean_latency_cycles", "mean latency [cycles]", |p| {
            tenths(p.mean_latency_cycles)
        }),
        RowColumn::number("mean_latency_ns", "mean latency [ns]", |p| {
            tenths(p.mean_latency_ns)
        }),
        RowColumn::number("p99_latency_cycles", "p99 [cycles]", |p| {
            whole(p.p99_latency_cycles)
        }),
        RowColumn::number("max_latency_cycles", "max [cycles]", |p| {
            whole(p.max_latency_cycles)
        }),
        RowColumn::number("packets", "packets", |p| whole(Some(p.packets))),
        RowColumn::number("accepted_half_width", "± accepted", |p| {
            Value::of(p.accepted_half_width_beats_per_cycle, load)
        }),
        RowColumn::number("latency_half_width", "± latency", |p| {
            Value::of(p.mean_latency_half_width_cycles, load)
        }),
        RowColumn::number("router_latency_cycles", "between routers [cycles]", |p| {
            Value::of(p.mean_router_latency_cycles, load)
        }),
        RowColumn::number("accepted_per_cycle", "of the mesh [1/cycle]", |p| {
            Value::of(p.accepted_flows_per_cycle, load)
        }),
        RowColumn::number("received_per_reduction", "received per reduction", |p| {
            Value::of(p.received_per_flow, load)
        }),
        RowColumn::number("open_reductions", "open reductions", |p| {
            Value::of(p.open_flows, load)
        }),
        RowColumn::number("router_wait_cycles", "wait in a router [cycles]", |p| {
            Value::of(p.contribution_wait_cycles, load)
        }),
        RowColumn::words("saturated", "", |p| Value::flag(p.saturated, "saturated")),
    ],
    dropped_first: &["mean_latency_ns", "accepted_gb_per_s", "packets"],
};

/// A latency; none where no packet was measured.
fn tenths(latency: Option<f64>) -> Value {
    latency.map_or_else(Value::missing, |latency| Value::fixed(latency, 1))
}

fn whole(number: Option<u64>) -> Value {
    number.map_or_else(Value::missing, |number| Value::words(number.to_string()))
}

fn load(load: f64) -> Value {
    Value::words(digits(load))
}

fn saturation(report: &TrafficReport) -> String {
    let unit = if report.pattern.is_of_mesh() {
        "reductions per cycle of the mesh"
    } else if report.pattern.is_collective() {
        "beats per cluster that sends and cycle"
    } else {
        "beats per cluster and cycle"
    };
    let saturation = report.saturation_beats_per_cycle.map_or_else(
        || "not found".to_owned(),
        |load| format!("{} {unit}", digits(load)),
    );
    let limit = report
        .latency_limit_cycles
        .map_or_else(String::new, |limit| format!(" at {limit} cycles"));
    format!(
        "\nzero-load latency      {:.2} cycles\ncapacity               {} {unit}, by the busiest link\n\
         saturation load        {saturation}{limit}\nsaturation throughput  {} {}\n",
        report.zero_load_latency_cycles,
        digits(report.capacity_beats_per_cycle),
        digits(report.max_accepted_beats_per_cycle),
        if report.pattern.is_of_mesh() {
            unit
        } else {
            "beats per cluster and cycle"
        }
    )
}

/// Three significant digits: loads of a hot spot on a large mesh are thousandths.
fn digits(load: f64) -> String {
    if load <= 0.0 {
        return "0".to_owned();
    }
    let behind = (2.0 - load.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{load:.behind$}")
}
