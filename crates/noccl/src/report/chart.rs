// SPDX-License-Identifier: Apache-2.0
//! Cycles over payload size, both axes logarithmic, one line per algorithm and the lower bound.
//!
//! The plot is drawn twice: wide, with names at the ends of lines, and for phones, with names below. A drawing that is
//! only scaled would have letters that nobody can read there. The style sheet shows the one that fits.

use super::looks::{Look, looks};
use super::svg::Markup;
use super::svg::{Anchor, Svg, decades};
use super::{Case, line_name, line_names, size_label, sizes};

const LABEL_GAP: f64 = 16.0;
/// Sizes named below the axis of a phone's plot.
const MOST_NARROW_TICKS: usize = 6;

/// Lengths of a drawing in pixels.
struct Layout {
    class: &'static str,
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

const WIDE: Layout = Layout {
    class: "wide-only",
    width: 900.0,
    height: 420.0,
    left: 66.0,
    right: 190.0,
    top: 14.0,
    bottom: 48.0,
};
const NARROW: Layout = Layout {
    class: "narrow-only",
    width: 360.0,
    height: 330.0,
    left: 60.0,
    right: 26.0,
    top: 14.0,
    bottom: 48.0,
};

struct Line {
    name: String,
    points: Vec<(u64, u64)>,
    /// None: the lower bound.
    look: Option<Look>,
}

impl Line {
    fn class(&self) -> String {
        self.look.map_or_else(|| "bound".to_owned(), Look::line)
    }

