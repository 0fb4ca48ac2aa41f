"""Limits for the broker's firewall (nftables): how much each address may send to the broker.

mosquitto does not limit how much a client sends. A table that floods it would delay the messages of
every other table on their way to the floor service. The firewall drops what is above the limit, and
TCP then slows the sender down.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from contextlib import suppress

RATE, BURST = 128, 1024
"""Kilobytes in a second and at once. A table in play sends less than 4 kilobytes in a second; one
that was offline repeats its events with this rate (our choice)."""
MOST_ADDRESSES = 65535
"""Addresses whose rates the firewall remembers."""


def rate_limits(port: int, unlimited: Iterable[str] = ()) -> str:
    """The rules as a file for `nft -f`; the addresses in `unlimited` have no limit.

    These are floor services, which answer every table. Host names among them are left out.
    """
    addresses = {"127.0.0.1", "::1"}
    for host in unlimited:
        with suppress(ValueError):
            addresses.add(str(ipaddress.ip_address(host)))
    free4 = ", ".join(sorted(each for each in addresses if ":" not in each))
    free6 = ", ".join(sorted(each for each in addresses if ":" in each))
    return _RULES.format(
        port=port, rate=RATE, burst=BURST, most=MOST_ADDRESSES, free4=free4, free6=free6
    )


_RULES = """\
# Limits of nftables, written by `wallwright floor ca mosquitto`: what each address may send to the
# broker. Load them with `nft -f`; the next two lines replace an earlier version.
table inet wallwright_floor
delete table inet wallwright_floor

table inet wallwright_floor {{
  set senders4 {{ type ipv4_addr; size {most}; flags dynamic; timeout 5m; }}
  set senders6 {{ type ipv6_addr; size {most}; flags dynamic; timeout 5m; }}

  chain input {{
    type filter hook input priority filter; policy accept;
    meta l4proto != tcp accept
    tcp dport != {port} accept
    ip saddr {{ {free4} }} accept
    ip6 saddr {{ {free6} }} accept
    update @senders4 {{ ip saddr limit rate over {rate} kbytes/second burst {burst} kbytes }} drop
    update @senders6 {{ ip6 saddr limit rate over {rate} kbytes/second burst {burst} kbytes }} drop
  }}
}}
"""
