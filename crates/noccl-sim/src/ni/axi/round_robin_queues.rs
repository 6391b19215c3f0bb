// SPDX-License-Identifier: Apache-2.0
//! What a NI has for one plane, from sources in round-robin order: the next one behind the one served last, as
//! `noccl_rr_arbiter` grants. Flits of one source leave in the order in which they came.

use crate::kernel::inline_queue::InlineQueue;
use crate::transport::flit::Flit;
use serde::{Deserialize, Serialize};

/// Sources of a plane.
const SOURCES: usize = 3;

/// Sources of requests; with narrow writes goes what begins like them.
pub(crate) const NARROW_WRITES: usize = 0;
pub(crate) const NARROW_READS: usize = 1;
pub(crate) const WIDE_READS: usize = 2;

/// Sources of responses: the memory's ports for wide and for narrow writes, and narrow data.
pub(crate) const WIDE_RESPONSES: usize = 0;
pub(crate) const NARROW_RESPONSES: usize = 1;
pub(crate) const DATA: usize = 2;

/// Queues of a plane.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RoundRobinQueues {
    queues: [InlineQueue<Flit, 1>; SOURCES],
    /// Source that was served last; after reset the first one counts as that.
    last: u8,
}

impl RoundRobinQueues {
    pub(crate) fn is_empty(&self) -> bool {
        self.queues.iter().all(InlineQueue::is_empty)
    }

    pub(crate) fn push_back(&mut self, source: usize, flit: Flit) {
        self.queues[source].push_back(flit);
    }

    /// The next flit of a source.
    #[inline]
    pub(crate) fn front(&self, source: usize) -> Option<&Flit> {
        self.queues[source].front()
    }

    /// The source that is granted among those that may send.
    #[inline]
    pub(crate) fn next(&self, may_send: impl Fn(usize, &Flit) -> bool) -> Option<usize> {
        let asks = |s: &usize| self.front(*s).is_some_and(|flit| may_send(*s, flit));
        let above = usize::from(self.last) + 1;
        (above..SOURCES).chain(0..above).find(asks)
    }

    /// Serves a source.
    #[inline]
    pub(crate) fn take(&mut self, source: usize) -> Option<Flit> {
        self.last = source as u8;
        self.queues[source].pop_front()
    }

    /// Sets flags of the next flit of a source.
    pub(crate) fn mark(&mut self, source: usize, flags: u8) {
        if let Some(flit) = self.queues[source].get_mut(0) {
            flit.flags |= flags;
        }
    }

    /// Takes the next flit of a source without serving it: it does not go to the router.
    pub(crate) fn drop_front(&mut self, source: usize) {
        self.queues[source].pop_front();
    }

    /// All flits, source by source.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Flit> {
        self.queues.iter().flat_map(InlineQueue::iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_granted_in_order_from_the_second_one_on() {
        let mut queues = RoundRobinQueues::default();
        for source in [0, 0, 0, 1, 2, 2] {
            queues.push_back(source, Flit::default());
        }
        let served = std::iter::from_fn(|| {
            let source = queues.next(|_, _| true)?;
            queues.take(source);
            Some(source)
        });
        assert_eq!(served.collect::<Vec<_>>(), [1, 2, 0, 2, 0, 0]);
    }
}
