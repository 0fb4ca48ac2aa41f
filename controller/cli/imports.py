"""Imports many modules at the start of a command in less time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Within the block, run no garbage collection; then exclude all objects from later ones.

    Modules stay for the whole run, so that a collection finds nothing among their hundreds of
    thousands of objects. It would take time at the start, and later a pause of the event loop.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
