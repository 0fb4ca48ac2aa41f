"""The command line: `wallwright`. Errors are one sentence on standard error and what to do.

Exit code 0: done. 1: the table has a fault. 2: bad input, nothing was moved. 128 and the number of
a signal: the signal ended it, 130 for Ctrl-C.

Nothing but the standard library is imported before a command is known: `wallwright version` and
every shell that completes a word start in a fraction of the time that a whole table takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

_REFUSALS = (
    ("rules.errors", "RulesError"),
    ("config.errors", "ConfigError"),
    ("config.layout.staging", "DoesNotFitError"),
    ("controller.cli.errors", "BadInputError"),
    ("controller.journal", "JournalError"),
)
"""Errors that are a sentence for the person who typed the command: module and name."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code. Without a command it prints help."""
    given = sys.argv[1:] if arguments is None else arguments
    _write_ascii_where_needed()
    try:
        code = _obey(given)
        sys.stdout.flush()
    except _refusals() as error:
        return _refuse(str(error))
    except _loaded(("click.exceptions", "ClickException")) as error:
        from controller.cli.application import NAMES
        from controller.cli.usage_errors import sentence

        return _refuse(sentence(error, given, NAMES))  # type: ignore[arg-type]
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except _loaded(("click.exceptions", "Abort")):
        print(file=sys.stderr)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # Whoever read this has seen enough; click and rich leave by SystemExit when that happens.
        _close_output()
        return 0
    except OSError as error:
        _close_output()
        return _refuse(f"The output cannot be written ({error.strerror}); send it elsewhere.")
    return code


def _obey(given: Sequence[str]) -> int:
    if list(given) in (["version"], ["--version"]):
        from controller.cli.version import version

        return version()
    from controller.cli.application import app

    code = app(args=list(given) or ["--help"], prog_name="wallwright", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _refusals() -> tuple[type[Exception], ...]:
    """The refusals that can have been raised: those whose modules are loaded."""
    return _loaded(*_REFUSALS)


def _loaded(*named: tuple[str, str]) -> tuple[type[Exception], ...]:
    return tuple(
        getattr(sys.modules[module], name) for module, name in named if module in sys.modules
    )


def _write_ascii_where_needed() -> None:
    """A terminal or file that lacks a character gets one that looks like it."""
    for stream in (sys.stdout, sys.stderr):
        encoding = getattr(stream, "encoding", None) or "ascii"
        if not encoding.lower().startswith("utf") and hasattr(stream, "reconfigure"):
            from controller.cli.ascii_text import LOOKALIKES

            stream.reconfigure(errors=LOOKALIKES)


def _refuse(words: str) -> int:
    from controller.cli.errors import print_error

    print_error(words)
    return 2


def _close_output() -> None:
    """What still waits to be written goes nowhere, so that leaving does not fail over it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
