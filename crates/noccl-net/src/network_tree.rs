// SPDX-License-Identifier: Apache-2.0
//! Which trees the routers of a network have: asked of what they can do.
//!
//! [`TreeTable`] can hold trees of any paths. Here it is the tree over which a packet of this network would go, so that whoever
//! prints, draws or simulates one need not know the kind of router.

use crate::capabilities::{Bypass, MulticastTrees, Reduces, TreeKind};
use crate::elaborate::field;
use crate::{Coord, NetError, Network, TreeTable};

impl Network {
    /// Outputs of a multicast on this network, source and members in mesh coordinates. The root of the table is where the tree
    /// begins: at the source, or in a corner to which the packet goes first.
    ///
    /// # Errors
    /// [`NetError::Field`] with the field for which there are no such trees.
    pub fn multicast_tree(&self, source: Coord, members: &[Coord]) -> Result<TreeTable, NetError> {
        self.check_links()?;
        let trees = self.multicast_trees();
        let trees = trees.ok_or_else(Bypass::no_multicast_tree)?;
        Ok(self.multicast_over(trees, source, members))
    }

    /// Inputs of a reduction on this network, root and members in mesh coordinates.
    ///
    /// # Errors
    /// As [`Network::multicast_tree`].
    pub fn reduction_tree(&self, root: Coord, members: &[Coord]) -> Result<TreeTable, NetError> {
        self.check_links()?;
        match self.routers().reduces {
            Reduces::Nothing => {
                return Err(self.no_such_tree("routers of this kind reduce nothing"));
            }
            Reduces::TwoInputs | Reduces::AllInputs => {}
        }
        self.bypass().map_or(Ok(()), Bypass::check_reduction)?;
        Ok(self.shared_reduction(root, members))
    }

    /// Outputs of a multicast over trees of a kind. Those that span the mesh have a Local port at the members alone.
    #[must_use]
    pub fn multicast_over(
        &self,
        trees: MulticastTrees,
        source: Coord,
        members: &[Coord],
    ) -> TreeTable {
        match (trees.kind, trees.spans_mesh) {
            (TreeKind::Shared | TreeKind::ByLoad, false) => self.shared_multicast(source, members),
            (TreeKind::Shared | TreeKind::ByLoad, true) => {
                self.shared_broadcast(source).for_members(self, members)
            }
            (TreeKind::Private, false) => {
                self.private_multicast(self.nearest_corner(source), members)
            }
            (TreeKind::Private, true) => {
                let all = self.private_broadcast(self.nearest_corner(source));
                all.for_members(self, members)
            }
        }
    }

    /// Does a source send a packet to each destination in place of a multicast?
    #[must_use]
    pub const fn copies_are_unicasts(&self) -> bool {
        self.multicast_trees().is_none()
    }

    /// Does every multicast run over a tree that spans the mesh, whatever its members?
    #[must_use]
    pub fn trees_span_mesh(&self) -> bool {
        self.multicast_trees().is_some_and(|trees| trees.spans_mesh)
    }

    fn check_links(&self) -> Result<(), NetError> {
        if self.routers().has_links {
            return Ok(());
        }
        Err(self.no_such_tree("without links from tile to tile there are no trees"))
    }

    fn no_such_tree(&self, accepted: &str) -> NetError {
        let flow = self.spec.flow_name();
        field("router.flow", format!("\"{flow}\""), accepted)
    }
}
