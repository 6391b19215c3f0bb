// SPDX-License-Identifier: Apache-2.0
//! The two forms of a file: AXI clusters or core tiles. Each has its tables and no others.
//!
//! Which form a text has is decided by it once; base, overrides and errors follow that. Without a decision a mistake in one
//! table would be reported as the absence of another.

use crate::tiles::{AxiTiles, Core, CoreRouters, CoreTiles, Tiles};
use crate::{
    Cluster, EnergyTable, MemoryTile, Mesh, NetworkInterface, Router, Spec, default_clock_ghz,
    is_default_clock,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;

/// What the tiles of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    Axi,
    Cores,
}

/// A spec with clusters and memories, as a file has it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AxiSpec")]
struct AxiFile {
    /// Format version; this library reads version 1.
    format: u32,
    /// Name of the network, used in reports and file names.
    name: String,
    /// Clock of the network and its endpoints in GHz, 0.001 to 100; 1 if left out, which is S1's. Runs count cycles; this
    /// gives their times.
    #[serde(
        default = "default_clock_ghz",
        skip_serializing_if = "is_default_clock"
    )]
    clock_ghz: f64,
    /// Size of the mesh and what stands on it.
    mesh: Mesh,
    /// Router microarchitecture, the same for all planes.
    router: Router,
    /// Network interface at every tile.
    ni: NetworkInterface,
    /// Compute cluster behind the NI of every cluster tile.
    cluster: Cluster,
    /// Memory behind the NI of every memory tile.
    memory: MemoryTile,
    /// Cost of each counted event in pJ.
    energy: EnergyTable,
}

/// A spec with core tiles, as a file has it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CoreSpec")]
struct CoreFile {
    /// Format version; this library reads version 1.
    format: u32,
    /// Name of the network, used in reports and file names.
    name: String,
    /// Clock of cores and routers in GHz, 0.001 to 100; 1 if left out. Runs count cycles; this gives their times.
    #[serde(
        default = "default_clock_ghz",
        skip_serializing_if = "is_default_clock"
    )]
    clock_ghz: f64,
    /// Size of the mesh.
    mesh: CoreMesh,
    /// Routers of the two networks.
    router: CoreRouters,
    /// The core of every tile.
    core: Core,
}

/// Size of a mesh with a core at every tile.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CoreMesh {
    /// Columns, 1 to 64.
    width: u32,
    /// Rows, 1 to 64.
    height: u32,
}

impl From<AxiFile> for Spec {
    fn from(file: AxiFile) -> Self {
        Self {
            format: file.format,
            name: file.name,
            clock_ghz: file.clock_ghz,
            mesh: file.mesh,
            tiles: Tiles::Axi(AxiTiles {
                router: file.router,
                ni: file.ni,
                cluster: file.cluster,
                memory: file.memory,
                energy: file.energy,
            }),
            overrides: Vec::new(),
        }
    }
}

impl From<CoreFile> for Spec {
    fn from(file: CoreFile) -> Self {
        Self {
            format: file.format,
            name: file.name,
            clock_ghz: file.clock_ghz,
            mesh: Mesh {
                width: file.mesh.width,
                height: file.mesh.height,
                regions: Vec::new(),
            },
            tiles: Tiles::Cores(CoreTiles {
                router: file.router,
                core: file.core,
            }),
            overrides: Vec::new(),
        }
    }
}

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (format, name, clock_ghz) = (self.format, self.name.clone(), self.clock_ghz);
        match self.tiles.clone() {
            Tiles::Axi(axi) => AxiFile {
                format,
                name,
                clock_ghz,
                mesh: self.mesh.clone(),
                router: axi.router,
                ni: axi.ni,
                cluster: axi.cluster,
                memory: axi.memory,
                energy: axi.energy,
            }
            .serialize(serializer),
            Tiles::Cores(cores) => CoreFile {
                format,
                name,
                clock_ghz,
                mesh: CoreMesh {
                    width: self.mesh.width,
                    height: self.mesh.height,
                },
                router: cores.router,
                core: cores.core,
            }
            .serialize(serializer),
        }
    }
}

impl JsonSchema for Spec {
    fn schema_name() -> Cow<'static, str> {
        "Spec".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let forms = [
            generator.subschema_for::<AxiFile>(),
            generator.subschema_for::<CoreFile>(),
        ];
        json_schema!({
            "description": "The description of one network on chip, as its user writes it: AXI clusters or core tiles.",
            "oneOf": forms
        })
    }
}

/// Tables that only one form has.
const AXI_TABLES: [&str; 4] = ["ni", "cluster", "memory", "energy"];
const CORE_TABLE: &str = "core";

impl FileKind {
    /// What a text describes. One that has tables of both is taken for what its routers are.
    pub(crate) fn of(table: &toml::Table) -> Self {
        let router = table.get("router").and_then(toml::Value::as_table);
        let flow = router.and_then(|router| router.get("flow"));
        let has_axi = AXI_TABLES.iter().any(|name| table.contains_key(*name));
        match flow.and_then(toml::Value::as_str) {
            Some("udn") => Self::Cores,
            None if table.contains_key(CORE_TABLE) => Self::Cores,
            Some(_) if table.contains_key(CORE_TABLE) && !has_axi => Self::Cores,
            Some(_) | None => Self::Axi,
        }
    }

    /// A whole spec of this form from a text.
    pub(crate) fn read_text(self, text: &str) -> Result<Spec, toml::de::Error> {
        match self {
            Self::Axi => toml::from_str::<AxiFile>(text).map(Spec::from),
            Self::Cores => toml::from_str::<CoreFile>(text).map(Spec::from),
        }
    }

    /// The same from a table.
    pub(crate) fn read_table(self, table: toml::Table) -> Result<Spec, toml::de::Error> {
        match self {
            Self::Axi => table.try_into::<AxiFile>().map(Spec::from),
            Self::Cores => table.try_into::<CoreFile>().map(Spec::from),
        }
    }

    /// What to add to the refusal of a field that only the other form has; nothing for other fields.
    pub(crate) fn note(self, unknown: &str) -> &'static str {
        match self {
            Self::Axi if unknown == CORE_TABLE || unknown == "udn" => {
                "; this file describes AXI clusters, and core tiles are a file of their own with router.flow = \"udn\""
            }
            Self::Cores if AXI_TABLES.contains(&unknown) || unknown == "regions" => {
                "; this file describes core tiles (router.flow = \"udn\"), which have no network interfaces, no addresses and no \
                 table of energies: AXI clusters are a file of their own"
            }
            Self::Axi | Self::Cores => "",
        }
    }
}
