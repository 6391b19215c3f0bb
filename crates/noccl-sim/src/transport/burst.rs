// SPDX-License-Identifier: Apache-2.0
//! Cuts byte ranges into AXI bursts: at most so many beats, never across a boundary (4 KiB).

use crate::transport::payload::WideBeat;
use noccl_net::deadlock::{BurstEnds, burst_ends};
use noccl_spec::AxiTiles;

/// One burst of a range: offset from the range's base, and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Burst {
    pub offset: u64,
    pub bytes: u32,
}

/// Iterator over the bursts of `address..address + bytes`; offsets count from `address`.
#[derive(Debug, Clone)]
pub(crate) struct Bursts {
    done: u64,
    ends: BurstEnds,
}

impl Bursts {
    pub(crate) fn new(address: u64, bytes: u64, axi: &AxiTiles) -> Self {
        Self {
            done: 0,
            ends: burst_ends(&axi.ni, address, bytes),
        }
    }

    /// Bursts of an aligned range of whole wide beats.
    pub(crate) fn of_beats(beats: u32, axi: &AxiTiles) -> Self {
        Self::new(0, WideBeat::of(axi).bytes_of(u64::from(beats)), axi)
    }
}

impl Iterator for Bursts {
    type Item = Burst;

    fn next(&mut self) -> Option<Burst> {
        let end = self.ends.next()?;
        let burst = Burst {
            offset: self.done,
            bytes: (end - self.done) as u32,
        };
        self.done = end;
        Some(burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges() -> impl Iterator<Item = (u64, u64)> {
        let addresses = [0, 8, 64, 4032, 4095, 4096, 100_000].into_iter();
        let bytes = [1, 63, 64, 65, 4095, 4096, 4097, 32_768];
        addresses.flat_map(move |address| bytes.map(|bytes| (address, bytes)))
    }

    #[test]
    fn bursts_cover_the_range_and_keep_the_rules() {
        let text = noccl_spec::preset_text("collective_noc_4x4").unwrap();
        for (width, longest) in [(8, 64), (64, 64), (256, 64), (256, 5)] {
            let set = |key: &str, value: u64| (key.to_owned(), value.to_string());
            let overrides = [
                set("ni.wide_beat_bytes", width),
                set("ni.max_burst_beats", longest),
            ];
            let spec = noccl_spec::parse_spec("preset", &text, &overrides).unwrap();
            for (address, bytes) in ranges() {
                let mut next = 0;
                for burst in Bursts::new(address, bytes, spec.axi().unwrap()) {
                    assert_eq!(burst.offset, next);
                    let (first, last) = (
                        address + burst.offset,
                        address + burst.offset + u64::from(burst.bytes) - 1,
                    );
                    assert_eq!(first / 4096, last / 4096, "a burst crosses 4 KiB");
                    assert!(
                        last / width - first / width < longest,
                        "a burst has too many beats"
                    );
                    next += u64::from(burst.bytes);
                }
                assert_eq!(next, bytes);
            }
        }
    }
}
