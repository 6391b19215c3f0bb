// SPDX-License-Identifier: Apache-2.0
//! One cycle of the hardware beside one of the record.
#![allow(unsafe_code)]

use super::axi::{Bit, Shown, WritePort};
use super::channels::Response;
use super::memory::line::{LINE_BYTES, Line, enabled, line_of, start_of, whole};
use super::{Endpoints, Expected, axi, number};
use crate::lockstep::{LockstepError, OUTPUTS};
use crate::verilated::{Handle, Opening, Verilated};
use noccl_net::Port;
use noccl_run::{
    AxiPort, Command, CommandKind, Completion, CycleRecord, FlitPlace, FlitRecord, Handshake,
    RecordedKind,
};
use noccl_spec::Plane;
use std::ffi::c_int;
use std::path::Path;

/// AXI response code.
const OKAY: u8 = 0;

impl Endpoints<'_> {
    /// The same ports have flits.
    pub(super) fn compare_sets(&self, expected: &Expected<'_>) -> Result<(), LockstepError> {
        for plane in Plane::ALL {
            let (mut enters, mut leaves, mut crosses) = (0, 0, [0; 5]);
            let of_plane = expected.record.handshakes.iter();
            for handshake in of_plane.filter(|h| h.plane == plane) {
                let bit = 1u64 << handshake.tile.0;
                match handshake.place {
                    FlitPlace::Enters => enters |= bit,
                    FlitPlace::Leaves => {
                        leaves |= bit;
                        crosses[Port::Local as usize] |= bit;
                    }
                    FlitPlace::Refused => crosses[Port::Local as usize] |= bit,
                    FlitPlace::Crosses(port) => crosses[port as usize] |= bit,
                    FlitPlace::CreditReturn | FlitPlace::Own => {}
                }
            }
            let number = number(plane);
            let crossing = self.model.crossing(number);
            for port in 0..5 {
                let places = (OUTPUTS[port], Some(port));
                self.same(expected, plane, places, crossing[port], crosses[port])?;
            }
            let entered = self.model.tiles(number, Tiles::Enter);
            self.same(expected, plane, ("Local input", None), entered, enters)?;
            let left = self.model.tiles(number, Tiles::Leave);
            let local = Some(Port::Local as usize);
            self.same(
                expected,
                plane,
                ("Local output, taken", local),
                left,
                leaves,
            )?;
        }
        Ok(())
    }

    /// Two sets of tiles with a flit at a port: `None` for the Local input.
    fn same(
        &self,
        expected: &Expected<'_>,
        plane: Plane,
        (at, port): (&'static str, Option<usize>),
        hardware: u64,
        recorded: u64,
    ) -> Result<(), LockstepError> {
        let difference = hardware ^ recorded;
        if difference == 0 {
            return Ok(());
        }
        let tile = difference.trailing_zeros() as usize;
        let here = |h: &&Handshake| {
            (h.plane, h.tile.0 as usize, port_of(h.place)) == (plane, tile, Some(port))
        };
        let layout = &self.comparison.layouts[plane.idx()];
        let recorded = recorded >> tile & 1 != 0;
        let found = expected.record.handshakes.iter().find(here);
        let recorded = found.filter(|_| recorded).map(|handshake| {
            let mut words = vec![0; layout.words];
            self.encode(expected, handshake, &mut words);
            layout.decode(&words)
        });
        let has_flit = hardware >> tile & 1 != 0;
        let hardware = has_flit.then(|| layout.decode(self.flit(plane, tile, port)));
        Err(self
            .comparison
            .divergence((plane, tile, at), recorded, hardware))
    }

    fn flit(&self, plane: Plane, tile: usize, port: Option<usize>) -> &[u32] {
        let (words, plane) = (self.comparison.layouts[plane.idx()].words, number(plane));
        match port {
            None => self.model.input(plane, tile, words),
            Some(port) => self.model.output(plane, tile, port, words),
        }
    }

    /// All bits of all flits are the same.
    pub(super) fn compare_flits(&mut self, expected: &Expected<'_>) -> Result<(), LockstepError> {
        let mut words = [0; 32];
        for handshake in &expected.record.handshakes {
            let Some(port) = port_of(handshake.place) else {
                continue;
            };
            let (plane, tile) = (handshake.plane, handshake.tile.0 as usize);
            let layout = &self.comparison.layouts[plane.idx()];
            let recorded = &mut words[..layout.words];
            self.encode(expected, handshake, recorded);
            let mut enabled = [0; 32];
            let hardware = self.flit(plane, tile, port);
            let hardware = if plane == Plane::Wide && self.engines.is_some() {
                let flit = &mut enabled[..layout.words];
                flit.copy_from_slice(hardware);
                clear_disabled(flit);
                &*flit
            } else {
                hardware
            };
            if recorded != hardware {
                let [recorded, hardware] = [&*recorded, hardware].map(|w| Some(layout.decode(w)));
                let at = port.map_or("Local input", |port| OUTPUTS[port]);
                return Err(self
                    .comparison
                    .divergence((plane, tile, at), recorded, hardware));
            }
            self.comparison.num_compared += 1;
        }
        Ok(())
    }

    /// The bits of a recorded flit, under the hardware's name of its transaction.
    fn encode(&self, expected: &Expected<'_>, handshake: &Handshake, words: &mut [u32]) {
        let recorded = handshake.flit.tag;
        let is_new = handshake.place == FlitPlace::Enters;
        let new = expected.new_names.iter().filter(|_| is_new);
        let new = new.rev().find(|n| n.recorded == recorded);
        let known = || self.names.get(&recorded).copied();
        // A transaction that no port has offered yet has no name.
        let tag = new.map(|n| n.hardware).or_else(known).unwrap_or(u32::MAX);
        let flit = FlitRecord {
            tag,
            ..handshake.flit.clone()
        };
        self.comparison.layouts[handshake.plane.idx()].encode(&flit, words);
    }

    /// Every beat that leaves the network reaches the memory in the same cycle.
    pub(super) fn compare_beats(&self, record: &CycleRecord) -> Result<(), LockstepError> {
        for tile in 0..self.comparison.network.num_tiles() {
            let shown = Shown(self.model.axi_out(tile));
            let beat = written_beat(record, tile).map(|flit| {
                let line = start_of(line_of(flit.address) + u64::from(flit.beat));
                // A marked sum enables nothing.
                let data = flit.data.as_deref().filter(|_| flit.resp == OKAY);
                (line, data.map_or([0; LINE_BYTES], whole))
            });
            let is_taken = !self.busy(tile)[AxiPort::WideWrite as usize];
            let has_beat = is_taken && shown.has(Bit::MemAw) && shown.has(Bit::MemW);
            let found = has_beat.then(|| shown.beat(WritePort::Network));
            let found = found.map(|(address, strobe, data)| (address, enabled(data, strobe)));
            if found != beat {
                let text = |(address, data): (u64, Line)| {
                    format!("offset {address:#x}, data {:02x?}..", &data[..8])
                };
                let hardware = found.map(text);
                let place = (Plane::Wide, tile, "memory port, AW and W");
                return Err(self.comparison.divergence(place, beat.map(text), hardware));
            }
        }
        Ok(())
    }

    /// Transactions end in the same cycle, with the same response; what was written is in memory.
    pub(super) fn compare_responses(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        for tile in 0..self.comparison.network.num_tiles() {
            let mut responses = {
                let (shown, busy) = (Shown(self.model.axi_out(tile)), self.busy(tile));
                self.managers[tile].follow(shown, (busy, self.comparison.cycle))
            };
            let here = record
                .completions
                .iter()
                .filter(|c| c.tile.0 as usize == tile);
            for completion in here {
                let is_it =
                    |a: &Response| (a.tag, a.resp) == (Some(completion.tag), completion.resp);
                let Some(at) = responses.iter().position(is_it) else {
                    let port = responses.first().map_or("AXI port, B or R", |a| a.port);
                    let hardware = responses.first().map(describe);
                    let recorded = Some(describe(&Response {
                        tag: Some(completion.tag),
                        resp: completion.resp,
                        port,
                    }));
                    return Err(self.comparison.divergence(
                        (Plane::Rsp, tile, port),
                        recorded,
                        hardware,
                    ));
                };
                responses.remove(at);
                self.comparison.num_compared += 1;
                self.check_memory(*completion)?;
            }
            if let Some(response) = responses.first() {
                let place = (Plane::Rsp, tile, response.port);
                return Err(self
                    .comparison
                    .divergence(place, None, Some(describe(response))));
            }
        }
        Ok(())
    }

    /// The bytes of a completed write, or the sum of all contributions to a completed reduction, are where they belong.
    fn check_memory(&mut self, completion: Completion) -> Result<(), LockstepError> {
        let name = (completion.tile, completion.tag);
        let Some(command) = self.sent.remove(&name) else {
            return Ok(());
        };
        let is_reduction = command.kind == CommandKind::Reduction;
        let (members, lines) = match command.set {
            Some(_) if is_reduction => (vec![command.target], self.results.close(command.tag)),
            None => (vec![command.target], given(&command)),
            Some(set) => {
                let members = set.members().map(|at| self.map.cluster(at)).collect();
                (members, given(&command))
            }
        };
        for at in members {
            let tile = self.comparison.network.tile_at(at).0 as usize;
            for (line, data) in (line_of(command.address)..).zip(&lines) {
                let found = self.memories[tile].line(line);
                // Of a burst that failed nothing is there, and transactions have their own parts of a memory.
                let nothing = [0; LINE_BYTES];
                let is_marked = is_reduction && completion.resp != OKAY;
                let is_refused = is_marked || self.memories[tile].refuses(line);
                let data = if is_refused { &nothing } else { data };
                if found != *data {
                    let text = |data: &Line| {
                        Some(format!(
                            "offset {:#x}: {:02x?}..",
                            start_of(line),
                            &data[..8]
                        ))
                    };
                    let place = (Plane::Wide, tile, "memory after the last response");
                    return Err(self.comparison.divergence(place, text(data), text(&found)));
                }
            }
        }
        Ok(())
    }
}

