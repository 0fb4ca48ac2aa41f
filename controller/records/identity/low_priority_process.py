"""Computes over the program's files in a process of the lowest priority.

Hashing in a process of its own does not delay the event loop, and the scheduler puts it last.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

from controller.records.identity.boot import PROGRAM
from controller.records.identity.identity_error import IdentityError

_BEGIN = """
import os, sys
os.nice(19)
sys.dont_write_bytecode = True
sys.path[:0] = sys.argv[int(sys.argv[1]):]
del sys.argv[1]
"""


async def printed_by_process(code: str, *arguments: str | Path, limit: float) -> str:
    """Run Python code in a new process; returns the text that it prints, without outer spaces.

    The code finds its arguments in `sys.argv[1:]` and can import this program. `limit` is in
    seconds of the event loop's clock. Raises TimeoutError after the limit, and IdentityError with
    the last line of the process's error output if its exit code is not 0.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-c", _BEGIN + code, str(len(arguments) + 2)),
        *(os.fspath(argument) for argument in arguments),
        *(str(PROGRAM), *sys.path),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(limit):
            out, err = await child.communicate()
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0:
        lines = err.decode(errors="replace").strip().splitlines()
        raise IdentityError(lines[-1] if lines else "The check of the program ended early.")
    return out.decode().strip()
