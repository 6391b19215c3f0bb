// SPDX-License-Identifier: Apache-2.0
//! Every preset is a valid spec that says what its name says.

use noccl_spec::{
    AxiTiles, PRESET_NAMES, RouterFlow, Spec, TileKindName, TorrentAcknowledgement,
    TorrentDispatch, TorrentEndpoint, TorrentMode, parse_spec, preset_text, schema, to_toml,
    validate, warnings,
};
use noccl_testkit::assert_says;

fn preset(name: &str) -> Spec {
    parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap()
}

/// Tables of a preset with clusters.
fn axi(name: &str) -> AxiTiles {
    preset(name).axi().unwrap().clone()
}

#[test]
fn every_listed_preset_parses_under_its_name_without_a_warning() {
    for name in PRESET_NAMES {
        let spec = preset(name);
        assert_eq!(spec.name, name);
        assert_eq!(warnings(&spec), Vec::<String>::new(), "{name}");
        let Some(axi) = spec.axi() else {
            assert!(name.starts_with("tilepro64"), "{name}");
            continue;
        };
        let flow = axi.router.flow;
        assert_eq!(
            flow == RouterFlow::Published,
            name.ends_with("_published") || name.starts_with("torrent"),
            "{name}"
        );
        assert_eq!(flow == RouterFlow::Esp, name.starts_with("esp"), "{name}");
        assert_eq!(
            flow == RouterFlow::Smart,
            name.starts_with("smart"),
            "{name}"
        );
        if spec.mesh.regions.len() == 1 {
            continue;
        }
        let l1 = if name.ends_with("_large") {
            1 << 20
        } else {
            1 << 17
        };
        assert_eq!(axi.cluster.l1_bytes, l1, "{name}");
    }
}

#[test]
fn preset_size_is_in_its_name() {
    for (width, height) in [
        (16, 8),
        (3, 4),
        (1, 1),
        (4, 3),
        (1, 1024),
        (1024, 1),
        (1024, 1024),
    ] {
        let spec = preset(&format!("collective_noc_{width}x{height}"));
        assert_eq!((spec.mesh.width, spec.mesh.height), (width + 1, height));
        let [memory, cluster] = spec.mesh.regions.as_slice() else {
            panic!("two regions");
        };
        assert_eq!(memory.kind, TileKindName::Memory);
        assert_eq!(
            (memory.x, memory.y, memory.width, memory.height),
            (0, 0, 1, height)
        );
        assert_eq!(cluster.kind, TileKindName::Cluster);
        assert_eq!(
            (cluster.x, cluster.y, cluster.width, cluster.height),
            (1, 0, width, height)
        );
    }
}

#[test]
fn a_spec_written_as_toml_reads_back_equal() {
    for name in PRESET_NAMES {
        let spec = preset(name);
        assert_eq!(parse_spec(name, &to_toml(&spec), &[]).unwrap(), spec);
    }
}

#[test]
fn settings_without_effect_are_reported_by_name() {
    let spec = preset("collective_noc_4x4_published");
    let mut published = spec.clone();
    published
        .axi_mut()
        .unwrap()
        .router
        .wide_reduction
        .store_beats = 512;
    published.axi_mut().unwrap().router.merge_table_entries = 8;
    let found = warnings(&published);
    assert_eq!(found.len(), 2);
    assert!(
        found[0].starts_with("router.merge_table_entries = 8 has no effect"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("router.wide_reduction.store_beats = 512"),
        "{found:?}"
    );

    let mut bursts = spec.clone();
    bursts.axi_mut().unwrap().ni.max_burst_beats = 65;
    let found = warnings(&bursts);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("no effect beyond 64"), "{found:?}");

    // A table that no file may leave out is none of them.
    let mut lonely = spec;
    lonely.mesh.regions.remove(0);
    assert_eq!(warnings(&lonely), Vec::<String>::new());

    let mut published = preset("torrent_4x5_published");
    let endpoint = published
        .axi_mut()
        .unwrap()
        .cluster
        .torrent
        .as_mut()
        .unwrap();
    endpoint.buffer_bursts = 2;
    let found = warnings(&published);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("cluster.torrent.buffer_bursts = 2 has no effect"),
        "{found:?}"
    );
}

#[test]
fn torrent_presets_have_clusters_only_and_the_published_routers() {
    for (name, width, height, l1_bytes, mode) in [
        ("torrent_4x5", 5, 4, 1 << 20, TorrentMode::Safe),
        (
            "torrent_4x5_published",
            5,
            4,
            1 << 20,
            TorrentMode::Published,
        ),
        ("torrent_3x3", 3, 3, 4 << 20, TorrentMode::Safe),
        ("torrent_8x9", 9, 8, 1 << 20, TorrentMode::Safe),
    ] {
        let spec = preset(name);
        assert_eq!(
            (spec.mesh.width, spec.mesh.height),
            (width, height),
            "{name}"
        );
        let [only] = spec.mesh.regions.as_slice() else {
            panic!("one region");
        };
        assert_eq!(only.kind, TileKindName::Cluster);
        assert_eq!((only.width, only.height), (width, height));
        assert_eq!(spec.axi().unwrap().router.flow, RouterFlow::Published);
        assert_eq!(spec.axi().unwrap().cluster.l1_bytes, l1_bytes);
        assert_eq!(
            spec.axi().unwrap().cluster.torrent.as_ref().unwrap().mode,
            mode
        );
    }
}

