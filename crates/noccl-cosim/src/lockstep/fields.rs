// SPDX-License-Identifier: Apache-2.0
//! Fields of packed structs in 32-bit words.

/// A field of at most 64 bits.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    pub lsb: usize,
    pub bits: usize,
}

/// Fields by name and width, from the most significant bit down as in a packed struct, and the words of all of them.
pub(crate) fn placed(widths: Vec<(&'static str, usize)>) -> (Vec<Field>, usize) {
    let total: usize = widths.iter().map(|(_, bits)| bits).sum();
    let mut lsb = total;
    let place = |(name, bits): (&'static str, usize)| {
        lsb -= bits;
        Field { name, lsb, bits }
    };
    let fields = widths.into_iter().map(place).collect();
    (fields, total.div_ceil(32))
}

impl Field {
    pub(crate) fn read(&self, words: &[u32]) -> u64 {
        // 0: no field has bits behind the last word.
        let word = |i: usize| u128::from(words.get(self.lsb / 32 + i).copied().unwrap_or(0));
        let all = (word(0) | word(1) << 32 | word(2) << 64) >> (self.lsb % 32);
        all as u64 & (u64::MAX >> (64 - self.bits))
    }

    /// Writes into bits that are zero.
    pub(crate) fn write(&self, words: &mut [u32], value: u64) {
        let value = u128::from(value & (u64::MAX >> (64 - self.bits))) << (self.lsb % 32);
        for (i, word) in words[self.lsb / 32..].iter_mut().take(3).enumerate() {
            *word |= (value >> (32 * i)) as u32;
        }
    }
}

/// Fields fill a flit of so many words from its highest bit to its lowest. Returns its bits.
#[cfg(test)]
pub(crate) fn assert_filled(fields: &[Field], words: usize) -> usize {
    let bits = fields.iter().map(|f| f.bits).sum::<usize>();
    assert_eq!(words, bits.div_ceil(32));
    let mut end = bits;
    for field in fields {
        assert_eq!(field.lsb + field.bits, end, "{}", field.name);
        end = field.lsb;
    }
    assert_eq!(end, 0);
    bits
}
