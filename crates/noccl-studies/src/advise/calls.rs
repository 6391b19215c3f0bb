// SPDX-License-Identifier: Apache-2.0
//! What a workload calls on one mesh: the payload of each call, and into how many parts a long one is cut.

use super::workload::{AdviceStep, AdviceWorkload, Called, HALO, MOST_CALLS};
use crate::{CompareRequest, Error, parse_group};
use noccl_net::{Coord, Network, TileRef};
use noccl_workload::{
    ChunkRef, CollectiveKind, Definition, ElementType, InputChunks, Lengths, Operator, Want,
};

/// Inputs of a call in a cluster, and as many outputs: a longer payload is cut. Both together are half of the smallest memory that the
/// compared clusters have; the other half is for the slots of algorithms.
pub(super) const CALL_BYTES: u64 = 32 << 10;
/// Blocks end with beats.
const BEAT_BYTES: u64 = 64;
/// Borders of a cluster: east, west, north, south.
const BORDERS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// A call, so many times.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WorkloadCall {
    /// What it is for.
    pub(super) step: String,
    pub(super) called: Called,
    /// Payload of one part, as `noccl compare --bytes` takes it.
    pub(super) bytes: u64,
    /// Calls of the workload times parts.
    pub(super) count: u64,
    pub(super) element: ElementType,
    pub(super) operator: Operator,
    pub(super) group: String,
}

impl WorkloadCall {
    /// Name of its collective.
    pub(super) const fn kind_name(&self) -> &'static str {
        match self.called {
            Called::Halo => HALO,
            Called::Collective(kind) => kind.name(),
        }
    }

    /// In words: `all_reduce of 8 KiB`.
    pub(super) fn name(&self) -> String {
        self.name_as(self.kind_name())
    }

    /// The same of a collective that it is composed of.
    pub(super) fn name_as(&self, kind: &str) -> String {
        match self.bytes {
            0 => kind.to_owned(),
            bytes => format!("{kind} of {}", crate::format_bytes(bytes)),
        }
    }

    /// Does each of its members have a message for each other one? Then planning and simulation take seconds on a large mesh.
    pub(super) fn is_exchange(&self) -> bool {
        match self.called {
            Called::Halo => false,
            Called::Collective(kind) => kind.has_blocks(),
        }
    }

    /// The same with another payload.
    pub(super) fn with_bytes(&self, bytes: u64) -> Self {
        Self {
            bytes,
            ..self.clone()
        }
    }
}

/// Microseconds that a workload computes, the same for all mechanisms.
pub(super) fn compute_us(workload: &AdviceWorkload, num_clusters: u64) -> f64 {
    let over = |amount: Option<f64>, rate: Option<f64>| match amount.zip(rate) {
        Some((amount, rate)) => amount / rate,
        None => 0.0,
    };
    let rate = workload.flops_per_cluster_cycle;
    let flops_per_cycle = rate.map(|rate| rate * num_clusters as f64);
    let cycles = workload.step.iter().map(|step| {
        let flops = over(step.flops, flops_per_cycle);
        let memory = over(step.memory_bytes, workload.memory_bytes_per_cycle);
        step.count as f64 * flops.max(memory)
    });
    cycles.sum::<f64>() / super::CYCLES_PER_US
}

/// The calls of a workload on a mesh, in the order of its steps.
pub(super) fn calls(
    workload: &AdviceWorkload,
    network: &Network,
) -> Result<Vec<WorkloadCall>, Error> {
    let mut out = Vec::new();
    for step in &workload.step {
        if let Some(called) = step.called()? {
            out.push(call(step, called, network)?);
        }
    }
    Ok(out)
}

