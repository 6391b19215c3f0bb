// SPDX-License-Identifier: Apache-2.0
//! Plots of measured lines as self-contained SVG.

use crate::report::svg::{Anchor, Svg, decades, escape};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 50.0;
const LABEL_GAP: f64 = 16.0;

const STYLE: &str = "text{font:13px sans-serif;fill:#222}.axis{stroke:#444}.grid{stroke:#ddd}\
polyline{fill:none;stroke-width:1.8}rect.page{fill:#fff}\
.s0{stroke:#2563a8}.m0,.t0{fill:#2563a8}.s1{stroke:#c2571a}.m1,.t1{fill:#c2571a}\
.s2{stroke:#2f7d4f}.m2,.t2{fill:#2f7d4f}.s3{stroke:#8a3f8f}.m3,.t3{fill:#8a3f8f}\
.s4{stroke:#8a6d1a}.m4,.t4{fill:#8a6d1a}.s5{stroke:#555}.m5,.t5{fill:#555}";

/// One line of a plot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// File name without extension, after the paper's figure.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The drawing, a whole file.
    pub svg: String,
}

/// Lines over an x axis whose ticks are the data's, logarithmic unless these are evenly spaced; y starts at 0, or is
/// logarithmic where the values span more than a decade.
pub(crate) fn line_chart(name: &str, title: &str, x: &str, y: &str, lines: &[Line]) -> Figure {
    let axes = Axes::new(lines);
    let mut svg = Svg::new(WIDTH, HEIGHT, title);
    svg.rect((0.0, 0.0), (WIDTH, HEIGHT), "page");
    svg.text((LEFT, 20.0), Anchor::Start, "title", title);
    axes.draw(&mut svg, (x, y));
    for (index, line) in lines.iter().enumerate() {
        let places: Vec<(f64, f64)> = line.points.iter().map(|p| axes.at(*p)).collect();
        svg.polyline(&places, &format!("s{}", index % 6));
        for (place, point) in places.iter().zip(&line.points) {
            let tip = format!("{}, {}: {}", line.name, number(point.0), number(point.1));
            svg.marker(*place, index, &format!("m{}", index % 6), &tip);
        }
    }
    draw_names(&mut svg, &axes, lines);
    Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        svg: standalone(&svg.finish()),
    }
}

/// The names at the right end of their lines, pushed apart.
fn draw_names(svg: &mut Svg, axes: &Axes, lines: &[Line]) {
    let mut names: Vec<(f64, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let right = line.points.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
            Some((axes.at(*right).1, index))
        })
        .collect();
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free_from = f64::NEG_INFINITY;
    for (y, index) in names {
        let here = y.max(free_from);
        free_from = here + LABEL_GAP;
        let class = format!("t{}", index % 6);
        let at = (WIDTH - RIGHT + 10.0, here + 4.0);
        svg.text(at, Anchor::Start, &class, &lines[index].name);
    }
}

/// With name space and styles, so that it can be opened alone.
fn standalone(svg: &str) -> String {
    let named = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    named.replacen(">\n", &format!(">\n<style>{}</style>\n", escape(STYLE)), 1)
}

struct Axes {
    ticks_x: Vec<f64>,
    is_even: bool,
    ticks_y: Vec<f64>,
    is_log: bool,
}

