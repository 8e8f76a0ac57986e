"""The notebook of the examples runs from top to bottom, and shows the page, tables and a plot. Skipped where nbconvert, a
kernel, pandas or matplotlib is not installed."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

from common import ROOT, Case

NEEDS = ("nbconvert", "nbformat", "ipykernel", "pandas", "matplotlib")
MISSING = [name for name in NEEDS if not importlib.util.find_spec(name)]


class TestNotebook(Case):
    @unittest.skipIf(MISSING, f"without {', '.join(MISSING)}")
    def test_it_runs(self):
        import nbformat

        for name in ("examples", "testdata"):
            (self.dir / name).mkdir()
        shutil.copy(ROOT / "examples/notebook.ipynb", self.dir / "examples")
        shutil.copy(ROOT / "testdata/trace_example.json", self.dir / "testdata")
        done = subprocess.run(
            [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb", "notebook.ipynb"],
            cwd=self.dir / "examples", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "HOME": str(self.dir), "MPLCONFIGDIR": str(self.dir)},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)
        cells = nbformat.read(str(self.dir / "examples/done.ipynb"), as_version=4).cells
        shown = [output for cell in cells for output in cell.get("outputs", [])]
        kinds = [kind for output in shown for kind in output.get("data", {})]
        self.assertEqual(kinds.count("text/html"), 3)
        self.assertEqual(kinds.count("image/png"), 1)
        page = next(o["data"]["text/html"] for o in shown if "iframe" in o.get("data", {}).get("text/html", ""))
        self.assertIn("dataloader-bound", page)

    def test_it_is_kept_without_outputs(self):
        import json

        notebook = json.loads((ROOT / "examples/notebook.ipynb").read_text())
        self.assertTrue(all(not cell.get("outputs") for cell in notebook["cells"]))


if __name__ == "__main__":
    unittest.main()
