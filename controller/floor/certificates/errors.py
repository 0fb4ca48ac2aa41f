"""The error of the certificate authority."""

from __future__ import annotations

from rules.errors import WallwrightError


class CertificateError(WallwrightError, ValueError):
    """A folder, a name or a date with which the authority cannot do what it was asked to do."""
