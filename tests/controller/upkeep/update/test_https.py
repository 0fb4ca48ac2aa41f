"""Updates from an https address: the certificate is checked, and nothing else is trusted."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from controller.upkeep.update import installation
from controller.upkeep.update.installation import UpdateSource
from controller.upkeep.update.slots import UpdateError
from tests.controller.upkeep.update.update_workshop import Workshop, table_with_release


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as inherited
        """Log nothing."""


def certificate_of(folder: Path) -> Path:
    """A certificate for 127.0.0.1 with its key, in one PEM file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "updates")])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "updates.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return file


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    made = table_with_release(tmp_path)
    made.publish(2)
    return made


@pytest.fixture
def address(workshop: Workshop) -> Iterator[str]:
    """The repository at an https address of this computer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_of(workshop.folder))
    handler = partial(Quiet, directory=str(workshop.repository))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_an_update_is_installed_from_an_https_address_whose_certificate_is_trusted(
    workshop: Workshop, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "require_healthy", lambda program: None)
    with pytest.raises(UpdateError, match="it cannot be read"):
        installation.install(workshop.slots, UpdateSource(address, workshop.root))
    assert workshop.slots.current == "a", "an unknown certificate is not trusted"
    monkeypatch.setenv("SSL_CERT_FILE", str(workshop.folder / "updates.pem"))
    offered = installation.install(workshop.slots, UpdateSource(address, workshop.root))
    assert offered is not None
    assert offered.release == 2
    assert workshop.slots.current == "b"
