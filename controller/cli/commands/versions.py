"""`wallwright version --json`: the versions of the program and of every format.

docs/reference/COMPATIBILITY.md is written from `formats`: the versions of all formats that the
program reads and writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controller.cli.commands.version import program_version
from controller.cli.commands.version import version as print_version
from controller.cli.options.shared import AsJson
from controller.records.data_folder import data_formats, number_of
from controller.records.identity.boot import software_identity


def version(as_json: AsJson = False) -> int:
    """Print the program's version, and the identity of its signed manifest."""
    if not as_json:
        return print_version()

    value = {
        "program": program_version(),
        "identity": software_identity(),
        "formats": dict(formats()),
    }
    print(json.dumps(value, indent=2))
    return 0


def formats() -> Mapping[str, int]:
    """The versions of all formats, by name.

    The modules are imported here: `wallwright version` without `--json` needs none of them.
    """
    from controller.events import EVENTS_VERSION
    from controller.records.audit.bundle import BUNDLE_FORMAT
    from controller.records.audit.receipts import RECEIPT_FORMAT
    from controller.records.backup.archive import BACKUP_FORMAT
    from controller.records.identity.manifest import FORMAT as MANIFEST
    from controller.run.chance.records import VERSION as CHANCE
    from controller.service.status import STATUS_VERSION
    from controller.upkeep.doctor.report import REPORT_VERSION
    from controller.web.api.endpoints import PREFIX
    from firmware_bridge.commissioning.image_signature import FORMAT as IMAGE
    from firmware_bridge.wire.messages import PROTOCOL

    return {
        **data_formats(),
        "api": number_of(PREFIX.replace("v", "")),
        "audit_bundle": number_of(BUNDLE_FORMAT),
        "backup": number_of(BACKUP_FORMAT),
        "chance_record": CHANCE,
        "doctor_report": REPORT_VERSION,
        "events": EVENTS_VERSION,
        "firmware_signature": number_of(IMAGE),
        "manifest": number_of(MANIFEST),
        "receipt": number_of(RECEIPT_FORMAT),
        "status": STATUS_VERSION,
        "wire": PROTOCOL,
    }
