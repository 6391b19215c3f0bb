// SPDX-License-Identifier: Apache-2.0
//! The numbers of a network, as hardware needs them: sizes in bits, address bits to pick, table sizes.

use crate::RtlError;
use noccl_net::capabilities::RouterCapabilities;
use noccl_net::deadlock::{BEATS_PER_CREDIT, Windows, merge_timeout_cycles, reduction_flows};
use noccl_net::{AxiNetwork, Network};
use noccl_spec::{AxiTiles, MAX_ADDRESS, Region, TileKindName, WideReductionKind};
use schemars::JsonSchema;
use serde::Serialize;

/// Numbers of one network. Widths are in bits, and at least 1, since hardware has no empty vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RtlConfig {
    /// Name of the network.
    pub network: String,
    /// Period of the clock, in picoseconds.
    pub clock_period_ps: u32,
    /// Columns of the mesh.
    pub mesh_width: u32,
    /// Rows of the mesh.
    pub mesh_height: u32,
    /// Bits of a column number.
    pub x_bits: u32,
    /// Bits of a row number.
    pub y_bits: u32,
    /// Column of the south-west cluster.
    pub region_x: u32,
    /// Row of the south-west cluster.
    pub region_y: u32,
    /// Columns of clusters.
    pub region_width: u32,
    /// Rows of clusters.
    pub region_height: u32,
    /// Bits of a column number among clusters, padded to a power of two.
    pub region_x_bits: u32,
    /// The same for rows.
    pub region_y_bits: u32,
    /// Data bits of a beat of the wide port.
    pub wide_bits: u32,
    /// Data bits of a beat of the narrow port.
    pub narrow_bits: u32,
    /// Slots of an input FIFO.
    pub input_fifo_flits: u32,
    /// Slots of an output FIFO.
    pub output_fifo_flits: u32,
    /// Cycles of a link of the request plane; each beyond the first is a register stage.
    pub req_link_cycles: u32,
    /// The same of the response plane.
    pub rsp_link_cycles: u32,
    /// The same of the wide plane.
    pub wide_link_cycles: u32,
    /// Bits of a transaction's name.
    pub tag_bits: u32,
    /// Bits of the number of a beat-wide line in the largest memory.
    pub line_bits: u32,
    /// Bits of a byte's number in the largest memory.
    pub offset_bits: u32,
    /// Bits of the number of beats of a burst that follow.
    pub burst_bits: u32,
    /// Bits of a number of leaves, from none to all clusters.
    pub count_bits: u32,
    /// Bits of an address.
    pub addr_bits: u32,
    /// Regions of the address map, in the order of the spec.
    pub regions: Vec<AddressRegion>,
    /// Which of them holds the clusters.
    pub cluster_region: u32,
    /// Entries of a merge table.
    pub merge_entries: u32,
    /// Cycles from a contribution at the head of a FIFO to its request.
    pub merge_cycles: u32,
    /// Cycles without another contribution of its transaction after which an entry of a full table leaves.
    pub merge_timeout_cycles: u32,
    /// Wide reductions that pass a router at a time.
    pub reduction_flows: u32,
    /// Beats of operands that a tile's store holds.
    pub store_beats: u32,
    /// Beats in flight to a neighbouring merge point.
    pub window_beats: u32,
    /// More of them for each further hop.
    pub window_beats_per_hop: u32,
    /// Beats in flight to the farthest merge point.
    pub max_window_beats: u32,
    /// Beats of a credit batch.
    pub credit_beats: u32,
    /// Operands that the reduction unit takes per cycle.
    pub reduction_operands: u32,
    /// Register stages between router and arithmetic, both directions together.
    pub cut_cycles: u32,
    /// Cycles of an addition of 64, 32, 16 and 8 bits.
    pub add_cycles: [u32; 4],
    /// Write channels of the wide port: transfers that the DMA engine works on at a time.
    pub wide_channels: u32,
    /// Bits of an id of one write channel.
    pub wide_id_bits: u32,
    /// Bits of an id of the wide read port.
    pub read_id_bits: u32,
    /// Bits of an id of the narrow port.
    pub narrow_id_bits: u32,
    /// Wide bursts that one NI may have outstanding.
    pub max_wide_outstanding: u32,
    /// Narrow transactions that one NI may have outstanding.
    pub max_narrow_outstanding: u32,
    /// Reductions that may be open at one endpoint.
    pub max_open_reductions: u32,
    /// Bursts never cross a multiple of this.
    pub burst_boundary_bytes: u32,
    /// Beats that the DMA engine holds between its two sides.
    pub dma_buffer_beats: u32,
}

