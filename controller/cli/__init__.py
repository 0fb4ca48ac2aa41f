"""The command line `wallwright`. An error is printed to standard error with its next step.

Exit codes: 0, the command succeeded; 1, the table has a fault or a check failed; 2, bad input,
nothing was moved; 128 plus a signal's number, the signal ended the command (130 for Ctrl-C).

An installed program is compared with its signed manifest before anything else runs. Until the
command is known, only the standard library is imported: `wallwright version` and shell completion
then start in a fraction of the time that loading a table takes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from controller.records.identity.boot import refusal

# pydantic otherwise reads the metadata of every installed package at the first model, to find
# plug-ins that change the validation. Wallwright has none, and it takes up to 50 ms of each start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

_INPUT_ERRORS = (
    ("rules.errors", "RulesError"),
    ("config.errors", "ConfigError"),
    ("config.layout.staging", "DoesNotFitError"),
    ("controller.proof.campaign", "CampaignError"),
    ("controller.cli.errors", "BadInputError"),
    ("controller.proof.lab", "LaboratoryError"),
    ("controller.records.identity.manifest", "IdentityError"),
    ("controller.run.journal", "JournalError"),
    ("controller.records.audit.errors", "AuditError"),
)
"""Errors that are caused by the command line or by an input file: module and class name.

Their text is printed without a traceback, and the exit code is 2.
"""


_EXTRAS = {
    **dict.fromkeys(("alembic", "psycopg", "sqlalchemy"), "floor"),
    **dict.fromkeys(("matplotlib", "numpy", "scipy"), "lab"),
    "distributed": "cluster",
    "opentelemetry": "trace",
    "reportlab": "paper",
}
"""The packages that only some commands need, each with the extra that installs it."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code. Without a command, print the help."""
    given = sys.argv[1:] if arguments is None else arguments
    _replace_unsupported_characters()
    if (why := refusal(given)) is not None:
        _fail(why)
        return 1
    try:
        code = _run_command(given)
        sys.stdout.flush()
    except _input_errors() as error:
        return _fail(str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRAS:
            raise
        return _fail(
            f"The command needs the package '{package}', which is not installed; install the"
            f" extra: pip install 'wallwright[{_EXTRAS[package]}]'."
        )
    except _loaded(("click.exceptions", "ClickException")) as error:
        from controller.cli.application import COMMANDS
        from controller.cli.usage_errors import sentence

        return _fail(sentence(error, given, COMMANDS))  # type: ignore[arg-type]
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return INTERRUPTED
    except _loaded(("click.exceptions", "Abort")):
        print(file=sys.stderr)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # The reader of the pipe has closed it. click and rich raise SystemExit in that case.
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        return _fail(
            f"The output cannot be written ({error.strerror}); redirect it to another file or disk."
        )
    return code


def _run_command(given: Sequence[str]) -> int:
    if list(given) in (["version"], ["--version"]):
        from controller.cli.commands.version import version

        return version()
    from controller.cli.application import app

    code = app(args=list(given) or ["--help"], prog_name="wallwright", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _input_errors() -> tuple[type[Exception], ...]:
    """The input errors whose modules are loaded; the others cannot have been raised."""
    return _loaded(*_INPUT_ERRORS)


def _loaded(*errors: tuple[str, str]) -> tuple[type[Exception], ...]:
    """The error classes whose modules are loaded, from pairs of module and class name."""
    return tuple(
        getattr(sys.modules[module], name) for module, name in errors if module in sys.modules
    )


def _replace_unsupported_characters() -> None:
    """Make the output streams replace characters that their encoding lacks by similar ones."""
    for stream in (sys.stdout, sys.stderr):
        encoding = getattr(stream, "encoding", None) or "ascii"
        if not encoding.lower().startswith("utf") and hasattr(stream, "reconfigure"):
            from controller.cli.terminal.screen import LOOKALIKES

            stream.reconfigure(errors=LOOKALIKES)


def _fail(message: str) -> int:
    """Print the message to standard error and return exit code 2."""
    from controller.cli.errors import print_error

    print_error(message)
    return 2


def _discard_output() -> None:
    """Redirect standard output to the null device, so that flushing it at exit cannot fail."""
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, 1)
    os.close(null_device)


if __name__ == "__main__":
    sys.exit(main())
