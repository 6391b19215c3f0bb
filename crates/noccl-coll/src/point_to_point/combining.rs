// SPDX-License-Identifier: Apache-2.0
//! Which numbers of operands of one addition are worth comparing.

use crate::candidates::beats;
use crate::{Choice, PointForm};
use noccl_net::Network;
use noccl_workload::{Collective, CollectiveKind};
use std::collections::BTreeSet;

/// Operands of one addition that a comparison tries, besides the members of a row.
const COMBINED: [u16; 3] = [4, 8, MAX_COMBINED];
/// Of a group of so many members a comparison tries one addition of all operands; of more two levels and more were faster (4x4 to 8x8, 8 bytes).
const MAX_COMBINED: u16 = 16;
/// Longest row of which a comparison tries one addition of all operands.
const MAX_COMBINED_ROW: usize = 32;
/// Longest payload that is not cut among members, in beats: of longer ones the parts of rings, pairs and trees were faster (2x2 to 8x8).
const MAX_COMBINED_BEATS: u64 = 8;

/// Additions of many operands at a time, of payloads short enough. Where every member sends to every other one, of a group that is no product of columns
/// and rows only if its members are few.
pub(super) fn combining(network: &Network, collective: &Collective) -> Vec<Choice> {
    let Ok(members) = network.members(&collective.group) else {
        return Vec::new();
    };
    let columns = members.iter().map(|c| c.x).collect::<BTreeSet<_>>().len();
    let rows = members.iter().map(|c| c.y).collect::<BTreeSet<_>>().len();
    let is_product = columns * rows == members.len();
    let is_rooted = matches!(
        collective.kind,
        CollectiveKind::Reduce | CollectiveKind::Multicast
    );
    let num = members.len();
    let has_few_messages = is_rooted || is_product || num <= usize::from(MAX_COMBINED);
    let is_short = beats(network, collective) <= MAX_COMBINED_BEATS;
    if num < 2 || !is_short || !has_few_messages {
        return Vec::new();
    }
    let row = (is_product && columns <= MAX_COMBINED_ROW).then_some(columns as u16);
    let most: BTreeSet<u16> = COMBINED
        .into_iter()
        .chain(row)
        .map(|most| most.min(u16::try_from(num).unwrap_or(most)))
        .filter(|most| *most >= 2)
        .collect();
    let choice = |most: u16| Choice::point_to_point(PointForm::Combine(most), 1);
    most.into_iter().map(choice).collect()
}
