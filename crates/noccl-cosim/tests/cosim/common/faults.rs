// SPDX-License-Identifier: Apache-2.0
//! Traces whose contributions do not fit together: members that disagree, barriers that bear the name of another one.

use super::{HARD, cluster, endpoints::Hardware, network_of, record_with, reduction, set, stalled};
use noccl_cosim::lockstep::LockstepError;
use noccl_net::Network;
use noccl_testkit::traces::{barrier as port_barrier, entry};
use noccl_workload::{Difference, ElementType, Fault, Operator, PortTransaction, Trace};

/// How a contribution may differ.
const DIFFERENCES: [Difference; 3] = [
    Difference::Operator(Operator::Max),
    Difference::Element(ElementType::Fp64),
    Difference::EnabledBytes(8),
];

fn disagree(transaction: u32, member: u32, difference: Difference) -> Fault {
    Fault::Disagree {
        transaction,
        member,
        difference,
    }
}

/// Reductions over each set into each root, beside one whose members agree: one member differs, early, late or with the others.
pub fn disagreements() -> impl Iterator<Item = Trace> {
    let sets = [((0, 0), (1, 0)), ((1, 0), (0, 1)), ((0, 0), (1, 1))];
    let roots = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let runs = sets.into_iter().flat_map(move |s| roots.map(|r| (s, r)));
    runs.enumerate().map(|(i, ((base, mask), (x, y)))| {
        let group = set(base, mask);
        let member = i % group.members().count();
        let beats = [1, 5, 70][i % 3];
        let mut wrong = reduction(group, cluster(x, y), beats);
        for (at, start) in wrong.start_cycles.iter_mut().enumerate() {
            *start = Some(if at == member {
                20
            } else {
                20 * (i as u64 % 3)
            });
        }
        let right = reduction(set((0, 0), (1, 1)), cluster(y, x), beats);
        Trace {
            transactions: vec![wrong, right],
            faults: vec![disagree(0, member as u32, DIFFERENCES[i % 3])],
        }
    })
}

/// Two members say the same, which is not what the others say: those that meet first agree.
pub fn two_parties() -> Trace {
    let group = set((0, 0), (1, 1));
    let members = group.members().zip(0..);
    let upper = members.filter(|(at, _)| at.y == 1);
    Trace {
        transactions: vec![reduction(group, cluster(0, 0), 9)],
        faults: (upper.map(|(_, member)| disagree(0, member, DIFFERENCES[0]))).collect(),
    }
}

/// A barrier into (1, 1) over the clusters from `base` on.
fn barrier(base: (u16, u16), mask: (u16, u16), start_cycles: [u64; 2]) -> PortTransaction {
    let kind = port_barrier(set(base, mask), cluster(1, 1));
    entry(start_cycles.map(Some).to_vec(), kind)
}

/// Two barriers of one root and one name, of a row and a column that cross in one tile; the row's second member comes when the
/// column has been there.
pub fn name_in_use() -> Trace {
    Trace {
        transactions: vec![
            barrier((0, 0), (1, 0), [0, 200]),
            barrier((0, 0), (0, 1), [40, 30]),
        ],
        faults: vec![Fault::Name {
            transaction: 1,
            of: 0,
        }],
    }
}

/// Two barriers of one name whose contributions meet in the root's interface only: the merge table of its router is full of
/// barriers whose second members come last.
pub fn name_in_use_behind_a_full_table(network: &Network) -> Trace {
    let entries = network.spec().axi().unwrap().router.merge_table_entries;
    // Of two clusters, so that none has as many open as its interface allows.
    let waiting = |entry| {
        let start_cycles = [[900, 0], [0, 900]][entry as usize % 2];
        barrier((1, 0), (0, 1), start_cycles)
    };
    let mut transactions: Vec<_> = (0..entries).map(waiting).collect();
    transactions.push(barrier((0, 0), (0, 1), [300, 600]));
    transactions.push(barrier((0, 1), (1, 0), [400, 450]));
    Trace {
        transactions,
        faults: vec![Fault::Name {
            transaction: entries + 1,
            of: entries,
        }],
    }
}

impl Hardware {
    /// A trace takes the same comparison, without and with back-pressure. Returns the worst response of each transaction.
    pub fn follows(self, trace: &Trace) -> Result<Vec<u8>, LockstepError> {
        let network = network_of(self.library);
        let mut responses = Vec::new();
        for stalls in [None, Some(HARD)] {
            let config = stalled(stalls, 1);
            let records = record_with(&network, trace, &config);
            let mut worst = vec![0; trace.transactions.len()];
            for command in records.iter().flat_map(|r| &r.commands) {
                let entry = command.transfer as u32 as usize;
                let ends = records.iter().flat_map(|r| &r.completions);
                let mut ends = ends.filter(|c| (c.tile, c.tag) == (command.tile, command.tag));
                worst[entry] = ends.next().map_or(0, |c| c.resp).max(worst[entry]);
            }
            self.follow(&network, &(records, config))?;
            responses = worst;
        }
        Ok(responses)
    }
}
