// SPDX-License-Identifier: Apache-2.0
//! The numbers of a configuration, read from the package that the library was made of.
//!
//! Reading them back, instead of computing them a second time, makes sure that bits are laid out as in
//! the library at hand.

use super::LockstepError;
use crate::config::operands;
use noccl_net::Network;
use noccl_net::deadlock::{Windows, reduction_flows};
use std::collections::HashMap;
use std::path::Path;

/// `noccl_cfg_pkg` of a library.
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
        found.ok_or_else(|| LockstepError::Library {
            path: self.path.clone(),
            reason: format!("it has no number {name}"),
        })
    }

    pub(crate) fn array(&self, name: &str) -> Result<&[u64], LockstepError> {
        let found = self.arrays.get(name).map(Vec::as_slice);
        found.ok_or_else(|| LockstepError::Library {
            path: self.path.clone(),
            reason: format!("it has no array {name}"),
        })
    }

    /// The library must be of this network.
    pub(crate) fn check(&self, network: &Network) -> Result<(), LockstepError> {
        let origin = network.cube(noccl_net::MultiAddress::single(noccl_net::Coord::new(0, 0)));
        let router = &network.spec().router;
        let windows = Windows::of(network);
        let expected = [
            ("MESH_WIDTH", u32::from(network.width())),
            ("MESH_HEIGHT", u32::from(network.height())),
            ("REGION_X", u32::from(origin.origin.x)),
            ("REGION_Y", u32::from(origin.origin.y)),
            ("REGION_WIDTH", u32::from(network.cluster_width())),
            ("REGION_HEIGHT", u32::from(network.cluster_height())),
            ("INPUT_FIFO_FLITS", router.input_fifo_flits),
            ("OUTPUT_FIFO_FLITS", router.output_fifo_flits),
            ("MERGE_ENTRIES", router.merge_table_entries),
            ("MERGE_CYCLES", router.merge_cycles),
            ("REDUCTION_FLOWS", reduction_flows(network)),
            ("WINDOW_BEATS", windows.neighbours()),
            ("MAX_WINDOW_BEATS", windows.most),
            ("REDUCTION_OPERANDS", operands(router.wide_reduction.kind)),
        ];
        for (name, wanted) in expected {
            let found = self.get(name)?;
            if found != wanted {
                let reason = format!("{name} is {found}, and the network needs {wanted}");
                let path = self.path.clone();
                return Err(LockstepError::Library { path, reason });
            }
        }
        Ok(())
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
