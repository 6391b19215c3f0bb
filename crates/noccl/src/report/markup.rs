// SPDX-License-Identifier: Apache-2.0
//! HTML and SVG as text, put together so that what comes from files and rows cannot become markup.
//!
//! Names of elements and attributes and raw markup are texts of this program (`&'static str`). Every other text goes
//! in through [`Markup::text`] or as the value of an attribute, and both escape it.

use noccl_files::visible;
use std::fmt::Display;

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