/// A region of the address map: an address in it is, from the top, base, bits of x, bits of y, offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddressRegion {
    /// First address.
    pub base: u64,
    /// Bits of the offset within a tile.
    pub offset_bits: u32,
    /// Bits of the row.
    pub y_bits: u32,
    /// Bits of the column.
    pub x_bits: u32,
    /// Column of the south-west tile.
    pub x: u32,
    /// Row of the south-west tile.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bytes of memory per tile; beyond, nothing responds.
    pub memory_bytes: u32,
}

/// Bytes of a wide beat of the modules.
const BEAT_BYTES: u32 = 64;

/// Bits of a unit of the compute slice.
const LANE_BITS: u32 = 64;

/// Bits that tell `count` things apart; 0 for one thing.
pub(crate) const fn bits(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// As [`bits`], for a vector.
fn vector_bits(count: u32) -> u32 {
    bits(u64::from(count)).max(1)
}

/// Period of a clock.
pub(crate) fn clock_period_ps(clock_ghz: f64) -> u32 {
    (1000.0 / clock_ghz).round() as u32
}

/// Operands that a reduction unit takes per cycle.
const fn operands(kind: WideReductionKind) -> u32 {
    match kind {
        WideReductionKind::TwoOperand => 2,
        WideReductionKind::ThreeOperand => 3,
    }
}

impl RtlConfig {
    /// Words of a bank of a tile's operand store: `noccl_collective_pkg::STORE_WORDS`.
    #[must_use]
    pub const fn operand_bank_words(&self) -> u64 {
        self.reduction_flows.next_power_of_two() as u64 * self.max_window_beats as u64
    }

    /// Bytes of the five banks of a tile's operand store.
    #[must_use]
    pub const fn operand_store_bytes(&self) -> u64 {
        5 * self.operand_bank_words() * self.wide_bits as u64 / 8
    }

    /// Numbers of a network.
    ///
    /// # Errors
    /// [`RtlError::Refused`] with the field that asks for something without hardware.
    pub fn new(network: &Network) -> Result<Self, RtlError> {
        let network = implemented(network)?;
        let axi = network.axi();
        let spec = network.spec();
        let (ni, wide) = (&axi.ni, &axi.router.wide_reduction);
        let (columns, rows) = network.padded_clusters();
        let regions: Vec<_> = (spec.mesh.regions.iter())
            .map(|region| address_region(axi, region))
            .collect::<Result<_, _>>()?;
        let is_cluster = |r: &Region| r.kind == TileKindName::Cluster;
        let cluster_region = spec
            .mesh
            .regions
            .iter()
            .position(is_cluster)
            .ok_or_else(|| {
                refused(
                    "mesh.regions",
                    "no cluster".to_owned(),
                    "a region of clusters",
                )
            })?;
        let used = |kind| spec.mesh.regions.iter().any(|r| r.kind == kind);
        let memories = [
            (TileKindName::Cluster, axi.cluster.l1_bytes),
            (TileKindName::Memory, axi.memory.bytes),
        ];
        let largest = memories.iter().filter(|(kind, _)| used(*kind)).map(|m| m.1);
        let largest_bytes = largest.max().unwrap_or(1);
        let wide_channels = axi.cluster.dma.max_transfers;
        let wide_id_bits = vector_bits(ni.max_wide_outstanding.div_ceil(wide_channels));
        let read_id_bits = vector_bits(ni.max_wide_outstanding);
        let narrow_id_bits = vector_bits(ni.max_narrow_outstanding);
        let write_tag_bits = bits(u64::from(wide_channels)) + wide_id_bits;
        Ok(Self {
            network: spec.label(),
            clock_period_ps: clock_period_ps(spec.clock_ghz),
            mesh_width: spec.mesh.width,
            mesh_height: spec.mesh.height,
            x_bits: vector_bits(spec.mesh.width),
            y_bits: vector_bits(spec.mesh.height),
            region_x: network.cluster_origin().x.into(),
            region_y: network.cluster_origin().y.into(),
            region_width: network.cluster_width().into(),
            region_height: network.cluster_height().into(),
            region_x_bits: vector_bits(columns),
            region_y_bits: vector_bits(rows),
            wide_bits: 8 * ni.wide_beat_bytes,
            narrow_bits: 8 * ni.narrow_beat_bytes,
            input_fifo_flits: axi.router.input_fifo_flits,
            output_fifo_flits: axi.router.output_fifo_flits,
            req_link_cycles: axi.router.link_cycles.req,
            rsp_link_cycles: axi.router.link_cycles.rsp,
            wide_link_cycles: axi.router.link_cycles.wide,
            // Twice as many names as an NI has transactions, so that one can be named anew while its
            // response is in flight.
            tag_bits: 1 + write_tag_bits.max(read_id_bits).max(narrow_id_bits),
            line_bits: bits(largest_bytes / u64::from(ni.wide_beat_bytes)).max(1),
            offset_bits: bits(largest_bytes).max(1),
            burst_bits: vector_bits(ni.max_burst_beats),
            count_bits: bits(u64::from(columns) * u64::from(rows)) + 1,
            addr_bits: bits(MAX_ADDRESS),
            regions,
            cluster_region: cluster_region as u32,
            merge_entries: axi.router.merge_table_entries,
            merge_cycles: axi.router.merge_cycles,
            merge_timeout_cycles: merge_timeout_cycles(network),
            reduction_flows: reduction_flows(network),
            store_beats: wide.store_beats,
            window_beats: wide.window_beats,
            window_beats_per_hop: Windows::BEATS_PER_HOP,
            max_window_beats: Windows::of(network).most,
            credit_beats: BEATS_PER_CREDIT,
            reduction_operands: operands(wide.kind),
            cut_cycles: wide.cut_cycles,
            add_cycles: [
                axi.cluster.fpu.bits64_cycles,
                axi.cluster.fpu.bits32_cycles,
                axi.cluster.fpu.bits16_cycles,
                axi.cluster.fpu.bits8_cycles,
            ],
            wide_channels,
            wide_id_bits,
            read_id_bits,
            narrow_id_bits,
            max_wide_outstanding: ni.max_wide_outstanding,
            max_narrow_outstanding: ni.max_narrow_outstanding,
            max_open_reductions: ni.max_open_reductions,
            burst_boundary_bytes: ni.burst_boundary_bytes,
            dma_buffer_beats: axi.cluster.dma.buffer_beats,
        })
    }
}

/// The tables of a network that the modules implement; refuses what the spec allows and they do not.
fn implemented(network: &Network) -> Result<AxiNetwork<'_>, RtlError> {
    let spec = network.spec();
    let axi = network.as_axi();
    let routers = match axi {
        Some(axi) => RouterCapabilities::of(axi.axi().router.flow),
        None => network.routers(),
    };
    match (routers.no_hardware, axi) {
        (None, Some(axi)) => refuse(axi.axi()).map(|()| axi),
        (reason, _) => Err(refused(
            "router.flow",
            format!("{:?}", spec.flow_name()),
            &format!(
                "\"non_blocking\" ({})",
                reason.unwrap_or("tiles without AXI")
            ),
        )),
    }
}

