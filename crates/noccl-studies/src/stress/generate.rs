// SPDX-License-Identifier: Apache-2.0
//! Random traces: overlapping transactions of all kinds, members starting in different orders.
//!
//! Correct programs only: at no endpoint take more reduction bursts part in the whole trace than it may have
//! open, barriers counted apart, and no more meet at a router than it works on together, so that any order
//! at any endpoint is allowed.

use super::StressKind;
use noccl_net::capabilities::Reduces;
use noccl_net::deadlock::{merge_points, num_bursts, reduction_flows};
use noccl_net::{AxiNetwork, Coord, MultiAddress, TileId, TileRef};
use noccl_run::{Rng, StallConfig};
use noccl_workload::{PortKind, PortTransaction, Trace};

/// Beats of the longest transaction.
const MAX_BEATS: u64 = 256;

/// Mean distance of two starts, small against a transaction's runtime so that many overlap.
const START_SPREAD_CYCLES: u64 = 4;

/// What the traces of one request have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    kinds: Vec<StressKind>,
    transactions: u32,
    clusters: Vec<TileRef>,
    tiles: Vec<TileRef>,
    width: u16,
    height: u16,
    /// Bursts of reductions, and barriers, that an endpoint may have open.
    open_reductions: u64,
    open_barriers: u64,
    is_reduction_in_line: bool,
}

impl Recipe {
    /// Recipe for a network.
    #[must_use]
    pub fn new(network: AxiNetwork<'_>, kinds: &[StressKind], transactions: u32) -> Self {
        let clusters: Vec<TileRef> = network.clusters().map(|t| network.tile_ref(t)).collect();
        let memories = network.memories().map(|t| network.tile_ref(t));
        let ni = &network.axi().ni;
        Self {
            kinds: kinds.to_vec(),
            transactions,
            tiles: clusters.iter().copied().chain(memories).collect(),
            clusters,
            width: network.cluster_width(),
            height: network.cluster_height(),
            open_reductions: u64::from(ni.max_open_reductions),
            open_barriers: u64::from(ni.max_open_reductions.min(ni.max_narrow_outstanding)),
            // Routers that add two operands: only groups in a line, root at an end.
            is_reduction_in_line: network.routers().reduces == Reduces::TwoInputs,
        }
    }
}

/// Endpoint stalls of a seed: none in a quarter of the seeds, else up to half of the cycles.
pub(super) fn stalls(seed: u64) -> StallConfig {
    let mut rng = Rng::new(seed, "stress stalls");
    let mut rate = || {
        if rng.one_in(4) {
            0
        } else {
            rng.below(129) as u32
        }
    };
    StallConfig {
        target_stall_per_256: rate(),
        initiator_stall_per_256: rate(),
    }
}

/// The trace of a seed.
#[must_use]
pub fn generate(network: AxiNetwork<'_>, recipe: &Recipe, seed: u64) -> Trace {
    let mut generator = TraceGenerator {
        network,
        recipe,
        rng: Rng::new(seed, "stress trace"),
        reduction_bursts: vec![0; network.num_tiles()],
        barriers: vec![0; network.num_tiles()],
    };
    let transactions = (0..recipe.transactions)
        .map(|_| generator.transaction())
        .collect();
    Trace {
        transactions,
        ..Trace::default()
    }
}

struct TraceGenerator<'a> {
    network: AxiNetwork<'a>,
    recipe: &'a Recipe,
    rng: Rng,
    /// Reduction bursts and barriers per tile, as contributor or as target.
    reduction_bursts: Vec<u64>,
    barriers: Vec<u64>,
}

