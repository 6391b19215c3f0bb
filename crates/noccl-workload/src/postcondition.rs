// SPDX-License-Identifier: Apache-2.0
//! What a collective asks for: which inputs each part of each output is made of.
//!
//! The checker proves it, a search for schedules starts from it. A barrier moves nothing and asks for nothing here.

use crate::{ChunkRef, Collective, Definition, Holders, Origin, Values, Want};
use noccl_net::{Network, TileId};
use std::collections::HashMap;

/// Values, and who wants them where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Postcondition {
    /// Distinct values: the operands of each. A value of one operand is a copy, of several their fold by the collective's operator,
    /// each operand once, in any order.
    pub values: Vec<Vec<Operand>>,
    /// Parts of outputs, by tile and then by offset.
    pub outputs: Vec<Output>,
}

/// Initial bytes of a tile's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// Whose memory.
    pub tile: TileId,
    /// First byte.
    pub offset: u64,
}

/// Bytes of a tile's memory that have to hold a value in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// Whose memory.
    pub tile: TileId,
    /// First byte.
    pub offset: u64,
    /// Bytes; not 0.
    pub bytes: u64,
    /// Index into [`Postcondition::values`].
    pub value: usize,
}

/// The same output by output and value by value: of many members all of them together would fill a memory.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    collective: &'a Collective,
    members: Vec<TileId>,
    root: TileId,
    own: Own,
}

/// Values of a custom collective.
#[derive(Debug, Clone, Default)]
struct Own {
    /// Operands of each, ascending.
    values: Vec<Vec<ChunkRef>>,
    /// By rank and chunk of its output.
    outputs: Vec<Vec<Option<usize>>>,
}

impl Postcondition {
    /// What a collective asks for; nothing where its group or root does not exist, which [`crate::check_collective`] refuses.
    #[must_use]
    pub fn new(network: &Network, collective: &Collective) -> Self {
        let Some(asked) = Asked::new(network, collective) else {
            return Self::default();
        };
        Self {
            values: (0..asked.num_values())
                .map(|value| asked.operands(value))
                .collect(),
            outputs: (0..asked.output_holders().len())
                .flat_map(|holder| asked.outputs(holder))
                .collect(),
        }
    }
}

impl<'a> Asked<'a> {
    /// What a collective asks for; none where its group or root does not exist.
    #[must_use]
    pub fn new(network: &Network, collective: &'a Collective) -> Option<Self> {
        let members = network.members(&collective.group).ok()?;
        let members: Vec<TileId> = members
            .iter()
            .map(|c| network.tile_at(network.mesh_coord(*c)))
            .collect();
        let definition = collective.definition.as_deref();
        let own = definition.map(|d| Own::new(d, members.len()));
        Some(Self {
            collective,
            root: network.find(collective.root)?,
            // 0: only a custom collective has chunks of its own.
            own: own.unwrap_or_default(),
            members,
        })
    }

    /// Members by rank.
    #[must_use]
    pub fn members(&self) -> &[TileId] {
        &self.members
    }

    /// Who has an input.
    #[must_use]
    pub fn input_holders(&self) -> &[TileId] {
        self.holders(self.collective.kind.input_holders())
    }

    /// Who has an output.
    #[must_use]
    pub fn output_holders(&self) -> &[TileId] {
        self.holders(self.collective.kind.output_holders())
    }

    fn holders(&self, who: Holders) -> &[TileId] {
        match who {
            Holders::Nobody => &[],
            Holders::Root => std::slice::from_ref(&self.root),
            Holders::Members => &self.members,
        }
    }

    /// Values of a kind that states them; none of a barrier and of a custom collective.
    fn values(&self) -> Option<Values> {
        self.collective.kind.class().values
    }

    /// Number of distinct values.
    #[must_use]
    pub fn num_values(&self) -> usize {
        match self.values() {
            Some(values) => (values.count)(self.members.len()),
            None => self.own.values.len(),
        }
    }

