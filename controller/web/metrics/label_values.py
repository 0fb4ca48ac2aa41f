"""The values that the labels of metrics can take; any other value counts as `other`."""

from __future__ import annotations

from typing import get_args

from controller.run.faults.catalogue import CATALOGUE
from controller.service.status import PromptKind, ServiceName
from controller.service.user_roles import UserRole
from firmware_bridge.board import FaultCode

OTHER = "other"
"""The value of a label for everything that is not in its list."""
GOING = "going"
HELD = ("paused", "servicing")
"""Modes in which activities wait; their phases continue afterwards."""
MODES = (GOING, *HELD, "offline", "testing", "homing", "stopped", "fault")
"""Modes of the machine. In all but the first, the event `state` has the same value twice."""
PHASES = {
    "under": ("idle", "gathering", "shuffling", "building", "staged"),
    "top": (
        *("clear", "raising", "throwing", "cutting", "dealing", "turning", "replacing"),
        *("playing", "collecting"),
    ),
}
"""States of both regions of the state machine. They are written out here, because the module of the
state machine takes long to import; a test compares both."""
SERVICE_STATES: tuple[str, ...] = get_args(ServiceName)
PROMPT_KINDS: tuple[str, ...] = get_args(PromptKind)
ROLES = tuple(role.value for role in UserRole)
CODES = tuple(fault.name for fault in CATALOGUE)
"""Codes of all faults."""
ASKED = tuple(row.code for row in CATALOGUE.values() if row.limits is not None)
"""Codes of the faults that are retried and asked about, so that a person can assist."""
CAUSES = (
    *(code.name for code in FaultCode),
    *("SILENT", "STRANGER", "FAULT", "PROTOCOL", "COMMAND"),
)
"""Causes of pauses."""


def bounded(value: object, allowed: tuple[str, ...]) -> str:
    """The value if it is allowed, or `OTHER`."""
    return value if isinstance(value, str) and value in allowed else OTHER
