// SPDX-License-Identifier: Apache-2.0
//! Spec → network: the rules that need geometry.
//!
//! Work is proportional to the tiles; a mesh of 1024×1024 takes milliseconds.

use crate::capabilities::{Bypass, Capabilities};
use crate::planes::{core_planes, planes};
use crate::region::RegionMap;
use crate::{Coord, NetError, Network, TileId, TileKind};
use noccl_spec::{
    AxiTiles, CoreTiles, MAX_ADDRESS, Mesh, Region, Spec, TileKindName, Tiles, validate,
};

/// Most tiles of a mesh: a million clusters and a column of memory tiles on the longest side.
pub const MAX_TILES: u64 = (1 << 20) + 4096;

/// Most regions of a mesh.
pub const MAX_REGIONS: usize = 4096;

/// Elaborates a spec.
///
/// # Errors
/// [`NetError`] naming the field and what would be accepted.
pub fn elaborate(spec: &Spec) -> Result<Network, NetError> {
    validate(spec).map_err(|e| field(e.field, e.found, e.accepted))?;
    match &spec.tiles {
        Tiles::Axi(axi) => elaborate_axi(spec, axi),
        Tiles::Cores(cores) => Ok(elaborate_cores(spec, cores)),
    }
}

/// A core at every tile. There are no addresses: the one region numbers the tiles.
fn elaborate_cores(spec: &Spec, cores: &CoreTiles) -> Network {
    let (width, height) = (spec.mesh.width, spec.mesh.height);
    let region = RegionMap::new(&Region {
        kind: TileKindName::Cluster,
        x: 0,
        y: 0,
        width,
        height,
        base_address: 0,
        stride_bytes: cores.core.memory_bytes.next_power_of_two(),
    });
    Network {
        planes: core_planes(cores),
        spec: spec.clone(),
        capabilities: Capabilities::of(spec),
        kinds: vec![TileKind::Cluster; width as usize * height as usize],
        memories: Vec::new(),
        cluster_region: 0,
        cluster_origin: region.origin,
        cluster_width: region.width,
        cluster_height: region.height,
        regions: vec![region],
    }
}

/// Clusters and memories in regions of the mesh and of the address map.
fn elaborate_axi(spec: &Spec, axi: &AxiTiles) -> Result<Network, NetError> {
    let tiles = u64::from(spec.mesh.width) * u64::from(spec.mesh.height);
    if tiles > MAX_TILES {
        return Err(field(
            "mesh.width * mesh.height",
            tiles,
            format!("must be at most {MAX_TILES}"),
        ));
    }
    if let Some(bypass) = Bypass::of(axi) {
        bypass.check(&spec.mesh)?;
    }
    let regions = region_maps(&spec.mesh, axi)?;
    let kinds = cover_mesh(&spec.mesh, &regions)?;
    reject_overlaps(&regions)?;
    let cluster_region = only_cluster_region(&spec.mesh)?;
    let memories = ids_of(&kinds, TileKind::Memory);
    let clusters = regions[cluster_region];
    let capabilities = Capabilities::of(spec);
    Ok(Network {
        planes: planes(axi, capabilities.routers.has_links),
        spec: spec.clone(),
        capabilities,
        kinds,
        memories,
        regions,
        cluster_region,
        cluster_origin: clusters.origin,
        cluster_width: clusters.width,
        cluster_height: clusters.height,
    })
}

pub(crate) fn field(
    field: impl Into<String>,
    found: impl ToString,
    accepted: impl Into<String>,
) -> NetError {
    NetError::Field {
        field: field.into(),
        found: found.to_string(),
        accepted: accepted.into(),
    }
}

fn only_cluster_region(mesh: &Mesh) -> Result<usize, NetError> {
    let mut clusters = (0..mesh.regions.len())
        .filter(|idx| TileKind::from(mesh.regions[*idx].kind) == TileKind::Cluster);
    match (clusters.next(), clusters.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(field(
            "mesh.regions",
            "without a region of kind \"cluster\"",
            "must hold exactly one, the region that multi-addresses address",
        )),
        (Some(first), Some(second)) => Err(field(
            format!("mesh.regions.{second}.kind"),
            "\"cluster\"",
            format!(
                "must be \"memory\": mesh.regions.{first} holds the clusters already, and a multi-address, a cluster's \
                 coordinates and a router's join set name tiles of one rectangle; make it larger"
            ),
        )),
    }
}