fn call(step: &AdviceStep, called: Called, network: &Network) -> Result<WorkloadCall, Error> {
    let group = step.group.as_deref().unwrap_or("all");
    let ranks = network.members(&parse_group(network, group)?)?.len() as u64;
    let element = step.element.unwrap_or(ElementType::Fp64);
    let sides = [network.cluster_width(), network.cluster_height()];
    let whole = match (step.bytes, step.total_bytes) {
        (Some(bytes), _) => bytes,
        (None, Some(total)) => {
            let parts = match called {
                Called::Halo => u64::from(sides[0].min(sides[1])),
                Called::Collective(CollectiveKind::AllToAll) => ranks * ranks,
                Called::Collective(_) => ranks,
            };
            total.div_ceil(parts).next_multiple_of(BEAT_BYTES)
        }
        // A barrier.
        (None, None) => 0,
    };
    let blocks = match called {
        Called::Halo => BORDERS.len() as u64,
        Called::Collective(kind) if is_of_blocks(kind) => ranks,
        Called::Collective(_) => 1,
    };
    let most = (CALL_BYTES / blocks / BEAT_BYTES * BEAT_BYTES).max(BEAT_BYTES);
    let parts = whole.div_ceil(most).max(1);
    let bytes = if parts == 1 {
        whole
    } else {
        whole.div_ceil(parts).next_multiple_of(BEAT_BYTES)
    };
    let count = step.count.saturating_mul(parts);
    if count > MOST_CALLS {
        let found = format!("{}: {count} calls of {bytes} bytes", step.name);
        let accepted = format!("accepted: at most {MOST_CALLS} calls, a long payload cut");
        return Err(Error::argument("--workload", found, accepted));
    }
    Ok(WorkloadCall {
        step: step.name.clone(),
        called,
        bytes,
        count,
        element,
        operator: step.operator.unwrap_or(Operator::Sum),
        group: group.to_owned(),
    })
}

/// Has an input or output a block for each member?
pub(super) fn is_of_blocks(kind: CollectiveKind) -> bool {
    kind.has_blocks() || kind.gives_blocks() || kind == CollectiveKind::Gather
}

/// The request of a call on a network; `kind` where the call is composed of other collectives. `element` may be another one of the
/// same size.
pub(super) fn request(
    network: &Network,
    call: &WorkloadCall,
    kind: Option<CollectiveKind>,
    element: ElementType,
) -> Result<CompareRequest, Error> {
    let group = parse_group(network, &call.group)?;
    let kind = match (kind, call.called) {
        (Some(kind), _) | (None, Called::Collective(kind)) => kind,
        (None, Called::Halo) => return Ok(halo_request(network, call.bytes, group)),
    };
    let mut request = CompareRequest::new(kind, group, vec![call.bytes]);
    if kind == CollectiveKind::Multicast {
        // From a cluster on all networks: not all have memory tiles.
        let first = network.members(&request.group)?.first().copied();
        request.root = first.map(TileRef::Cluster);
    }
    if kind.reduces() {
        request.element = element;
        request.operator = call.operator;
    }
    Ok(request)
}

/// Borders to the neighbours: a custom collective; on core tiles, which have none, an all-to-all of blocks that are mostly empty.
fn halo_request(network: &Network, bytes: u64, group: noccl_net::TileSet) -> CompareRequest {
    if network.routers().carries_words() {
        return CompareRequest {
            lengths: Some(halo_lengths(network, bytes)),
            ..CompareRequest::new(CollectiveKind::AllToAll, group, vec![bytes])
        };
    }
    CompareRequest {
        definition: Some(Box::new(halo_definition(network))),
        ..CompareRequest::new(CollectiveKind::Custom, group, vec![bytes])
    }
}

/// Every rank wants of each neighbour the border that faces it.
pub(super) fn halo_definition(network: &Network) -> Definition {
    let wants = |at: Coord| {
        let faced = [1, 0, 3, 2];
        let neighbours = BORDERS.into_iter().zip(faced);
        neighbours
            .filter_map(|(step, chunk)| {
                let rank = rank_of(network, neighbour(network, at, step)?);
                Some(Want::Copy(ChunkRef { rank, chunk }))
            })
            .collect()
    };
    Definition {
        name: HALO.to_owned(),
        inputs: InputChunks::Each(BORDERS.len() as u32),
        outputs: ranks(network).map(wants).collect(),
    }
}

/// The same as bytes from each rank to each.
pub(super) fn halo_lengths(network: &Network, bytes: u64) -> Lengths {
    let num_ranks = ranks(network).count();
    let row = |at: Coord| {
        let mut row = vec![0; num_ranks];
        for to in BORDERS
            .into_iter()
            .filter_map(|step| neighbour(network, at, step))
        {
            row[rank_of(network, to) as usize] = bytes;
        }
        row
    };
    Lengths {
        sends: ranks(network).map(row).collect(),
        receives: Vec::new(),
    }
}

