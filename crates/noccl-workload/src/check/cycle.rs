// SPDX-License-Identifier: Apache-2.0
//! `after` names earlier actions only. If it does not, is there a circle of waits?
//!
//! Programs that wait for collectives in opposite orders (tile a: first barrier, then reduction; tile
//! b: first reduction, then barrier) are such circles: no order of the actions satisfies all tiles.

use super::{CheckError, Wait};
use crate::{Schedule, participants};
use noccl_net::Network;

/// Checks that every `after` names an earlier action.
pub(super) fn check_after(network: &Network, schedule: &Schedule) -> Result<(), CheckError> {
    let mut forward = None;
    for (i, action) in schedule.actions.iter().enumerate() {
        for (position, before) in action.after.iter().enumerate() {
            if before.0 as usize >= schedule.actions.len() {
                return Err(not_earlier(schedule, i, position));
            }
            if before.0 as usize >= i && forward.is_none() {
                forward = Some((i, position));
            }
        }
    }
    let Some((action, index)) = forward else {
        return Ok(());
    };
    match find_cycle(schedule) {
        Some(cycle) => Err(CheckError::WaitCycle(describe(network, schedule, &cycle))),
        None => Err(not_earlier(schedule, action, index)),
    }
}

fn not_earlier(schedule: &Schedule, action: usize, index: usize) -> CheckError {
    CheckError::Field {
        field: format!("actions[{action}].after[{index}]"),
        found: schedule.actions[action].after[index].0.to_string(),
        accepted: if action == 0 {
            "nothing: the first action comes after no other".to_owned()
        } else {
            format!("an earlier action, 0 to {}", action - 1)
        },
    }
}

/// Actions of a circle, each waiting for the next, the last for the first. All ids exist.
fn find_cycle(schedule: &Schedule) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnPath,
        Done,
    }
    let mut state = vec![State::New; schedule.actions.len()];
    for root in 0..schedule.actions.len() {
        if state[root] != State::New {
            continue;
        }
        // Depth first without recursion: a path of (action, next `after` to look at).
        let mut path = vec![(root, 0)];
        state[root] = State::OnPath;
        while let Some((action, next)) = path.last_mut() {
            let Some(before) = schedule.actions[*action].after.get(*next) else {
                state[*action] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let before = before.0 as usize;
            match state[before] {
                State::Done => {}
                State::New => {
                    state[before] = State::OnPath;
                    path.push((before, 0));
                }
                State::OnPath => {
                    let from = path.iter().position(|(a, _)| *a == before)?;
                    return Some(path[from..].iter().map(|(a, _)| *a).collect());
                }
            }
        }
    }
    None
}

fn describe(network: &Network, schedule: &Schedule, cycle: &[usize]) -> Vec<Wait> {
    let next = cycle.iter().cycle().skip(1);
    cycle
        .iter()
        .zip(next)
        .map(|(waiter, awaited)| {
            let of = |a: usize| participants(network, &schedule.actions[a].kind);
            let others = of(*awaited);
            let shared = of(*waiter)
                .into_iter()
                .find(|t| others.binary_search(t).is_ok());
            Wait {
                tile: shared.map_or_else(
                    || "no common tile".to_owned(),
                    |t| network.tile_ref(t).to_string(),
                ),
                waiter: schedule.action_name(*waiter),
                awaited: schedule.action_name(*awaited),
            }
        })
        .collect()
}
