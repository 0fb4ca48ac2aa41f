"""Builds the Debian package: `python -m tools.debian_package [--arch amd64] [--output build]`.

Two builds of one commit with the same Python are the same bytes.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

from tools.debian_package.architecture import ARCHITECTURES
from tools.debian_package.archive import pack
from tools.debian_package.errors import PackageBuildError
from tools.debian_package.program_tree import lay_out
from tools.debian_package.source import HOUSE, build_version, copy_source, source_time
from tools.debian_package.wheels import build_wheel, fetch_wheels

PYTHON = (3, 11)
"""The Python with which the package must be built: it compiles the modules for Debian 12."""
_VERSION = re.compile(r"[0-9][A-Za-z0-9.+~]*")


def main(arguments: list[str] | None = None) -> int:
    """Build one package and print its path; return 2 if it cannot be built."""
    parser = argparse.ArgumentParser(prog="python -m tools.debian_package")
    parser.add_argument("--arch", choices=sorted(ARCHITECTURES), default="amd64")
    parser.add_argument("--output", type=Path, default=HOUSE / "build" / "deb")
    parser.add_argument("--wheels", type=Path, default=HOUSE / "build" / "wheels")
    parser.add_argument("--version", default=build_version())
    parser.add_argument("--compression", choices=("zstd", "xz", "gzip", "none"), default="zstd")
    asked = parser.parse_args(arguments)
    try:
        print(build(asked.arch, asked.output, asked.wheels, asked.version, asked.compression))
    except PackageBuildError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def build(
    architecture: str, output: Path, wheels: Path, version: str, compression: str = "zstd"
) -> Path:
    """Build the package into the folder `output`. Raises PackageBuildError.

    `wheels` is the folder for the packages that the registry has; those that are there already are
    not downloaded again.
    """
    if sys.version_info[:2] != PYTHON:
        found = ".".join(map(str, sys.version_info[:2]))
        raise PackageBuildError(
            f"The package must be built with Python 3.11; this is Python {found}."
            " Make the environment with it: make clean, then make deb PYTHON=python3.11."
        )
    if not _VERSION.fullmatch(version):
        raise PackageBuildError(f"`--version` must be a version such as 0.2.0; got '{version}'.")
    os.umask(0o022)
    kind = ARCHITECTURES[architecture]
    epoch = source_time()
    fetched = fetch_wheels([HOUSE / file for file in kind.requirements], kind, wheels)
    package = output / f"wallwright_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="wallwright-deb-") as folder:
        place = Path(folder)
        source = copy_source(place / "source", version)
        program = build_wheel(source, place / "wheel")
        lay_out(place / "root", [*fetched, program], version, kind, epoch)
        pack(place / "root", package, epoch, compression)
    return package


if __name__ == "__main__":
    sys.exit(main())
