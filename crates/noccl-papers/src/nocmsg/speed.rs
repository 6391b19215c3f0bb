// SPDX-License-Identifier: Apache-2.0
//! S4's claims 1, 3 to 5 and 11: how much time single packets take (Figs. 2 to 6).

use super::collectives;
use super::collectives::{CASES, Series, Timed, percents};
use super::machine::{LARGEST, Layer, SIDES, microseconds, saving};
use crate::Found;
use crate::statistics::Outcomes;
use crate::statistics::range;
use crate::table::Table;
use noccl_studies::parts::Runner;
use noccl_studies::parts::line_chart;
use noccl_studies::{Error, Figure, Line};

/// S4's number of claim 1.
const EXCHANGE_SAVED: f64 = 0.62;

/// Times of all collectives, in the order of [`CASES`].
pub(super) fn measure(runner: Runner<'_>) -> Result<Vec<Timed>, Error> {
    let timed = CASES.iter().map(|case| Timed::measure(runner, *case));
    timed.collect()
}

/// Claims, figures and the table.
pub(super) fn claims(runner: Runner<'_>, timed: &[Timed], found: &mut Found) -> Result<(), Error> {
    let out = &mut found.outcomes;
    if let [all_to_all, reduce, all_reduce, barrier, broadcast] = timed {
        exchange(runner, all_to_all, out)?;
        on_the_largest("3-barrier", barrier, out);
        on_the_largest("3-broadcast", broadcast, out);
        on_all("4-reduce", reduce, out);
        on_all("4-all-reduce", all_reduce, out);
    }
    best(timed, out);
    slopes(timed, out);
    found.figures.extend(timed.iter().map(figure));
    found.tables.push(table(timed));
    Ok(())
}

/// Claim 1, by algorithm of the baseline and layer.
fn exchange(runner: Runner<'_>, timed: &Timed, out: &mut Outcomes) -> Result<(), Error> {
    let words = timed.words();
    let interrupts = timed.baselines.iter().map(|[_, interrupts]| interrupts);
    for series in interrupts.chain(&timed.flat) {
        let name = if series.algorithm == "unicast" {
            "linear"
        } else {
            series.algorithm
        };
        let suffix = Layer::LIBRARIES.into_iter().find(|l| l.0 == series.layer);
        let suffix = suffix.map_or("", |library| library.1);
        let saved = saving(timed.ours.at(LARGEST), series.at(LARGEST));
        let theirs = (timed.case, series.algorithm);
        let cycles = collectives::least(runner, series.layer, theirs, EXCHANGE_SAVED)?;
        let detail = format!("{words}; 62 % would be saved at {cycles} cycles of an interrupt");
        out.put(&format!("1-{name}{suffix}"), saved, &detail);
    }
    let polling = timed.baselines.iter().map(|[polling, _]| polling);
    let fastest = polling.map(|series| series.at(LARGEST)).min();
    let saved = fastest.map_or(f64::NAN, |fastest| saving(timed.ours.at(LARGEST), fastest));
    out.put("1-same-layer", saved, &words);
    Ok(())
}

/// Claim 3: one square, all layers.
fn on_the_largest(id: &str, timed: &Timed, out: &mut Outcomes) {
    for (layer, suffix) in Layer::ROWS {
        let saved = saving(timed.ours.at(LARGEST), timed.baseline(layer).at(LARGEST));
        out.put(&format!("{id}{suffix}"), saved, &timed.words());
    }
}

/// Claim 4: the least of all squares, all layers.
fn on_all(id: &str, timed: &Timed, out: &mut Outcomes) {
    for (layer, suffix) in Layer::ROWS {
        let saved = timed.savings(timed.baseline(layer));
        let least = saved.iter().copied().fold(1.0, f64::min);
        let mut detail = percents(&saved);
        if let Some(reading) = &timed.reading {
            let other = saving(reading.at(LARGEST), timed.baseline(layer).at(LARGEST));
            let name = reading.algorithm;
            detail += &format!("; by {name} {:.0} % on 7×7", 100.0 * other);
        }
        let others = timed.flat.iter().skip(1).filter(|_| layer == Layer::Flat);
        for flat in others {
            let saved = percents(&timed.savings(flat));
            detail += &format!("; over {}: {saved}", flat.algorithm);
        }
        out.put(&format!("{id}{suffix}"), least, &detail);
    }
}

