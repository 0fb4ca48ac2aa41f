"""Fixtures of the package's tests: the built packages, and a clean Debian 12 to install them in."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
BUILD = HOUSE / "build" / "packaging"
"""What the tests build; `make clean` removes it."""
SUITE, NEWER = "bookworm", "trixie"
"""Debian 12 with Python 3.11, and Debian 13 with Python 3.13."""
FRESH = 86_400
"""Seconds for which a clean Debian is used again."""
PATIENCE = 900
"""Seconds for one test: the first one builds the package and makes the Debian, beside others."""
OLD_VERSION = "0.1.9"
AS_USER = (
    "setpriv --reuid=wallwright --regid=wallwright --init-groups env HOME=/var/lib/wallwright/data"
)
"""Starts a command as the service's user, in the same process, so that a signal reaches it."""
BINFMT = Path("/proc/sys/fs/binfmt_misc")
EMULATOR = Path("/usr/bin/qemu-aarch64-static")
RULE = rb":qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
RULE += rb":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
RULE += b":" + bytes(EMULATOR) + b":F"
"""The kernel starts files that begin like a program of arm64 with the emulator. `F`: it opens the
emulator now, so that a root of its own needs no copy."""
FEW_MODULES = """
mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d"
echo MODULES=list > "$1/etc/initramfs-tools/conf.d/few"
printf 'virtio_pci\\nvirtio_blk\\next4\\n' > "$1/usr/share/initramfs-tools/modules.d/few"
"""
"""Makes the first file system of the kernel small: an emulator would take ten minutes for all
modules."""
IN_ROOT = """
set -e
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$UPPER,workdir=$WORK" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
ip link set lo up
exec chroot "$ROOT" /bin/sh -c "$SCRIPT"
"""
"""Starts a script in the root. The network has the loopback interface only."""


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Keep other processes of this run of the tests out of the block."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def start_programs_of_arm64() -> None:
    """Let the kernel start programs of arm64 by the emulator."""
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT], check=True)
    if not (BINFMT / "qemu-aarch64").exists():
        assert EMULATOR.exists(), f"There is no {EMULATOR}; install qemu-user-static."
        (BINFMT / "register").write_bytes(RULE)


