"""Figures computed second by second from all lines of a log, without the program's code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from tests.controller.floor.figures.stored_logs import NOON

KNOWN = {"JAM", "LIFT", "FORGOTTEN"}


def true_figures(lines: Sequence[str], begin: float, end: float, now: float) -> dict[str, Any]:
    """The figures of the time from `begin` to `end`, seconds since noon."""
    events = [json.loads(line) for line in lines]
    for event in events:
        at = datetime.fromisoformat(event["time"])
        event["after"] = (at - NOON).total_seconds()
    inside = [event for event in events if begin <= event["after"] < end]
    faults, recoveries = (
        Counter(_code(event) for event in inside if event["what"] == what)
        for what in ("fault", "recovered")
    )
    rounds = {
        event["details"]["began"]
        for event in inside
        if event["what"] == "receipt" and event["details"]["kind"] == "round"
    }
    counted = [event["details"]["counted"] for event in inside if event["what"] == "set_built"]
    assists = _assists(events, begin, end)
    return {
        "rounds": len(rounds),
        "tiles": sum(each for each in counted if isinstance(each, int) and each > 0),
        "faults": dict(faults),
        "recoveries": dict(recoveries),
        "jams": faults["JAM"] + recoveries["JAM"],
        "assists": len(assists),
        "assisting_s": round(sum(assists), 1),
        "operating_s": round(_operating(events, begin, end), 1),
        "out_of_play_s": round(_out_of_play(events, begin, min(end, now)), 1),
    }


def _code(event: dict[str, Any]) -> str:
    code = event["details"]["code"]
    return code if code in KNOWN else "other"


def _assists(events: Sequence[dict[str, Any]], begin: float, end: float) -> list[float]:
    asked: dict[tuple[str, str], float] = {}
    took = []
    for event in events:
        if event["what"] not in ("operator_prompted", "prompt_answered", "prompt_withdrawn"):
            continue
        about = event["details"]["code"], event["details"]["part"]
        seconds = event["table_ms"] / 1000
        before = asked.pop(about, None)
        if event["what"] == "operator_prompted":
            asked[about] = seconds
        elif event["what"] == "prompt_answered" and before is not None:
            counts = begin <= event["after"] < end and about[0] != "FORGOTTEN"
            took += [max(0.0, seconds - before)] * counts
    return took


def _operating(events: Sequence[dict[str, Any]], begin: float, end: float) -> float:
    """Add the steps between consecutive events while a run lasts."""
    total, runs = 0.0, False
    for event, following in pairwise(events):
        match event["what"]:
            case "run_started":
                runs = True
            case "fault" | "service_mode_entered" | "power_up" | "service_stopped":
                runs = False
        if runs and following["what"] != "power_up":
            length = following["after"] - event["after"]
            table = max(0.0, (following["table_ms"] - event["table_ms"]) / 1000)
            overlap = max(0.0, min(end, following["after"]) - max(begin, event["after"]))
            total += table * overlap / length if length else 0.0
    return total


def _out_of_play(events: Sequence[dict[str, Any]], begin: float, end: float) -> float:
    """Add the steps between consecutive events while a cause is open."""
    total, causes, on = 0.0, set[str](), False
    ends = [*(event["after"] for event in events[1:]), max(end, events[-1]["after"])]
    names = [*(event["what"] for event in events[1:]), ""]
    for event, until, following in zip(events, ends, names, strict=True):
        match event["what"]:
            case "power_up" | "service_stopped" as what:
                causes &= {"taken_out_of_play"}
                on = what == "power_up"
            case "run_started":
                causes -= {"fault", "paused"}
            case "fault" | "service_mode_entered" as what:
                causes = causes - {"paused"} | {what}
            case "paused" | "taken_out_of_play" as what:
                causes.add(what)
            case "resumed":
                causes -= {"paused"}
            case "service_mode_left":
                causes -= {"service_mode_entered"}
            case "put_in_play":
                causes -= {"taken_out_of_play"}
        if on and causes and following != "power_up":
            total += max(0.0, min(end, until) - max(begin, event["after"]))
    return total
