"""The file with the options of the service, and how systemd divides it into words."""

from __future__ import annotations

import shlex

from controller.upkeep.installation.service_options import VARIABLE, ServiceOptions


def _words(text: str) -> list[str]:
    """The words as systemd finds them: the file's quotes first, then those of each word."""
    line = next(each for each in text.splitlines() if each.startswith(VARIABLE))
    (value,) = shlex.split(line.removeprefix(f"{VARIABLE}="))
    return shlex.split(value)


def test_a_port_for_all_boards_is_given_once_and_other_ports_with_their_boards() -> None:
    one = ServiceOptions("robotic", {"base": "/dev/a", "arm": "/dev/a"})
    assert one.words == ("--table", "robotic", "--port", "/dev/a")
    two = ServiceOptions("robotic", {"base": "/dev/a", "arm": "/dev/b"})
    assert two.words == ("--table", "robotic", "--port", "base=/dev/a", "--port", "arm=/dev/b")
    assert ServiceOptions("robotic").words == ("--table", "robotic")


def test_every_text_reaches_the_service_as_it_was_given() -> None:
    for nameplate in ("Treasure, MJ-9, A-17", 'O\'Brien, "X", 5', "a\\b, c, d", "$HOME, %h, #"):
        options = ServiceOptions("/etc/wallwright/table.yaml", {}, "127.0.0.1:80", nameplate)
        assert _words(options.text) == list(options.words)
        assert options.words[-1] == nameplate
