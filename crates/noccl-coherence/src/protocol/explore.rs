// SPDX-License-Identifier: Apache-2.0
//! All orders of messages of a few caches and one line.
//!
//! In every state, and there are none but those that are reached: at most one cache may write, and then no other may read; every copy that
//! may be read has the value of the last store; what the protocol promises of its own holds. Every run ends, as no state is reached twice in
//! one (no livelock), and in its last state nobody waits (no deadlock). Messages may overtake each other everywhere. A request may be
//! repeated at any time.

use super::{Access, Permission, Protocol, Sent, Target, value_text};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// What has been explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explored {
    /// Different states.
    pub states: usize,
    /// Steps between them.
    pub steps: usize,
    /// States in which a run ends.
    pub ends: usize,
}

/// When a request may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// At any time.
    AnyTime,
    /// When no message is in flight, as with a timer that is longer than all of them take.
    WhenQuiet,
}

/// Of a run in a random order.
const MAX_RANDOM_STEPS: usize = 10_000;
/// Of a run that breaks a promise.
const MAX_STEPS_SHOWN: usize = 200;

/// Where a message goes: a cache, or the home.
type Place = Option<u8>;

#[derive(Debug)]
struct State<P: Protocol> {
    lines: Vec<P::Line>,
    home: P::Home,
    /// Messages in flight, sorted.
    network: Vec<(Place, P::Message)>,
    /// Number of the last store.
    stores: u32,
    /// What each cache may still begin, and what it wants.
    left: Vec<u8>,
    wants: Vec<Option<Access>>,
}

impl<P: Protocol> Clone for State<P> {
    fn clone(&self) -> Self {
        Self {
            lines: self.lines.clone(),
            home: self.home.clone(),
            network: self.network.clone(),
            stores: self.stores,
            left: self.left.clone(),
            wants: self.wants.clone(),
        }
    }
}

/// Explores everything that caches do with a line of which each begins a number of accesses that its copy does not allow, stores or
/// evictions.
///
/// # Errors
/// The first promise that does not hold, with the steps that lead there; more states than `max_states`.
pub fn explore<P: Protocol>(
    begins: &[u8],
    repeats: Repeats,
    max_states: usize,
) -> Result<Explored, String> {
    let mut explorer = Explorer::<P> {
        known: HashMap::new(),
        repeats,
        max_states,
        explored: Explored {
            states: 0,
            steps: 0,
            ends: 0,
        },
        path: Vec::new(),
    };
    let first = State::<P>::new(begins);
    explorer.run(first).map_err(|reason| {
        let path: Vec<&str> = (explorer.path.iter().take(MAX_STEPS_SHOWN))
            .map(|frame| frame.0.as_str())
            .collect();
        format!("{reason}\n  {}", path.join("\n  "))
    })
}

/// Runs in random orders, where there are too many for all: the same promises.
///
/// # Errors
/// As [`explore`].
pub fn wander<P: Protocol>(begins: &[u8], runs: u32, seed: u64) -> Result<(), String> {
    let mut bits = seed;
    for _ in 0..runs {
        let mut state = State::<P>::new(begins);
        let mut path = Vec::new();
        loop {
            let checked = state.check().and_then(|()| state.steps(Repeats::AnyTime));
            let mut steps =
                checked.map_err(|reason| format!("{reason}\n  {}", path.join("\n  ")))?;
            if steps.is_empty() {
                break;
            }
            bits = bits
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            let at = (bits >> 33) as usize % steps.len();
            let (word, next) = steps.swap_remove(at);
            path.push(word);
            state = next;
            if path.len() > MAX_RANDOM_STEPS {
                return Err("livelock: a run does not end".to_owned());
            }
        }
        if let Some(cache) = state.wants.iter().position(|want| want.is_some()) {
            let path = path.join("\n  ");
            return Err(format!("deadlock: cache {cache} waits for ever\n  {path}"));
        }
    }
    Ok(())
}

/// Steps from a state that have not been taken yet.
type Steps<P> = Vec<(String, State<P>)>;

