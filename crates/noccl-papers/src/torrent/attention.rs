// SPDX-License-Identifier: Apache-2.0
//! S3's claims 8, 9 and 13: the movements of DeepSeek-V3's attention on 3x3 clusters, by three methods, byte by byte.

use super::baselines::Snake;
use super::movements::{MOVEMENTS, MULTICAST_DESTINATIONS, Method, Movement};
use crate::Found;
use crate::statistics::range;
use crate::table::Table;
use noccl_run::{Mode, RunConfig, energy_pj};
use noccl_sim::run_schedule;
use noccl_studies::parts::Runner;
use noccl_studies::parts::bars;
use noccl_studies::{Error, Series, runtime_cycles};

/// One movement by one method.
struct Moved {
    cycles: u64,
    energy_pj: f64,
    /// Bytes at all destinations that differ from the address formula's.
    wrong_bytes: u64,
}

/// One movement by all methods, in the order of [`Method::ALL`].
struct Row {
    movement: Movement,
    methods: Vec<Moved>,
}

impl Row {
    fn of(&self, method: Method) -> &Moved {
        &self.methods[method as usize]
    }

    fn speedup(&self, over: Method) -> f64 {
        self.of(over).cycles as f64 / self.of(Method::Chain).cycles as f64
    }
}

/// A quick run has none of them.
pub(super) fn attention(
    runner: Runner<'_>,
    is_quick: bool,
    found: &mut Found,
) -> Result<(), Error> {
    let ids = ["8-speedup", "8-bytes", "8-copies", "9-single"];
    if is_quick {
        for id in ids {
            found.outcomes.miss(id, "left out of the quick set");
        }
        return Ok(());
    }
    let snake = Snake::new("torrent_3x3_published", &[])?;
    let rows = MOVEMENTS
        .iter()
        .map(|movement| measure(runner, &snake, *movement))
        .collect::<Result<Vec<_>, Error>>()?;
    assess(&rows, found);
    Ok(())
}

fn measure(runner: Runner<'_>, snake: &Snake, movement: Movement) -> Result<Row, Error> {
    let [source, expected] = movement.images()?;
    let methods = Method::ALL.iter().map(|method| {
        let schedule = movement.schedule(*method, snake)?;
        let inputs = [movement.input(snake, source.clone())];
        let outputs = movement.outputs(snake);
        let config = RunConfig::new(Mode::Value);
        let result = runner.tally.run(|on_progress| {
            run_schedule(
                &snake.network,
                &schedule,
                &inputs,
                &outputs,
                &config,
                on_progress,
            )
        })?;
        Ok(Moved {
            cycles: runtime_cycles(Some(&schedule), &result.actions),
            energy_pj: energy_pj(&result.counters, &snake.axi()?.energy),
            wrong_bytes: result
                .memory
                .iter()
                .map(|image| differing(&image.bytes, &expected))
                .sum(),
        })
    });
    Ok(Row {
        movement,
        methods: methods.collect::<Result<_, Error>>()?,
    })
}

/// Bytes that differ; all of them if some are missing.
fn differing(bytes: &[u8], expected: &[u8]) -> u64 {
    if bytes.len() != expected.len() {
        return expected.len() as u64;
    }
    let pairs = bytes.iter().zip(expected);
    pairs.filter(|(ours, theirs)| ours != theirs).count() as u64
}

fn assess(rows: &[Row], found: &mut Found) {
    let out = &mut found.outcomes;
    let is_multicast = |row: &&Row| row.movement.num_destinations == MULTICAST_DESTINATIONS;
    let over = |method: Method| move |row: &Row| row.speedup(method);
    let multicasts = rows.iter().filter(is_multicast).map(over(Method::OneByOne));
    let speedups = list(rows, |row| format!("{:.3}", row.speedup(Method::OneByOne)));
    out.put("8-speedup", multicasts.fold(0.0, f64::max), &speedups);
    let all = rows.iter().flat_map(|row| &row.methods);
    let wrong: u64 = all.map(|moved| moved.wrong_bytes).sum();
    let written = |row: &Row| row.movement.bytes() * u64::from(row.movement.num_destinations);
    let bytes: u64 = rows.iter().map(written).sum();
    let detail = format!("of {bytes} bytes at all destinations, by each of three methods");
    out.put("8-bytes", wrong as f64, &detail);
    let rearranged = rows.iter().filter(is_multicast);
    let rearranged =
        rearranged.filter(|row| row.movement.source_layout != row.movement.destination_layout);
    let lowest = rearranged
        .map(over(Method::Copies))
        .fold(f64::INFINITY, f64::min);
    let detail = list(rows, |row| format!("{:.2}", row.speedup(Method::Copies)));
    out.put("8-copies", lowest, &detail);
    let single = rows.iter().filter(|row| !is_multicast(row));
    let single: Vec<f64> = single.map(over(Method::OneByOne)).collect();
    let (low, high) = range(&single);
    let farthest = if 1.0 - low > high - 1.0 { low } else { high };
    out.put("9-single", farthest, &format!("{low:.3} to {high:.3}"));
    found.tables.push(table(rows));
    figures(rows, found);
}

