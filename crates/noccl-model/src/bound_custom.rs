// SPDX-License-Identifier: Apache-2.0
//! What the ports of a custom collective must pass at least, read from its postcondition.
//!
//! Inputs are arbitrary, so what a tile knows of two disjoint sets of chunks has nothing in common. For a tile look at the values that it wants
//! and that have an operand elsewhere, each with its set of operands from elsewhere. Of values whose sets are disjoint, each needs a chunk's bytes of
//! its own through the input port, whatever has been added before. In the other direction look at the values that are wanted elsewhere and have
//! operands here, each with its set of operands from here: of values whose sets are disjoint, each needs a chunk's bytes of its own through the output
//! port, as long as one multicast may serve all that want it. Disjoint sets are chosen one after the other, small ones (copies) first;
//! whatever is chosen, the bound holds. The busiest port counts.
//!
//! A chunk cannot be complete before its last beat has come over the path from its farthest operand. Additions add nothing here, as operands of one
//! tile may be added before the first request leaves it, where the cycles begin.

use noccl_net::counts::max_or_zero;
use noccl_net::{Network, TileId};
use noccl_workload::{Asked, Collective, Operand};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Needs of a custom collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Needs {
    /// Bytes through the busiest port.
    pub(crate) port_bytes: u64,
    /// [Paths](Network::paths) from an operand to where its value is wanted, the most of all.
    pub(crate) farthest_paths: u32,
}

/// Ports of all tiles, and the longest path.
pub(crate) fn own_needs(network: &Network, collective: &Collective) -> Needs {
    let Some(asked) = Asked::new(network, collective) else {
        return Needs::default();
    };
    let operands: Vec<Vec<Operand>> = (0..asked.num_values()).map(|v| asked.operands(v)).collect();
    let mut takers: Vec<BTreeSet<TileId>> = vec![BTreeSet::new(); operands.len()];
    for holder in 0..asked.output_holders().len() {
        for output in asked.outputs(holder) {
            takers[output.value].insert(output.tile);
        }
    }
    let mut farthest_paths = 0;
    let mut into: HashMap<TileId, Vec<Vec<Operand>>> = HashMap::new();
    let mut out_of: HashMap<TileId, Vec<Vec<Operand>>> = HashMap::new();
    for (value, takers) in operands.iter().zip(&takers) {
        let mut givers: HashMap<TileId, Vec<Operand>> = HashMap::new();
        for operand in value {
            givers.entry(operand.tile).or_default().push(*operand);
        }
        for taker in takers {
            let others = value.iter().filter(|o| o.tile != *taker);
            let others: Vec<Operand> = others.copied().collect();
            if !others.is_empty() {
                into.entry(*taker).or_default().push(others);
            }
            for giver in givers.keys() {
                let paths = network.paths(network.coord(*giver), network.coord(*taker));
                farthest_paths = farthest_paths.max(paths);
            }
        }
        for (giver, own) in givers {
            if takers.iter().any(|taker| *taker != giver) {
                out_of.entry(giver).or_default().push(own);
            }
        }
    }
    let ports = into.into_values().chain(out_of.into_values());
    let chunks = max_or_zero(ports.map(num_disjoint));
    Needs {
        port_bytes: collective.bytes.saturating_mul(chunks),
        farthest_paths,
    }
}

/// How many of these sets are disjoint, if small ones are taken first.
fn num_disjoint(mut sets: Vec<Vec<Operand>>) -> u64 {
    sets.sort_unstable_by_key(|set| (set.len(), set.first().copied()));
    let mut taken: HashSet<Operand> = HashSet::new();
    let mut chosen = 0;
    for set in sets {
        if set.iter().all(|operand| !taken.contains(operand)) {
            taken.extend(set);
            chosen += 1;
        }
    }
    chosen
}