struct Explorer<P: Protocol> {
    /// By fingerprint: is it on the path?
    known: HashMap<(u64, u64), bool>,
    repeats: Repeats,
    max_states: usize,
    explored: Explored,
    /// How each state of the path was reached, its fingerprint, and what is left to do there.
    path: Vec<(String, (u64, u64), Steps<P>)>,
}

impl<P: Protocol> Explorer<P> {
    fn run(&mut self, first: State<P>) -> Result<Explored, String> {
        self.enter("begin".to_owned(), first)?;
        while let Some((_, mark, steps)) = self.path.last_mut() {
            if let Some((word, next)) = steps.pop() {
                self.explored.steps += 1;
                self.enter(word, next)?;
            } else {
                self.known.insert(*mark, false);
                self.path.pop();
            }
        }
        Ok(self.explored)
    }

    fn enter(&mut self, word: String, state: State<P>) -> Result<(), String> {
        let mark = state.mark();
        match self.known.get(&mark) {
            Some(false) => return Ok(()),
            Some(true) => return Err(format!("livelock: {word} leads to a state before")),
            None => {}
        }
        self.known.insert(mark, true);
        self.explored.states += 1;
        if self.explored.states > self.max_states {
            return Err(format!("more than {} states", self.max_states));
        }
        let checked = state.check();
        let steps = checked.and_then(|()| state.steps(self.repeats));
        self.path.push((word, mark, Vec::new()));
        let steps = steps?;
        if steps.is_empty() {
            if let Some(cache) = state.wants.iter().position(|want| want.is_some()) {
                return Err(format!("deadlock: cache {cache} waits for ever"));
            }
            self.explored.ends += 1;
        }
        if let Some(frame) = self.path.last_mut() {
            frame.2 = steps;
        }
        Ok(())
    }
}

impl<P: Protocol> State<P> {
    fn new(begins: &[u8]) -> Self {
        let caches = begins.len();
        Self {
            lines: vec![P::Line::default(); caches],
            home: P::home(caches as u8),
            network: Vec::new(),
            stores: 0,
            left: begins.to_vec(),
            wants: vec![None; caches],
        }
    }

    fn caches(&self) -> u8 {
        self.lines.len() as u8
    }

    fn mark(&self) -> (u64, u64) {
        let mut mark = Mark(1, 2);
        (&self.lines, &self.home, &self.network).hash(&mut mark);
        (self.stores, &self.left, &self.wants).hash(&mut mark);
        (mark.0, mark.1)
    }

    fn check(&self) -> Result<(), String> {
        let may = |line: &P::Line| P::permission(line, self.caches());
        let count = |least: Permission| self.lines.iter().filter(|line| may(line) >= least).count();
        let (writers, readers) = (count(Permission::Write), count(Permission::Read));
        if writers > 0 && readers > 1 {
            return Err(format!(
                "{writers} caches may write while {readers} may read"
            ));
        }
        for (cache, line) in self.lines.iter().enumerate() {
            if may(line) != Permission::None && P::value(line) != Some(self.stores) {
                return Err(format!(
                    "cache {cache} may read {}; the last store is {}",
                    value_text(P::value(line)),
                    self.stores
                ));
            }
        }
        P::check(
            &self.lines,
            &self.home,
            self.network.iter().map(|(_, message)| message),
        )
    }

    fn steps(&self, repeats: Repeats) -> Result<Steps<P>, String> {
        let mut steps = Vec::new();
        for at in 0..self.network.len() {
            if at > 0 && self.network[at] == self.network[at - 1] {
                continue;
            }
            steps.push(self.deliver(at)?);
        }
        for cache in 0..self.caches() {
            self.begin(cache, repeats, &mut steps);
        }
        Ok(steps)
    }

