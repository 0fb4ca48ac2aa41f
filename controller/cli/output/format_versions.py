"""The versions of all formats that the program reads and writes.

docs/reference/COMPATIBILITY.md is written from them.
"""

from __future__ import annotations

from collections.abc import Mapping

from controller.events import EVENTS_VERSION
from controller.records.audit.bundle import BUNDLE_FORMAT
from controller.records.audit.receipts import RECEIPT_FORMAT
from controller.records.backup.archive import BACKUP_FORMAT
from controller.records.data_folder import data_formats, number_of
from controller.records.identity.manifest import FORMAT as MANIFEST
from controller.run.chance.records import VERSION as CHANCE
from controller.service.status import STATUS_VERSION
from controller.upkeep.doctor.report import REPORT_VERSION
from controller.web.api.endpoints import PREFIX
from firmware_bridge.commissioning.image_signature import FORMAT as IMAGE
from firmware_bridge.wire.messages import PROTOCOL


def formats() -> Mapping[str, int]:
    """The versions of all formats, by name."""
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
