// SPDX-License-Identifier: Apache-2.0
//! In which order a core works on its shares: its main list in the order of the file, receives of one source likewise.
//!
//! A core does one thing at a time, so its shares need no `after` to follow each other. Receives are no part of the list: a core
//! takes them whenever they come, and only those of one source come in order.

use super::{Order, Vertex};
use crate::ActionKind;
use noccl_net::{Network, TileId};
use std::collections::HashMap;

/// The latest share of every list: action, and place among its participants.
pub(super) struct Lists {
    main: Vec<Option<(usize, usize)>>,
    /// By destination and source.
    receives: HashMap<(TileId, TileId), (usize, usize)>,
}

impl Lists {
    /// Lists of cores that have begun nothing.
    pub(super) fn new(network: &Network) -> Self {
        Self {
            main: vec![None; network.num_tiles()],
            receives: HashMap::new(),
        }
    }

    /// Edges from the share before to each share of an action.
    pub(super) fn edges(
        &mut self,
        network: &Network,
        order: &Order,
        (action, kind): (usize, &ActionKind),
        tiles: &[TileId],
        edges: &mut Vec<(u32, Vertex)>,
    ) {
        for (position, tile) in tiles.iter().enumerate() {
            let now = (action, position);
            let before = match kind.receives_from(network, *tile) {
                Some(source) => self.receives.insert((*tile, source), now),
                None => self.main[tile.idx()].replace(now),
            };
            edges.extend(before.map(|(a, p)| (position as u32, order.finish(a, p))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckError;
    use crate::check::memory;
    use crate::{
        Action, ActionId, Message, Place, Rectangle, SCHEDULE_FORMAT, Schedule, StaticMulticast,
    };
    use noccl_net::{Coord, TileRef};
    use std::collections::BTreeMap;

    fn network() -> Network {
        noccl_testkit::mesh(4, 4)
    }

    fn at(x: u16, offset: u64) -> Place {
        Place {
            tile: TileRef::Cluster(Coord::new(x, 0)),
            offset,
        }
    }

    /// Eight bytes from one tile of a row to another one.
    fn message(source: Place, destination: Place, after: &[u32]) -> Action {
        let message = Message {
            source,
            destination,
            bytes: 8,
            rows: None,
            round: None,
        };
        Action {
            kind: ActionKind::Message(message),
            after: after.iter().map(|a| ActionId(*a)).collect(),
        }
    }

    /// Eight bytes from a tile of the row of four to all the others.
    fn multicast(source: Place, offset: u64) -> Action {
        let set = Rectangle {
            x: 0,
            y: 0,
            width: 4,
            height: 1,
        };
        let multicast = StaticMulticast {
            source,
            set,
            offset,
            bytes: 8,
        };
        Action {
            kind: ActionKind::StaticMulticast(multicast),
            after: Vec::new(),
        }
    }

    /// Are all accesses to the same bytes ordered, on cores?
    fn is_ordered(actions: Vec<Action>) -> bool {
        let network = network();
        let schedule = Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: false,
            algorithm: "test".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions,
        };
        let order = Order::build(&network, &schedule, true, |waits| waits).unwrap();
        match memory::execute(&network, &schedule, &order) {
            Ok(_) => true,
            Err(CheckError::Race(_)) => false,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_destination_may_pass_on_what_it_has_received_only_behind_the_message() {
        let first = || message(at(0, 0), at(1, 8), &[]);
        assert!(is_ordered(vec![first(), message(at(1, 8), at(2, 8), &[0])]));
        assert!(!is_ordered(vec![first(), message(at(1, 8), at(2, 8), &[])]));
    }

    #[test]
    fn a_source_may_overwrite_what_it_has_sent_only_behind_the_message() {
        let first = || message(at(0, 0), at(1, 8), &[]);
        assert!(is_ordered(vec![first(), message(at(2, 0), at(0, 0), &[0])]));
        assert!(!is_ordered(vec![first(), message(at(2, 0), at(0, 0), &[])]));
    }

    #[test]
    fn a_source_does_not_wait_until_the_destination_has_received() {
        // Tile 0 goes on when it has sent; its message to tile 2 says nothing about what tile 1 has done.
        let actions = vec![
            message(at(0, 0), at(1, 8), &[]),
            message(at(0, 0), at(2, 8), &[0]),
            message(at(2, 8), at(1, 8), &[1]),
        ];
        assert!(!is_ordered(actions));
    }

    #[test]
    fn shares_of_the_main_list_and_messages_of_a_pair_follow_each_other_and_no_others_do() {
        // Own sends and copies of a core are in order without `after`.
        let copy = |from, to| message(at(0, from), at(0, to), &[]);
        assert!(is_ordered(vec![copy(0, 8), copy(8, 16)]));
        assert!(is_ordered(vec![
            copy(0, 8),
            message(at(0, 8), at(1, 0), &[])
        ]));
        // Two messages of one pair to one place are; two of different sources are not.
        let from = |x| message(at(x, 0), at(1, 8), &[]);
        assert!(is_ordered(vec![from(0), from(0)]));
        assert!(!is_ordered(vec![from(0), from(2)]));
        // A receive is not in the order of the main list.
        assert!(!is_ordered(vec![
            from(0),
            message(at(1, 8), at(1, 16), &[])
        ]));
    }

    #[test]
    fn members_of_static_multicasts_get_their_bytes_in_the_order_of_the_file() {
        // The second root sends what it got from the first one, without `after`: both are in its main list.
        assert!(is_ordered(vec![
            multicast(at(0, 0), 8),
            multicast(at(1, 8), 16)
        ]));
        // A member that receives a message into the range in the meantime races with it.
        let message = message(at(2, 0), at(1, 8), &[]);
        assert!(!is_ordered(vec![multicast(at(0, 0), 8), message]));
    }

    #[test]
    fn nobody_leaves_a_static_multicast_before_the_root_has_begun_it() {
        let network = network();
        let schedule = Schedule {
            format: SCHEDULE_FORMAT,
            first: None,
            claims_rounds: false,
            algorithm: "test".to_owned(),
            parameters: BTreeMap::new(),
            collective: None,
            actions: vec![multicast(at(1, 0), 8)],
        };
        let order = Order::build(&network, &schedule, true, |waits| waits).unwrap();
        for (position, tile) in order.members(0).iter().enumerate() {
            let root = order.reached_from(order.enter(0, 1));
            let own = order.reached_from(order.enter(0, position));
            let end = order.finish(0, position);
            assert!(root(end) && own(end), "{tile:?}");
        }
        // The root goes on when it has written; it waits for nobody.
        let member = order.reached_from(order.enter(0, 0));
        assert!(!member(order.finish(0, 1)));
    }
}
