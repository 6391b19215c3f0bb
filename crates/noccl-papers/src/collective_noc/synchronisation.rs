// SPDX-License-Identifier: Apache-2.0
//! Claim 3: barriers over 2 to 16 clusters, as the paper's text defines their runtime and as its published experiment measures it.
//!
//! The experiment times one cluster, the one east of the counter, in the last of several barriers. What stands
//! before it is an in-network barrier, so that its members start when that one releases them: near ones first.

use crate::programs::{barrier, in_sequence, mark};
use crate::statistics::Outcomes;
use noccl_net::{Coord, Network, TileRef};
use noccl_studies::parts::line_chart;
use noccl_studies::parts::slope;
use noccl_studies::parts::{Runner, collective, network};
use noccl_studies::{Error, Figure, Line};
use noccl_workload::{BarrierMechanism, Collective, CollectiveKind};

/// Groups of the paper's experiment with their numbers of clusters.
const GROUPS: [(&str, u32); 4] = [
    ("0,0,2,1", 2),
    ("0,0,4,1", 4),
    ("0,0,4,2", 8),
    ("0,0,4,4", 16),
];
/// The timed cluster, east of the counter.
const TIMED: TileRef = TileRef::Cluster(Coord { x: 1, y: 0 });

/// Arrival to departure of [`TIMED`] in a barrier behind `before` in-network ones.
fn behind(
    runner: Runner<'_>,
    network: &Network,
    of: &Collective,
    (before, mechanism): (u32, BarrierMechanism),
) -> Result<u64, Error> {
    let mut kinds = vec![barrier(of, BarrierMechanism::InNetwork); before as usize];
    kinds.push(barrier(of, mechanism));
    let mut schedule = in_sequence(kinds);
    let arrival = mark(&mut schedule, TIMED, before - 1);
    let departure = mark(&mut schedule, TIMED, before);
    let times = runner.run(network, &schedule)?.actions;
    Ok(times[departure].start_cycle - times[arrival].start_cycle)
}

/// First arrival to last departure when all arrive at once.
fn alone(
    runner: Runner<'_>,
    network: &Network,
    of: &Collective,
    mechanism: BarrierMechanism,
) -> Result<u64, Error> {
    runner.cycles(network, &in_sequence(vec![barrier(of, mechanism)]))
}

/// Claim 3 and figure 2b.
pub(crate) fn barriers(
    runner: Runner<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let network = network("collective_noc_4x4", &[])?;
    let mut lines = Vec::new();
    for (id, name, before, mechanism) in [
        ("3-software", "software", 1, BarrierMechanism::Software),
        ("3-in-network", "in network", 2, BarrierMechanism::InNetwork),
    ] {
        let (mut timed, mut whole) = (Vec::new(), Vec::new());
        for (group, clusters) in GROUPS {
            let of = collective(&network, CollectiveKind::Barrier, group, 0)?;
            let x = f64::from(clusters);
            let cycles = behind(runner, &network, &of, (before, mechanism))?;
            timed.push((x, cycles as f64));
            whole.push((x, alone(runner, &network, &of, mechanism)? as f64));
        }
        let detail = format!(
            "{} cycles; first arrival to last departure, all arriving at once: {} cycles, slope {:.2}",
            list(&timed),
            list(&whole),
            slope(&whole)
        );
        outcomes.put(id, slope(&timed), &detail);
        for (what, points) in [("published protocol", timed), ("all arrive at once", whole)] {
            lines.push(Line {
                name: format!("{name}, {what}"),
                points,
            });
        }
    }
    figures.push(line_chart(
        "fig_2b",
        "S1 Fig. 2b: barriers",
        "clusters",
        "runtime [cycles]",
        &lines,
    ));
    Ok(())
}

fn list(points: &[(f64, f64)]) -> String {
    let words: Vec<String> = points.iter().map(|p| format!("{:.0}", p.1)).collect();
    words.join(", ")
}
