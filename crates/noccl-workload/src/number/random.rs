// SPDX-License-Identifier: Apache-2.0
//! Test data for collectives: reproducible, and for floats finite and of similar magnitude, so that an
//! error bound of their sum says something.

use super::ElementType;

/// `bytes` bytes of random elements: integers over their whole range, floats of either sign with a
/// magnitude from 1/4 up to 2 (all mantissas equally likely). A function of its arguments only.
#[must_use]
pub fn random_elements(seed: u64, bytes: usize, element: ElementType) -> Vec<u8> {
    let mut state = seed ^ 0x6e6f_6363_6c00_0000;
    let mut data = Vec::with_capacity(bytes + 8);
    while data.len() < bytes {
        let random = mix(state);
        state = state.wrapping_add(GOLDEN_RATIO);
        data.extend_from_slice(&element_word(random, element));
    }
    data.truncate(bytes);
    data
}

/// Eight bytes of elements from eight random bytes.
fn element_word(random: u64, element: ElementType) -> [u8; 8] {
    let (width, mantissa_bits, bias) = match element {
        ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => {
            return random.to_le_bytes();
        }
        ElementType::Fp64 => (64, 52, 1023),
        ElementType::Fp32 => (32, 23, 127),
        ElementType::Fp16 => (16, 10, 15),
        ElementType::Bf16 => (16, 7, 127),
        ElementType::Fp8E4m3 => (8, 3, 7),
        ElementType::Fp8E5m2 => (8, 2, 15),
    };
    let mut word = 0;
    for start in (0..64).step_by(width) {
        let bits = random >> start;
        let mantissa = bits & ((1 << mantissa_bits) - 1);
        // Exponent -2, -1 or 0 (the last twice as likely), from the two bits below the sign.
        let exponent = bias - [2, 1, 0, 0][((bits >> (width - 3)) & 3) as usize];
        let sign = (bits >> (width - 1)) & 1;
        let number = sign << (width - 1) | exponent << mantissa_bits | mantissa;
        word |= number << start;
    }
    word.to_le_bytes()
}

/// What SplitMix64 adds to its state from one number to the next: 2⁶⁴ divided by the golden ratio, odd.
pub const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of SplitMix64 after this state: a good hash of a counter or key, behind every seeded choice.
#[must_use]
pub const fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(GOLDEN_RATIO);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Is a case drawn that comes up `per_256` times in 256? A function of seed and key: no state, so that draws depend on no order.
#[must_use]
#[inline]
pub const fn is_drawn(seed: u64, key: u64, per_256: u32) -> bool {
    per_256 > 0 && mix(seed ^ key.wrapping_mul(GOLDEN_RATIO)) % 256 < per_256 as u64
}
