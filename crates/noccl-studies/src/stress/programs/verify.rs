// SPDX-License-Identifier: Apache-2.0
//! Compares what every rank has got with what it must get, and looks at when: nothing is over before what it depends on has begun.

use super::values;
use super::values::{Got, Seen, Took};
use super::values::{Plan, Stream};
use noccl_net::counts::max_or_zero;
use noccl_workload::Holders;
use std::collections::BTreeMap;

/// What is wrong, in words. A core that reads its last word is `word_cycles` ahead of those that hear of what it does next.
pub(super) fn faults(plan: &Plan, seen: &Seen, word_cycles: u64) -> Vec<String> {
    let mut faults = Vec::new();
    let mut met = BTreeMap::new();
    for number in 0..plan.streams.len() {
        check_stream(plan, seen, number, &mut met, &mut faults);
    }
    check_sends((plan, seen), &met, word_cycles, &mut faults);
    for step in 0..plan.collectives.len() {
        check_collective(plan, seen, step, &mut faults);
    }
    for step in 0..plan.splits.len() {
        check_split(plan, seen, step, &mut faults);
    }
    faults
}

/// Receives in their order: of each sender its messages, in theirs. `met` gets when each message's receive began.
fn check_stream(
    plan: &Plan,
    seen: &Seen,
    number: usize,
    met: &mut BTreeMap<usize, u64>,
    faults: &mut Vec<String>,
) {
    let stream = &plan.streams[number];
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    for (place, (since_cycle, got)) in seen.received[number].iter().enumerate() {
        let name = || format!("receive {place} of {}", stream_name(stream));
        let Some(got) = got else {
            faults.push(format!("{}: nothing has come", name()));
            continue;
        };
        let from = plan.groups[stream.group].members.get(got.source as usize);
        let sent = from.and_then(|from| {
            let of_sender = stream.messages.iter().copied();
            let mut of_sender = of_sender.filter(|message| plan.messages[*message].from == *from);
            let taken = next.entry(*from).or_default();
            *taken += 1;
            of_sender.nth(*taken - 1)
        });
        let Some(message) = sent else {
            let source = got.source;
            faults.push(format!("{}: one message too many from {source}", name()));
            continue;
        };
        met.insert(message, *since_cycle);
        if let Some(what) = wrong_message(plan, message, got) {
            faults.push(format!("{}: message {message} {what}", name()));
        }
        if got.cycle < seen.sent[message].0 {
            faults.push(format!("{}: message {message} before it was sent", name()));
        }
        let probed = seen.probed.get(&(number, place));
        let right = (got.source, got.tag, plan.messages[message].bytes);
        if probed.is_some_and(|probed| *probed != right) {
            faults.push(format!("{}: a probe found {probed:?}", name()));
        }
    }
}

fn stream_name(stream: &Stream) -> String {
    let from = stream
        .from
        .map_or_else(|| "any".to_owned(), |from| from.to_string());
    let tag = stream
        .tag
        .map_or_else(|| "any".to_owned(), |tag| tag.to_string());
    format!(
        "rank {} from {from} with tag {tag} in group {}",
        stream.to, stream.group
    )
}

fn wrong_message(plan: &Plan, message: usize, got: &Got) -> Option<String> {
    let sent = &plan.messages[message];
    if got.tag != sent.tag {
        return Some(format!("of tag {} has tag {}", sent.tag, got.tag));
    }
    difference(&got.data, &values::payload(plan, message))
}

/// The first byte that differs.
fn difference(found: &[u8], expected: &[u8]) -> Option<String> {
    if found.len() != expected.len() {
        let (found, expected) = (found.len(), expected.len());
        return Some(format!("has {found} bytes in place of {expected}"));
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b)?;
    Some(format!(
        "has {} in place of {} at byte {at}",
        found[at], expected[at]
    ))
}

fn check_sends(
    (plan, seen): (&Plan, &Seen),
    met: &BTreeMap<usize, u64>,
    word_cycles: u64,
    faults: &mut Vec<String>,
) {
    for (message, (_, over)) in seen.sent.iter().enumerate() {
        let sent = &plan.messages[message];
        let name = format!("send of message {message} by rank {}", sent.from);
        match (over, met.get(&message)) {
            (None, _) => faults.push(format!("{name}: not over")),
            (Some(over), Some(began)) if sent.is_synchronous && over + word_cycles < *began => {
                faults.push(format!(
                    "{name}: over in cycle {over}, before its receive began in cycle {began}"
                ));
            }
            (Some(_), _) => {}
        }
    }
}

fn check_collective(plan: &Plan, seen: &Seen, step: usize, faults: &mut Vec<String>) {
    let of = &plan.collectives[step];
    let name =
        |position: usize| format!("{} {step}, rank {position} of group {}", of.kind, of.group);
    let took: Vec<&Took> = seen.collectives[step].iter().flatten().collect();
    let size = plan.groups[of.group].members.len();
    if took.len() < size {
        faults.push(format!(
            "{}: {} of {size} ranks called",
            name(0),
            took.len()
        ));
        return;
    }
    for (position, rank) in took.iter().enumerate() {
        let expected = if rank.is_ring {
            values::ring_payload(step, ((position + size - 1) % size) as u32)
        } else {
            values::expected(plan, step, position as u32)
        };
        if let Some(what) = difference(&rank.output, &expected) {
            faults.push(format!("{}: {what}", name(position)));
        }
        if rank.is_ring {
            continue;
        }
        // Whose calls a rank's result depends on.
        let has_bytes = of.bytes > 0;
        let (left, all) = (rank.until_cycle, took.iter());
        let is_root = position == of.root as usize;
        let takes = has_bytes && of.kind.output_holders().include(is_root);
        let needed = match of.kind.input_holders() {
            Holders::Nobody => all.map(|rank| rank.from_cycle).max(),
            Holders::Root if takes => Some(took[of.root as usize].from_cycle),
            Holders::Members if takes => all.map(|rank| rank.from_cycle).max(),
            Holders::Root | Holders::Members => None,
        };
        if let Some(needed) = needed.filter(|needed| left < *needed) {
            faults.push(format!(
                "{}: over in cycle {left}, before a rank has called in cycle {needed}",
                name(position)
            ));
        }
    }
}

