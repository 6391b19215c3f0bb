# SPDX-License-Identifier: Apache-2.0
"""Fetches a tool that only a Debian package holds: no root, pinned, unpacked below the checkout.

`requirements/debian.toml` names version and content. The packages come from the sources that the
machine's own `apt-get` knows, with package lists of our own, since the machine's may be missing.
Usage: `debian.py PACKAGE COMMAND_FILE`; the file becomes a command that runs the tool.
"""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import repository

LOCK = repository.ROOT / "requirements" / "debian.toml"
TOOLS = repository.ROOT / ".tools" / "debian"


class PackageError(Exception):
    """A package is not what the lock file says, or not to be had."""


@dataclass(frozen=True)
class Package:
    """A pinned package.

    Attributes:
        version: Debian version.
        architecture: The architecture for which the hash holds.
        sha256: Of the package file.
        program: Path of the tool inside the package.
        environment: Variables that tell the tool where its files are, as paths inside the package.
    """

    version: str
    architecture: str
    sha256: str
    program: str
    environment: dict[str, str] = field(default_factory=dict)


def packages(text: str) -> dict[str, Package]:
    """Reads the lock file: a table per package."""
    return {name: Package(**entry) for name, entry in tomllib.loads(text).items()}


def verify(package: Package, content: bytes) -> None:
    """Compares a package file with the lock file.

    Raises:
        PackageError: It is another file.
    """
    found = hashlib.sha256(content).hexdigest()
    if found != package.sha256:
        raise PackageError(f"sha256 {found}; accepted: {package.sha256}")


def command_text(package: Package, at: Path) -> str:
    """A shell script that runs the tool unpacked at `at`."""
    paths = {name: at / path for name, path in package.environment.items()}
    variables = [f"{name}={shlex.quote(str(path))}" for name, path in paths.items()]
    words = [*variables, "exec", shlex.quote(str(at / package.program)), '"$@"']
    return "#!/bin/sh\n" + " ".join(words) + "\n"


def download(name: str, package: Package) -> bytes:
    """The package file, by apt-get with lists and cache below the checkout.

    Raises:
        PackageError: Another architecture, or apt-get does not find the version.
    """
    dpkg = ["dpkg", "--print-architecture"]
    machine = subprocess.run(dpkg, capture_output=True, text=True, check=True).stdout.strip()
    if machine != package.architecture:
        raise PackageError(f"architecture {machine}; accepted: {package.architecture}")
    state, cache = TOOLS / "apt" / "state", TOOLS / "apt" / "cache"
    for directory in (state / "lists" / "partial", cache / "archives" / "partial"):
        directory.mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::State": str(state),
        "Dir::State::status": "/var/lib/dpkg/status",
        "Dir::Cache": str(cache),
        "APT::Sandbox::User": "",
    }
    apt = ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in options.items())]
    wanted = f"{name}={package.version}"
    for arguments in (["update"], ["download", wanted]):
        command = [*apt, *arguments]
        run = subprocess.run(command, cwd=cache, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise PackageError(f"apt-get {' '.join(arguments)}: {run.stderr.strip()}")
    files = sorted(cache.glob(f"{name}_*.deb"))
    if not files:
        raise PackageError(f"apt-get download {wanted} left no file")
    content = files[-1].read_bytes()
    for file in files:
        file.unlink()
    return content


def install(name: str, command: Path) -> None:
    """Makes `command` run the tool; downloads and unpacks it unless this version is there.

    Raises:
        PackageError: Not to be had, or not what the lock file says.
    """
    known = packages(LOCK.read_text())
    if name not in known:
        raise PackageError(f"{name}: not in {LOCK.name}; accepted: {', '.join(known)}")
    package = known[name]
    at = TOOLS / f"{name}-{package.sha256[:12]}"
    if not at.exists():
        content = download(name, package)
        verify(package, content)
        archive = TOOLS / f"{name}.deb"
        archive.write_bytes(content)
        unpacked = TOOLS / f"{name}.new"
        subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
        archive.unlink()
        unpacked.rename(at)
    command.write_text(command_text(package, at))
    command.chmod(0o755)


def main() -> None:
    """Entry point."""
    try:
        _, name, command = sys.argv
    except ValueError:
        sys.exit("usage: debian.py PACKAGE COMMAND_FILE")
    try:
        install(name, Path(command))
    except (PackageError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {name}: {error}")


if __name__ == "__main__":
    main()