/// The lines that a command writes.
fn given(command: &Command) -> Vec<Line> {
    command.data.iter().map(|beat| whole(beat)).collect()
}

/// The beat that reaches a tile's memory in the cycle of a record, coming from the network.
pub(super) fn written_beat(record: &CycleRecord, tile: usize) -> Option<&FlitRecord> {
    let is_written = |h: &&Handshake| {
        let writes = matches!(h.flit.kind, RecordedKind::Write | RecordedKind::Reduce);
        (h.plane, h.tile.0 as usize, h.place) == (Plane::Wide, tile, FlitPlace::Leaves) && writes
    };
    let found = record.handshakes.iter().find(is_written);
    found.map(|h| &h.flit)
}

/// Clears the bytes of a wide beat that a partial strobe does not enable: an engine leaves its neighbours there. Read data have none.
pub(super) fn clear_disabled(flit: &mut [u32]) {
    let strobe = u64::from(flit[16]) | u64::from(flit[17]) << 32;
    for i in (0..LINE_BYTES).filter(|i| strobe != 0 && strobe >> i & 1 == 0) {
        flit[i / 4] &= !(0xff << (8 * (i % 4)));
    }
}

fn describe(response: &Response) -> String {
    let name = response
        .tag
        .map_or("nobody's id".to_owned(), |tag| format!("transaction {tag}"));
    format!("{name}, response {}", response.resp)
}

