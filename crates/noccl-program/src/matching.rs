// SPDX-License-Identifier: Apache-2.0
//! Which receive takes which message (MPI 4.1, section 3.5): receives are tried in the order in which they were posted, messages of one
//! sender in the order in which they were sent, and those of several senders in the order in which they arrive.
//!
//! A receive that names its sender takes a message as soon as it is announced, unless a receive that takes any sender stands before it:
//! that one takes what arrives first.

use crate::ids::{CommId, MessageId, RankId, RequestId};
use std::collections::{BTreeSet, VecDeque};

/// Tags from here on are those of a library over the calls, e.g. for collectives that it composes of messages: a receive of any tag does not
/// take them.
pub(crate) const FIRST_INNER_TAG: i64 = 1 << 31;

/// Tags from here on are those of one-sided communication.
const FIRST_WINDOW_TAG: i64 = 1 << 40;

/// A message's tag as messages for people name it.
pub(crate) fn tag_name(tag: i64) -> String {
    if tag < FIRST_INNER_TAG {
        format!("with tag {tag}")
    } else if tag < FIRST_WINDOW_TAG {
        "of a collective".to_owned()
    } else {
        "of a window".to_owned()
    }
}

/// What a receive or a probe takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) comm: CommId,
    /// `None`: any.
    pub(crate) source: Option<RankId>,
    /// `None`: any below [`FIRST_INNER_TAG`].
    pub(crate) tag: Option<i64>,
}

/// What is known of a message before it is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Announced {
    pub(crate) message: MessageId,
    pub(crate) comm: CommId,
    pub(crate) source: RankId,
    pub(crate) tag: i64,
    /// Its place among the messages that have arrived here.
    pub(crate) arrival: Option<u64>,
}

impl Wanted {
    /// As messages name it.
    pub(crate) fn name(&self) -> String {
        let source = self
            .source
            .map_or_else(|| "any rank".to_owned(), |rank| rank.to_string());
        let tag = self.tag.map_or_else(|| "with any tag".to_owned(), tag_name);
        format!("a message from {source} {tag}")
    }

    const fn takes(&self, message: &Announced) -> bool {
        self.comm.0 == message.comm.0
            && match self.source {
                Some(source) => source.0 == message.source.0,
                None => true,
            }
            && match self.tag {
                Some(tag) => tag == message.tag,
                None => message.tag < FIRST_INNER_TAG,
            }
    }
}

/// Receives and messages of one rank that have not met.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    posted: VecDeque<(RequestId, Wanted)>,
    announced: Vec<Announced>,
    arrivals: u64,
}

/// A receive and the message that it takes.
pub(crate) type Met = (RequestId, MessageId);

impl Inbox {
    /// A message has been sent; `met` gets what meets by it.
    pub(crate) fn announce(&mut self, message: Announced, met: &mut Vec<Met>) {
        self.announced.push(message);
        self.settle(met);
    }

    /// A message has come, if it has not met its receive already.
    pub(crate) fn arrive(&mut self, message: MessageId, met: &mut Vec<Met>) {
        let arrival = self.arrivals;
        let found = self.announced.iter_mut().find(|a| a.message == message);
        if let Some(found) = found.filter(|found| found.arrival.is_none()) {
            found.arrival = Some(arrival);
            self.arrivals += 1;
            self.settle(met);
        }
    }

    /// A receive is posted.
    pub(crate) fn post(&mut self, request: RequestId, wanted: Wanted, met: &mut Vec<Met>) {
        self.posted.push_back((request, wanted));
        self.settle(met);
    }

    /// A receive is withdrawn; false if it has met a message.
    pub(crate) fn withdraw(&mut self, request: RequestId) -> bool {
        let before = self.posted.len();
        self.posted.retain(|(posted, _)| *posted != request);
        before != self.posted.len()
    }

    /// What a receive that has not met a message looks for.
    pub(crate) fn wanted(&self, request: RequestId) -> Option<Wanted> {
        let found = self.posted.iter().find(|(posted, _)| *posted == request);
        found.map(|(_, wanted)| *wanted)
    }

    /// The message that a probe finds: the first that has arrived.
    pub(crate) fn probe(&self, wanted: Wanted) -> Option<MessageId> {
        let found = self.first_arrived(wanted)?;
        Some(self.announced[found].message)
    }

    /// The message that has arrived first, of those that are the first of their sender: short messages overtake long ones.
    fn first_arrived(&self, wanted: Wanted) -> Option<usize> {
        let mut senders = BTreeSet::new();
        let all = self.announced.iter().enumerate();
        let taken = all.filter(|(_, message)| wanted.takes(message));
        let first = taken.filter(|(_, message)| senders.insert(message.source));
        let arrived = first.filter_map(|(at, message)| Some((message.arrival?, at)));
        arrived.min().map(|(_, at)| at)
    }

    /// Lets receives and messages meet until none can.
    fn settle(&mut self, met: &mut Vec<Met>) {
        while let Some((posted, announced)) = self.next_pair() {
            let request = self.posted.remove(posted).map(|(request, _)| request);
            let message = self.announced.remove(announced).message;
            if let Some(request) = request {
                met.push((request, message));
            }
        }
    }

