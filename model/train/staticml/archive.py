"""Packages as archives of files: wheels, npm tarballs and Debian packages are read, never installed or run."""

import glob
import io
import os
import re
import subprocess
import tarfile
import zipfile


class Archive:
    """The files of one package by name."""

    def __init__(self, path):
        if path.endswith(".whl"):
            opened = zipfile.ZipFile(path)
            self.names, self.read = opened.namelist(), opened.read
            return
        opened = self._tar(path)
        members = {m.name.removeprefix("./"): m for m in opened.getmembers() if m.isfile()}
        self.names = list(members)
        self.read = lambda name: opened.extractfile(members[name]).read()

    @staticmethod
    def _tar(path):
        if not path.endswith(".deb"):
            return tarfile.open(path)
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True).stdout
        return tarfile.open(fileobj=io.BytesIO(content))

    def match(self, pattern):
        """Names that hold the pattern, each with its match."""
        for name in self.names:
            found = re.search(pattern, name)
            if found:
                yield name, found

    def text(self, name):
        return self.read(name).decode("utf-8", "ignore")


def _same(name):
    return re.sub(r"[-_.]+", "_", name).lower()


def package_name(registry, file):
    """The name of the package in a downloaded file's name, in the form that wanted_name has."""
    if registry == "pypi":
        return _same(file.split("-")[0])
    if registry == "npm":
        return re.sub(r"-\d+\.\d+\.\d+.*", "", file)
    return file.split("_")[0]


def wanted_name(source):
    if source.registry == "pypi":
        return _same(source.name)
    if source.registry == "npm":
        return source.name.lstrip("@").replace("/", "-")
    return source.name


def find(folder, source):
    """Path of a downloaded package."""
    for path in sorted(glob.glob(os.path.join(folder, source.registry, "*"))):
        if package_name(source.registry, os.path.basename(path)) == wanted_name(source):
            return path
    raise SystemExit(f"{source.name} is not in {folder}: run staticml.download first")
