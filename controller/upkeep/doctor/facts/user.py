"""The user who runs the command, and who may use a device."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.upkeep.doctor.fact_files import FactFiles, whole


@dataclass(frozen=True)
class UserFacts:
    """The user's number and name, and the groups of this process and of the group file."""

    uid: int
    name: str
    groups: frozenset[int]
    group_names: Mapping[int, str] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()
    """Groups that the group file gives the user; this process lacks those given since its login."""

    def may_use(self, node: DeviceNode) -> bool:
        """Whether this process may read and write a device."""
        if self.uid == 0:
            return True
        if self.uid == node.uid:
            return node.mode & 0o600 == 0o600
        if node.gid in self.groups:
            return node.mode & 0o060 == 0o060
        return node.mode & 0o006 == 0o006

    def group(self, gid: int) -> str:
        """The name of a group, or its number."""
        return self.group_names.get(gid, str(gid))


@dataclass(frozen=True)
class DeviceNode:
    """A device file: its name, mode and owner."""

    name: str
    mode: int
    uid: int
    gid: int


def read_user(
    files: FactFiles, uid: int | None = None, groups: frozenset[int] | None = None
) -> UserFacts:
    """The user of this process, with the names in the group file."""
    uid = os.geteuid() if uid is None else uid
    mine = frozenset({os.getegid(), *os.getgroups()}) if groups is None else groups
    name = next(
        (row[0] for row in _rows(files, "/etc/passwd", 3) if whole(row[2]) == uid), str(uid)
    )
    names: dict[int, str] = {}
    listed = set()
    for row in _rows(files, "/etc/group", 4):
        gid = whole(row[2])
        if gid is not None:
            names[gid] = row[0]
            if name in row[3].split(","):
                listed.add(gid)
    return UserFacts(uid, name, mine, names, frozenset(listed))


def device_node(files: FactFiles, name: str) -> DeviceNode | None:
    """The mode and the owner of a device file; None if it does not exist."""
    state = files.state(name)
    if state is None:
        return None
    return DeviceNode(name, state.st_mode & 0o777, state.st_uid, state.st_gid)


def _rows(files: FactFiles, name: str, fields: int) -> list[list[str]]:
    rows = [line.split(":") for line in (files.text(name) or "").splitlines()]
    return [row for row in rows if len(row) >= fields]