/// Places every region on the mesh and in the address map.
fn region_maps(mesh: &Mesh, axi: &AxiTiles) -> Result<Vec<RegionMap>, NetError> {
    if mesh.regions.len() > MAX_REGIONS {
        return Err(field(
            "mesh.regions",
            format!("{} regions", mesh.regions.len()),
            format!("must be at most {MAX_REGIONS}"),
        ));
    }
    let mut maps = Vec::with_capacity(mesh.regions.len());
    for (idx, region) in mesh.regions.iter().enumerate() {
        let name = |part: &str| format!("mesh.regions.{idx}.{part}");
        for (part, start, length, limit) in [
            ("x", region.x, region.width, mesh.width),
            ("y", region.y, region.height, mesh.height),
        ] {
            if start + length > limit {
                let side = if part == "x" { "width" } else { "height" };
                return Err(field(
                    format!("{} + {side}", name(part)),
                    start + length,
                    format!("must be at most {limit}, the mesh's {side}"),
                ));
            }
        }
        let map = RegionMap::new(region);
        let (memory_bytes, memory) = match region.kind {
            TileKindName::Cluster => (axi.cluster.l1_bytes, "cluster.l1_bytes"),
            TileKindName::Memory => (axi.memory.bytes, "memory.bytes"),
        };
        if region.stride_bytes < memory_bytes {
            return Err(field(
                name("stride_bytes"),
                region.stride_bytes,
                format!(
                    "must be a power of two of at least {memory_bytes}, the memory of one tile ({memory})"
                ),
            ));
        }
        check_base(&name("base_address"), &map)?;
        maps.push(map);
    }
    Ok(maps)
}

/// Address bits select coordinates, so the base must leave them all zero (S1 §3.2.2).
fn check_base(name: &str, map: &RegionMap) -> Result<(), NetError> {
    let bytes = map.bytes();
    let (columns, rows) = map.padded();
    if !map.base.is_multiple_of(bytes) {
        let below = map.base / bytes * bytes;
        return Err(field(
            name,
            format!("{:#x}", map.base),
            format!(
                "must be a multiple of {bytes:#x}, the stride times {columns} x {rows} tiles \
                 (padded to powers of two), e.g. {below:#x} or {:#x}",
                below + bytes
            ),
        ));
    }
    if map.base + (bytes - 1) > MAX_ADDRESS {
        return Err(field(
            name,
            format!("{:#x}", map.base),
            format!("the region's {bytes:#x} bytes must end below 2^48"),
        ));
    }
    Ok(())
}

/// Kind of every tile; every tile must belong to exactly one region.
fn cover_mesh(mesh: &Mesh, regions: &[RegionMap]) -> Result<Vec<TileKind>, NetError> {
    let height = mesh.height as usize;
    let mut kinds: Vec<Option<TileKind>> = vec![None; mesh.width as usize * height];
    let times = |idx: usize| {
        let at = Coord::new((idx / height) as u16, (idx % height) as u16);
        NetError::Coverage {
            at: at.to_string(),
            times: regions.iter().filter(|r| r.has(at)).count(),
        }
    };
    for region in regions {
        for x in 0..region.width as usize {
            let first = (region.origin.x as usize + x) * height + region.origin.y as usize;
            for (y, kind) in kinds[first..first + region.height as usize]
                .iter_mut()
                .enumerate()
            {
                if kind.replace(region.kind).is_some() {
                    return Err(times(first + y));
                }
            }
        }
    }
    kinds
        .iter()
        .enumerate()
        .map(|(idx, kind)| kind.ok_or_else(|| times(idx)))
        .collect()
}

fn reject_overlaps(regions: &[RegionMap]) -> Result<(), NetError> {
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by_key(|idx| regions[*idx].base);
    for pair in order.windows(2) {
        let (low, high) = (&regions[pair[0]], &regions[pair[1]]);
        if low.base + low.bytes() > high.base {
            let (first, second) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            let later = &regions[second];
            return Err(NetError::AddressOverlap {
                first,
                second,
                range: format!("{:#x}..{:#x}", later.base, later.base + later.bytes()),
            });
        }
    }
    Ok(())
}

fn ids_of(kinds: &[TileKind], kind: TileKind) -> Vec<TileId> {
    (0..kinds.len())
        .filter(|idx| kinds[*idx] == kind)
        .map(|idx| TileId(idx as u32))
        .collect()
}
