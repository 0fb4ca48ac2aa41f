"""The package as a file: equal builds, lintian, rights, libraries, and the units."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import HOUSE, PATIENCE, build_package
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(PATIENCE)]
UNITS = [HOUSE / "packaging" / f"{name}.service" for name in ("wallwright", "wallwright-floor")]
MOST_EXPOSED = 3.0
"""The highest exposure of the unit, of 10, that `systemd-analyze security` may compute."""
LIBRARIES = "opt/wallwright/lib/python3.11/site-packages"
OWN = {"config", "controller", "firmware_bridge", "rules"}
OF_DEPENDENCIES = {
    "libc6": {"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"}
    | {"libresolv.so.2", "librt.so.1"},
    "libgcc-s1": {"libgcc_s.so.1"},
    "libstdc++6": {"libstdc++.so.6"},
    "zlib1g": {"libz.so.1"},
}
"""The shared libraries in the packages of the field Depends."""


@pytest.fixture(scope="module")
def files(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the package, unpacked."""
    folder = tmp_path_factory.mktemp("files")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder


@EVIDENCE_ONLY
def test_two_builds_of_one_commit_are_the_same_bytes(package: Path, tmp_path: Path) -> None:
    again = build_package(tmp_path)
    assert again.name == package.name
    assert again.read_bytes() == package.read_bytes()


@EVIDENCE_ONLY
def test_lintian_finds_nothing_in_the_whole_package_that_has_no_reason(package: Path) -> None:
    require_accepted(package)


@EVIDENCE_ONLY
def test_lintian_finds_nothing_that_has_no_reason(package: Path, tmp_path: Path) -> None:
    """The files of other projects are left out: lintian would read them for half a minute."""
    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "-R", package, root], check=True)
    for entry in (root / LIBRARIES).iterdir():
        if entry.is_dir() and entry.name not in OWN:
            shutil.rmtree(entry)
        elif entry.is_file():
            entry.unlink()
    for folder in list((root / "opt").rglob("__pycache__")):
        shutil.rmtree(folder)
    sums = root / "DEBIAN" / "md5sums"
    lines = sums.read_text().splitlines(keepends=True)
    sums.write_text("".join(each for each in lines if (root / each[34:].rstrip()).exists()))
    own = tmp_path / "own.deb"
    subprocess.run(
        ["dpkg-deb", "-Znone", "--root-owner-group", "--build", root, own],
        check=True,
        capture_output=True,
    )
    require_accepted(own)


def require_accepted(package: Path) -> None:
    # `make deb` compresses the package; the tests do not.
    tags = "uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball"
    checked = subprocess.run(
        ["lintian", "--fail-on=error,warning", f"--suppress-tags={tags}", "--allow-root", package],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_exception_for_lintian_has_a_reason_above_it() -> None:
    reason = ""
    for line in (HOUSE / "packaging/debian/lintian-overrides").read_text().splitlines():
        if line.startswith("#"):
            reason = line
        elif line:
            assert reason, f"{line} has no comment with its reason above it."


def test_every_file_belongs_to_root_and_no_other_user_may_write_it(package: Path) -> None:
    listed = subprocess.run(
        ["dpkg-deb", "-c", package], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(listed) > 3000
    wrong = [
        line
        for line in listed
        if line.split()[1] != "root/root" or (line[0] != "l" and (line[5] == "w" or line[8] == "w"))
    ]
    assert wrong == []


def test_every_library_that_the_program_loads_is_in_a_package_that_it_depends_on(
    package: Path, files: Path
) -> None:
    depends = subprocess.run(
        ["dpkg-deb", "-f", package, "Depends"], capture_output=True, text=True, check=True
    ).stdout
    given = {
        name
        for dependency, names in OF_DEPENDENCIES.items()
        if re.search(rf"(^| ){re.escape(dependency)}( |,|$)", depends)
        for name in names
    }
    compiled = [file for file in files.rglob("*.so*") if not file.is_symlink()]
    assert len(compiled) > 20
    own = {file.name for file in compiled}
    needed = subprocess.run(
        ["readelf", "--dynamic", *compiled], capture_output=True, text=True, check=True
    ).stdout
    assert set(re.findall(r"\(NEEDED\).*\[(.+)\]", needed)) - own - given == set()


def test_the_change_log_of_the_package_names_its_version(package: Path, files: Path) -> None:
    version = package.name.split("_")[1]
    text = gzip.decompress((files / "usr/share/doc/wallwright/changelog.gz").read_bytes())
    assert text.decode().startswith(f"wallwright ({version}) ")


@pytest.mark.parametrize("source", UNITS, ids=lambda unit: unit.stem)
def test_systemd_reads_the_unit_without_a_warning(
    source: Path, files: Path, tmp_path: Path
) -> None:
    unit = tmp_path / source.name
    # systemd looks for the command on this computer, where it is not installed.
    command = files / "opt/wallwright/bin/wallwright"
    unit.write_text(source.read_text().replace("/usr/bin/wallwright", str(command)))
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_the_service_may_do_no_more_than_it_needs(unit: Path) -> None:
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", unit],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"exposure level for \S+: ([\d.]+)", rated.stdout)
    assert found is not None
    assert float(found[1]) <= MOST_EXPOSED


def test_the_service_works_in_a_folder_in_which_its_user_may_write() -> None:
    # Without a WorkingDirectory a service works in /, where the import of lgpio fails.
    unit = dict(
        line.split("=", 1)
        for line in (HOUSE / "packaging/wallwright.service").read_text().splitlines()
        if "=" in line and not line.startswith("#")
    )
    assert unit["WorkingDirectory"] == f"/var/lib/{unit['StateDirectory']}"
    assert unit["PrivateTmp"] == "yes", "the pipe of lgpio is made in a temporary folder"
