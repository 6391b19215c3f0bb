// SPDX-License-Identifier: Apache-2.0
//! How much uniform traffic loads the busiest link: in closed form, since the sum over all pairs of a large mesh takes minutes.

/// Mean flits per cycle on the busiest link of `columns` by `rows` tiles if each sends a flit per cycle to any other tile,
/// equally likely. Zero of a single tile.
///
/// A link towards the east behind column x carries what the x + 1 tiles of its row send to the columns beyond; a link
/// towards the north above row y what the tiles of all columns and y + 1 rows send to the tiles of its column beyond. Every
/// tile takes in one flit per cycle. Source: Dally and Towles, *Principles and Practices of Interconnection Networks*, 3.3.1;
/// tied to [`next_hop`](crate::Network::next_hop) by a test.
#[must_use]
pub fn busiest_uniform_load(columns: u16, rows: u16) -> f64 {
    let tiles = f64::from(columns) * f64::from(rows);
    if tiles < 2.0 {
        return 0.0;
    }
    // The middle of a line splits it into the parts with the largest product.
    let cut = |length: u16| f64::from(length / 2) * f64::from(length - length / 2);
    let along_rows = cut(columns) * f64::from(rows);
    let along_columns = cut(rows) * f64::from(columns);
    (along_rows.max(along_columns) / (tiles - 1.0)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coord, Port, elaborate};
    use std::collections::BTreeMap;

    #[test]
    fn the_closed_form_is_the_sum_over_all_routes() {
        for (columns, rows) in [
            (1, 2),
            (2, 1),
            (2, 2),
            (3, 2),
            (4, 4),
            (5, 3),
            (2, 7),
            (8, 8),
        ] {
            let preset = format!("collective_noc_{columns}x{rows}");
            let text = noccl_spec::preset_text(&preset).unwrap();
            let network = elaborate(&noccl_spec::parse_spec(&preset, &text, &[]).unwrap()).unwrap();
            let all = || (0..columns).flat_map(move |x| (0..rows).map(move |y| Coord::new(x, y)));
            let mut loads: BTreeMap<(Coord, Port), u32> = BTreeMap::new();
            for from in all() {
                for to in all().filter(|to| *to != from) {
                    let ends = (network.mesh_coord(from), network.mesh_coord(to));
                    for link in network.path(ends.0, ends.1) {
                        *loads.entry(link).or_default() += 1;
                    }
                }
            }
            let others = f64::from(columns) * f64::from(rows) - 1.0;
            let most = f64::from(loads.into_values().max().unwrap()) / others;
            let closed = busiest_uniform_load(columns, rows);
            assert!((closed - most).abs() < 1e-12, "{preset}: {closed}, {most}");
        }
    }
}
