// SPDX-License-Identifier: Apache-2.0
//! Threads that share the phases of one run.
//!
//! Parts of a phase are handed out one by one, so that a thread that comes late or has harder parts does
//! fewer of them. Between two phases the others keep looking for a moment instead of going to sleep:
//! waking one up takes about as long as its share of a phase on a mesh of 256×256.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Parts of a phase per thread: enough to even out, few enough to cost nothing.
pub(crate) const PARTS_PER_THREAD: usize = 8;
/// How often a thread looks for the next phase before it sleeps: about a millisecond.
const LOOKS: u32 = 20_000;

/// Work on one partition of one plane.
pub(crate) trait Phase: Send {
    fn run(self);
}

/// The calling thread and, perhaps, others.
#[derive(Default)]
pub(crate) struct Threads {
    pool: Option<ThreadPool>,
    /// Phases begun so far.
    phase: Arc<AtomicU64>,
}

impl Threads {
    /// `threads` threads in all. Where the system gives none, the run goes on with one: results are the
    /// same.
    pub(crate) fn new(threads: usize) -> Self {
        let build = || {
            ThreadPoolBuilder::new()
                .num_threads(threads - 1)
                .build()
                .ok()
        };
        Self {
            pool: (threads > 1).then(build).flatten(),
            phase: Arc::default(),
        }
    }

    /// Runs all parts of a phase; returns when all are done. `is_large`: is it worth sharing?
    ///
    /// This thread begins at the first partition and the others at the last, so that a partition's registers
    /// mostly stay in one core's cache.
    pub(crate) fn run<P: Phase>(&self, planes: [impl Iterator<Item = P>; 3], is_large: bool) {
        let Some(pool) = self.pool.as_ref().filter(|_| is_large) else {
            planes.into_iter().flatten().for_each(P::run);
            return;
        };
        let now = self.phase.fetch_add(1, Ordering::Release) + 1;
        let [wide, req, rsp] = planes;
        let partitions = wide.zip(req).zip(rsp);
        let partitions: VecDeque<[P; 3]> = partitions.map(|((a, b), c)| [a, b, c]).collect();
        let partitions = Mutex::new(partitions);
        let lock = || partitions.lock().unwrap_or_else(PoisonError::into_inner);
        pool.in_place_scope(|scope| {
            for _ in 0..pool.current_num_threads() {
                scope.spawn(|_| work(|| lock().pop_back()));
            }
            work(|| lock().pop_front());
        });
        let phase = Arc::clone(&self.phase);
        pool.spawn_broadcast(move |_| {
            let is_waiting = |_: &u32| phase.load(Ordering::Acquire) == now;
            (0..LOOKS)
                .take_while(is_waiting)
                .for_each(|_| std::hint::spin_loop());
        });
    }
}

fn work<P: Phase>(next: impl Fn() -> Option<[P; 3]>) {
    while let Some(partition) = next() {
        partition.into_iter().for_each(P::run);
    }
}
