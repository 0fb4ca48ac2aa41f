"""Formats plans and summaries of runs for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table as Grid

from controller.cli.output.table_picture import picture
from rules.play import plain
from rules.setup import Game

if TYPE_CHECKING:
    from controller.run.daemon import Daemon


def plan_page(game: Game, plan: Mapping[str, Any]) -> Panel:
    """A plan as a panel: throws, moves, packets and the indicator, in the order of the set-up."""
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    for label, text in _lines(plan):
        grid.add_row(label, text)
    return Panel(grid, title=f"{game.title}, seat {plan['dealer']} throws first", expand=False)


def _lines(plan: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    yield "tiles", str(plan["tiles"])
    if walls := plan.get("walls"):
        columns = " ".join(str(wall["columns"]) for wall in walls)
        yield "walls", f"{columns} columns, {walls[0]['levels']} high"
    if pile := plan.get("pile"):
        yield "pile", f"{pile['columns']} columns, {pile['levels']} high"
    for choice in plan["choices"]:
        yield choice["what"], f"seat {choice['by']}: {choice['answer']}"
    for move in plan["setup_moves"]:
        yield move["verb"], f"{' '.join(move['from'])} to {' '.join(move['to'])}"
    for throw in plan["throws"]:
        dice = " ".join(str(face) for face in throw["dice"])
        yield throw["why"], f"seat {throw['by']}: {dice} = {throw['sum']}"
    if opened := plan["break"]:
        yield "break", f"first tile {opened['first']}"
    for packet in plan["deal"]:
        hand = f"hand {packet['hand']}, " if "hand" in packet else ""
        yield "deal", f"{hand}seat {packet['seat']}: {' '.join(packet['from'])}"
    if turned := plan["indicator"]:
        yield "indicator", f"{turned['at']}, turned up by seat {turned['turned_by']}"
    if plan["first_draw"]:
        yield "first draw", plan["first_draw"]
    if plan["replacements"]:
        yield "replacements", " ".join(plan["replacements"])
    yield "left", str(plan["left"])
    if magazine := plan.get("magazine"):
        seconds = f"{magazine['seconds']} s, of them {magazine['turning']} s for its turns"
        yield "magazine", f"{magazine['shuffle']} order: {seconds}{_on_average(magazine)}"
    if "seconds" in plan:
        yield "machine", f"{len(plan['moves'])} moves, at least {plan['seconds']} s"


def _on_average(magazine: Mapping[str, Any]) -> str:
    return ", on average over all orders" if magazine["shuffle"] == "sorted" else ""


def summary_page(console: Console, daemon: Daemon, summary: Mapping[str, Any]) -> None:
    """Print a picture of the last set-up and the figures of the run."""
    if daemon.deal is not None:
        console.print(Panel(picture(daemon.deal.setup), expand=False))
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column()
    cycle, bound, tiles = summary["cycle_s"], summary["bound_s"], summary["tiles"]
    grid.add_row("rounds played", str(summary["rounds"]))
    if daemon.match is not None:
        scores = (f"seat {seat}: {plain(score)}" for seat, score in enumerate(daemon.match.scores))
        grid.add_row("scores", ", ".join(scores))
    grid.add_row(
        "time", f"{summary['virtual_s']:.1f} s at the table, {summary['real_s']:.1f} s here"
    )
    # Tiles that come sooner than on the average make a cycle below the lid shorter than its figure.
    for activity, wording in (
        ("under", "{} if every tile takes its mean time"),
        ("top", "at least {} on this table"),
    ):
        measured = "-" if cycle[activity] is None else f"{cycle[activity]:.1f} s"
        least = "-" if bound[activity] is None else f"{bound[activity]:.1f} s"
        grid.add_row(f"cycle {activity}", f"{measured} ({wording.format(least)})")
    if "magazine_s" in summary:
        grid.add_row("magazine", f"adds {summary['magazine_s']:.1f} s to a cycle under on average")
    grid.add_row("tiles", f"{tiles['accounted']} of {tiles['expected']} accounted for")
    grid.add_row("link", f"{summary['commands']} commands, {summary['retries']} sent again")
    for name in ("recoveries", "assists", "pauses", "breaches"):
        if counts := summary.get(name):
            by_code = ", ".join(f"{code} {number}" for code, number in counts.items())
            grid.add_row(name, f"{sum(counts.values())} ({by_code})")
    if summary["pauses"]:
        grid.add_row("paused", f"{summary['paused_s']:.1f} s")
    grid.add_row("faults", str(summary["faults"]))
    console.print(grid)
