"""`wallwright verify`: verifies a file by itself, without the table and without a network.

The file's `format` says what it is. Exit code 0: it verifies; 1: it is refused; 2: bad input.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from cryptography.x509 import Certificate

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError, print_error
from controller.cli.options import completion
from controller.cli.options.proofs import certificates_in, parsed_key, require_regular
from controller.cli.options.shared import PATH, json_option
from controller.records.audit.bundle import BUNDLE_FORMAT, VerifiedBundle, verify_bundle
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes import VerifierKey
from controller.records.audit.receipts import (
    RECEIPT_FORMAT,
    RECEIPT_FORMAT_1,
    VerifiedReceipt,
    printable,
    verify_receipt,
)
from controller.run.chance.records import shares_with_codes

_LONGEST_RECEIPT = 8 << 20
"""Bytes of the longest file that is read at once; a bundle is read line by line."""
_LONGEST_START = 8 << 10
"""The format of a bundle is within this number of bytes from its beginning."""


@click.command(cls=CliCommand)
@click.argument("file", type=PATH, help="A bundle or a receipt.")
@click.option(
    "--key",
    shell_complete=completion.files,
    help="The table's key NAME+ID+KEY, known from elsewhere; without it compare the"
    " printed fingerprint with the table's.",
)
@click.option(
    "--witness",
    shell_complete=completion.files,
    multiple=True,
    help="The key of a witness that must have cosigned.",
)
@click.option(
    "--time-authority",
    type=PATH,
    help="Certificates (PEM) of a time-stamping authority that must have stamped a head.",
)
@click.option(
    "--share-code",
    help="The code of a player's share that the receipt must contain, such as K3QF-7ZWA-M2XN.",
)
@json_option
def verify(
    file: Path,
    key: str | None,
    witness: tuple[str, ...],
    time_authority: Path | None,
    share_code: str | None,
    as_json: bool,
) -> int:
    """Verify a bundle of the audit log or a receipt, offline; exit code 1 if it is refused."""
    require_regular(file)
    known = None if key is None else parsed_key(key, "--key")
    witnesses = tuple(parsed_key(text, "--witness") for text in witness)
    authorities = [] if time_authority is None else certificates_in(time_authority)
    try:
        facts = _verified(file, known, witnesses, authorities)
        if share_code is not None:
            facts["own_share"] = _place_of(share_code, facts.get("shares", []))
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); name a file.") from error
    except RefusedProofError as error:
        if as_json:
            print(json.dumps({"verified": False, "reason": str(error)}, indent=2))
        print_error(f"Refused: {file}. {error}")
        return 1
    if as_json:
        print(json.dumps({"verified": True, **facts}, indent=2, ensure_ascii=False))
    else:
        _print_page(file, facts, is_known=known is not None)
    return 0


def _place_of(code: str, shares: list[dict[str, Any]]) -> int:
    """The number of the share with this code, from 1. Raises RefusedProofError without one."""
    for number, share in enumerate(shares, 1):
        if share["code"].replace("-", "") == code.strip().upper().replace("-", ""):
            return number
    raise RefusedProofError(
        f"None of its {len(shares)} players' shares has the code {code!r}: either the share is"
        " missing, or an earlier share of the list was changed after the code was shown."
    )


def _verified(
    file: Path,
    known: VerifierKey | None,
    witnesses: tuple[VerifierKey, ...],
    authorities: list[Certificate],
) -> dict[str, Any]:
    """Verify a file by its format; returns what it proves. Raises RefusedProofError, OSError."""
    with file.open("rb") as stream:
        start = stream.readline(_LONGEST_START)
        stream.seek(0)
        if f'"format":"{BUNDLE_FORMAT}"'.encode() in start:
            return bundle_facts(verify_bundle(stream, known, witnesses, authorities))
        data = stream.read(_LONGEST_RECEIPT)
    found = _format_of(data) or _format_of(data.partition(b"\n")[0])
    if found in {RECEIPT_FORMAT, RECEIPT_FORMAT_1}:
        return receipt_facts(verify_receipt(data, known, witnesses, authorities))
    if found is None:
        raise RefusedProofError(
            "The file is damaged or of another kind: it is not JSON with a `format`."
        )
    raise RefusedProofError(
        f"This version cannot verify the format {found!r}; use a newer version."
    )


def _format_of(data: bytes) -> str | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    found = value.get("format") if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def bundle_facts(bundle: VerifiedBundle) -> dict[str, Any]:
    """The facts that a bundle proves, as JSON values."""
    return {
        "kind": "bundle",
        "origin": bundle.origin,
        "first": bundle.first,
        "last": bundle.size - 1,
        "from": bundle.begun.time,
        "to": bundle.last.time,
        "heads": bundle.heads,
        "keys": [{"key": str(key), "fingerprint": key.fingerprint} for key in bundle.keys],
        "cosigned": [
            {
                "witness": each.witness,
                "size": each.size,
                "time": datetime.fromtimestamp(each.at, UTC).isoformat(),
            }
            for each in bundle.cosigned
        ],
        "stamped": [
            {
                "authority": each.authority,
                "size": each.size,
                "time": each.time.isoformat(),
                "trusted": each.is_trusted,
            }
            for each in bundle.stamped
        ],
    }


def receipt_facts(receipt: VerifiedReceipt) -> dict[str, Any]:
    """The facts that a receipt proves, as JSON values."""
    record = receipt.contents.get("chance")
    return {
        "kind": "receipt",
        "origin": receipt.origin,
        "event": receipt.event.index,
        "time": receipt.event.time,
        "chance": receipt.chance,
        "shares": shares_with_codes(record) if record else [],
        "contents": receipt.contents,
        "keys": [{"key": str(key), "fingerprint": key.fingerprint} for key in receipt.keys],
        "cosigned": [],
        "stamped": [],
    }


def _print_page(file: Path, facts: dict[str, Any], *, is_known: bool) -> None:
    # A forger writes the texts of a file that he signs with a key of his own.
    for line in _page(file, facts, is_known=is_known):
        print(printable(line))


def _page(file: Path, facts: dict[str, Any], *, is_known: bool) -> Iterator[str]:
    yield f"Verified: {file}"
    yield f"  log          {facts['origin']}"
    if facts["kind"] == "receipt":
        contents = facts["contents"]
        title = f"{contents.get('kind')} {contents.get('number')} of {contents.get('game')}"
        yield f"  receipt      {title}, event {facts['event']}, {facts['time']}"
        yield f"  chance       {facts['chance']}"
        for number, share in enumerate(facts["shares"], 1):
            own = "  <- yours" if number == facts.get("own_share") else ""
            words = f"seat {share['seat']}: {share['share']} ({share['code']})"
            yield f"  share {number:<6} {words}{own}"
    else:
        events = f"{facts['first']} to {facts['last']}"
        yield f"  events       {events}, {facts['from']} to {facts['to']}"
        yield f"  signed heads {facts['heads']}, each consistent with the one before"
    *earlier, latest = facts["keys"]
    for key in earlier:
        yield f"  earlier key  {key['fingerprint']}"
    yield f"  signed by    {latest['fingerprint']}"
    for each in facts["cosigned"]:
        yield f"  witnessed    by {each['witness']} at size {each['size']}, {each['time']}"
    for each in facts["stamped"]:
        unknown = "" if each["trusted"] else " (compare it: no --time-authority was given)"
        yield (
            f"  time stamp   by {each['authority']} at size {each['size']}, {each['time']}{unknown}"
        )
    if not is_known:
        yield (
            "The file is intact. Compare the fingerprints above with the table's, of which one must"
            " be the table's: a forger can sign with another key."
        )
