// SPDX-License-Identifier: Apache-2.0
//! Groups of bars, for what has names instead of numbers on the x axis.

use super::axes::number;
use super::figure::{Figure, STYLE, legend};
use crate::plots::svg::{Anchor, Svg, decades};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = HEIGHT - 50.0;
/// Of a group's width, what its bars take.
const FILL: f64 = 0.8;

/// Bars of one kind, one per group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

/// Bars over a logarithmic y axis; a value has to be positive to have one.
pub(crate) fn bars(
    name: &str,
    title: &str,
    (x, y): (&str, &str),
    groups: &[&str],
    all: &[Series],
) -> Figure {
    let mut svg = Svg::new(WIDTH, HEIGHT, title);
    svg.rect((0.0, 0.0), (WIDTH, HEIGHT), "page");
    svg.text((10.0, 20.0), Anchor::Start, "title", title);
    legend(&mut svg, all.iter().map(|series| series.name.as_str()));
    let ticks = ticks(all);
    for tick in &ticks {
        let at = height(*tick, &ticks);
        svg.line((LEFT, at), (RIGHT, at), "grid");
        svg.text((LEFT - 8.0, at + 4.0), Anchor::End, "tick", &number(*tick));
    }
    let group_width = (RIGHT - LEFT) / groups.len().max(1) as f64;
    let bar_width = group_width * FILL / all.len().max(1) as f64;
    for (group, label) in groups.iter().enumerate() {
        let start = LEFT + group as f64 * group_width;
        let middle = (start + group_width / 2.0, BOTTOM + 19.0);
        svg.text(middle, Anchor::Middle, "tick", label);
        let first = start + group_width * (1.0 - FILL) / 2.0;
        for (index, series) in all.iter().enumerate() {
            let Some(value) = series.values.get(group).filter(|v| **v > 0.0) else {
                continue;
            };
            let top = height(*value, &ticks);
            let corner = (first + index as f64 * bar_width, top);
            let class = format!("m{}", index % 6);
            svg.rect(corner, (bar_width - 2.0, BOTTOM - top), &class);
        }
    }
    svg.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
    let middle = (f64::midpoint(LEFT, RIGHT), HEIGHT - 10.0);
    svg.text(middle, Anchor::Middle, "axis-name", x);
    svg.text_upwards((18.0, f64::midpoint(TOP, BOTTOM)), "axis-name", y);
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        svg: svg.standalone(STYLE),
    }
}

/// From below the lowest positive value to above the highest.
fn ticks(all: &[Series]) -> Vec<f64> {
    let values = || all.iter().flat_map(|s| &s.values).copied();
    let high = values().fold(1.0, f64::max);
    let low = values().filter(|v| *v > 0.0).fold(high, f64::min);
    // Even the lowest bar can be seen.
    decades(low / 2.0, high)
}

fn height(value: f64, ticks: &[f64]) -> f64 {
    let low = ticks.first().copied().unwrap_or(1.0).log2();
    let high = ticks.last().copied().unwrap_or(2.0).log2();
    let up = (value.log2() - low) / (high - low).max(1e-9);
    BOTTOM - up * (BOTTOM - TOP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_bar_per_positive_value_inside_the_axes() {
        let series = |name: &str, values: &[f64]| Series {
            name: name.to_owned(),
            values: values.to_vec(),
        };
        let all = [series("s", &[1000.0, 20.0]), series("t", &[0.0, 999.0])];
        let svg = bars("f", "t", ("x", "y"), &["a", "b"], &all).svg;
        assert_eq!(svg.matches("<rect").count(), 1 + 3, "{svg}");
        let ticks = ticks(&all);
        for value in [20.0, 999.0, 1000.0] {
            let at = height(value, &ticks);
            assert!((TOP..BOTTOM - 1.0).contains(&at), "{value} at {at}");
        }
    }
}
