// SPDX-License-Identifier: Apache-2.0
//! What every rank of a program has got, and when.

use super::plan::Plan;
use std::collections::BTreeMap;

/// What a receive has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Got {
    pub source: u32,
    pub tag: i64,
    pub data: Vec<u8>,
    pub cycle: u64,
}

/// When a rank called something that others take part in, when its call was over, and what it got.
#[derive(Debug, Clone, Default)]
pub(super) struct Took {
    pub from_cycle: u64,
    pub until_cycle: u64,
    pub output: Vec<u8>,
    /// Where the network has no such algorithm: passed around instead.
    pub is_ring: bool,
}

/// The same of a split, with the own rank and the size.
pub(super) type SplitTook = (Took, Option<(u32, u32)>);

/// What has come of a program.
#[derive(Debug)]
pub(super) struct Seen {
    /// By message: when its send began and was over.
    pub sent: Vec<(u64, Option<u64>)>,
    /// By stream and place: when the receive began, and what it got.
    pub received: Vec<Vec<(u64, Option<Got>)>>,
    /// By stream and place: what a probe found.
    pub probed: BTreeMap<(usize, usize), (u32, i64, u64)>,
    /// By collective and rank of its group.
    pub collectives: Vec<Vec<Option<Took>>>,
    /// By split and rank of the group that is split: own rank and size.
    pub splits: Vec<Vec<SplitTook>>,
    pub cycles: u64,
}

impl Seen {
    /// Nothing has been seen yet.
    pub fn new(plan: &Plan) -> Self {
        let streams = plan.streams.iter();
        let sizes = |group: usize| plan.groups[group].members.len();
        let collectives = plan.collectives.iter();
        let splits = plan.splits.iter();
        Self {
            sent: vec![(0, None); plan.messages.len()],
            received: streams
                .map(|stream| vec![(0, None); stream.messages.len()])
                .collect(),
            probed: BTreeMap::new(),
            collectives: collectives
                .map(|step| vec![None; sizes(step.group)])
                .collect(),
            splits: splits
                .map(|step| vec![(Took::default(), None); sizes(step.group)])
                .collect(),
            cycles: 0,
        }
    }
}
