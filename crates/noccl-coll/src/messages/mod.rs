// SPDX-License-Identifier: Apache-2.0
//! Schedules of messages between cores (S4), and the baselines that send the same messages in other orders.
//!
//! On networks of core tiles there are no addresses: every byte is sent by one core and received by another one. So no barrier stands between
//! a write and a read, and what a core waits for is what it has received.

mod barrier;
mod exchange;
mod plan;
mod plan_links;
mod plan_rounds;
mod planned;
mod program;
mod reduce;
mod rounds;
mod row_column;
mod tree;

use crate::choice::{RoundForm, RoundSync, TreeForm};
use crate::group::Group;
use crate::layout::Layout;
use crate::{Algorithm, Choice, CollError, Inner, check_elements};
use noccl_net::{Coord, Network};
use noccl_workload::{
    Action, Collective, CollectiveKind, First, Rectangle, SCHEDULE_FORMAT, Schedule,
};
use program::Part;
use rounds::Grid;
use std::collections::BTreeMap;

/// One collective by one choice.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    network: &'a Network,
    collective: &'a Collective,
    group: &'a Group,
    choice: Choice,
    /// Members by rank.
    members: Vec<Coord>,
    /// Rank of the collective's root.
    root: usize,
}

/// The schedule of a collective on core tiles.
pub(crate) fn schedule(
    network: &Network,
    collective: &Collective,
    choice: Choice,
) -> Result<Schedule, CollError> {
    validate(collective, choice)?;
    let group = Group::new(network, collective)?;
    let members = group.members.clone();
    let root = if !collective.kind.has_root() {
        0
    } else if group.is_root_member() {
        members.binary_search(&group.entry).unwrap_or(0)
    } else {
        return Err(CollError::Impossible(format!(
            "root {}: not in the group; accepted: a member, as cores send and receive by themselves",
            collective.root
        )));
    };
    let work = Work {
        network,
        collective,
        group: &group,
        choice,
        members,
        root,
    };
    Ok(Schedule {
        format: SCHEDULE_FORMAT,
        first: work.first(),
        claims_rounds: work.claims_rounds(),
        algorithm: choice.algorithm.to_string(),
        parameters: work.parameters()?,
        collective: Some(collective.clone()),
        actions: work.actions()?,
    })
}

/// Which algorithms there are for a collective on core tiles.
pub(crate) const fn does(algorithm: Algorithm, kind: CollectiveKind) -> bool {
    use CollectiveKind::{AllReduce, AllToAll, Barrier, Multicast, Reduce};
    match algorithm {
        Algorithm::Unicast => matches!(kind, AllToAll | Multicast),
        Algorithm::Tree => matches!(kind, Multicast | Reduce | AllReduce | Barrier),
        Algorithm::RowColumn => matches!(kind, Reduce | AllReduce | AllToAll),
        Algorithm::Pairwise | Algorithm::Torus | Algorithm::Rounds | Algorithm::Planned => {
            matches!(kind, AllToAll)
        }
        Algorithm::RecursiveDoubling => matches!(kind, AllReduce),
        Algorithm::Dissemination => matches!(kind, Barrier),
        Algorithm::InNetworkStatic => matches!(kind, Multicast),
        Algorithm::Chain => matches!(kind, Multicast | Reduce | AllReduce),
        Algorithm::DoubleTree
        | Algorithm::Ring
        | Algorithm::Slotted
        | Algorithm::PointToPoint
        | Algorithm::Chainwrite
        | Algorithm::Counter
        | Algorithm::InNetwork
        | Algorithm::InNetworkLines
        | Algorithm::InNetworkOnce
        | Algorithm::InNetworkList => false,
    }
}

/// What can be wrong whatever the network.
fn validate(collective: &Collective, choice: Choice) -> Result<(), CollError> {
    let kind = collective.kind;
    let unsupported = |reason: String| CollError::Unsupported {
        algorithm: choice.to_string(),
        collective: kind.to_string(),
        reason,
    };
    if !does(choice.algorithm, kind) {
        let others = Algorithm::ALL.into_iter().filter(|a| does(*a, kind));
        let others: Vec<&str> = others.map(Algorithm::name).collect();
        return Err(unsupported(match others.as_slice() {
            [] => "no algorithm of core tiles does it; accepted: multicast, reduce, all_reduce, all_to_all, barrier"
                .to_owned(),
            names => format!("accepted on core tiles: {}", names.join(", ")),
        }));
    }
    if choice.inner == Inner::Tree {
        return Err(unsupported(
            "accepted: row_column:direct, row_column:chain".to_owned(),
        ));
    }
    let form = choice.messages;
    let is_exchange = kind == CollectiveKind::AllToAll;
    if choice.algorithm == Algorithm::RowColumn && is_exchange && form.is_direct {
        return Err(unsupported(
            "accepted: row_column with :lag=STEPS, :barrier, :receive, :send".to_owned(),
        ));
    }
    let has_steps = form.lag.is_some() || form.first.is_some() || form.sync != RoundSync::default();
    if has_steps && !is_exchange {
        return Err(unsupported(
            "lag, barrier, receive and send are of exchanges; accepted: no such word".to_owned(),
        ));
    }
    if choice.chunks == 0 {
        return Err(CollError::Impossible(
            "chunks = 0; accepted: 1 or more".to_owned(),
        ));
    }
    if choice.chunks > 1 && !choice.algorithm.has_pieces(kind) {
        return Err(unsupported("accepted: one chunk".to_owned()));
    }
    check_elements(collective)
}

