"""Lays out the files of the Debian package in a folder, as they are installed."""

from __future__ import annotations

import compileall
import gzip
import py_compile
import shutil
from email.utils import formatdate
from pathlib import Path

from tools.debian_package.architecture import PYTHONS, Architecture
from tools.debian_package.archive import checksums, installed_size, settle
from tools.debian_package.errors import PackageBuildError
from tools.debian_package.manual_pages import write_pages
from tools.debian_package.shell_completion import write_completions
from tools.debian_package.source import HOUSE
from tools.debian_package.wheels import unpack

PACKAGING = HOUSE / "packaging"
PREFIX = "opt/wallwright"
LIBRARIES = f"{PREFIX}/lib/python{PYTHONS[0]}/site-packages"
"""The libraries for every Python of `PYTHONS`: a compiled module names its Python in its file name.
Other Pythons find them through a link. The folder itself is not a link, because dpkg would not put
one in the place of the folder of an earlier package."""
PACKAGE_MARK = f"{PREFIX}/debian-package"
"""The file by which the program sees that dpkg manages it; it has the package's name."""
CONFIGURATIONS = "usr/share/wallwright"
"""The first configuration of a computer, which `postinst` copies to /etc/wallwright once."""
INSTALLED = {
    "wallwright.service": "lib/systemd/system/wallwright.service",
    "wallwright-floor.service": "lib/systemd/system/wallwright-floor.service",
    "60-wallwright.rules": "lib/udev/rules.d/60-wallwright.rules",
    "serve.conf": f"{CONFIGURATIONS}/serve.conf",
    "floor.conf": f"{CONFIGURATIONS}/floor.conf",
    "debian/copyright": "usr/share/doc/wallwright/copyright",
    "debian/lintian-overrides": "usr/share/lintian/overrides/wallwright",
}
"""The files of `packaging/` that are installed as they are, and their places."""
CONTROL = ("preinst", "postinst", "prerm", "postrm", "templates", "triggers")
"""The files of `packaging/debian/` that dpkg and debconf read from the package itself."""
_ENVIRONMENT = """\
home = /usr/bin
include-system-site-packages = false
version = 3.11
"""
_COMMAND = """\
#!/{prefix}/bin/python3 -I
import sys

from controller.cli import main

sys.exit(main())
"""


def lay_out(
    root: Path, wheels: list[Path], version: str, architecture: Architecture, epoch: int
) -> None:
    """Write every file of the package below `root`. Raises PackageBuildError.

    `epoch` is the time of every file in seconds since 1970.
    """
    _environment(root, wheels)
    for name, place in INSTALLED.items():
        _copy(PACKAGING / name, root / place)
    (root / PACKAGE_MARK).write_text(f"wallwright {version} {architecture.debian}\n", "utf-8")
    write_completions(root)
    write_pages(root, version, epoch)
    _changelog(root, version, epoch)
    settle(root, epoch)
    _compile(root / LIBRARIES)
    _control(root, version, architecture)
    settle(root, epoch)
    for script in ("preinst", "postinst", "prerm", "postrm"):
        (root / "DEBIAN" / script).chmod(0o755)


def _environment(root: Path, wheels: list[Path]) -> None:
    """The virtual environment: the system's Python, the libraries, and the one command."""
    libraries = root / LIBRARIES
    libraries.mkdir(parents=True)
    for wheel in wheels:
        unpack(wheel, libraries)
    for python in PYTHONS[1:]:
        (root / PREFIX / "lib" / f"python{python}").symlink_to(f"python{PYTHONS[0]}")
    programs = root / PREFIX / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to("/usr/bin/python3")
    (root / PREFIX / "pyvenv.cfg").write_text(_ENVIRONMENT, "utf-8")
    command = programs / "wallwright"
    command.write_text(_COMMAND.format(prefix=PREFIX), "utf-8")
    command.chmod(0o755)
    link = root / "usr/bin/wallwright"
    link.parent.mkdir(parents=True)
    link.symlink_to(f"/{PREFIX}/bin/wallwright")


def _compile(libraries: Path) -> None:
    """Compile every module, because the service cannot write and a first start would be slow.

    `postinst` compiles them on a computer with another Python than that of the build. A module is
    compiled for the time of its source, so an edited source counts at once.
    """
    done = compileall.compile_dir(
        libraries,
        quiet=2,
        stripdir=str(libraries),
        prependdir=f"/{LIBRARIES}",
        invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP,
    )
    if not done:
        raise PackageBuildError(
            "A module of the package cannot be compiled; python -m compileall names it."
        )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _changelog(root: Path, version: str, epoch: int) -> None:
    """The change log of the project, and the one in Debian's form, which names it."""
    folder = root / "usr/share/doc/wallwright"
    entry = (
        f"wallwright ({version}) stable; urgency=medium\n\n"
        "  * The changes are in CHANGELOG.md.gz in this folder.\n\n"
        f" -- {maintainer()}  {formatdate(epoch)}\n"
    )
    texts = {
        "changelog.gz": entry.encode("utf-8"),
        "CHANGELOG.md.gz": (HOUSE / "CHANGELOG.md").read_bytes(),
        "installing.md.gz": (HOUSE / "docs" / "start" / "INSTALL.md").read_bytes(),
    }
    for name, text in texts.items():
        (folder / name).write_bytes(gzip.compress(text, 9, mtime=0))


def maintainer() -> str:
    """The person or group in the field `Maintainer`."""
    for line in (PACKAGING / "debian" / "control").read_text("utf-8").splitlines():
        name, _, value = line.partition(": ")
        if name == "Maintainer":
            return value
    raise PackageBuildError("packaging/debian/control has no field Maintainer; add it.")


def _control(root: Path, version: str, architecture: Architecture) -> None:
    """What dpkg reads before it unpacks the files."""
    control = root / "DEBIAN"
    control.mkdir()
    for name in CONTROL:
        _copy(PACKAGING / "debian" / name, control / name)
    described = (PACKAGING / "debian" / "control").read_text("utf-8")
    fields = {
        "@VERSION@": version,
        "@ARCHITECTURE@": architecture.debian,
        "@SIZE@": str(installed_size(root)),
    }
    for word, value in fields.items():
        described = described.replace(word, value)
    (control / "control").write_text(described, "utf-8")
    (control / "md5sums").write_text(checksums(root), "utf-8")