/// Clusters in the order of ranks: along the columns.
fn ranks(network: &Network) -> impl Iterator<Item = Coord> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    (0..width).flat_map(move |x| (0..height).map(move |y| Coord::new(x, y)))
}

fn rank_of(network: &Network, at: Coord) -> u32 {
    u32::from(at.x) * u32::from(network.cluster_height()) + u32::from(at.y)
}

fn neighbour(network: &Network, at: Coord, (dx, dy): (i32, i32)) -> Option<Coord> {
    let x = u16::try_from(i32::from(at.x) + dx).ok()?;
    let y = u16::try_from(i32::from(at.y) + dy).ok()?;
    let is_inside = x < network.cluster_width() && y < network.cluster_height();
    is_inside.then(|| Coord::new(x, y))
}

#[cfg(test)]
mod tests {
    use super::super::parse_workload;
    use super::*;

    fn calls_of(step: &str, preset: &str) -> Vec<WorkloadCall> {
        let head =
            "format = 1\nname = \"n\"\nabout = \"a\"\nsource = \"s\"\n[[step]]\nname = \"x\"\n";
        let workload = parse_workload("w", &format!("{head}{step}")).unwrap();
        let network = crate::load(preset, &[]).unwrap().network;
        calls(&workload, &network).unwrap()
    }

    #[test]
    fn totals_are_divided_among_the_members_and_long_payloads_cut() {
        for (step, preset, bytes, count) in [
            (
                "collective = \"all_reduce\"\ncount = 3\nbytes = 8",
                "collective_noc_4x4",
                8,
                3,
            ),
            (
                "collective = \"all_reduce\"\ncount = 3\nbytes = 4194304",
                "collective_noc_4x4",
                CALL_BYTES,
                3 * 128,
            ),
            (
                "collective = \"all_to_all\"\ncount = 1\ntotal_bytes = 8388608",
                "collective_noc_16x16",
                128,
                1,
            ),
            (
                "collective = \"all_to_all\"\ncount = 1\ntotal_bytes = 8388608",
                "collective_noc_4x4",
                2048,
                16,
            ),
            (
                "collective = \"all_gather\"\ncount = 1\ntotal_bytes = 16000",
                "collective_noc_4x4",
                1024,
                1,
            ),
            (
                "collective = \"all_gather\"\ncount = 1\ntotal_bytes = 4096\ngroup = \"row\"",
                "collective_noc_4x4",
                1024,
                1,
            ),
            (
                "collective = \"halo\"\ncount = 2\ntotal_bytes = 32000",
                "collective_noc_16x16",
                2048,
                2,
            ),
            (
                "collective = \"halo\"\ncount = 2\nbytes = 100",
                "collective_noc_16x16",
                100,
                2,
            ),
            (
                "collective = \"barrier\"\ncount = 9",
                "collective_noc_4x4",
                0,
                9,
            ),
        ] {
            let found = calls_of(step, preset);
            assert_eq!((found[0].bytes, found[0].count), (bytes, count), "{step}");
        }
    }

    #[test]
    fn neighbours_want_what_the_others_send() {
        let network = crate::load("collective_noc_4x4", &[]).unwrap().network;
        let definition = halo_definition(&network);
        let lengths = halo_lengths(&network, 5);
        for (rank, wants) in definition.outputs.iter().enumerate() {
            let others: Vec<usize> = wants
                .iter()
                .flat_map(|want| want.operands(16))
                .map(|chunk| chunk.rank as usize)
                .collect();
            assert!((2..=4).contains(&others.len()), "{others:?}");
            let at = |rank: usize| Coord::new(rank as u16 / 4, rank as u16 % 4);
            for chunk in wants.iter().flat_map(|want| want.operands(16)) {
                let border = BORDERS[chunk.chunk as usize];
                let faced = neighbour(&network, at(chunk.rank as usize), border);
                assert_eq!(faced, Some(at(rank)), "{chunk:?}");
            }
            for other in &others {
                assert_eq!(lengths.sends[*other][rank], 5);
            }
            let sent = lengths.sends[rank].iter().filter(|bytes| **bytes > 0);
            assert_eq!(sent.count(), others.len());
        }
    }
}
