// SPDX-License-Identifier: Apache-2.0
//! Endpoints joined by connections that take no time: their own cycles and nothing else.

use super::cfg::{Cfg, Key};
use super::endpoint::{Arrived, Bytes, Endpoint, Settings};
use super::head::Task;
use super::narrow::Message;
use super::pattern::Addresses;
use noccl_spec::TorrentMode;
use noccl_workload::AccessPattern;

/// Counts beats instead of moving bytes.
struct Counted {
    loaded: u64,
    stored: u64,
    /// Source and destinations have equal patterns.
    is_checked: bool,
}

impl Bytes for Counted {
    fn load(&mut self, words: &[u64; 8]) -> u32 {
        self.loaded += 1;
        words[0] as u32
    }

    fn store(&mut self, words: &[u64; 8], payload: u32) {
        assert!(!self.is_checked || words[0] as u32 == payload);
        self.stored += 1;
    }

    fn share(&mut self, _payload: u32) {}

    fn release(&mut self, _payload: u32) {}
}

struct Bench {
    settings: Settings,
    endpoints: Vec<Endpoint>,
    bytes: Counted,
    now: u64,
    /// Messages by the cycle of their last beat.
    messages: Vec<(u64, u32, Message)>,
    /// Cycle, tile and message of everything that was received.
    log: Vec<(u64, u32, Message)>,
    /// Instance and cycle.
    done: Vec<(u32, u64)>,
    /// Per tile and lane: bursts at the port, with the beats that they still have to send.
    bursts: Vec<[Vec<(u32, u16)>; 2]>,
}

impl Bench {
    fn new(mode: TorrentMode, tiles: u32) -> Self {
        let settings = Settings {
            mode,
            path_cycles: 0,
            burst_beats: 64,
            buffer_bursts: 2,
            fifo_words: 8,
            num_banks: 32,
        };
        Self {
            settings,
            endpoints: (0..tiles).map(Endpoint::new).collect(),
            bytes: Counted {
                loaded: 0,
                stored: 0,
                is_checked: true,
            },
            now: 0,
            messages: Vec::new(),
            log: Vec::new(),
            done: Vec::new(),
            bursts: vec![[Vec::new(), Vec::new()]; tiles as usize],
        }
    }

    /// A chain from tile 0 through 1 to `stops`, granted in that order backwards.
    fn task(instance: u32, stops: u32, beats: u64) -> Task {
        let addresses = Addresses::of(&AccessPattern::linear(0, beats * 64));
        let cfg = |stop: u32| Cfg {
            key: Key {
                initiator: 0,
                task: 0,
            },
            previous: stop - 1,
            next: (stop < stops).then_some(stop + 1),
            grant_to: stop - 1,
            starts_grant: stop == stops,
            beats: beats as u32,
            addresses,
        };
        Task {
            instance,
            source: addresses,
            own_copy: None,
            beats,
            cfgs: (1..=stops).map(|stop| (stop, cfg(stop))).collect(),
        }
    }

    fn move_beats(&mut self) {
        for tile in 0..self.endpoints.len() {
            for lane in 0..2 {
                let (now, bursts) = (self.now, &mut self.bursts[tile][lane]);
                let from = &mut self.endpoints[tile].lanes[lane];
                while let Some(opening) = from.take_opening(now) {
                    bursts.push((opening.to, opening.beats));
                }
                let Some((to, left)) = bursts.first_mut() else {
                    continue;
                };
                let to = *to as usize;
                if !self.endpoints[to].takes_beat(&self.settings) {
                    continue;
                }
                let from = &mut self.endpoints[tile].lanes[lane];
                if !from.has_beat(now) {
                    continue;
                }
                let payload = from.take().unwrap();
                *left -= 1;
                let closes = (*left == 0).then_some((tile * 2 + lane) as u32);
                if *left == 0 {
                    self.bursts[tile][lane].remove(0);
                }
                let arrived = Arrived { payload, closes };
                self.endpoints[to].arrived.push_back(arrived);
            }
        }
    }

    fn cycle(&mut self) {
        self.move_beats();
        let now = self.now;
        let (due, later) = self.messages.drain(..).partition(|m| m.0 <= now);
        self.messages = later;
        for (_, to, message) in due {
            self.log.push((now, to, message));
            self.endpoints[to as usize].receive(now, message);
        }
        for tile in 0..self.endpoints.len() {
            let effects = self.endpoints[tile].tick(now, &self.settings, &mut self.bytes);
            if let Some(leaving) = effects.leaving {
                let message = (leaving.cycle, leaving.to, leaving.message);
                self.messages.push(message);
            }
            if let Some(burst) = effects.consumed {
                let lanes = &mut self.endpoints[burst as usize / 2].lanes;
                lanes[burst as usize % 2].outstanding -= 1;
            }
            if let Some(instance) = effects.done {
                self.done.push((instance, now + 1));
            }
        }
        self.now += 1;
    }

