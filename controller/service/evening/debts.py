"""Who owes whom after a session: the fewest usual payments that settle all balances."""

from __future__ import annotations

from collections.abc import Mapping

from controller.service.status import Debt


def debts_of(balances: Mapping[str, float]) -> tuple[Debt, ...]:
    """The payments that settle these balances, by name; gains are positive.

    The largest debtor pays the largest creditor first. With n players there are at most n - 1
    payments. A balance that is not settled by players (the house) leaves a rest.
    """
    owed = sorted(((name, gain) for name, gain in balances.items() if gain > 0), key=_by_amount)
    owing = sorted(((name, -gain) for name, gain in balances.items() if gain < 0), key=_by_amount)
    debts = []
    while owed and owing:
        (creditor, due), (debtor, owes) = owed.pop(), owing.pop()
        amount = min(due, owes)
        debts.append(Debt(debtor=debtor, creditor=creditor, amount=amount))
        if due > amount:
            owed = sorted([*owed, (creditor, due - amount)], key=_by_amount)
        if owes > amount:
            owing = sorted([*owing, (debtor, owes - amount)], key=_by_amount)
    return tuple(debts)


def _by_amount(balance: tuple[str, float]) -> tuple[float, str]:
    return balance[1], balance[0]
