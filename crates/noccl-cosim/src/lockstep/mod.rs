// SPDX-License-Identifier: Apache-2.0
//! Lock-step of the Verilated mesh with a recorded run.
//!
//! The mesh gets the flits that the run has injected, in the same cycles, and its Local outputs are taken when
//! the run took them. Everything else it must do by itself: in every cycle the same flits cross the same
//! links and stand at the same Local outputs, bit by bit, and nothing moves in a cycle that the run skipped.

mod comparison;
mod layout;
mod model;
mod numbers;
mod ports;

pub(crate) use comparison::Comparison;
pub use comparison::Follow;
pub use comparison::LockstepError;
pub use comparison::{Divergence, MessageDivergence, PortDivergence};
#[cfg(test)]
pub(crate) use layout::assert_filled;
pub(crate) use layout::{Field, placed};
pub use ports::PortsLockstep;

use crate::verilated::{LIBRARY_FILE, MAX_TILES};
pub(crate) use layout::{element_number, operator_number};
use model::{Credits, Model};
use noccl_net::{Network, Port};
use noccl_rtl::PACKAGE_FILE;
use noccl_run::{CycleRecord, FlitPlace, Handshake, MemoryImage, RecordedKind};
use noccl_spec::Plane;
pub(crate) use numbers::Numbers;
use std::ffi::CString;
use std::path::Path;

/// Ports in words, as in [`Divergence::at`].
pub(crate) const OUTPUTS: [&str; 5] = [
    "link north",
    "link east",
    "link south",
    "link west",
    "Local output",
];

/// A mesh in lock-step.
pub struct Lockstep<'n> {
    model: Model,
    comparison: Comparison<'n>,
}

impl<'n> Lockstep<'n> {
    /// Opens the library in `directory`, of [`find_or_build`](crate::library::find_or_build).
    ///
    /// # Errors
    /// [`LockstepError::Library`] if it is missing or of another network.
    pub fn open(directory: &Path, network: &'n Network) -> Result<Self, LockstepError> {
        let comparison = Comparison::new(network, &Numbers::read(&directory.join(PACKAGE_FILE))?)?;
        let path = directory.join(LIBRARY_FILE);
        if network.num_tiles() > MAX_TILES as usize {
            return Err(LockstepError::Library {
                path: path.display().to_string(),
                reason: format!("at most {MAX_TILES} tiles can be compared"),
            });
        }
        let model = Model::open(&path)?;
        Ok(Self { model, comparison })
    }

    /// Writes all signals of the mesh to an FST file from now on.
    ///
    /// # Errors
    /// [`LockstepError::Library`] if the library was made without waves or the file cannot be written.
    pub fn write_waves(&mut self, path: &Path) -> Result<(), LockstepError> {
        let text = CString::new(path.as_os_str().as_encoded_bytes());
        if text.is_ok_and(|text| self.model.write_waves(&text)) {
            return Ok(());
        }
        Err(LockstepError::Library {
            path: path.display().to_string(),
            reason: "no waves: the library must be made by `make cosim-waves`, the file writable"
                .to_owned(),
        })
    }

    fn step(&mut self, handshakes: &[Handshake]) -> Result<(), LockstepError> {
        let expected = self.drive(handshakes);
        self.model.hardware.settle();
        self.compare_ports(handshakes, &expected)?;
        self.compare_flits(handshakes)?;
        self.compare_credits(handshakes)?;
        self.tick()
    }