    fn deliver(&self, at: usize) -> Result<(String, Self), String> {
        let mut next = self.clone();
        let (place, message) = next.network.remove(at);
        let mut sent = Sent::new();
        let caches = self.caches();
        let Some(cache) = place else {
            P::serve(&mut next.home, caches, message, &mut sent);
            next.send(sent);
            return Ok((format!("home gets {message:?}"), next));
        };
        let line = &mut next.lines[usize::from(cache)];
        if P::receive(line, cache, caches, message, &mut sent) {
            let want = next.wants[usize::from(cache)].take();
            let access = want.ok_or("a request is complete that nobody has made")?;
            if !P::permission(line, caches).allows(access) {
                return Err(format!(
                    "cache {cache} has what it wants and may not {access:?}"
                ));
            }
            if access == Access::Store {
                next.stores += 1;
                P::store(line, next.stores);
            } else if P::value(line) != Some(next.stores) {
                return Err(format!(
                    "cache {cache} loads {}, not that of {}",
                    value_text(P::value(line)),
                    next.stores
                ));
            }
            P::settle(line, cache, &mut sent);
        }
        next.send(sent);
        Ok((format!("cache {cache} gets {message:?}"), next))
    }

    /// What a cache can do by itself. Loads that its copy allows change nothing.
    fn begin(&self, cache: u8, repeats: Repeats, steps: &mut Steps<P>) {
        let index = usize::from(cache);
        let line = &self.lines[index];
        let mut push = |word: &str, next: Self| steps.push((format!("cache {cache} {word}"), next));
        if P::is_busy(line) {
            if repeats == Repeats::WhenQuiet && !self.network.is_empty() {
                return;
            }
            let (mut next, mut sent) = (self.clone(), Sent::new());
            P::retry(&mut next.lines[index], cache, &mut sent);
            if next.lines[index] != *line {
                next.send(sent);
                push("repeats", next);
            }
            return;
        }
        if self.left[index] == 0 {
            return;
        }
        let mut left = self.clone();
        left.left[index] -= 1;
        let may = P::permission(line, self.caches());
        for access in [Access::Load, Access::Store] {
            let (mut next, mut sent) = (left.clone(), Sent::new());
            if !may.allows(access) {
                P::ask(&mut next.lines[index], cache, access, &mut sent);
                next.wants[index] = Some(access);
            } else if access == Access::Store {
                next.stores += 1;
                P::store(&mut next.lines[index], next.stores);
            } else {
                continue;
            }
            next.send(sent);
            push(
                if access == Access::Load {
                    "loads"
                } else {
                    "stores"
                },
                next,
            );
        }
        if may != Permission::None {
            let (mut next, mut sent) = (left, Sent::new());
            P::evict(&mut next.lines[index], cache, &mut sent);
            next.send(sent);
            push("evicts", next);
        }
    }

    fn send(&mut self, sent: Sent<P::Message>) {
        for (target, message) in sent {
            let all = 0..self.caches();
            let but = |one: u8| all.clone().filter(move |cache| *cache != one).map(Some);
            match target {
                Target::Home => self.network.push((None, message)),
                Target::Cache(cache) => self.network.push((Some(cache), message)),
                Target::Others(one) => self.network.extend(but(one).map(|to| (to, message))),
                Target::OthersAndHome(one) => {
                    self.network.push((None, message));
                    self.network.extend(but(one).map(|to| (to, message)));
                }
                Target::All => self.network.extend(all.map(|to| (Some(to), message))),
            }
        }
        self.network.sort_unstable();
    }
}

/// A fingerprint of 128 bits in two halves: of 10⁷ states two have the same one with a probability below 10⁻²⁴.
struct Mark(u64, u64);

impl Hasher for Mark {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let number = chunk
                .iter()
                .fold(0, |number, byte| number << 8 | u64::from(*byte));
            self.write_u64(number);
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        let mix = |lane: u64, factor: u64| {
            let mixed = (lane ^ number).wrapping_mul(factor);
            (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mixed >> 29
        };
        self.0 = mix(self.0, 0xbf58_476d_1ce4_e5b9);
        self.1 = mix(self.1.rotate_left(5), 0x94d0_49bb_1331_11eb);
    }
}
