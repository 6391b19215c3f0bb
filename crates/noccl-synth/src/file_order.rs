// SPDX-License-Identifier: Apache-2.0
//! Other orders of the same actions in the file.
//!
//! What waits for what stays as it is, so each order that puts nothing before what it waits for is as right as the first. A cluster
//! works in the order of the file, so it decides who waits for whom at ports and cores.

use noccl_run::Rng;
use noccl_workload::{Action, ActionId, ActionKind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Can actions change places? Those that order several clusters stand in one order for all of them.
pub(crate) fn can_change(actions: &[Action]) -> bool {
    let is_own = |kind: &ActionKind| {
        matches!(
            kind,
            ActionKind::Transfer(_) | ActionKind::Delivery(_) | ActionKind::LocalReduce(_)
        )
    };
    actions.iter().all(|a| is_own(&a.kind))
}

/// The actions by the cycles in which they were seen to start, some moved by up to `shift` cycles.
pub(crate) fn by_starts(
    actions: &[Action],
    starts: &[u64],
    shift: u64,
    share: u64,
    rng: &mut Rng,
) -> Vec<Action> {
    let keys: Vec<u64> = starts
        .iter()
        .map(|start| {
            let is_moved = shift > 0 && rng.one_in(share.max(1));
            if is_moved {
                (start + shift).saturating_sub(rng.below(2 * shift + 1))
            } else {
                *start
            }
        })
        .collect();
    in_order(actions, &keys)
}

/// By key, but nothing before what it waits for.
fn in_order(actions: &[Action], keys: &[u64]) -> Vec<Action> {
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); actions.len()];
    let mut open: Vec<usize> = Vec::with_capacity(actions.len());
    for (number, action) in actions.iter().enumerate() {
        for before in &action.after {
            waiting[before.0 as usize].push(number);
        }
        open.push(action.after.len());
    }
    let key = |number: usize| Reverse((keys[number], number));
    let free = (0..actions.len()).filter(|n| open[*n] == 0);
    let mut ready: BinaryHeap<Reverse<(u64, usize)>> = free.map(key).collect();
    let mut place = vec![0_u32; actions.len()];
    let mut out = Vec::with_capacity(actions.len());
    while let Some(Reverse((_, number))) = ready.pop() {
        place[number] = out.len() as u32;
        let mut action = actions[number].clone();
        for before in &mut action.after {
            *before = ActionId(place[before.0 as usize]);
        }
        action.after.sort_unstable();
        out.push(action);
        for next in &waiting[number] {
            open[*next] -= 1;
            if open[*next] == 0 {
                ready.push(key(*next));
            }
        }
    }
    out
}
