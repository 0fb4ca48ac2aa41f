from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.controller.cli.conftest import Wallwright
from tests.controller.records.audit.logs_for_tests import entry, log_of
from tests.controller.records.audit.timestamps.openssl_authority import (
    OpensslAuthority,
    authority_in,
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> OpensslAuthority:
    """A time-stamping authority."""
    return authority_in(tmp_path_factory.mktemp("authority") / "authority")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of a service whose log has 31 events, and a kept head."""
    log = log_of(tmp_path / "audit", 29)
    log.append([entry(30)], keep_head=True)
    log.append([entry(31)])
    log.close()
    return tmp_path


def stamp(wallwright: Wallwright, data: Path, authority: OpensslAuthority) -> str:
    """Have the last kept head stamped; returns what the command prints."""
    assert wallwright(f"audit timestamp ask --data {data} {data}/request").code == 0
    (data / "reply").write_bytes(authority.reply((data / "request").read_bytes()))
    certificates = authority.folder / "root.pem"
    taken = wallwright(
        f"audit timestamp take --data {data} {data}/reply --authority {certificates}"
    )
    assert taken.code == 0, taken.err
    return taken.out


def test_a_stamped_head_is_in_the_bundle_and_verifies(
    wallwright: Wallwright, data: Path, authority: OpensslAuthority
) -> None:
    assert stamp(wallwright, data, authority).startswith("The head of size 31 is stamped: 20")
    log = data / "audit/events.jsonl"
    before = log.read_bytes()
    assert wallwright(f"audit export --data {data} {data}/bundle").code == 0
    root = authority.folder / "root.pem"
    proven = wallwright(f"verify {data}/bundle --time-authority {root} --json").json
    (stamped,) = proven["stamped"]
    assert (stamped["size"], stamped["authority"], stamped["trusted"]) == (31, "CN=Stamper", True)
    page = wallwright(f"verify {data}/bundle").out
    assert "time stamp   by CN=Stamper at size 31" in page
    assert "no --time-authority was given" in page
    assert log.read_bytes() == before


def test_a_bundle_without_a_stamp_of_the_authority_is_refused(
    wallwright: Wallwright, data: Path, authority: OpensslAuthority, tmp_path: Path
) -> None:
    root = authority.folder / "root.pem"
    wallwright(f"audit export --data {data} {data}/plain")
    refused = wallwright(f"verify {data}/plain --time-authority {root}")
    assert (refused.code, "No head of the bundle has a time stamp" in refused.err) == (1, True)
    stamp(wallwright, data, authority_in(tmp_path / "other"))
    wallwright(f"audit export --data {data} {data}/bundle")
    refused = wallwright(f"verify {data}/bundle --time-authority {root}")
    assert (refused.code, "no given authority has certified" in refused.err) == (1, True)


def test_a_stamp_of_another_head_is_refused(
    wallwright: Wallwright, data: Path, authority: OpensslAuthority
) -> None:
    stamp(wallwright, data, authority)
    (kept,) = (data / "audit/witnessed").glob("*.tst")
    kept.rename(kept.with_name("000000000001.tst"))
    wallwright(f"audit export --data {data} {data}/bundle")
    refused = wallwright(f"verify {data}/bundle")
    assert (refused.code, "was made for other data" in refused.err) == (1, True)


def test_a_reply_that_is_none_is_refused(
    wallwright: Wallwright, data: Path, authority: OpensslAuthority
) -> None:
    (data / "reply").write_bytes(b"<html>not found</html>")
    take = f"audit timestamp take --data {data} {data}/reply --authority"
    refused = wallwright(f"{take} {authority.folder}/root.pem")
    assert (refused.code, refused.err[:8]) == (1, "Refused:")
    for file, error in ((f"{data}/none", "no certificates"), (f"{data}/reply", "name a PEM file")):
        refused = wallwright(f"{take} {file}")
        assert (refused.code, error in refused.err) == (2, True)


@contextmanager
def service(answer: bytes | OpensslAuthority, code: int = 200) -> Iterator[str]:
    """A time-stamping service on this computer that gives an answer, or an authority's reply."""

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Content-Type"] == "application/timestamp-query"
            request = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(answer if isinstance(answer, bytes) else answer.reply(request))

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Service) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/stamp"
        finally:
            server.shutdown()
            thread.join()


def test_a_table_with_a_network_has_its_head_stamped_by_one_command(
    wallwright: Wallwright, data: Path, authority: OpensslAuthority
) -> None:
    root = authority.folder / "root.pem"
    with service(authority) as address:
        fetched = wallwright(
            f"audit timestamp fetch --data {data} --service {address} --authority {root}"
        )
    assert fetched.out.startswith("The head of size 31 is stamped: 20")
    assert wallwright(f"audit export --data {data} {data}/bundle").code == 0
    assert wallwright(f"verify {data}/bundle --time-authority {root}").code == 0


@pytest.mark.parametrize(
    ("answer", "code", "reason"),
    [
        (b"not found", 404, "The service answered 404"),
        (b"<html>sign in</html>", 200, "The time stamp"),
        (b"", 200, "A time stamp is one DER value"),
        (bytes((1 << 20) + 1), 200, "The reply has more than 1048576 bytes"),
    ],
)
def test_an_answer_of_a_service_that_is_no_stamp_is_refused_and_not_kept(
    wallwright: Wallwright,
    data: Path,
    authority: OpensslAuthority,
    answer: bytes,
    code: int,
    reason: str,
) -> None:
    root = authority.folder / "root.pem"
    with service(answer, code) as address:
        refused = wallwright(
            f"audit timestamp fetch --data {data} --service {address} --authority {root}"
        )
    assert (refused.code, reason in refused.err) == (1, True), refused.err
    assert not list((data / "audit").glob("witnessed/*"))


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1:9/", "does not answer"),
        ("http://127.0.0.1:x/", "does not answer"),
        ("file:///etc/hostname", "not one of http:// or https://"),
        ("casino", "not one of http:// or https://"),
    ],
)
def test_an_address_without_a_service_is_refused(
    wallwright: Wallwright, data: Path, authority: OpensslAuthority, address: str, reason: str
) -> None:
    root = authority.folder / "root.pem"
    refused = wallwright(
        f"audit timestamp fetch --data {data} --service {address} --authority {root}"
    )
    assert (refused.code, reason in refused.err) == (1, True), refused.err
