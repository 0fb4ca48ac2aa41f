"""`wallwright firmware` with a fake avrdude and a fake board, whose memory avrdude writes."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pytest

from firmware_bridge.commissioning import flashing
from firmware_bridge.commissioning.flashing import built_hash, tree_hash
from firmware_bridge.commissioning.image_signature import sign
from firmware_bridge.commissioning.key_files import signers_file
from tests.controller.cli.commands.conftest import Desk, elf_with
from tests.controller.cli.conftest import Wallwright

pytestmark = pytest.mark.usefixtures("built")


# Provisioning


def test_a_new_board_gets_its_serial_number_and_a_key_that_is_stored_on_this_host(
    desk: Desk, wallwright: Wallwright
) -> None:
    result = wallwright(
        f"firmware provision {desk.port} --serial WALL0001 --address 1 --keys {desk.keys}"
    )
    assert (result.code, result.err) == (0, "")
    assert "has its key; write `address: 1` for it in the table's file." in result.out
    (call,) = desk.calls
    assert call.startswith(f"-c wiring -p m2560 -b 115200 -D -P {desk.port} -V -U eeprom:w:"), (
        "the bootloader reads the EEPROM at other addresses, so the firmware is asked instead"
    )
    assert call.endswith(":i")
    serial, key, build = desk.keys.read_text().split()
    assert bytes.fromhex(build) == b"old\0", "the build that the board has proven"
    assert (serial, len(bytes.fromhex(key))) == ("WALL0001", 32)
    assert stat.S_IMODE(desk.keys.stat().st_mode) == 0o600
    assert key not in result.out
    written = call.rpartition("eeprom:w:")[2].removesuffix(":i")
    assert not Path(written).exists(), "the temporary file with the key is deleted"

    scanned = wallwright(f"scan {desk.port} --keys {desk.keys}")
    assert "board WALL0001 at address 1: mega2560, firmware 3 (old), protocol 2" in scanned.out
    flash = f"wallwright firmware flash {desk.port}"
    assert f"build not current (update it: {flash}); key matches the key file\n" in scanned.out


def test_a_board_gets_a_key_once_unless_a_new_one_is_asked_for(
    desk: Desk, wallwright: Wallwright
) -> None:
    assert (
        wallwright(f"firmware provision {desk.port} --serial WALL0001 --keys {desk.keys}").code == 0
    )
    first = desk.keys.read_text()
    for serial, keys in (("WALL0001", desk.keys), ("WALL0002", desk.folder / "elsewhere")):
        result = wallwright(f"firmware provision {desk.port} --serial {serial} --keys {keys}")
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            f"The board on {desk.port} has a key already, as WALL0001; a key is written once. To"
            " replace it, add --again; hosts with the old key then refuse the board.\n"
        )
    assert len(desk.calls) == 1 and desk.keys.read_text() == first


def test_a_board_can_be_provisioned_again_but_its_serial_number_is_not_given_to_another(
    desk: Desk, wallwright: Wallwright
) -> None:
    once = f"firmware provision {desk.port} --serial WALL0001 --keys {desk.keys}"
    assert wallwright(once).code == 0
    first = desk.keys.read_text()
    assert wallwright(f"{once} --again --key-bytes 16").code == 0
    assert len(desk.keys.read_text()) == len(first) - 32, "a key of 16 bytes"

    (desk.folder / "eeprom.hex").unlink()  # another board is plugged in
    result = wallwright(once)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"WALL0001 has a key in {desk.keys} already, and the board on")
    assert len(desk.calls) == 2


def test_a_key_is_not_stored_if_writing_it_to_the_board_failed(
    desk: Desk, wallwright: Wallwright
) -> None:
    (desk.folder / "broken").touch()
    result = wallwright(f"firmware provision {desk.port} --serial WALL0001 --keys {desk.keys}")
    assert result.code == 1
    assert result.err == (
        f"avrdude, for the board on {desk.port}, failed: avrdude: stk500v2_ReceiveMessage():"
        " timeout\n"
    )
    assert desk.keys.read_text() == ""


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (
            "--serial WALL1",
            "'WALL1' is not a serial number; give 8 letters and digits, such as WALL0001.",
        ),
        (
            "--serial SIM00007",
            (
                "'SIM00007' is reserved for simulated boards and boards without provisioning; give"
                " a serial number other than UNSET000 and DAMAGED0 that does not begin with SIM."
            ),
        ),
        (
            "--serial WALL0001 --address 8",
            "An address must be 0 to 7, as in the table's file; got 8.",
        ),
        (
            "--serial WALL0001 --key-bytes 20",
            "The key of a real board must have 16 or 32 bytes; got 20.",
        ),
        ("--serial WALL0001 --key-bytes 64", "A key must have 1 to 32 bytes; got 64."),
    ],
)
def test_a_wrong_serial_number_address_or_key_size_is_refused_before_a_board_is_written(
    options: str, refusal: str, programmer: Path, wallwright: Wallwright
) -> None:
    result = wallwright(f"firmware provision /dev/null {options} --keys {programmer}/keys")
    assert (result.code, result.out, result.err) == (2, "", refusal + "\n")
    assert not (programmer / "calls").exists()


def test_a_key_file_that_others_can_read_is_refused(desk: Desk, wallwright: Wallwright) -> None:
    desk.keys.write_text(f"WALL0001 {'00' * 16}\n")
    desk.keys.chmod(0o644)
    result = wallwright(f"scan {desk.port} --keys {desk.keys}")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"The key file {desk.keys} is readable by other users (mode 0644); restrict it:"
        f" chmod 600 {desk.keys}.\n"
    )


def test_a_damaged_line_of_a_key_file_is_reported_with_its_number(
    desk: Desk, wallwright: Wallwright
) -> None:
    desk.keys.write_text(f"WALL0001 {'01' * 8}{'02' * 8}\nWALL0002 zz\n")
    desk.keys.chmod(0o600)
    result = wallwright(f"scan {desk.port} --keys {desk.keys}")
    assert result.code == 2
    assert result.err.startswith(f"{desk.keys}:2: the line is not a serial number with a key")


# Boards without a key on this host


def test_a_table_does_not_run_with_a_board_that_was_never_provisioned(
    desk: Desk, wallwright: Wallwright
) -> None:
    result = wallwright(f"run --table single_port --port {desk.port} --keys {desk.keys}")
    assert result.code == 1
    assert "was never provisioned" in result.err
    assert "wallwright firmware provision PORT" in result.err


def test_a_table_does_not_run_with_a_board_whose_key_is_not_in_the_key_file(
    desk: Desk, wallwright: Wallwright
) -> None:
    elsewhere = desk.folder / "elsewhere"
    provision = f"firmware provision {desk.port} --serial WALL0001 --keys {elsewhere}"
    assert wallwright(provision).code == 0
    result = wallwright(f"run --table single_port --port {desk.port} --keys {desk.keys}")
    assert result.code == 1
    assert f"there is no key for the board WALL0001 in {desk.keys}" in result.err
    scanned = wallwright(f"scan {desk.port} --keys {desk.keys}")
    assert "key not in the key file (create one: wallwright firmware provision)" in scanned.out


# Flashing and verifying


def test_after_flashing_the_build_of_the_board_is_checked(
    desk: Desk, built: Path, wallwright: Wallwright
) -> None:
    before = wallwright(f"firmware verify {desk.port}")
    assert before.code == 1
    assert "runs the build old, not" in before.err
    assert f"flash it: wallwright firmware flash {desk.port}." in before.err

    result = wallwright(f"firmware flash {desk.port}")
    assert (result.code, result.err) == (0, "")
    assert "as built here." in result.out
    assert desk.calls == [
        f"-c wiring -p m2560 -b 115200 -D -P {desk.port} -U flash:w:{built.with_suffix('.hex')}:i"
    ]
    assert "; build current; " in wallwright(f"scan {desk.port} --keys {desk.keys}").out


def test_a_bare_board_gets_its_fuses_and_the_firmware_by_a_programmer(
    desk: Desk, built: Path, wallwright: Wallwright
) -> None:
    result = wallwright("firmware flash usb --bare --programmer usbasp")
    assert (result.code, result.err) == (0, "")
    assert desk.calls == [
        (
            "-c usbasp -p m2560 -P usb -e -U lfuse:w:0xff:m -U hfuse:w:0xd9:m -U efuse:w:0xfc:m"
            f" -U flash:w:{built.with_suffix('.hex')}:i"
        )
    ]


def test_a_bare_board_is_locked_after_it_has_its_key(desk: Desk, wallwright: Wallwright) -> None:
    order = f"firmware provision usb --bare --serial WALL0003 --keys {desk.keys}"
    result = wallwright(order)
    assert (result.code, result.err) == (0, "")
    (call,) = desk.calls
    assert call.startswith("-c usbasp -p m2560 -P usb -U eeprom:w:")
    assert call.endswith(":i -U lock:w:0xfc:m"), "no key can be read back"
    assert desk.keys.read_text().startswith("WALL0003 ")
    again = wallwright(order)
    assert again.code != 0
    assert "WALL0003 has a key in" in again.err and len(desk.calls) == 1


def test_a_full_verification_reads_the_flash_back(
    desk: Desk, built: Path, wallwright: Wallwright
) -> None:
    (desk.folder / "flashed").touch()
    result = wallwright(f"firmware verify {desk.port} --full")
    assert result.code == 0
    assert "Every byte of its flash memory matches the built firmware." in result.out
    assert desk.calls[0].endswith(f"-U flash:v:{built.with_suffix('.hex')}:i")


def test_the_error_of_a_failed_tool_is_quoted(desk: Desk, wallwright: Wallwright) -> None:
    (desk.folder / "broken").touch()
    result = wallwright(f"firmware flash {desk.port}")
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("failed: avrdude: stk500v2_ReceiveMessage(): timeout\n")


@pytest.mark.usefixtures("programmer")
def test_nothing_is_flashed_to_a_console_of_this_computer(
    wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        flashing, "console_use", lambda _: "it is the terminal of process 7 (getty)"
    )
    for command in ("flash", "verify"):
        result = wallwright(f"firmware {command} /dev/null")
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            "Nothing is written to /dev/null, because it is the terminal of process 7 (getty). Name"
            " the port on which the board is; `wallwright scan` lists the attached ports.\n"
        )


@pytest.mark.usefixtures("programmer")
def test_a_port_that_does_not_exist_is_refused(wallwright: Wallwright) -> None:
    for command in ("flash", "verify"):
        result = wallwright(f"firmware {command} /dev/no-such-port")
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            "There is no port /dev/no-such-port; `wallwright scan` lists the attached ports.\n"
        )


def test_a_missing_port_is_an_error(wallwright: Wallwright) -> None:
    result = wallwright("firmware flash")
    assert result.code == 2
    assert result.err == "PORT is missing; see 'wallwright firmware --help'.\n"


def test_firmware_that_is_not_built_cannot_be_flashed(built: Path, wallwright: Wallwright) -> None:
    built.unlink()
    result = wallwright("firmware flash /dev/null")
    assert (result.code, result.out) == (2, "")
    assert result.err == "The firmware is not built; build it: wallwright firmware build.\n"


def test_firmware_of_other_sources_is_not_flashed(built: Path, wallwright: Wallwright) -> None:
    built.write_bytes(elf_with(b"01234567\n"))
    result = wallwright("firmware flash /dev/null")
    assert result.code == 2
    assert result.err.startswith("The built firmware (build 01234567) is older than its sources")


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("build", "firmware needs it. Install it: sudo apt-get install gcc-avr avr-libc"),
        ("flash /dev/null", "avrdude is not installed; it is needed to write to a board"),
        ("provision /dev/null --serial WALL0001", "sudo apt-get install avrdude."),
    ],
)
def test_the_error_for_a_missing_tool_names_its_package(
    command: str,
    missing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wallwright: Wallwright,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = wallwright(f"firmware {command}")
    assert (result.code, result.out) == (2, "")
    assert missing in result.err


# Building


def test_a_file_that_is_not_a_built_program_has_no_hash(tmp_path: Path) -> None:
    for number, data in enumerate(
        (b"", b"\x7fELF", b"#!/bin/sh\n" * 20, elf_with(b"01234567")[:40])
    ):
        file = tmp_path / str(number)
        file.write_bytes(data)
        assert built_hash(file) is None
    assert built_hash(tmp_path / "none") is None


# The build that a board is expected to run


def test_a_table_does_not_run_with_a_board_whose_build_is_another_than_was_flashed(
    desk: Desk, wallwright: Wallwright
) -> None:
    keys = f"--keys {desk.keys}"
    assert wallwright(f"firmware flash {desk.port} {keys}").code == 0
    assert wallwright(f"firmware provision {desk.port} --serial WALL0001 {keys}").code == 0
    made = tree_hash()
    assert made is not None
    serial, _, build, image = desk.keys.read_text().split()
    assert (serial, build) == ("WALL0001", made.hex())
    assert image == hashlib.sha256(flashing.HEX.read_bytes()).hexdigest()

    (desk.folder / "flashed").unlink()  # somebody flashes other firmware; the EEPROM stays
    result = wallwright(f"run --table single_port --port {desk.port} {keys}")
    assert result.code == 1
    assert (
        f"board base (serial WALL0001) runs the build old, and {made.hex()} was recorded when it"
        " was flashed; flash it with `wallwright firmware flash PORT`."
    ) in result.err
    refused = wallwright(f"firmware verify {desk.port} {keys}")
    assert refused.code == 1 and desk.keys.read_text().split()[2] == made.hex()


def test_verify_records_the_build_of_a_board_that_was_flashed_from_another_host(
    desk: Desk, wallwright: Wallwright
) -> None:
    keys = f"--keys {desk.keys}"
    assert wallwright(f"firmware provision {desk.port} --serial WALL0001 {keys}").code == 0
    assert desk.keys.read_text().split()[2] == b"old\0".hex()
    (desk.folder / "flashed").touch()
    result = wallwright(f"firmware verify {desk.port} {keys}")
    assert result.code == 0
    made = tree_hash()
    assert made is not None
    assert f"The build {made.hex()} of WALL0001 is recorded in {desk.keys}." in result.out
    assert desk.keys.read_text().split()[2] == made.hex()


def test_the_build_of_a_board_with_another_key_is_not_recorded(
    desk: Desk, wallwright: Wallwright
) -> None:
    keys = f"--keys {desk.keys}"
    elsewhere = desk.folder / "elsewhere"
    order = f"firmware provision {desk.port} --serial WALL0001 --keys {elsewhere}"
    assert wallwright(order).code == 0
    desk.keys.write_text(f"WALL0001 {bytes(range(16)).hex()}\n")
    desk.keys.chmod(0o600)
    (desk.folder / "flashed").touch()
    result = wallwright(f"firmware verify {desk.port} {keys}")
    assert result.code == 1
    assert "The board WALL0001 does not have the key that" in result.err
    assert len(desk.keys.read_text().split()) == 2


# Signatures


def test_an_image_that_was_changed_after_it_was_signed_is_not_flashed(
    desk: Desk, wallwright: Wallwright
) -> None:
    flashing.HEX.write_text(":0100000000FF\n:00000001FF\n")
    for command in (f"firmware flash {desk.port}", "firmware flash usb --bare"):
        result = wallwright(command)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith(f"{flashing.HEX} has a wrong signature: the image, its chip")
        assert "add --unsigned.\n" in result.err
    assert desk.calls == []


def test_an_image_without_a_signature_is_flashed_only_if_that_is_asked_for(
    desk: Desk, wallwright: Wallwright
) -> None:
    flashing.HEX.with_name("wallwright.hex.sig").unlink()
    refused = wallwright(f"firmware flash {desk.port}")
    assert (refused.code, refused.out, desk.calls) == (2, "", [])
    assert refused.err == (
        f"{flashing.HEX} is not signed; sign it: wallwright firmware build signs what it builds. To"
        " write your own build without a signature, add --unsigned.\n"
    )
    flashed = wallwright(f"firmware flash {desk.port} --unsigned")
    assert flashed.code == 0 and len(desk.calls) == 1
    assert "The signature of the image was not checked (--unsigned)." in flashed.out


def test_an_image_of_a_signer_whom_this_host_does_not_trust_is_not_flashed(
    desk: Desk, wallwright: Wallwright
) -> None:
    stranger = desk.folder / "stranger"
    made = tree_hash()
    assert made is not None
    public = sign(flashing.HEX, "mega2560", made, stranger / "key", stranger / "signers")
    refused = wallwright(f"firmware flash {desk.port}")
    assert (refused.code, desk.calls) == (2, [])
    assert (
        f"was signed with the key {public.hex()}, which {signers_file()} does not list"
        in refused.err
    )
    with signers_file().open("a") as stream:
        stream.write(f"maker {public.hex()}\n")
    flashed = wallwright(f"firmware flash {desk.port}")
    assert flashed.code == 0
    assert "The image is signed by maker." in flashed.out


def test_a_board_is_provisioned_with_the_limits_of_its_table_and_reports_them(
    desk: Desk, wallwright: Wallwright
) -> None:
    order = f"firmware provision {desk.port} --serial WALL0001 --keys {desk.keys}"
    given = wallwright(f"{order} --table robotic --board base")
    assert given.code == 0, given.err
    limits = "Limits of WALL0001: lease at most 1000 ms, on-time at most 180 s, guarded pins 2 3 "
    assert limits in given.out
    assert "light curtain required" in given.out
    scan = f"scan {desk.port} --keys {desk.keys} --limits"
    of_table = wallwright(f"{scan} --table robotic")
    assert of_table.code == 0
    assert f"{desk.port}: board WALL0001: limits: lease at most 1000 ms, on-time" in of_table.out
    assert "; `firmware provision` has set them from the file of a table\n" in of_table.out
    other = wallwright(f"{scan} --table pai_gow")
    assert other.code == 1
    cure = f"provision {desk.port} --serial WALL0001 --address 0 --again --table pai_gow\n"
    assert (
        f"the table pai_gow needs others; provision the board again: wallwright firmware {cure}"
        in (other.out)
    )
    wider = wallwright(f"{order} --again --longest-lease 3 --longest-on 20")
    assert "Limits of WALL0001: lease at most 3000 ms, on-time at most 20 s." in wider.out
    (port,) = json.loads(wallwright(f"{scan} --json").out)
    (board,) = port["boards"]
    assert board["limits"]["set_from_a_table"] is False
    assert (board["limits"]["longest_lease"], board["limits"]["longest_on"]) == (3, 20)
    desk.keys.unlink()
    unknown = wallwright(scan)
    assert "limits not known: There is no key for the board WALL0001 in" in unknown.out
    for options, refusal in (
        ("--table robotic --board leg", "The table robotic has no board leg; it has base, arm."),
        ("--board base", "`--board base` needs the table of the board; add --table."),
        ("--longest-lease 66", "`--longest-lease` must be more than 0 and at most 65.535 s; got"),
        ("--longest-on 2001", "`--longest-on` must be 0 to 2000 s; got 2001."),
    ):
        result = wallwright(f"{order} --again {options}")
        assert result.code == 2
        assert refusal in result.err
