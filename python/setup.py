"""Builds the wheel: the package with the shared libraries and the program.

The environment variable SUSTAIN_BUILDS names finished builds of the project (folders, separated by
colons) to take them from. Without it CMake builds them, in float and double, in build/python.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent
VERSION = ".".join(
    re.search(rf"SUSTAIN_VERSION_{part} (\d+)", (SOURCE / "include/sustain/version.h").read_text()).group(1)
    for part in ("MAJOR", "MINOR", "PATCH")
)
SONAME = VERSION.rsplit(".", 1)[0]
TARGETS = {"release": ["sustain", "sustain-learn", "sustain-fewshot", "sustain-program"], "double": ["sustain-double"]}


def build() -> list[Path]:
    """Builds what the wheel carries, for any machine of this kind."""
    folders = []
    for preset, targets in TARGETS.items():
        folder = SOURCE / "build/python" / preset
        options = ["-DBUILD_TESTING=OFF", "-DSUSTAIN_NATIVE=OFF", "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH=$ORIGIN"]
        subprocess.run(["cmake", "--preset", preset, "-B", folder, *options], cwd=SOURCE, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", folder, "--target", *targets], check=True)
        folders.append(folder)
    return folders


class WithLibraries(build_py):
    """Adds the libraries and the program to the package."""

    def run(self) -> None:
        shutil.rmtree(Path(self.build_lib) / "sustain", ignore_errors=True)  # modules that are no longer there
        super().run()
        builds = [Path(folder) for folder in os.environ.get("SUSTAIN_BUILDS", "").split(os.pathsep) if folder] or build()
        target = Path(self.build_lib) / "sustain/_libs"
        target.mkdir(parents=True)
        for folder in builds:
            libraries = [*folder.glob(f"libsustain*.so.{SONAME}"), *folder.glob(f"libsustain*.{SONAME}.dylib")]
            if not libraries:
                raise SystemExit(f"setup.py: {folder} has no libsustain of version {SONAME}: build the project first")
            for path in libraries:
                shutil.copy(path.resolve(), target / path.name)
        shutil.copy(builds[0] / "sustain", target / "sustain")


class Platform(bdist_wheel):
    """The wheel depends on the platform, not on the version of Python: ctypes."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class WithBinaries(Distribution):
    def has_ext_modules(self) -> bool:
        return True


# Nothing is written beside the sources.
BASE = SOURCE / "build/python/setuptools"
BASE.mkdir(parents=True, exist_ok=True)
setup(
    version=VERSION,
    distclass=WithBinaries,
    cmdclass={"build_py": WithLibraries, "bdist_wheel": Platform},
    options={"build": {"build_base": str(BASE)}, "egg_info": {"egg_base": str(BASE)}},
)
