// SPDX-License-Identifier: Apache-2.0
//! Cuts byte ranges into AXI bursts: at most so many beats, never across a boundary (4 KiB).

use noccl_spec::Spec;

/// One burst of a range: offset from the range's base, and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Burst {
    pub offset: u64,
    pub bytes: u32,
}

/// Iterator over the bursts of `address..address + bytes`; offsets count from `address`.
#[derive(Debug, Clone)]
pub(crate) struct Bursts {
    address: u64,
    done: u64,
    bytes: u64,
    max_beats: u64,
    boundary: u64,
}

impl Bursts {
    pub(crate) fn new(address: u64, bytes: u64, spec: &Spec) -> Self {
        Self {
            address,
            done: 0,
            bytes,
            max_beats: u64::from(spec.ni.max_burst_beats),
            boundary: u64::from(spec.ni.burst_boundary_bytes),
        }
    }

    /// Bursts of an aligned range of whole wide beats.
    pub(crate) fn of_beats(beats: u32, spec: &Spec) -> Self {
        Self::new(0, u64::from(beats) * 64, spec)
    }
}

impl Iterator for Bursts {
    type Item = Burst;

    fn next(&mut self) -> Option<Burst> {
        if self.done == self.bytes {
            return None;
        }
        let start = self.address + self.done;
        let by_beats = (start / 64 + self.max_beats) * 64;
        let by_boundary = (start / self.boundary + 1) * self.boundary;
        let end = (self.address + self.bytes).min(by_beats).min(by_boundary);
        let burst = Burst {
            offset: self.done,
            bytes: (end - start) as u32,
        };
        self.done += u64::from(burst.bytes);
        Some(burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_cover_the_range_and_keep_the_rules() {
        let text = noccl_spec::preset_text("collective_noc_4x4").unwrap();
        let spec = noccl_spec::parse_spec("preset", &text, &[]).unwrap();
        for address in [0u64, 8, 64, 4032, 4095, 4096, 100_000] {
            for bytes in [1u64, 63, 64, 65, 4095, 4096, 4097, 32_768] {
                let mut next = 0;
                for burst in Bursts::new(address, bytes, &spec) {
                    assert_eq!(burst.offset, next);
                    let (first, last) = (
                        address + burst.offset,
                        address + burst.offset + u64::from(burst.bytes) - 1,
                    );
                    assert_eq!(first / 4096, last / 4096, "a burst crosses 4 KiB");
                    assert!(
                        last / 64 - first / 64 < 64,
                        "a burst has more than 64 beats"
                    );
                    next += u64::from(burst.bytes);
                }
                assert_eq!(next, bytes);
            }
        }
    }
}
