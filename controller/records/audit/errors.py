"""Errors of the audit log, its proofs and its receipts."""

from __future__ import annotations

from rules.errors import WallwrightError


class AuditError(WallwrightError):
    """The audit log cannot be opened, read or written."""


class AuditLockedError(AuditError):
    """The log no longer agrees with its hash tree or its signed heads; a person has to decide.

    The files are not changed, and no event is added, until a person restores an intact copy or
    begins a new log.
    """


class RefusedProofError(WallwrightError):
    """A bundle, receipt, checkpoint or proof does not verify; the message gives the reason."""


class NotCanonicalError(WallwrightError, ValueError):
    """A value has no canonical JSON text: not a number, an integer above 2^53, a broken text."""
