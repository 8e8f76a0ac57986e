"""The package is typed: mypy --strict and ruff have nothing to say. Skipped where they are not installed."""

import importlib.util
import shutil
import subprocess
import sys
import unittest

from common import ROOT, Case

PACKAGE = ROOT / "python/tracecoach"


class TestTypes(Case):
    def run_(self, *command):
        done = subprocess.run(command, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
    def test_mypy(self):
        self.run_(sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(self.dir),
                  str(PACKAGE))  # fmt: skip

    @unittest.skipUnless(shutil.which("ruff"), "no ruff")
    def test_ruff(self):
        self.run_("ruff", "check", "--no-cache", "--line-length", "120", str(PACKAGE), str(ROOT / "tests/python"))

    def test_marker_of_types_is_there(self):
        self.assertTrue((PACKAGE / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
