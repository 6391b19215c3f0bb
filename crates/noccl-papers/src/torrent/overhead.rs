// SPDX-License-Identifier: Apache-2.0
//! S3's claims 1, 2 and 13: what a further destination of a chain costs, of what that consists, and energy.

use super::baselines::Snake;
use crate::Found;
use crate::statistics::determination;
use noccl_run::energy_pj;
use noccl_sim::DirectChain;
use noccl_spec::TorrentMode;
use noccl_studies::parts::Runner;
use noccl_studies::parts::line_chart;
use noccl_studies::parts::slope;
use noccl_studies::{Error, Line};

/// S3's payload and destinations.
const BYTES: u64 = 64 << 10;
const MOST_DESTINATIONS: u32 = 8;
/// Destinations where S3 measures power.
const POWER_DESTINATIONS: u32 = 3;
/// Cycles between endpoint and router with which the trips are counted, beside the preset's.
const SHORT_PATH: (&str, f64) = ("3", 3.0);

/// Cycles by number of destinations.
type Points = Vec<(f64, f64)>;

pub(super) fn overhead(runner: Runner<'_>, found: &mut Found) -> Result<(), Error> {
    let preset = "torrent_4x5_published";
    let snake = Snake::new(preset, &[])?;
    let points = line(runner, &snake)?;
    energy(runner, &snake, found)?;
    let per_destination = slope(&points);
    let words: Vec<String> = points
        .iter()
        .map(|(num, cycles)| format!("{cycles} at {num}"))
        .collect();
    let out = &mut found.outcomes;
    out.put("1-slope", per_destination, &words.join(", "));
    let detail = format!("line through the same: {per_destination:.3} cycles per destination");
    out.put("1-linear", determination(&points), &detail);
    let own = endpoint(found)?;
    let path = "cluster.torrent.endpoint_path_cycles";
    let short = Snake::new(preset, &[(path, SHORT_PATH.0)])?;
    let torrent = snake.axi()?.cluster.torrent.as_ref();
    let long = torrent.map_or(f64::NAN, |t| f64::from(t.endpoint_path_cycles));
    let short_slope = slope(&line(runner, &short)?);
    let trips = (per_destination - short_slope) / (long - SHORT_PATH.1);
    let share = per_destination - own;
    let detail = format!(
        "{trips:.2} trips (from the slope {short_slope:.2} with a path of {} cycles instead of {long}) of {:.2} \
         cycles each",
        SHORT_PATH.1,
        share / trips
    );
    found.outcomes.put("2-network", share, &detail);
    found.figures.push(line_chart(
        "fig_7",
        "S3 Fig. 7: a chain of 64 KiB on torrent_4x5_published",
        "destinations",
        "runtime [cycles]",
        &[Line {
            name: "simulated".to_owned(),
            points,
        }],
    ));
    Ok(())
}

fn line(runner: Runner<'_>, snake: &Snake) -> Result<Points, Error> {
    let one = |num: u32| {
        let chain = snake.multicast(num, BYTES, Snake::CHAIN)?;
        let cycles = runner.cycles(&snake.network, &chain)?;
        Ok((f64::from(num), cycles as f64))
    };
    (1..=MOST_DESTINATIONS).map(one).collect()
}

/// Claim 13: S3's constant times what crosses the links of the wide plane.
fn energy(runner: Runner<'_>, snake: &Snake, found: &mut Found) -> Result<(), Error> {
    let chain = snake.multicast(POWER_DESTINATIONS, BYTES, Snake::CHAIN)?;
    let result = runner.run(&snake.network, &chain)?;
    let energy = energy_pj(&result.counters, &snake.axi()?.energy);
    // Neighbour after neighbour: a hop per destination.
    let moved = BYTES * u64::from(POWER_DESTINATIONS);
    let addresses = result.counters.payload_byte_hops.saturating_sub(moved);
    let detail = format!(
        "{:.3} uJ; {addresses} of {} bytes over links are addresses",
        energy / 1e6,
        addresses + moved
    );
    found
        .outcomes
        .put("13-energy", energy / moved as f64, &detail);
    Ok(())
}

/// Claim 2: the endpoint's cycles of a further destination, with connections that take no time.
fn endpoint(found: &mut Found) -> Result<f64, Error> {
    let beats = (BYTES / 64) as u32;
    let chain = DirectChain::run(TorrentMode::Published, MOST_DESTINATIONS, beats);
    let chain = chain.ok_or_else(|| Error::argument("chain", "", "accepted: one that ends"))?;
    let parts = [
        ("2-configuration", &chain.configurations),
        ("2-grant", &chain.grants),
        ("2-data", &chain.first_beats),
        ("2-finish", &chain.finishes),
    ];
    let mut sum = 0.0;
    for (id, cycles) in parts {
        let points: Points = (0..)
            .map(f64::from)
            .zip(cycles.iter().map(|c| *c as f64))
            .collect();
        let words: Vec<String> = cycles.iter().map(u64::to_string).collect();
        let detail = format!("in cycles {}", words.join(", "));
        let each = slope(&points);
        sum += each;
        found.outcomes.put(id, each, &detail);
    }
    let detail = format!(
        "{} cycles for {MOST_DESTINATIONS} destinations and {beats} beats: {sum} N + beats + {}",
        chain.done_cycle,
        chain.done_cycle as f64 - sum * f64::from(MOST_DESTINATIONS) - f64::from(beats)
    );
    found.outcomes.put("2-endpoint", sum, &detail);
    Ok(sum)
}