/// Port at which a flit is seen: `Some(None)` for the Local input.
const fn port_of(place: FlitPlace) -> Option<Option<usize>> {
    match place {
        FlitPlace::Enters => Some(None),
        FlitPlace::Leaves | FlitPlace::Refused => Some(Some(Port::Local as usize)),
        FlitPlace::Crosses(port) => Some(Some(port as usize)),
        FlitPlace::CreditReturn | FlitPlace::Own => None,
    }
}

// Verilated network interfaces and mesh behind their C functions (`rtl/cosim/noccl_endpoints_cosim.cpp`).

/// Sets of tiles of a plane, by their number in the C functions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tiles {
    /// Local inputs that take nothing.
    HoldIn = 0,
    /// Local outputs that give nothing.
    HoldOut = 1,
    /// Flits enter Local inputs.
    Enter = 2,
    /// Flits leave by Local outputs.
    Leave = 3,
    /// Flits cross links or are offered at Local outputs.
    Cross = 4,
}

/// Network interfaces and mesh.
pub(crate) struct EndpointModel {
    axi: [*mut u32; 2],
    /// Words per tile at the AXI ports, towards the hardware and from it.
    axi_words: [usize; 2],
    /// By plane (wide, req, rsp): flits at Local inputs and at all outputs.
    flits: [[*mut u32; 2]; 3],
    tiles: [[*mut u64; 5]; 3],
    pub(crate) hardware: Verilated,
}

