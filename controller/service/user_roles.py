"""Roles of the people and devices that use a table, and what each role includes.

A role includes the rights of the roles below it: a technician may do what an attendant may do. The
auditor reads everything that may be read and gives no command. The table's own touchscreen has a
role of its own, with the rights of a player and without a password. The role `metrics` is for the
token of a monitoring system, which reads the metrics and nothing else.
"""

from __future__ import annotations

from enum import Enum

from controller.run.faults.catalogue import Who


class UserRole(Enum):
    """The role of a user, of a paired device or of an API token."""

    TABLE = "table"
    PLAYER = "player"
    DEALER = "dealer"
    ATTENDANT = "attendant"
    TECHNICIAN = "technician"
    AUDITOR = "auditor"
    METRICS = "metrics"

    def includes(self, least: UserRole) -> bool:
        """Whether this role may give a command whose least role is `least`."""
        return least in _INCLUDED[self]


_RANKS = (UserRole.PLAYER, UserRole.DEALER, UserRole.ATTENDANT, UserRole.TECHNICIAN)
_INCLUDED: dict[UserRole, frozenset[UserRole]] = {
    **{role: frozenset(_RANKS[: rank + 1]) for rank, role in enumerate(_RANKS)},
    UserRole.TABLE: frozenset({UserRole.TABLE, UserRole.PLAYER}),
    UserRole.AUDITOR: frozenset({UserRole.AUDITOR}),
    UserRole.METRICS: frozenset({UserRole.METRICS}),
}


def role_for(who: Who) -> UserRole:
    """The least role for a fault that, by the fault catalogue, `who` may clear."""
    return UserRole(who.value)
