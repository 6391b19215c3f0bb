// SPDX-License-Identifier: Apache-2.0
//! S3's claims 6 and 7: hops per destination of packets, trees and chains on 8x8 clusters.

use crate::Found;
use noccl_coll::chain::order::ChainOrder;
use noccl_run::Watch;
use noccl_studies::parts::line_chart;
use noccl_studies::parts::network;
use noccl_studies::{Error, Line, OrderDraw, OrderDrawRequest, order_draws, parse_root};

/// S3 names 4 and 63 and says that there are 8.
const COUNTS: [u32; 8] = [4, 12, 20, 28, 36, 44, 52, 63];
/// Random sets of each number.
const DRAWS: u32 = 128;
/// Of the sets; `experiments/torrent/optima.py` proves the shortest orders of the same ones.
const SEED: u64 = 1;

/// Mean hops per destination, by number of destinations.
type Means = Vec<(f64, f64)>;

pub(super) fn hops(watch: Watch<'_>, found: &mut Found) -> Result<(), Error> {
    let network = network("torrent_8x8", &[])?;
    let orders = ChainOrder::ALL.into_iter();
    let request = OrderDrawRequest {
        source: parse_root(&network, "0,0")?,
        counts: COUNTS.to_vec(),
        draws: DRAWS,
        seed: SEED,
        orders: orders.filter(|o| *o != ChainOrder::Latency).collect(),
    };
    let draws = order_draws(&network, &request, watch)?;
    assess(&draws, found);
    Ok(())
}

fn assess(draws: &[OrderDraw], found: &mut Found) {
    let unicast = means(draws, |d| d.unicast_hops);
    let multicast = means(draws, |d| d.multicast_hops);
    // All orders were asked for.
    let by = |order: ChainOrder| means(draws, |d| d.hops[order.name()]);
    let (naive, greedy) = (by(ChainOrder::Id), by(ChainOrder::Greedy));
    let (shortest, fixed) = (by(ChainOrder::OpenPath), by(ChainOrder::FixedStart));
    let nearest = by(ChainOrder::Nearest);
    let out = &mut found.outcomes;
    let total: f64 = unicast.iter().map(|p| p.1).sum();
    out.put("6-unicast", total / COUNTS.len() as f64, &list(&unicast));
    let worse = naive.iter().zip(&multicast).filter(|(n, m)| n.1 > m.1);
    let both = format!("naive {}; multicast {}", list(&naive), list(&multicast));
    out.put("7-naive", worse.count() as f64, &both);
    let ratios = over(&greedy, &multicast);
    let detail = format!("{}; greedy {}", list(&ratios), list(&greedy));
    out.put("7-greedy", highest(&ratios), &detail);
    out.put("7-greedy-equal", lowest(&ratios), &list(&ratios));
    let ratios = over(&shortest, &multicast);
    let detail = format!(
        "{}; shortest {}; by the released scheduler {} of the shortest",
        list(&ratios),
        list(&shortest),
        list(&over(&fixed, &shortest))
    );
    out.put("7-tsp", highest(&ratios[..COUNTS.len() - 1]), &detail);
    let last = |means: &Means| means.last().map_or(f64::INFINITY, |p| p.1);
    let limit = [&multicast, &greedy, &shortest].map(last);
    let detail = format!("{:.3}, {:.3} and {:.3}", limit[0], limit[1], limit[2]);
    out.put("7-limit", limit.into_iter().fold(0.0, f64::max), &detail);
    out.put("7-disjoint", shared(draws, ChainOrder::Greedy), &{
        let part = |order| format!("{order}: {:.1} %", 100.0 * shared(draws, order));
        let orders = ChainOrder::ALL.into_iter();
        let orders = orders.filter(|o| *o != ChainOrder::Latency);
        orders.map(part).collect::<Vec<_>>().join(", ")
    });
    let line = |name: &str, points: Means| Line {
        name: name.to_owned(),
        points,
    };
    found.figures.push(line_chart(
        "fig_6",
        "S3 Fig. 6: hops per destination on 8x8 clusters",
        "destinations",
        "hops per destination",
        &[
            line("unicast", unicast),
            line("multicast", multicast),
            line("chain, ids (naive)", naive),
            line("chain, greedy", greedy),
            line("chain, nearest", nearest),
            line("chain, shortest", shortest),
        ],
    ));
}

fn means(draws: &[OrderDraw], hops: impl Fn(&OrderDraw) -> u32) -> Means {
    let one = |count: u32| {
        let sets = draws.iter().filter(|d| d.num_destinations == count);
        let total: u32 = sets.map(&hops).sum();
        let x = f64::from(count);
        (x, f64::from(total) / f64::from(DRAWS) / x)
    };
    COUNTS.into_iter().map(one).collect()
}

/// Share of the sets in which an order shares a link.
fn shared(draws: &[OrderDraw], order: ChainOrder) -> f64 {
    let sharing = draws
        .iter()
        .filter(|d| d.shared_links.get(order.name()) > Some(&0));
    sharing.count() as f64 / draws.len().max(1) as f64
}

fn over(above: &Means, below: &Means) -> Means {
    let pairs = above.iter().zip(below);
    pairs.map(|(a, b)| (a.0, a.1 / b.1)).collect()
}

fn highest(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|p| p.1).fold(0.0, f64::max)
}

fn lowest(points: &[(f64, f64)]) -> f64 {
    points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min)
}

fn list(points: &[(f64, f64)]) -> String {
    let words: Vec<String> = points
        .iter()
        .map(|(count, value)| format!("{value:.3} at {count}"))
        .collect();
    words.join(", ")
}
