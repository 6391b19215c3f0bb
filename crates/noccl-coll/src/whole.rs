// SPDX-License-Identifier: Apache-2.0
//! Collectives of one payload that goes out from a place, comes to it, or both: what trees, chains and the network carry.

use noccl_workload::CollectiveKind;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// From the root to all members.
    Multicast,
    /// From all members to the root.
    Reduce,
    /// From all members to one of them, and from there to all.
    AllReduce,
}

impl Whole {
    /// Names of them all, as refusals list them.
    pub(crate) const ACCEPTED: &'static str = "accepted: multicast, reduce, all_reduce";

    /// The one that a kind is, if it is one.
    pub(crate) fn of(kind: CollectiveKind) -> Option<Self> {
        let all = [
            (CollectiveKind::Multicast, Self::Multicast),
            (CollectiveKind::Reduce, Self::Reduce),
            (CollectiveKind::AllReduce, Self::AllReduce),
        ];
        let mut all = all.into_iter();
        all.find_map(|(known, whole)| (known == kind).then_some(whole))
    }

    /// Is a kind one of them?
    pub(crate) fn includes(kind: CollectiveKind) -> bool {
        Self::of(kind).is_some()
    }
}
