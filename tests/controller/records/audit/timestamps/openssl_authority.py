"""A time-stamping authority for tests: OpenSSL's, with certificates of its own."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

_CONFIG = """
[tsa]
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
clock_precision_digits = 3
ess_cert_id_alg = sha256
serial = {folder}/serial
"""


@dataclass(frozen=True)
class OpensslAuthority:
    """An authority in a folder; `certificate` is what verifiers have to know."""

    folder: Path
    certificate: x509.Certificate
    digest: str

    def reply(self, request: bytes) -> bytes:
        """Answer a request, as the authority's server does."""
        (self.folder / "request").write_bytes(request)
        command = ["openssl", "ts", "-reply", "-config", "config", "-section", "tsa"]
        command += ["-queryfile", "request", "-signer", "signer.pem", "-inkey", "signer.key"]
        command += ["-out", "reply", f"-{self.digest}"]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        return (self.folder / "reply").read_bytes()


def authority_in(
    folder: Path,
    *,
    elliptic: bool = True,
    digest: str = "sha256",
    days: float = 30,
    purpose: x509.ObjectIdentifier = x509.oid.ExtendedKeyUsageOID.TIME_STAMPING,
) -> OpensslAuthority:
    """Make an authority whose signing certificate is valid for some days."""
    folder.mkdir()
    root_key, signer_key = _key(elliptic=elliptic), _key(elliptic=elliptic)
    root = _certificate("Root", root_key, "Root", root_key, 30)
    signer = _certificate("Stamper", signer_key, "Root", root_key, days, purpose)
    (folder / "signer.pem").write_bytes(signer.public_bytes(serialization.Encoding.PEM))
    (folder / "root.pem").write_bytes(root.public_bytes(serialization.Encoding.PEM))
    (folder / "signer.key").write_bytes(
        signer_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    (folder / "config").write_text(_CONFIG.format(folder=folder))
    (folder / "serial").write_text("01")
    return OpensslAuthority(folder, root, digest)


def _key(*, elliptic: bool) -> Key:
    if elliptic:
        return ec.generate_private_key(ec.SECP256R1())
    return rsa.generate_private_key(65537, 2048)


def _certificate(
    name: str,
    key: Key,
    issuer: str,
    issuer_key: Key,
    days: float,
    purpose: x509.ObjectIdentifier | None = None,
) -> x509.Certificate:
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=10))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=purpose is None, path_length=None), critical=True)
    )
    if purpose is not None:
        made = made.add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
    return made.sign(issuer_key, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, text)])