    /// The first receive, in their order, that may take a message now: places in both lists.
    fn next_pair(&self) -> Option<(usize, usize)> {
        let mut posted = self.posted.iter().enumerate();
        posted.find_map(|(call_site, (_, wanted))| {
            Some((call_site, self.message_for(call_site, *wanted)?))
        })
    }

    fn message_for(&self, call_site: usize, wanted: Wanted) -> Option<usize> {
        if wanted.source.is_none() {
            return self.first_arrived(wanted);
        }
        let mut all = self.announced.iter().enumerate();
        let (at, message) = all.find(|(_, message)| wanted.takes(message))?;
        // A receive of any sender that stands before it and would take the message decides when that arrives.
        let mut before = self.posted.iter().take(call_site);
        let is_claimed = before.any(|(_, other)| other.source.is_none() && other.takes(message));
        (!is_claimed).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMM: CommId = CommId(0);

    fn message(number: u32, source: u32, tag: i64) -> Announced {
        Announced {
            message: MessageId(number),
            comm: COMM,
            source: RankId(source),
            tag,
            arrival: None,
        }
    }

    fn wanted(source: Option<u32>, tag: Option<i64>) -> Wanted {
        Wanted {
            comm: COMM,
            source: source.map(RankId),
            tag,
        }
    }

    fn numbers(met: &[Met]) -> Vec<(u32, u32)> {
        met.iter().map(|(r, m)| (r.0, m.0)).collect()
    }

    #[test]
    fn messages_of_a_sender_keep_their_order_and_tags_choose() {
        let (mut inbox, mut met) = (Inbox::default(), Vec::new());
        inbox.announce(message(0, 3, 1), &mut met);
        inbox.announce(message(1, 3, 2), &mut met);
        inbox.announce(message(2, 3, 1), &mut met);
        inbox.post(RequestId(0), wanted(Some(3), Some(2)), &mut met);
        inbox.post(RequestId(1), wanted(Some(3), None), &mut met);
        inbox.post(RequestId(2), wanted(Some(3), Some(1)), &mut met);
        assert_eq!(numbers(&met), [(0, 1), (1, 0), (2, 2)]);
    }

    #[test]
    fn any_sender_takes_what_arrives_first_and_those_behind_it_what_is_left() {
        let (mut inbox, mut met) = (Inbox::default(), Vec::new());
        inbox.post(RequestId(0), wanted(None, None), &mut met);
        inbox.post(RequestId(1), wanted(Some(1), None), &mut met);
        inbox.announce(message(0, 1, 0), &mut met);
        inbox.announce(message(1, 2, 0), &mut met);
        assert_eq!(numbers(&met), []);
        inbox.arrive(MessageId(1), &mut met);
        assert_eq!(numbers(&met), [(0, 1), (1, 0)]);
    }

    #[test]
    fn any_sender_does_not_take_what_has_overtaken_an_earlier_message_of_its_sender() {
        let (mut inbox, mut met) = (Inbox::default(), Vec::new());
        inbox.announce(message(0, 1, 4), &mut met);
        inbox.announce(message(1, 1, 4), &mut met);
        inbox.announce(message(2, 2, 4), &mut met);
        inbox.arrive(MessageId(1), &mut met);
        assert_eq!(inbox.probe(wanted(None, None)), None);
        inbox.post(RequestId(0), wanted(None, Some(4)), &mut met);
        inbox.post(RequestId(1), wanted(None, None), &mut met);
        inbox.arrive(MessageId(2), &mut met);
        assert_eq!(numbers(&met), [(0, 2)]);
        inbox.post(RequestId(2), wanted(None, None), &mut met);
        inbox.arrive(MessageId(0), &mut met);
        assert_eq!(numbers(&met), [(0, 2), (1, 0), (2, 1)]);
    }

    #[test]
    fn a_probe_finds_what_has_arrived_and_leaves_it() {
        let (mut inbox, mut met) = (Inbox::default(), Vec::new());
        inbox.announce(message(0, 1, 5), &mut met);
        assert_eq!(inbox.probe(wanted(None, None)), None);
        inbox.arrive(MessageId(0), &mut met);
        assert_eq!(inbox.probe(wanted(None, Some(5))), Some(MessageId(0)));
        assert_eq!(inbox.probe(wanted(None, Some(6))), None);
        inbox.post(RequestId(0), wanted(None, None), &mut met);
        assert_eq!(numbers(&met), [(0, 0)]);
        assert_eq!(inbox.probe(wanted(None, None)), None);
    }

    #[test]
    fn a_receive_is_withdrawn_before_it_has_met_a_message() {
        let (mut inbox, mut met) = (Inbox::default(), Vec::new());
        inbox.post(RequestId(0), wanted(None, None), &mut met);
        assert!(inbox.withdraw(RequestId(0)));
        inbox.post(RequestId(1), wanted(Some(1), None), &mut met);
        inbox.announce(message(0, 1, 0), &mut met);
        assert!(!inbox.withdraw(RequestId(1)));
        assert_eq!(numbers(&met), [(1, 0)]);
    }
}