    fn run(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Cycles in which messages like this one came.
    fn came(&self, is_wanted: impl Fn(&Message) -> bool) -> Vec<(u64, u32)> {
        let wanted = self.log.iter().filter(|(_, _, m)| is_wanted(m));
        wanted.map(|(cycle, to, _)| (*cycle, *to)).collect()
    }
}

/// The published hardware's cycles, exactly: 31 per stop, one per beat, two more.
#[test]
fn a_chain_takes_31_cycles_per_stop_and_one_per_beat_when_connections_take_none() {
    for mode in [TorrentMode::Safe, TorrentMode::Published] {
        for stops in 1..=8 {
            for beats in [2, 3, 63, 64, 65, 200] {
                let mut bench = Bench::new(mode, stops + 1);
                bench.endpoints[0].commit(Bench::task(7, stops, beats));
                bench.run(31 * u64::from(stops) + beats + 20);
                let expected = 31 * u64::from(stops) + beats + 2;
                assert_eq!(bench.done, [(7, expected)], "{mode:?}, {stops}, {beats}");
                assert_eq!(bench.bytes.loaded, beats);
                assert_eq!(bench.bytes.stored, beats * u64::from(stops));
                assert!(bench.endpoints.iter().all(Endpoint::is_idle));
            }
        }
    }
}

#[test]
fn configurations_come_13_cycles_apart_grants_6_and_finishes_7() {
    let (stops, beats) = (5, 100);
    let mut bench = Bench::new(TorrentMode::Safe, stops + 1);
    bench.endpoints[0].commit(Bench::task(0, stops, beats));
    bench.run(400);
    let cfgs = bench.came(|m| matches!(m, Message::Cfg(_)));
    let expected: Vec<_> = (1..=stops).map(|i| (13 * u64::from(i), i)).collect();
    assert_eq!(cfgs, expected);
    let grants = bench.came(|m| matches!(m, Message::Grant(_)));
    let first = 13 * u64::from(stops);
    let expected: Vec<_> = (1..=stops)
        .map(|i| (first + 6 * u64::from(i), stops - i))
        .collect();
    assert_eq!(grants, expected);
    let finishes = bench.came(|m| matches!(m, Message::Finish(_)));
    // The last beat reaches the tail 5 per hop after the grant; two cycles later its writer is seen idle.
    let written = 24 * u64::from(stops) + beats - 1 + 2;
    let expected: Vec<_> = (1..=stops)
        .map(|i| (written + 7 * u64::from(i), stops - i))
        .collect();
    assert_eq!(finishes, expected);
}

#[test]
fn tasks_of_one_initiator_follow_each_other_and_ids_wrap() {
    let (tasks, beats) = (35, 3);
    let mut bench = Bench::new(TorrentMode::Safe, 3);
    for instance in 0..tasks {
        bench.endpoints[0].commit(Bench::task(instance, 2, beats));
    }
    bench.run(80 * u64::from(tasks));
    let each = 31 * 2 + beats + 2;
    let expected: Vec<_> = (0..tasks).map(|i| (i, u64::from(i + 1) * each)).collect();
    assert_eq!(bench.done, expected);
    assert!(bench.endpoints.iter().all(|e| e.strays == 0));
}

/// A finish, a grant of a task that is long over: nobody takes them for the task at hand.
#[test]
fn messages_of_an_older_task_change_nothing() {
    let mut bench = Bench::new(TorrentMode::Safe, 3);
    for instance in 0..2 {
        bench.endpoints[0].commit(Bench::task(instance, 2, 50));
    }
    let older = Key {
        initiator: 0,
        task: 0,
    };
    let first = 31 * 2 + 50 + 2;
    bench.run(first + 10);
    for tile in 0..3 {
        bench.endpoints[tile].receive(bench.now, Message::Finish(older));
    }
    bench.endpoints[0].receive(bench.now, Message::Grant(older));
    bench.run(200);
    assert_eq!(bench.done, [(0, first), (1, 2 * first)]);
    assert_eq!(bench.endpoints[0].strays, 2);
}

#[test]
fn a_single_beat_arrives_in_mode_safe_and_never_leaves_in_mode_published() {
    for (mode, done) in [
        (TorrentMode::Safe, vec![(0, 31 * 3 + 1 + 2)]),
        (TorrentMode::Published, vec![]),
    ] {
        let mut bench = Bench::new(mode, 4);
        bench.endpoints[0].commit(Bench::task(0, 3, 1));
        bench.run(500);
        assert_eq!(bench.done, done, "{mode:?}");
    }
}

/// Source and destination in one memory: reader and writer, no message.
#[test]
fn a_loopback_takes_three_cycles_and_one_per_beat() {
    for beats in [1, 8, 100] {
        let mut bench = Bench::new(TorrentMode::Safe, 1);
        let mut task = Bench::task(0, 0, beats);
        task.own_copy = Some(task.source);
        bench.endpoints[0].commit(task);
        bench.run(beats + 10);
        assert_eq!(bench.done, [(0, beats + 3)]);
        assert!(bench.log.is_empty());
    }
}

/// A stop whose eight words lie in one bank takes a beat per eight cycles: its buffer fills up, then the stops before it.
#[test]
fn a_slow_stop_fills_the_room_for_whole_bursts_and_no_more() {
    let beats = 400;
    let slow = Addresses::of(&AccessPattern {
        offset: 0,
        word_stride: 256,
        loops: vec![noccl_workload::PatternLoop {
            count: beats,
            stride: 2048,
        }],
    });
    for stop in 1..=3 {
        let mut bench = Bench::new(TorrentMode::Safe, 4);
        let mut task = Bench::task(0, 3, beats);
        task.cfgs[stop - 1].1.addresses = slow;
        bench.bytes.is_checked = false;
        bench.endpoints[0].commit(task);
        let mut most = [0; 4];
        for _ in 0..31 * 3 + 8 * beats + 50 {
            bench.cycle();
            for (most, endpoint) in most.iter_mut().zip(&bench.endpoints) {
                *most = endpoint.arrived.len().max(*most);
            }
        }
        let room = 2 * 64;
        assert!(most.iter().all(|m| *m <= room), "{most:?}");
        assert!(most[stop] > room / 2, "{most:?}");
        // The first beat comes 5 per hop after the grant; the chain is over when the slow stop has written the last.
        let first = 19 * 3 + 5 * stop as u64;
        assert_eq!(bench.done.len(), 1);
        assert!(bench.done[0].1 > first + 8 * beats, "{:?}", bench.done);
    }
}
