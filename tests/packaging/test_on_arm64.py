"""The package for arm64 in a clean arm64 Debian 12, by an emulator of the processor.

`make test-arm64` runs this, and prints the figures; `make test` does not. The emulator (qemu-user)
executes the programs of arm64 on the kernel of this computer, about ten times slower than the
processor of this computer executes its own.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.conftest import (
    AS_USER,
    BUILD,
    DebianRoot,
    build_package,
    debian_for,
    start_programs_of_arm64,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), pytest.mark.evidence(only=True)]
MEASURED = """
cat > measure.py <<'END'
import os, resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[2:], check=False).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"MEASURED {sys.argv[1]}: {time.monotonic() - began:.1f} s, {used:.0f} MiB", flush=True)
sys.exit(code)
END
"""


@pytest.fixture
def raspberry(tmp_path: Path) -> Iterator[DebianRoot]:
    """A clean Debian 12 for arm64."""
    start_programs_of_arm64()
    folder = tmp_path / "arm64"
    yield DebianRoot(folder, debian_for("arm64"))
    shutil.rmtree(folder, ignore_errors=True)


def test_the_package_for_arm64_deals_a_round(
    raspberry: DebianRoot, capsys: pytest.CaptureFixture[str]
) -> None:
    package = build_package(BUILD / "arm64", "arm64")
    raspberry.install(package)
    seen = raspberry.run(
        f"""
        {MEASURED}
        uname -m
        python3 measure.py "wallwright version" wallwright version
        python3 measure.py "the pins of a Pi can be driven" /opt/wallwright/bin/python3 -c \\
            'import lgpio; print("lgpio", lgpio.SET_PULL_UP)'
        python3 measure.py "a round until it is ready, at speed 25" {AS_USER} wallwright serve \\
            --sim 25 --game wenzhou --automatic --until ready --listen 127.0.0.1:0 \\
            --data /var/lib/wallwright/data
        {AS_USER} wallwright audit show --data /var/lib/wallwright/data
        """
    )
    with capsys.disabled():
        sys.stdout.writelines(f"\n{line}" for line in re.findall(r"MEASURED (.*)", seen))
    assert "aarch64" in seen
    assert "(not signed)" in seen
    assert "272 of 272 accounted for" in seen
    assert re.search(r"root [0-9a-f]{64}", seen) is not None
