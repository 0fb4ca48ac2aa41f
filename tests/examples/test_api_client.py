"""The example client plays an evening at a served simulated table, over the API only."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

TOP = Path(__file__).parents[2]
CLIENT = TOP / "examples" / "play_an_evening.py"
WALLWRIGHT = Path(sys.executable).with_name("wallwright")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_example_client_plays_two_games_and_ends_the_session() -> None:
    command = [str(WALLWRIGHT), "serve", "--sim", "60", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            url = service.stdout.readline().rpartition(": ")[2].strip()
            token = service.stdout.readline().rpartition("=")[2].strip()
            with httpx.Client(base_url=f"{url}api/v1", timeout=60) as eva:
                first = {"token": token, "name": "eva", "password": "correct horse"}
                eva.headers["X-CSRF-Token"] = eva.post("/first-start", json=first).json()["csrf"]
                machine = {"name": "evening", "role": "attendant"}
                key = eva.post("/tokens", json=machine).json()["token"]
                played = subprocess.run(
                    [sys.executable, str(CLIENT), url, key],
                    capture_output=True,
                    text=True,
                    timeout=900,
                    check=False,
                )
                assert played.returncode == 0, played.stderr
                assert played.stdout == "Pai gow: 2 rounds, Ana, Ben, Chi, Dov\n"
                session = eva.get("/sessions").json()["sessions"][0]
                assert session["rounds"] == 2
                results = eva.get(f"/sessions/{session['id']}/results").json()["results"]
                assert [result["game"] for result in results] == ["wenzhou", "pai_gow"]
        finally:
            service.send_signal(signal.SIGTERM)
    assert service.returncode == 0


def test_the_example_client_has_at_most_100_lines() -> None:
    assert len(CLIENT.read_text("utf-8").splitlines()) <= 100
