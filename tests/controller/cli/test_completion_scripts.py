"""The scripts with which a shell completes the command line, and their installation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli.completion_scripts import SHELLS, install_completion, script_of
from controller.cli.errors import BadInputError
from tests.controller.cli.conftest import Wallwright

BIN = Path(sys.executable).parent


def completed(script: str, typed: str) -> list[str]:
    """What bash offers after a script was read, for the words before the cursor."""
    words = " ".join(f"'{word}'" for word in typed.split(" "))
    lines = (
        script,
        f"COMP_WORDS=({words})",
        f"COMP_CWORD={len(typed.split(' ')) - 1}",
        "_wallwright_completion wallwright",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(lines)],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_bash_completes_commands_and_options_by_the_script() -> None:
    script = script_of("bash")
    assert completed(script, "wallwright expl") == ["explain"]
    assert completed(script, "wallwright floor ca re") == ["renew", "revoke", "refresh"]
    assert completed(script, "wallwright plan wenzhou --th") == ["--throw"]


@pytest.mark.parametrize(
    ("shell", "file", "start_file"),
    [
        ("bash", ".bash_completions/wallwright.sh", ".bashrc"),
        ("zsh", ".zfunc/_wallwright", ".zshrc"),
        ("fish", ".config/fish/completions/wallwright.fish", None),
    ],
)
def test_a_second_installation_changes_no_start_file(
    shell: str, file: str, start_file: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if start_file is not None:
        (tmp_path / start_file).write_text("alias ll='ls -l'")
    assert install_completion(shell) == tmp_path / file
    first = {each.name: each.read_text() for each in tmp_path.rglob("*") if each.is_file()}
    assert first[Path(file).name] == script_of(shell)
    if start_file is not None:
        kept, line = first[start_file].splitlines()
        assert kept == "alias ll='ls -l'"
        assert (str(tmp_path / file) if shell == "bash" else "compinit") in line
    install_completion(shell)
    second = {each.name: each.read_text() for each in tmp_path.rglob("*") if each.is_file()}
    assert second == first


def test_a_start_file_that_cannot_be_written_is_an_error_with_a_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").mkdir()
    with pytest.raises(BadInputError, match="print it with --show-completion"):
        install_completion("bash")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_the_users_shell_is_printed(
    shell: str, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getppid", os.getpid)  # this process is no shell
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    assert wallwright("--show-completion") == (0, script_of(shell), "")


def test_the_shell_that_starts_the_program_comes_before_the_users() -> None:
    shown = subprocess.run(
        ["bash", "--norc", "-c", "wallwright --show-completion; true"],
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "SHELL": "/usr/bin/fish"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == script_of("bash")


def test_a_shell_without_completion_is_refused(
    wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getppid", os.getpid)
    monkeypatch.setenv("SHELL", "/bin/dash")
    refused = "The shell 'dash' has no completion; use bash, zsh or fish.\n"
    assert wallwright("--install-completion") == (2, "", refused)