impl Axes {
    fn new(lines: &[Line]) -> Self {
        let points = || lines.iter().flat_map(|l| &l.points);
        let mut ticks_x: Vec<f64> = points().map(|p| p.0).collect();
        ticks_x.sort_by(f64::total_cmp);
        ticks_x.dedup();
        let low = points().map(|p| p.1).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| p.1).fold(0.0, f64::max);
        let is_log = low > 0.0 && high / low > 10.0;
        let steps: Vec<f64> = ticks_x.windows(2).map(|w| w[1] - w[0]).collect();
        let is_even = steps.len() > 1 && steps.iter().all(|s| (s - steps[0]).abs() < 1e-9);
        Self {
            ticks_x,
            is_even,
            ticks_y: if is_log {
                decades(low, high)
            } else {
                rounded(high)
            },
            is_log,
        }
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let ends = |ticks: &[f64]| {
            let first = ticks.first().copied().unwrap_or(0.0);
            (first, ticks.last().copied().unwrap_or(first + 1.0))
        };
        let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low).max(1e-9);
        // Shifted, so that an overhead of 0 has a place.
        let scaled = |v: f64| if self.is_even { v } else { (v + 1.0).log2() };
        let (left, right) = ends(&self.ticks_x);
        let across = part(scaled(x), (scaled(left), scaled(right)));
        let (bottom, top) = ends(&self.ticks_y);
        let up = if self.is_log {
            part(y.log2(), (bottom.log2(), top.log2()))
        } else {
            part(y, (bottom, top))
        };
        (
            LEFT + across * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM),
        )
    }

    fn draw(&self, svg: &mut Svg, (x_name, y_name): (&str, &str)) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let x0 = self.ticks_x.first().copied().unwrap_or(0.0);
        for tick in &self.ticks_y {
            let y = self.at((x0, *tick)).1;
            svg.line((LEFT, y), (right, y), "grid");
            svg.text((LEFT - 8.0, y + 4.0), Anchor::End, "tick", &number(*tick));
        }
        let mut free_from = f64::NEG_INFINITY;
        for tick in &self.ticks_x {
            let x = self.at((*tick, self.ticks_y[0])).0;
            svg.line((x, bottom), (x, bottom + 5.0), "axis");
            if x >= free_from {
                svg.text((x, bottom + 19.0), Anchor::Middle, "tick", &number(*tick));
                free_from = x + 30.0;
            }
        }
        svg.line((LEFT, bottom), (right, bottom), "axis");
        let middle = (f64::midpoint(LEFT, right), HEIGHT - 10.0);
        svg.text(middle, Anchor::Middle, "axis-name", x_name);
        let side = (18.0, f64::midpoint(TOP, bottom));
        svg.text_upwards(side, "axis-name", y_name);
    }
}

fn number(value: f64) -> String {
    if value.fract().abs() < 1e-9 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

/// 0 and up to six multiples of 1, 2 or 5 times a power of ten, past `high`.
fn rounded(high: f64) -> Vec<f64> {
    let high = high.max(1e-6);
    let power = 10f64.powf((high / 6.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = steps
        .into_iter()
        .find(|s| high / s <= 6.0)
        .unwrap_or(10.0 * power);
    (0..=(high / step).ceil() as u32)
        .map(|i| f64::from(i) * step)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_lies_inside_the_axes() {
        for high in [0.9, 1.13, 97.0, 3000.0] {
            let line = Line {
                name: "l".to_owned(),
                points: vec![(0.0, high / 30.0), (4.0, high), (256.0, high / 2.0)],
            };
            let axes = Axes::new(std::slice::from_ref(&line));
            for point in line.points {
                let (x, y) = axes.at(point);
                assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{point:?} at {x}");
                assert!(
                    (TOP - 1.0..=HEIGHT - BOTTOM).contains(&y),
                    "{point:?} at {y}"
                );
            }
        }
    }

    #[test]
    fn evenly_spaced_ticks_stay_evenly_spaced_and_powers_do_too() {
        for xs in [[1.0, 2.0, 3.0, 4.0], [7.0, 15.0, 31.0, 63.0]] {
            let points = xs.map(|x| (x, 1.0)).to_vec();
            let name = "l".to_owned();
            let axes = Axes::new(&[Line { name, points }]);
            let at = xs.map(|x| axes.at((x, 1.0)).0);
            let steps: Vec<f64> = at.windows(2).map(|w| w[1] - w[0]).collect();
            assert!(steps.iter().all(|s| (s - steps[0]).abs() < 1e-6), "{at:?}");
        }
    }

    #[test]
    fn a_drawing_stands_alone() {
        let line = Line {
            name: "a < b".to_owned(),
            points: vec![(1.0, 1.0), (2.0, 3.0)],
        };
        let svg = line_chart("f", "t", "x", "y", &[line]).svg;
        assert!(svg.starts_with("<svg xmlns="), "{svg}");
        assert!(svg.contains("<style>") && svg.contains("a &lt; b"), "{svg}");
    }
}