fn check_split(plan: &Plan, seen: &Seen, step: usize, faults: &mut Vec<String>) {
    let of = &plan.splits[step];
    let members = &plan.groups[of.group].members;
    let entered = seen.splits[step].iter().map(|(took, _)| took.from_cycle);
    let last = max_or_zero(entered);
    for (position, (took, found)) in seen.splits[step].iter().enumerate() {
        let expected = of.made[position].and_then(|group| {
            let size = plan.groups[group].members.len() as u32;
            Some((plan.position(group, members[position])?, size))
        });
        let name = format!("split {step}, rank {position} of group {}", of.group);
        if *found != expected {
            faults.push(format!("{name}: got {found:?} in place of {expected:?}"));
        }
        if took.until_cycle < last {
            faults.push(format!("{name}: over before a rank has called"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::draw;
    use super::super::{limits, options, runner};
    use super::*;
    use crate::load;
    use noccl_program::Session;

    fn ran(seed: u64) -> (Plan, Seen) {
        let network = load("tilepro64_4x4", &[]).unwrap().network;
        let plan = draw(seed, limits(&network, 64));
        let ranks = plan.calls.len() as u32;
        let mut session = Session::new(&network, ranks, options(&network, seed)).unwrap();
        let seen = runner::run(&mut session, &plan, &mut |_| true).unwrap();
        assert_eq!(faults(&plan, &seen, 1), [""; 0]);
        (plan, seen)
    }

    /// Faults after a change, with these words in one of them; of the first program that has something to be changed.
    fn notices(words: &str, change: impl Fn(&Plan, &mut Seen) -> Option<()>) {
        let changed = (0..20).find_map(|seed| {
            let (plan, mut seen) = ran(seed);
            change(&plan, &mut seen)?;
            Some(faults(&plan, &seen, 1))
        });
        let found = changed.expect("a program with something to be changed");
        let has_words = found.iter().any(|fault| fault.contains(words));
        assert!(has_words, "{words}: {found:?}");
    }

    fn got(seen: &mut Seen) -> Option<&mut Got> {
        let all = seen.received.iter_mut().flatten();
        let mut all = all.filter_map(|(_, got)| got.as_mut());
        all.find(|got| got.data.len() > 4)
    }

    #[test]
    fn a_wrong_byte_of_a_message_is_noticed() {
        notices("at byte 4", |_, seen| {
            got(seen)?.data[4] ^= 0x40;
            Some(())
        });
        notices("bytes in place of", |_, seen| {
            got(seen)?.data.pop().map(drop)
        });
        notices("has tag", |_, seen| {
            got(seen)?.tag += 1;
            Some(())
        });
    }

    #[test]
    fn messages_of_a_sender_in_another_order_are_noticed() {
        notices("in place of", |plan, seen| {
            let long = |stream: &Stream| stream.from.is_some() && stream.messages.len() > 1;
            let stream = plan.streams.iter().position(long)?;
            let of = &mut seen.received[stream];
            let (first, second) = (of[0].1.take(), of[1].1.take());
            (of[0].1, of[1].1) = (second, first);
            Some(())
        });
    }

    #[test]
    fn a_message_from_before_it_was_sent_and_one_that_does_not_come_are_noticed() {
        notices("before it was sent", |plan, seen| {
            let is_late = |message: &usize| seen.sent[*message].0 > 0;
            let late = |stream: &Stream| stream.messages.iter().all(is_late);
            let stream = plan.streams.iter().position(late)?;
            seen.received[stream][0].1.as_mut()?.cycle = 0;
            Some(())
        });
        notices("nothing has come", |_, seen| {
            let (_, got) = seen.received.iter_mut().flatten().next()?;
            got.take().map(drop)
        });
        notices("not over", |_, seen| {
            seen.sent.first_mut()?.1 = None;
            Some(())
        });
    }

    #[test]
    fn a_rank_that_leaves_a_barrier_early_is_noticed() {
        notices("before a rank has called", |plan, seen| {
            let steps = 0..plan.collectives.len();
            let is_barrier = |step: usize| !plan.collectives[step].kind.has_payload();
            let mut barriers = steps.filter(|step| is_barrier(*step));
            let step = barriers.find(|step| seen.collectives[*step].len() > 1)?;
            let ranks = seen.collectives[step].iter_mut().flatten();
            let mut ranks: Vec<&mut Took> = ranks.collect();
            ranks.sort_by_key(|took| took.from_cycle);
            let last_cycle = ranks.last()?.from_cycle;
            let first = ranks
                .first_mut()
                .filter(|took| took.from_cycle + 1 < last_cycle)?;
            first.until_cycle = first.from_cycle + 1;
            Some(())
        });
    }

    #[test]
    fn a_wrong_result_of_a_collective_and_of_a_split_are_noticed() {
        notices("in place of", |_, seen| {
            let all = seen.collectives.iter_mut().flatten().flatten();
            let mut outputs = all.map(|took| &mut took.output);
            outputs.find(|output| !output.is_empty())?[0] ^= 1;
            Some(())
        });
        notices("split", |_, seen| {
            let mut all = seen.splits.iter_mut().flatten();
            all.find_map(|(_, found)| found.as_mut())?.0 += 1;
            Some(())
        });
    }
}
