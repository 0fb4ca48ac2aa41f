"""Tests the storage life of the boards: asked for when a run stops, recorded, and computed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from controller.events import Event
from controller.run.health.statistics import facts, statistics_of
from controller.run.health.storage_life import LONGEST_ANSWER, StorageLife, storage_used
from controller.run.journal.lines import JournalRecord, record_of
from firmware_bridge.board import Board
from firmware_bridge.sim import clock
from firmware_bridge.wire.errors import BoardSilentError
from tests.controller.played_round import Round, play


class ReportingBoard(Board):
    """A fake board that reports this share, or raises this error, after a time in seconds."""

    def __init__(self, answer: int | BoardSilentError | None, after: float = 0.0) -> None:
        self._answer, self._after = answer, after

    async def storage_used(self) -> int | None:
        await asyncio.sleep(self._after)
        if isinstance(self._answer, BoardSilentError):
            raise self._answer
        return self._answer


def records_of(played: Round) -> list[JournalRecord]:
    """Return the journal's records of a round."""
    return [record_of(line) for line in played.daemon.run_state.journal._lines()]


def shares_of(played: Round) -> list[object]:
    """Return the contents of the records about the storage."""
    return [record.content for record in records_of(played) if record.kind == "storage"]


# The question at the end of a run


@pytest.mark.slow
def test_the_shares_that_the_boards_report_are_in_the_journal_and_in_the_statistics() -> None:
    def wear(played: Round) -> None:
        assert played.hardware.bench is not None
        played.hardware.bench.boards["arm"].memory.storage_used = 12

    played = play(happens={10.0: wear})
    assert shares_of(played) == [{"base": 0, "arm": 12}]
    storage = facts(statistics_of(records_of(played)))["storage"]
    assert storage["arm"] == {
        "serial": played.daemon.run_state.journal.serials["arm"],
        "used_permille": 12,
        "rounds": 1,
        "rounds_left": None,
    }


def pull_the_plug(played: Round) -> None:
    """Disconnect all boards, so that they are lost when they are asked."""
    assert played.hardware.plug is not None
    played.hardware.plug.pull()


def answer_never(played: Round) -> None:
    """Let one board give no answer about its storage."""
    board = ReportingBoard(None, after=3600.0)
    played.daemon._boards["arm"].wrapped.storage_used = board.storage_used  # type: ignore[method-assign]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fail", "shares"), [(pull_the_plug, []), (answer_never, [{"base": 0}])], ids=["lost", "silent"]
)
def test_a_board_that_does_not_answer_at_the_end_does_not_change_the_result_of_the_run(
    fail: Callable[[Round], None], shares: list[object]
) -> None:
    began: list[float] = []

    def at_the_end(played: Round, event: Event) -> None:
        if event["event"] != "ready":
            return
        tower = played.daemon._tower
        close = tower.close

        async def close_then_fail() -> None:
            await close()
            began.append(asyncio.get_running_loop().time())
            fail(played)

        tower.close = close_then_fail  # type: ignore[method-assign]

    usual, played = play(), play(on=at_the_end)
    *rounds, stopped = played.events
    *usual_rounds, usually_stopped = usual.events
    assert rounds == usual_rounds
    assert {**stopped, "t": usually_stopped["t"]} == usually_stopped
    assert played.daemon.summary(0.0)["faults"] == 0
    assert shares_of(played) == shares
    assert records_of(played)[: -len(shares) or None] == records_of(usual)[:-1]
    # Closing a board whose line is lost takes no time either.
    assert float(str(stopped["t"])) < began[0] + LONGEST_ANSWER + 0.05


def test_a_run_that_fails_closes_its_boards_without_a_question() -> None:
    played: list[Round] = []

    def fail(running: Round) -> None:
        async def broken() -> int:
            raise AssertionError("asked")

        async def self_test() -> int:
            return 1

        played.append(running)
        for board in running.daemon._boards.values():
            board.storage_used = broken  # type: ignore[method-assign]
            board.self_test = self_test  # type: ignore[method-assign]

    with pytest.raises(Exception, match="self-test"):
        play(on=lambda running, event: fail(running) if not played else None)
    assert shares_of(played[0]) == []


