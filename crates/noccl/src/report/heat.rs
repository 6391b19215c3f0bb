// SPDX-License-Identifier: Apache-2.0
//! Link loads drawn on the mesh: every directed link an arrow, coloured by its flits.

use super::svg::Markup;
use super::svg::{Anchor, Svg};
use super::{Case, algorithm, size_label};
use crate::collective::CompareRow;
use noccl_net::counts::max_or_zero;
use noccl_spec::{Plane, PlaneName};

/// Side of a tile in pixels: names of one and of two digits fit.
const TILE_SIDES: [f64; 2] = [28.0, 40.0];
const GAP: f64 = 26.0;
const MARGIN: f64 = 6.0;
/// A plane that carries less than the busiest one by this factor is behind a line.
const CLOSED_BELOW: u64 = 10;
/// Colour classes h0 (nothing) to h7 (the busiest link of the case).
const CLASSES: u64 = 7;
/// Larger meshes would draw links thinner than a pixel.
const MAX_TILES_PER_SIDE: u16 = 20;

/// Meshes of the largest size: fastest software algorithm and the in-network one, all planes.
pub(super) fn heat_maps(case: &Case<'_>) -> Markup {
    let rows = shown(case);
    if rows.is_empty() {
        return Markup::new();
    }
    let most = rows
        .iter()
        .flat_map(|r| &r.links)
        .map(|l| l.flits)
        .max()
        .unwrap_or(1);
    let figures: Markup = rows.into_iter().map(|row| figure(row, most)).collect();
    Markup::element("div", &[("class", "maps")], figures)
        .line()
        .then(&scale(most))
}

fn figure(row: &CompareRow, most: u64) -> Markup {
    let (name, size) = (algorithm(row), size_label(row.bytes));
    let caption = Markup::text(format!("{name}, {size}: {} cycles", row.cycles));
    let planes: Vec<(PlaneName, u64)> = (planes_of(row).into_iter())
        .map(|plane| (plane, busiest(row, plane)))
        .collect();
    let of_all = max_or_zero(planes.iter().map(|(_, flits)| *flits));
    let is_open = |flits: u64| flits.saturating_mul(CLOSED_BELOW) >= of_all.max(1);
    let draw = |shown: bool| -> Markup {
        let chosen = (planes.iter()).filter(|(_, flits)| *flits > 0 && is_open(*flits) == shown);
        let meshes: Markup = chosen.map(|(plane, _)| mesh(row, *plane, most)).collect();
        if meshes.is_empty() {
            return meshes;
        }
        Markup::element("div", &[("class", "planes")], meshes).line()
    };
    let content = Markup::element("figcaption", &[], caption)
        .line()
        .then(&draw(true))
        .then(&closed_planes(&planes, is_open, draw(false)));
    Markup::element("figure", &[("class", "heat")], content).line()
}

/// The planes that carry little, behind a line that says how much; those that carry nothing are only named.
fn closed_planes(
    planes: &[(PlaneName, u64)],
    is_open: impl Fn(u64) -> bool,
    meshes: Markup,
) -> Markup {
    let hidden: Vec<String> = (planes.iter())
        .filter(|(_, flits)| *flits == 0 || !is_open(*flits))
        .map(|(plane, flits)| match flits {
            0 => format!("{}: no flits", plane.name()),
            _ => format!("{}: at most {flits} flits per link", plane.name()),
        })
        .collect();
    let text = Markup::text(hidden.join("; "));
    if hidden.is_empty() {
        Markup::new()
    } else if meshes.is_empty() {
        Markup::element("p", &[("class", "muted-text")], text).line()
    } else {
        let summary = Markup::element("summary", &[("class", "muted-text")], text);
        Markup::element("details", &[], summary.then(&meshes)).line()
    }
}

fn busiest(row: &CompareRow, plane: PlaneName) -> u64 {
    let of_plane = row.links.iter().filter(|l| l.plane == plane);
    max_or_zero(of_plane.map(|l| l.flits))
}

fn shown<'a>(case: &Case<'a>) -> Vec<&'a CompareRow> {
    let most_bytes = case.rows.iter().map(|r| r.bytes).max();
    let drawable = |r: &&&'a CompareRow| {
        Some(r.bytes) == most_bytes
            && !r.links.is_empty()
            && r.mesh.iter().all(|n| *n <= MAX_TILES_PER_SIDE)
    };
    let fastest = |is_in_network: bool| {
        case.rows
            .iter()
            .filter(drawable)
            .filter(|r| r.is_in_network == is_in_network)
            .min_by_key(|r| r.cycles)
            .copied()
    };
    [fastest(false), fastest(true)]
        .into_iter()
        .flatten()
        .collect()
}

/// Planes of the network of a row: those between cores, if one of them has carried something, else those of AXI.
fn planes_of(row: &CompareRow) -> Vec<PlaneName> {
    let of_cores = [PlaneName::Udn, PlaneName::Static];
    if row.links.iter().any(|link| of_cores.contains(&link.plane)) {
        return of_cores.to_vec();
    }
    Plane::ALL.map(PlaneName::from).to_vec()
}

