"""The files that complete the command line in bash, zsh and fish."""

from __future__ import annotations

from pathlib import Path

from controller.cli.completion_scripts import script_of

PLACES = {
    "bash": "usr/share/bash-completion/completions/wallwright",
    "zsh": "usr/share/zsh/vendor-completions/_wallwright",
    "fish": "usr/share/fish/vendor_completions.d/wallwright.fish",
}
"""For each shell, where Debian's package of the shell looks for completions."""


def write_completions(root: Path) -> None:
    """Write the completion of each shell below `root`. The words come from the program itself."""
    for shell, place in PLACES.items():
        file = root / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script_of(shell), "utf-8")
