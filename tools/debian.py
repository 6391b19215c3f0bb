# SPDX-License-Identifier: Apache-2.0
"""Fetches a tool that only a Debian package holds: no root, pinned, unpacked below the checkout.

`requirements/debian.toml` names version and content. The packages come from the sources that the
machine's own `apt-get` knows, with package lists of our own, since the machine's may be missing.
Usage: `debian.py PACKAGE FILE`; the file becomes a command that runs the tool, or, for a package
without a program, a link to the directory with its files.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import repository

LOCK = repository.ROOT / "requirements" / "debian.toml"
TOOLS = repository.ROOT / ".tools" / "debian"
LIBRARIES = Path("usr") / "lib" / "x86_64-linux-gnu"


class PackageError(Exception):
    """A package is not what the lock file says, or not to be had."""


@dataclass(frozen=True)
class Package:
    """A pinned package.

    Attributes:
        version: Debian version.
        architecture: The architecture for which the hash holds.
        sha256: Of the package file.
        program: Path of the tool inside the package; empty if only files are wanted.
        needs: Other packages of the lock file, unpacked into the same directory: libraries that a
            machine may lack.
        environment: Variables that tell the tool where its files are, as paths inside the package.
    """

    version: str
    architecture: str
    sha256: str
    program: str = ""
    needs: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


def packages(text: str) -> dict[str, Package]:
    """Reads the lock file: a table per package."""
    known = {name: Package(**entry) for name, entry in tomllib.loads(text).items()}
    for name, package in known.items():
        if missing := set(package.needs) - known.keys():
            raise PackageError(f"{name} needs {', '.join(sorted(missing))}: not in the lock file")
    return known


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
    if package.needs:
        paths["LD_LIBRARY_PATH"] = at / LIBRARIES
    variables = [f"{name}={shlex.quote(str(path))}" for name, path in paths.items()]
    words = [*variables, "exec", shlex.quote(str(at / package.program)), '"$@"']
    return "#!/bin/sh\n" + " ".join(words) + "\n"


def apt() -> list[str]:
    """The start of a command of apt-get, with lists and cache below the checkout."""
    state, cache = TOOLS / "apt" / "state", TOOLS / "apt" / "cache"
    for directory in (state / "lists" / "partial", cache / "archives" / "partial"):
        directory.mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::State": str(state),
        "Dir::State::status": "/var/lib/dpkg/status",
        "Dir::Cache": str(cache),
        "APT::Sandbox::User": "",
    }
    return ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in options.items())]


def run_apt(*arguments: str) -> None:
    """Runs apt-get in its cache.

    Raises:
        PackageError: With what apt-get says.
    """
    command = [*apt(), *arguments]
    cache = TOOLS / "apt" / "cache"
    run = subprocess.run(command, cwd=cache, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise PackageError(f"apt-get {' '.join(arguments)}: {run.stderr.strip()}")


def download(name: str, package: Package) -> bytes:
    """The package file.

    Raises:
        PackageError: Another architecture, or apt-get does not find the version.
    """
    dpkg = ["dpkg", "--print-architecture"]
    machine = subprocess.run(dpkg, capture_output=True, text=True, check=True).stdout.strip()
    if package.architecture not in {machine, "all"}:
        raise PackageError(f"architecture {machine}; accepted: {package.architecture}")
    wanted = f"{name}={package.version}"
    run_apt("download", wanted)
    files = sorted((TOOLS / "apt" / "cache").glob(f"{name}_*.deb"))
    if not files:
        raise PackageError(f"apt-get download {wanted} left no file")
    content = files[-1].read_bytes()
    for file in files:
        file.unlink()
    return content


def unpack(name: str, known: dict[str, Package]) -> Path:
    """Downloads and unpacks a package with what it needs, unless these versions are there.

    Raises:
        PackageError: Not to be had, or not what the lock file says.
    """
    if name not in known:
        raise PackageError(f"{name}: not in {LOCK.name}; accepted: {', '.join(known)}")
    wanted = {part: known[part] for part in (name, *known[name].needs)}
    hashes = "".join(package.sha256 for package in wanted.values())
    at = TOOLS / f"{name}-{hashlib.sha256(hashes.encode()).hexdigest()[:12]}"
    if at.exists():
        return at
    run_apt("update")
    unpacked = TOOLS / f"{name}.new"
    shutil.rmtree(unpacked, ignore_errors=True)
    for part, package in wanted.items():
        content = download(part, package)
        verify(package, content)
        archive = TOOLS / f"{part}.deb"
        archive.write_bytes(content)
        subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
        archive.unlink()
    unpacked.rename(at)
    return at


def install(name: str, file: Path) -> None:
    """Makes `file` run the tool, or lead to the package's files.

    Raises:
        PackageError: Not to be had, or not what the lock file says.
    """
    known = packages(LOCK.read_text())
    at = unpack(name, known)
    file.parent.mkdir(parents=True, exist_ok=True)
    if known[name].program:
        file.write_text(command_text(known[name], at))
        file.chmod(0o755)
    else:
        file.unlink(missing_ok=True)
        file.symlink_to(at)


def main() -> None:
    """Entry point."""
    try:
        _, name, file = sys.argv
    except ValueError:
        sys.exit("usage: debian.py PACKAGE FILE")
    try:
        install(name, Path(file))
    except (PackageError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {name}: {error}")


if __name__ == "__main__":
    main()
