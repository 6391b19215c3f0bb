// SPDX-License-Identifier: Apache-2.0
//! Schedules of messages between cores (S4), and the baselines that send the same messages in other orders.
//!
//! On networks of core tiles there are no addresses: every byte is sent by one core and received by another one. So no barrier stands between
//! a write and a read, and what a core waits for is what it has received.

pub(crate) mod barrier;
pub(crate) mod exchange;
pub(crate) mod forms;
mod plan;
mod plan_links;
mod plan_rounds;
pub(crate) mod planned;
mod program;
pub(crate) mod reduce;
mod rounds;
mod row_column;
mod tree;

use crate::choice::{RoundForm, RoundSync, TreeForm};
use crate::entry::OnCores;
use crate::group::Group;
use crate::layout::Layout;
use crate::position::rank_of;
use crate::{Algorithm, Choice, CollError, Inner, check_elements, collectives_on_cores};
use noccl_net::{Coord, Network};
use noccl_workload::{
    Action, Collective, CollectiveKind, First, Rectangle, SCHEDULE_FORMAT, Schedule,
};
use program::MessagePart;
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
    let form = validate(collective, choice)?;
    let group = Group::new(network, collective)?;
    let members = group.members.clone();
    let root = if !collective.kind.has_root() {
        0
    } else if group.is_root_member() {
        rank_of(&members, &group.entry)
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
        actions: work.actions(form)?,
    })
}

/// What can be wrong whatever the network; the algorithm's form, which does this collective.
fn validate(collective: &Collective, choice: Choice) -> Result<OnCores, CollError> {
    let kind = collective.kind;
    let unsupported = |reason: String| CollError::Unsupported {
        algorithm: choice.to_string(),
        collective: kind.to_string(),
        reason,
    };
    let known = choice.algorithm.entry().on_cores;
    let Some(form) = known.filter(|form| (form.does)(kind)) else {
        let others = Algorithm::ALL.into_iter().filter(|a| a.does_on_cores(kind));
        let others: Vec<&str> = others.map(Algorithm::name).collect();
        return Err(unsupported(match others.as_slice() {
            [] => format!(
                "no algorithm of core tiles does it; accepted: {}",
                collectives_on_cores()
            ),
            names => format!("accepted on core tiles: {}", names.join(", ")),
        }));
    };
    if choice.inner == Inner::Tree {
        return Err(unsupported(
            "accepted: row_column:direct, row_column:chain".to_owned(),
        ));
    }
    let (messages, parameters) = (choice.messages, choice.algorithm.entry().parameters);
    let is_exchange = kind == CollectiveKind::AllToAll;
    if parameters.has_lines && is_exchange && messages.is_direct {
        return Err(unsupported(
            "accepted: row_column with :lag=STEPS, :barrier, :receive, :send".to_owned(),
        ));
    }
    let has_steps =
        messages.lag.is_some() || messages.first.is_some() || messages.sync != RoundSync::default();
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
    if choice.chunks > 1 && !choice.algorithm.has_chunks_on_cores(kind) {
        return Err(unsupported("accepted: one chunk".to_owned()));
    }
    check_elements(collective)?;
    Ok(form)
}

/// Choices worth comparing on core tiles.
pub(crate) fn candidates(network: &Network, collective: &Collective) -> Vec<Choice> {
    let kind = collective.kind;
    let algorithms = Algorithm::ALL.into_iter().filter(|a| a.does_on_cores(kind));
    let unit_bytes = unit_bytes(network);
    let all_pieces = u32::try_from(collective.bytes.div_ceil(unit_bytes)).unwrap_or(u32::MAX);
    let mut choices = Vec::new();
    for algorithm in algorithms {
        let (plain, has) = (Choice::new(algorithm, 1), algorithm.entry().parameters);
        let mut pieces = vec![1];
        if algorithm.has_chunks_on_cores(kind) {
            pieces.extend([all_pieces / 4, all_pieces / 2, all_pieces]);
            pieces.retain(|num| *num > 0);
            pieces.dedup();
        }
        for chunks in pieces {
            let cut = Choice { chunks, ..plain };
            if has.has_lines && kind != CollectiveKind::AllToAll {
                choices.extend([cut.direct(), cut]);
            } else if has.has_trees && !kind.has_payload() {
                choices.extend(TreeForm::ALL.map(|tree| cut.with_tree(tree)));
            } else if has.has_rounds {
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
    fn actions(&self, form: OnCores) -> Result<Vec<Action>, CollError> {
        let collective = self.collective;
        if collective.kind.has_payload() {
            if collective.bytes == 0 && collective.lengths.is_none() {
                return Ok(Vec::new());
            }
            // Buffers that do not fit are refused before anything else.
            self.layout()?;
        }
        (form.build)(self)
    }

    const fn has_rounds(&self) -> bool {
        self.choice.algorithm.entry().parameters.has_rounds
    }

    /// What a core does first: in rounds it receives, as the next round waits for that; else it goes on, so that others can too.
    fn first(&self) -> Option<First> {
        let has_payload = self.collective.kind.has_payload();
        let sends_on = has_payload && !self.has_rounds();
        let usual = sends_on.then_some(First::Send);
        self.choice.messages.first.or(usual)
    }

    /// Rounds that are split share no link.
    fn claims_rounds(&self) -> bool {
        self.has_rounds() && self.choice.messages.rounds == RoundForm::Split
    }

    fn parameters(&self) -> Result<BTreeMap<String, String>, CollError> {
        let pieces = if self.collective.bytes == 0 {
            0
        } else {
            self.pieces().len()
        };
        let kind = self.collective.kind;
        let mut parameters = self.choice.message_parameters(kind, pieces);
        if self.has_rounds() {
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
    fn whole(&self) -> MessagePart {
        MessagePart {
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
