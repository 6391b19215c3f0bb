// SPDX-License-Identifier: Apache-2.0
//! The numbers of a network, whatever its routers are.

use crate::{RtlConfig, RtlError, SmartRtlConfig, SourceFile, package_text, smart_package_text};
use noccl_net::Network;
use schemars::JsonSchema;
use serde::Serialize;

/// Name of the package's file.
pub const PACKAGE_FILE: &str = "noccl_cfg_pkg.sv";
/// The same of routers with bypass.
pub const SMART_PACKAGE_FILE: &str = "noccl_smart_cfg_pkg.sv";

/// Numbers of which a package is written.
pub trait Package {
    /// The package.
    fn package(&self) -> SourceFile;
}

impl Package for RtlConfig {
    fn package(&self) -> SourceFile {
        SourceFile {
            path: PACKAGE_FILE.to_owned(),
            text: package_text(self),
        }
    }
}

impl Package for SmartRtlConfig {
    fn package(&self) -> SourceFile {
        SourceFile {
            path: SMART_PACKAGE_FILE.to_owned(),
            text: smart_package_text(self),
        }
    }
}

/// Numbers of one network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RtlNumbers {
    /// Of a mesh that carries AXI transactions.
    Axi(Box<RtlConfig>),
    /// Of a mesh that carries messages, whose routers have bypass.
    Smart(Box<SmartRtlConfig>),
}

impl RtlNumbers {
    /// Numbers of a network.
    ///
    /// # Errors
    /// [`RtlError::Refused`] with the field that asks for something without hardware.
    pub fn new(network: &Network) -> Result<Self, RtlError> {
        Ok(match SmartRtlConfig::of(network) {
            Some(config) => Self::Smart(Box::new(config?)),
            None => Self::Axi(Box::new(RtlConfig::new(network)?)),
        })
    }
}

impl Package for RtlNumbers {
    fn package(&self) -> SourceFile {
        match self {
            Self::Axi(config) => config.package(),
            Self::Smart(config) => config.package(),
        }
    }
}
