// SPDX-License-Identifier: Apache-2.0
//! Which trees the routers of a network have: asked of what they can do and of their table of the spec.
//!
//! [`TreeTable`] can hold trees of any paths. Here it is the tree over which a packet of this network would go, so that whoever
//! prints, draws or simulates one need not know the kind of router.

use crate::capabilities::Reduces;
use crate::elaborate::field;
use crate::{Coord, NetError, Network, TreeTable};
use noccl_spec::{SmartMulticast, SmartReduction, SmartRouter, SmartTree};

impl Network {
    /// Outputs of a multicast on this network, source and members in mesh coordinates. The root of the table is where the tree
    /// begins: at the source, or in a corner to which the packet goes first.
    ///
    /// # Errors
    /// [`NetError::Field`] with the field for which there are no such trees.
    pub fn multicast_tree(&self, source: Coord, members: &[Coord]) -> Result<TreeTable, NetError> {
        self.check_links()?;
        match &self.spec.router.smart {
            None => Ok(self.shared_multicast(source, members)),
            Some(smart) if smart.multicast == SmartMulticast::Unicasts => Err(no_such_tree(
                "router.smart.multicast",
                "unicasts",
                "sources send one packet to each destination; for trees fork, greedy or complete",
            )),
            Some(smart) => Ok(self.multicast_over(smart, source, members)),
        }
    }

    /// Inputs of a reduction on this network, root and members in mesh coordinates.
    ///
    /// # Errors
    /// As [`Network::multicast_tree`].
    pub fn reduction_tree(&self, root: Coord, members: &[Coord]) -> Result<TreeTable, NetError> {
        self.check_links()?;
        match self.routers().reduces {
            Reduces::Nothing => {
                return Err(no_such_tree(
                    "router.flow",
                    self.spec.router.flow.name(),
                    "routers of this kind reduce nothing",
                ));
            }
            Reduces::TwoInputs | Reduces::AllInputs => {}
        }
        match &self.spec.router.smart {
            Some(smart) if smart.reduction == SmartReduction::None => Err(no_such_tree(
                "router.smart.reduction",
                "none",
                "the root gets every contribution; for trees opportunistic, greedy or complete",
            )),
            Some(_) | None => Ok(self.shared_reduction(root, members)),
        }
    }

    /// Outputs of a multicast over the trees that a table names. A tree has the branches of the members alone, or it spans the mesh
    /// and has a Local port at the members.
    #[must_use]
    pub fn multicast_over(
        &self,
        smart: &SmartRouter,
        source: Coord,
        members: &[Coord],
    ) -> TreeTable {
        match (smart.tree, smart.is_pruned) {
            (SmartTree::Shared, true) => self.shared_multicast(source, members),
            (SmartTree::Shared, false) => self.shared_broadcast(source).for_members(self, members),
            (SmartTree::Private, true) => {
                self.private_multicast(self.nearest_corner(source), members)
            }
            (SmartTree::Private, false) => {
                let all = self.private_broadcast(self.nearest_corner(source));
                all.for_members(self, members)
            }
        }
    }

    /// Does a source send a packet to each destination in place of a multicast?
    #[must_use]
    pub fn copies_are_unicasts(&self) -> bool {
        let smart = self.spec.router.smart.as_ref();
        smart.is_some_and(|smart| smart.multicast == SmartMulticast::Unicasts)
    }

    /// Does every multicast run over a tree that spans the mesh, whatever its members?
    #[must_use]
    pub fn trees_span_mesh(&self) -> bool {
        let smart = self.spec.router.smart.as_ref();
        smart.is_some_and(|smart| !smart.is_pruned)
    }

    fn check_links(&self) -> Result<(), NetError> {
        if self.routers().has_links {
            return Ok(());
        }
        Err(no_such_tree(
            "router.flow",
            self.spec.router.flow.name(),
            "without links from tile to tile there are no trees",
        ))
    }
}

fn no_such_tree(name: &str, found: &str, accepted: &str) -> NetError {
    field(name, format!("\"{found}\""), accepted)
}