def test_boards_are_asked_at_once_and_only_for_a_limited_time() -> None:
    boards = {
        "base": ReportingBoard(3, after=LONGEST_ANSWER * 0.8),
        "arm": ReportingBoard(4, after=LONGEST_ANSWER * 0.8),
        "pins": ReportingBoard(None),
        "lost": ReportingBoard(BoardSilentError("lost")),
        "slow": ReportingBoard(5, after=60.0),
    }

    async def ask() -> tuple[dict[str, int], float]:
        begun = asyncio.get_running_loop().time()
        used = await storage_used(boards)
        return used, asyncio.get_running_loop().time() - begun

    used, seconds = clock.run(ask())
    assert used == {"base": 3, "arm": 4}
    assert seconds == pytest.approx(LONGEST_ANSWER)


# The figures from the journal


class StorageJournal:
    """Builds the records of runs that the storage life is computed from."""

    def __init__(self) -> None:
        self.records: list[JournalRecord] = []

    def run(self, rounds: int, used: int | None = None, **content: object) -> None:
        """Add a run of base with this many rounds, and the share that base reported at its end."""
        self._add("run", content)
        for _ in range(rounds):
            number = self._add("intent", {"step": "build"}, "top")
            self._add("outcome", None, of=number)
        if used is not None:
            self._add("storage", {"base": used})

    @property
    def storage(self) -> dict[str, dict[str, object]]:
        """The figures of the boards, as `stats --json` prints them."""
        storage: dict[str, dict[str, object]] = facts(statistics_of(self.records))["storage"]
        return storage

    def _add(self, kind: str, content: object, activity: str = "", of: int | None = None) -> int:
        number = len(self.records) + 1
        self.records.append(
            JournalRecord(number, kind, activity, 0.0, content, of)  # type: ignore[arg-type]
        )
        return number


ONE, OTHER = {"base": "WW000001"}, {"base": "WW000002"}


def test_rounds_left_follow_the_wear_between_the_first_and_the_last_report() -> None:
    journal = StorageJournal()
    journal.run(10, used=100, serials=ONE)
    journal.run(20, used=150, serials=ONE)
    journal.run(20, used=199, serials=ONE)
    # 40 rounds used less than 100 permille, and more than 800 permille are left.
    assert journal.storage == {
        "base": {
            "serial": "WW000001",
            "used_permille": 199,
            "rounds": 50,
            "rounds_left": 800 * 40 // 100,
        }
    }


def test_a_share_that_has_not_grown_gives_the_fewest_rounds_that_can_remain() -> None:
    life = StorageLife()
    life.reported(0)
    assert life.rounds_left is None
    life.rounds = 500
    life.reported(0)
    assert life.rounds_left == 999 * 500


def test_a_storage_beyond_its_specified_writes_has_no_rounds_left() -> None:
    life = StorageLife()
    life.reported(990)
    life.rounds = 500
    life.reported(1200)
    assert life.rounds_left == 0


def test_another_board_begins_its_own_life() -> None:
    journal = StorageJournal()
    journal.run(10, used=500, serials=ONE)
    journal.run(30, used=3, serials=OTHER)
    journal.run(5, used=3, serials=OTHER)
    assert journal.storage["base"]["serial"] == "WW000002"
    assert (journal.storage["base"]["rounds"], journal.storage["base"]["used_permille"]) == (35, 3)
    assert journal.storage["base"]["rounds_left"] == 996 * 5


def test_a_lower_share_than_before_is_that_of_a_new_storage() -> None:
    journal = StorageJournal()
    journal.run(10, used=500, serials=ONE)
    journal.run(30, used=1, serials=ONE)
    assert journal.storage["base"]["rounds_left"] is None
    journal.run(30, used=1, serials=ONE)
    assert journal.storage["base"]["rounds_left"] == 998 * 30


def test_journals_of_earlier_versions_give_unknown_shares_or_no_boards() -> None:
    with_serials, without = StorageJournal(), StorageJournal()
    with_serials.run(3, serials=ONE)
    without.run(3)
    assert with_serials.storage == {
        "base": {"serial": "WW000001", "used_permille": None, "rounds": 3, "rounds_left": None}
    }
    assert without.storage == {}
