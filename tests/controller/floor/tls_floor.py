"""A broker with TLS and the certificates of a floor, for the tests of attacks."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiomqtt

from controller.floor.broker import Broker, TlsFiles
from controller.floor.certificates.authority import make_authority
from controller.floor.certificates.broker_files import BrokerPlace, write_broker_files
from controller.floor.certificates.certificate import CertificateIdentity, CertificateKind
from controller.floor.demo.preparation import free_port
from tests.controller.floor.mosquitto_process import MosquittoProcess

FLOOR = "club"
ANSWER = 60.0
"""Seconds for an answer of the broker."""
LAST = b"the last message"
"""The payload of the message that `received` waits for."""
HOST = "localhost"


def table(name: str) -> CertificateIdentity:
    """The identity of a table."""
    return CertificateIdentity(CertificateKind.TABLE, name)


SERVER = CertificateIdentity(CertificateKind.SERVER, "main")
READER = CertificateIdentity(CertificateKind.READER, "home")
BROKER = CertificateIdentity(CertificateKind.BROKER, "hall")


class TlsFloor(MosquittoProcess):
    """A broker with the files that `wallwright floor ca mosquitto` writes; tables t1 and t2."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.process = None
        self.folder = folder
        self.authority = make_authority(folder / "ca", FLOOR, datetime.now(UTC))
        self.folders = {
            identity: self.authority.issue(identity, hosts, 398, datetime.now(UTC))
            for identity, hosts in (
                (BROKER, [HOST]),
                (SERVER, [HOST]),
                (READER, []),
                (table("t1"), []),
                (table("t2"), []),
            )
        }
        self._place = BrokerPlace(folder / "mosquitto", self.port, "root")
        self._file = folder / "mosquitto" / "mosquitto.conf"
        self.log = folder / "mosquitto.log"
        self.write_files()

    def write_files(self) -> None:
        """Write the broker's files again, as after a renewal or a revocation."""
        write_broker_files(self.authority, BROKER, self._place.folder, self._place)
        with self._file.open("a") as file:
            file.write("log_type information\n")  # `start` and `reload` wait for such lines

    def reload(self) -> None:
        """Send SIGHUP, and wait until the broker reads its files; it answers no one meanwhile."""
        assert self.process is not None
        reloads = self._reloads()
        self.process.send_signal(signal.SIGHUP)
        self.wait_until(lambda: self._reloads() != reloads)

    def wait_for_log(self, text: str) -> None:
        """Wait until the broker has logged a text."""
        self.wait_until(lambda: text in self.log.read_text())

    def _reloads(self) -> int:
        return self.log.read_text().count("Reloading config.")

    def broker(self, identity: CertificateIdentity) -> Broker:
        """The broker as a client with this identity connects to it."""
        own = self.folders[identity]
        files = TlsFiles(own / "ca.pem", own / "certificate.pem", own / "key.pem")
        return Broker(HOST, self.port, files)

    def add(self, identity: CertificateIdentity) -> None:
        """Issue the certificate of one more server, and let the broker read its files again."""
        self.folders[identity] = self.authority.issue(identity, [HOST], 398, datetime.now(UTC))
        self.write_files()
        self.reload()

    def tls(self, folder: Path | None) -> ssl.SSLContext:
        """The TLS settings of a client with the certificate in a folder, or without one."""
        context = ssl.create_default_context(cafile=str(self.authority.folder / "ca.pem"))
        if folder is not None:
            context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        return context

    @asynccontextmanager
    async def client(
        self,
        identity: CertificateIdentity | None,
        *subscriptions: str,
        folder: Path | None = None,
        **options: Any,
    ) -> AsyncIterator[aiomqtt.Client]:
        """A connected client with subscriptions; without an identity it has no certificate."""
        own = folder or (None if identity is None else self.folders[identity])
        async with aiomqtt.Client(
            HOST,
            self.port,
            protocol=aiomqtt.ProtocolVersion.V5,
            tls_context=self.tls(own),
            **{"timeout": ANSWER, **options},
        ) as client:
            for topic in subscriptions:
                await client.subscribe(topic, qos=1)
            yield client


async def received(
    client: aiomqtt.Client, sender: aiomqtt.Client, topic: str
) -> list[tuple[str, bytes]]:
    """The topics and payloads of all messages that have arrived at a client.

    The sender publishes a last message on a topic that the client reads. The broker keeps the order
    of messages, so what it has passed on arrives before that one.
    """
    await sender.publish(topic, LAST, qos=1)
    found: list[tuple[str, bytes]] = []
    async with asyncio.timeout(ANSWER):
        async for message in client.messages:
            payload = bytes(message.payload)  # type: ignore[arg-type] # bytes
            if payload == LAST:
                break
            found.append((message.topic.value, payload))
    return found
