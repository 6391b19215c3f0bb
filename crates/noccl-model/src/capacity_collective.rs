// SPDX-License-Identifier: Apache-2.0
//! Capacity under broadcasts, random multicasts and reductions: flits on the busiest link or interface for each beat that is offered.
//!
//! A link carries a multicast once if its tree has the link, whatever lies behind it, and as many flits as there are destinations behind it where
//! each gets a packet of its own. So a link's load is the sum over the sources, or roots, of how often their trees need it. Without VCs,
//! arbitration and slots, which only lower it. Source: S2 §V (bound by interfaces); enumeration.

use noccl_net::capabilities::{MulticastTrees, TreeKind};
use noccl_net::{Coord, Network, Port, TreeTable, busiest_uniform_load, coord_behind};
use noccl_workload::{MAX_RANDOM_MEMBERS, Pattern};

/// Flits on the busiest link or interface per beat that each cluster which sends offers; per reduction that the mesh starts.
pub(crate) fn busiest_load(network: &Network, pattern: Pattern) -> f64 {
    let interfaces = by_interfaces(network, pattern);
    let links = if pattern == Pattern::ManyToOne {
        reductions(network)
    } else {
        multicasts(network, pattern)
    };
    interfaces.max(links)
}

fn clusters(network: &Network) -> Vec<Coord> {
    let all = network.clusters().map(|tile| network.coord(tile));
    all.collect()
}

fn senders(network: &Network, pattern: Pattern) -> Vec<Coord> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    let places = (0..width).flat_map(|x| (0..height).map(move |y| Coord::new(x, y)));
    let senders = places.filter(|at| pattern.sends(*at, width, height));
    senders.map(|at| network.mesh_coord(at)).collect()
}

/// Most and fewest members of a random multicast.
fn member_counts(others: usize) -> std::ops::RangeInclusive<usize> {
    2..=others.min(MAX_RANDOM_MEMBERS as usize)
}

fn mean_members(pattern: Pattern, others: usize) -> f64 {
    if pattern == Pattern::RandomMulticast {
        let counts = member_counts(others);
        (counts.start() + counts.end()) as f64 / 2.0
    } else {
        others as f64
    }
}

/// What an interface takes in, or, where it sends a packet to each member, sends.
fn by_interfaces(network: &Network, pattern: Pattern) -> f64 {
    let count = clusters(network).len();
    let others = (count - 1) as f64;
    let senders = senders(network, pattern).len();
    match pattern {
        Pattern::ManyToOne => others / count as f64,
        // Who does not send takes in what all senders send.
        Pattern::CornerBroadcast => senders.min(count - 1) as f64,
        Pattern::Broadcast
        | Pattern::RandomMulticast
        | Pattern::Uniform
        | Pattern::Transpose
        | Pattern::BitComplement
        | Pattern::Neighbour
        | Pattern::Tornado
        | Pattern::Hotspot
        | Pattern::RowMulticast => mean_members(pattern, count - 1),
    }
}

/// Loads of links, by tile and port.
struct CapacityLinks {
    ports: Vec<f64>,
}

impl CapacityLinks {
    fn new(network: &Network) -> Self {
        let ports = vec![0.0; network.num_tiles() * 5];
        Self { ports }
    }

    fn add(&mut self, network: &Network, at: Coord, port: Port, load: f64) {
        if port != Port::Local {
            self.ports[network.tile_at(at).idx() * 5 + port as usize] += load;
        }
    }

    fn add_all(&mut self, others: &Self) {
        for (load, other) in self.ports.iter_mut().zip(&others.ports) {
            *load += other;
        }
    }

    fn lower_to(&mut self, others: &Self) {
        for (load, other) in self.ports.iter_mut().zip(&others.ports) {
            *load = load.min(*other);
        }
    }

    fn busiest(&self) -> f64 {
        self.ports.iter().copied().fold(0.0, f64::max)
    }
}

fn multicasts(network: &Network, pattern: Pattern) -> f64 {
    if !network.routers().has_links {
        return 0.0;
    }
    let Some(trees) = network.multicast_trees() else {
        return copies(network, pattern);
    };
    let mut links = CapacityLinks::new(network);
    let shares = shares(network, pattern, trees);
    for source in senders(network, pattern) {
        links.add_all(&of_source(network, trees, source, &shares));
    }
    links.busiest()
}

/// A packet to each member: uniform traffic, so many times.
fn copies(network: &Network, pattern: Pattern) -> f64 {
    let members = mean_members(pattern, clusters(network).len() - 1);
    if pattern == Pattern::CornerBroadcast {
        return members;
    }
    members * busiest_uniform_load(network.cluster_width(), network.cluster_height())
}

/// By the number of tiles behind a link, how often a packet needs it; empty where it always does.
fn shares(network: &Network, pattern: Pattern, trees: MulticastTrees) -> Vec<f64> {
    if pattern != Pattern::RandomMulticast || trees.spans_mesh {
        return Vec::new();
    }
    let others = clusters(network).len() - 1;
    (0..=others).map(|behind| hit(others, behind)).collect()
}

/// Flits of a source's multicast over each link. Of two trees, over which the source may send either, the fewer: whatever it
/// chooses, no link has less.
fn of_source(
    network: &Network,
    trees: MulticastTrees,
    source: Coord,
    shares: &[f64],
) -> CapacityLinks {
    let over = |kind| over_tree(network, MulticastTrees { kind, ..trees }, source, shares);
    match trees.kind {
        TreeKind::Shared | TreeKind::Private => over(trees.kind),
        TreeKind::ByLoad => {
            let mut links = over(TreeKind::Shared);
            links.lower_to(&over(TreeKind::Private));
            links
        }
    }
}

