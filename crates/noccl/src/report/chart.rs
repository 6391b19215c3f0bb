// SPDX-License-Identifier: Apache-2.0
//! Cycles over payload size, both axes logarithmic, one line per algorithm and the lower bound.

use super::svg::Markup;
use super::svg::{Anchor, Svg, decades};
use super::{Case, line_name, line_names, size_label, sizes};

const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 390.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 165.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 48.0;
const LABEL_GAP: f64 = 15.0;

struct Line {
    name: String,
    points: Vec<(u64, u64)>,
}

/// The plot of a case, or a note where one size makes no line.
pub(super) fn chart(case: &Case<'_>) -> Markup {
    let sizes = sizes(&case.rows);
    if sizes.len() < 2 || sizes.first() == Some(&0) {
        return Markup::new();
    }
    let (lines, bound) = lines(case);
    let all = || lines.iter().chain([&bound]).flat_map(|l| &l.points);
    let low = all().map(|p| p.1).min().unwrap_or(1).max(1);
    let high = all().map(|p| p.1).max().unwrap_or(1).max(low + 1);
    let axes = Axes::new(&sizes, low, high);
    let mut svg = Svg::new(
        WIDTH,
        HEIGHT,
        &format!("Cycles over payload size: {}", case.title),
    );
    axes.draw(&mut svg, &sizes);
    let mut labels: Vec<(f64, String, String)> = Vec::new();
    draw_line(&mut svg, &axes, &bound, "bound");
    for (index, line) in lines.iter().enumerate() {
        draw_line(&mut svg, &axes, line, &format!("s{}", index % 6));
        for (bytes, cycles) in &line.points {
            let tip = format!("{}, {}: {cycles} cycles", line.name, size_label(*bytes));
            svg.marker(
                axes.at(*bytes, *cycles),
                index,
                &format!("m{}", index % 6),
                &tip,
            );
        }
    }
    let classed = lines
        .iter()
        .enumerate()
        .map(|(index, line)| (line, format!("t{}", index % 6)));
    for (line, class) in classed.chain([(&bound, "muted".to_owned())]) {
        if let Some((bytes, cycles)) = line.points.last() {
            labels.push((axes.at(*bytes, *cycles).1, line.name.clone(), class));
        }
    }
    place_labels(&mut svg, labels);
    svg.finish()
}

fn lines(case: &Case<'_>) -> (Vec<Line>, Line) {
    let of = |name: &str| {
        let rows = case.rows.iter().filter(|r| line_name(r) == name);
        let mut points: Vec<(u64, u64)> = rows.map(|r| (r.bytes, r.cycles.max(1))).collect();
        points.sort_unstable();
        points
    };
    let lines = line_names(&case.rows)
        .into_iter()
        .map(|name| Line {
            points: of(&name),
            name,
        })
        .collect();
    let mut bound: Vec<(u64, u64)> = case
        .rows
        .iter()
        .map(|r| (r.bytes, r.lower_bound_cycles.max(1)))
        .collect();
    bound.sort_unstable();
    bound.dedup();
    let bound = Line {
        name: "lower bound".to_owned(),
        points: bound,
    };
    (lines, bound)
}

fn draw_line(svg: &mut Svg, axes: &Axes, line: &Line, class: &str) {
    let points: Vec<(f64, f64)> = line.points.iter().map(|(b, c)| axes.at(*b, *c)).collect();
    svg.polyline(&points, class);
}

/// Names at the lines' right ends, pushed apart where they would overlap.
fn place_labels(svg: &mut Svg, mut labels: Vec<(f64, String, String)>) {
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free_from = f64::NEG_INFINITY;
    let mut placed: Vec<f64> = Vec::new();
    for (y, _, _) in &labels {
        let here = y.max(free_from);
        free_from = here + LABEL_GAP;
        placed.push(here);
    }
    // Shift the whole stack up if it ran out at the bottom.
    // 0: without labels nothing overflows.
    let overflow = placed.last().map_or(0.0, |y| y - (HEIGHT - BOTTOM));
    for ((_, name, class), y) in labels.iter().zip(placed) {
        let y = if overflow > 0.0 { y - overflow } else { y };
        svg.text((WIDTH - RIGHT + 12.0, y + 4.0), Anchor::Start, class, name);
    }
}

/// Logarithmic axes.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
    ticks: Vec<u64>,
}

impl Axes {
    fn new(sizes: &[u64], low: u64, high: u64) -> Self {
        let ticks = ticks(low, high);
        let log = |v: u64| (v.max(1) as f64).log2();
        Self {
            x: (
                log(sizes.first().copied().unwrap_or(1)),
                log(sizes.last().copied().unwrap_or(2)),
            ),
            y: (
                log(ticks.first().copied().unwrap_or(low).min(low)),
                log(ticks.last().copied().unwrap_or(high).max(high)),
            ),
            ticks,
        }
    }

    fn at(&self, bytes: u64, cycles: u64) -> (f64, f64) {
        let part = |value: u64, (low, high): (f64, f64)| {
            ((value.max(1) as f64).log2() - low) / (high - low).max(1e-9)
        };
        (
            LEFT + part(bytes, self.x) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - part(cycles, self.y) * (HEIGHT - TOP - BOTTOM),
        )
    }

    fn draw(&self, svg: &mut Svg, sizes: &[u64]) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for tick in &self.ticks {
            let y = self.at(1, *tick).1;
            svg.line((LEFT, y), (right, y), "grid");
            svg.text(
                (LEFT - 8.0, y + 4.0),
                Anchor::End,
                "tick",
                &tick.to_string(),
            );
        }
        for bytes in sizes {
            let x = self.at(*bytes, 1).0;
            svg.line((x, bottom), (x, bottom + 5.0), "axis");
            svg.text(
                (x, bottom + 19.0),
                Anchor::Middle,
                "tick",
                &size_label(*bytes),
            );
        }
        svg.line((LEFT, bottom), (right, bottom), "axis");
        let middle = f64::midpoint(LEFT, right);
        svg.text(
            (middle, HEIGHT - 8.0),
            Anchor::Middle,
            "axis-name",
            "payload per participant (logarithmic)",
        );
        svg.text_upwards(
            (16.0, f64::midpoint(TOP, bottom)),
            "axis-name",
            "runtime [cycles] (logarithmic)",
        );
    }
}

/// Ticks from just below `low` to just above `high`, both at least 1.
fn ticks(low: u64, high: u64) -> Vec<u64> {
    let ticks = decades(low as f64, high as f64);
    ticks.into_iter().map(|tick| tick as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_enclose_the_values() {
        for (low, high) in [(1, 2), (49, 1322), (30, 30_000), (100, 100)] {
            let ticks = ticks(low, high);
            assert!(
                ticks[0] <= low && ticks[ticks.len() - 1] >= high,
                "{ticks:?}"
            );
        }
    }

    #[test]
    fn larger_values_lie_further_up_and_to_the_right() {
        let axes = Axes::new(&[1024, 2048, 32_768], 49, 1322);
        let (x0, y0) = axes.at(1024, 49);
        let (x1, y1) = axes.at(32_768, 1322);
        assert!(x1 > x0 && y1 < y0);
    }
}