    /// Merge points have the same pending credits for the same senders.
    fn compare_credits(&mut self, handshakes: &[Handshake]) -> Result<(), LockstepError> {
        let rsp = Plane::Rsp.idx();
        let words = self.comparison.layouts[rsp].words;
        for (of, at) in [
            (Credits::Returned, "returned credit"),
            (Credits::Own, "own credit"),
        ] {
            let mut offered = self.model.credits(of);
            for handshake in handshakes.iter().filter(|h| credit_of(h) == Some(of)) {
                let tile = handshake.tile.0 as usize;
                let mut recorded = [0; 32];
                let recorded = &mut recorded[..words];
                self.comparison.layouts[rsp].encode(&handshake.flit, recorded);
                let found = self.model.credit(of, tile, words);
                let is_offered = offered >> tile & 1 != 0;
                if !is_offered || recorded != found {
                    let hardware = is_offered.then(|| self.comparison.layouts[rsp].decode(found));
                    let recorded = Some(self.comparison.layouts[rsp].decode(recorded));
                    return Err(self.comparison.divergence(
                        (Plane::Rsp, tile, at),
                        recorded,
                        hardware,
                    ));
                }
                offered &= !(1 << tile);
                self.comparison.num_compared += 1;
            }
            if offered != 0 {
                let tile = offered.trailing_zeros() as usize;
                let hardware =
                    self.comparison.layouts[rsp].decode(self.model.credit(of, tile, words));
                return Err(self.comparison.divergence(
                    (Plane::Rsp, tile, at),
                    None,
                    Some(hardware),
                ));
            }
        }
        Ok(())
    }

    fn tick(&mut self) -> Result<(), LockstepError> {
        self.comparison.tick(&mut self.model.hardware)
    }

    /// Drives the Local ports. Returns per plane and output the tiles at which the record has a flit.
    fn drive(&mut self, handshakes: &[Handshake]) -> [[u64; 5]; 3] {
        let mut expected = [[0; 5]; 3];
        let mut in_valid = [0; 3];
        let mut refusing = [0; 3];
        let mut credits_sent = 0;
        for handshake in handshakes {
            let (plane, tile) = (handshake.plane.idx(), handshake.tile.0 as usize);
            let bit = 1 << tile;
            match handshake.place {
                FlitPlace::Enters => {
                    in_valid[plane] |= bit;
                    credits_sent |= bit * u64::from(credit_of(handshake).is_some());
                    let words = self.comparison.layouts[plane].words;
                    let input = self.model.input(plane, tile, words);
                    self.comparison.layouts[plane].encode(&handshake.flit, input);
                }
                FlitPlace::Leaves => expected[plane][Port::Local as usize] |= bit,
                FlitPlace::Refused => {
                    expected[plane][Port::Local as usize] |= bit;
                    refusing[plane] |= bit;
                }
                FlitPlace::Crosses(port) => expected[plane][port as usize] |= bit,
                FlitPlace::CreditReturn | FlitPlace::Own => {}
            }
        }
        self.model.send_credits(credits_sent);
        for plane in 0..3 {
            self.model.drive(plane, in_valid[plane], !refusing[plane]);
        }
        expected
    }

    /// The same ports have flits, and the Local inputs take what they are offered.
    fn compare_ports(
        &self,
        handshakes: &[Handshake],
        expected: &[[u64; 5]; 3],
    ) -> Result<(), LockstepError> {
        for handshake in handshakes {
            let plane = handshake.plane.idx();
            let is_ready = self.model.in_ready(plane) >> handshake.tile.0 & 1 != 0;
            if handshake.place == FlitPlace::Enters && !is_ready {
                let words = self.comparison.layouts[plane].words;
                let mut recorded = vec![0; words];
                self.comparison.layouts[plane].encode(&handshake.flit, &mut recorded);
                let recorded = Some(self.comparison.layouts[plane].decode(&recorded));
                let place = (handshake.plane, handshake.tile.0 as usize, "Local input");
                return Err(self.comparison.divergence(place, recorded, None));
            }
        }
        for plane in Plane::ALL {
            let found = self.model.crossing(plane.idx());
            for (port, at) in OUTPUTS.into_iter().enumerate() {
                let difference = found[port] ^ expected[plane.idx()][port];
                if difference != 0 {
                    let tile = difference.trailing_zeros() as usize;
                    let recorded = handshakes.iter().find(|h| {
                        (h.plane, h.tile.0 as usize, output_of(h.place))
                            == (plane, tile, Some(port))
                    });
                    return Err(self.missing(plane, tile, port, at, recorded));
                }
            }
        }
        Ok(())
    }

