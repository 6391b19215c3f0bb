// SPDX-License-Identifier: Apache-2.0
//! Radix sort: in each pass the threads count the digits of their keys, sum up the counts, and write their keys where they belong.

use super::random::Random;
use super::{Kernel, Size, WrongResult, compare};
use crate::memory::{Array, Memory, parallel, share};

const DIGIT_BITS: u32 = 6;
const DIGITS: usize = 1 << DIGIT_BITS;
const PASSES: u32 = 3;

struct DigitCounts {
    /// By thread and digit: keys, then the place of the first one among those of its digit.
    own: Array<u32>,
    /// By digit.
    total: Array<u32>,
    /// By thread and digit: where the next key goes.
    next: Array<u32>,
}

pub(super) fn run<M: Memory>(
    memory: &mut M,
    threads: usize,
    size: Size,
) -> Result<(), WrongResult> {
    let keys = size.of(4096, 16_384);
    let mut from: Array<u32> = Array::new(memory, keys);
    let mut to: Array<u32> = Array::new(memory, keys);
    let mut counts = DigitCounts {
        own: Array::new(memory, threads * DIGITS),
        total: Array::new(memory, DIGITS),
        next: Array::new(memory, threads * DIGITS),
    };
    let mut random = Random(3);
    from.all_mut()
        .fill_with(|| (random.bits() >> 32) as u32 >> (32 - PASSES * DIGIT_BITS));
    let mut sorted = from.all().to_vec();
    sorted.sort_unstable();
    for pass in 0..PASSES {
        let digit = |key: u32| (key >> (pass * DIGIT_BITS)) as usize % DIGITS;
        sort_by(memory, threads, &mut counts, &from, &mut to, digit);
        std::mem::swap(&mut from, &mut to);
    }
    let pairs = from.all().iter().zip(&sorted);
    let pairs = pairs.map(|(ours, direct)| (f64::from(*ours), f64::from(*direct)));
    compare(Kernel::Radix, "a key", 0.0, pairs)
}

fn sort_by<M: Memory>(
    memory: &mut M,
    threads: usize,
    counts: &mut DigitCounts,
    from: &Array<u32>,
    to: &mut Array<u32>,
    digit: impl Fn(u32) -> usize,
) {
    let keys = from.all().len();
    parallel(memory, threads, |memory, thread| {
        for at in thread * DIGITS..(thread + 1) * DIGITS {
            counts.own.set(memory, at, 0);
        }
        for key in share(keys, threads, thread) {
            let at = thread * DIGITS + digit(from.at(memory, key));
            let count = counts.own.at(memory, at) + 1;
            counts.own.set(memory, at, count);
        }
    });
    parallel(memory, threads, |memory, thread| {
        for digit in share(DIGITS, threads, thread) {
            let mut sum = 0;
            for other in 0..threads {
                let at = other * DIGITS + digit;
                let count = counts.own.at(memory, at);
                counts.own.set(memory, at, sum);
                sum += count;
            }
            counts.total.set(memory, digit, sum);
        }
    });
    parallel(memory, threads, |memory, thread| {
        let mut first = 0;
        for digit in 0..DIGITS {
            let at = thread * DIGITS + digit;
            let next = first + counts.own.at(memory, at);
            counts.next.set(memory, at, next);
            first += counts.total.at(memory, digit);
        }
        for index in share(keys, threads, thread) {
            let key = from.at(memory, index);
            let at = thread * DIGITS + digit(key);
            let next = counts.next.at(memory, at);
            counts.next.set(memory, at, next + 1);
            to.set(memory, next as usize, key);
        }
    });
}