    /// Of what a value is made, where the kind states it; none of a custom collective.
    pub(crate) fn origin(&self, value: usize) -> Option<Origin> {
        let values = self.values()?;
        Some((values.origin)(value, self.members.len()))
    }

    /// Operands of a value, by tile and then by offset.
    #[must_use]
    pub fn operands(&self, value: usize) -> Vec<Operand> {
        let of_each = |members: &[TileId], block: usize| -> Vec<Operand> {
            let members = members.iter();
            members.map(|m| self.input(*m, block as u64)).collect()
        };
        match self.origin(value) {
            Some(Origin::OfRoot { block }) => of_each(&[self.root], block),
            Some(Origin::OfRank { rank, block }) => of_each(&[self.members[rank]], block),
            Some(Origin::OfAll { block }) => of_each(&self.members, block),
            Some(Origin::UpTo { rank }) => of_each(&self.members[..=rank], 0),
            None => {
                let chunks = self.own.values.get(value).into_iter().flatten();
                let of = |c: &ChunkRef| {
                    let tile = self.members.get(c.rank as usize)?;
                    Some(self.input(*tile, u64::from(c.chunk)))
                };
                chunks.filter_map(of).collect()
            }
        }
    }

    /// Must a value be made by the operator? One of a single operand too, where the collective is a reduction.
    #[must_use]
    pub fn is_reduction(&self, value: usize) -> bool {
        let is_made = |operands: &Vec<ChunkRef>| operands.len() > 1;
        self.collective.kind.reduces() || self.own.values.get(value).is_some_and(is_made)
    }

    /// What one of the [holders](Self::output_holders) wants, by offset.
    #[must_use]
    pub fn outputs(&self, holder: usize) -> Vec<Output> {
        let (collective, ranks) = (self.collective, self.members.len());
        let tile = self.output_holders()[holder];
        let part = |block: usize, bytes: u64, value: usize| Output {
            tile,
            offset: place(collective, collective.output_offset, block as u64),
            bytes,
            value,
        };
        let mut wanted: Vec<Output> = match self.values() {
            Some(values) => {
                // 0: values that a kind states are of a number of blocks that it states too.
                let blocks = collective.kind.output_blocks(ranks as u64).unwrap_or(0);
                let of = |block: usize| {
                    let bytes = collective.block_bytes(block, holder);
                    part(block, bytes, (values.at)(holder, block, ranks))
                };
                (0..blocks as usize).map(of).collect()
            }
            None => {
                let chunks = self.own.outputs.get(holder).into_iter().flatten();
                let all = chunks.enumerate();
                let of = |(at, value): (usize, &Option<usize>)| {
                    Some(part(at, collective.bytes, (*value)?))
                };
                all.filter_map(of).collect()
            }
        };
        wanted.retain(|output| output.bytes > 0);
        wanted
    }

    /// Where a block of a tile's input begins.
    fn input(&self, tile: TileId, block: u64) -> Operand {
        let collective = self.collective;
        Operand {
            tile,
            offset: place(collective, collective.input_offset, block),
        }
    }
}

/// Where a block begins; at most `u64::MAX`, which fits nowhere.
const fn place(collective: &Collective, offset: u64, block: u64) -> u64 {
    offset.saturating_add(block.saturating_mul(collective.bytes))
}

impl Own {
    fn new(definition: &Definition, num_ranks: usize) -> Self {
        let mut own = Self::default();
        let mut known: HashMap<Vec<ChunkRef>, usize> = HashMap::new();
        let mut forms: HashMap<&Want, Option<usize>> = HashMap::new();
        for wants in &definition.outputs {
            let values = wants.iter().map(|want| {
                *forms.entry(want).or_insert_with(|| {
                    let mut operands = want.operands(num_ranks);
                    operands.sort_unstable();
                    let next = own.values.len();
                    (!operands.is_empty()).then(|| {
                        *known.entry(operands).or_insert_with_key(|operands| {
                            own.values.push(operands.clone());
                            next
                        })
                    })
                })
            });
            let values = values.collect();
            own.outputs.push(values);
        }
        own
    }
}
