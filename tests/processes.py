"""Runs the tests in several processes, which are copies of the one that has found the tests.

`pytest --processes 3` searches for the tests once, and then forks. With pytest-xdist each process
searches for all of them, which took 10 s of processor time for each process when this was written.
The tests of a file run in one process, because they share simulated rounds and built firmware.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import uuid
import warnings
from collections import deque
from itertools import groupby
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

FORK = multiprocessing.get_context("fork")
QUIET = 60.0
"""Seconds without a result after which the output names the tests that are running."""
ENDING = 120.0
"""Seconds in which a process ends the services that its tests share."""

Files = deque[list[pytest.Item]]


class TestProcess:
    """The first process's view of one of the others."""

    __test__ = False

    def __init__(self, session: pytest.Session, number: int, run: str, files: Files) -> None:
        self.items: deque[pytest.Item] = deque()
        """The tests that it has been given and has not completed, in their order."""
        self.began = perf_counter()
        self._files = files
        self.connection, end = FORK.Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Libraries for numbers have threads of their own, and prepare them for a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process = FORK.Process(target=_run, args=(session, end, number, run))
            self.process.start()
        end.close()

    def give(self) -> None:
        """Give it the next file, or nothing if there is none."""
        items = self._files.popleft() if self._files else []
        self.items.extend(items)
        self.connection.send([item.session.items.index(item) for item in items])

    def finish(self) -> None:
        """Take the first of its tests as completed."""
        self.items.popleft()
        self.began = perf_counter()

    def end(self) -> None:
        """Wait for its end, and kill it if it does not end by itself."""
        self.process.join(ENDING)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.connection.close()


class Processes:
    """A plug-in of pytest that gives the files of tests to its processes one after another."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._run = uuid.uuid4().hex
        self._started = 0
        self._processes: list[TestProcess] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests. Without several files, they run in this process."""
        files: Files = deque(
            list(items) for _, items in groupby(_by_file(session.items), lambda item: item.path)
        )
        is_left_out = session.config.option.collectonly or session.testsfailed
        if is_left_out or len(files) < 2:
            return None
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        try:
            for _ in range(min(self._number, len(files))):
                self._start(session, files)
            while self._processes:
                self._receive(session, files)
        except BaseException:
            for process in self._processes:
                process.process.terminate()
            raise
        finally:
            for process in self._processes:
                process.end()
        return True

    def _start(self, session: pytest.Session, files: Files) -> None:
        self._processes.append(TestProcess(session, self._started, self._run, files))
        self._started += 1

    def _receive(self, session: pytest.Session, files: Files) -> None:
        """Pass on what the processes send, until none has sent anything for a while."""
        by_connection = {process.connection: process for process in self._processes}
        ready = wait(list(by_connection), QUIET)
        if not ready:
            self._name_running_tests(session)
        for connection in ready:
            assert isinstance(connection, Connection)
            process = by_connection[connection]
            try:
                kind, value = connection.recv()
            except (EOFError, ConnectionResetError):
                self._processes.remove(process)
                process.end()
                if process.items:
                    self._replace(session, process, files)
                continue
            if kind == "next":
                process.give()
            else:
                process.finish()
                self._log(session, value)

    def _log(self, session: pytest.Session, reports: list[Any]) -> None:
        """Pass on what happened in the phases of a test; end the run after a failure with `-x`."""
        hook = session.config.hook
        for each in reports:
            report = each
            if isinstance(each, dict):
                report = hook.pytest_report_from_serializable(config=session.config, data=each)
            hook.pytest_runtest_logreport(report=report)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)

    def _replace(self, session: pytest.Session, ended: TestProcess, files: Files) -> None:
        """Report the test in which a process ended, and let another one go on after it."""
        item = ended.items.popleft()
        text = f"The process of this test ended with the code {ended.process.exitcode}."
        session.config.hook.pytest_runtest_logreport(
            report=pytest.TestReport(
                item.nodeid, item.location, dict(item.keywords), "failed", text, "call"
            )
        )
        if ended.items:
            files.appendleft(list(ended.items))
        if files:
            self._start(session, files)

    def _name_running_tests(self, session: pytest.Session) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        reporter.ensure_newline()
        for process in self._processes:
            if process.items:
                seconds = perf_counter() - process.began
                reporter.write_line(f"{seconds:4.0f} s so far: {process.items[0].nodeid}")


class Sender:
    """A plug-in in each process that keeps the results of a test until they are sent."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.reports: list[Any] = []
        """Of each phase of the test. A passed one is its report itself, which costs least."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result of a phase of a test."""
        if report.passed and report.longrepr is None:
            self.reports.append(report)
        else:
            hook = self._config.hook
            data = hook.pytest_report_to_serializable(config=self._config, report=report)
            self.reports.append(data)


class Silent:
    """Takes the place of the terminal's reporter in a process: it reports nothing."""

    def __init__(self, writer: Any) -> None:
        self._tw = writer
        """Where pytest-timeout writes what all threads do when a test takes too long."""


def _by_file(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests file by file, the files in the order of the first test of each."""
    order: dict[Path, list[pytest.Item]] = {}
    for item in items:
        order.setdefault(item.path, []).append(item)
    return [item for file in order.values() for item in file]


def _run(session: pytest.Session, connection: Connection, number: int, run: str) -> None:
    """Run the tests that the first process names, until it names none."""
    config = session.config
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is not None:
        capture.stop_global_capturing()
        capture.start_global_capturing()
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        if reporter is not None:
            reporter._tw._file = nowhere
            config.pluginmanager.unregister(reporter)
            config.pluginmanager.register(Silent(reporter._tw), "terminalreporter")
        sender = Sender(config)
        config.pluginmanager.register(sender, "sender")
        # The fixtures of pytest-xdist read these.
        values = {"workerid": f"p{number}", "testrunuid": run, "workercount": number + 1}
        config.workerinput = values  # type: ignore[attr-defined]
        factory: Any = config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp = factory.getbasetemp() / f"p{number}"
        factory._basetemp.mkdir(mode=0o700)
        try:
            _end_on_a_signal()
            _run_given(session, connection, sender)
        except (KeyboardInterrupt, pytest.exit.Exception):
            pass  # the first process reports it
        finally:
            session._setupstate.teardown_exact(None)
            sys.stdout.flush()
            connection.close()


def _end_on_a_signal() -> None:
    """Let the first signal interrupt the test, and no other one the end of the shared services."""

    def interrupt(*_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            # Programs that are started from now on would inherit SIG_IGN.
            signal.signal(number, lambda *_: None)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)


def _run_given(session: pytest.Session, connection: Connection, sender: Sender) -> None:
    connection.send(("next", None))
    given = deque(connection.recv())
    while given:
        item = session.items[given.popleft()]
        if not given:
            # The last test keeps the fixtures that the next file uses too.
            connection.send(("next", None))
            given.extend(connection.recv())
        following = session.items[given[0]] if given else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        connection.send(("finished", sender.reports))
        sender.reports = []