def build_package(output: Path, architecture: str = "amd64") -> Path:
    """Build the package of this source into a folder, not compressed, which is faster."""
    command = [sys.executable, "-m", "tools.debian_package", "--output", str(output)]
    command += ["--compression", "none", "--arch", architecture]
    built = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return Path(built.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def package(testrun_uid: str) -> Path:
    """The package of this source, built once in a run of the tests."""
    folder = BUILD / "new" / testrun_uid
    with one_at_a_time("package"):
        built = next(folder.glob("*.deb"), None) if folder.exists() else None
        if built is None:
            shutil.rmtree(folder.parent, ignore_errors=True)
            built = build_package(folder)
    return built


@pytest.fixture(scope="session")
def old_package(package: Path, testrun_uid: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with a lower version, as version 0.2 was: its configuration was a conffile."""
    folder = tmp_path_factory.mktemp("old")
    subprocess.run(["dpkg-deb", "-R", package, folder / "root"], check=True)
    control = folder / "root" / "DEBIAN" / "control"
    text = re.sub(r"(?m)^Version: .*$", f"Version: {OLD_VERSION}", control.read_text())
    control.write_text(text)
    options = folder / "root" / "etc" / "wallwright" / "serve.conf"
    options.parent.mkdir(parents=True)
    options.write_text('# An earlier comment.\nWALLWRIGHT_SERVE="--table robotic"\n')
    (control.parent / "conffiles").write_text("/etc/wallwright/serve.conf\n")
    built = folder / f"wallwright_{OLD_VERSION}_amd64.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--build", folder / "root", built], check=True)
    shutil.rmtree(folder / "root")
    return built


def mirror_of_this_computer() -> str:
    """The address from which this computer gets Debian's packages, from its own configuration."""
    for file in (*sorted(Path("/etc/apt").glob("sources.list.d/*")), Path("/etc/apt/sources.list")):
        text = file.read_text("utf-8") if file.is_file() else ""
        for address in re.findall(r"(?m)^(?:URIs: *|deb (?:\[.*\] )?)(\S+/debian)/?(?:\s|$)", text):
            return str(address)
    pytest.fail("apt has no source of Debian's packages on this computer: see /etc/apt.")


@pytest.fixture(scope="session")
def clean_debian(testrun_uid: str) -> Path:
    """The folder of a minimal Debian 12, with what the package depends on and nothing else."""
    return debian_for("amd64", run=testrun_uid)


def debian_for(
    architecture: str, *, with_kernel: bool = False, run: str | None = None, suite: str = SUITE
) -> Path:
    """The folder of a minimal Debian for a processor. Another processor's needs an emulator.

    It is made again if it is old, but not while other processes of the same `run` of the tests may
    use it. With a kernel it also has systemd, and a computer with virtual disks can start from it.
    """
    if os.geteuid() != 0:
        pytest.skip("Installing a package in a root of its own needs the rights of root.")
    root = BUILD / f"{suite}-{architecture}{'-kernel' if with_kernel else ''}"
    with one_at_a_time("debian"):
        made = root / "etc" / "debian_version"
        user = root.with_suffix(".run")
        is_used = run is not None and user.exists() and user.read_text("utf-8") == run
        if made.exists() and (is_used or time.time() - root.stat().st_mtime < FRESH):
            user.write_text(run or "", "utf-8")
            return root
        shutil.rmtree(root, ignore_errors=True)
        part = root.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        command = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=python3,adduser"]
        if with_kernel:
            kernel = f"linux-image-{architecture},systemd-sysv,udev,initramfs-tools,kmod,dbus"
            command += [f"--include={kernel}", f"--essential-hook={FEW_MODULES}"]
        command += [f"--architectures={architecture}", '--aptopt=Acquire::Languages "none"']
        done = subprocess.run(
            [*command, suite, str(part), mirror_of_this_computer()],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        part.rename(root)
        os.utime(root)
        user.write_text(run or "", "utf-8")
    return root


class DebianRoot:
    """A Debian of a test. Its changes are kept in a folder of the test.

    `layers` are folders that it is made of and does not change, with the topmost one first.
    """

    def __init__(self, folder: Path, *layers: Path) -> None:
        self.folder = folder
        self._layers = layers
        for name in ("upper", "work", "root"):
            (folder / name).mkdir(parents=True)

    def run(self, script: str, *, code: int = 0) -> str:
        """Run a shell script as root; return its output. Asserts its exit code."""
        ended = subprocess.run(
            [
                *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "--uts"),
                *("/bin/sh", "-c", IN_ROOT),
            ],
            env={
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "LC_ALL": "C.UTF-8",
                "DEBIAN_FRONTEND": "noninteractive",
                "LOWER": ":".join(map(str, self._layers)),
                "UPPER": str(self.folder / "upper"),
                "WORK": str(self.folder / "work"),
                "ROOT": str(self.folder / "root"),
                "SCRIPT": f"set -e; cd /srv\n{script}",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=600,
        )
        assert ended.returncode == code, ended.stdout
        return ended.stdout

    def put(self, source: Path | str, place: str, *, mode: int = 0o644) -> None:
        """Copy a file, or write a text, to a place of the root."""
        target = self.folder / "upper" / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, Path):
            shutil.copyfile(source, target)
        else:
            target.write_text(source, "utf-8")
        target.chmod(mode)

    def install(self, package: Path) -> str:
        """Install a package as a person does; return the output of apt."""
        self.put(package, f"/srv/{package.name}")
        return self.run(f"apt-get install --yes ./{package.name}; rm {package.name}")


def with_package(name: str, package: Path, lower: Path, run: str) -> tuple[Path, Path]:
    """The layers of a Debian in which a package is installed, once in a run of the tests.

    The installation takes seconds, and the tests of a package that is installed do not change it.
    What it has printed is in the file `printed` beside the upper layer.
    """
    folder = BUILD / "new" / run / name
    done = folder / "printed"
    with one_at_a_time(name):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            debian = DebianRoot(folder, lower)
            done.write_text(debian.install(package), "utf-8")
    return folder / "upper", lower


@contextmanager
def temporary_root(folder: Path, *layers: Path) -> Iterator[DebianRoot]:
    """A Debian that is removed at the end of the block."""
    yield DebianRoot(folder / "debian", *layers)
    shutil.rmtree(folder / "debian", ignore_errors=True)


@pytest.fixture
def newer_debian(testrun_uid: str, tmp_path: Path) -> Iterator[DebianRoot]:
    """A clean Debian 13 for one test."""
    with temporary_root(tmp_path, debian_for("amd64", run=testrun_uid, suite=NEWER)) as root:
        yield root


@pytest.fixture
def debian(clean_debian: Path, tmp_path: Path) -> Iterator[DebianRoot]:
    """A clean Debian 12 for one test."""
    with temporary_root(tmp_path, clean_debian) as root:
        yield root


@pytest.fixture
def installation(clean_debian: Path, package: Path, testrun_uid: str) -> tuple[Path, Path]:
    """The layers of a Debian 12 with the package, which was installed without a network."""
    return with_package("installed", package, clean_debian, testrun_uid)


@pytest.fixture
def installed(installation: tuple[Path, Path], tmp_path: Path) -> Iterator[DebianRoot]:
    """A Debian 12 with the package, for one test."""
    with temporary_root(tmp_path, *installation) as root:
        yield root


@pytest.fixture
def installed_old(
    clean_debian: Path, old_package: Path, testrun_uid: str, tmp_path: Path
) -> Iterator[DebianRoot]:
    """A Debian 12 with the package of a lower version, for one test."""
    layers = with_package("installed-old", old_package, clean_debian, testrun_uid)
    with temporary_root(tmp_path, *layers) as root:
        yield root
