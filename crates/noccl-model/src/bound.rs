// SPDX-License-Identifier: Apache-2.0
//! Lower bounds on the runtime of a collective.
//!
//! Definition, with n payload beats (`ceil(bytes / beat)`), no AW flits, no arbitration, no software:
//!
//! > `lower_bound_cycles` = one path from where the data are to the farthest place where they must be, at zero load, and the
//! > longer of the n - 1 further beats and an addition, from [`START_EVENT`] to [`END_EVENT`]; `payload_bound_cycles` = n.
//!
//! Beside it `software_bound_cycles` (`bound_software.rs`): of algorithms in which the network neither forks nor adds.
//!
//! **Serialisation.** A port and a link move one beat per cycle. Wherever data has to change tiles,
//! some port passes n beats: the source's output (multicast), every contributor's output and the
//! root's input (reduce), both at every member (all-reduce). A cut of the mesh that separates source
//! and destination passes at least n beats over one or more links, so no cut asks for more than the
//! port, which is itself the narrowest cut. The first beat is part of the latency, hence n - 1.
//!
//! With blocks of n beats among P members, b is the larger of two counts:
//!
//! - *Port*, (P - 1) n: every member takes in the blocks of the others (all-gather), gives away the blocks of
//!   the others (all-to-all), or must let go of P - 1 blocks that it cannot keep (reduce-scatter: a block
//!   of another rank leaves its tile alone or in a partial sum, and partial sums of different
//!   ranks share no beat).
//! - *Cut*: a vertical or horizontal line between tiles leaves A members on one side and B = P - A on the other;
//!   the L links that cross it in one direction pass everything that must come to the other side: all-to-all
//!   A B n beats (no two blocks can share one), all-gather the A n beats that the other side has not
//!   (a multicast crosses once), reduce-scatter B n beats (one partial sum per rank of the other side). The
//!   busiest cut and direction count, the beats over L rounded up. A mesh of 8 by 8 that exchanges all
//!   with all passes 32 * 32 n / 8 = 128 n beats over each link of its middle and 63 n through each port. Without links there
//!   is no cut.
//!
//! **One path.** The last of n beats leaves its port n - 1 cycles after the first valid of all, and has the path before it:
//! [`path_cycles`] of the hops between the two tiles. Relays make no path shorter. Nothing is added for a response: a
//! destination of a delivery sees its own copy and tells nobody, and the requests of reads may travel while earlier beats are written.
//! (Until deliveries there was a round trip in this place, and a chain of them beats that on large meshes: `bounds_of_deliveries.rs`.)
//!
//! **A root that is a memory** begins nothing: a tile reads it. So what a memory gives away (multicast, scatter) begins with the
//! request of the cluster nearest to it and the memory's `latency_cycles`, and has then the path from the memory on: whoever
//! reads, the data come from there.
//!
//! - scatter: root to its farthest member, with n beats of its block. Or all that the root's port gives away: the blocks of the other
//!   members, which differ, in as few beats as their bytes fill together. Gather: the same to the root.
//! - scan: any two members, of which the one of the higher rank needs what the other one has: as all-reduce. The last rank's port takes in
//!   n beats at least.
//! - custom: `bound_custom.rs`.
//!
//! With bypass, hops of this list are paths of up to `router.bypass.hpc_max` links in a line; over so many hops between two members there are as
//! many as along one line at least.
//!
//! - multicast: root to its farthest member.
//! - reduce: farthest contributor to the root. Of each beat, two operands or more must be combined, by a router's unit or a core's
//!   kernel, whichever is faster, once one of them has come from another tile or on the path: path + addition. The last beat
//!   may have been added before it leaves, so the two terms do not add up.
//! - barrier: one path between the two members farthest apart, on the fastest plane: each must hear of the other.
//! - all-reduce, all-gather, all-to-all, reduce-scatter: the two members farthest apart, with n beats of one block; or the b
//!   beats of the busiest port or cut, which begin to arrive after a path of one hop.
//!
//! **Which algorithms it bounds.** All that move data by beats over this network.
//!
//! Where interfaces exchange messages (`bound_messages.rs`), beats are flits and paths are those of routers with bypass; where cores pass
//! words, they count (`bound_cores.rs`).

