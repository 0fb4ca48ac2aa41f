"""Random taps in a browser: a hand of block, each tap drawn from all that the panel offers."""

from __future__ import annotations

import re
import time
from random import Random

import pytest
from playwright.sync_api import Browser, expect

from config.validation.game_parameters import parameters_of
from controller.service.user_roles import UserRole
from rules.records.record import evening
from tests.controller.web.panel.real_table import real_table
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow, EVIDENCE_ONLY]

TAP = """async ([chance, alone]) => {
  const prompt = document.querySelector(".prompt.is-act");
  if (!prompt) return "";
  const isOwn = (each) => !each.textContent.includes(alone);
  const options = [...prompt.querySelectorAll(".option")].filter(isOwn);
  const buttons = [...prompt.querySelectorAll(".actions button")].filter(isOwn);
  const all = options.length ? options : buttons.filter((each) => !each.closest("form"));
  const one = all[Math.floor(chance * all.length)];
  if (!one || one.disabled) return "";
  const name = prompt.querySelector("h3").id;
  const words = one.querySelector("input")?.ariaLabel || one.innerText || "a tile";
  (one.querySelector("input") ?? one).click();
  await new Promise((done) => setTimeout(done));
  if (options.length) prompt.querySelector("form .primary").click();
  const open = () => document.querySelector(`#${name}`);
  // A busy computer can delay the table for seconds.
  for (let wait = 0; open() && wait < 12000; wait += 1) {
    await new Promise((done) => setTimeout(done, 10));
    const busy = prompt.querySelector("button:disabled");
    if (wait > 2 && !busy && prompt.querySelector("[role=alert]")?.textContent) return "refused";
  }
  return open() ? `not answered: ${words}` : words;
}"""
"""Taps the option at this share of all that are offered; returns its words, or `refused`."""


def test_a_hand_of_random_taps_is_settled_and_replayed_with_the_same_scores(
    browser: Browser,
) -> None:
    chance, taken, refused = Random(14), [], 0
    with real_table(pace=40, seed=3) as table:
        page = table.open(browser, UserRole.PLAYER, "player")
        page.get_by_role("radio", name="Block").check()
        page.get_by_label("Follow the play").check()
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".prompt.is-act")).to_be_visible(timeout=60_000)
        share, ends = chance.random(), time.monotonic() + 200
        while not (table.status.session and table.status.session.results):
            assert time.monotonic() < ends, f"the hand was not settled after {taken}"
            words = page.evaluate(TAP, [share, "Let the simulated player act"])
            assert not words.startswith("not answered"), words
            if not words:  # nothing was offered; the same share is used when something is
                page.wait_for_timeout(50)
                continue
            share = chance.random()
            if words == "refused":
                refused += 1
            else:
                taken.append(words)
        page.get_by_role("tab", name="Scores").click()
        session = table.status.session
        assert session is not None
        (settled,) = session.results
        expect(page.get_by_text(re.compile("wins|drawn|blocked")).first).to_be_visible()
        record = table.do(lambda: table.port.record(session.id, 1))
        (again,) = evening(record.lines, parameters_of)
        assert again.play.settlement is not None
        assert again.play.settlement.winner == settled.winner
        gains = again.play.settlement.balance()
        assert [gains.get(seat, 0) for seat in range(4)] == list(settled.scores)
        assert len(taken) >= 8 and refused > 0, (taken, refused)
        page.context.close()
