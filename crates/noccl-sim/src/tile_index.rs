// SPDX-License-Identifier: Apache-2.0
//! Indices of the tiles that schedules and traces name.

use noccl_net::{Network, TileRef};

/// Index of a tile that a checked schedule or trace names.
///
/// A tile that is not there gets an index beyond all tiles, so that using it fails; 0 would be another tile.
pub(crate) fn tile_index(network: &Network, tile: TileRef) -> u32 {
    let found = network.find(tile);
    found.map_or(network.num_tiles() as u32, |tile| tile.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_net::{Coord, elaborate};

    #[test]
    fn an_absent_tile_has_no_index_of_another() {
        let text = noccl_spec::preset_text("collective_noc_4x4").unwrap();
        let spec = noccl_spec::parse_spec("collective_noc_4x4", &text, &[]).unwrap();
        let network = elaborate(&spec).unwrap();
        let index = |x| tile_index(&network, TileRef::Cluster(Coord::new(x, 0)));
        assert!((index(3) as usize) < network.num_tiles());
        assert_eq!(index(4) as usize, network.num_tiles());
    }
}
