// SPDX-License-Identifier: Apache-2.0
//! Lines of a memory, which wide beats move, and pages, which bursts stay in.

/// Bytes of a line.
pub(crate) const LINE_BYTES: usize = 64;
/// Bytes of a page: no burst crosses its end.
pub(crate) const PAGE_BYTES: u64 = 4096;
const BYTES: u64 = LINE_BYTES as u64;

/// The bytes of a line.
pub(crate) type Line = [u8; LINE_BYTES];

/// Number of the line that a byte is in.
pub(crate) const fn line_of(address: u64) -> u64 {
    address / BYTES
}

/// First byte of a line.
pub(crate) const fn start_of(line: u64) -> u64 {
    line * BYTES
}

/// Place of a byte in its line.
pub(crate) const fn lane_of(address: u64) -> usize {
    (address % BYTES) as usize
}

/// Byte range of a beat in its burst: position of the first one, and bytes.
pub(crate) fn beat_bytes(address: u64, bytes: u32, beat: u16) -> (u32, u32) {
    let line = line_of(address) + u64::from(beat);
    let (from, to) = (start_of(line), start_of(line + 1));
    let (first, end) = (address.max(from), (address + u64::from(bytes)).min(to));
    ((first - address) as u32, (end - first) as u32)
}

/// A line of zeros with these bytes from a lane on.
pub(crate) fn line_with(lane: usize, bytes: &[u8]) -> Line {
    let mut line = [0; LINE_BYTES];
    line[lane..lane + bytes.len()].copy_from_slice(bytes);
    line
}

/// A line from a beat of a record: all of it, since hardware has beats of one width.
pub(crate) fn whole(beat: &[u8]) -> Line {
    line_with(0, beat)
}

/// The enabled bytes of a line; zeros elsewhere.
pub(crate) fn enabled(mut data: Line, strobe: u64) -> Line {
    for (i, byte) in data.iter_mut().enumerate() {
        *byte *= (strobe >> i & 1) as u8;
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_of_a_burst_end_where_their_lines_end() {
        // Bytes 70 to 199 lie in three lines.
        let beats = [0, 1, 2].map(|beat| beat_bytes(70, 130, beat));
        assert_eq!(beats, [(0, 58), (58, 64), (122, 8)]);
    }

    #[test]
    fn bytes_that_no_strobe_enables_are_zero() {
        let line = enabled(line_with(62, &[7, 9]), 1 << 63);
        assert_eq!(line, line_with(63, &[9]));
    }
}