use crate::ModelError;
use crate::bound_class::Messages;
use crate::bound_class::own_needs;
use crate::bound_class::{BoundClass, Port, Span};
use crate::bound_cores::Words;
use crate::bound_software::Software;
use noccl_net::counts::max_or_zero;
use noccl_net::{AxiNetwork, Coord, Network, TileId, TileRef, TypedNetwork};
use noccl_spec::{AxiTiles, Plane};
use noccl_workload::{Collective, CollectiveKind, ElementType, Holders};

/// First event of a bound.
pub const START_EVENT: &str = "first valid of the collective's first request at an initiator's NI";
/// Last event of a bound.
pub const END_EVENT: &str = "last beat of the payload at the NI where it is written; of a barrier, the last notice of an arrival";

/// Bounds of one collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// One path at zero load to the farthest place, and the payload's serialisation or an addition.
    pub lower_bound_cycles: u64,
    /// The same of algorithms of software: transfers and deliveries to one place each, additions by cores. Never less than
    /// `lower_bound_cycles`.
    pub software_bound_cycles: u64,
    /// Serialisation of the payload alone.
    pub payload_bound_cycles: u64,
}

/// Cycles from valid at an initiator's NI to the handshake of the response, for one beat over so many paths
/// in an idle network (hops, without bypass): their routers and the last one in both directions and a target that responds after
/// `target_cycles`. Where links of the planes differ in length, those of a write or of a read, whichever is shorter.
#[must_use]
pub fn round_trip_cycles(network: AxiNetwork<'_>, paths: u32, target_cycles: u32) -> u64 {
    let wide = path_cycles(network, Plane::Wide, paths);
    wide + return_path_cycles(network, paths) + u64::from(target_cycles)
}

/// One path, on the plane that is fastest.
pub(crate) fn notice_cycles(network: AxiNetwork<'_>, paths: u32) -> u64 {
    let [req, rsp, wide] =
        [Plane::Req, Plane::Rsp, Plane::Wide].map(|plane| path_cycles(network, plane, paths));
    req.min(rsp).min(wide)
}

/// From one interface to another.
pub(crate) fn path_cycles(network: AxiNetwork<'_>, plane: Plane, paths: u32) -> u64 {
    let links = u64::from(paths) * u64::from(network.plane(plane).hop_cycles);
    links + u64::from(network.router_cycles())
}

/// What goes with data in the other direction: the request of a read or the response to a write.
fn return_path_cycles(network: AxiNetwork<'_>, paths: u32) -> u64 {
    let [req, rsp] = [Plane::Req, Plane::Rsp].map(|plane| path_cycles(network, plane, paths));
    req.min(rsp)
}

/// Serialisation plus latency, see the module.
///
/// Zero where nothing has to leave a tile: a group of one that is its own root.
///
/// # Errors
/// [`ModelError`] if group or root do not exist here.
pub fn lower_bound_cycles(network: &Network, collective: &Collective) -> Result<u64, ModelError> {
    bounds(network, collective).map(|b| b.lower_bound_cycles)
}

/// Bytes of data that a flit brings over a link: a beat, or what routers with flits of their own have.
fn flit_bytes(network: &Network) -> u64 {
    u64::from(network.data_plane().data_bytes)
}

/// Serialisation alone: payload beats at the busiest port; holds for every algorithm whatsoever.
///
/// # Errors
/// [`ModelError`] if group or root do not exist here.
pub fn payload_bound_cycles(network: &Network, collective: &Collective) -> Result<u64, ModelError> {
    bounds(network, collective).map(|b| b.payload_bound_cycles)
}

