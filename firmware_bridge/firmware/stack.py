"""`make size`: flash, static RAM and the deepest stack of the AVR build, against their budgets.

The stack is the sum of the functions' `-fstack-usage` along the calls that `avr-objdump` shows. An
interrupt may occur at the deepest point of the code that it interrupts, and a handler that runs
with interrupts enabled can be interrupted itself.

    python stack.py ELF BUILD_FOLDER --flash BYTES --static BYTES --ram BYTES

Exit code 1 if a budget is exceeded, or if the stack cannot be computed: a recursion, or a call
through a pointer by a function that is not named here.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Collection
from pathlib import Path

RETURN_ADDRESS = 3
"""Bytes that a call or an interrupt pushes on a chip with more than 128 KiB of flash."""
FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
PUSH = re.compile(r"\tpush\t")
CALL = re.compile(r"\tr?call\t(?!\.\+0\s).*; 0x([0-9a-f]+) <")
"""`rcall .+0`: gcc allocates three bytes with it, which -fstack-usage includes."""
JUMP = re.compile(r"\t(?:r?jmp|br\w\w)\t.*; 0x([0-9a-f]+) <")
LAST = re.compile(r"\t(?:reti?|r?jmp|e?ijmp)\b")
THROUGH_A_POINTER = re.compile(r"\te?i(?:call|jmp)\b")

VECTOR = "__vector_"
TICK = "__vector_32"
"""The tick's handler enables all interrupts; the tick can then interrupt its own handler."""
NESTED_IN_TICK = ("tick_alarm", "tick_follow")
"""The functions that a tick calls while it has interrupted another one, each once: a tick that
interrupts one of them reads in its flag that it runs, and does not call it."""
ONCE = ("tick_run_core", *NESTED_IN_TICK)
"""The functions that only one tick at a time runs; `tick_run_core` holds BUSY, so that no nested
tick calls it. A tick that interrupts all of them samples, and cuts motors."""
CALLED_BY_TICK = 40
"""Bytes that the tick has pushed when it calls a function of C."""
POINTERS: dict[str, tuple[str, ...]] = {
    "faults_clear": ("persists",),
    "ring_begin": ("kept_forget", "items_replay"),
    "replay_page": ("items_replay",),
    "__tablejump2__": (),
}
"""The functions that each of these may call through a pointer; library code calls none."""


class Function:
    """A function of the program that begins at this address."""

    def __init__(self, begin: int, name: str, reported: int | None) -> None:
        self.begin, self.name = begin, name
        self.of_library = reported is None and name.startswith("__") and not name.startswith(VECTOR)
        self.pushed = 0
        self.reported = reported
        self.calls: set[int] = set()
        self.jumps: set[int] = set()
        self.calls_pointer = False

    @property
    def own(self) -> int:
        """Bytes of the function's own stack frame, including its return address."""
        return RETURN_ADDRESS + self.pushed if self.reported is None else self.reported


