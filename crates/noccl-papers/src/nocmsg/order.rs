// SPDX-License-Identifier: Apache-2.0
//! S4's claims 6 to 8: how its broadcast grows, and where it stands among its collectives.

use super::collectives::{ALL_REDUCE, ALL_TO_ALL, BARRIER, BROADCAST, REDUCE};
use super::machine::{LARGEST, Layer, PACKET, SIDES, cycles, schedule};
use crate::statistics::Outcomes;
use noccl_coll::Choice;
use noccl_net::Network;
use noccl_studies::Error;
use noccl_studies::parts::{Runner, typed};
use noccl_workload::{Action, ActionId, CollectiveKind, ElementType, Schedule};

/// S4's two accounts of a hop on the UDN: cycles of a hop, and of a corner besides.
const ACCOUNTS: [(&str, &str, &str); 2] = [("7-hop-1-1", "1", "1"), ("7-hop-2-0", "2", "0")];

pub(super) fn claims(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    growth(runner, out)?;
    for (id, hop, corner) in ACCOUNTS {
        let fields = [
            ("router.udn.hop_cycles", hop),
            ("router.udn.turn_cycles", corner),
        ];
        fastest(runner, (id, &fields), false, out)?;
    }
    fastest(runner, ("7-synchronised", &[]), true, out)?;
    on_the_dynamic_network(runner, out)
}

/// S4's broadcast, behind its barrier or alone.
fn broadcast(runner: Runner<'_>, network: &Network, is_synchronised: bool) -> Result<u64, Error> {
    let alone = schedule(network, BROADCAST.kind, PACKET, BROADCAST.ours)?;
    if !is_synchronised {
        return Ok(runner.run(network, &alone)?.cycles);
    }
    let barrier = schedule(network, BARRIER.kind, 0, BARRIER.ours)?;
    Ok(runner.run(network, &behind(barrier, alone))?.cycles)
}

/// A schedule whose every action waits, at each core, for that core's part of another schedule.
fn behind(first: Schedule, then: Schedule) -> Schedule {
    let shift = first.actions.len() as u32;
    let before: Vec<ActionId> = (0..shift).map(ActionId).collect();
    let mut both = first;
    both.collective = None;
    both.actions.extend(then.actions.into_iter().map(|action| {
        let own = action.after.iter().map(|id| ActionId(id.0 + shift));
        let after = before.iter().copied().chain(own).collect();
        Action {
            kind: action.kind,
            after,
        }
    }));
    both
}

/// Claim 6.
fn growth(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, is_synchronised) in [("6-alone", false), ("6-synchronised", true)] {
        let at = |side: u16| broadcast(runner, &Layer::Polling.square(side)?, is_synchronised);
        let (least, most) = (at(SIDES[0])?, at(LARGEST)?);
        let mut detail = format!("{least} cycles on 2×2, {most} on 7×7");
        if !is_synchronised {
            let [least, most] = [SIDES[0], LARGEST].map(|side| with_own_copy(runner, side));
            detail += &format!(
                "; {} and {} by `noccl compare multicast --bytes {PACKET} --algorithms {}` on `tilepro64_2x2` and `tilepro64_7x7`, where the root has a second buffer and copies to it too",
                least?, most?, BROADCAST.ours
            );
        }
        out.put(id, most as f64 / least as f64, &detail);
    }
    Ok(())
}

/// S4's broadcast as `noccl compare` has it: an input and an output, which the root copies to as well. S4's, as MPI's, has one buffer.
fn with_own_copy(runner: Runner<'_>, side: u16) -> Result<u64, Error> {
    let network = Layer::Polling.square(side)?;
    let both = typed(&network, BROADCAST.kind, "all", PACKET, ElementType::Int32)?;
    let choice: Choice = BROADCAST.ours.parse()?;
    runner.collective_cycles(&network, &both, choice)
}

/// Claim 7: squares on which it is the fastest of S4's collectives.
fn fastest(
    runner: Runner<'_>,
    (id, fields): (&str, &[(&str, &str)]),
    is_synchronised: bool,
    out: &mut Outcomes,
) -> Result<(), Error> {
    let (mut count, mut words) = (0, String::new());
    for side in SIDES {
        let network = Layer::Polling.mesh((side, side), fields)?;
        let own = broadcast(runner, &network, is_synchronised)?;
        let others = [ALL_TO_ALL, REDUCE, ALL_REDUCE, BARRIER]
            .map(|case| cycles(runner, &network, case.kind, case.bytes, case.ours));
        let others: Vec<u64> = others.into_iter().collect::<Result<_, Error>>()?;
        count += usize::from(others.iter().all(|other| own < *other));
        if [SIDES[0], LARGEST].contains(&side) {
            let [all_to_all, reduce, all_reduce, barrier] = others[..] else {
                continue;
            };
            words += &format!(
                "{}cycles on {side}×{side}: Broadcast {own}, Barrier {barrier}, Reduce {reduce}, Allreduce {all_reduce}, Alltoall {all_to_all}",
                if words.is_empty() { "" } else { "; " }
            );
        }
    }
    out.put(id, count as f64, &words);
    Ok(())
}

/// Claim 8.
fn on_the_dynamic_network(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let network = Layer::Polling.square(LARGEST)?;
    let barrier = cycles(runner, &network, CollectiveKind::Barrier, 0, BARRIER.ours)?;
    let tree = cycles(runner, &network, BROADCAST.kind, PACKET, "tree")?;
    let word = cycles(runner, &network, BROADCAST.kind, 4, "tree")?;
    let detail = format!(
        "binomial tree {tree} cycles with 128 bytes, {word} with 4; barrier {barrier} on 7×7"
    );
    out.put("8-ratio", tree as f64 / barrier as f64, &detail);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::machine::quietly;
    use super::*;
    use noccl_studies::{CompareRequest, Watch, compare, parse_group};

    #[test]
    fn a_broadcast_with_a_second_buffer_takes_what_the_comparison_says() {
        let network = Layer::Polling.square(3).unwrap();
        let group = parse_group(&network, "all").unwrap();
        let mut request = CompareRequest::new(BROADCAST.kind, group, vec![PACKET]);
        let choice = BROADCAST.ours.parse().unwrap();
        request.algorithms = vec![noccl_studies::AlgorithmRequest::Fixed(choice)];
        let compared = compare(&network, &request, Watch::quiet()).unwrap().rows[0].cycles;
        let (both, one) = quietly(|runner| {
            let one = broadcast(runner, &network, false).unwrap();
            (with_own_copy(runner, 3).unwrap(), one)
        });
        assert_eq!(both, compared);
        assert!(one < both, "{one} {both}");
    }
}
