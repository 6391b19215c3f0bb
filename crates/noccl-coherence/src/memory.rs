// SPDX-License-Identifier: Apache-2.0
//! A memory that programs of several threads run over: plain, or one that records every reference with its thread.
//!
//! A kernel is written once over [`Memory`]. Its threads are taken one after the other between two barriers; what they do must not
//! depend on that order, which the check for races of [`crate::recording`] confirms.

use crate::recording::{RecordedEvent, Recorder};

/// First address of data, so that no datum has address 0.
const FIRST_ADDRESS: u64 = 0x1000;
/// Arrays begin at lines of their own.
const LINE_BYTES: u64 = 64;

/// What is told of every reference and every synchronisation.
pub trait Memory {
    /// The thread that acts from now on.
    fn select(&mut self, thread: usize);
    /// Something that the thread does.
    fn record(&mut self, event: RecordedEvent);
    /// Address of the next array of so many bytes.
    fn allocate(&mut self, bytes: u64) -> u64;
}

/// Keeps nothing: the program runs as it is.
#[derive(Debug, Default)]
pub struct Plain;

impl Memory for Plain {
    fn select(&mut self, _thread: usize) {}
    fn record(&mut self, _event: RecordedEvent) {}
    fn allocate(&mut self, _bytes: u64) -> u64 {
        FIRST_ADDRESS
    }
}

/// Records references and synchronisations of each thread.
#[derive(Debug)]
pub struct Recording {
    threads: Vec<Recorder>,
    thread: usize,
    next_address: u64,
}

impl Recording {
    /// Of so many threads, without an event.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            threads: vec![Recorder::default(); threads],
            thread: 0,
            next_address: FIRST_ADDRESS,
        }
    }

    /// What each thread has done.
    #[must_use]
    pub fn into_threads(self) -> Vec<Recorder> {
        self.threads
    }
}

impl Memory for Recording {
    fn select(&mut self, thread: usize) {
        self.thread = thread;
    }

    fn record(&mut self, event: RecordedEvent) {
        self.threads[self.thread].push(event);
    }

    fn allocate(&mut self, bytes: u64) -> u64 {
        let at = self.next_address;
        self.next_address += bytes.next_multiple_of(LINE_BYTES);
        at
    }
}

/// An array in a memory: reading or writing an element is a reference.
#[derive(Debug, Clone)]
pub struct Array<T> {
    first_address: u64,
    elements: Vec<T>,
}

impl<T: Copy + Default> Array<T> {
    /// Of so many elements, all zero. Nothing is recorded.
    pub fn new(memory: &mut impl Memory, elements: usize) -> Self {
        Self {
            first_address: memory.allocate((elements * size_of::<T>()) as u64),
            elements: vec![T::default(); elements],
        }
    }

    /// Reads an element.
    pub fn at(&self, memory: &mut impl Memory, index: usize) -> T {
        memory.record(RecordedEvent::Read(
            self.address(index),
            size_of::<T>() as u8,
        ));
        self.elements[index]
    }

    /// Writes an element.
    pub fn set(&mut self, memory: &mut impl Memory, index: usize, value: T) {
        memory.record(RecordedEvent::Write(
            self.address(index),
            size_of::<T>() as u8,
        ));
        self.elements[index] = value;
    }

    /// All elements as they are: inputs and results, which are not recorded.
    pub fn all(&self) -> &[T] {
        &self.elements
    }

    /// The same, to fill in inputs.
    pub fn all_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }

    fn address(&self, index: usize) -> u64 {
        self.first_address + (index * size_of::<T>()) as u64
    }
}

impl Array<f64> {
    /// Adds to an element: a read and a write.
    pub fn add(&mut self, memory: &mut impl Memory, index: usize, amount: f64) {
        let sum = self.at(memory, index) + amount;
        self.set(memory, index, sum);
    }
}

/// What all threads do between two barriers.
pub(crate) fn parallel<M: Memory>(
    memory: &mut M,
    threads: usize,
    mut work: impl FnMut(&mut M, usize),
) {
    for thread in 0..threads {
        memory.select(thread);
        work(memory, thread);
        memory.record(RecordedEvent::Barrier(0));
    }
}

/// Members of `0..count` of a thread: a block of neighbours.
pub(crate) fn share(count: usize, threads: usize, thread: usize) -> std::ops::Range<usize> {
    count * thread / threads..count * (thread + 1) / threads
}

/// Rows and columns of a rectangle of all threads, nearly a square.
pub(crate) fn board(threads: usize) -> (usize, usize) {
    let fits = |rows: &usize| threads.is_multiple_of(*rows) && rows * rows <= threads;
    let rows = (1..=threads).rev().find(fits);
    let rows = rows.expect("one row always fits");
    (rows, threads / rows)
}
