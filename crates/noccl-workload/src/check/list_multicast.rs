// SPDX-License-Identifier: Apache-2.0
//! Multicasts by a list: what each is held to alone, and what it leaves in every destination's memory.

use super::CheckError;
use super::execute::Execution;
use super::form::At;
use crate::{ActionKind, ListMulticast};
use noccl_spec::RouterFlow;

impl At<'_> {
    /// ESP's routers and tiles do one thing; what they refuse need not be searched for deadlocks first.
    pub(super) fn carried(&self, kind: &ActionKind) -> Result<(), CheckError> {
        match (self.network.spec().router.flow, kind) {
            (RouterFlow::NonBlocking | RouterFlow::PeerCompatible, _)
            | (RouterFlow::Esp, ActionKind::ListMulticast(_)) => Ok(()),
            (RouterFlow::Esp, _) => Err(CheckError::Field {
                field: format!("actions[{}].kind", self.action),
                found: self.kind.to_owned(),
                accepted: "list_multicast; routers of flow esp carry nothing else".to_owned(),
            }),
        }
    }

    pub(super) fn list_multicast(&self, list: &ListMulticast) -> Result<(), CheckError> {
        let Some(most) = self.network.max_listed() else {
            return self.fail(
                "destinations",
                format!("{} clusters", list.destinations.len()),
                "routers that multicast by a list: router.flow = \"esp\", as in the preset esp_4x5; elsewhere a \
                 transfer to a multi-address",
            );
        };
        let source = self.cluster("source", list.source)?;
        let end = |offset: u64| u128::from(offset) + u128::from(list.bytes);
        self.fits("source_offset", source, end(list.source_offset))?;
        let consumers = list.consumers().count();
        if list.destinations.is_empty() || consumers > most as usize {
            let accepted = format!(
                "1 to {most} beside the source: so many places fit into router.esp.header_bits"
            );
            return self.fail("destinations", format!("{consumers} clusters"), &accepted);
        }
        for (i, tile) in list.destinations.iter().enumerate() {
            let name = format!("destinations[{i}]");
            let at = self.cluster(&name, *tile)?;
            if list.destinations[..i].contains(tile) {
                return self.fail(&name, tile, "each cluster once");
            }
            self.fits("offset", at, end(list.offset))?;
            let distance = list.offset.abs_diff(list.source_offset);
            if at == source && distance != 0 && distance < list.bytes {
                let accepted = "a range that does not overlap the source, or the source itself";
                return self.fail("offset", list.offset, accepted);
            }
        }
        Ok(())
    }
}

impl Execution<'_> {
    /// Reads within the source's share, writes within each destination's.
    pub(super) fn list_multicast(&mut self, action: usize, list: &ListMulticast) {
        let network = self.network;
        let Some(source) = network.find(list.source).filter(|_| list.bytes > 0) else {
            return;
        };
        let order = self.order;
        let share = |tile| order.members(action).binary_search(&tile).unwrap_or(0);
        let reads = self.access(action, share(source));
        let pieces = self.read(source, list.source_offset, list.bytes, reads);
        for tile in list.destinations.iter().filter_map(|t| network.find(*t)) {
            let writes = self.access(action, share(tile));
            self.write(tile, list.offset, &pieces, writes);
        }
    }
}