/// One plane. North is up, so y = 0 is drawn at the bottom.
fn mesh(row: &CompareRow, plane: PlaneName, most: u64) -> Markup {
    let [width, height] = row.mesh;
    let tile = tile_side(row);
    let pitch = tile + GAP;
    let size = |n: u16| f64::from(n - 1).mul_add(pitch, 2.0f64.mul_add(MARGIN, tile));
    let name = plane.name();
    let label = format!("Flits per link on the {name} plane, {}", algorithm(row));
    let mut svg = Svg::new(size(width), size(height) + 22.0, &label);
    let centre = |x: u16, y: u16| {
        (
            f64::from(x).mul_add(pitch, MARGIN + tile / 2.0),
            f64::from(height - 1 - y).mul_add(pitch, MARGIN + tile / 2.0),
        )
    };
    for x in 0..width {
        for y in 0..height {
            draw_tile(&mut svg, row, (centre(x, y), tile), (x, y));
        }
    }
    for (from, to) in neighbours(width, height) {
        let link = row
            .links
            .iter()
            .find(|l| l.plane == plane && l.from == from && l.to == to);
        // 0: links that no flit passed are not listed.
        let flits = link.map_or(0, |l| l.flits);
        draw_link(
            &mut svg,
            [centre(from[0], from[1]), centre(to[0], to[1])],
            tile,
            class(flits, most),
            &format!(
                "{name} ({},{}) to ({},{}): {flits} flits",
                from[0], from[1], to[0], to[1]
            ),
        );
    }
    let most_here = format!("{name}: at most {} flits", busiest(row, plane));
    svg.text(
        (MARGIN, size(height) + 12.0),
        Anchor::Start,
        "tick",
        &most_here,
    );
    Markup::element("div", &[("class", "scrolled")], svg.finish()).line()
}

fn tile_side(row: &CompareRow) -> f64 {
    let [_, _, columns, rows] = row.cluster_region;
    TILE_SIDES[usize::from(columns.max(rows) > 10)]
}

type Point = (f64, f64);

/// A tile by its centre and its side.
fn draw_tile(svg: &mut Svg, row: &CompareRow, ((cx, cy), side): (Point, f64), (x, y): (u16, u16)) {
    let [x0, y0, width, height] = row.cluster_region;
    let is_cluster = (x0..x0 + width).contains(&x) && (y0..y0 + height).contains(&y);
    let class = if is_cluster { "cluster" } else { "memory" };
    svg.rect((cx - side / 2.0, cy - side / 2.0), (side, side), class);
    let name = if is_cluster {
        format!("{},{}", x - x0, y - y0)
    } else {
        "m".to_owned()
    };
    svg.text((cx, cy + 4.0), Anchor::Middle, "tile-name", &name);
}

/// The two directions of a link run side by side, each to the right of its direction.
fn draw_link(svg: &mut Svg, [from, to]: [Point; 2], tile: f64, class: u64, tip: &str) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1e-6);
    let (ux, uy) = (dx / length, dy / length);
    let (gap, side) = (tile / 2.0 + 1.5, 6.0);
    let shift =
        |(x, y): (f64, f64), along: f64| (x + ux * along - uy * side, y + uy * along + ux * side);
    svg.arrow(
        shift(from, gap),
        shift(to, -gap),
        if class == 0 { 1.2 } else { 4.5 },
        &format!("h{class}"),
        tip,
    );
}

fn neighbours(width: u16, height: u16) -> impl Iterator<Item = ([u16; 2], [u16; 2])> {
    let east = (0..width.saturating_sub(1))
        .flat_map(move |x| (0..height).map(move |y| ([x, y], [x + 1, y])));
    let north = (0..width)
        .flat_map(move |x| (0..height.saturating_sub(1)).map(move |y| ([x, y], [x, y + 1])));
    east.chain(north).flat_map(|(a, b)| [(a, b), (b, a)])
}

fn class(flits: u64, most: u64) -> u64 {
    // In 128 bits: a stored row may hold any number.
    let classes = (u128::from(flits) * u128::from(CLASSES)).div_ceil(u128::from(most.max(1)));
    classes.min(u128::from(CLASSES)) as u64
}

fn scale(most: u64) -> Markup {
    let mut svg = Svg::new(356.0, 56.0, "Colour scale of the link loads");
    svg.text((0.0, 13.0), Anchor::Start, "tick", "flits per link, up to:");
    for class in 0..=CLASSES {
        let x = class as f64 * 44.0;
        svg.rect((x, 20.0), (41.0, 14.0), &format!("h{class}"));
        let limit = u128::from(class) * u128::from(most) / u128::from(CLASSES);
        svg.text((x + 20.5, 50.0), Anchor::Middle, "tick", &limit.to_string());
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unused_link_has_the_lowest_class_and_the_busiest_the_highest() {
        assert_eq!(class(0, 100), 0);
        assert_eq!(class(1, 100), 1);
        assert_eq!(class(100, 100), CLASSES);
    }

    #[test]
    fn a_mesh_has_two_directed_links_between_neighbours() {
        assert_eq!(neighbours(5, 4).count(), 2 * (4 * 4 + 5 * 3));
        assert_eq!(neighbours(1, 1).count(), 0);
    }
}
