// SPDX-License-Identifier: Apache-2.0
//! S1's grid of chunk counts, over which its software collectives are searched for the fastest.

use noccl_coll::{Algorithm, Choice, Inner};
use noccl_workload::CollectiveKind;

const BEAT_BYTES: u64 = 64;

/// The paper's grid of chunk counts: powers of two, at least 9 beats per chunk and at most `most`.
fn chunk_counts(bytes: u64, most_beats: u64) -> Vec<u32> {
    let beats = bytes / BEAT_BYTES;
    (0..11)
        .map(|e| 1u32 << e)
        .filter(|count| (9..=most_beats).contains(&(beats / u64::from(*count))))
        .collect()
}

/// `seq` and `tree` of the paper on a row or on several.
#[must_use]
pub fn software(kind: CollectiveKind, bytes: u64, has_rows: bool) -> (Vec<Choice>, Vec<Choice>) {
    let chain = |count: &u32| match has_rows {
        true => Choice::row_column(Inner::Chain, *count),
        false => Choice::new(Algorithm::Chain, *count),
    };
    let tree = |count: &u32| match has_rows {
        true => Choice::row_column(Inner::Tree, *count),
        false => Choice::new(Algorithm::Tree, *count),
    };
    if kind == CollectiveKind::Multicast {
        let counts = chunk_counts(bytes, 1023);
        return (counts.iter().map(chain).collect(), vec![tree(&1)]);
    }
    let counts = chunk_counts(bytes, 255);
    (
        counts.iter().map(chain).collect(),
        counts.iter().map(tree).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_of_chunk_counts_is_the_papers() {
        assert_eq!(chunk_counts(1 << 10, 1023), [1]);
        assert_eq!(chunk_counts(32 << 10, 1023), [1, 2, 4, 8, 16, 32]);
        assert_eq!(chunk_counts(16 << 10, 255), [2, 4, 8, 16]);
    }
}
