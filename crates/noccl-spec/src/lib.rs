// SPDX-License-Identifier: Apache-2.0
//! What a user writes about a network: inert data, units in the names, no derived field.
//!
//! Without this crate the description of a mesh would be spread over the simulator, the models and
//! the RTL. Everything physical (depths, latencies, widths) is stated here once and has no default:
//! a user starts from a preset and changes it. Rules that need geometry (alignment, reachability)
//! belong to elaboration in `noccl-net`; here only the form is checked.
//!
//! Source of the shape: S1 §2.1–2.2 and §3.2.2; the unpublished depths and path lengths are stated
//! in `docs/papers/S1.md`.

mod base;
mod error;
mod esp;
mod files;
mod instruction_costs;
mod mesh;
mod parse;
mod presets;
mod ranges;
mod router;
mod tile;
mod tiles;
mod timing;
mod torrent;
mod validate;

pub use base::toml_message;
pub use error::{OutOfRange, SpecError};
pub use esp::{EspEndpoint, EspRouter};
pub use instruction_costs::{INSTRUCTION_COSTS, instruction_costs_text};
pub use mesh::{Mesh, Plane, PlaneName, Region, TileKindName};
pub use parse::nearest;
pub use parse::{override_value, parse_spec, schema, to_toml};
pub use presets::old_names;
pub use presets::{PRESET_NAMES, preset_text};
pub use ranges::{FieldRange, Form, MAX_ADDRESS, Number, ranges};
pub use router::{
    BEATS_PER_CREDIT, LinkCycles, Router, RouterBypass, RouterFlow, SmartMergeScope,
    SmartMulticast, SmartPriority, SmartReduction, SmartRouter, SmartTree, VariantField,
    WideReduction, WideReductionKind,
};
pub use tile::{Cluster, CoreInstructions, DmaEngine, FpuLatency, MemoryTile, NetworkInterface};
pub use tiles::{
    AxiTiles, Core, CoreFlow, CoreRouters, CoreTiles, DrainRule, FlowControl, StaticNetwork, Tiles,
    UNIT_HEAD_WORDS, UdnRouter, WORD_BYTES,
};
pub use timing::EnergyTable;
pub use torrent::{
    EndpointCycles, TorrentAcknowledgement, TorrentDispatch, TorrentEndpoint, TorrentMode,
};
pub use validate::{validate, warnings};

/// Version of the spec format this library reads and writes.
pub const SPEC_FORMAT: u32 = 1;

/// The description of one network on chip, as its user writes it. Files have the tables of its kind of tiles beside these fields
/// and no others.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// Name of the network, used in reports and file names.
    pub name: String,
    /// Clock of the network and its endpoints in GHz, 0.001 to 100; 1 if left out, which is S1's. Runs count cycles; this
    /// gives their times.
    pub clock_ghz: f64,
    /// Size of the mesh and what stands on it.
    pub mesh: Mesh,
    /// What the tiles are, and the routers between them.
    pub tiles: Tiles,
    /// Fields that the user has set beside the file, as dotted paths with values; no part of a file.
    pub overrides: Vec<(String, String)>,
}

impl Spec {
    /// Name of the network with what was set beside its file, as the command line takes both:
    /// `collective_noc_4x4 -P router.merge_cycles=3`. Results bear it.
    #[must_use]
    pub fn label(&self) -> String {
        let settings = self.overrides.iter();
        let words = settings.map(|(key, value)| format!(" -P {key}={value}"));
        words.fold(self.name.clone(), |label, word| label + &word)
    }

    /// Clusters and memories with network interfaces, if the tiles are such.
    #[must_use]
    #[inline]
    pub const fn axi(&self) -> Option<&AxiTiles> {
        match &self.tiles {
            Tiles::Axi(axi) => Some(axi),
            Tiles::Cores(_) => None,
        }
    }

    /// The same, to be changed.
    #[inline]
    pub const fn axi_mut(&mut self) -> Option<&mut AxiTiles> {
        match &mut self.tiles {
            Tiles::Axi(axi) => Some(axi),
            Tiles::Cores(_) => None,
        }
    }

    /// Core tiles, if the tiles are such.
    #[must_use]
    #[inline]
    pub const fn cores(&self) -> Option<&CoreTiles> {
        match &self.tiles {
            Tiles::Axi(_) => None,
            Tiles::Cores(cores) => Some(cores),
        }
    }

    /// The same, to be changed.
    #[inline]
    pub const fn cores_mut(&mut self) -> Option<&mut CoreTiles> {
        match &mut self.tiles {
            Tiles::Axi(_) => None,
            Tiles::Cores(cores) => Some(cores),
        }
    }

    /// Fields that choose among the variants of the routers ([`RouterFlow::variants`]).
    #[must_use]
    pub fn variants(&self) -> &'static [VariantField] {
        match &self.tiles {
            Tiles::Axi(axi) => axi.router.flow.variants(),
            Tiles::Cores(_) => CoreTiles::VARIANTS,
        }
    }

    /// Name of the routers' kind in files (`router.flow`).
    #[must_use]
    pub fn flow_name(&self) -> &'static str {
        match &self.tiles {
            Tiles::Axi(axi) => axi.router.flow.name(),
            Tiles::Cores(cores) => cores.router.flow.name(),
        }
    }
}

const fn default_clock_ghz() -> f64 {
    1.0
}

/// Is it the clock of a file that names none?
#[expect(clippy::float_cmp, reason = "a written number, not a computed one")]
fn is_default_clock(clock_ghz: &f64) -> bool {
    *clock_ghz == default_clock_ghz()
}
