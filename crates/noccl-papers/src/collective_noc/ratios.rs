// SPDX-License-Identifier: Apache-2.0
//! Claims 1, 2, 4, 5: software against the network on the paper's grid of sizes, rows and chunk counts.

use crate::programs::{barrier, mark};
use crate::statistics::Outcomes;
use crate::statistics::{geometric_mean, range};
use noccl_coll::{Algorithm, Choice, choices_among};
use noccl_net::Network;
use noccl_studies::parts::line_chart;
use noccl_studies::parts::software;
use noccl_studies::parts::{Runner, collective, network};
use noccl_studies::{Error, Figure, Line};
use noccl_workload::{BarrierMechanism, Collective, CollectiveKind};

/// Sizes of the paper's grid, in KiB.
pub(crate) const KIB: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// The instructions that are fitted to a synchronisation of 36 cycles, taken away.
const NO_BARRIER_INSTRUCTIONS: [(&str, &str); 2] = [
    ("cluster.instructions.barrier_store", "0"),
    ("cluster.instructions.barrier_leave", "0"),
];

/// Groups of 1, 2 and 4 rows.
const ROWS: [(&str, u32); 3] = [("0,0,4,1", 1), ("0,0,4,2", 2), ("0,0,4,4", 4)];

/// Cycles at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) kib: u64,
    pub(crate) chain: u64,
    pub(crate) tree: u64,
    pub(crate) in_network: u64,
}

impl Point {
    fn best_software(&self) -> u64 {
        self.chain.min(self.tree)
    }
}

/// All sizes of one collective over one group.
fn series(
    runner: Runner<'_>,
    network: &Network,
    kind: CollectiveKind,
    (group, rows): (&str, u32),
) -> Result<Vec<Point>, Error> {
    KIB.iter()
        .map(|kib| {
            let bytes = kib << 10;
            let of = collective(network, kind, group, bytes)?;
            let (chain, tree) = software(kind, bytes, rows > 1);
            Ok(Point {
                kib: *kib,
                chain: runner.fastest(network, &of, &chain)?.0,
                tree: runner.fastest(network, &of, &tree)?.0,
                in_network: runner.in_network_cycles(network, &of)?,
            })
        })
        .collect()
}

/// Claims 1 and 4, figures 5a and 5c.
pub(crate) fn multicast(
    runner: Runner<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let default = network("collective_noc_4x4", &[])?;
    let by_rows: Vec<Vec<Point>> = ROWS
        .iter()
        .map(|rows| series(runner, &default, CollectiveKind::Multicast, *rows))
        .collect::<Result<_, _>>()?;
    // The in-network runtime of 1 KiB is fitted: no claim counts it.
    let ratios: Vec<f64> = by_rows[0][1..].iter().map(speedup).collect();
    let with_fitted = geometric_mean(by_rows[0].iter().map(speedup));
    let unfitted = network("collective_noc_4x4", &NO_BARRIER_INSTRUCTIONS)?;
    let unfitted = series(runner, &unfitted, CollectiveKind::Multicast, ROWS[0])?;
    let unfitted: Vec<f64> = unfitted[1..].iter().map(speedup).collect();
    let fastest = over_fastest(runner, &default, CollectiveKind::Multicast)?;
    let detail = format!(
        "2 to 32 KiB: {}; without instructions around a barrier {}; over the fastest software of the library, \
         which waits for deliveries instead of barriers, {}",
        list(&ratios),
        list(&unfitted),
        list(&fastest[1..])
    );
    let (lowest, highest) = range(&ratios);
    outcomes.put("1-lowest", lowest, &detail);
    outcomes.put("1-highest", highest, &detail);
    outcomes.put(
        "1-mean",
        geometric_mean(ratios.iter().copied()),
        &format!(
            "with 1 KiB {with_fitted:.2}; without instructions around a barrier {:.2}; over the fastest software {:.2}",
            geometric_mean(unfitted.iter().copied()),
            geometric_mean(fastest[1..].iter().copied())
        ),
    );
    let (one, four) = (by_rows[0][5].in_network, by_rows[2][5].in_network);
    outcomes.put(
        "4",
        four as f64 / one as f64,
        &format!("{one} and {four} cycles"),
    );
    figures.push(by_size(
        "fig_5a",
        "S1 Fig. 5a: multicast over a row of 4",
        &by_rows[0],
    ));
    figures.push(by_row_count(
        "fig_5c",
        "S1 Fig. 5c: multicast over 1, 2 and 4 rows of 4",
        &by_rows,
    ));
    Ok(())
}