fn refused(field: &str, found: String, accepted: &str) -> RtlError {
    RtlError::Refused {
        field: field.to_owned(),
        found,
        accepted: format!("accepted: {accepted}"),
    }
}

/// Refuses fields of routers that have hardware.
fn refuse(axi: &AxiTiles) -> Result<(), RtlError> {
    let refused = |field: &str, found, accepted: &str| Err(refused(field, found, accepted));
    if axi.router.bypass.is_some() {
        let accepted = "no such table (routers that flits pass in flight have no RTL yet)";
        return refused("router.bypass", "a table".to_owned(), accepted);
    }
    let beat = axi.ni.wide_beat_bytes;
    if beat != BEAT_BYTES {
        let accepted = "64 (lines, operand stores and units of the modules have 64 bytes)";
        return refused("ni.wide_beat_bytes", beat.to_string(), accepted);
    }
    let wide = &axi.router.wide_reduction;
    let lanes = 8 * axi.ni.wide_beat_bytes / LANE_BITS;
    if axi.cluster.num_cores < lanes {
        let accepted =
            format!("at least {lanes} (a unit of 64 bits per core reduces a whole beat)");
        let found = axi.cluster.num_cores.to_string();
        return refused("cluster.num_cores", found, &accepted);
    }
    let (fpu, ni) = (&axi.cluster.fpu, &axi.ni);
    let pipeline = "the depth of the compute slice's pipeline";
    let exact = |name: &'static str, found, accepted, why| (name, found, accepted..=accepted, why);
    for (field, found, accepted, why) in [
        exact("cluster.fpu.bits64_cycles", fpu.bits64_cycles, 3, pipeline),
        exact("cluster.fpu.bits32_cycles", fpu.bits32_cycles, 2, pipeline),
        exact("cluster.fpu.bits16_cycles", fpu.bits16_cycles, 1, pipeline),
        exact("cluster.fpu.bits8_cycles", fpu.bits8_cycles, 1, pipeline),
        exact(
            "router.wide_reduction.cut_cycles",
            wide.cut_cycles,
            2,
            "write and read of the operand banks",
        ),
        (
            "router.wide_reduction.window_beats",
            wide.window_beats,
            BEATS_PER_CREDIT + 1..=u32::MAX,
            "credits are returned four beats at a time",
        ),
        (
            "router.merge_table_entries",
            axi.router.merge_table_entries,
            2..=u32::MAX,
            "a table has slots to choose from",
        ),
        (
            "cluster.dma.buffer_beats",
            axi.cluster.dma.buffer_beats,
            ni.max_burst_beats.next_power_of_two()..=u32::MAX,
            "the buffer holds a burst",
        ),
    ] {
        if !accepted.contains(&found) {
            let (least, most) = (accepted.start(), accepted.end());
            let limit = if least == most {
                format!("{least} ({why})")
            } else {
                format!("at least {least} ({why})")
            };
            return refused(field, found.to_string(), &limit);
        }
    }
    let channels = axi.cluster.dma.max_transfers;
    if channels < 2 || !channels.is_power_of_two() {
        let accepted = "a power of two, at least 2 (channels are told apart by bits of a tag)";
        return refused("cluster.dma.max_transfers", channels.to_string(), accepted);
    }
    Ok(())
}

fn address_region(axi: &AxiTiles, region: &Region) -> Result<AddressRegion, RtlError> {
    let (field, bytes) = match region.kind {
        TileKindName::Cluster => ("cluster.l1_bytes", axi.cluster.l1_bytes),
        TileKindName::Memory => ("memory.bytes", axi.memory.bytes),
    };
    let memory_bytes = u32::try_from(bytes).map_err(|_| RtlError::Refused {
        field: field.to_owned(),
        found: bytes.to_string(),
        accepted: format!("accepted: at most {}", u32::MAX),
    })?;
    Ok(AddressRegion {
        base: region.base_address,
        offset_bits: region.stride_bytes.trailing_zeros(),
        y_bits: bits(u64::from(region.height)),
        x_bits: bits(u64::from(region.width)),
        x: region.x,
        y: region.y,
        width: region.width,
        height: region.height,
        memory_bytes,
    })
}
