"""Builds the Debian package of the program: `python -m tools.debian_package` (`make deb`).

The files that are installed as they are, and the scripts of the package, are in `packaging/`.
"""
