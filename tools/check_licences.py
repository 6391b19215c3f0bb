# SPDX-License-Identifier: Apache-2.0
"""Every foreign package stands under a licence that fits Apache-2.0 distribution.

Rust crates are judged by the licence expression in `cargo metadata`; Python packages by the
metadata of what is installed; packages of the page by its lock file. A licence outside the list
is a decision for a person.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
from collections.abc import Iterator

import repository
from repository import Finding

ACCEPTED = frozenset(
    {
        "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-1-Clause", "BSD-2-Clause",
        "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "mpich2", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0",
        "PSF-2.0", "Python-2.0", "Unicode-3.0", "Unlicense", "Zlib",
    }
)  # fmt: skip
# Python packages that state their licence in words: what it says, as an SPDX identifier.
IN_WORDS = {
    "apache software license": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "bsd license": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    # Tests run it beside the simulator; nothing of it is shipped.
    "licenseref-mpich": "mpich2",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}


def is_accepted(expression: str) -> bool:
    """Judges an SPDX expression: of alternatives one must be accepted, of conjunctions all."""
    text = expression.replace("/", " OR ")
    text = re.sub(r"(?i) with ", " WITH ", text)
    # Innermost parentheses first, each replaced by a licence that says whether it is accepted.
    while (inner := re.search(r"\(([^()]*)\)", text)) is not None:
        licence = "MIT" if _is_flat_accepted(inner.group(1)) else "refused"
        text = text[: inner.start()] + licence + text[inner.end() :]
    return _is_flat_accepted(text)


def _is_flat_accepted(text: str) -> bool:
    alternatives = re.split(r"\s+OR\s+", text.strip())
    return any(
        all(part.strip() in ACCEPTED for part in re.split(r"\s+AND\s+", alternative))
        for alternative in alternatives
    )


def rust_licences(metadata: str) -> dict[str, str]:
    """Maps foreign crate to licence expression; workspace crates have no source."""
    return {
        f"{package['name']} {package['version']}": package["license"] or ""
        for package in json.loads(metadata)["packages"]
        if package["source"] is not None
    }


def python_licences() -> dict[str, str]:
    """Maps installed Python package to licence expression."""
    found = {}
    for distribution in importlib.metadata.distributions():
        fields = distribution.metadata.json
        if fields["name"] == "noccl":
            continue
        words = [
            text.rsplit(" :: ", 1)[-1]
            for text in fields.get("classifier", [])
            if text.startswith("License :: ")
        ]
        stated = fields.get("license_expression") or "".join(words[:1]) or fields.get("license", "")
        name = f"{fields['name']} {fields['version']}"
        found[name] = IN_WORDS.get(str(stated).strip().lower(), str(stated).strip())
    return found


def page_licences(lock: str) -> dict[str, str]:
    """Maps package of the page's lock file to licence expression."""
    packages = json.loads(lock)["packages"]
    return {
        f"{path} {package['version']}": package.get("license", "")
        for path, package in packages.items()
        if path
    }


def lint(licences: dict[str, str]) -> Iterator[Finding]:
    """Finds packages whose licence is missing or not accepted."""
    for package, expression in sorted(licences.items()):
        if not is_accepted(expression):
            yield Finding(package, f"licence '{expression[:60]}' is not in the accepted list")


def cargo_metadata() -> str:
    """Asks cargo for all packages of the lock file."""
    return subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--locked"],
        cwd=repository.ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


if __name__ == "__main__":
    page = page_licences((repository.ROOT / "page/package-lock.json").read_text(encoding="utf-8"))
    licences = rust_licences(cargo_metadata()) | python_licences() | page
    repository.main("licences", lambda: lint(licences))
