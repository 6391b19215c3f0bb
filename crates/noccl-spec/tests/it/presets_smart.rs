// SPDX-License-Identifier: Apache-2.0
//! Presets of S2's mesh, and what its routers cannot be.

use noccl_spec::{SmartMulticast, SmartReduction, Spec, parse_spec, preset_text};

fn preset(name: &str) -> Spec {
    parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap()
}

#[test]
fn smart_presets_differ_from_each_other_in_their_table_only() {
    let smart = preset("smart_5x4");
    assert_eq!((smart.mesh.width, smart.mesh.height), (5, 4));
    let table = smart.axi().unwrap().router.smart.clone().unwrap();
    for (suffix, hpc_max, multicast, reduction) in [
        (
            "baseline",
            1,
            SmartMulticast::Unicasts,
            SmartReduction::None,
        ),
        (
            "collective",
            1,
            SmartMulticast::Fork,
            SmartReduction::Opportunistic,
        ),
        ("unicast", 8, SmartMulticast::Unicasts, SmartReduction::None),
        (
            "private",
            8,
            SmartMulticast::Greedy,
            SmartReduction::Complete,
        ),
    ] {
        let mut other = preset(&format!("smart_5x4_{suffix}"));
        let found = other
            .axi_mut()
            .unwrap()
            .router
            .smart
            .replace(table.clone())
            .unwrap();
        other.name.clone_from(&smart.name);
        assert_eq!(other, smart, "{suffix}");
        assert_eq!((found.hpc_max, found.multicast), (hpc_max, multicast));
        assert_eq!(found.reduction, reduction);
    }
    for name in ["smart_0x4", "smart_65x4", "smart_4x4_peer", "smart"] {
        assert!(preset_text(name).is_err(), "{name}");
    }
}

#[test]
fn what_smart_routers_cannot_be_is_refused_by_its_field() {
    let text = preset_text("smart_8x8").unwrap();
    for (field, value, part) in [
        ("router.smart.hpc_max", "0", "1 to 64"),
        ("router.smart.setup_cycles", "3", "1 to 2"),
        ("router.smart.vcs", "0", "1 to 16"),
        ("router.smart.reduction_vcs", "17", "1 to 16"),
        ("router.smart.multicast_vcs", "0", "1 to 16"),
        ("router.smart.reduction_table_entries", "0", "1 to 4096"),
        ("router.smart.flit_bits", "100", "power of two"),
        ("router.smart.multicast", "\"gready\"", "greedy"),
        ("router.smart.multicast", "\"complete\"", "private"),
        ("router.smart.broadcast_interval_cycles", "2", "3 to 64"),
        (
            "router.smart.priority",
            "\"nearest\"",
            "`local` or `bypass`",
        ),
        (
            "router.smart.reduction",
            "\"eager\"",
            "`none`, `opportunistic`, `greedy`, `complete`",
        ),
        ("router.input_fifo_flits", "2", "router.input_fifo_flits"),
    ] {
        let set = (field.to_owned(), value.to_owned());
        let error = parse_spec("t", &text, &[set]).unwrap_err().to_string();
        assert!(error.contains(part), "{field}: {error}");
        assert!(error.contains(value.trim_matches('"')), "{field}: {error}");
        let name = field.rsplit('.').next().unwrap();
        assert!(error.contains(name), "{field}: {error}");
    }
    let wide = ("router.smart.multicast_vcs".to_owned(), "9".to_owned());
    let private = preset_text("smart_8x8_private").unwrap();
    let error = parse_spec("t", &private, &[wide]).unwrap_err().to_string();
    assert!(
        error.contains("must be 1 to 8 with router.smart.tree = \"private\""),
        "{error}"
    );
    let fork = ("router.smart.multicast".to_owned(), "\"fork\"".to_owned());
    let error = parse_spec("t", &text, &[fork]).unwrap_err().to_string();
    assert!(error.contains("router.smart.hpc_max"), "{error}");
    let connected = ("router.smart.is_connected".to_owned(), "true".to_owned());
    let error = parse_spec("t", &text, &[connected]).unwrap_err();
    let found = "router.smart.multicast = \"greedy\"";
    assert!(error.to_string().contains(found), "{error}");
    let flow = ("router.flow".to_owned(), "\"ideal\"".to_owned());
    assert!(parse_spec("t", &text, &[flow]).is_err());
}
