"""Runs the firmware's core on virtual pins: loads the library of `make host` with ctypes."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from firmware_bridge.commissioning.provisioning import PLACE, image
from tests.firmware_bridge.firmware.firmware_build import build

FIRMWARE = Path(__file__).parents[3] / "firmware_bridge" / "firmware"
TARGET = os.environ.get("FIRMWARE_TARGET", "host")
"""The make target; `host-asan` runs every test with sanitizers (libasan must be preloaded)."""
_BUFFER_SIZE = 8192
EEPROM_SIZE = 4096


def built(target: str = TARGET) -> Path:
    """Build the library if a source changed, one process at a time; return its path."""
    build(target)
    folder = "asan/host" if target == "host-asan" else "host"
    return FIRMWARE / "build" / folder / "libwallwright_host.so"


class Change(NamedTuple):
    """A change of an output pin: time in microseconds, pin, and level (-1: released)."""

    at: int
    pin: int
    level: int


class _Change(ctypes.Structure):
    _fields_ = (("at", ctypes.c_uint64), ("pin", ctypes.c_uint8), ("level", ctypes.c_int8))


class VirtualChip:
    """One board, on its own copy of the library, since the state of the library is static.

    An empty serial number means that the board was never provisioned.
    """

    _copies = 0

    def __init__(self, library: Path, serial: bytes, key: bytes, address: int) -> None:
        VirtualChip._copies += 1
        with TemporaryDirectory() as folder:
            copy = Path(shutil.copy(library, Path(folder) / f"{VirtualChip._copies}.so"))
            self._c = ctypes.CDLL(str(copy))
        self._c.hw_micros.restype = ctypes.c_uint64
        self._c.hw_eeprom.restype = ctypes.POINTER(ctypes.c_uint8)
        self._c.hw_output.restype = ctypes.c_int8
        self._c.hw_lamps.restype = ctypes.c_uint32
        self._c.hw_press_is_due.restype = ctypes.c_uint8
        self._c.hw_left_for_bootloader.restype = ctypes.c_uint8
        self._c.hw_supply_falls.restype = ctypes.c_uint32
        self._c.hw_is_cut.restype = ctypes.c_uint8
        self._c.hw_storage_operations.restype = ctypes.c_uint32
        self._c.hw_storage_wear.restype = ctypes.c_uint32
        self._c.hw_supply.argtypes = (ctypes.c_uint16,)
        self._c.hw_reset.argtypes = (ctypes.c_uint8, ctypes.c_uint64)
        self._bytes = ctypes.create_string_buffer(_BUFFER_SIZE)
        self._c.hw_new()
        self._identity = image(serial.decode(), key, address) if serial else b""
        self.write_eeprom(PLACE, self._identity)

    def close(self) -> None:
        """Unload the library; the board cannot be used afterwards."""
        _ctypes.dlclose(self._c._handle)

    def reset(self, cause: int = 0, at: int | None = None) -> None:
        """Switch the board on, or reset it; its time continues, or is set to `at` microseconds."""
        self._c.hw_reset(cause, self._c.hw_micros() if at is None else at)

    def write_eeprom(self, at: int, data: bytes) -> None:
        """Write these bytes to the EEPROM, as a programmer does."""
        for address, byte in enumerate(data, start=at):
            self._c.hw_eeprom()[address] = byte

    def eeprom(self) -> bytes:
        """Return the content of the EEPROM."""
        return bytes(self._c.hw_eeprom()[:EEPROM_SIZE])

    def power_off(self) -> int:
        """Let the supply fall; return the microseconds until the board has saved its state."""
        micros: int = self._c.hw_supply_falls()
        return micros

    def supply(self, permille: int) -> None:
        """Set the supply voltage, in permille of the nominal one."""
        self._c.hw_supply(permille)

    def shape(self, block: int, page: int, pages: int, chunk: int) -> None:
        """Give the storage another shape, such as that of a flash, before the first start."""
        self._c.hw_storage_shape(block, page, pages, chunk)
        if block > 1:
            self.write_eeprom(4 * block, self._identity)

    def storage_times(self, write_us: int, erase_us: int) -> None:
        """Set how long each write and erasure takes; both take no time at first."""
        self._c.hw_storage_times(write_us, erase_us)

    def wear_out(self, at: int) -> None:
        """Let the cell at this address keep its value when it is erased."""
        self._c.hw_wear_out(at)

    def cut_after(self, operations: int, seed: int) -> None:
        """Cut the power at the write or erasure after this number of further ones."""
        self._c.hw_cut_after(operations, seed)

    @property
    def is_cut(self) -> bool:
        """Whether the power has been cut, until the next reset."""
        return bool(self._c.hw_is_cut())

    @property
    def operations(self) -> int:
        """The writes and erasures of the storage so far."""
        count: int = self._c.hw_storage_operations()
        return count

    @property
    def wear(self) -> int:
        """The erasures of the cell that has the most of them."""
        most: int = self._c.hw_storage_wear()
        return most

    def advance(self, micros: int) -> None:
        self._c.hw_advance(micros)

    def rest(self, micros: int, step: int = 5000) -> None:
        """Let time pass in longer steps: much faster, for times in which nothing happens."""
        self._c.hw_rest(ctypes.c_uint64(micros), step)

    def receive(self, data: bytes) -> None:
        assert self._c.hw_rx(data, len(data)) == len(data)

    def sent(self) -> bytes:
        """Return the bytes that the board has sent since the last call."""
        size: int = self._c.hw_tx(self._bytes, _BUFFER_SIZE)
        return self._bytes.raw[:size]

    def pin(self, pin: int, high: bool) -> None:
        self._c.hw_pin(pin, int(high))

    def press_at(self, point: int, report_after: int) -> None:
        """Open the emergency stop at this call of the processor by the board's main loop.

        The board's reflex reports the press `report_after` such calls later.
        """
        self._c.hw_press_at(point, report_after)

    def edge_at(self, pin: int, high: bool, point: int, trip_after: int) -> None:
        """Change an input at this call of the processor by the board's main loop.

        `trip_after` calls after the reflex has processed the edge, 60 us pass at once, and the
        reflex processes the safety inputs that trip in this time.
        """
        self._c.hw_edge_at(pin, int(high), point, trip_after)

    @property
    def press_is_due(self) -> bool:
        """Whether the main loop has not come to the press or edge, or its report, yet."""
        return bool(self._c.hw_press_is_due())

    def output(self, pin: int) -> int:
        level: int = self._c.hw_output(pin)
        return level

    def lamps(self, pin: int) -> int:
        """Return the lamps of a strip as the board last sent them, one bit for each lamp."""
        lit: int = self._c.hw_lamps(pin)
        return lit

    @property
    def in_bootloader(self) -> bool:
        """Whether the board has started its bootloader."""
        return bool(self._c.hw_left_for_bootloader())

    def changes(self) -> list[Change]:
        """Return every change of an output pin since the last call, and the presses."""
        found = (_Change * _BUFFER_SIZE)()
        count = self._c.hw_changes(found, len(found))
        return [Change(each.at, each.pin, each.level) for each in found[:count]]

    def analog(self, pin: int, millivolts: int) -> None:
        self._c.hw_analog(pin, millivolts)

    def late_step(self, axis: int) -> None:
        """Let the board notice that an axis has made a step too late."""
        self._c.hw_late_steps(axis)

    def steps(self, axis: int) -> int:
        """Return the position of an axis's motor: steps forward minus steps in reverse."""
        steps: int = self._c.hw_axis_steps(axis)
        return steps

    def module_receive(self, port: int, data: bytes) -> None:
        assert self._c.hw_module_rx(port, data, len(data)) == len(data)

    def module_sent(self, port: int) -> bytes:
        size: int = self._c.hw_module_tx(port, self._bytes, _BUFFER_SIZE)
        return self._bytes.raw[:size]
