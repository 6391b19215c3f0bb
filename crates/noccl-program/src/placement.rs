// SPDX-License-Identifier: Apache-2.0
//! Which tiles ranks run on: a rectangle from the south-west corner, as near to a square as the network has.

use crate::error::ProgramError;
use noccl_net::{Coord, Network};

/// The tile of each rank, along the rows.
///
/// # Errors
/// [`ProgramError::Ranks`] if there are more ranks than tiles, or none.
pub fn places(network: &Network, ranks: u32) -> Result<Vec<Coord>, ProgramError> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let rectangles = (1..=width).flat_map(|columns| (1..=height).map(move |rows| (columns, rows)));
    let holds =
        rectangles.filter(|(columns, rows)| u32::from(*columns) * u32::from(*rows) >= ranks);
    // Fewest tiles, then nearest to a square, then more columns than rows.
    let best = holds.min_by_key(|(columns, rows)| {
        let tiles = u32::from(*columns) * u32::from(*rows);
        (tiles, columns.abs_diff(*rows), columns < rows)
    });
    let Some((columns, _)) = best.filter(|_| ranks > 0) else {
        return Err(ProgramError::Ranks {
            ranks,
            tiles: usize::from(width) * usize::from(height),
            what: if network.cores().is_some() {
                "core"
            } else {
                "cluster"
            },
        });
    };
    let columns = u32::from(columns);
    let at = |rank: u32| Coord::new((rank % columns) as u16, (rank / columns) as u16);
    Ok((0..ranks).map(at).collect())
}