/// Claims 2 and 5, figures 7a and 7b.
pub(crate) fn reduction(
    runner: Runner<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let kind = CollectiveKind::Reduce;
    let two = network(
        "collective_noc_4x4",
        &[("router.wide_reduction.kind", "\"two_operand\"")],
    )?;
    let published = network("collective_noc_4x4_published", &[])?;
    let by_rows: Vec<Vec<Point>> = ROWS
        .iter()
        .map(|rows| series(runner, &two, kind, *rows))
        .collect::<Result<_, _>>()?;
    let ours = with_barrier(runner, &two, &by_rows[0])?;
    let on_published = with_barrier(
        runner,
        &published,
        &series(runner, &published, kind, ROWS[0])?,
    )?;
    let at_once = network(
        "collective_noc_4x4",
        &[
            ("router.wide_reduction.kind", "\"two_operand\""),
            ("cluster.instructions.compute_start", "0"),
        ],
    )?;
    let at_once = with_barrier(runner, &at_once, &series(runner, &at_once, kind, ROWS[0])?)?;
    let two_operand = ("router.wide_reduction.kind", "\"two_operand\"");
    let [store, leave] = NO_BARRIER_INSTRUCTIONS;
    let unfitted = network("collective_noc_4x4", &[two_operand, store, leave])?;
    let unfitted = with_barrier(
        runner,
        &unfitted,
        &series(runner, &unfitted, kind, ROWS[0])?,
    )?;
    let bare: Vec<f64> = by_rows[0].iter().map(speedup).collect();
    let fastest = over_fastest(runner, &two, kind)?;
    let (lowest, highest) = range(&ours);
    let (published_lowest, published_highest) = range(&on_published);
    let detail = format!(
        "1 to 32 KiB: {}; on the published router {}; with additions that start at once {}; without the barrier {}; \
         without instructions around a barrier {}; over the fastest software of the library, without the barrier, {}",
        list(&ours),
        list(&on_published),
        list(&at_once),
        list(&bare),
        list(&unfitted),
        list(&fastest)
    );
    outcomes.put("2-lowest", lowest, &detail);
    outcomes.put(
        "2-highest",
        highest,
        &format!("on the published router {published_lowest:.2} to {published_highest:.2}"),
    );
    outcomes.put(
        "2-mean",
        geometric_mean(ours.iter().copied()),
        &format!(
            "on the published router {:.2}, without the barrier {:.2}, without instructions around a barrier {:.2}; \
             over the fastest software, without the barrier, {:.2}",
            geometric_mean(on_published.iter().copied()),
            geometric_mean(bare.iter().copied()),
            geometric_mean(unfitted.iter().copied()),
            geometric_mean(fastest.iter().copied())
        ),
    );
    let [one, middle, four] = [0, 1, 2].map(|i| by_rows[i][5].in_network);
    let detail = format!("{one}, {middle} and {four} cycles with 1, 2 and 4 rows");
    outcomes.put("5-slowdown", four as f64 / one as f64, &detail);
    outcomes.put("5-constant", four as f64 / middle as f64, &detail);
    figures.push(by_size(
        "fig_7a",
        "S1 Fig. 7a: FP64 sum over a row of 4",
        &by_rows[0],
    ));
    figures.push(by_row_count(
        "fig_7b",
        "S1 Fig. 7b: FP64 sum over 1, 2 and 4 rows of 4, two operands per router",
        &by_rows,
    ));
    Ok(())
}

/// Fastest software of the library over the network, row of 4, at every size.
fn over_fastest(
    runner: Runner<'_>,
    network: &Network,
    kind: CollectiveKind,
) -> Result<Vec<f64>, Error> {
    KIB.iter()
        .map(|kib| {
            let of = collective(network, kind, ROWS[0].0, kib << 10)?;
            let software = choices_among(network, &of, |c| !c.algorithm.is_in_network());
            let (fastest, _) = runner.fastest(network, &of, &software)?;
            Ok(fastest as f64 / runner.in_network_cycles(network, &of)? as f64)
        })
        .collect()
}

/// Best software over (reduction in the network and the barrier behind it) at every size.
fn with_barrier(
    runner: Runner<'_>,
    network: &Network,
    points: &[Point],
) -> Result<Vec<f64>, Error> {
    points
        .iter()
        .map(|point| {
            let of = collective(network, CollectiveKind::Reduce, ROWS[0].0, point.kib << 10)?;
            let cycles = reduce_then_barrier(runner, network, &of)?;
            Ok(point.best_software() as f64 / cycles as f64)
        })
        .collect()
}

/// From the start of the reduction to the root's departure from the barrier behind it.
fn reduce_then_barrier(
    runner: Runner<'_>,
    network: &Network,
    of: &Collective,
) -> Result<u64, Error> {
    let reduction = Choice::new(Algorithm::InNetwork, 1);
    let mut schedule = noccl_coll::schedule(network, of, reduction)?;
    let last = schedule.actions.len() as u32 - 1;
    schedule.actions.push(noccl_workload::Action {
        kind: barrier(of, BarrierMechanism::InNetwork),
        after: vec![noccl_workload::ActionId(last)],
    });
    schedule.collective = None;
    let end = mark(&mut schedule, of.root, last + 1);
    let times = runner.run(network, &schedule)?.actions;
    Ok(times[end].start_cycle - times[0].start_cycle)
}

fn speedup(point: &Point) -> f64 {
    point.best_software() as f64 / point.in_network as f64
}

fn list(ratios: &[f64]) -> String {
    let words: Vec<String> = ratios.iter().map(|r| format!("{r:.2}")).collect();
    words.join(", ")
}

fn line(name: &str, points: &[Point], cycles: impl Fn(&Point) -> u64) -> Line {
    Line {
        name: name.to_owned(),
        points: points
            .iter()
            .map(|p| (p.kib as f64, cycles(p) as f64))
            .collect(),
    }
}

fn by_size(name: &str, title: &str, points: &[Point]) -> Figure {
    let lines = [
        line("seq (best chunks)", points, |p| p.chain),
        line("tree (best chunks)", points, |p| p.tree),
        line("in_network", points, |p| p.in_network),
    ];
    line_chart(name, title, "size [KiB]", "runtime [cycles]", &lines)
}

fn by_row_count(name: &str, title: &str, by_rows: &[Vec<Point>]) -> Figure {
    let lines: Vec<Line> = by_rows
        .iter()
        .zip(ROWS)
        .flat_map(|(points, (_, rows))| {
            [
                line(&format!("software, rows: {rows}"), points, |p| {
                    p.best_software()
                }),
                line(&format!("in_network, rows: {rows}"), points, |p| {
                    p.in_network
                }),
            ]
        })
        .collect();
    line_chart(name, title, "size [KiB]", "runtime [cycles]", &lines)
}
