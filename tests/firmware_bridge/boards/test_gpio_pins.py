"""Tests how GPIO pins are opened and closed, refused channels and orders, missing pins."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from config.schema import (
    AnalogChannel,
    AxisChannel,
    BoardConfig,
    DiceChannel,
    MotorChannel,
    OutputChannel,
    ReaderChannel,
    StripChannel,
)
from firmware_bridge.board import Elapsed, Ended, Reason
from firmware_bridge.boards import gpio_pins
from firmware_bridge.boards.gpio_board import GpioBoard
from firmware_bridge.boards.gpio_pins import pi_pins
from firmware_bridge.wire.errors import BoardError, BoardRefusedError
from tests.firmware_bridge.pin_bench import (
    Bench,
    leased,
    run_scenario,
    sensor,
    started,
)

# Opening and closing


@run_scenario
async def test_closing_leaves_enable_lines_safe_before_they_become_inputs() -> None:
    bench = Bench()
    await bench.board.start()
    assert bench.pin(13).function == "output"
    assert bench.pin(13).state, "the brake is on from the first moment"
    await bench.board.hold_lease()
    await bench.board.set("brake", 0)
    await bench.board.set("lamp", 1)
    driving = asyncio.create_task(bench.board.drive("wheel", 800, Elapsed(), 60.0))
    await asyncio.sleep(0.5)
    await bench.board.close()
    assert await driving == Ended(Reason.STOPPED, 0, 0.5)
    for number, safe in ((13, 1), (12, 0), (27, 0), (22, 0), (17, 0)):
        assert bench.pin(number).function == "input", number
        assert bench.pin(number).state == safe, number  # an input cannot be set any more
    await bench.board.close()
    bench.pass_tile()
    bench.board.stop_all()
    await bench.board.release_lease()
    with pytest.raises(BoardRefusedError, match="board pins is closed; start it first"):
        await bench.board.set("lamp", 1)


@run_scenario
async def test_a_closed_board_starts_again_with_counts_at_zero() -> None:
    bench = Bench()
    first = await bench.board.start()
    assert await bench.board.start() == first
    assert (first.build, first.serial) == ("gpio", "GPIO0000")
    bench.pass_tile()
    await asyncio.sleep(0.1)
    assert await bench.board.count("counter") == 1
    await bench.board.close()
    assert await bench.board.start() == first
    assert await bench.board.count("counter") == 0
    await bench.board.close()


@run_scenario
async def test_a_pin_in_use_is_refused_and_the_pins_opened_before_it_are_released() -> None:
    async with started() as bench:
        other = BoardConfig(
            kind="gpio",
            channels={
                "fan": OutputChannel(kind="output", pin=16, safe=0),
                "light": OutputChannel(kind="output", pin=12, safe=0),
            },
        )
        second = GpioBoard("more", other, bench.pins.factory)
        with pytest.raises(
            BoardRefusedError, match="board more: the pin of channel light cannot be opened"
        ):
            await second.start()
        assert bench.pin(16).function == "input"


@run_scenario
async def test_a_refused_channel_table_leaves_no_pin_open() -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    wrong = MotorChannel(kind="motor", pin=17, safe=0, max_on=1.0, hold_while="lamp")
    lamp = OutputChannel(kind="output", pin=12, safe=0)
    config = BoardConfig(kind="gpio", channels={"drum": wrong, "lamp": lamp})
    board = GpioBoard("pins", config, factory)
    for _ in range(2):
        with pytest.raises(BoardRefusedError, match="board pins refused its channel table"):
            await board.start()
        assert factory.pin(17).function == "input"


# Channels and orders that pins do not support


@pytest.mark.parametrize(
    ("channel", "kind"),
    [
        (StripChannel(kind="strip", pin=18, lamps=17, safe=0), "strip"),
        (
            AxisChannel(
                kind="axis",
                pin=2,
                direction_pin=3,
                home_switch="home",
                low=0.0,
                high=1.0,
                speed=1.0,
                acceleration=1.0,
            ),
            "axis",
        ),
        (DiceChannel(kind="dice", pin=4, port=1, safe=0, shake=1.5), "dice"),
        (ReaderChannel(kind="reader", port=1), "reader"),
        (AnalogChannel(kind="analog", pin=4), "analog"),
    ],
)
def test_a_channel_that_pins_do_not_support_is_refused_by_name(channel: Any, kind: str) -> None:
    config = BoardConfig(kind="gpio", channels={"thing": channel})
    with pytest.raises(BoardRefusedError) as refused:
        GpioBoard("pins", config, MockFactory(pin_class=MockPWMPin))
    assert str(refused.value) == (
        f"board pins: channel thing is of kind {kind}; plain GPIO pins support only motor, output"
        " and sensor. Move the channel to a serial board."
    )


def test_a_pin_that_the_header_does_not_have_is_refused() -> None:
    config = BoardConfig(kind="gpio", channels={"key": sensor(54)})
    with pytest.raises(
        BoardRefusedError, match=r"key is on pin 54, which .* choose one from 2 to 27"
    ):
        GpioBoard("pins", config, MockFactory(pin_class=MockPWMPin))


@run_scenario
async def test_orders_that_pins_do_not_support_are_refused_with_the_reason() -> None:
    async with leased() as bench:
        board = bench.board
        for order, why in (
            (board.set("drum", -300), "motor drum has no reverse_pin and cannot run at -300"),
            (
                board.set("lamp", 2),
                "refused setting lamp to 2: a value, count or time is out of its range",
            ),
            (board.set("counter", 1), "counter is another kind of channel"),
            (board.set("moon", 1), "no channel moon; it has drum, wheel, lift"),
            (
                board.pulse("brake", 0, 3.0),
                "refused a pulse of brake: a value, count or time is out of its range",
            ),
            (board.move({"x": 0.1}), "cannot move x, because it has plain GPIO pins only"),
            (board.home("x"), "cannot home x"),
            (board.throw("dome", 2), "cannot throw dice with dome"),
            (board.scan("reader"), "cannot scan with reader"),
        ):
            with pytest.raises(BoardRefusedError, match=why):
                await order
        await board.set("drum", 650)
        driving = asyncio.create_task(board.drive("wheel", 100, Elapsed(), 1.0))
        await asyncio.sleep(0.1)
        with pytest.raises(BoardRefusedError, match="wheel is busy with another order"):
            await board.set("wheel", 1)
        assert (await driving).reason is Reason.TIME


LGPIO = """
import os

