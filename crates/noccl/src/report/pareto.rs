// SPDX-License-Identifier: Apache-2.0
//! Time of a workload over the area of a tile, a point per mechanism, with the line through those that nothing beats in both.

use super::svg::{Anchor, Svg};
use crate::study::{Advice, AdviceEvidence, AdviceRow};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 52.0;
/// Between the axis of areas and the mechanisms that have none.
const GAP: f64 = 40.0;
const LETTER: f64 = 6.6;
const LINE_HEIGHT: f64 = 15.0;
/// Ticks of an axis, about.
const TICKS: f64 = 6.0;
/// Times above so many times that of software are drawn at the upper edge.
const MOST_TIMES: f64 = 1.5;
/// From here on times are shown in milliseconds.
const US_IN_MS: f64 = 10_000.0;
/// Between two points of a line that labels avoid.
const STEP: f64 = 8.0;
/// Offsets of a label that are tried, in lines.
const MOST_OFFSET: i32 = 8;

/// A rectangle: left, top, right, bottom.
type Area = (f64, f64, f64, f64);

struct ParetoAxes {
    most_kge: f64,
    most_us: f64,
    tick_kge: f64,
    tick_us: f64,
}

impl ParetoAxes {
    fn new(rows: &[AdviceRow]) -> Self {
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(1e-9, f64::max);
        let areas = rows.iter().filter_map(|row| row.area.as_ref());
        let most_kge = most(&mut areas.map(|area| area.kge));
        let most_us = most(&mut rows.iter().map(|row| row.time_us));
        let software = rows.first().map_or(most_us, |row| row.time_us);
        let most_us = most_us.min(MOST_TIMES * software);
        let (tick_kge, tick_us) = (tick(most_kge), tick(most_us));
        Self {
            most_kge: (most_kge / tick_kge).ceil() * tick_kge,
            most_us: (most_us / tick_us).ceil() * tick_us,
            tick_kge,
            tick_us,
        }
    }

    fn x(&self, kge: f64) -> f64 {
        LEFT + kge / self.most_kge * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, us: f64) -> f64 {
        HEIGHT - BOTTOM - us / self.most_us * (HEIGHT - TOP - BOTTOM)
    }

    /// A mechanism; without an area it is right of the axis.
    fn at(&self, row: &AdviceRow) -> (f64, f64) {
        let x = match &row.area {
            Some(area) => self.x(area.kge),
            None => WIDTH - RIGHT + GAP,
        };
        (x, self.y(row.time_us.min(self.most_us)))
    }

    /// Name of a point, with its time where that is above the axis; of a bound that it is one.
    fn name(&self, row: &AdviceRow) -> String {
        let name = row.mechanism.name();
        let least = match row.evidence {
            AdviceEvidence::Bound => " at least",
            AdviceEvidence::Simulated | AdviceEvidence::Estimated => "",
        };
        match row.time_us > self.most_us {
            true => {
                let time = number(self.shown(row.time_us));
                format!("{name}:{least} {time} {}", self.unit())
            }
            false if least.is_empty() => name.to_owned(),
            false => format!("{name},{least}"),
        }
    }

    fn unit(&self) -> &'static str {
        if self.most_us >= US_IN_MS {
            "ms"
        } else {
            "µs"
        }
    }

    fn shown(&self, us: f64) -> f64 {
        if self.most_us >= US_IN_MS {
            us / 1e3
        } else {
            us
        }
    }

    fn draw(&self, svg: &mut Svg) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for index in 0..=(self.most_us / self.tick_us).round() as u32 {
            let time = f64::from(index) * self.tick_us;
            let y = self.y(time);
            svg.line((LEFT, y), (right + GAP, y), "grid");
            svg.text(
                (LEFT - 8.0, y + 4.0),
                Anchor::End,
                "tick",
                &number(self.shown(time)),
            );
        }
        for index in 0..=(self.most_kge / self.tick_kge).round() as u32 {
            let area = f64::from(index) * self.tick_kge;
            let x = self.x(area);
            svg.line((x, bottom), (x, bottom + 5.0), "axis");
            svg.text((x, bottom + 19.0), Anchor::Middle, "tick", &number(area));
        }
        svg.line((LEFT, bottom), (right, bottom), "axis");
        svg.line((right + GAP, TOP), (right + GAP, bottom), "bound");
        let none = (right + GAP, TOP - 16.0);
        svg.text(none, Anchor::Middle, "tick", "not synthesised");
        let middle = f64::midpoint(LEFT, right);
        let name = "area of routers and additions per tile [kGE], without memories";
        svg.text((middle, HEIGHT - 8.0), Anchor::Middle, "axis-name", name);
        let name = format!("time of the whole workload [{}]", self.unit());
        svg.text_upwards((16.0, f64::midpoint(TOP, bottom)), "axis-name", &name);
    }
}

