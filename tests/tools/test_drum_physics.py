"""Tests the stored runs of the drum's simulation, the fit to them, and the simulation itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from config.layout.mixing import FITTED
from tests.quick import EVIDENCE_ONLY
from tools import pages
from tools.drum_physics import fit, pan, tumbling
from tools.drum_physics.compare import Comparison, compared_engines
from tools.drum_physics.designs import DESIGNS
from tools.drum_physics.fit import HELD_OUT, OUTSIDE, SPREAD
from tools.drum_physics.heaps import heap_up
from tools.drum_physics.measures import rank_correlation, segregation, successive_share
from tools.drum_physics.order_fit import ORDER, PickedRun, drop_order_correlation
from tools.drum_physics.setting import DrumSetting, plausible_speed
from tools.mixing_page import campaign_fit

SMALLEST = DrumSetting(tiles=8, pan_radius_mm=80.0)
RUNS = fit.read_runs()


@EVIDENCE_ONLY
@pytest.mark.slow
def test_the_page_about_mixing_is_current() -> None:
    """Here, because it shows the fit, which takes 20 s, as the tests below do."""
    assert pages.stale(["docs/build/MIXING.md"]) == [], "run `make docs`"


@EVIDENCE_ONLY
@pytest.mark.slow
@pytest.mark.parametrize("name", [*SPREAD, *ORDER])
def test_the_models_constants_are_those_of_the_fit(name: str) -> None:
    assert getattr(FITTED, name) == pytest.approx(
        getattr(campaign_fit().constants, name), rel=0.01, abs=0.001
    )


def test_at_least_twenty_drums_were_simulated_more_than_once() -> None:
    counts = Counter(run["design"] for run in RUNS)
    assert len(counts) >= 20
    assert min(counts.values()) >= 2, "a single run has no error"
    assert len({(run["design"], run["seed"]) for run in RUNS}) == len(RUNS)


@EVIDENCE_ONLY
@pytest.mark.slow
def test_the_model_is_within_its_errors_of_the_drums_that_were_held_out() -> None:
    held = {row.design: row.deviation for row in campaign_fit().rows if row.design in HELD_OUT}
    assert len(held) == len(HELD_OUT) >= 5
    assert all(abs(deviation) < 2.5 for deviation in held.values()), held
    mean_square = sum(deviation**2 for deviation in held.values()) / len(held)
    assert mean_square < 2, "the stated errors are not too small"
    errors = [row.predicted_error for row in campaign_fit().rows if row.design in HELD_OUT]
    assert all(error < 0.5 for error in errors), "nor without use"


@EVIDENCE_ONLY
@pytest.mark.slow
def test_the_model_is_within_its_errors_of_the_drums_that_were_campaign_fit() -> None:
    rows = {row.design: row.deviation for row in campaign_fit().rows if row.design not in OUTSIDE}
    assert all(abs(deviation) < 3 for deviation in rows.values()), rows


def test_every_stored_run_is_of_a_design_and_no_tile_was_thrown() -> None:
    settings = {design.name: design.setting for design in DESIGNS}
    for run in RUNS:
        setting = settings[run["design"]]
        assert run["setting"] == setting.as_json()
        assert 0 < run["fastest"] <= plausible_speed(setting) < 6


def test_a_tile_that_a_contact_throws_is_not_plausible() -> None:
    assert plausible_speed(DrumSetting()) == pytest.approx(3.46, abs=0.05)


@pytest.mark.parametrize("row", compared_engines(), ids=lambda row: str(row.design))
def test_another_engine_gives_about_the_same_mixing(row: Comparison) -> None:
    assert abs(row.mujoco - row.bullet) < 0.35
    assert row.fastest <= plausible_speed(DrumSetting())


def test_picks_heap_by_heap_are_likely_in_a_drum_that_does_not_mix() -> None:
    run = next(run for run in RUNS if len(run["picks"]) == 136)
    one_by_one = PickedRun(run | {"picks": [[tile, 0, 0.0] for tile in range(136)]}, FITTED)
    assert one_by_one.log_likelihood(2.0) > one_by_one.log_likelihood(0.0)
    by_turns = [[tile * 34 % 135, 0, 0.0] for tile in range(135)]
    apart = PickedRun(run | {"picks": [*by_turns, [135, 0, 0.0]]}, FITTED)
    assert apart.log_likelihood(2.0) < apart.log_likelihood(0.0)
    # Each of n tiles is equally likely: the probability is 1 / n!.
    expected = -sum(np.log(np.arange(1, 137)))
    assert one_by_one.log_likelihood(0.0) == pytest.approx(expected)


def test_tiles_that_fell_in_first_are_not_picked_first() -> None:
    correlation, error, runs = drop_order_correlation(RUNS)
    assert runs >= 10
    assert abs(correlation) < 3 * error < 0.15


def test_tiles_that_lie_in_their_quadrants_are_segregated_and_shuffled_ones_are_not() -> None:
    chance = np.random.default_rng(1)
    heaps = heap_up(DrumSetting(), chance)
    assert segregation(heaps.places, heaps.quadrants) > 3
    mixed = [segregation(heaps.places, chance.permutation(heaps.quadrants)) for _ in range(20)]
    assert abs(sum(mixed) / 20 - 1) < 0.1
    assert sorted(heaps.order) == list(range(136))
    first_in = np.argsort(heaps.order)
    assert rank_correlation(heaps.order, first_in) == pytest.approx(1.0)
    assert rank_correlation(heaps.order, first_in[::-1]) == pytest.approx(-1.0)
    assert successive_share(heaps.quadrants, np.arange(136)) == pytest.approx(3.98, abs=0.05)
    assert (heaps.layers[first_in] == sorted(heaps.layers)).all(), "lower layers fall in first"


@pytest.mark.slow
def test_a_short_run_tumbles_and_picks_tiles_without_throwing_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = tumbling.tumble(SMALLEST, seed=1, seconds=1, picking=True)
    assert len(result.segregation) == 1
    assert 0.1 < result.fastest < plausible_speed(SMALLEST)
    tiles = [tile for tile, _, _ in result.picks]
    assert len(set(tiles)) == len(tiles) >= 2
    again = tumbling.tumble(SMALLEST, seed=1, seconds=1, picking=False)
    assert again.segregation == result.segregation, "a seed gives the same run"
    monkeypatch.setattr(tumbling, "plausible_speed", lambda _: 0.2)
    with pytest.raises(tumbling.ImplausibleSpeedError, match=r"more than 0\.2 m/s\. Use a shorter"):
        tumbling.tumble(SMALLEST, seed=1, seconds=1, picking=False)


@pytest.mark.slow
def test_a_run_whose_pan_is_braked_by_the_rim_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # In earlier runs the rim touched the floor of the pan, which extends below it.
    touching = "\n".join(pan._rim(0.08)).replace('contype="2" conaffinity="2"', "")
    monkeypatch.setattr(pan, "_rim", lambda _: [touching])
    with pytest.raises(tumbling.StalledPanError, match="Look for a contact that brakes the pan"):
        tumbling.tumble(replace(SMALLEST, ribs=0), seed=1, seconds=1, picking=False)
