"""Learning recovers the wiring of simulated tables whose wires are shuffled."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import check_file
from config.schema import Table
from controller.upkeep.learn import Findings, propose
from controller.upkeep.learn.probe import CLEAR, MOVE
from firmware_bridge.sim import clock
from tests.controller.upkeep.learn.learned_table import Learned, check_wiring, learner
from tests.quick import EVIDENCE_ONLY, slow_except

SEEDS = [0, 1]
MORE_SEEDS = range(2, 6)
TABLES = ["classic", "single_port"]


async def _learn(table: str, seed: int, sees: float = 1.0) -> Learned:
    learned = await learner(table, seed, sees=sees)
    await learned.session.run()
    return learned


def _proposed(learned: Learned, folder: Path) -> Table:
    file = folder / "learned.yaml"
    text = propose(learned.rewiring.wire_list, learned.model, learned.session.findings)
    file.write_text(text, "utf-8")
    table = check_file(file)
    assert isinstance(table, Table)
    return table


def check_all_found(table: str, seed: int, sees: float, folder: Path) -> None:
    learned = clock.run(_learn(table, seed, sees))
    assert learned.session.missing == (), learned.person.lines
    assert learned.session.spare == ()
    check_wiring(_proposed(learned, folder), learned.rewiring, learned.model)


@pytest.mark.parametrize("table", slow_except(["classic"], TABLES))
@pytest.mark.parametrize("seed", slow_except([0], SEEDS))
def test_every_wire_of_a_shuffled_table_is_found_and_the_proposal_passes_check(
    table: str, seed: int, tmp_path: Path
) -> None:
    check_all_found(table, seed, 1.0, tmp_path)


@pytest.mark.slow
def test_a_person_who_often_saw_nothing_only_needs_more_rounds(tmp_path: Path) -> None:
    check_all_found("single_port", 3, 0.5, tmp_path)


@pytest.mark.slow
@EVIDENCE_ONLY
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", MORE_SEEDS)
def test_every_wire_is_found_with_more_seeds(table: str, seed: int, tmp_path: Path) -> None:
    check_all_found(table, seed, 0.5 if seed % 2 else 1.0, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_person_who_guesses_every_answer_ends_with_a_list_and_without_a_crash(seed: int) -> None:
    async def main() -> None:
        learned = await learner("single_port", seed, guesses=True)
        learned.person.most_rounds = 3
        await learned.session.run()
        found = learned.session.findings
        assert len(found.wires) == len(found.motors) + len(found.sensors), "no wire is used twice"

    clock.run(main())


# Safety


@pytest.mark.slow
def test_no_motor_moves_before_the_word_for_it_was_typed() -> None:
    async def main() -> None:
        learned = await learner("single_port", 1)
        person = learned.person
        moved: list[tuple[str, int]] = []
        wires = {each.channel: wire for wire, each in learned.rewiring.wires.items()}

        def note(channel: str, value: int) -> None:
            if value and channel in wires:
                moved.append((wires[channel], len(person.words)))

        learned.plant.output_observers.append(note)
        await learned.session.run()
        for wire, words in moved:
            assert person.words[words - 1] == (MOVE, wire), "the last word was for this motor"
        assert len({wire for wire, _ in moved}) > 5

    clock.run(main())


def test_a_person_who_types_no_word_sees_no_motion() -> None:
    async def main() -> None:
        learned = await learner("single_port", 1)
        learned.person.before_motion = lambda wire: False
        learned.person.most_rounds = 1
        moved: list[str] = []
        motors = {each.channel for each in learned.rewiring.wires.values()}
        learned.plant.output_observers.append(
            lambda channel, value: moved.append(channel) if value and channel in motors else None
        )
        await learned.session.run()
        assert not moved
        assert not learned.session.findings.motors

    clock.run(main())


def test_after_the_emergency_stop_nothing_moves_until_the_person_clears_it(
    tmp_path: Path,
) -> None:
    async def main() -> Learned:
        learned = await learner("single_port", 2)
        person, plant = learned.person, learned.plant
        loop = plant.world.loop
        pressed: list[float] = []
        cleared: list[float] = []

        def before_motion(wire: str) -> bool:
            if wire and not pressed and len(person.words) == 6:
                pressed.append(loop.time())
                loop.call_later(0.5, plant.sense, "emergency", True)
                loop.call_later(40.0, plant.sense, "emergency", False)
            if not wire:
                cleared.append(loop.time())
            return True

        person.before_motion = before_motion
        moved: list[float] = []
        motors = {each.channel for each in learned.rewiring.wires.values()}
        plant.output_observers.append(
            lambda channel, value: (
                moved.append(loop.time()) if value and channel in motors else None
            )
        )
        await learned.session.run()
        assert pressed
        assert cleared
        stopped = pressed[0] + 0.6
        assert not [at for at in moved if stopped < at < cleared[-1]]
        assert (CLEAR, "") in person.words
        assert any("EMERGENCY_STOP" in line for line in person.lines)
        return learned

    learned = clock.run(main())
    assert learned.session.missing == ()
    check_wiring(_proposed(learned, tmp_path), learned.rewiring, learned.model)


# Interruption


@pytest.mark.slow
def test_an_interrupted_session_continues_with_what_it_has_found(tmp_path: Path) -> None:
    state = tmp_path / "state.json"

    async def begun() -> Findings:
        learned = await learner("single_port", 1)
        learned.person.before_motion = lambda wire: len(learned.person.words) < 20
        learned.person.most_rounds = 1
        learned.session.findings.sensors.clear()
        await learned.session._learn_motors()
        learned.session.findings.save(state)
        return learned.session.findings

    async def continued() -> Learned:
        learned = await learner("single_port", 1, findings=Findings.load(state, "single_port"))
        await learned.session.run()
        return learned

    before = clock.run(begun())
    assert 0 < len(before.motors) < 8
    learned = clock.run(continued())
    assert learned.session.missing == ()
    again = {question.wire for question in learned.person.asked if question.wire}
    assert not again & {found.wire for found in before.motors.values()}, "asked only once"
    check_wiring(_proposed(learned, tmp_path), learned.rewiring, learned.model)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"table": "classic", "motors": [1]}'])
def test_a_damaged_state_file_is_refused_with_the_next_step(text: str, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text(text, "utf-8")
    with pytest.raises(Exception, match="--state"):
        Findings.load(state, "classic")


def test_the_state_of_another_model_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    Findings("classic").save(state)
    with pytest.raises(Exception, match="classic, not single_port"):
        Findings.load(state, "single_port")