class Program:
    """The functions of an ELF file: the stack use, calls and jumps of each."""

    def __init__(self, elf: Path, build: Path) -> None:
        usage = _stack_usage(build)
        self.functions: list[Function] = []
        falls_through = False
        for line in _disassembly(elf):
            if found := FUNCTION.match(line):
                begin, name = int(found[1], 16), found[2]
                if falls_through:
                    self.functions[-1].jumps.add(begin)
                self.functions.append(Function(begin, name, usage.get(name)))
            elif "\t" in line:
                self._note(line, self.functions[-1])
                falls_through = LAST.search(line) is None
        self._begins = [function.begin for function in self.functions]
        self._known: dict[int, int] = {}
        """Results of `_below` by the function's address, if no caller changes them."""
        self._without: Collection[str] = ()
        self._ended_loops = 0
        """Calls of library functions into each other that `_below` has not followed."""

    def _note(self, line: str, function: Function) -> None:
        if found := CALL.search(line):
            function.calls.add(int(found[1], 16))
        elif found := JUMP.search(line):
            function.jumps.add(int(found[1], 16))
        elif PUSH.search(line):
            function.pushed += 1
        elif THROUGH_A_POINTER.search(line):
            function.calls_pointer = True

    def deepest(self, name: str, without: Collection[str] = ()) -> int:
        """Bytes of stack that a call of this function needs at most, with its return address.

        A function of `without` is called, but returns before it calls another one.
        """
        self._known.clear()
        self._without = without
        return max(self._below(each, (), ()) for each in self._named(name))

    def _below(
        self, function: Function, callers: tuple[Function, ...], since: tuple[Function, ...]
    ) -> int:
        """The stack of a function and its calls. `since`: functions jumped to since a call."""
        if function in callers:
            if function.of_library:  # avr-libc functions jump into each other
                self._ended_loops += 1
                return RETURN_ADDRESS
            path = " -> ".join(each.name for each in (*callers, function))
            raise SystemExit(
                f"{path} is a recursive call, so the size of the stack has no limit; "
                "remove the recursion."
            )
        if function.name in self._without:
            return function.own
        if not since and function.begin in self._known:
            return self._known[function.begin]
        ended_loops = self._ended_loops
        here = (*since, function)
        called = [self._below(each, (*callers, *here), ()) for each in self._called_by(function)]
        jumped = [
            self._below(each, callers, here) - RETURN_ADDRESS
            for each in map(self._at, function.jumps)
            if each not in here
        ]
        stack = function.own + max([0, *called, *jumped])
        if not since and ended_loops == self._ended_loops:
            self._known[function.begin] = stack
        return stack

    def _called_by(self, function: Function) -> list[Function]:
        called = [self._at(address) for address in function.calls]
        if function.calls_pointer:
            if function.name not in POINTERS:
                raise SystemExit(
                    f"{function.name} calls through a pointer; add its possible targets to POINTERS"
                    " in stack.py."
                )
            called += [each for name in POINTERS[function.name] for each in self._named(name)]
        return called

    def _at(self, address: int) -> Function:
        return self.functions[bisect_right(self._begins, address) - 1]

    def _named(self, name: str) -> list[Function]:
        return [function for function in self.functions if function.name == name]

    @property
    def interrupts(self) -> list[str]:
        """The interrupt vectors that have a handler."""
        names = (function.name for function in self.functions)
        return [name for name in names if re.fullmatch(VECTOR + r"\d+", name)]

    def worst(self) -> int:
        """The deepest stack of the program.

        The sum of main, the tick that reports to the core, the ticks that interrupt it (one with
        the alarm, one that takes an axis's next segment, one that samples and cuts motors), and
        one interrupt handler that runs with interrupts disabled.
        """
        last = [name for name in self.interrupts if name != TICK]
        return (
            self.deepest("main")
            + self.deepest(TICK)
            + self.deepest(TICK, ONCE)
            + sum(CALLED_BY_TICK + self.deepest(name) for name in NESTED_IN_TICK)
            + max((self.deepest(name) for name in last), default=0)
        )


def main() -> int:
    """Print the sizes and budgets; return the exit code."""
    parser = argparse.ArgumentParser(
        description="Check the sizes of the AVR firmware against budgets."
    )
    parser.add_argument("elf", type=Path)
    parser.add_argument("build", type=Path)
    for budget in ("flash", "static", "ram"):
        parser.add_argument(f"--{budget}", type=int, required=True)
    options = parser.parse_args()
    text, initialised, zeroed = _sizes(options.elf)
    stack = Program(options.elf, options.build).worst()
    figures = (
        ("flash", text + initialised, options.flash),
        ("static RAM", initialised + zeroed, options.static),
        ("static RAM and deepest stack", initialised + zeroed + stack, options.ram),
    )
    sys.stdout.write(f"deepest stack: {stack} bytes\n")
    for name, size, budget in figures:
        verdict = "" if size <= budget else f"  exceeds it by {size - budget}"
        sys.stdout.write(f"{name}: {size} of {budget} bytes{verdict}\n")
    return int(any(size > budget for _, size, budget in figures))


def _stack_usage(build: Path) -> dict[str, int]:
    usage: dict[str, int] = {}
    for file in build.rglob("*.su"):
        for line in file.read_text().splitlines():
            place, size, kind = line.split("\t")
            name = place.rsplit(":", 1)[1]
            if kind != "static":
                raise SystemExit(
                    f"{place} has a stack of variable size ({kind}); give it a fixed one."
                )
            usage[name] = max(int(size), usage.get(name, 0))
    return usage


def _disassembly(elf: Path) -> list[str]:
    return _output("avr-objdump", "-d", str(elf))


def _sizes(elf: Path) -> tuple[int, int, int]:
    text, initialised, zeroed = _output("avr-size", str(elf))[1].split()[:3]
    return int(text), int(initialised), int(zeroed)


def _output(*command: str) -> list[str]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
