"""The files of a table: its configuration, its certificates and what its boards answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.errors import ConfigError
from config.loader import check_file
from controller.upkeep.doctor.fact_files import FactFiles

FOLDER = "/etc/wallwright"
"""The folder of the table's own files of an installed program."""


@dataclass(frozen=True)
class CheckedFile:
    """A file of a table or a game, its defects, and the certificates that it names."""

    file: str
    defects: tuple[str, ...] = ()
    certificates: tuple[Path, ...] = ()


Check = Callable[[Path], tuple[Path, ...]]
"""Checks a file and returns the certificates that it names. Raises ConfigError."""


def check_table_or_game(file: Path) -> tuple[Path, ...]:
    """Check the file of a table or a game, which names no certificate. Raises ConfigError."""
    check_file(file)
    return ()


@dataclass(frozen=True)
class CheckedTable:
    """A table with the chips of its boards, and the warnings about its pins."""

    name: str
    chips: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class CertificateFacts:
    """A certificate for TLS: its time in seconds since 1970, or why it cannot be read."""

    file: str
    begins: float = 0.0
    ends: float = 0.0
    defect: str = ""


@dataclass(frozen=True)
class MeasuredSupply:
    """The supply of a board as the board measures it, and the level of LOW_SUPPLY, in volts."""

    measured: float
    low: float
    uncalibrated: bool
    """Whether the measurement can be calibrated, and was not."""


@dataclass(frozen=True)
class BoardAnswer:
    """What one board answered on a port."""

    serial: str
    address: int
    build: str
    key: str
    supply: MeasuredSupply | None = None
    """None if the board does not report it, or if its key is not known here."""


@dataclass(frozen=True)
class ProbedPort:
    """The boards that answered on a port, or why it was not asked."""

    port: str
    boards: tuple[BoardAnswer, ...] = ()
    refusal: str = ""
    is_missing: bool = False
    """Whether there is no device of this name."""


def read_configuration(
    files: FactFiles, given: Iterable[Path], check: Check = check_table_or_game
) -> tuple[CheckedFile, ...]:
    """The given files, and those in the folder of the installation, as `wallwright check` does."""
    folder = files.path(FOLDER)
    own = [folder / name for name in files.names(FOLDER) if name.endswith(".yaml")]
    return tuple(_checked(file, check) for file in (*given, *own))


def _checked(file: Path, check: Check) -> CheckedFile:
    try:
        certificates = check(file)
    except ConfigError as error:
        return CheckedFile(str(file), tuple(str(error).splitlines()))
    except OSError as error:
        return CheckedFile(str(file), (f"{file} cannot be read ({error.strerror}).",))
    return CheckedFile(str(file), certificates=certificates)


def read_certificate(file: Path) -> CertificateFacts:
    """The time of a certificate."""
    from cryptography import x509  # noqa: PLC0415 - only if a certificate is given

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about certificates of other programs
            found = x509.load_pem_x509_certificate(file.read_bytes())
        begins, ends = found.not_valid_before_utc, found.not_valid_after_utc
    except OSError as error:
        return CertificateFacts(str(file), defect=f"it cannot be read ({error.strerror})")
    except (ValueError, x509.UnsupportedGeneralNameType):
        return CertificateFacts(str(file), defect="it is no certificate in a PEM file")
    return CertificateFacts(str(file), begins.timestamp(), ends.timestamp())