impl TraceGenerator<'_> {
    fn transaction(&mut self) -> PortTransaction {
        let kind = match self.rng.pick(&self.recipe.kinds) {
            // A trace has neither chains nor programs; who asks for them gets those.
            StressKind::Write
            | StressKind::Chain
            | StressKind::Program
            | StressKind::ExecutedProgram => self.write(),
            StressKind::Read => self.read(),
            StressKind::Multicast => self.multicast(),
            StressKind::Atomic => self.atomic(),
            // An endpoint that has its share of reductions or barriers sees a write instead.
            StressKind::Reduction => self.reduction().unwrap_or_else(|| self.write()),
            StressKind::Barrier => self.barrier().unwrap_or_else(|| self.write()),
        };
        let participants = match &kind {
            PortKind::WideReduction { group, .. } | PortKind::Barrier { group, .. } => group.len(),
            PortKind::WideWrite { .. }
            | PortKind::WideMulticast { .. }
            | PortKind::WideRead { .. }
            | PortKind::NarrowWrite { .. }
            | PortKind::NarrowMulticast { .. }
            | PortKind::NarrowRead { .. }
            | PortKind::Atomic { .. } => 1,
        };
        let window = u64::from(self.recipe.transactions) * START_SPREAD_CYCLES;
        PortTransaction {
            start_cycles: (0..participants)
                .map(|_| Some(self.rng.below(window)))
                .collect(),
            kind,
        }
    }

    fn write(&mut self) -> PortKind {
        let (from, to) = self.pair();
        if self.rng.one_in(4) {
            PortKind::NarrowWrite { from, to }
        } else {
            let beats = self.beats();
            PortKind::WideWrite { from, to, beats }
        }
    }

    fn read(&mut self) -> PortKind {
        let (from, source) = self.pair();
        if self.rng.one_in(4) {
            PortKind::NarrowRead { from, source }
        } else {
            let beats = self.beats();
            PortKind::WideRead {
                from,
                source,
                beats,
            }
        }
    }

    fn multicast(&mut self) -> PortKind {
        let from = *self.rng.pick(&self.recipe.clusters);
        let to = self.multi_address();
        if self.rng.one_in(4) {
            PortKind::NarrowMulticast { from, to }
        } else {
            let beats = self.beats();
            PortKind::WideMulticast { from, to, beats }
        }
    }

    fn atomic(&mut self) -> PortKind {
        let (from, to) = self.pair();
        PortKind::Atomic { from, to }
    }

    fn reduction(&mut self) -> Option<PortKind> {
        let (group, root) = if self.recipe.is_reduction_in_line {
            self.line()
        } else {
            (self.multi_address(), *self.rng.pick(&self.recipe.clusters))
        };
        let beats = self.beats();
        let ni = &self.network.axi().ni;
        let bursts = |beats: u32| num_bursts(ni, 0, u64::from(beats) * ni.wide_beat());
        let mut tiles = self.participants(group, root);
        let mut limit = self.recipe.open_reductions;
        if !self.recipe.is_reduction_in_line
            && let Some(root) = self.network.find(root)
        {
            let routers = merge_points(&self.network, group, root).into_iter();
            let others = routers.map(|(at, _)| at).filter(|at| !tiles.contains(at));
            tiles.extend(others.collect::<Vec<_>>());
            limit = limit.min(u64::from(reduction_flows(self.network)));
        }
        // Where bursts are short, a long reduction alone has more of them than there may be.
        let shorter = std::iter::successors(Some(beats), |b| Some(b / 2));
        let beats = { shorter }
            .find(|b| bursts(*b) <= limit)
            .unwrap_or(1)
            .max(1);
        take_share(&mut self.reduction_bursts, &tiles, bursts(beats), limit)
            .then_some(PortKind::WideReduction { group, root, beats })
    }

    fn barrier(&mut self) -> Option<PortKind> {
        let group = self.multi_address();
        let root = *self.rng.pick(&self.recipe.clusters);
        let tiles = self.participants(group, root);
        let limit = self.recipe.open_barriers;
        take_share(&mut self.barriers, &tiles, 1, limit)
            .then_some(PortKind::Barrier { group, root })
    }

    /// A cluster and another tile.
    fn pair(&mut self) -> (TileRef, TileRef) {
        let from = *self.rng.pick(&self.recipe.clusters);
        let others = self.recipe.tiles.len() as u64 - 1;
        let mut index = self.rng.below(others) as usize;
        let own = self.recipe.tiles.iter().position(|t| *t == from);
        if own.is_some_and(|own| index >= own) {
            index += 1;
        }
        (from, self.recipe.tiles[index])
    }

    /// 1 to 256 beats, short and long ones equally likely in octaves.
    fn beats(&mut self) -> u32 {
        let octave = self.rng.below(9);
        let low = 1_u64 << octave;
        (low + self.rng.below(low)).min(MAX_BEATS) as u32
    }

    fn multi_address(&mut self) -> MultiAddress {
        multi_address(&mut self.rng, self.recipe.width, self.recipe.height)
    }

    /// A row or column sub-cube with the root at one of its ends.
    fn line(&mut self) -> (MultiAddress, TileRef) {
        let (x, mask_x) = dimension(&mut self.rng, self.recipe.width);
        let (y, mask_y) = dimension(&mut self.rng, self.recipe.height);
        let group = if self.rng.one_in(2) {
            MultiAddress::new(Coord::new(x, y), Coord::new(mask_x, 0))
        } else {
            MultiAddress::new(Coord::new(x, y), Coord::new(0, mask_y))
        };
        let end = if self.rng.one_in(2) {
            group.base
        } else {
            MultiAddress::max(group)
        };
        (group, TileRef::Cluster(end))
    }

    /// Contributors and target of a reduction or barrier.
    fn participants(&self, group: MultiAddress, root: TileRef) -> Vec<TileId> {
        let mut tiles: Vec<TileId> = self
            .network
            .multi_tiles(group)
            .flatten()
            .chain(self.network.find(root))
            .collect();
        tiles.sort_unstable();
        tiles.dedup();
        tiles
    }
}

/// A random sub-cube of so many clusters.
pub(super) fn multi_address(rng: &mut Rng, width: u16, height: u16) -> MultiAddress {
    let (x, mask_x) = dimension(rng, width);
    let (y, mask_y) = dimension(rng, height);
    MultiAddress::new(Coord::new(x, y), Coord::new(mask_x, mask_y))
}

