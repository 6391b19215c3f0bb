// SPDX-License-Identifier: Apache-2.0
//! What a paper's hardware gains over the software that the paper compares with, and over the fastest software of the library.

use super::table::{Table, short};
use crate::statistics::geometric_mean;
use noccl_coll::Algorithm;
use noccl_run::Watch;
use noccl_studies::parts::network;
use noccl_studies::{
    AlgorithmRequest, CompareRequest, CompareRow, Error, compare, format_bytes, parse_group,
};
use noccl_workload::CollectiveKind;

/// Sizes of the table: those of the papers' grids between latency and bandwidth.
const BYTES: [u64; 4] = [1 << 10, 4 << 10, 16 << 10, 32 << 10];

/// Whose hardware, and what it is compared with.
pub(super) struct GainHardware {
    /// Preset.
    pub(super) network: &'static str,
    /// Collectives, groups as users write them, and what the table calls these.
    pub(super) cases: &'static [(CollectiveKind, &'static str, &'static str)],
    /// The hardware's algorithms, of which the fastest counts.
    pub(super) hardware: fn() -> Vec<AlgorithmRequest>,
    /// Algorithms that are no software although routers neither fork nor add.
    pub(super) others: &'static [Algorithm],
    /// The software that the paper measures.
    pub(super) software: &'static [Algorithm],
    /// Columns of the two.
    pub(super) titles: [&'static str; 2],
}

/// One size of one case.
struct Gain<'a> {
    papers: &'a CompareRow,
    best: &'a CompareRow,
    hardware: &'a CompareRow,
}

impl Gain<'_> {
    fn over(&self, software: &CompareRow) -> f64 {
        software.cycles as f64 / self.hardware.cycles as f64
    }
}

/// The table; every row's bytes were compared.
pub(super) fn gains(of: &GainHardware, watch: Watch<'_>) -> Result<Table, Error> {
    let network = network(of.network, &[])?;
    let [software, hardware] = of.titles;
    let mut markdown = format!(
        "| | {software} | the fastest software | bound of all software | {hardware} | gain over {software} | gain over the fastest |\n\
         |---|---|---|---|---|---|---|\n"
    );
    let mut ratios: Vec<(f64, f64)> = Vec::new();
    for (kind, group, title) in of.cases {
        let group = parse_group(&network, group)?;
        let request = CompareRequest::new(*kind, group, BYTES.to_vec());
        let all = compare(&network, &request, watch)?.rows;
        let request = CompareRequest {
            algorithms: (of.hardware)(),
            ..request
        };
        let hardware = compare(&network, &request, watch)?.rows;
        for bytes in BYTES {
            let gain = gain(of, &all, &hardware, bytes)?;
            let (over_papers, over_best) = (gain.over(gain.papers), gain.over(gain.best));
            ratios.push((over_papers, over_best));
            let named = |row: &CompareRow| format!("{} (`{}`)", row.cycles, row.algorithm);
            let cells = [
                format!("{kind}, {title}, {}", format_bytes(bytes)),
                named(gain.papers),
                named(gain.best),
                (gain.best.software_bound_cycles)
                    .map_or_else(|| "-".to_owned(), |cycles| cycles.to_string()),
                named(gain.hardware),
                format!("{over_papers:.2}"),
                format!("{over_best:.2}"),
            ];
            markdown += &format!("| {} |\n", cells.join(" | "));
        }
    }
    let papers = geometric_mean(ratios.iter().map(|r| r.0));
    let best = geometric_mean(ratios.iter().map(|r| r.1));
    markdown += &format!(
        "\nGeometric means: {} over {software}, {} over the fastest software.\n",
        short(papers),
        short(best)
    );
    Ok(Table {
        name: "gains",
        markdown,
    })
}

/// The fastest rows of each kind at one size.
fn gain<'a>(
    of: &GainHardware,
    all: &'a [CompareRow],
    hardware: &'a [CompareRow],
    bytes: u64,
) -> Result<Gain<'a>, Error> {
    let among =
        |list: &[Algorithm], row: &CompareRow| list.iter().any(|a| a.name() == row.algorithm);
    let is_software = |row: &CompareRow| !row.is_in_network && !among(of.others, row);
    Ok(Gain {
        papers: fastest(all, bytes, |row| among(of.software, row))?,
        best: fastest(all, bytes, is_software)?,
        hardware: fastest(hardware, bytes, |_| true)?,
    })
}

fn fastest(
    rows: &[CompareRow],
    bytes: u64,
    is_it: impl Fn(&CompareRow) -> bool,
) -> Result<&CompareRow, Error> {
    let rows = rows.iter().filter(|r| r.bytes == bytes && is_it(r));
    let missing = || Error::argument("algorithm", "none", "accepted: one that this network runs");
    rows.min_by_key(|r| r.cycles).ok_or_else(missing)
}