    /// A flit that only one side has.
    fn missing(
        &self,
        plane: Plane,
        tile: usize,
        port: usize,
        at: &'static str,
        recorded: Option<&Handshake>,
    ) -> LockstepError {
        let layout = &self.comparison.layouts[plane.idx()];
        let hardware = self.model.output(plane.idx(), tile, port, layout.words);
        let recorded_text = recorded.map(|handshake| {
            let mut words = vec![0; layout.words];
            layout.encode(&handshake.flit, &mut words);
            layout.decode(&words)
        });
        let hardware = recorded.is_none().then(|| layout.decode(hardware));
        self.comparison
            .divergence((plane, tile, at), recorded_text, hardware)
    }

    /// All bits of all flits are the same.
    fn compare_flits(&mut self, handshakes: &[Handshake]) -> Result<(), LockstepError> {
        let mut words = [0; 32];
        for handshake in handshakes {
            let Some(port) = output_of(handshake.place) else {
                continue;
            };
            let (plane, tile) = (handshake.plane.idx(), handshake.tile.0 as usize);
            let layout = &self.comparison.layouts[plane];
            let recorded = &mut words[..layout.words];
            layout.encode(&handshake.flit, recorded);
            let hardware = self.model.output(plane, tile, port, layout.words);
            if recorded != hardware {
                let texts = [&*recorded, hardware].map(|words| Some(layout.decode(words)));
                let [recorded, hardware] = texts;
                let place = (handshake.plane, tile, OUTPUTS[port]);
                return Err(self.comparison.divergence(place, recorded, hardware));
            }
            self.comparison.num_compared += 1;
        }
        Ok(())
    }
}

impl Follow for Lockstep<'_> {
    fn follow(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        let is_result = |h: &Handshake| h.flit.kind == RecordedKind::Result;
        if record.handshakes.iter().any(is_result) {
            let (cycle, what) = (record.cycle, "an all-reduce (in_network_once)");
            return Err(LockstepError::Unsupported { cycle, what });
        }
        self.idle_until(record.cycle)?;
        self.step(&record.handshakes)
    }

    fn replay(&mut self, record: &CycleRecord) -> Result<(), LockstepError> {
        while self.comparison.cycle <= record.cycle {
            let is_idle = self.comparison.cycle < record.cycle;
            self.drive(if is_idle { &[] } else { &record.handshakes });
            self.model.hardware.settle();
            self.tick()?;
        }
        Ok(())
    }

    fn idle_until(&mut self, cycle: u64) -> Result<(), LockstepError> {
        while self.comparison.cycle < cycle {
            self.step(&[])?;
        }
        Ok(())
    }

    fn check(&self, _images: &[MemoryImage]) -> Result<(), LockstepError> {
        Ok(())
    }

    fn cycle(&self) -> u64 {
        self.comparison.cycle
    }

    fn num_compared(&self) -> u64 {
        self.comparison.num_compared
    }
}

/// Which credit of a merge point a handshake is.
fn credit_of(handshake: &Handshake) -> Option<Credits> {
    let is_credit = handshake.flit.kind == RecordedKind::Credit;
    match handshake.place {
        FlitPlace::Enters => is_credit.then_some(Credits::Returned),
        FlitPlace::CreditReturn => Some(Credits::Returned),
        FlitPlace::Own => Some(Credits::Own),
        FlitPlace::Leaves | FlitPlace::Refused | FlitPlace::Crosses(_) => None,
    }
}

/// Output of the router at which a handshake is seen.
const fn output_of(place: FlitPlace) -> Option<usize> {
    match place {
        FlitPlace::Enters | FlitPlace::CreditReturn | FlitPlace::Own => None,
        FlitPlace::Leaves | FlitPlace::Refused => Some(Port::Local as usize),
        FlitPlace::Crosses(port) => Some(port as usize),
    }
}
