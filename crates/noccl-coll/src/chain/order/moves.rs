// SPDX-License-Identifier: Apache-2.0
//! Changes of an order, what they cost, and where they lead.

/// Costs of segments between vertices. Vertex 0 is the source, vertex v the destination v − 1.
#[derive(Debug, Clone)]
pub(super) struct Costs {
    /// Cost of a segment, by `from * vertices + to`.
    pub(super) segments: Vec<u32>,
    /// Cost of ending at a vertex.
    pub(super) tails: Vec<u32>,
}

impl Costs {
    pub(super) fn segment(&self, from: usize, to: usize) -> u32 {
        self.segments[from * self.tails.len() + to]
    }

    /// Cost of a whole order.
    pub(super) fn of(&self, order: &[usize]) -> u32 {
        let mut last = 0;
        let mut cost = 0;
        for destination in order {
            cost += self.segment(last, *destination);
            last = *destination;
        }
        cost + self.tails[last]
    }

    /// Cost that no order undercuts: a spanning tree and the nearest end.
    pub(super) fn lower_bound(&self) -> u32 {
        let num = self.tails.len();
        let mut far: Vec<u32> = (0..num).map(|v| self.segment(0, v)).collect();
        let mut is_in = vec![false; num];
        is_in[0] = true;
        let mut tree = 0;
        for _ in 1..num {
            let outside = (0..num).filter(|v| !is_in[*v]);
            let Some(next) = outside.min_by_key(|v| far[*v]) else {
                break;
            };
            tree += far[next];
            is_in[next] = true;
            for (v, distance) in far.iter_mut().enumerate() {
                *distance = (*distance).min(self.segment(next, v));
            }
        }
        // 0: a chain without destinations has no tail.
        tree + self.tails[1..].iter().min().copied().unwrap_or(0)
    }

    /// What a move adds to the cost of an order.
    pub(super) fn change(&self, order: &[usize], how: OrderMove) -> i32 {
        let (from, to) = how.part();
        let (head, tail) = (order[from], order[to - 1]);
        match how {
            OrderMove::Reverse { .. } => {
                let before = before(order, from);
                let old = self.onto(order, before, from) + self.onto(order, tail, to);
                self.segment(before, tail) as i32 + self.onto(order, head, to) - old
            }
            OrderMove::Shift {
                target,
                is_reversed,
                ..
            } => {
                let (head, tail) = if is_reversed {
                    (tail, head)
                } else {
                    (head, tail)
                };
                let before = before(order, target);
                let opened = self.segment(before, head) as i32 + self.onto(order, tail, target);
                self.closing(order, from, to) + opened - self.onto(order, before, target)
            }
        }
    }

    /// What taking a part out adds to the cost.
    pub(super) fn closing(&self, order: &[usize], from: usize, to: usize) -> i32 {
        let before = before(order, from);
        let old = self.onto(order, before, from) + self.onto(order, order[to - 1], to);
        self.onto(order, before, to) - old
    }

    /// Segment from a vertex to the destination at a position, or the end behind the last one.
    pub(super) fn onto(&self, order: &[usize], from: usize, at: usize) -> i32 {
        match order.get(at) {
            Some(destination) => self.segment(from, *destination) as i32,
            None => self.tails[from] as i32,
        }
    }
}

/// What stands before a position.
pub(super) fn before(order: &[usize], at: usize) -> usize {
    if at == 0 { 0 } else { order[at - 1] }
}

/// A change of an order; parts are `from..to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OrderMove {
    /// The part backwards.
    Reverse { from: usize, to: usize },
    /// The part to before what stands at `place`, outside of it.
    Shift {
        from: usize,
        to: usize,
        target: usize,
        is_reversed: bool,
    },
}

impl OrderMove {
    fn part(self) -> (usize, usize) {
        match self {
            OrderMove::Reverse { from, to } | OrderMove::Shift { from, to, .. } => (from, to),
        }
    }

    /// Positions next to which segments have changed, once the move is made.
    pub(super) fn seams(self) -> [usize; 3] {
        match self {
            OrderMove::Reverse { from, to } => [from, to, to],
            OrderMove::Shift {
                from, to, target, ..
            } if target < from => [target, target + to - from, to],
            OrderMove::Shift {
                from, to, target, ..
            } => [from, target - (to - from), target],
        }
    }

    pub(super) fn make(self, order: &mut [usize]) {
        match self {
            OrderMove::Reverse { from, to } => order[from..to].reverse(),
            OrderMove::Shift {
                from,
                to,
                target,
                is_reversed,
            } => {
                if is_reversed {
                    order[from..to].reverse();
                }
                if target < from {
                    order[target..to].rotate_right(to - from);
                } else {
                    order[from..target].rotate_left(to - from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments without any symmetry but that of a distance, and ends that all differ.
    fn costs(num: usize) -> Costs {
        let segment = |a: usize, b: usize| ((a * b * 7 + (a + b) * 13) % 31) as u32 + 1;
        Costs {
            segments: (0..num * num).map(|i| segment(i / num, i % num)).collect(),
            tails: (0..num).map(|v| (v * 5 % 11) as u32).collect(),
        }
    }

    fn all_moves(num: usize) -> Vec<OrderMove> {
        let mut moves = Vec::new();
        for from in 0..num {
            for to in from + 1..=num {
                moves.push(OrderMove::Reverse { from, to });
                for target in (0..from).chain(to + 1..=num) {
                    for is_reversed in [false, true] {
                        moves.push(OrderMove::Shift {
                            from,
                            to,
                            target,
                            is_reversed,
                        });
                    }
                }
            }
        }
        moves
    }

    #[test]
    fn a_move_costs_what_it_is_said_to_and_changes_segments_at_its_seams_only() {
        let order: Vec<usize> = vec![3, 1, 6, 2, 5, 4];
        let costs = costs(7);
        for how in all_moves(order.len()) {
            let mut moved = order.clone();
            how.make(&mut moved);
            let change = costs.of(&moved) as i32 - costs.of(&order) as i32;
            assert_eq!(costs.change(&order, how), change, "{how:?}");
            let segments = |order: &[usize]| -> Vec<[usize; 2]> {
                let whole: Vec<usize> = [&[0], order].concat();
                whole
                    .windows(2)
                    .map(|w| [w[0].min(w[1]), w[0].max(w[1])])
                    .collect()
            };
            let old = segments(&order);
            for (at, segment) in segments(&moved).iter().enumerate() {
                assert!(
                    old.contains(segment) || how.seams().contains(&at),
                    "{how:?} {at}"
                );
            }
        }
    }

    #[test]
    fn no_order_of_a_few_destinations_is_cheaper_than_the_lower_bound() {
        let costs = costs(4);
        let orders = [
            [1, 2, 3],
            [1, 3, 2],
            [2, 1, 3],
            [2, 3, 1],
            [3, 1, 2],
            [3, 2, 1],
        ];
        let cheapest = orders.iter().map(|o| costs.of(o)).min().unwrap();
        assert!((1..=cheapest).contains(&costs.lower_bound()));
    }
}
