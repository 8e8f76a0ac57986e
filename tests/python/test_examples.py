"""The examples of the pages are Python: before and after the change where one is a diff."""

import ast
import re
import unittest

from common import ROOT, Case

FENCE = re.compile(r"^```(python|diff)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sides(language, code):
    if language == "python":
        return [code]
    return ["\n".join(line[1:] for line in code.split("\n") if not line.startswith(gone)) for gone in "+-"]


class TestExamples(Case):
    def test_code_is_python(self):
        count = 0
        for page in sorted((ROOT / "docs/heuristics").glob("*.md")):
            for language, code in FENCE.findall(page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, code=code):
                    for side in sides(language, code):
                        ast.parse(side)
                count += 1
        self.assertGreater(count, 100)


if __name__ == "__main__":
    unittest.main()
