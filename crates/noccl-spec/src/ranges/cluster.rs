// SPDX-License-Identifier: Apache-2.0
//! Numbers of the clusters and their endpoints.

use super::{Form, Table};
use crate::{AxiTiles, TorrentEndpoint, TorrentMode};

impl Table {
    pub(super) fn cluster(&mut self, axi: &AxiTiles) {
        let cluster = &axi.cluster;
        self.beats("cluster.l1_bytes", cluster.l1_bytes, axi);
        self.any("cluster.num_cores", cluster.num_cores, 1..=64);
        let fpu = &cluster.fpu;
        let fields = [
            ("bits64_cycles", fpu.bits64_cycles),
            ("bits32_cycles", fpu.bits32_cycles),
            ("bits16_cycles", fpu.bits16_cycles),
            ("bits8_cycles", fpu.bits8_cycles),
        ];
        self.all("cluster.fpu", &fields, 1..=16);
        let speed = cluster.compute_millicycles_per_beat;
        let most = 10_000_000;
        self.any("cluster.compute_millicycles_per_beat", speed, 1..=most);
        let fields = [
            ("request_path_cycles", cluster.request_path_cycles),
            ("response_path_cycles", cluster.response_path_cycles),
            ("l1_latency_cycles", cluster.l1_latency_cycles),
            ("atomic_cycles", cluster.atomic_cycles),
        ];
        self.all("cluster", &fields, 1..=1000);
        self.dma(axi);
        self.instructions(axi);
        if let Some(endpoint) = &cluster.torrent {
            self.torrent(endpoint);
        }
        if let Some(endpoint) = &cluster.esp {
            let fields = [
                ("setup_cycles", endpoint.setup_cycles),
                ("consumer_start_cycles", endpoint.consumer_start_cycles),
                ("request_cycles", endpoint.request_cycles),
            ];
            self.all("cluster.esp", &fields, 0..=100_000);
        }
    }

    /// The engine asks for a burst when its buffer has space for all of it, so that read data never wait. A transfer whose
    /// ends lie differently in a beat leaves up to a beat less one byte in the buffer, which a write beat completes with the next burst:
    /// with space for the longest burst only, that burst would never be asked for. With one beat more, what is left when no
    /// read is in flight and no write beat is complete always leaves space for the longest burst.
    fn dma(&mut self, axi: &AxiTiles) {
        let dma = &axi.cluster.dma;
        let fields = [
            ("start_cycles", dma.start_cycles),
            ("complete_cycles", dma.complete_cycles),
        ];
        self.all("cluster.dma", &fields, 1..=1000);
        let longest = u64::from(axi.ni.max_burst_beats);
        self.push(
            "cluster.dma.buffer_beats",
            dma.buffer_beats,
            longest + 1..=1 << 16,
            Form::Any,
            format!(
                ", more than ni.max_burst_beats = {longest}: the next burst must fit beside a beat that waits for it"
            ),
        );
        let transfers = dma.max_transfers;
        self.any("cluster.dma.max_transfers", transfers, 1..=64);
    }

    fn instructions(&mut self, axi: &AxiTiles) {
        let run = &axi.cluster.instructions;
        let fields = [
            ("dma_start", run.dma_start),
            ("dma_start_2d", run.dma_start_2d),
            ("dma_wait", run.dma_wait),
            ("barrier_store", run.barrier_store),
            ("barrier_leave", run.barrier_leave),
            ("interrupt_wake", run.interrupt_wake),
            ("compute_start", run.compute_start),
        ];
        self.all("cluster.instructions", &fields, 0..=10_000);
        self.any("cluster.instructions.poll", run.poll, 1..=1000);
    }

    fn torrent(&mut self, endpoint: &TorrentEndpoint) {
        let path = |name: &str| format!("cluster.torrent.{name}");
        // Task ids have four bits; the published endpoint has one task.
        let (most_tasks, because, least_bursts) = match endpoint.mode {
            TorrentMode::Safe => (16, "", 1),
            TorrentMode::Published => (
                1,
                " with cluster.torrent.mode = \"published\"; \"safe\" takes up to 16",
                0,
            ),
        };
        let tasks = endpoint.open_tasks;
        self.push(
            path("open_tasks"),
            tasks,
            1..=most_tasks,
            Form::Any,
            because,
        );
        let cycles = endpoint.endpoint_path_cycles;
        self.any(path("endpoint_path_cycles"), cycles, 0..=1000);
        let destinations = endpoint.max_destinations;
        self.any(path("max_destinations"), destinations, 1..=4096);
        let banks = endpoint.memory_banks;
        self.power_of_two(path("memory_banks"), banks, 1..=64);
        let words = endpoint.channel_fifo_words;
        self.any(path("channel_fifo_words"), words, 2..=256);
        let bursts = endpoint.buffer_bursts;
        self.any(path("buffer_bursts"), bursts, least_bursts..=64);
    }
}
