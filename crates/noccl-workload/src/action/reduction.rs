// SPDX-License-Identifier: Apache-2.0
//! A fold in the network, to one root.

use super::class::{Agent, Completion, Effect, Kind, NetworkFold, Waits, of_multi_address};
use crate::check::{At, check_multiple, check_operator};
use crate::{CheckError, ElementType, Operator, Place};
use noccl_net::capabilities::Reduces;
use noccl_net::deadlock::{Flow, Work};
use noccl_net::{MultiAddress, Network, TileId, TileRef, tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One transaction of the network to which every member of the group contributes.
///
/// Fold order: at every router the operands in port order North, East, South, West, Local, from the
/// left; towards the root along X first, then Y. On networks with bypass one beat of a rectangle around its root meets in pairs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InNetworkReduction {
    /// Contributors, cluster coordinates.
    pub group: MultiAddress,
    /// Offset of every contribution in its contributor's L1.
    pub source_offset: u64,
    /// Where the result is written; a cluster. Of an all-reduce a member, and the offset is every member's.
    pub root: Place,
    /// Bytes; zero is a no-op.
    pub bytes: u64,
    /// Operator.
    pub operator: Operator,
    /// Element type.
    pub element: ElementType,
}

impl<'a> Kind<'a> for &'a InNetworkReduction {
    fn name(&self) -> &'static str {
        "in_network_reduction"
    }

    fn words(&self) -> &'static str {
        "in-network reduction"
    }

    fn participants(&self, network: &Network) -> Vec<TileId> {
        of_multi_address(network, self.group)
    }

    fn agent(&self) -> Agent {
        Agent::Control
    }

    fn completion(&self) -> Completion {
        Completion::Engine
    }

    fn waits(&self) -> Waits {
        match self.bytes {
            0 => Waits::Nobody,
            _ => Waits::All,
        }
    }

    fn effect(&self) -> Effect<'a> {
        Effect::NetworkFold(NetworkFold {
            reduction: self,
            is_shared: false,
        })
    }

    fn sent_bytes(&self, network: &Network) -> u64 {
        self.bytes * self.participants(network).len() as u64
    }

    fn work(&self, network: &Network) -> Option<Work> {
        if self.bytes == 0 {
            return None;
        }
        let beats = self.bytes.div_ceil(network.beat_bytes());
        let beats = beats.min(u64::from(u32::MAX)) as u32;
        Some(Work::Flow(Flow::Reduction {
            group: self.group,
            root: network.find(self.root.tile)?,
            beats,
        }))
    }

    fn check(&self, at: &At<'_>) -> Result<(), CheckError> {
        at.multi_address("group", self.group)?;
        // Contributors and root are clusters, so every router between them is one too, with FPUs.
        let root = at.cluster("root.tile", self.root.tile)?;
        check_operator(at.field("operator"), self.operator, self.element)?;
        check_multiple(at.field("bytes"), self.bytes, self.element)?;
        check_multiple(at.field("source_offset"), self.source_offset, self.element)?;
        check_multiple(at.field("root.offset"), self.root.offset, self.element)?;
        let end = |offset: u64| u128::from(offset) + u128::from(self.bytes);
        let first = at.network.tile_at(at.network.mesh_coord(self.group.base));
        at.fits("source_offset", first, end(self.source_offset))?;
        at.fits("root.offset", root, end(self.root.offset))?;
        let contributes = matches!(self.root.tile, TileRef::Cluster(c) if self.group.contains(c));
        let distance = self.root.offset.abs_diff(self.source_offset);
        if contributes && distance != 0 && distance < self.bytes {
            return at.fail(
                "root.offset",
                self.root.offset,
                "equal to `source_offset` or at least `bytes` away from it, since the root contributes",
            );
        }
        fixed_order(at, self)?;
        two_operands(at, self, root)
    }
}

/// A sum of floats depends on the order of its operands.
fn fixed_order(at: &At<'_>, r: &InNetworkReduction) -> Result<(), CheckError> {
    let is_free = r.operator != Operator::Sum || !r.element.is_float();
    if is_free || at.network.routers().adds_in_fixed_order {
        return Ok(());
    }
    let accepted = format!(
        "with router.flow = \"{}\" an integer, or min and max: contributions are added in the order in which they come, on which a \
         sum of floats depends",
        at.flow()
    );
    at.fail("element", r.element, &accepted)
}

/// The published router reduces two operands per packet: it cannot join three inputs.
fn two_operands(at: &At<'_>, r: &InNetworkReduction, root: TileId) -> Result<(), CheckError> {
    match at.network.routers().reduces {
        Reduces::AllInputs => return Ok(()),
        Reduces::TwoInputs | Reduces::Nothing => {}
    }
    let (cube, root) = (at.network.cube(r.group), at.network.coord(root));
    // Three inputs meet only in the root's column or in a contributor's row.
    let rows = cube.members().map(|m| noccl_net::Coord::new(root.x, m.y));
    let mut routers = cube.members().chain(rows).chain([root]);
    let many = routers.find(|here| tree::join_set(*here, cube, root).count_ones() > 2);
    match many {
        None => Ok(()),
        Some(here) => at.fail(
            "group",
            format!("a set with three inputs at the router {here} (mesh)"),
            &format!(
                "with router.flow = \"{}\" a line that ends at the root: its routers fold two inputs",
                at.flow()
            ),
        ),
    }
}
