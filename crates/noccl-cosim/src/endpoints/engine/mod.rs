// SPDX-License-Identifier: Apache-2.0
//! DMA engines of the hardware: when their registers are accessed, so that they begin transfers when the record's do.
//!
//! A transfer is described register by register, those that change, just before the read that starts it; that read is as many
//! cycles before the record's start as the engine takes to its first beat or request.

pub(crate) mod path;
mod transfers;

pub use transfers::EngineStarts;

use super::axi::{self, Opcode, Shown};
use super::memory::line::{LINE_BYTES, Line, PAGE_BYTES, lane_of, line_of};
use super::memory::map::AddressMap;
use crate::lockstep::{element_number, operator_number};
use noccl_net::{Coord, MultiAddress};
use noccl_run::{RecordedRows, TransferStart};
use std::collections::VecDeque;

/// Cycles from the read of *start* to the first AW, if the own L1 is the source: queue, walk, L1, line. One more if the first line
/// of the destination needs two of the source.
const FIRST_BEAT_CYCLES: i64 = 4;
/// To the first AR, if another tile is.
const FIRST_REQUEST_CYCLES: i64 = 2;
/// Cycles before the record's first one in which registers may be accessed.
pub(crate) const LEAD_CYCLES: i64 = 16;
/// Lines that may be read over the network without waiting for buffer space.
const BUFFER_LINES: u64 = 128;
/// Bursts that may be asked for and not written.
const READ_BURSTS: u64 = 8;

/// `register_e` of the engine.
const START: u8 = 8;
const NUM_DESCRIBING: usize = 8;

/// Accesses to the registers of a tile's engine, by cycle: register, value to write.
#[derive(Debug, Clone, Default)]
pub(crate) struct Engine {
    accesses: VecDeque<(i64, u8, Option<u64>)>,
    described: [u64; NUM_DESCRIBING],
    last_start: Option<i64>,
    /// Lines that were asked for in the last cycle, by read port of L1.
    asked: Vec<(usize, u64)>,
}

impl Engine {
    /// Plans the accesses for a transfer that begins in `cycle`, later than all planned before. `join`: name of the first burst
    /// of a contribution.
    pub(crate) fn plan(
        &mut self,
        cycle: u64,
        (start, join): (&TransferStart, u32),
        (home, map): (Coord, &AddressMap),
    ) -> Result<(), &'static str> {
        refuse(start, (home, map))?;
        let is_push = start.source.tile == home;
        let lead = if is_push {
            FIRST_BEAT_CYCLES + i64::from(wraps(start, 0))
        } else {
            FIRST_REQUEST_CYCLES
        };
        let at = cycle as i64 - lead;
        let wanted = describe((start, join), self.described, map);
        let changes = (0..NUM_DESCRIBING).filter(|i| wanted[*i] != self.described[*i]);
        let changes: Vec<usize> = changes.collect();
        let first = at - changes.len() as i64;
        if first < -LEAD_CYCLES || self.last_start.is_some_and(|last| first <= last) {
            return Err("transfers of an engine so close after each other");
        }
        let writes = (first..).zip(changes);
        (self.accesses).extend(writes.map(|(c, i)| (c, i as u8, Some(wanted[i]))));
        self.accesses.push_back((at, START, None));
        self.described = wanted;
        self.last_start = Some(at);
        Ok(())
    }

    /// Shows the access of a cycle and the line that was asked for.
    pub(crate) fn drive(&mut self, words: &mut [u32], cycle: i64, line: impl Fn(u64) -> Line) {
        if let Some((_, register, value)) = self.accesses.pop_front_if(|(c, ..)| *c == cycle) {
            axi::access(words, register, value);
        }
        for (port, asked) in self.asked.drain(..) {
            axi::give_line(words, port, &line(line_of(asked)));
        }
    }

    /// The engine asks for lines.
    pub(crate) fn ask(&mut self, shown: Shown<'_>) {
        let ports = 0..shown.engine_channels();
        self.asked = ports
            .filter_map(|port| Some((port, shown.asked_line(port)?)))
            .collect();
    }
}

/// Values of the describing registers; what does not matter stays as it is.
fn describe(
    (start, join): (&TransferStart, u32),
    old: [u64; NUM_DESCRIBING],
    map: &AddressMap,
) -> [u64; NUM_DESCRIBING] {
    let address = |rows: &RecordedRows| {
        let tile = rows.set.map_or(rows.tile, |set| map.cluster(set.base));
        map.address(tile, rows.offset)
    };
    let has_rows = start.rows > 1;
    let stride = |new, old| if has_rows { new } else { old };
    let set = start.contribution.map(|c| c.group);
    let set = set.or(start.destination.set);
    let mask = |set: MultiAddress| map.mask(set.mask);
    let kind = start.contribution.map_or_else(
        || u64::from(start.destination.set.is_some()),
        |c| {
            let (element, operator) = (element_number(c.element), operator_number(c.operator));
            Opcode::Join as u64 | element << 8 | operator << 16 | u64::from(join) << 32
        },
    );
    [
        address(&start.source),
        address(&start.destination),
        start.bytes,
        u64::from(start.rows),
        stride(start.source.stride, old[4]),
        stride(start.destination.stride, old[5]),
        kind,
        // 0: a transfer to one tile has no mask.
        set.map_or(0, mask),
    ]
}

/// Lanes of a row's first byte at its source and at its destination.
fn lanes(start: &TransferStart, row: u64) -> (usize, usize) {
    let lane = |rows: &RecordedRows| lane_of(rows.offset + row * rows.stride);
    (lane(&start.source), lane(&start.destination))
}

/// Does the row's first source line fill no destination line? It costs a cycle more.
fn wraps(start: &TransferStart, row: u64) -> bool {
    let (from, to) = lanes(start, row);
    from > to
}

/// What the engine does in other cycles than the record's.
fn refuse(start: &TransferStart, (home, map): (Coord, &AddressMap)) -> Result<(), &'static str> {
    let (source, destination) = (&start.source, &start.destination);
    let is_own = |rows: &RecordedRows| rows.tile == home && rows.set.is_none();
    if let Some(contribution) = start.contribution {
        if contribution.is_shared {
            return Err("an all-reduce in one transaction");
        }
        // Sums leave with all bytes of their lines.
        if lane_of(destination.offset | start.bytes) != 0 {
            return Err("a reduction of a part of a line");
        }
    }
    if start.rows > 1 && (0..u64::from(start.rows)).any(|row| wraps(start, row)) {
        return Err("rows to lower lanes than those they come from");
    }
    if is_own(source) {
        return Ok(());
    }
    let end = source.offset % PAGE_BYTES + start.bytes;
    let (from, to) = lanes(start, 0);
    let lines = (from as u64 + start.bytes).div_ceil(LINE_BYTES as u64);
    let rows = u64::from(start.rows);
    let is_long = lines * rows > BUFFER_LINES || end.div_ceil(PAGE_BYTES) * rows > READ_BURSTS;
    let mut members = destination.set.into_iter().flat_map(|set| set.members());
    if is_long && members.any(|at| map.cluster(at) == home) {
        return Err(
            "a multicast of read data to the own tile too, longer than the engine's buffer",
        );
    }
    // The simulator counts buffer space in bytes, the engine in lines.
    if is_long && (rows > 1 || from != 0 || to != 0) {
        return Err(
            "a read in many short bursts or from or to within a line, longer than the engine's buffer",
        );
    }
    if from > to && start.bytes <= (LINE_BYTES - from) as u64 && !is_own(destination) {
        return Err("a read of a part of a line to lower lanes");
    }
    Ok(())
}