/// Every movement's name with something of it.
fn list(rows: &[Row], of: impl Fn(&Row) -> String) -> String {
    let words = rows
        .iter()
        .map(|row| format!("{} {}", row.movement.name, of(row)));
    words.collect::<Vec<_>>().join("; ")
}

/// Cycles and energy of every movement by every method.
fn table(rows: &[Row]) -> Table {
    let mut markdown = "| movement | matrix | layouts | destinations | chain | point to point | copies | over point to point | \
                        over copies | uJ chain | uJ point to point | uJ copies |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for row in rows {
        let Movement {
            name,
            shape: (height, width),
            source_layout,
            destination_layout,
            num_destinations,
        } = row.movement;
        let cycles = Method::ALL.map(|method| row.of(method).cycles.to_string());
        let speedups =
            [Method::OneByOne, Method::Copies].map(|method| format!("{:.2}", row.speedup(method)));
        let energies = Method::ALL.map(|method| format!("{:.1}", row.of(method).energy_pj / 1e6));
        markdown += &format!(
            "| {name} | {height} x {width} | {source_layout} to {destination_layout} | {num_destinations} | {} | {} | {} |\n",
            cycles.join(" | "),
            speedups.join(" | "),
            energies.join(" | ")
        );
    }
    let name = "movements";
    Table { name, markdown }
}

fn figures(rows: &[Row], found: &mut Found) {
    let names: Vec<&str> = rows.iter().map(|row| row.movement.name).collect();
    let series = |of: fn(&Moved) -> f64| {
        Method::ALL.map(|method| Series {
            name: method.name().to_owned(),
            values: rows.iter().map(|row| of(row.of(method))).collect(),
        })
    };
    found.figures.push(bars(
        "fig_9",
        "S3 Fig. 9: DeepSeek-V3's movements on torrent_3x3_published",
        ("movement", "runtime [cycles]"),
        &names,
        &series(|moved| moved.cycles as f64),
    ));
    found.figures.push(bars(
        "fig_9_energy",
        "The same: energy at S3's 4.68 pJ per byte and hop",
        ("movement", "energy [uJ]"),
        &names,
        &series(|moved| moved.energy_pj / 1e6),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_run::Tally;
    use noccl_studies::Watch;

    /// As Table II's, smaller: with and without another layout, to all and to one.
    fn small(destination_layout: &'static str, num_destinations: u32) -> Movement {
        Movement {
            name: "small",
            shape: (128, 48),
            source_layout: "MNM16N8",
            destination_layout,
            num_destinations,
        }
    }

    #[test]
    fn every_method_puts_every_byte_where_the_address_formula_says() {
        let tally = Tally::new(Watch::quiet(), 1);
        let runner = Runner { tally: &tally };
        let snake = Snake::new("torrent_3x3_published", &[]).unwrap();
        for movement in [
            small("MNM8N8", 8),
            small("MNM64N16", 1),
            small("MNM16N8", 8),
        ] {
            for method in Method::ALL {
                let schedule = movement.schedule(method, &snake).unwrap();
                noccl_workload::check(&snake.network, &schedule).unwrap();
            }
            let row = measure(runner, &snake, movement).unwrap();
            let wrong: Vec<u64> = row.methods.iter().map(|moved| moved.wrong_bytes).collect();
            assert_eq!(wrong, [0; 3], "{movement:?}");
            assert!(
                row.methods.iter().all(|moved| moved.cycles > 96),
                "{movement:?}"
            );
        }
    }

    #[test]
    fn bytes_in_another_layout_than_asked_for_are_noticed() {
        let [_, expected] = small("MNM64N16", 1).images().unwrap();
        let [_, other] = small("MNM8N8", 1).images().unwrap();
        assert!(differing(&other, &expected) > 5000);
        assert_eq!(differing(&expected[1..], &expected), 6144);
    }
}