    fn name_class(&self) -> String {
        let colour = self.look.map(Look::colour);
        colour.map_or_else(
            || "muted".to_owned(),
            |colour| format!("line-name {colour}"),
        )
    }
}

/// The plot of a case; nothing where one size makes no line.
pub(super) fn chart(case: &Case<'_>) -> Markup {
    let sizes = sizes(&case.rows);
    if sizes.len() < 2 || sizes.first() == Some(&0) {
        return Markup::new();
    }
    let lines = lines(case);
    [&WIDE, &NARROW]
        .into_iter()
        .map(|layout| drawing(layout, case, &lines, &sizes))
        .collect()
}

fn drawing(layout: &'static Layout, case: &Case<'_>, lines: &[Line], sizes: &[u64]) -> Markup {
    let cycles = || lines.iter().flat_map(|l| &l.points).map(|p| p.1);
    let low = cycles().min().unwrap_or(1).max(1);
    let high = cycles().max().unwrap_or(1).max(low + 1);
    let axes = Axes::new(layout, sizes, low, high);
    let is_wide = layout.class == WIDE.class;
    let key_rows = if is_wide { 0 } else { lines.len() };
    let mut svg = Svg::new(
        layout.width,
        (key_rows as f64).mul_add(LABEL_GAP, layout.height),
        &format!("Cycles over payload size: {}", case.title),
    );
    axes.draw(&mut svg, sizes);
    for line in lines {
        draw_line(&mut svg, &axes, line);
    }
    if is_wide {
        name_ends(&mut svg, &axes, lines);
    } else {
        draw_key(&mut svg, layout, lines);
    }
    Markup::element("div", &[("class", layout.class)], svg.finish()).line()
}

/// The lower bound and a line per algorithm.
fn lines(case: &Case<'_>) -> Vec<Line> {
    let bound = case.rows.iter().map(|r| (r.bytes, r.lower_bound_cycles));
    let bound = Line {
        points: sorted(bound),
        name: "lower bound".to_owned(),
        look: None,
    };
    let names = line_names(&case.rows);
    let looks = looks(&names);
    let algorithms = names.into_iter().zip(looks).map(|(name, look)| {
        let rows = case.rows.iter().filter(|r| line_name(r) == name);
        Line {
            points: sorted(rows.map(|r| (r.bytes, r.cycles))),
            name,
            look: Some(look),
        }
    });
    std::iter::once(bound).chain(algorithms).collect()
}

fn sorted(points: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut points: Vec<(u64, u64)> = points.map(|(x, y)| (x, y.max(1))).collect();
    points.sort_unstable();
    points.dedup();
    points
}

fn draw_line(svg: &mut Svg, axes: &Axes, line: &Line) {
    let points: Vec<(f64, f64)> = line.points.iter().map(|(b, c)| axes.at(*b, *c)).collect();
    svg.polyline(&points, &line.class());
    let Some(look) = line.look else { return };
    let class = format!("marker {}", look.colour());
    for ((bytes, cycles), at) in line.points.iter().zip(points) {
        let tip = format!("{}, {}: {cycles} cycles", line.name, size_label(*bytes));
        svg.marker(at, look.marker(), &class, &tip);
    }
}

/// Names at the lines' right ends, pushed apart where they would overlap; a thin line leads to the end of its line.
fn name_ends(svg: &mut Svg, axes: &Axes, lines: &[Line]) {
    let layout = axes.layout;
    let mut ends: Vec<(f64, &Line)> = (lines.iter())
        .filter_map(|line| (line.points.last()).map(|(b, c)| (axes.at(*b, *c).1, line)))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free_from = f64::NEG_INFINITY;
    let mut placed: Vec<f64> = Vec::new();
    for (y, _) in &ends {
        let here = y.max(free_from);
        free_from = here + LABEL_GAP;
        placed.push(here);
    }
    // Shift the whole stack up if it ran out at the bottom.
    // 0: without labels nothing overflows.
    let overflow = placed
        .last()
        .map_or(0.0, |y| y - (layout.height - layout.bottom));
    let right = layout.width - layout.right;
    for ((end, line), y) in ends.into_iter().zip(placed) {
        let y = y - overflow.max(0.0);
        svg.line((right + 6.0, end), (right + 18.0, y), "leader");
        let class = line.name_class();
        svg.text((right + 22.0, y + 4.0), Anchor::Start, &class, &line.name);
    }
}

/// Names below the plot, each beside a sample of its line.
fn draw_key(svg: &mut Svg, layout: &Layout, lines: &[Line]) {
    for (index, line) in lines.iter().enumerate() {
        let y = (index as f64).mul_add(LABEL_GAP, layout.height + LABEL_GAP / 2.0);
        let (from, to) = ((layout.left, y), (layout.left + 34.0, y));
        svg.polyline(&[from, to], &line.class());
        if let Some(look) = line.look {
            let class = format!("marker {}", look.colour());
            svg.marker((layout.left + 17.0, y), look.marker(), &class, &line.name);
        }
        let at = (layout.left + 42.0, y + 4.0);
        svg.text(at, Anchor::Start, &line.name_class(), &line.name);
    }
}

/// Logarithmic axes.
struct Axes {
    layout: &'static Layout,
    x: (f64, f64),
    y: (f64, f64),
    ticks: Vec<u64>,
}

impl Axes {
    fn new(layout: &'static Layout, sizes: &[u64], low: u64, high: u64) -> Self {
        let ticks = ticks(low, high);
        let log = |v: u64| (v.max(1) as f64).log2();
        Self {
            layout,
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
        let l = self.layout;
        (
            l.left + part(bytes, self.x) * (l.width - l.left - l.right),
            l.height - l.bottom - part(cycles, self.y) * (l.height - l.top - l.bottom),
        )
    }

    fn draw(&self, svg: &mut Svg, sizes: &[u64]) {
        let l = self.layout;
        let (right, bottom) = (l.width - l.right, l.height - l.bottom);
        for tick in &self.ticks {
            let y = self.at(1, *tick).1;
            svg.line((l.left, y), (right, y), "grid");
            let at = (l.left - 8.0, y + 4.0);
            svg.text(at, Anchor::End, "tick", &tick.to_string());
        }
        let is_narrow = l.class == NARROW.class;
        let step = if is_narrow {
            sizes.len().div_ceil(MOST_NARROW_TICKS)
        } else {
            1
        };
        for (index, bytes) in sizes.iter().enumerate() {
            let x = self.at(*bytes, 1).0;
            svg.line((x, bottom), (x, bottom + 5.0), "axis");
            if index % step == 0 {
                let label = size_label(*bytes);
                svg.text((x, bottom + 19.0), Anchor::Middle, "tick", &label);
            }
        }
        svg.line((l.left, bottom), (right, bottom), "axis");
        let middle = (f64::midpoint(l.left, right), l.height - 8.0);
        let x_name = "payload per participant (logarithmic)";
        svg.text(middle, Anchor::Middle, "axis-name", x_name);
        let middle = (14.0, f64::midpoint(l.top, bottom));
        svg.text_upwards(middle, "axis-name", "runtime [cycles] (logarithmic)");
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
        for layout in [&WIDE, &NARROW] {
            let axes = Axes::new(layout, &[1024, 2048, 32_768], 49, 1322);
            let (x0, y0) = axes.at(1024, 49);
            let (x1, y1) = axes.at(32_768, 1322);
            assert!(x1 > x0 && y1 < y0);
        }
    }
}
