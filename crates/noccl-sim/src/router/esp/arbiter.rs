// SPDX-License-Identifier: Apache-2.0
//! Matrix arbiter: of those that ask, who was served longest ago.

pub(super) use crate::router::wormhole::PORTS;

/// Row i holds those that i goes before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix([u8; PORTS]);

impl Default for Matrix {
    /// At first the lower index goes first.
    fn default() -> Self {
        const ALL: u8 = (1 << PORTS) - 1;
        Self(std::array::from_fn(|i| ALL & (ALL << (i + 1))))
    }
}

impl Matrix {
    /// The one of `requests` that goes before all others of them.
    pub(super) fn first(&self, requests: u8) -> Option<usize> {
        (0..PORTS).find(|i| requests >> i & 1 != 0 && requests & !(1 << i) & !self.0[*i] == 0)
    }

    /// `winner` goes behind all others from now on.
    pub(super) fn served(&mut self, winner: usize) {
        for (i, row) in self.0.iter_mut().enumerate() {
            *row = if i == winner { 0 } else { *row | 1 << winner };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_one_first_and_everybody_is_granted() {
        let mut matrix = Matrix::default();
        assert_eq!(matrix.first(0), None);
        let mut order = Vec::new();
        for _ in 0..2 * PORTS {
            let winner = matrix.first(0b11111).unwrap();
            matrix.served(winner);
            order.push(winner);
        }
        assert_eq!(order, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
        matrix.served(2);
        assert_eq!(matrix.first(0b00101), Some(0));
        matrix.served(0);
        assert_eq!(matrix.first(0b00101), Some(2));
    }
}
