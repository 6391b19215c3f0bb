# SPDX-License-Identifier: Apache-2.0
"""Runs as pages: what is recorded, what a notebook gets. The page itself is tested in a browser."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import noccl
from noccl import _native


@pytest.fixture(scope="module")
def network() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


class Frames(HTMLParser):
    """Attributes of the frames of a piece of HTML, and the text between tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.frames: list[dict[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag == "iframe"
        self.frames.append(dict(attributes))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_view_is_the_run_of_its_schedule(network: noccl.Network) -> None:
    schedule = noccl.make_schedule(network, "reduce", num_bytes="2KiB", algorithm="tree:2")
    report = noccl.run(network, schedule)
    by_schedule = noccl.view(network, schedule)
    by_name = noccl.view(network, "reduce", num_bytes="2KiB", algorithms="tree:2")
    (one,), (other,) = (map(json.loads, view.runs) for view in (by_schedule, by_name))
    assert one["cycles"] == other["cycles"] == report.cycles
    assert one["trace"] == other["trace"]
    assert one["counters"]["flit_hops"] == report.counters.flit_hops
    assert one["verified"] == "yes"
    assert repr(by_name) == f"View: tree:2 {report.cycles} cycles"


def test_results_of_collectives_show_themselves(network: noccl.Network) -> None:
    result = noccl.all_reduce(network, [[1.0] * 128] * 16, algorithm="in_network_once")
    (run,) = map(json.loads, result.view().runs)
    assert run["cycles"] == result.cycles
    assert run["request"]["network"] == "collective_noc_4x4"
    assert (run["request"]["collective"], run["request"]["bytes"]) == ("all_reduce", "1024")


def test_two_runs_are_shown_and_no_other_number(network: noccl.Network) -> None:
    schedule = noccl.make_schedule(network, "barrier")
    algorithms = ["in_network", "tree"]
    two = noccl.view(network, "multicast", num_bytes=64, algorithms=algorithms)
    assert [json.loads(run)["algorithm"].split(":")[0] for run in two.runs] == algorithms
    assert len(noccl.view(network, schedule, schedule).runs) == 2
    for what in [(), ("reduce", "reduce"), ("reduce", schedule), (schedule,) * 3]:
        with pytest.raises(noccl.ArgumentError, match=r"accepted: .*one"):
            noccl.view(network, *what)
    with pytest.raises(noccl.ArgumentError, match="0 runs"):
        noccl.view(network, "reduce", algorithms=[])


def test_a_network_goes_by_its_preset_or_by_its_spec(tmp_path: Path) -> None:
    def request(network: noccl.Network) -> dict[str, object]:
        run = noccl.view(network, "barrier").runs[0]
        found: dict[str, object] = json.loads(run)["request"]
        return found

    changed = noccl.load("collective_noc_4x4", overrides={"memory.latency_cycles": 20})
    assert request(changed)["overrides"] == ["memory.latency_cycles=20"]
    own = tmp_path / "own.toml"
    own.write_text('base = "collective_noc_3x5"\nname = "own"\n', encoding="utf-8")
    text = request(noccl.load(own))["network"]
    assert text == noccl.load(own).to_toml()


def test_a_deadlock_is_shown() -> None:
    published = noccl.load("collective_noc_4x4_published")
    shown = noccl.view(published, "all_gather", num_bytes="4KiB", algorithms="in_network")
    assert repr(shown) == "View: in_network given up"


def test_notebooks_get_a_frame_that_reaches_nothing_of_theirs(
    network: noccl.Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = '<p title="&quot;">\' & </iframe><script>1</script>'
    monkeypatch.setattr(_native, "live_page", lambda runs, _: page + runs[0])
    run = json.dumps({"algorithm": '"><script>alert(1)</script>', "cycles": 5})
    shown = Frames(noccl.View((run,))._repr_html_())
    (frame,) = shown.frames
    assert frame["srcdoc"] == page + run
    assert frame["title"] == 'View: "><script>alert(1)</script> 5 cycles'
    assert frame["sandbox"] == "allow-scripts allow-forms"
    assert shown.text == ""


def test_a_recording_is_a_run_too(network: noccl.Network) -> None:
    schedule = noccl.make_schedule(network, "reduce", num_bytes=64, algorithm="in_network")
    recording = noccl.run(network, schedule, record=True).recording
    assert recording is not None
    shown = recording.view()
    assert (
        repr(shown) == f"View: reduce of 64 bytes by in_network {recording.fields['cycles']} cycles"
    )
    page = page_or_reason(shown)
    assert "`make page`" in page or recording.text.replace("<", "\\u003c") in page


def test_the_page_is_written_or_said_to_be_missing(network: noccl.Network, tmp_path: Path) -> None:
    shown = noccl.view(network, "reduce", num_bytes=64, algorithms="in_network")
    path = tmp_path / "view.html"
    found = page_or_reason(shown)
    if "`make page`" in found:
        # Only `make test-page` builds the page; there a browser opens it.
        with pytest.raises(noccl.FileError):
            shown.save(path)
        assert not path.exists()
    else:
        shown.save(path)
        assert path.read_text(encoding="utf-8") == found
        assert '"algorithm":"in_network' in found


def page_or_reason(view: noccl.View) -> str:
    try:
        return view.to_html()
    except noccl.FileError as error:
        return str(error)