fn over_tree(
    network: &Network,
    trees: MulticastTrees,
    source: Coord,
    shares: &[f64],
) -> CapacityLinks {
    let all = clusters(network).into_iter();
    let members: Vec<Coord> = all.filter(|to| *to != source).collect();
    let tree = network.multicast_over(trees, source, &members);
    let root = network.coord(tree.root());
    let mut links = CapacityLinks::new(network);
    for (at, port) in network.path(source, root) {
        links.add(network, at, port, 1.0);
    }
    if shares.is_empty() {
        add_tree(network, &mut links, &tree, 1.0);
    } else {
        add_drawn(network, &mut links, &tree, shares, (root, source));
    }
    links
}

/// Every link of a tree is needed, by a share of the packets.
fn add_tree(network: &Network, links: &mut CapacityLinks, tree: &TreeTable, share: f64) {
    for (tile, ports) in tree.tiles() {
        let at = network.coord(tile);
        for port in Port::ALL.into_iter().filter(|port| ports & port.bit() != 0) {
            links.add(network, at, port, share);
        }
    }
}

/// Every link of a tree below a tile is needed as often as a member that is drawn lies behind it: `shares` by the number of those behind.
/// Returns how many are at the tile and below, the source left out. Each link is looked at once: with a walk below each of them, and a
/// share computed there, 64x64 tiles took two minutes.
fn add_drawn(
    network: &Network,
    links: &mut CapacityLinks,
    tree: &TreeTable,
    shares: &[f64],
    (at, source): (Coord, Coord),
) -> usize {
    let ports = tree.ports(network.tile_at(at));
    let mut behind = usize::from(at != source);
    for port in Port::ALL.into_iter().filter(|port| ports & port.bit() != 0) {
        let next = match port {
            Port::Local => None,
            Port::North | Port::East | Port::South | Port::West => coord_behind(at, port),
        };
        if let Some(next) = next {
            let below = add_drawn(network, links, tree, shares, (next, source));
            links.add(network, at, port, shares[below]);
            behind += below;
        }
    }
    behind
}

/// How probable it is that a random set of `others` has one of `behind` of them.
fn hit(others: usize, behind: usize) -> f64 {
    let counts = member_counts(others);
    let sizes = counts.clone().count() as f64;
    let none = counts.map(|count| {
        let left = |i: usize| (others - behind).saturating_sub(i) as f64 / (others - i) as f64;
        (0..count).map(left).product::<f64>()
    });
    1.0 - none.sum::<f64>() / sizes
}

fn reductions(network: &Network) -> f64 {
    let all = clusters(network);
    let share = 1.0 / all.len() as f64;
    let mut links = CapacityLinks::new(network);
    for root in &all {
        let members: Vec<Coord> = all.iter().copied().filter(|from| from != root).collect();
        let Ok(tree) = network.reduction_tree(*root, &members) else {
            let (columns, rows) = (network.cluster_width(), network.cluster_height());
            return (1.0 - share) * busiest_uniform_load(columns, rows);
        };
        add_tree(network, &mut links, &tree, share);
    }
    links.busiest()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capacity_beats_per_cycle;
    use noccl_net::elaborate;
    use noccl_spec::parse_spec;

    /// Packets, or reductions, per cycle of the whole mesh.
    fn of_mesh(preset: &str, overrides: &[(&str, &str)], pattern: Pattern) -> f64 {
        let overrides: Vec<(String, String)> = overrides
            .iter()
            .map(|(field, value)| ((*field).to_owned(), (*value).to_owned()))
            .collect();
        let text = noccl_spec::preset_text(preset).unwrap();
        let network = elaborate(&parse_spec(preset, &text, &overrides).unwrap()).unwrap();
        let senders = pattern.num_senders(network.cluster_width(), network.cluster_height());
        capacity_beats_per_cycle(&network, pattern, 1) * senders as f64
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.005, "{found} {expected}");
    }

    #[test]
    fn bounds_of_eight_by_eight_are_those_of_the_enumeration() {
        near(of_mesh("smart_8x8", &[], Pattern::Broadcast), 64.0 / 63.0);
        near(of_mesh("smart_8x8", &[], Pattern::CornerBroadcast), 1.0);
        near(of_mesh("smart_8x8", &[], Pattern::ManyToOne), 1.0);
        near(
            of_mesh("smart_8x8", &[], Pattern::RandomMulticast),
            8.0 / 7.0,
        );
        let pruned = [("router.smart.is_pruned", "true")];
        near(
            of_mesh("smart_8x8", &pruned, Pattern::RandomMulticast),
            1.94,
        );
        let private = of_mesh("smart_8x8_private", &[], Pattern::RandomMulticast);
        near(private, 1.45);
        let by_load = [("router.smart.tree", "\"by_load\"")];
        let by_load = of_mesh("smart_8x8", &by_load, Pattern::RandomMulticast);
        // Behind the last link into a corner both trees of eleven sixteenths of the sources lie: the choice does not lift private trees' bound.
        near(by_load, 16.0 / 11.0);
    }

    #[test]
    fn copies_to_each_member_are_bound_by_the_links_of_uniform_traffic() {
        let load = 63.0 * busiest_uniform_load(8, 8);
        near(
            of_mesh("smart_8x8_baseline", &[], Pattern::Broadcast),
            64.0 / load,
        );
        let reductions = of_mesh("smart_8x8_baseline", &[], Pattern::ManyToOne);
        near(reductions, 64.0 / load);
    }
}
