"""The build of the Debian package: requirements, wheels, and refusals."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tools.debian_package import wheels
from tools.debian_package.__main__ import main
from tools.debian_package.architecture import ARCHITECTURES
from tools.debian_package.errors import PackageBuildError
from tools.debian_package.source import HOUSE, source_time


def test_each_package_is_fetched_with_its_hashes_either_as_wheel_or_from_source() -> None:
    for kind in ARCHITECTURES.values():
        locks = [HOUSE / file for file in kind.requirements]
        source = wheels.requirements(locks, wheels.FROM_SOURCE)
        binary = wheels.requirements(locks, wheels.FROM_SOURCE, without=True)
        lines = [line for lock in locks for line in lock.read_text().splitlines() if "==" in line]
        names = {line.split("==")[0] for line in lines}
        assert {"fastapi", "sqlalchemy"} <= names
        fetched = [line.split("==")[0] for line in (source + binary).splitlines() if "==" in line]
        assert sorted(fetched) == sorted(names)
        assert source.startswith("cobs==")
        assert "--hash=sha256:" in source
    pi = [HOUSE / file for file in ARCHITECTURES["arm64"].requirements]
    assert "lgpio==" in wheels.requirements(pi, ["lgpio"])


def _wheel(folder: Path, *names: str) -> Path:
    file = folder / "part-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return file


def test_a_wheel_is_unpacked_without_its_commands(tmp_path: Path) -> None:
    wheel = _wheel(
        tmp_path,
        "part/__init__.py",
        "part-1.0.data/purelib/more.py",
        "part-1.0.data/scripts/part",
        "part-1.0.dist-info/METADATA",
    )
    wheels.unpack(wheel, tmp_path / "site")
    site = tmp_path / "site"
    found = sorted(str(file.relative_to(site)) for file in site.rglob("*") if file.is_file())
    assert found == ["more.py", "part-1.0.dist-info/METADATA", "part/__init__.py"]


def test_a_wheel_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageBuildError, match="leads out of its folder"):
        wheels.unpack(_wheel(tmp_path, "../outside.py"), tmp_path / "site")
    assert not (tmp_path / "outside.py").exists()


def test_a_bad_version_and_a_bad_time_are_refused_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--version", "../0.2"]) == 2
    assert "must be a version such as 0.2.0; got '../0.2'" in capsys.readouterr().err
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(PackageBuildError, match="got 'yesterday'"):
        source_time()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert source_time() == 86_400
