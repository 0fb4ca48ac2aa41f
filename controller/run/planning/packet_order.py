"""Reorders packets to minimise empty gantry travel; every hand receives the same tiles.

The order of packets in the rules is a custom: the break determines the tiles of each packet, so the
order of delivery does not change them. The next block is the free block of any packet that is
nearest to the jaws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.layout.field import Spot
from controller.run.planning.moves import Carry
from controller.run.planning.planner import Plan, Planner
from controller.run.planning.table_top import TableTop
from rules.steps import Packet


def fastest_order(
    packets: Sequence[Packet], planner: Planner, top: TableTop
) -> Iterator[tuple[Packet, Plan]]:
    """Yield plans in the new order, each with its packet."""
    open_packets = list(packets)
    left = {packet: list(packet.places) for packet in packets}
    jaws = Spot(0.0, 0.0, False)
    while open_packets:
        free = [
            (block, packet)
            for packet in open_packets
            if (block := planner.available(left[packet], top)) is not None
        ]
        if free:
            block, packet = min(free, key=lambda each: _distance(jaws, each[0].grasp.spot))
            plan = planner.hand_over(block, packet.seat, top)
        else:
            packet = open_packets[0]
            plan = planner.deliver(left[packet], packet.seat, top)
        yield packet, plan
        top = plan.top
        for move in plan.moves:
            if isinstance(move, Carry):
                jaws = move.target.spot
                if move.seat is not None:
                    left[packet] = [place for place in left[packet] if place not in move.tiles]
        if not left[packet]:
            open_packets.remove(packet)


def _distance(one: Spot, other: Spot) -> float:
    """Distance that determines the travel time: the longer one, because both axes move together."""
    return max(abs(one.x - other.x), abs(one.y - other.y))