/// Choices worth comparing on core tiles.
pub(crate) fn candidates(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    let algorithms = Algorithm::ALL.into_iter().filter(|a| does(*a, kind));
    let unit_bytes = unit_bytes(network);
    let all_pieces = u32::try_from(collective.bytes.div_ceil(unit_bytes)).unwrap_or(u32::MAX);
    let mut choices = Vec::new();
    for algorithm in algorithms {
        let plain = Choice::new(algorithm, 1);
        let mut pieces = vec![1];
        if algorithm.has_pieces(kind) {
            pieces.extend([all_pieces / 4, all_pieces / 2, all_pieces]);
            pieces.retain(|num| *num > 0);
            pieces.dedup();
        }
        for chunks in pieces {
            let cut = Choice { chunks, ..plain };
            if algorithm == Algorithm::RowColumn && kind != CollectiveKind::AllToAll {
                choices.extend([cut.direct(), cut]);
            } else if algorithm == Algorithm::Tree && kind == CollectiveKind::Barrier {
                choices.extend(TreeForm::ALL.map(|tree| cut.with_tree(tree)));
            } else if algorithm == Algorithm::Rounds {
                choices.extend(RoundForm::ALL.map(|rounds| cut.with_rounds(rounds)));
            } else {
                choices.push(cut);
            }
        }
    }
    choices
}

/// Bytes of the payload of a packet, and of whole elements of any type.
pub(crate) fn unit_bytes(network: &Network) -> u64 {
    let unit = network.cores().map_or(8, |tiles| tiles.core.unit_bytes);
    u64::from(unit).next_multiple_of(8)
}

impl Work<'_> {
    fn actions(&self) -> Result<Vec<Action>, CollError> {
        let collective = self.collective;
        let is_empty = collective.bytes == 0 && collective.lengths.is_none();
        match collective.kind {
            CollectiveKind::Barrier => self.barrier(),
            _ if is_empty => Ok(Vec::new()),
            CollectiveKind::Multicast => self.multicast(),
            CollectiveKind::Reduce => self.reduce(),
            CollectiveKind::AllReduce => self.all_reduce(),
            CollectiveKind::AllToAll => {
                self.layout()?;
                if self.choice.algorithm == Algorithm::Planned {
                    return self.planned();
                }
                self.all_to_all()
            }
            CollectiveKind::AllGather
            | CollectiveKind::ReduceScatter
            | CollectiveKind::Scatter
            | CollectiveKind::Gather
            | CollectiveKind::Scan
            | CollectiveKind::Custom => Ok(Vec::new()),
        }
    }

    /// What a core does first: in rounds it receives, as the next round waits for that; else it goes on, so that others can too.
    fn first(&self) -> Option<First> {
        let has_payload = self.collective.kind != CollectiveKind::Barrier;
        let sends_on = has_payload && self.choice.algorithm != Algorithm::Rounds;
        let usual = sends_on.then_some(First::Send);
        self.choice.messages.first.or(usual)
    }

    /// Rounds that are split share no link.
    fn claims_rounds(&self) -> bool {
        self.choice.algorithm == Algorithm::Rounds
            && self.choice.messages.rounds == RoundForm::Split
    }

    fn parameters(&self) -> Result<BTreeMap<String, String>, CollError> {
        let pieces = if self.collective.bytes == 0 {
            0
        } else {
            self.pieces().len()
        };
        let kind = self.collective.kind;
        let mut parameters = self.choice.message_parameters(kind, pieces);
        if self.choice.algorithm == Algorithm::Rounds {
            let rectangle = self.rectangle()?;
            let grid = Grid {
                columns: rectangle.width,
                rows: rectangle.height,
            };
            let counts = grid.counts();
            for (name, value) in [
                ("rounds", counts.rounds as u64),
                ("subrounds", counts.subrounds as u64),
                ("slots", counts.slots as u64),
                ("least_slots", grid.least_slots()),
            ] {
                parameters.insert(name.to_owned(), value.to_string());
            }
        }
        Ok(parameters)
    }

    /// Input and output of every rank.
    fn whole(&self) -> Part {
        Part {
            from: self.collective.input_offset,
            to: self.collective.output_offset,
            bytes: self.collective.bytes,
        }
    }

    fn unit_bytes(&self) -> u64 {
        unit_bytes(self.network)
    }

    fn layout(&self) -> Result<Layout, CollError> {
        Layout::new(self.network, self.group, self.collective, self.choice)
    }

    fn check_layout(&self, layout: &Layout) -> Result<(), CollError> {
        layout.check(self.network, self.group, self.choice)
    }

    /// Columns and rows of the group.
    fn grid(&self) -> Result<(usize, usize), CollError> {
        let lines = self.group.columns_and_rows();
        let (columns, rows) = lines.ok_or_else(|| {
            self.unsupported(
                "the group must be all of some columns and rows; accepted for other sets: algorithms without rows and \
                 columns",
            )
        })?;
        Ok((columns.len(), rows.len()))
    }

    /// The group as a rectangle without holes.
    fn rectangle(&self) -> Result<Rectangle, CollError> {
        Rectangle::of(&self.members).ok_or_else(|| {
            self.unsupported(
                "the group has holes: routes would lead through tiles that take no part; accepted: a rectangle",
            )
        })
    }

    fn unsupported(&self, reason: &str) -> CollError {
        CollError::Unsupported {
            algorithm: self.choice.to_string(),
            collective: self.collective.kind.to_string(),
            reason: reason.to_owned(),
        }
    }
}
