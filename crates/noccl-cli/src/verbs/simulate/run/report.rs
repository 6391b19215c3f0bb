// SPDX-License-Identifier: Apache-2.0
//! What `noccl run schedule` and `noccl run trace` print.

use crate::progress::rate;
use crate::table::grouped;
use crate::{Outcome, output};
use noccl::Error;
use noccl::collective::{RunReport, Verified};
use noccl::hardware::HardwareReport;
use noccl::program::NoiseStatistics;

/// Prints the report of a run; wrong bytes are a failure.
pub fn print(report: &RunReport, is_json: bool) -> Result<Outcome, Error> {
    if is_json {
        output::json(report)?;
    } else {
        output::result(&summary(report))?;
    }
    let is_wrong = report.verified.is_no() || report.wrong_transactions > 0;
    Ok(if is_wrong {
        Outcome::Failed
    } else {
        Outcome::Fine
    })
}

fn summary(report: &RunReport) -> String {
    let verified = match report.verified {
        Verified::Yes if report.wrong_transactions == 0 => "yes",
        Verified::NotChecked if report.wrong_transactions == 0 => "not checked",
        Verified::Yes | Verified::No | Verified::NotChecked => "NO: outputs are wrong",
    };
    let link = report.busiest_link.as_ref().map_or_else(
        || "none".to_owned(),
        |l| {
            format!(
                "{} with {} flits (tiles: X,Y clusters, mem:N memories)",
                l.name(),
                grouped(l.flits)
            )
        },
    );
    let energy = report.energy_pj;
    let energy = energy.map_or_else(|| "-".to_owned(), |pj| format!("{:.1} nJ", pj / 1e3));
    format!(
        "network       {}\ncycles        {}\ntime          {}\nactions       {}\nflit-hops     {}\n\
         energy        {energy}\nbusiest link  {link}\nverified      {verified}\n",
        report.network,
        grouped(report.cycles),
        time(report),
        grouped(report.actions.len() as u64),
        grouped(report.counters.flit_hops),
    ) + &report.noise.as_ref().map_or_else(String::new, noise)
        + &report.hardware.as_ref().map_or_else(String::new, course)
}

/// The runtime at the network's clock, and what it means for the payload of a collective.
fn time(report: &RunReport) -> String {
    let bandwidth = report
        .payload_gb_per_s
        .map_or_else(String::new, |gb| format!(", {gb:.1} GB/s of payload"));
    let (ns, clock) = (report.time_ns, report.clock_ghz);
    format!("{ns:.1} ns at {clock} GHz{bandwidth}")
}

/// The line of the runs under noise.
fn noise(found: &NoiseStatistics) -> String {
    format!(
        "noise         {} runs: mean {:.1} cycles ({} to {}), variance {:.4} us^2\n",
        grouped(found.runs.into()),
        found.mean_cycles,
        grouped(found.least_cycles),
        grouped(found.most_cycles),
        found.variance_us2,
    )
}

/// The line of the hardware that took the same course.
fn course(hardware: &HardwareReport) -> String {
    format!(
        "hardware      {} cycles, {} handshakes compared, no difference, {}\n",
        grouped(hardware.cycles),
        grouped(hardware.handshakes),
        rate(hardware.cycles_per_second),
    )
}
