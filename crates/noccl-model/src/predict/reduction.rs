// SPDX-License-Identifier: Apache-2.0
//! Reductions in the network, and all-reduces in one transaction.

use super::merge::Tree;
use super::{Model, Shares};
use crate::ModelError;
use noccl_net::TileId;
use noccl_workload::InNetworkReduction;

impl Model<'_> {
    /// A reduction, or an all-reduce in one transaction, whose root multicasts what it has reduced.
    pub(super) fn reduction(
        &mut self,
        index: usize,
        reduction: &InNetworkReduction,
        ready: &[(TileId, f64)],
        is_shared: bool,
    ) -> Result<Shares, ModelError> {
        let starts: Vec<(TileId, f64)> = ready
            .iter()
            .map(|at| (at.0, self.issue(*at, false)))
            .collect();
        let root = self.find(index, reduction.root.tile)?;
        let axi = self.network.axi();
        let beats = axi.ni.beats(reduction.bytes);
        let tree = Tree {
            network: self.network,
            constants: self.constants,
            group: self.network.cube(reduction.group),
            root: self.network.coord(root),
            element_bytes: reduction.element.bytes(),
            fold_order: reduction.fold_order(self.network),
            is_shared,
        };
        let merged = tree.merge(&starts);
        let first = starts.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
        let pace =
            merged.cycles_per_beat * f64::from(axi.cluster.cycles_per_wide_addition(&axi.ni));
        let further = (beats.saturating_sub(1) as f64 * pace).round() as u64;
        let serial = self.per_beat(1 + further);
        let delay = self.links.pass(&merged.route, first, serial, beats);
        self.count(reduction, starts.len() as u64, is_shared);
        let mut at_root = merged.cycle + delay + self.constants.reduction_alpha_cycles + serial;
        if is_shared {
            // Each result beat is read where it was written, and is written once more at its member.
            let set = self.network.cube(reduction.group);
            let route = self.links.route(self.network, root, set, 0.0);
            at_root += self.links.pass(&route, at_root - serial, serial, beats);
            at_root += f64::from(self.network.axi().cluster.l1_latency_cycles);
        }
        let ends = starts
            .iter()
            .map(|(tile, _)| {
                let paths = self.network.paths_between(*tile, root);
                (*tile, at_root + self.constants.path_cycles(paths))
            })
            .collect();
        Ok((first, ends))
    }

    fn count(&mut self, reduction: &InNetworkReduction, members: u64, is_shared: bool) {
        let (bytes, shares) = (reduction.bytes, u64::from(is_shared));
        self.counters.dma_load_bytes += bytes * (members + shares);
        self.counters.dma_store_bytes += bytes * members;
        self.counters.spm_write_bytes += if is_shared { bytes * members } else { bytes };
        self.counters.dca_ops += bytes / reduction.element.bytes() * (members.saturating_sub(1));
    }
}