#[test]
fn parallel_presets_overlap_control_and_published_ones_refuse_to() {
    let endpoint = axi("torrent_8x9_parallel").cluster.torrent.unwrap();
    assert_eq!(endpoint.mode, TorrentMode::Safe);
    assert_eq!(endpoint.dispatch, TorrentDispatch::TailFirst);
    assert_eq!(endpoint.acknowledgement, TorrentAcknowledgement::Parallel);
    let chained = axi("torrent_8x9").cluster.torrent.unwrap();
    assert_eq!(chained.endpoint_path_cycles, endpoint.endpoint_path_cycles);
    let refused = |change: fn(&mut TorrentEndpoint)| {
        let mut published = preset("torrent_4x5_published");
        change(
            published
                .axi_mut()
                .unwrap()
                .cluster
                .torrent
                .as_mut()
                .unwrap(),
        );
        validate(&published).unwrap_err()
    };
    let error = refused(|e| e.dispatch = TorrentDispatch::TailFirst);
    assert_eq!(error.field, "cluster.torrent.dispatch");
    assert!(error.accepted.contains("chain_order"), "{error:?}");
    let error = refused(|e| e.acknowledgement = TorrentAcknowledgement::Parallel);
    assert_eq!(error.field, "cluster.torrent.acknowledgement");
    assert!(error.accepted.contains("chained"), "{error:?}");
    let error = refused(|e| e.open_tasks = 2);
    assert_eq!(error.field, "cluster.torrent.open_tasks");
    assert!(error.accepted.starts_with("must be 1 "), "{error:?}");
    let error = refused(|e| e.open_tasks = 17);
    assert!(error.accepted.contains("16"), "{error:?}");
}

#[test]
fn esp_presets_differ_from_torrents_in_routers_and_endpoints_only() {
    for (name, start) in [("esp_4x5", 0), ("esp_4x5_calibrated", 100)] {
        let spec = preset(name);
        let mut torrent = preset("torrent_4x5");
        torrent.name = name.to_owned();
        torrent.axi_mut().unwrap().cluster.torrent = None;
        torrent
            .axi_mut()
            .unwrap()
            .cluster
            .esp
            .clone_from(&spec.axi().unwrap().cluster.esp);
        torrent
            .axi_mut()
            .unwrap()
            .router
            .clone_from(&spec.axi().unwrap().router);
        assert_eq!(spec, torrent);
        assert_eq!(spec.axi().unwrap().router.flow, RouterFlow::Esp);
        assert_eq!(
            spec.axi()
                .unwrap()
                .cluster
                .esp
                .as_ref()
                .unwrap()
                .consumer_start_cycles,
            start
        );
    }
    assert_eq!(preset("esp_8x9").mesh.width, 9);
}

#[test]
fn ideal_presets_differ_in_routers_only_and_have_no_sizes_to_choose() {
    let spec = preset("ideal_8x4");
    let mut mesh = preset("collective_noc_8x4");
    mesh.name.clone_from(&spec.name);
    mesh.axi_mut()
        .unwrap()
        .router
        .clone_from(&spec.axi().unwrap().router);
    assert_eq!(spec, mesh);
    assert_eq!(spec.axi().unwrap().router.flow, RouterFlow::Ideal);
    assert_eq!(mesh.mesh.width, 9);
    let text = preset_text("ideal_4x4").unwrap();
    for field in [
        "router.input_fifo_flits",
        "router.output_fifo_flits",
        "router.merge_table_entries",
        "router.link_cycles.wide",
        "router.wide_reduction.cut_cycles",
        "router.wide_reduction.store_beats",
        "router.wide_reduction.window_beats",
    ] {
        let set = (field.to_owned(), "3".to_owned());
        let error = parse_spec("t", &text, &[set]).unwrap_err().to_string();
        assert!(error.contains(field), "{field}: {error}");
        assert!(error.contains("only value that is modelled"), "{error}");
    }
    for name in [
        "ideal_4x4_published",
        "ideal_4x4_large",
        "ideal_0x4",
        "ideal",
    ] {
        assert!(preset_text(name).is_err(), "{name}");
    }
}

#[test]
fn tables_of_esp_go_with_its_routers_and_with_nothing_else() {
    let text = preset_text("esp_4x5").unwrap();
    let torrent = preset_text("torrent_4x5").unwrap();
    for (text, change, field) in [
        (
            &text,
            ("router.esp.reserve_cycles", "2"),
            "router.esp.reserve_cycles",
        ),
        (
            &text,
            ("router.output_fifo_flits", "2"),
            "router.output_fifo_flits",
        ),
        (
            &text,
            ("router.flow", "\"published\""),
            "router.output_fifo_flits",
        ),
        (
            &torrent,
            ("router.flow", "\"esp\""),
            "router.output_fifo_flits",
        ),
    ] {
        let set = (change.0.to_owned(), change.1.to_owned());
        assert_says(parse_spec("t", text, &[set]).unwrap_err(), &[field]);
    }
    let start = text.find("[cluster.esp]").unwrap();
    let end = start + text[start..].find("[memory]").unwrap();
    let without = format!("{}{}", &text[..start], &text[end..]);
    let error = parse_spec("t", &without, &[]).unwrap_err().to_string();
    assert_says(&error, &["cluster.esp", "must be there"]);
}

#[test]
fn schema_names_every_key_of_a_preset() {
    let schema = schema().to_value().to_string();
    for (preset, least) in [("collective_noc_4x4", 50), ("tilepro64_8x8", 20)] {
        let text = preset_text(preset).unwrap();
        let keys = text.lines().filter_map(|l| l.split_once(" = "));
        let mut count = 0;
        for (key, _) in keys {
            assert!(schema.contains(&format!("\"{}\"", key.trim())), "{key}");
            count += 1;
        }
        assert!(count > least, "{preset}: {count}");
    }
}
