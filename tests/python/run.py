"""Runs a file of tests: run.py FILE. The exit code is 77 where all of them were skipped, for ctest."""

import importlib.util
import sys
import unittest
from pathlib import Path

path = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(path.parent))
spec = importlib.util.spec_from_file_location(path.stem, path)
module = importlib.util.module_from_spec(spec)
sys.modules[path.stem] = module
spec.loader.exec_module(module)
result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromModule(module))
if not result.wasSuccessful() or result.testsRun == 0:
    sys.exit(1)
sys.exit(77 if len(result.skipped) == result.testsRun else 0)
