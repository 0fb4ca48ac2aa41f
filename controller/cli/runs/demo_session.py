"""One run of `wallwright floor demo`."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from controller.cli.errors import BadInputError, as_sentence
from controller.cli.runs.stop_signals import StopSignals
from controller.floor.demo.demonstration import Demonstration, DemoOptions, DemoResult
from rules.errors import WallwrightError

__all__ = ["DemoOptions", "run_demo"]


def run_demo(folder: Path | None, options: Callable[[Path], DemoOptions]) -> int:
    """Run until a stop signal or the end of the time; returns the exit code.

    Raises BadInputError if a part cannot be started.
    """
    place = (
        tempfile.TemporaryDirectory(prefix="wallwright-floor-", ignore_cleanup_errors=True)
        if folder is None
        else nullcontext(str(folder))
    )
    try:
        with place as path:
            return asyncio.run(_run(options(Path(path))))
    except (WallwrightError, OSError) as error:
        raise BadInputError(as_sentence(error)) from error


async def _run(options: DemoOptions) -> int:
    stop = asyncio.Event()
    StopSignals(asyncio.get_running_loop(), stop.set)
    result = await Demonstration(options, _report).run(stop)
    return _print_result(result, options)


def _report(sentence: str) -> None:
    print(sentence, flush=True)


def _print_result(result: DemoResult, options: DemoOptions) -> int:
    print(f"{result.starts} processes were started, {result.kills} of them killed by --chaos.")
    for comparison in result.comparisons:
        print(comparison)
    if not options.is_checked:
        return 0
    return 1 if any(each.defect for each in result.comparisons) else 0