/// The plot.
pub(super) fn pareto(advice: &Advice) -> Svg {
    let [columns, rows] = advice.mesh;
    let title = format!("{} on {columns}×{rows} clusters", advice.workload);
    let mut svg = Svg::new(WIDTH, HEIGHT, &format!("Time over area: {title}"));
    svg.text((LEFT, 18.0), Anchor::Start, "axis-name", &title);
    let axes = ParetoAxes::new(&advice.rows);
    axes.draw(&mut svg);
    let front: Vec<(f64, f64)> = front(&advice.rows).iter().map(|row| axes.at(row)).collect();
    svg.polyline(&front, "s5");
    let around = |(x, y): (f64, f64), far: f64| (x - far, y - far, x + far, y + far);
    let points = advice.rows.iter().map(|row| around(axes.at(row), 6.0));
    let line = front.windows(2).flat_map(|ends| between(ends[0], ends[1]));
    let mut taken: Vec<Area> = points.chain(line.map(|at| around(at, 1.0))).collect();
    for (index, row) in advice.rows.iter().enumerate() {
        let area = row.area.as_ref();
        let area = area.map_or_else(String::new, |area| format!(", {:.1} kGE", area.kge));
        let tip = format!("{}: {:.1} µs{area}", row.mechanism.name(), row.time_us);
        let class = format!("m{}", index % 6);
        svg.marker(axes.at(row), index, &class, &tip);
    }
    for (index, row) in advice.rows.iter().enumerate() {
        let class = format!("t{}", index % 6);
        label(&mut svg, axes.at(row), &axes.name(row), &class, &mut taken);
    }
    svg
}

/// Points of a line, some pixels from each other.
fn between(from: (f64, f64), to: (f64, f64)) -> Vec<(f64, f64)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let count = (dx.hypot(dy) / STEP).ceil().max(1.0);
    let at = |index: u32| {
        let share = f64::from(index) / count;
        (from.0 + share * dx, from.1 + share * dy)
    };
    (0..=count as u32).map(at).collect()
}

/// A name right of its point, moved up or down to where nothing is; then a line leads to it.
fn label(svg: &mut Svg, (x, y): (f64, f64), name: &str, class: &str, taken: &mut Vec<Area>) {
    let width = LETTER * name.chars().count() as f64;
    let area = |offset: i32| {
        let middle = y + f64::from(offset) * LINE_HEIGHT;
        let left = x + 10.0;
        let half = LINE_HEIGHT / 2.0 - 0.5;
        (left, middle - half, left + width, middle + half)
    };
    let is_free = |offset: &i32| {
        let (left, top, right, bottom) = area(*offset);
        let meets =
            |other: &Area| left < other.2 && other.0 < right && top < other.3 && other.1 < bottom;
        top > 0.0 && bottom < HEIGHT - BOTTOM && !taken.iter().any(meets)
    };
    let tried = (0..=MOST_OFFSET).flat_map(|offset| [-offset, offset]);
    // 0: beside its point, over another label, where all around is taken.
    let offset = tried.into_iter().find(is_free).unwrap_or(0);
    let place = area(offset);
    let middle = f64::midpoint(place.1, place.3);
    if offset != 0 {
        svg.line((x, y), (place.0 - 2.0, middle), "axis");
    }
    svg.text((place.0, middle + 4.0), Anchor::Start, class, name);
    taken.push(place);
}

/// Mechanisms with an area that no other beats in both time and area, by area.
fn front(rows: &[AdviceRow]) -> Vec<&AdviceRow> {
    let mut known: Vec<(f64, &AdviceRow)> = rows
        .iter()
        .filter_map(|row| Some((row.area.as_ref()?.kge, row)))
        .collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = f64::INFINITY;
    known
        .into_iter()
        .filter_map(|(_, row)| {
            let is_faster = row.time_us < least;
            least = least.min(row.time_us);
            is_faster.then_some(row)
        })
        .collect()
}

/// 1, 2 or 5 times a power of ten, some of which cover an axis.
fn tick(most: f64) -> f64 {
    let power = 10f64.powf((most / TICKS).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    // 10: the last of the four, which is always enough.
    let enough = steps.into_iter().find(|step| most / step <= TICKS);
    enough.unwrap_or(10.0 * power)
}

/// A number without digits that are not needed.
fn number(value: f64) -> String {
    if value >= 100.0 {
        return format!("{value:.0}");
    }
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_cover_an_axis_with_a_few_steps() {
        for most in [0.004, 1.0, 7.0, 711.3, 15_703.0] {
            let step = tick(most);
            assert!((2.0..=TICKS).contains(&(most / step)), "{most} {step}");
        }
    }

    #[test]
    fn numbers_have_no_digits_that_say_nothing() {
        assert_eq!([0.0, 200.0, 0.25].map(number), ["0", "200", "0.25"]);
    }
}
