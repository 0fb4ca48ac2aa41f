"""Judges a Wenzhou win: the class, who pays whom, and every reason.

python examples/score_a_hand.py
"""

from __future__ import annotations

from rules import judging_of


def main() -> None:
    """Judge a win on a discard. The caishen 2m is wild; here it counts at its face value."""
    judging = judging_of("wenzhou")
    case = judging.case(
        indicator="2m",
        hand=tuple("1m 2m 4p 5p 6p 7p 8p 9p 3s 4s 5s 7s 7s 7s 9s 9s".split()),
        tile="3m",
        by="discard",
        seat=1,
        dealer=0,
        discarder=3,
    )
    verdict = judging.judge(case)
    print("stands:", verdict.legal and verdict.win, "as", verdict.name, "x", verdict.multiplier)
    for payment in verdict.payments:
        print(f"  seat {payment.source} pays seat {payment.to} {payment.amount}: {payment.why}")
    for reason in verdict.reasons:
        print(" ", reason)


if __name__ == "__main__":
    main()
