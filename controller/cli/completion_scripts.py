"""The shell completion of bash, zsh and fish: its scripts, and their installation for a user.

A script asks the program for the words: it starts `wallwright` with the variable `VARIABLE`.
"""

from __future__ import annotations

import os
from pathlib import Path

from click import Command
from click.shell_completion import get_completion_class

from controller.cli.errors import BadInputError

PROGRAM = "wallwright"
VARIABLE = "_WALLWRIGHT_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_START_FILES = {
    "bash": (".bashrc", "source '{script}'"),
    "zsh": (".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
}
"""For each shell that does not find the script by itself: its start file, and the line in it."""
_SCRIPTS = {
    "bash": f".bash_completions/{PROGRAM}.sh",
    "zsh": f".zfunc/_{PROGRAM}",
    "fish": f".config/fish/completions/{PROGRAM}.fish",
}
"""For each shell, the file of the script in the home folder."""


def script_of(shell: str) -> str:
    """The script that completes the command line in one of `SHELLS`."""
    kind = get_completion_class(shell)
    assert kind is not None
    completion = kind(Command(PROGRAM), {}, PROGRAM, VARIABLE)
    return completion.source_template % completion.source_vars()


def shell_of_user() -> str:
    """The shell that has started the program, or else the user's. Raises BadInputError."""
    try:
        parent = Path(f"/proc/{os.getppid()}/comm").read_text("utf-8").strip()
    except OSError:  # a system without /proc
        parent = ""
    shell = parent if parent in SHELLS else Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS:
        raise BadInputError(
            f"The shell '{shell or parent}' has no completion; use {', '.join(SHELLS[:-1])} or"
            f" {SHELLS[-1]}."
        )
    return shell


def install_completion(shell: str) -> Path:
    """Write the script into the home folder, where the shell finds it; returns its file.

    Raises BadInputError if a file cannot be written.
    """
    home = Path.home()
    script = home / _SCRIPTS[shell]
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(script_of(shell), "utf-8")
        if shell in _START_FILES:
            name, line = _START_FILES[shell]
            _add_line(home / name, line.format(script=script))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(
            f"The completion cannot be installed ({error}); print it with --show-completion, and"
            " put it where your shell finds it."
        ) from error
    return script


def _add_line(file: Path, line: str) -> None:
    """Add a line to a file that does not have it."""
    text = file.read_text("utf-8") if file.exists() else ""
    if line in text.splitlines():
        return
    separator = "" if not text or text.endswith("\n") else "\n"
    file.write_text(f"{text}{separator}{line}\n", "utf-8")
