// SPDX-License-Identifier: Apache-2.0
//! SVG elements as text. Colours come from classes, so that the page's theme decides them.

use noccl_files::visible;
use std::fmt::{Display, Write};

/// Shapes of markers.
pub(super) const MARKERS: usize = 8;
const PLUS: [(f64, f64); 12] = [
    (-1.8, -5.0),
    (1.8, -5.0),
    (1.8, -1.8),
    (5.0, -1.8),
    (5.0, 1.8),
    (1.8, 1.8),
    (1.8, 5.0),
    (-1.8, 5.0),
    (-1.8, 1.8),
    (-5.0, 1.8),
    (-5.0, -1.8),
    (-1.8, -1.8),
];
const HALF_ROOT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A drawing of a given size with a description for screen readers.
pub struct Svg {
    body: Markup,
    width: f64,
    height: f64,
    label: String,
}

/// Where a text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

impl Svg {
    /// Nothing drawn yet.
    #[must_use]
    pub fn new(width: f64, height: f64, label: &str) -> Self {
        Self {
            body: Markup::new(),
            width,
            height,
            label: label.to_owned(),
        }
    }

    fn put(&mut self, element: Markup) {
        self.body.push(&element.line());
    }

    /// A line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(tenths);
        let ends = [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)];
        self.put(Markup::empty("line", &with_class(&ends, class)));
    }

    /// A line through points.
    pub fn polyline(&mut self, points: &[(f64, f64)], class: &str) {
        let points = joined(points);
        let attributes = [("points", points.as_str()), ("class", class)];
        self.put(Markup::empty("polyline", &attributes));
    }

    /// An arrow from one point to another: shaft and head as one filled shape, with a tooltip.
    pub fn arrow(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        thickness: f64,
        class: &str,
        tip: &str,
    ) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-6);
        let (ux, uy) = (dx / length, dy / length);
        let (half, head, wing) = (thickness / 2.0, thickness + 3.0, thickness / 2.0 + 2.5);
        let at = |along: f64, across: f64| {
            (
                from.0 + ux * along - uy * across,
                from.1 + uy * along + ux * across,
            )
        };
        let neck = length - head;
        let points = [
            at(0.0, half),
            at(neck, half),
            at(neck, wing),
            at(length, 0.0),
            at(neck, -wing),
            at(neck, -half),
            at(0.0, -half),
        ];
        self.put(polygon(&points, class, tip));
    }

    /// A rectangle.
    pub fn rect(&mut self, corner: (f64, f64), size: (f64, f64), class: &str) {
        let [x, y, width, height] = [corner.0, corner.1, size.0, size.1].map(tenths);
        let sides = [("x", x), ("y", y), ("width", width), ("height", height)];
        let mut attributes = with_class(&sides, class);
        attributes.insert(sides.len(), ("rx", "3"));
        self.put(Markup::empty("rect", &attributes));
    }

    /// A text.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (tenths(at.0), tenths(at.1));
        let place = [("x", x), ("y", y), ("text-anchor", anchor.to_owned())];
        let attributes = with_class(&place, class);
        self.put(Markup::element("text", &attributes, Markup::text(text)));
    }

    /// A text that reads upwards.
    pub fn text_upwards(&mut self, at: (f64, f64), class: &str, text: &str) {
        let place = format!("translate({:.1} {:.1}) rotate(-90)", at.0, at.1);
        let attributes = [
            ("transform", place.as_str()),
            ("text-anchor", "middle"),
            ("class", class),
        ];
        self.put(Markup::element("text", &attributes, Markup::text(text)));
    }

    /// A point with a tooltip; the shape follows the index, so that lines differ without colour too.
    pub fn marker(&mut self, (x, y): (f64, f64), shape: usize, class: &str, tip: &str) {
        let outline: &[(f64, f64)] = match shape % MARKERS {
            0 => {
                let centre = [("cx", tenths(x)), ("cy", tenths(y)), ("r", "4".to_owned())];
                let circle = Markup::element("circle", &with_class(&centre, class), title(tip));
                return self.put(circle);
            }
            1 => &[(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)],
            2 => &[(0.0, -4.8), (4.6, 3.6), (-4.6, 3.6)],
            3 => &[(0.0, -5.2), (5.2, 0.0), (0.0, 5.2), (-5.2, 0.0)],
            4 => &[(0.0, 4.8), (4.6, -3.6), (-4.6, -3.6)],
            5 => &PLUS,
            6 => &PLUS.map(|(dx, dy)| ((dx - dy) * HALF_ROOT, (dx + dy) * HALF_ROOT)),
            _ => &[(-4.8, 0.0), (3.6, -4.6), (3.6, 4.6)],
        };
        let points: Vec<_> = (outline.iter()).map(|(dx, dy)| (x + dx, y + dy)).collect();
        self.put(polygon(&points, class, tip));
    }

    /// The drawing inside a page, whose style sheet it follows.
    pub fn finish(self) -> Markup {
        let (width, height) = (format!("{:.0}", self.width), format!("{:.0}", self.height));
        let view = format!("0 0 {width} {height}");
        let attributes = [
            ("viewBox", view.as_str()),
            ("width", &width),
            ("height", &height),
            ("role", "img"),
            ("aria-label", &self.label),
        ];
        let content = Markup::new().line().then(&self.body);
        Markup::element("svg", &attributes, content).line()
    }
}

