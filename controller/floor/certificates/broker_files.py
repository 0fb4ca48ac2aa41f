"""Files for the broker mosquitto: configuration, topics of each user name, limits for its firewall.

A table may publish its own topics and read the messages to itself, and nothing else. mosquitto
takes the user name from the certificate, and also the client identifier: otherwise a table could
end the connection of another one by connecting with its identifier.

mosquitto does not limit how much a client sends. A table that floods it would delay the messages of
every other table on their way to the floor service. The firewall (nftables) drops what is above the
limit, and TCP then slows the sender down.
"""

from __future__ import annotations

import ipaddress
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from controller.floor.certificates import files
from controller.floor.certificates.authority import CRL_FILE, CertificateAuthority
from controller.floor.certificates.certificate import (
    CertificateError,
    CertificateIdentity,
    CertificateKind,
    hosts_of,
)
from controller.floor.messages import KINDS, LARGEST_PAYLOAD, RETAINED, ROOT, TO_TABLE

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


TLS_PORT = 8883
"""The registered port of MQTT with TLS."""

LARGEST_PACKET = LARGEST_PAYLOAD + 1024
"""Bytes of the largest packet: a payload, its topic and its properties."""


@dataclass(frozen=True)
class BrokerPlace:
    """Where the broker runs: the folder of its files and data there, port, and system user."""

    folder: Path
    port: int = TLS_PORT
    user: str = "mosquitto"


def write_broker_files(
    authority: CertificateAuthority, broker: CertificateIdentity, output: Path, place: BrokerPlace
) -> None:
    """Write the folder for the broker's computer, or replace its files. Raises CertificateError.

    The certificate and its key are in one file, so that both are replaced in one step. Written by
    root, all files belong to mosquitto's user, if this computer has it.
    """
    if broker.kind is not CertificateKind.BROKER:
        raise CertificateError(f"mosquitto needs the certificate of a broker; got {broker}.")
    own = authority.newest_folder(broker)
    pair = files.read(own / "certificate.pem") + files.read(own / "key.pem")
    valid = [one for one in authority.issued() if one.revoked is None]
    names = sorted({one.identity for one in valid})
    servers = [one.certificate for one in valid if one.identity.kind is CertificateKind.SERVER]
    unlimited = {host for certificate in servers for host in hosts_of(certificate)}
    texts = (
        ("ca.pem", files.pem(authority.certificate), files.PUBLIC),
        ("crl.pem", files.read(authority.folder / CRL_FILE), files.PUBLIC),
        ("broker.pem", pair, files.PRIVATE),
        ("acl", access_list(authority.floor, names).encode(), files.PRIVATE),
        ("mosquitto.conf", configuration(place).encode(), files.PUBLIC),
        ("limits.nft", rate_limits(place.port, unlimited).encode(), files.PUBLIC),
    )
    owner = place.user if os.geteuid() == 0 else None
    for name, data, mode in texts:
        # Owned at once: a running broker may read its files at any time, as at a SIGHUP.
        files.replace(output / name, data, mode, owner)
    if owner is not None:
        with suppress(LookupError):  # The broker runs on another computer.
            shutil.chown(output, owner, owner)


def access_list(floor: str, names: Iterable[CertificateIdentity]) -> str:
    """The access list: what servers, readers and tables may read and write.

    A pattern is valid for every user name, `%u`. For a server or a reader, it names topics which
    are not those of a table, because no table's name has a dot.
    """
    below = f"{ROOT}/{floor}"
    lines = [f"# Access list of floor {floor}, written by `wallwright floor ca mosquitto`."]
    for identity in names:
        if identity.kind is CertificateKind.SERVER:
            lines += ["", f"user {identity.common_name}", f"topic read {below}/#"]
            lines += [f"topic write {below}/+/{kind}" for kind in TO_TABLE]
        elif identity.kind is CertificateKind.READER:
            lines += ["", f"user {identity.common_name}", "topic read homeassistant/#"]
            lines += ["topic write homeassistant/status"]
            lines += [f"topic read {below}/+/{kind}" for kind in RETAINED]
    lines += ["", "# Every table, by the common name of its certificate."]
    lines += [f"pattern write {below}/%u/{kind}" for kind in KINDS if kind not in TO_TABLE]
    lines += [f"pattern read {below}/%u/{kind}" for kind in TO_TABLE]
    lines += ["pattern write homeassistant/+/%u/+/config", ""]
    return "\n".join(lines)


def configuration(place: BrokerPlace) -> str:
    """The configuration. Raises CertificateError for a path that mosquitto cannot read."""
    folder = str(place.folder)
    if not place.folder.is_absolute() or folder != folder.strip() or "\n" in folder:
        raise CertificateError(
            f"The broker's folder must be an absolute path without spaces at its ends; got"
            f" {folder!r}."
        )
    return _CONFIGURATION.format(
        folder=folder, port=place.port, user=place.user, largest=LARGEST_PACKET
    )


_CONFIGURATION = """\
# Configuration of mosquitto 2.0, written by `wallwright floor ca mosquitto`.
user {user}
listener {port}
cafile {folder}/ca.pem
certfile {folder}/broker.pem
keyfile {folder}/broker.pem
crlfile {folder}/crl.pem
tls_version tlsv1.2
require_certificate true
use_identity_as_username true
use_username_as_clientid true
allow_anonymous false
acl_file {folder}/acl

# A client that sends a longer packet is disconnected: no table sends one.
max_packet_size {largest}

# Messages that a client has not acknowledged, and those that wait for it. A floor of 10,000 tables
# has 30,000 retained messages, which a starting service receives at once.
max_inflight_messages 500
max_queued_messages 100000
max_queued_bytes 268435456
max_keepalive 120
persistent_client_expiration 1d

# Retained messages survive a restart of the broker.
persistence true
persistence_location {folder}/
autosave_interval 60

log_dest stderr
log_type error
log_type warning
log_type notice
connection_messages true
"""