/// A start and a mask of which every member is below `limit`.
fn dimension(rng: &mut Rng, limit: u16) -> (u16, u16) {
    let at = rng.below(u64::from(limit)) as u16;
    let mut mask = rng.below(u64::from(limit.next_power_of_two())) as u16;
    while at | mask >= limit {
        mask &= !(1 << mask.ilog2());
    }
    (at, mask)
}

/// Adds `amount` at all tiles if none goes beyond the limit.
fn take_share(taken: &mut [u64], tiles: &[TileId], amount: u64, limit: u64) -> bool {
    let fits = tiles.iter().all(|t| taken[t.idx()] + amount <= limit);
    if fits {
        tiles.iter().for_each(|t| taken[t.idx()] += amount);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;
    use noccl_net::Network;

    fn traces(preset: &str, kinds: &[StressKind]) -> Vec<(Network, Trace)> {
        let network = load(preset, &[]).unwrap().network;
        let recipe = Recipe::new(network.as_axi().unwrap(), kinds, 64);
        (0..50)
            .map(|seed| {
                (
                    network.clone(),
                    generate(network.as_axi().unwrap(), &recipe, seed),
                )
            })
            .collect()
    }

    #[test]
    fn no_endpoint_and_no_router_takes_part_in_more_reductions_than_the_stated_limit() {
        for (network, trace) in traces("collective_noc_4x4", &StressKind::ALL) {
            let mut bursts = vec![0; network.num_tiles()];
            for transaction in &trace.transactions {
                if let PortKind::WideReduction { group, root, beats } = transaction.kind {
                    let root = network.find(root).unwrap();
                    let mut tiles: Vec<TileId> = network.multi_tiles(group).flatten().collect();
                    if !tiles.contains(&root) {
                        tiles.push(root);
                    }
                    for (router, _) in merge_points(&network, group, root) {
                        if !tiles.contains(&router) {
                            tiles.push(router);
                        }
                    }
                    tiles
                        .iter()
                        .for_each(|t| bursts[t.idx()] += u64::from(beats).div_ceil(64));
                }
            }
            assert!(bursts.iter().all(|b| *b <= 8), "{bursts:?}");
        }
    }

    #[test]
    fn traces_keep_the_limits_of_any_accepted_spec() {
        for (key, values) in [
            ("ni.burst_boundary_bytes", [64, 512, 2048]),
            ("ni.max_burst_beats", [1, 5, 63]),
            ("ni.max_open_reductions", [3, 5, 9]),
            ("ni.max_wide_outstanding", [9, 16, 64]),
            ("ni.max_narrow_outstanding", [4, 6, 16]),
            ("router.wide_reduction.window_beats", [8, 40, 100]),
        ] {
            for value in values {
                let network = load("collective_noc_4x4", &[(key.to_owned(), value.to_string())]);
                let network = network.unwrap().network;
                for transactions in [64, 200] {
                    let recipe =
                        Recipe::new(network.as_axi().unwrap(), &StressKind::ALL, transactions);
                    let mut num_reductions = 0;
                    for seed in 0..20 {
                        let trace = generate(network.as_axi().unwrap(), &recipe, seed);
                        let checked = noccl_workload::check_trace_limits(&network, &trace);
                        assert!(checked.is_ok(), "{key} = {value}, seed {seed}: {checked:?}");
                        let kinds = trace.transactions.iter().map(|t| &t.kind);
                        num_reductions += kinds
                            .filter(|kind| matches!(kind, PortKind::WideReduction { .. }))
                            .count();
                    }
                    assert!(num_reductions > 0, "{key} = {value} leaves no reductions");
                }
            }
        }
    }

    #[test]
    fn all_kinds_and_all_sizes_from_one_beat_to_16_kib_occur() {
        let mut beats_seen = Vec::new();
        let mut kinds_seen = std::collections::BTreeSet::new();
        for (_, trace) in traces("collective_noc_4x4", &StressKind::ALL) {
            assert!(trace.transactions.len() >= 64);
            for transaction in &trace.transactions {
                let text = serde_json::to_value(&transaction.kind).unwrap();
                let (name, fields) = text.as_object().unwrap().iter().next().unwrap();
                kinds_seen.insert(name.clone());
                beats_seen.extend(fields.get("beats").and_then(serde_json::Value::as_u64));
            }
        }
        assert_eq!(kinds_seen.len(), 9, "{kinds_seen:?}");
        assert_eq!(beats_seen.iter().min(), Some(&1));
        assert_eq!(beats_seen.iter().max(), Some(&256));
    }

    #[test]
    fn members_lie_on_meshes_of_any_size() {
        for preset in [
            "collective_noc_1x4",
            "collective_noc_16x2",
            "collective_noc_3x5",
            "collective_noc_8x8",
        ] {
            for (network, trace) in traces(preset, &[StressKind::Multicast]) {
                for transaction in &trace.transactions {
                    if let PortKind::WideMulticast { to, .. } = transaction.kind {
                        assert!(network.multi_tiles(to).all(|t| t.is_some()));
                    }
                }
            }
        }
    }
}