/// All bounds.
///
/// # Errors
/// [`ModelError`] if group or root do not exist here.
pub fn bounds(network: &Network, collective: &Collective) -> Result<Bounds, ModelError> {
    let members: Vec<TileId> = network
        .members(&collective.group)?
        .into_iter()
        .map(|c| network.tile_at(network.mesh_coord(c)))
        .collect();
    let root = find_root(network, collective)?;
    let at = network.coord(root);
    let to_root = |member: &TileId| network.paths(network.coord(*member), at);
    let own = collective
        .definition
        .is_some()
        .then(|| own_needs(network, collective));
    let farthest_paths = match &own {
        Some(own) => own.farthest_paths,
        None => max_or_zero(members.iter().map(to_root)),
    };
    let diameter_paths = network.least_paths(diameter_hops(network, &members));
    let class = BoundClass::of(collective.kind);
    let is_local = match class.span {
        Span::Root => farthest_paths == 0,
        Span::Members => diameter_paths == 0,
        Span::Defined => own.as_ref().is_none_or(|own| own.port_bytes == 0),
    };
    let beats = collective.bytes.div_ceil(flit_bytes(network));
    let has_payload = collective.kind.has_payload();
    if is_local || (has_payload && beats == 0) {
        return Ok(Bounds {
            lower_bound_cycles: 0,
            software_bound_cycles: 0,
            payload_bound_cycles: 0,
        });
    }
    let network = match network.by_tiles() {
        TypedNetwork::Axi(network) => network,
        TypedNetwork::Cores(cores) => {
            let words = Words {
                cores,
                words: if has_payload { beats } else { 0 },
                cut_words: cut_beats(network, &members, collective.kind, beats),
            };
            let paths = (farthest_paths, diameter_paths);
            return Ok(words.bounds(collective.kind, members.len(), paths));
        }
    };
    let payload_bound_cycles = match class.port {
        Port::Nothing => 0,
        Port::Payload => beats,
        Port::OfRoot => {
            let others = members.iter().filter(|m| **m != root).count() as u64;
            (others * collective.bytes).div_ceil(flit_bytes(&network))
        }
        Port::Defined => {
            // 0: without a definition nothing moves.
            let bytes = own.map_or(0, |own| own.port_bytes);
            bytes.div_ceil(flit_bytes(&network))
        }
        Port::Blocks => {
            let port = (members.len() as u64 - 1) * beats;
            port.max(cut_beats(&network, &members, collective.kind, beats))
        }
    };
    let lower_bound_cycles = match network.message_cycles() {
        Some(of) => {
            let messages = Messages {
                network: &network,
                of,
                beats,
            };
            messages.lower_bound(collective, &members, root, payload_bound_cycles)
        }
        None => {
            let paths = (farthest_paths, diameter_paths);
            let last_block_cycles = block_cycles(network, collective, members.len(), paths, beats);
            // What a port or a cut passes begins to arrive after a path of one hop.
            let nearest = path_cycles(network, Plane::Wide, 1);
            let by_port = match payload_bound_cycles {
                0 => 0,
                all => nearest + all - 1,
            };
            request_cycles(network, collective, at) + last_block_cycles.max(by_port)
        }
    };
    let software = Software {
        network,
        collective,
        num_members: members.len() as u64,
        is_root_member: members.contains(&root),
        beats,
    };
    Ok(Bounds {
        lower_bound_cycles,
        software_bound_cycles: software.bound(payload_bound_cycles).max(lower_bound_cycles),
        payload_bound_cycles,
    })
}

/// Before a root that is a memory gives anything away: the request of the nearest cluster and the memory's latency.
fn request_cycles(network: AxiNetwork<'_>, collective: &Collective, root: Coord) -> u64 {
    let gives = collective.kind.input_holders() == Holders::Root;
    if !gives || matches!(collective.root, TileRef::Cluster(_)) {
        return 0;
    }
    let clusters = network.clusters();
    let paths = clusters.map(|cluster| network.paths(network.coord(cluster), root));
    let requests = paths.map(|paths| path_cycles(network, Plane::Req, paths));
    // 0: without clusters there are no requests, and a lower bound of 0 excludes nothing.
    requests.min().map_or(0, |request| {
        request + u64::from(network.axi().memory.latency_cycles)
    })
}

/// One block of so many beats over the longest path, with what must be added, see the module. Ends are so many
/// [paths](Network::paths) apart: from the root, and any two members.
fn block_cycles(
    network: AxiNetwork<'_>,
    collective: &Collective,
    num_members: usize,
    (farthest_paths, diameter_paths): (u32, u32),
    beats: u64,
) -> u64 {
    let behind = beats.saturating_sub(1);
    let addition = if num_members > 1 {
        addition_cycles(network.axi(), collective.element)
    } else {
        0
    };
    if !collective.kind.has_payload() {
        return match diameter_paths {
            0 => 0,
            paths => notice_cycles(network, paths),
        };
    }
    let paths = match BoundClass::of(collective.kind).span {
        Span::Root | Span::Defined => farthest_paths,
        Span::Members => diameter_paths,
    };
    let last = match collective.kind.reduces() {
        true => behind.max(addition),
        false => behind,
    };
    path_cycles(network, Plane::Wide, paths) + last
}

