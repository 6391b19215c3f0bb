// SPDX-License-Identifier: Apache-2.0
//! Plots as SVG: marks, axes, lines, bars; and pages that hold tables between markers.

mod axes;
pub(crate) mod bars;
pub(crate) mod figure;
mod markup;
pub(crate) mod page;
pub(crate) mod panels;
pub(crate) mod svg;

pub use markup::{Attribute, Markup};
pub use svg::{Anchor, Svg, decades};
