// SPDX-License-Identifier: Apache-2.0
//! Actions of a random schedule on core tiles: messages, streams over the static network, reductions and copies within a memory.
//!
//! Streams span the mesh, from roots that change: rectangles that overlap and differ are refused.

use super::super::StressKind;
use super::INPUT_BYTES;
use noccl_net::{Network, TileRef};
use noccl_run::Rng;
use noccl_workload::{
    Action, ActionId, ActionKind, Compute, ElementType, LocalReduce, Message, Operator, Place,
    Rectangle, StaticMulticast,
};

/// Most cycles that a core computes in between.
const MAX_DELAY_CYCLES: u64 = 400;

/// Kinds that cores carry: messages, streams, reductions in a memory.
pub(super) fn is_carried(kind: StressKind) -> bool {
    matches!(
        kind,
        StressKind::Write | StressKind::Multicast | StressKind::Reduction
    )
}

/// Bytes that a tile may read after an action.
#[derive(Debug, Clone, Copy)]
struct CoreBytes {
    place: Place,
    bytes: u64,
    by: ActionId,
}

pub(super) struct CoreGenerator {
    kinds: Vec<StressKind>,
    tiles: Vec<TileRef>,
    mesh: Rectangle,
    rng: Rng,
    range_bytes: u64,
    pub(super) actions: Vec<Action>,
    left: Vec<CoreBytes>,
}

impl CoreGenerator {
    /// Without an action.
    pub(super) fn new(
        network: &Network,
        tiles: Vec<TileRef>,
        kinds: Vec<StressKind>,
        (rng, range_bytes): (Rng, u64),
    ) -> Self {
        Self {
            kinds,
            tiles,
            mesh: Rectangle {
                x: 0,
                y: 0,
                width: network.width(),
                height: network.height(),
            },
            rng,
            range_bytes,
            actions: Vec::new(),
            left: Vec::new(),
        }
    }

    /// One more transaction, which writes to the range with this index, and now and then a computation before it.
    pub(super) fn add(&mut self, index: u64) {
        let offset = INPUT_BYTES + index * self.range_bytes;
        let before =
            (self.rng.one_in(2) && !self.left.is_empty()).then(|| *self.rng.pick(&self.left));
        let source = before.map_or_else(|| self.input(), |left| left.place);
        let most = before.map_or(self.range_bytes, |left| left.bytes);
        let bytes = self.rng.below(most + 1);
        let by = self.delay(source.tile);
        let left = |tile, bytes| CoreBytes {
            place: Place { tile, offset },
            bytes,
            by,
        };
        let kind = match self.rng.pick(&self.kinds) {
            StressKind::Multicast => ActionKind::StaticMulticast(StaticMulticast {
                source,
                set: self.mesh,
                offset,
                bytes,
            }),
            StressKind::Reduction => {
                let reduce = self.reduce(source, offset, bytes);
                self.left.push(left(source.tile, reduce.bytes));
                ActionKind::LocalReduce(reduce)
            }
            StressKind::Write
            | StressKind::Read
            | StressKind::Barrier
            | StressKind::Atomic
            | StressKind::Chain
            | StressKind::Program
            | StressKind::ExecutedProgram => {
                let tile = *self.rng.pick(&self.tiles);
                self.left.push(left(tile, bytes));
                ActionKind::Message(Message {
                    source,
                    destination: Place { tile, offset },
                    bytes,
                    rows: None,
                    round: None,
                })
            }
        };
        let after = before.into_iter().map(|left| left.by).collect();
        self.actions.push(Action { kind, after });
    }

    /// A core is busy before its next share, a quarter of the time. The number that the next action will have.
    fn delay(&mut self, tile: TileRef) -> ActionId {
        if self.rng.one_in(4) {
            let cycles = 1 + self.rng.below(MAX_DELAY_CYCLES);
            let kind = ActionKind::Compute(Compute { tile, cycles });
            self.actions.push(Action {
                kind,
                after: Vec::new(),
            });
        }
        ActionId(self.actions.len() as u32)
    }

    /// Of what the source holds and of the input of its tile.
    fn reduce(&mut self, source: Place, output: u64, bytes: u64) -> LocalReduce {
        let element = *self
            .rng
            .pick(&[ElementType::Int8, ElementType::Int32, ElementType::Fp32]);
        let operators = Operator::ALL.into_iter().filter(|o| o.accepts(element));
        LocalReduce {
            tile: source.tile,
            inputs: vec![source.offset, 0],
            output,
            bytes: bytes / element.bytes() * element.bytes(),
            operator: *self.rng.pick(&operators.collect::<Vec<_>>()),
            element,
        }
    }

    /// The input of some tile.
    fn input(&mut self) -> Place {
        let tile = *self.rng.pick(&self.tiles);
        Place { tile, offset: 0 }
    }
}
