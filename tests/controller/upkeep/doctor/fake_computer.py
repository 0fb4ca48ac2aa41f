"""Makes a folder that looks like the root of a computer: a healthy Raspberry Pi with an adapter."""

from __future__ import annotations

from pathlib import Path

from controller.upkeep.doctor.fact_files import FactFiles

PORT = "/dev/ttyUSB0"
USB = "sys/devices/platform/soc/usb1/1-1"
FILES = {
    "etc/passwd": "root:x:0:0::/:/bin/sh\ntable:x:990:990::/var/lib/wallwright:/bin/false\n",
    "etc/group": "root:x:0:\ndialout:x:20:table\ngpio:x:997:\ntable:x:990:\n",
    "dev/ttyUSB0": "",
    "dev/gpiochip0": "",
    f"{USB}/idVendor": "0403\n",
    f"{USB}/idProduct": "6001\n",
    f"{USB}/manufacturer": "FTDI\n",
    f"{USB}/product": "FT232R USB UART\n",
    f"{USB}/serial": "A50285BI\n",
    f"{USB}/speed": "12\n",
    f"{USB}/1-1:1.0/ttyUSB0/latency_timer": "1\n",
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "proc/self/mountinfo": (
        "21 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw\n"
        "30 21 0:25 / /run rw,nosuid - tmpfs tmpfs rw,size=190000k\n"
        r"31 21 8:1 / /mnt/a\040disk ro - vfat /dev/sda1 rw" + "\n"
    ),
    "proc/self/cgroup": "0::/user.slice/user-1000.slice\n",
    "proc/meminfo": (
        "MemTotal:        3884360 kB\nMemFree:  100 kB\nMemAvailable:    3210000 kB\n"
        "SwapTotal:        102396 kB\nSwapFree:         102000 kB\n"
    ),
    "proc/loadavg": "0.52 0.58 0.59 1/467 12345\n",
    "proc/700/comm": "systemd\n",
    "proc/800/comm": "python3\n",
    "proc/800/cmdline": "python3\0-m\0controller.cli\0serve\0--port\0/dev/ttyUSB0\0",
    "sys/devices/system/cpu/online": "0-3\n",
    "sys/class/rtc/rtc0/name": "rpi-rtc\n",
    "sys/class/thermal/thermal_zone0/temp": "48312\n",
    "sys/class/hwmon/hwmon0/name": "cpu_thermal\n",
    "sys/class/hwmon/hwmon1/name": "rpi_volt\n",
    "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0\n",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
    "sys/fs/ext4/mmcblk0p2/errors_count": "0\n",
    "sys/block/mmcblk0/device/life_time": "0x02 0x01\n",
    "sys/block/mmcblk0/device/pre_eol_info": "0x01\n",
    "sys/fs/cgroup/system.slice/wallwright.service/memory.max": "536870912\n",
    "sys/fs/cgroup/system.slice/wallwright.service/memory.events": "low 0\noom 0\noom_kill 0\n",
    "sys/fs/cgroup/system.slice/memory.max": "max\n",
    "run/systemd/timesync/synchronized": "",
    "run/systemd/system/x": "",
}
LINKS = {
    "sys/class/tty/ttyUSB0/device": "../../../devices/platform/soc/usb1/1-1/1-1:1.0/ttyUSB0",
    "sys/bus/usb/devices/1-1": "../../../devices/platform/soc/usb1/1-1",
    "sys/dev/block/179:2": "../../devices/platform/emmc/mmc_host/mmc0/block/mmcblk0/mmcblk0p2",
    "proc/800/fd/7": PORT,
    "proc/700/fd/0": "/dev/null",
}
SYSTEMCTL = """#!/bin/sh
echo LoadState=loaded
echo ActiveState=active
echo Result=success
echo NRestarts=0
echo WatchdogUSec=30s
echo UnitFileState=enabled
"""


class FakeComputer:
    """A root folder with the files of a computer; change them before the facts are read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)
        for name, target in LINKS.items():
            self.link(name, target)
        self.command("systemctl", SYSTEMCTL)

    @property
    def files(self) -> FactFiles:
        """The files, with a time limit for commands that a busy computer keeps."""
        return FactFiles(self.root, limit=60)

    def write(self, name: str, text: str | bytes) -> None:
        """Write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def link(self, name: str, target: str) -> None:
        """Make a symbolic link."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def remove(self, name: str) -> None:
        """Remove a file."""
        (self.root / name).unlink()

    def command(self, name: str, script: str) -> None:
        """Install a command."""
        self.write(f"usr/bin/{name}", script)
        (self.root / "usr/bin" / name).chmod(0o755)