/// Members, rows, diameter, and blocks of an all-to-all over each link of the busiest cut.
pub(crate) fn shape_of(
    network: &Network,
    collective: &Collective,
) -> Result<(u64, u64, u32, u64), ModelError> {
    let clusters = network.members(&collective.group)?;
    let rows: std::collections::BTreeSet<u16> = clusters.iter().map(|c| c.y).collect();
    let members: Vec<TileId> = clusters
        .into_iter()
        .map(|c| network.tile_at(network.mesh_coord(c)))
        .collect();
    let cut_blocks = cut_beats(network, &members, CollectiveKind::AllToAll, 1);
    let hops = diameter_hops(network, &members);
    Ok((members.len() as u64, rows.len() as u64, hops, cut_blocks))
}

/// Beats over each link of the cut and direction that has most of them, see the module.
fn cut_beats(network: &Network, members: &[TileId], kind: CollectiveKind, beats: u64) -> u64 {
    if !network.routers().has_links {
        return 0;
    }
    let blocks = BoundClass::of(kind).crossing;
    let crossing = |near: u64, far: u64| blocks(near, far) * beats;
    let along = |of: fn(noccl_net::Coord) -> u16, length: u16, links: u16| {
        (1..length).map(move |line| {
            let near = members.iter().filter(|m| of(network.coord(**m)) < line);
            let near = near.count() as u64;
            let far = members.len() as u64 - near;
            let most = if near == 0 || far == 0 {
                0
            } else {
                crossing(near, far).max(crossing(far, near))
            };
            most.div_ceil(u64::from(links))
        })
    };
    let vertical = along(|c| c.x, network.width(), network.height());
    let horizontal = along(|c| c.y, network.height(), network.width());
    max_or_zero(vertical.chain(horizontal))
}

fn find_root(network: &Network, collective: &Collective) -> Result<TileId, ModelError> {
    network
        .find(collective.root)
        .ok_or_else(|| ModelError::Root {
            root: collective.root.to_string(),
            width: network.cluster_width(),
            height: network.cluster_height(),
            memories: network.memories().count(),
        })
}

/// One addition in an FPU.
pub(crate) fn pipeline_cycles(axi: &AxiTiles, element: ElementType) -> u32 {
    let fpu = &axi.cluster.fpu;
    match element.bytes() {
        1 => fpu.bits8_cycles,
        2 => fpu.bits16_cycles,
        4 => fpu.bits32_cycles,
        _ => fpu.bits64_cycles,
    }
}

/// One addition of one beat: by a router on the FPUs (with its cut registers) or by a core's kernel.
fn addition_cycles(axi: &AxiTiles, element: ElementType) -> u64 {
    let in_router =
        u64::from(pipeline_cycles(axi, element)) + u64::from(axi.router.wide_reduction.cut_cycles);
    in_router.min(core_addition_cycles(axi))
}

/// One addition by a core's kernel.
pub(crate) fn core_addition_cycles(axi: &AxiTiles) -> u64 {
    let cluster = &axi.cluster;
    u64::from(cluster.instructions.compute_start)
        + u64::from(cluster.compute_millicycles_per_beat / 1000)
}

/// Largest distance between two tiles: in Manhattan distance the extremes of both diagonals count.
fn diameter_hops(network: &Network, tiles: &[TileId]) -> u32 {
    let spread = |value: &dyn Fn(TileId) -> i64| {
        let low = tiles.iter().map(|t| value(*t)).min();
        let high = tiles.iter().map(|t| value(*t)).max();
        Some(high?.abs_diff(low?) as u32)
    };
    let x = |t| i64::from(network.coord(t).x);
    let y = |t| i64::from(network.coord(t).y);
    let diagonals = [spread(&|t| x(t) + y(t)), spread(&|t| x(t) - y(t))];
    max_or_zero(diagonals.into_iter().flatten())
}
