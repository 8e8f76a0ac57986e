"""What the tests of the package share: the places of the repository, and traces to read."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TC_SOURCE_DIR", Path(__file__).resolve().parents[2]))
EXAMPLE = ROOT / "testdata/trace_example.json"
TRACEGEN = os.environ.get("TC_TRACEGEN", "")
TOOL = os.environ.get("TC_TOOL", "")


class Case(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="tc-python-")
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)

    def generated(self, *options, name="made.json"):
        """A trace of tracegen."""
        path = self.dir / name
        subprocess.run([TRACEGEN, *options, "-o", path], check=True, stdout=subprocess.DEVNULL)
        return path


def tool_json(*arguments):
    """What the program writes as JSON."""
    done = subprocess.run([TOOL, *map(str, arguments)], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)
