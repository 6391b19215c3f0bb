# SPDX-License-Identifier: Apache-2.0
"""Ray clusters of one machine: raylets as processes, which a test can kill, freeze or cut off.

Two nodes have addresses of their own only in network namespaces, which are joined by a pair of
virtual interfaces. There each node also has a folder of its own, as on two machines. Ray's files
are below `RAY_TMPDIR`, so that a cluster of this machine is not disturbed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import ray

from tests.sweep_studies import children

HEAD_ADDRESS = "10.99.0.1"
NODE_ADDRESS = "10.99.0.2"
_PORT = 6379
_NODE_CPUS = 2
_START_SECONDS = 60
_RAY = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
_SMALL = [f"--num-cpus={_NODE_CPUS}", "--object-store-memory=100000000"]
# Nodes of one machine share its ports.
_FREE_PORTS = ["--min-worker-port=0", "--max-worker-port=0"]
# Ray's own periods take more than a minute to find that a node does not respond.
_QUICK_DEATH = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 500,
    "health_check_failure_threshold": 3,
}
# Waits for its interface, so that Ray sees one network from the start.
_IN_NAMESPACE = f"""\
set -e
mount -t tmpfs ray "$RAY_TMPDIR"
read -r _
ip link set lo up
ip address add {NODE_ADDRESS}/24 dev node0
ip link set node0 up
exec """


@dataclass(frozen=True)
class Cluster:
    """Address of a cluster, and the processes that run its nodes; the first is the head."""

    address: str
    nodes: tuple[subprocess.Popen[bytes], ...]

    def cut_link(self) -> None:
        """Takes the link between the namespaces down."""
        subprocess.run(["ip", "link", "set", "head0", "down"], check=True)

    def freeze_node(self) -> None:
        """Suspends all processes of the second node: it keeps its connections, and is silent."""
        for process in descendants(self.nodes[1].pid):
            os.kill(process, signal.SIGSTOP)

    def kill_node(self) -> None:
        """Kills the raylet of the second node, whose workers then end."""
        os.kill(raylet_of(self.nodes[1].pid), signal.SIGKILL)

    def workers(self) -> list[int]:
        """Processes that compute points now."""
        found = [process for node in self.nodes for process in descendants(node.pid)]
        return [process for process in found if words_of(process).startswith("ray::noccl_sweep")]


def descendants(process: int) -> list[int]:
    """All processes that a process has started, and those that they have."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for child in children(process):
            found += [child, *descendants(child)]
    return found


def words_of(process: int) -> str:
    """A command line; empty once its process has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def raylet_of(process: int) -> int:
    """The raylet that `ray start` has started."""
    found = [
        child
        for child in descendants(process)
        if words_of(child).partition(" ")[0].endswith("/raylet")
    ]
    assert len(found) == 1, found
    return found[0]


@contextlib.contextmanager
def cluster(
    folder: Path, *, has_two_nodes: bool, is_in_namespaces: bool, has_quick_death: bool
) -> Iterator[Cluster]:
    """Starts nodes of two processors each; kills all their processes in the end."""
    settings = json.dumps(_QUICK_DEATH if has_quick_death else {})
    if is_in_namespaces:
        _make_link()
    host, port = (HEAD_ADDRESS, _PORT) if is_in_namespaces else ("127.0.0.1", _free_port())
    address = f"{host}:{port}"
    head = [*_RAY, *_SMALL, *_FREE_PORTS, "--head", f"--port={port}", f"--node-ip-address={host}"]
    head += ["--include-dashboard=False", f"--system-config={settings}"]
    nodes: list[subprocess.Popen[bytes]] = []
    with (folder / "nodes.log").open("wb") as log:
        try:
            nodes.append(subprocess.Popen(head, stdout=log, stderr=log))
            _wait_for_nodes(address, 1, folder / "nodes.log")
            if has_two_nodes:
                nodes.append(_start_node(address, host, log, is_in_namespaces=is_in_namespaces))
                _wait_for_nodes(address, 2, folder / "nodes.log")
            yield Cluster(address, tuple(nodes))
        finally:
            _kill(nodes)


def _start_node(
    address: str, host: str, log: IO[bytes], *, is_in_namespaces: bool
) -> subprocess.Popen[bytes]:
    own = NODE_ADDRESS if is_in_namespaces else host
    words = [*_RAY, *_SMALL, *_FREE_PORTS, f"--address={address}", f"--node-ip-address={own}"]
    if not is_in_namespaces:
        return subprocess.Popen(words, stdout=log, stderr=log)
    shell = ["unshare", "--net", "--mount", "sh", "-c", _IN_NAMESPACE + shlex.join(words)]
    node = subprocess.Popen(shell, stdin=subprocess.PIPE, stdout=log, stderr=log)
    _wait_for_namespace(node.pid)
    subprocess.run(["ip", "link", "set", "node0", "netns", str(node.pid)], check=True)
    assert node.stdin is not None
    node.stdin.write(b"\n")
    node.stdin.close()
    return node


def _wait_for_namespace(process: int) -> None:
    here = os.stat("/proc/self/ns/net").st_ino
    end = time.monotonic() + _START_SECONDS
    while os.stat(f"/proc/{process}/ns/net").st_ino == here:
        assert time.monotonic() < end, "the second node has no network namespace"
        time.sleep(0.01)


def _make_link() -> None:
    for line in (
        "ip link set lo up",
        "ip link add name head0 type veth peer name node0",
        f"ip address add {HEAD_ADDRESS}/24 dev head0",
        "ip link set head0 up",
    ):
        subprocess.run(line.split(), check=True)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for_nodes(address: str, num_nodes: int, log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            ray.init(address, log_to_driver=False)
            break
        except (ConnectionError, RuntimeError, ValueError) as error:
            ray.shutdown()
            if time.monotonic() > end:
                message = f"no head at {address}: {error}\n{log.read_text()}"
                raise AssertionError(message) from error
            time.sleep(0.5)
    while sum(node["Alive"] for node in ray.nodes()) < num_nodes:
        assert time.monotonic() < end, f"{address} has not {num_nodes} nodes\n{log.read_text()}"
        time.sleep(0.1)
    ray.shutdown()


def _kill(nodes: list[subprocess.Popen[bytes]]) -> None:
    # Frozen processes end too.
    for process in [process for node in nodes for process in descendants(node.pid)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for node in nodes:
        node.kill()
        node.wait()
