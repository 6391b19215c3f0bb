// SPDX-License-Identifier: Apache-2.0
//! Can transactions wait for each other forever?
//!
//! XY routes alone never close a cycle of links, so a check that looks at routes only would accept the
//! published router, which deadlocks as soon as two multicasts overlap. The graphs here hold what really
//! waits: links with the FIFOs at their ends, forks whose branches wait for each other, joins at FIFO
//! heads, wormhole locks, the responses and the order in which endpoints give them, the order in which
//! an initiator issues, queues that couple the planes, the store of waiting operands, and the
//! counters of open barriers.
//!
//! - [`check`] looks at given transactions that may be in flight together, on this network's flow;
//!   [`check_program`] at actions of a program, of which some wait for others.
//! - [`check_network`] looks at a mechanism, for all transactions there can be.
//!
//! Both err on one side: what they accept cannot deadlock, and a cycle they name may need an unlucky
//! timing or packets longer than the buffers. Reasons and limits: `docs/design/0002-deadlock-check.md`.

mod bursts;
mod channels;
mod flows;
mod graph;
mod limits;
mod mechanism;
mod place;
mod program;
mod search;

pub use program::{Activity, Part, Program, Work};

pub use bursts::{BurstEnds, burst_ends, bursts_together, num_bursts};
pub use channels::{
    BarrierCounters, Buffers, ChannelClass, Forks, Joins, Mechanism, OperandStore, OrderClasses,
    ReadData, ReductionUnit, Responses,
};
pub use flows::Flow;
pub use graph::{IssueOrder, check, check_in_order, check_program};
pub use limits::{
    BEATS_PER_CREDIT, Windows, contribution_inputs, merge_points, merge_timeout_cycles,
    operand_store_bytes, reduction_flows, reductions_at_a_router,
};
pub use mechanism::{check_mechanism, check_network};
pub use place::Place;
pub use search::{Cycle, Proof, Wait, is_among};
