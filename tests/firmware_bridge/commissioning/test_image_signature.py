"""Tests the signatures of firmware images."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.commissioning.image_signature import require_signed, sign

BUILD = bytes.fromhex("01020304")


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A signed image, with the key `key` and the signers `signers` beside it."""
    image = tmp_path / "wallwright.hex"
    image.write_text(":00000001FF\n")
    sign(image, "mega2560", BUILD, tmp_path / "key", tmp_path / "signers")
    return image


def refusal(image: Path, chip: str = "mega2560", build: bytes = BUILD) -> str:
    with pytest.raises(FlashingError) as refused:
        require_signed(image, chip, build, image.with_name("signers"))
    assert refused.value.refused
    return str(refused.value)


def test_a_signed_image_is_accepted_and_the_signing_key_is_private(image: Path) -> None:
    assert require_signed(image, "mega2560", BUILD, image.with_name("signers")) == "own"
    assert stat.S_IMODE(image.with_name("key").stat().st_mode) == 0o600
    sign(image, "mega2560", BUILD, image.with_name("key"), image.with_name("signers"))
    assert len(image.with_name("signers").read_text().splitlines()) == 1, "the same key"


def test_the_signature_covers_the_image_the_chip_and_the_build(image: Path) -> None:
    assert "wrong signature" in refusal(image, chip="rp2040")
    assert "wrong signature" in refusal(image, build=bytes(4))
    signature = image.with_name("wallwright.hex.sig")
    text = signature.read_text()
    signature.write_text(text.replace("chip mega2560", "chip rp2040"))
    require_signed(image, "mega2560", BUILD, image.with_name("signers"))  # the text is not used
    image.write_text(":0000000000\n")
    assert "wrong signature" in refusal(image)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("signature 1", "signature 2"),
        ("signer ", "signer 00"),
        ("signature ", "signature z"),
        ("chip mega2560\n", ""),
    ],
)
def test_a_damaged_signature_file_is_refused(image: Path, before: str, after: str) -> None:
    file = image.with_name("wallwright.hex.sig")
    file.write_text(file.read_text().replace(before, after))
    assert f"has a damaged signature file, {file}" in refusal(image)


def test_another_signature_by_a_trusted_signer_is_refused(image: Path) -> None:
    file = image.with_name("wallwright.hex.sig")
    *lines, last = file.read_text().splitlines()
    changed = "0" if last[-1] != "0" else "1"
    file.write_text("\n".join([*lines, last[:-1] + changed, ""]))
    assert "wrong signature" in refusal(image)


def test_files_that_other_users_can_change_or_read_are_refused(image: Path) -> None:
    image.with_name("signers").chmod(0o666)
    assert "is writable by other users (mode 0666); restrict it: chmod 644" in refusal(image)
    key = image.with_name("key")
    key.chmod(0o644)
    with pytest.raises(FlashingError, match="is readable by other users"):
        sign(image, "mega2560", BUILD, key, image.with_name("signers"))


def test_without_a_file_of_signers_no_signer_is_trusted(image: Path) -> None:
    image.with_name("signers").unlink()
    assert "does not list; add a line with a name and this key" in refusal(image)
