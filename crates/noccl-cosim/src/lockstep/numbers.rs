// SPDX-License-Identifier: Apache-2.0
//! The numbers of a configuration, read from the package that the library was made of.
//!
//! Reading them back, instead of computing them a second time, makes sure that bits are laid out as in
//! the library at hand.

use super::comparison::LockstepError;
use noccl_net::Network;
use noccl_rtl::RtlConfig;
use std::collections::HashMap;
use std::path::Path;

/// The package of a library: `noccl_cfg_pkg`, or `noccl_smart_cfg_pkg`.
#[derive(Debug, Clone)]
pub(crate) struct Numbers {
    by_name: HashMap<String, u32>,
    arrays: HashMap<String, Vec<u64>>,
    path: String,
}

impl Numbers {
    pub(crate) fn read(path: &Path) -> Result<Self, LockstepError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| LockstepError::Library {
            path: shown.clone(),
            reason: error.to_string(),
        })?;
        let number = |line: &str| {
            let rest = line.trim().strip_prefix("localparam int unsigned ")?;
            let (name, value) = rest.strip_suffix(';')?.split_once(" = ")?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        Ok(Self {
            by_name: text.lines().filter_map(number).collect(),
            arrays: text.lines().filter_map(array).collect(),
            path: shown,
        })
    }

    pub(crate) fn get(&self, name: &str) -> Result<u32, LockstepError> {
        let found = self.by_name.get(name).copied();
        found.ok_or_else(|| self.refused(format!("it has no number {name}")))
    }

    pub(crate) fn array(&self, name: &str) -> Result<&[u64], LockstepError> {
        let found = self.arrays.get(name).map(Vec::as_slice);
        found.ok_or_else(|| self.refused(format!("it has no array {name}")))
    }

    /// The library must be of this network.
    pub(crate) fn check(&self, network: &Network) -> Result<(), LockstepError> {
        let config = RtlConfig::new(network).map_err(|error| self.refused(error.to_string()))?;
        let expected = [
            ("MESH_WIDTH", config.mesh_width),
            ("MESH_HEIGHT", config.mesh_height),
            ("REGION_X", config.region_x),
            ("REGION_Y", config.region_y),
            ("REGION_WIDTH", config.region_width),
            ("REGION_HEIGHT", config.region_height),
            ("INPUT_FIFO_FLITS", config.input_fifo_flits),
            ("OUTPUT_FIFO_FLITS", config.output_fifo_flits),
            ("REQ_LINK_CYCLES", config.req_link_cycles),
            ("RSP_LINK_CYCLES", config.rsp_link_cycles),
            ("WIDE_LINK_CYCLES", config.wide_link_cycles),
            ("MERGE_ENTRIES", config.merge_entries),
            ("MERGE_CYCLES", config.merge_cycles),
            ("REDUCTION_FLOWS", config.reduction_flows),
            ("WINDOW_BEATS", config.window_beats),
            ("MAX_WINDOW_BEATS", config.max_window_beats),
            ("REDUCTION_OPERANDS", config.reduction_operands),
        ];
        (expected.into_iter()).try_for_each(|(name, wanted)| self.expect(name, wanted))
    }

    /// A number is what a network needs.
    pub(crate) fn expect(&self, name: &str, wanted: u32) -> Result<(), LockstepError> {
        let found = self.get(name)?;
        if found == wanted {
            return Ok(());
        }
        Err(self.refused(format!("{name} is {found}, and the network needs {wanted}")))
    }

    /// The library is of no use.
    pub(crate) fn refused(&self, reason: String) -> LockstepError {
        let path = self.path.clone();
        LockstepError::Library { path, reason }
    }
}

/// A line like `localparam int unsigned NAME[COUNT] = '{1, 48'h2_0000};`.
fn array(line: &str) -> Option<(String, Vec<u64>)> {
    let (left, right) = line
        .trim()
        .strip_prefix("localparam ")?
        .split_once(" = '{")?;
    let name = left.rsplit_once(' ')?.1.split_once('[')?.0;
    let value = |text: &str| {
        let digits = text.trim().replace('_', "");
        match digits.split_once("'h") {
            Some((_, hexadecimal)) => u64::from_str_radix(hexadecimal, 16).ok(),
            None => digits.parse().ok(),
        }
    };
    let values: Option<Vec<u64>> = right.strip_suffix("};")?.split(',').map(value).collect();
    Some((name.to_owned(), values?))
}

#[cfg(test)]
mod tests {
    use super::array;

    #[test]
    fn an_array_is_read_in_any_base() {
        let read = array("  localparam logic [ADDR_BITS-1:0] MAP[N] = '{48'h7000_0000, 20};");
        assert_eq!(read, Some(("MAP".to_owned(), vec![0x7000_0000, 20])));
    }
}