impl EndpointModel {
    /// Opens a library and resets it.
    pub(crate) fn open(path: &Path, tiles_in_all: usize) -> Result<Self, LockstepError> {
        let opening = Opening::new(path)?;
        macro_rules! function {
            ($name:literal, $type:ty) => {
                // SAFETY: the type is that of the function in noccl_endpoints_cosim.cpp.
                unsafe { opening.function::<$type>($name) }?
            };
        }
        let words = function!(
            c"noccl_words",
            unsafe extern "C" fn(Handle, c_int) -> *mut u32
        );
        let num_words = function!(
            c"noccl_num_words",
            unsafe extern "C" fn(Handle, c_int) -> c_int
        );
        let tiles = function!(
            c"noccl_tiles",
            unsafe extern "C" fn(Handle, c_int, c_int) -> *mut u64
        );
        let hardware = opening.begin()?;
        let handle = hardware.handle();
        // SAFETY: the handle is live hardware, the signals are numbered as the functions' comments say.
        let mut model = unsafe {
            Self {
                axi: [0, 1].map(|i| words(handle, i)),
                axi_words: [0, 1].map(|i| num_words(handle, i) as usize / tiles_in_all),
                flits: [0, 1, 2].map(|p| [0, 1].map(|i| words(handle, 2 + 2 * p + i))),
                tiles: [0, 1, 2].map(|p| [0, 1, 2, 3, 4].map(|s| tiles(handle, p, s))),
                hardware,
            }
        };
        model.reset(tiles_in_all);
        Ok(model)
    }

    fn reset(&mut self, tiles: usize) {
        for plane in 0..3 {
            self.hold(plane, Tiles::HoldIn, 0);
            self.hold(plane, Tiles::HoldOut, 0);
        }
        for tile in 0..tiles {
            self.axi_in(tile).fill(0);
        }
        self.hardware.reset();
    }

    /// What a tile's managers offer and its memory responds.
    pub(crate) fn axi_in(&mut self, tile: usize) -> &mut [u32] {
        let words = self.axi_words[0];
        // SAFETY: an array of so many words per tile, in the model.
        unsafe { std::slice::from_raw_parts_mut(self.axi[0].add(tile * words), words) }
    }

    /// Read ports that DMA engines have at their L1.
    pub(crate) const fn read_ports(&self) -> usize {
        axi::read_ports(self.axi_words[0])
    }

    /// What a tile's network interface offers and takes.
    pub(crate) fn axi_out(&self, tile: usize) -> &[u32] {
        let words = self.axi_words[1];
        // SAFETY: an array of so many words per tile, in the model.
        unsafe { std::slice::from_raw_parts(self.axi[1].add(tile * words), words) }
    }

    /// Words of the flit that a network interface offers.
    pub(crate) fn input(&self, plane: usize, tile: usize, words: usize) -> &[u32] {
        // SAFETY: an array of `words` words per tile, in the model.
        unsafe { std::slice::from_raw_parts(self.flits[plane][0].add(tile * words), words) }
    }

    /// Words of the flit at an output of a tile's router.
    pub(crate) fn output(&self, plane: usize, tile: usize, port: usize, words: usize) -> &[u32] {
        // SAFETY: an array of `words` words per tile and port, in the model.
        unsafe {
            let first = self.flits[plane][1].add((tile * 5 + port) * words);
            std::slice::from_raw_parts(first, words)
        }
    }

    /// Tiles that are held up in this cycle.
    pub(crate) fn hold(&mut self, plane: usize, side: Tiles, tiles: u64) {
        // SAFETY: the signals live as long as the model.
        unsafe { *self.tiles[plane][side as usize] = tiles }
    }

    /// A set of tiles.
    pub(crate) fn tiles(&self, plane: usize, of: Tiles) -> u64 {
        // SAFETY: as in `hold`.
        unsafe { *self.tiles[plane][of as usize] }
    }

    /// Per output: tiles whose flit crosses the link; Local: tiles that are offered one.
    pub(crate) fn crossing(&self, plane: usize) -> [u64; 5] {
        // SAFETY: five sets, in the model.
        unsafe { *self.tiles[plane][Tiles::Cross as usize].cast::<[u64; 5]>() }
    }
}
