"""`wallwright version`: one line for people, and all versions as JSON."""

from __future__ import annotations

from controller.cli.commands.version import program_version
from controller.cli.output.format_versions import formats
from tests.controller.cli.conftest import Wallwright


def test_the_version_is_printed_in_one_line(wallwright: Wallwright) -> None:
    for line in ("version", "--version"):
        result = wallwright(line)
        assert (result.code, result.out.count("\n")) == (0, 1)
        assert result.out.startswith(f"wallwright {program_version()} (")


def test_the_versions_of_all_formats_are_printed_as_json(wallwright: Wallwright) -> None:
    found = wallwright("version --json").json
    assert list(found) == ["program", "identity", "formats"]
    assert (found["program"], found["formats"]) == (program_version(), dict(formats()))