class error(Exception):
    pass

folder = os.environ.get("LG_WD")
if folder is not None:
    os.chdir(folder)
handle = 0
try:
    os.mkfifo(".lgd-nfy0")
    writing = os.open(".lgd-nfy0", os.O_RDWR)
except OSError:
    handle = -3
reading = open(f".lgd-nfy{handle}", "rb", buffering=0)
"""
"""The import of lgpio 0.2.2, in short: the C library makes the pipe in LG_WD or in the working
folder, and the Python part opens it by its relative name."""
NOT_WRITABLE = "/proc"
"""A folder in which not even root can make a file, as the service's user cannot in `/`."""


class LgpioError(Exception):
    pass


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A module `lgpio` that does what lgpio does at its import."""
    library = tmp_path / "library"
    library.mkdir()
    (library / "lgpio.py").write_text(LGPIO, "utf-8")
    monkeypatch.syspath_prepend(str(library))
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    factory = SimpleNamespace(LGPIOFactory=lambda: "the pins")
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", factory)
    yield
    module = sys.modules.pop("lgpio", None)
    if module is not None:
        module.reading.close()
        os.close(module.writing)


@pytest.mark.usefixtures("lgpio")
def test_the_pins_open_in_a_working_folder_where_nobody_can_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("LG_WD", str(tmp_path / "another folder"))
    monkeypatch.chdir(NOT_WRITABLE)
    assert pi_pins() == "the pins"
    assert str(Path.cwd()) == NOT_WRITABLE, "relative paths of the command line stay valid"
    assert os.environ["LG_WD"] == str(tmp_path / "another folder")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["library"], "no pipe is left"
    module = sys.modules["lgpio"]
    os.write(module.writing, b"a change of a pin")
    assert module.reading.read(64) == b"a change of a pin", "the pipe works without its name"


@pytest.mark.usefixtures("lgpio")
def test_without_a_folder_for_the_pipe_the_error_names_the_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", NOT_WRITABLE)
    with pytest.raises(BoardError, match=r"makes a named pipe .* environment variable TMPDIR\.$"):
        pi_pins()
    assert "lgpio" not in sys.modules


@pytest.mark.parametrize("failure", [FileNotFoundError, PermissionError])
def test_a_failed_import_of_lgpio_is_reported_and_the_working_folder_restored(
    failure: type[OSError], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = Path.cwd()
    (tmp_path / "lgpio.py").write_text(f"raise {failure.__name__}(2, 'no', '.lgd-nfy-3')", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    with pytest.raises(BoardError, match=r"that failed \(\[Errno 2\] no: '\.lgd-nfy-3'\)"):
        pi_pins()
    assert Path.cwd() == before


@pytest.mark.usefixtures("lgpio")
def test_the_lgpio_of_the_distribution_is_used_where_the_program_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = [each for each in sys.path if each != str(tmp_path / "library")]
    monkeypatch.setattr(sys, "path", before.copy())
    monkeypatch.setattr(gpio_pins, "SYSTEM_PACKAGES", str(tmp_path / "library"))
    assert pi_pins() == "the pins"
    assert sys.path == before, "no other import finds the packages of the distribution"


def test_without_lgpio_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(BoardError, match=r"library lgpio.*Install the package python3-lgpio"):
        pi_pins()


def test_a_machine_without_pins_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_chip() -> None:
        raise LgpioError("can not open gpiochip")

    monkeypatch.setitem(sys.modules, "lgpio", SimpleNamespace(error=LgpioError))
    pins = SimpleNamespace(LGPIOFactory=no_chip)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", pins)
    with pytest.raises(BoardError, match=r"machine cannot be opened \(can not open gpiochip\)"):
        pi_pins()
