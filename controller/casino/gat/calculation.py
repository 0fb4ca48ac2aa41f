"""Computes the answers of the program's components to a terminal's seed."""

from __future__ import annotations

import json
from pathlib import Path

from controller.casino.gat.frames import GatError
from controller.records.identity import boot
from controller.records.identity.identity_error import IdentityError
from controller.records.identity.low_priority_process import printed_by_process
from controller.records.identity.program_files import ALL_FILES

LIMIT = 1200.0
"""Largest duration of a calculation, seconds; terminals wait as long."""
_CHILD = """
import json
from pathlib import Path
from controller.records.identity.boot import protected_manifest
from controller.records.identity.identity_error import IdentityError
from controller.records.identity.program_files import component_answers
folder, program, seed = Path(sys.argv[1]), Path(sys.argv[2]), bytes.fromhex(sys.argv[3])
try:
    print(json.dumps(component_answers(seed, protected_manifest(folder, program).roots, program)))
except IdentityError as error:
    sys.exit(str(error))
"""


def components(folder: Path, program: Path = boot.PROGRAM) -> tuple[str, ...]:
    """The components of the signed program: all files together, and each root of the manifest.

    `folder` has the trusted signers. Raises IdentityError.
    """
    return (ALL_FILES, *sorted(boot.protected_manifest(folder, program).roots))


async def calculated(
    folder: Path,
    seed: bytes,
    component: str | None,
    program: Path = boot.PROGRAM,
    limit: float = LIMIT,
) -> dict[str, str]:
    """The answers of all components, or of one, as `wallwright identity challenge` gives them.

    The files are read in a process of low priority. `limit` is in seconds of the event loop's
    clock. Raises GatError.
    """
    try:
        text = await printed_by_process(_CHILD, folder, program, seed.hex(), limit=limit)
    except TimeoutError:
        raise GatError(
            f"The calculation did not end within {limit:.0f} s. Look at the disk of this computer."
        ) from None
    except IdentityError as error:
        raise GatError(str(error)) from error
    answers: dict[str, str] = json.loads(text)
    if component is None:
        return answers
    if component not in answers:
        raise GatError(f"The component '{component}' is not in the manifest any more.")
    return {component: answers[component]}