/// Claim 5, single packets: the most of all collectives and squares.
fn best(timed: &[Timed], out: &mut Outcomes) {
    for (layer, suffix) in Layer::ROWS {
        let most = timed.iter().map(|t| {
            let (_, most) = range(&t.savings(t.baseline(layer)));
            (t.case.name, most)
        });
        let most: Vec<(&str, f64)> = most.collect();
        let words = most
            .iter()
            .map(|(name, most)| format!("{name} {:.1} %", 100.0 * most));
        let words: Vec<String> = words.collect();
        let (_, greatest) = range(&most.iter().map(|(_, most)| *most).collect::<Vec<_>>());
        out.put(
            &format!("5-single{suffix}"),
            greatest,
            &format!("most by collective: {}", words.join(", ")),
        );
    }
}

/// Claim 11: microseconds that a task more costs, from 4 to 49.
fn slopes(timed: &[Timed], out: &mut Outcomes) {
    let rises = |series: &Series| series.cycles.windows(2).all(|pair| pair[0] < pair[1]);
    let slope = |series: &Series| {
        let (first, last) = (series.at(SIDES[0]), series.at(LARGEST));
        (microseconds(last) - microseconds(first)) / 45.0
    };
    for (library, suffix) in Layer::LIBRARIES {
        let series = timed.iter().flat_map(|t| [&t.ours, t.baseline(library)]);
        let (rising, falling): (Vec<&Series>, Vec<&Series>) = series.partition(|s| rises(s));
        let falling: Vec<String> = falling.iter().map(|s| s.name()).collect();
        let detail = if falling.is_empty() {
            "all".to_owned()
        } else {
            format!("not {}", falling.join("; "))
        };
        out.put(&format!("11-rises{suffix}"), rising.len() as f64, &detail);
    }
    for (layer, suffix) in Layer::ROWS {
        let is_gradual = |t: &&Timed| slope(&t.ours) < slope(t.baseline(layer));
        let count = timed.iter().filter(is_gradual).count();
        let words = timed.iter().map(|t| {
            let (ours, theirs) = (slope(&t.ours), slope(t.baseline(layer)));
            format!("{} {ours:.3} against {theirs:.3}", t.case.name)
        });
        let words: Vec<String> = words.collect();
        let detail = format!("µs per task: {}", words.join(", "));
        out.put(&format!("11{suffix}"), count as f64, &detail);
    }
}

fn figure(timed: &Timed) -> Figure {
    let tasks = SIDES.map(|side| f64::from(side * side));
    let line = |series: &Series| Line {
        name: series.name(),
        points: (tasks.into_iter())
            .zip(series.cycles.iter().map(|cycles| microseconds(*cycles)))
            .collect(),
    };
    let lines: Vec<Line> = timed.all().map(line).collect();
    let case = timed.case;
    let number = case.figure.trim_start_matches("fig_");
    let data = if case.bytes == 0 {
        String::new()
    } else {
        format!(" of {} bytes", case.bytes)
    };
    line_chart(
        case.figure,
        &format!("S4 Fig. {number}: {}{data}", case.name),
        "tasks",
        "time [µs]",
        &lines,
    )
}

/// Microseconds by collective, algorithm, layer and tasks.
fn table(timed: &[Timed]) -> Table {
    let names = SIDES.map(|side| (side * side).to_string());
    let mut markdown = format!(
        "Time in µs at 0.7 GHz of one packet (128 bytes; a barrier has none), from the first cycle to the end of the last core.\n\n| collective | algorithm | layer | {} |\n|---|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(SIDES.len())
    );
    for one in timed {
        for (place, series) in one.all().enumerate() {
            let own = usize::from(one.reading.is_some()) + 1;
            let whose = if place < own { "S4's" } else { "baseline" };
            let cells = series.cycles.iter().map(|c| microseconds(*c));
            let cells: Vec<String> = cells.map(|us| format!("{us:.2}")).collect();
            markdown += &format!(
                "| {} | `{}` ({whose}) | {} | {} |\n",
                one.case.name,
                series.algorithm,
                series.layer.name(),
                cells.join(" | ")
            );
        }
    }
    Table {
        name: "collectives",
        markdown,
    }
}
