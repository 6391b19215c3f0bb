// SPDX-License-Identifier: Apache-2.0
//! Spec → network.

use crate::{Coord, NetError, Network, TileKind};
use noccl_spec::{Spec, TileKindName};

/// Elaborates a spec.
///
/// # Errors
/// [`NetError`] naming the field and what would be accepted.
pub fn elaborate(spec: &Spec) -> Result<Network, NetError> {
    let tiles = spec.mesh.width as usize * spec.mesh.height as usize;
    let mut kinds = vec![TileKind::Memory; tiles];
    let mut cluster = (Coord::new(0, 0), 0, 0);
    for region in &spec.mesh.regions {
        let kind = match region.kind {
            TileKindName::Cluster => TileKind::Cluster,
            TileKindName::Memory => TileKind::Memory,
        };
        if kind == TileKind::Cluster {
            cluster = (
                Coord::new(region.x as u16, region.y as u16),
                region.width as u16,
                region.height as u16,
            );
        }
        for x in region.x..region.x + region.width {
            for y in region.y..region.y + region.height {
                kinds[(x * spec.mesh.height + y) as usize] = kind;
            }
        }
    }
    let (cluster_origin, cluster_width, cluster_height) = cluster;
    Ok(Network {
        spec: spec.clone(),
        kinds,
        cluster_origin,
        cluster_width,
        cluster_height,
    })
}
