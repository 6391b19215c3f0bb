# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

import check_crate_edges
import check_defaults
import check_file_length
import check_licences
import check_spdx
import check_type_names
import repository


def write(root: Path, name: str, text: str) -> Path:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")
    return Path(name)


def workspace(*edges: tuple[str, str, str | None]) -> str:
    names = {name for crate, dependency, _ in edges for name in (crate, dependency)}
    packages = [
        {
            "name": name,
            "dependencies": [
                {"name": to, "kind": kind} for crate, to, kind in edges if crate == name
            ],
        }
        for name in sorted(names)
    ]
    return json.dumps({"packages": packages})


def test_the_allowed_edges_form_no_cycle() -> None:
    done: set[str] = set()
    while len(done) < len(check_crate_edges.ALLOWED):
        ready = {c for c, below in check_crate_edges.ALLOWED.items() if below <= done} - done
        assert ready, f"cycle among {set(check_crate_edges.ALLOWED) - done}"
        done |= ready


def test_the_algorithm_library_and_the_backends_never_see_each_other() -> None:
    for backend in check_crate_edges.BACKENDS:
        assert "noccl-coll" not in check_crate_edges.ALLOWED[backend]
        assert backend not in check_crate_edges.ALLOWED["noccl-coll"]


@pytest.mark.parametrize("kind", [None, "dev", "build"])
def test_an_edge_upwards_is_found_in_every_kind_of_dependency(kind: str | None) -> None:
    edges = check_crate_edges.edges(workspace(("noccl-net", "noccl-sim", kind)))
    assert [f.where for f in check_crate_edges.lint(edges)] == ["crates/noccl-net/Cargo.toml"]


def test_edges_downwards_and_foreign_crates_are_fine() -> None:
    text = workspace(("noccl-sim", "noccl-net", None), ("noccl", "noccl-sim", None))
    assert list(check_crate_edges.lint(check_crate_edges.edges(text))) == []


def test_a_test_of_lock_step_may_use_studies_and_the_crate_itself_may_not() -> None:
    for kind, found in (("dev", 0), (None, 1)):
        edges = check_crate_edges.edges(workspace(("noccl-cosim", "noccl-studies", kind)))
        assert len(list(check_crate_edges.lint(edges))) == found


def test_a_crate_without_a_row_is_found() -> None:
    edges = check_crate_edges.edges(workspace(("noccl-new", "noccl-net", None)))
    assert len(list(check_crate_edges.lint(edges))) == 1


def test_a_file_without_its_licence_line_is_found(tmp_path: Path) -> None:
    line = check_spdx.LINE
    paths = [
        write(tmp_path, "good.rs", f"// {line}\n"),
        write(tmp_path, "shebang.sh", f"#!/bin/bash\n# {line}\n"),
        write(tmp_path, "data.json", "{}\n"),
        write(tmp_path, "empty.py", ""),
        write(tmp_path, "late.py", f"a = 1\nb = 2\n# {line}\n"),
    ]
    assert [f.where for f in check_spdx.lint(paths, tmp_path)] == ["empty.py", "late.py"]


@pytest.mark.parametrize(
    ("num_lines", "max_lines", "is_found"),
    [(300, None, False), (301, None, True), (301, 310, False), (311, 310, True), (300, 310, True)],
)
def test_a_file_may_be_as_long_as_its_limit_and_needs_its_exception(
    num_lines: int, max_lines: int | None, is_found: bool, tmp_path: Path
) -> None:
    path = write(tmp_path, "a.py", "x\n" * num_lines)
    allowed = {path: check_file_length.Allowance(max_lines, "test")} if max_lines else {}
    assert bool(list(check_file_length.lint([path], tmp_path, allowed))) == is_found


def test_an_exception_for_a_file_that_is_gone_is_found(tmp_path: Path) -> None:
    allowed = {Path("gone.rs"): check_file_length.Allowance(500, "test")}
    assert [f.where for f in check_file_length.lint([], tmp_path, allowed)] == ["gone.rs"]


@pytest.mark.parametrize(
    ("expression", "is_accepted"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0 AND MIT", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND GPL-3.0", False),
        ("(GPL-2.0 OR GPL-3.0) AND MIT", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("", False),
    ],
)
def test_a_licence_expression_is_accepted_if_some_choice_is(
    expression: str, is_accepted: bool
) -> None:
    assert check_licences.is_accepted(expression) == is_accepted


