// SPDX-License-Identifier: Apache-2.0
//! Do the messages of each round share no link, as the schedule claims?
//!
//! Links between routers alone: a core takes one word at a time from its own port, whatever the network does. Nothing is said about
//! time: a core that is ahead begins its next round while others are in the one before. One pass over the links of all routes.

use super::CheckError;
use crate::{Message, Schedule};
use noccl_net::{Coord, Network, Port};
use std::fmt;
use thiserror::Error;

/// Two messages of one round that take one link.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "round {round}: {first} and {second} share {link}; accepted: messages of a round that share no link between routers, \
     or claims_rounds = false"
)]
pub struct SharedLink {
    /// Round.
    pub round: u32,
    /// The link.
    pub link: Link,
    /// Earlier message in the file, with source and destination.
    pub first: String,
    /// Later message in the file, with source and destination.
    pub second: String,
}

/// A directed link between two routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Router that drives it, mesh coordinate.
    pub router: Coord,
    /// Its output.
    pub port: Port,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let port = format!("{:?}", self.port).to_lowercase();
        write!(f, "the link {port} of {}", self.router)
    }
}

/// How many rounds the messages of a schedule have, if it claims rounds. [`crate::check()`] does it, behind form and circles of waits.
///
/// # Errors
/// [`CheckError::Rounds`] if two messages of a round share a link; [`CheckError::Field`] if a message has no round.
pub fn check_rounds(network: &Network, schedule: &Schedule) -> Result<Option<u32>, CheckError> {
    if !schedule.claims_rounds {
        return Ok(None);
    }
    let mut messages = Vec::new();
    for (action, message) in messages_of(schedule) {
        let Some(round) = message.round else {
            return Err(CheckError::Field {
                field: format!("actions[{action}].kind.message.round"),
                found: "none".to_owned(),
                accepted: "a number: the schedule claims rounds, so every message belongs to one"
                    .to_owned(),
            });
        };
        messages.push((round, action, message));
    }
    // Stable: messages of a round stay in the order of the file.
    messages.sort_by_key(|(round, ..)| *round);
    let num_rounds = messages.chunk_by(|a, b| a.0 == b.0).count();
    share_no_link(network, schedule, &messages)?;
    Ok(Some(num_rounds as u32))
}

/// Messages between tiles; a copy within one takes no link.
fn messages_of(schedule: &Schedule) -> impl Iterator<Item = (usize, &Message)> {
    let all = schedule.actions.iter().enumerate();
    let all = all.filter_map(|(index, action)| Some((index, action.kind.message()?)));
    all.filter(|(_, message)| !message.is_copy())
}

/// `messages` are sorted by round.
fn share_no_link(
    network: &Network,
    schedule: &Schedule,
    messages: &[(u32, usize, &Message)],
) -> Result<(), CheckError> {
    // Per directed link, `tile * 4 + port`: its last user, by place in `messages`.
    let mut users: Vec<Option<usize>> = vec![None; network.num_tiles() * 4];
    for (index, (round, _, message)) in messages.iter().enumerate() {
        let ends = (
            network.find(message.source.tile),
            network.find(message.destination.tile),
        );
        let (Some(from), Some(to)) = ends else {
            continue;
        };
        let route = network.path(network.coord(from), network.coord(to));
        for (router, port) in route.filter(|(_, port)| *port != Port::Local) {
            let user = &mut users[network.tile_at(router).idx() * 4 + port.idx()];
            let before = user.replace(index).map(|user| messages[user]);
            if let Some((_, earlier, other)) = before.filter(|(r, ..)| r == round) {
                let name = |action: usize, message: &Message| {
                    format!("{} {}", schedule.action_name(action), message.ends())
                };
                let (_, later, _) = messages[index];
                return Err(CheckError::Rounds(Box::new(SharedLink {
                    round: *round,
                    link: Link { router, port },
                    first: name(earlier, other),
                    second: name(later, message),
                })));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, ActionKind, Place, SCHEDULE_FORMAT};
    use noccl_net::TileRef;
    use std::collections::BTreeMap;

    fn network() -> Network {
        noccl_testkit::mesh(4, 4)
    }

    fn message(from: (u16, u16), to: (u16, u16), round: Option<u32>) -> Action {
        let place = |(x, y)| Place {
            tile: TileRef::Cluster(Coord::new(x, y)),
            offset: 0,
        };
        let message = Message {
            source: place(from),
            destination: place(to),
            bytes: 4,
            rows: None,
            round,
        };
        Action {
            kind: ActionKind::Message(message),
            after: Vec::new(),
        }
    }

    fn checked(actions: Vec<Action>) -> Result<Option<u32>, CheckError> {
        let schedule = Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: true,
            algorithm: "test".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions,
        };
        check_rounds(&network(), &schedule)
    }

    #[test]
    fn two_messages_of_a_round_on_one_link_are_named_with_the_link() {
        let first = message((0, 1), (2, 3), Some(7));
        let second = message((1, 1), (3, 1), Some(7));
        let error = checked(vec![first.clone(), second.clone()]).unwrap_err();
        let text = error.to_string();
        // Routers by mesh coordinate: the column of memory tiles of this preset is the first one.
        assert!(
            text.starts_with("claims_rounds: round 7: actions[0] (message) from (0,1) to (2,3)")
        );
        assert!(
            text.contains("actions[1] (message) from (1,1) to (3,1) share the link east of (2,1)")
        );
        assert!(text.contains("accepted"), "{text}");
        // In rounds of their own, whatever their numbers, and in opposite directions they share none.
        let apart = message((1, 1), (3, 1), Some(2));
        assert!(checked(vec![first.clone(), apart, first.clone()]).is_err());
        let apart = message((1, 1), (3, 1), Some(2));
        assert_eq!(checked(vec![first.clone(), apart]), Ok(Some(2)));
        let back = message((3, 1), (1, 1), Some(7));
        assert_eq!(checked(vec![first.clone(), back]), Ok(Some(1)));
        // Columns too: they meet behind the corner.
        let column = message((2, 0), (2, 3), Some(7));
        let text = checked(vec![first, column]).unwrap_err().to_string();
        assert!(text.contains("the link north of (3,1)"), "{text}");
    }

    #[test]
    fn a_message_without_round_belongs_to_no_claim() {
        let actions = vec![
            message((0, 0), (1, 0), Some(0)),
            message((1, 0), (2, 0), None),
        ];
        let text = checked(actions).unwrap_err().to_string();
        assert!(
            text.starts_with("actions[1].kind.message.round = none"),
            "{text}"
        );
    }
}