/// The ground of a drawing that stands alone.
const GROUND: &str = "ground";

impl Svg {
    /// The drawing as a file, with the style sheet of pages.
    pub fn into_file(self, style: &'static str) -> String {
        let (width, height) = (format!("{:.0}", self.width), format!("{:.0}", self.height));
        let view = format!("0 0 {width} {height}");
        let attributes = [
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("viewBox", view.as_str()),
            ("width", &width),
            ("height", &height),
            ("role", "img"),
            ("aria-label", &self.label),
        ];
        let all = [("width", "100%"), ("height", "100%"), ("class", GROUND)];
        let content = Markup::new()
            .line()
            .then(&Markup::element("style", &[], Markup::raw(style)).line())
            .then(&Markup::empty("rect", &all).line())
            .then(&self.body);
        Markup::element("svg", &attributes, content)
            .line()
            .into_string()
    }
}

fn polygon(points: &[(f64, f64)], class: &str, tip: &str) -> Markup {
    let points = joined(points);
    let attributes = [("points", points.as_str()), ("class", class)];
    Markup::element("polygon", &attributes, title(tip))
}

fn title(tip: &str) -> Markup {
    Markup::element("title", &[], Markup::text(tip))
}

fn joined(points: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (x, y) in points {
        // Writing to a string cannot fail.
        let _ = write!(text, "{x:.1},{y:.1} ");
    }
    text.trim_end().to_owned()
}

fn tenths(length: f64) -> String {
    format!("{length:.1}")
}

fn with_class<'a>(attributes: &'a [(&'static str, String)], class: &'a str) -> Vec<Attribute<'a>> {
    let attributes = attributes
        .iter()
        .map(|(name, value)| (*name, value.as_str()));
    attributes.chain([("class", class)]).collect()
}

/// Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten from just below `low` to just above `high`.
pub fn decades(low: f64, high: f64) -> Vec<f64> {
    let all: Vec<f64> = (-3..18)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit: f64| digit * 10f64.powi(power)))
        .collect();
    // 0: the first tick, where all lie above `low`.
    let first = all.iter().rposition(|t| *t <= low).unwrap_or(0);
    let last = all.iter().position(|t| *t >= high).unwrap_or(all.len() - 1);
    all[first..=last].to_vec()
}

// HTML and SVG as text, put together so that what comes from files and rows cannot become markup.
//
// Names of elements and attributes and raw markup are texts of this program (`&'static str`). Every other text goes
// in through [`Markup::text`] or as the value of an attribute, and both escape it.

/// A piece of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup(String);

/// Name of an attribute and its value, which may be any text.
pub type Attribute<'a> = (&'static str, &'a str);

impl Markup {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(String::new())
    }

    /// Text that is to be read, of any origin.
    pub fn text(text: impl Display) -> Self {
        Self(escape(&text.to_string()))
    }

    /// Markup that stands in this program.
    pub fn raw(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    /// An element with content.
    pub fn element(name: &'static str, attributes: &[Attribute<'_>], content: Self) -> Self {
        let start = tag(name, attributes);
        Self(format!("<{start}>{}</{name}>", content.0))
    }

    /// An element without content, as SVG writes it.
    pub fn empty(name: &'static str, attributes: &[Attribute<'_>]) -> Self {
        Self(format!("<{}/>", tag(name, attributes)))
    }

    /// Appends.
    pub fn push(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// This, followed by the other.
    #[must_use]
    pub fn then(mut self, other: &Self) -> Self {
        self.push(other);
        self
    }

    /// This, followed by the end of a line.
    #[must_use]
    pub fn line(self) -> Self {
        self.then(&Self::raw("\n"))
    }

    /// Is there nothing in it?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<I: IntoIterator<Item = Markup>>(parts: I) -> Self {
        parts
            .into_iter()
            .fold(Self::new(), |all, part| all.then(&part))
    }
}

fn tag(name: &'static str, attributes: &[Attribute<'_>]) -> String {
    let write = |text: String, (name, value): &Attribute<'_>| {
        format!("{text} {name}=\"{}\"", escape(value))
    };
    attributes.iter().fold(name.to_owned(), write)
}

/// Text that is safe inside elements and quoted attributes. Control characters have no place in either.
fn escape(text: &str) -> String {
    visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_never_end_what_they_are_in() {
        let hostile = "\"><script a='&'>\u{1b}";
        let made = Markup::element("p", &[("title", hostile)], Markup::text(hostile));
        let safe = "&quot;&gt;&lt;script a='&amp;'&gt;\\u{1b}";
        assert_eq!(
            made.into_string(),
            format!("<p title=\"{safe}\">{safe}</p>")
        );
    }
}
