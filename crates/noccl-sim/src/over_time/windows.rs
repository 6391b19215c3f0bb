// SPDX-License-Identifier: Apache-2.0
//! Windows of equal length whose number is bounded: if a run lasts longer, they are merged in pairs.

use noccl_run::Window;

/// The windows of a run that goes on.
#[derive(Debug)]
pub(super) struct Windows {
    pub cycles: u64,
    pub done: Vec<Window>,
    /// First cycle after the current window.
    end: u64,
    max: usize,
    max_entries: usize,
    num_entries: usize,
}

impl Windows {
    /// More windows or entries than these are merged in pairs.
    pub(super) const fn new(max: usize, max_entries: usize) -> Self {
        Self {
            cycles: 1,
            done: Vec::new(),
            end: 1,
            max,
            max_entries,
            num_entries: 0,
        }
    }

    /// Is the current window over before `cycle`?
    #[inline]
    pub(super) const fn is_over(&self, cycle: u64) -> bool {
        cycle >= self.end
    }

    /// The current window is over; those after it, up to `cycle`, are empty.
    pub(super) fn close(&mut self, window: Window, cycle: u64) {
        self.push(window);
        while self.is_over(cycle) {
            self.push(Window::default());
        }
    }

    /// The last window of a run is over.
    pub(super) fn finish(&mut self, window: Window) {
        self.push(window);
        if self.done.len() > self.max {
            // A whole window in place of half of one.
            self.push(Window::default());
        }
        while self.done.last() == Some(&Window::default()) {
            self.done.pop();
        }
    }

    fn push(&mut self, window: Window) {
        self.num_entries += num_entries(&window);
        self.done.push(window);
        self.end += self.cycles;
        while self.done.len() > self.max || self.num_entries > self.max_entries {
            // An odd number leaves half a window at the end, which the next one fills.
            if !self.done.len().is_multiple_of(2) {
                return;
            }
            let done = std::mem::take(&mut self.done);
            self.done = done.chunks(2).map(merged).collect();
            self.num_entries = self.done.iter().map(num_entries).sum();
            self.cycles *= 2;
            self.end = (self.done.len() as u64 + 1) * self.cycles;
        }
    }
}

const fn num_entries(window: &Window) -> usize {
    window.flits.len() + window.blocked.len()
}

/// The sum of two windows.
fn merged(windows: &[Window]) -> Window {
    let of = |entries: fn(&Window) -> &Vec<(u32, u32)>| match windows {
        [one, other] => sum(entries(one), entries(other)),
        _ => windows.iter().flat_map(entries).copied().collect(),
    };
    Window {
        flits: of(|window| &window.flits),
        blocked: of(|window| &window.blocked),
    }
}

/// The sum of two lists in ascending order.
fn sum(one: &[(u32, u32)], other: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut all = Vec::with_capacity(one.len().max(other.len()));
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (one.peek().copied(), other.peek().copied()) {
        let first = a.0.min(b.0);
        let from_one = one.next_if(|entry| entry.0 == first);
        let from_other = other.next_if(|entry| entry.0 == first);
        let counts = [from_one, from_other].into_iter().flatten();
        all.push((first, counts.map(|entry| entry.1).sum()));
    }
    all.extend(one.chain(other));
    all
}
