// SPDX-License-Identifier: Apache-2.0
//! The published routers of S1: what they ask of a spec.

use super::{Router, RouterRules};
use crate::ranges::Table;

pub(super) struct Published;

impl RouterRules for Published {
    fn name(&self) -> &'static str {
        "published"
    }

    fn ranges(&self, router: &Router, table: &mut Table) {
        table.ports(router);
        table.no_stores(router);
    }

    fn reduces_three(&self) -> bool {
        false
    }

    fn has_stores(&self) -> bool {
        false
    }
}
