"""Builds what is in C for the package: the library and the program, by CMake, as cmake/wheel.cmake says. The rest of
the package's description is in pyproject.toml, and the version in CMakeLists.txt."""

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r"^project\(tracecoach VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
SONAME = "libtracecoach.so." + ".".join(VERSION.split(".")[:2])


def build_native(target):
    """Builds in a directory that is gone afterwards, or in that of TRACECOACH_BUILD, which is kept."""
    with tempfile.TemporaryDirectory(prefix="tracecoach-build-") as temporary:
        build = os.environ.get("TRACECOACH_BUILD", temporary)
        flags = f"-ffile-prefix-map={ROOT}=. -ffile-prefix-map={build}=build " + os.environ.get("CFLAGS", "")
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", build, f"-DCMAKE_BUILD_TYPE={os.environ.get('TRACECOACH_BUILD_TYPE', 'Release')}",
             "-DBUILD_TESTING=OFF", "-DTC_WHEEL=ON", "-DTC_USE_ISAL=OFF", f"-DCMAKE_C_FLAGS={flags}"],
            check=True,
        )  # fmt: skip
        subprocess.run(
            ["cmake", "--build", build, "--target", "wheel", "-j", str(os.cpu_count() or 1)], check=True
        )
        target.mkdir(parents=True, exist_ok=True)
        for name in (SONAME, "tracecoach"):
            copied = target / name
            shutil.copyfile(Path(build) / "native" / name, copied)
            subprocess.run(["strip", "--strip-unneeded", copied], check=True)
            copied.chmod(0o755)


class BuildPy(build_py):
    """Puts library and program beside the modules."""

    def run(self):
        super().run()
        if not self.editable_mode:
            build_native(Path(self.build_lib) / "tracecoach/_native")

    def get_output_mapping(self):
        return super().get_output_mapping()


class BdistWheel(bdist_wheel):
    """The wheel suits every Python 3 of one platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        machine = sysconfig.get_platform().rpartition("-")[2].replace(".", "_")
        return "py3", "none", self._glibc_tag(machine)

    def _glibc_tag(self, machine):
        """manylinux_2_N for the newest function of the C library that is asked for, linux where nothing tells."""
        newest = 0
        for path in sorted(Path(self.bdist_dir or "").rglob("_native/*")) or sorted(
            Path(self.get_finalized_command("build_py").build_lib).rglob("_native/*")
        ):
            try:
                said = subprocess.run(["objdump", "-T", path], check=True, stdout=subprocess.PIPE, text=True).stdout
            except (OSError, subprocess.CalledProcessError):
                return f"linux_{machine}"
            newest = max([newest, *(int(minor) for minor in re.findall(r"\(GLIBC_2\.(\d+)", said))])
        return f"manylinux_2_{newest}_{machine}" if newest else f"linux_{machine}"


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(version=VERSION, cmdclass={"build_py": BuildPy, "bdist_wheel": BdistWheel}, distclass=BinaryDistribution)