def test_listed_files_exist_and_leave_out_what_git_ignores() -> None:
    listed = repository.files()
    assert Path("Makefile") in listed
    assert all((repository.ROOT / path).is_file() for path in listed)
    assert not [path for path in listed if path.parts[0] in {".venv", "target"}]


def defaults(tmp_path: Path, text: str, path: str = "crates/noccl-net/src/rows.rs") -> list[str]:
    found = check_defaults.lint([write(tmp_path, path, text)], tmp_path)
    return [finding.where.rsplit(":", 1)[1] for finding in found]


@pytest.mark.parametrize(
    "bare",
    [
        "let cycles = found.map_or(0.0, |row| row.cycles);",
        "let cycles = rows.max().unwrap_or(0);",
        "let cycles = rows.max().unwrap_or(0_u64);",
        "let cycles = rows.map_or(\n    0,\n    |row| row.cycles,\n);",
        "let text = reason.unwrap_or_default();",
        "let text = reason.unwrap_or_else(Vec::new);",
        "let text = reason.unwrap_or(String::new());",
        "let text = entry.copied().unwrap_or(T::default());",
    ],
)
def test_a_default_of_0_needs_a_reason(tmp_path: Path, bare: str) -> None:
    assert defaults(tmp_path, f"{bare}\n") == ["1"]
    assert not defaults(tmp_path, f"// 0: no row is needed here.\n{bare}\n")
    assert defaults(tmp_path, f"// No row is needed here.\n{bare}\n") == ["2"]
    assert defaults(tmp_path, f"// 0: too far away.\n\n\n\n{bare}\n") == ["5"]


@pytest.mark.parametrize(
    "text",
    ["bits.map_or(0o666, mode)", "x.unwrap_or(0.5)", "x.unwrap_or(01)", "at.map_or(0..0, span)"],
)
def test_a_default_other_than_0_needs_none(tmp_path: Path, text: str) -> None:
    assert not defaults(tmp_path, f"let x = {text};\n")


def test_tests_may_have_defaults_of_0_and_code_after_them_may_not(tmp_path: Path) -> None:
    bare = "a.unwrap_or(0);"
    of_tests = f"#[cfg(test)]\nmod tests {{\n    fn one() {{\n        {bare}\n    }}\n}}\n"
    assert not defaults(tmp_path, of_tests)
    assert not defaults(tmp_path, of_tests.replace("mod tests", "pub(super) mod tests"))
    assert defaults(tmp_path, f"{of_tests}\nfn two() {{\n    {bare}\n}}\n") == ["9"]
    assert defaults(tmp_path, f"#[cfg(test)]\nmod tests;\nfn two() {{\n    {bare}\n}}\n") == ["4"]
    method = "#[cfg(test)]\n    fn one() {\n        a.unwrap_or(0);\n    }\n"
    assert not defaults(tmp_path, f"impl One {{\n    {method}}}\n")
    other = "    fn two() {\n        a.unwrap_or(0);\n    }\n"
    assert defaults(tmp_path, f"impl One {{\n    {method}{other}}}\n") == ["7"]


@pytest.mark.parametrize(
    "path",
    [
        "crates/noccl-net/tests/it/rows.rs",
        "crates/noccl-net/src/rows/tests.rs",
        "crates/noccl-net/src/rows/tests/all.rs",
        "crates/noccl-net/src/rows.py",
        "benches/src/rows/rows.rs",
    ],
)
def test_defaults_outside_of_the_sources_of_crates_are_free(tmp_path: Path, path: str) -> None:
    assert not defaults(tmp_path, "a.unwrap_or(0);\n", path)


def test_a_type_name_in_two_modules_of_a_crate_is_found(tmp_path: Path) -> None:
    texts = {
        "crates/one/src/a.rs": "struct Plane;\n#[cfg(test)]\nmod tests {\n    struct Task;\n}\n",
        "crates/one/src/b.rs": "pub(super) enum Task {}\n\npub(crate) struct Plane<'a> {}\n",
        "crates/one/src/tests.rs": "struct Plane;\n",
        "crates/one/tests/it/main.rs": "struct Plane;\n",
        "crates/two/src/a.rs": "struct Plane;\n",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    paths = [Path(name) for name in texts]
    (found,) = check_type_names.lint(paths, tmp_path, {})
    assert found.where == "crates/one/src/b.rs:3"
    assert "crates/one/src/a.rs" in found.what
    allowed = {("one", "Plane"): "a reason"}
    assert list(check_type_names.lint(paths, tmp_path, allowed)) == []
    (left,) = check_type_names.lint(paths[-1:], tmp_path, {("two", "Plane"): "none"})
    assert "remove it" in left.what
