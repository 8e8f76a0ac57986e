"""A run in Python: what it holds is what the program says, errors are exceptions, and calls can be stopped."""

import _thread
import contextlib
import copy
import dataclasses
import errno
import gc
import gzip
import json
import os
import pickle
import re
import sqlite3
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock
import warnings
from pathlib import Path
from unittest import mock

import tracecoach
from tracecoach import _run
from common import EXAMPLE, ROOT, TOOL, TRACEGEN, Case, tool_json

SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


class Example(unittest.TestCase):
    """Questions to the example trace, which is read once."""

    @classmethod
    def setUpClass(cls):
        cls.run_ = tracecoach.analyze(EXAMPLE)
        cls.addClassCleanup(cls.run_.close)

    def test_json_is_that_of_the_program(self):
        said = tool_json(EXAMPLE, "--format", "json", "--quiet")
        self.assertEqual(self.run_.json, said)
        self.assertEqual(self.run_.verdict, said["traces"][0]["verdict"])
        self.assertEqual([f.id for f in self.run_.findings], [row["id"] for row in said["advice"]])
        self.assertEqual([s.dur_ns for s in self.run_.steps], [row["dur"] for row in said["steps"]])
        self.assertEqual([p.fix for p in self.run_.plan], [row["fix"] for row in said["plan"]])

    def test_a_finding_has_gain_evidence_and_an_example(self):
        finding = self.run_.findings[0]
        self.assertEqual((finding.id, finding.kind, finding.confidence), ("dataloader-bound", "fix", "measured"))
        self.assertGreater(finding.gain_ns, 200_000_000)
        self.assertIn("num_workers", finding.example)
        self.assertEqual(finding.evidence[0]["data"]["step_count"], 3)
        self.assertEqual(len(self.run_.query(finding.sql)), len(finding.evidence))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            finding.id = "other"
        self.assertEqual(len({finding, finding}), 1)

    def test_rows_name_the_package_that_they_need(self):
        rows = self.run_.query("SELECT 1 AS a")
        for name, call in (("pandas", rows.df), ("pyarrow", rows.arrow)):
            with unittest.mock.patch.dict(sys.modules, {name: None}):
                with self.assertRaisesRegex(ImportError, rf"needs {name}: pip install {name}"):
                    call()

    def test_reports_in_all_formats(self):
        for name in ("text", "md", "html", "json", "csv", "junit", "github", "perf-tool"):
            with self.subTest(name):
                self.assertGreater(len(self.run_.report(name)), 100)
        self.assertIn("#1 ", self.run_.report(explain=1))
        self.assertIn("SELECT", self.run_.report(explain="dataloader-bound", sql=True))
        self.assertEqual(self.run_.report(explain=self.run_.findings[0]), self.run_.report(explain=1))
        self.assertIn("only step 11 shown", self.run_.report(step=11, width=140))
        self.assertEqual(self.run_.report(step=None), self.run_.report())
        self.assertNotIn(" --", self.run_.report())
        for name in ("colour", "inputs", "has_step"):
            with self.assertRaises(TypeError):
                self.run_.report(**{name: True})

    def test_repr_is_four_lines(self):
        lines = repr(self.run_).splitlines()
        self.assertEqual(len(lines), 4)
        self.assertIn(self.run_.verdict, lines[1])
        self.assertIn("dataloader-bound", lines[2])

    def test_notebooks_show_the_page(self):
        frame = self.run_._repr_html_()
        self.assertRegex(frame, '^<iframe sandbox="allow-scripts [a-z -]*" allow="[a-z -]*[*]" srcdoc="&lt;!')
        self.assertNotIn("allow-same-origin", frame)
        self.assertEqual(frame.count('"'), frame.count('="') * 2)
        self.assertIn("**", self.run_._repr_markdown_())
        self.assertIn("<table>", self.run_.query("SELECT 1 AS one, '<b>' AS two")._repr_html_())
        self.assertIn("&lt;b&gt;", self.run_.query("SELECT '<b>' AS two")._repr_html_())

    def test_rows_keep_types_and_names(self):
        values = [2**63 - 1, -(2**63), 0.1, "ä\0b", b"\0\xff", None, "", b""]
        rows = self.run_.query("SELECT ? AS a, ? AS a, ?, ?, ?, ?, ?, ?", values)
        self.assertEqual(rows.columns[:2], ("a", "a"))
        self.assertEqual(rows[0], tuple(values))
        self.assertEqual([type(v) for v in rows[0]], [type(v) for v in values])
        self.assertEqual(self.run_.query("SELECT :x + :y AS sum", {"x": 1, "y": 2}).dicts(), [{"sum": 3}])
        none = self.run_.query("SELECT number, name FROM step WHERE 0")
        self.assertEqual((none.columns, list(none), len(none)), (("number", "name"), [], 0))
        mixed = self.run_.query("VALUES (1), (2.5), ('three'), (NULL), (x'04')")
        self.assertEqual(mixed.column(mixed.columns[0]), [1, 2.5, "three", None, b"\4"])
        with self.assertRaises(KeyError):
            none.column("other")
        with self.assertRaises(TypeError):
            self.run_.query("SELECT ?", [object()])
        for number in (2**63, -(2**63) - 1):
            with self.assertRaises(OverflowError):
                self.run_.query("SELECT ?", [number])

    def test_a_text_with_a_nul_is_not_cut_there(self):
        for call in (
            lambda: self.run_.query("SELECT 1\0 FROM nothing"),
            lambda: self.run_.report("json\0"),
            lambda: self.run_.save("a\0b"),
            lambda: tracecoach.analyze(f"{EXAMPLE}\0.gz"),
            lambda: self.run_.whatif("host-bound\0"),
        ):
            with self.assertRaisesRegex(ValueError, "embedded null"):
                call()

    def test_rows_are_those_of_sqlite(self):
        with self.run_.connect() as connection:
            for sql in (
                "SELECT id, ts, dur, name, role FROM slice ORDER BY id",
                "SELECT * FROM device_op",
                "SELECT 1.0 * dur / 3, name, NULL, dur FROM step",
            ):
                with self.subTest(sql):
                    self.assertEqual(list(self.run_.query(sql)), connection.execute(sql).fetchall())
            with self.assertRaises(sqlite3.OperationalError):
                connection.execute("DELETE FROM step")
        connection.close()

    def test_many_rows_are_quick(self):
        sql = (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)"
            " SELECT i, i * 0.5, 'x' || (i % 1000) FROM n"
        )
        connection = self.run_.connect()
        ours = theirs = float("inf")
        for _ in range(3):
            start = time.process_time()
            rows = self.run_.query(sql)
            ours = min(ours, time.process_time() - start)
            start = time.process_time()
            expected = connection.execute(sql).fetchall()
            theirs = min(theirs, time.process_time() - start)
        self.assertEqual(list(rows), expected)
        self.assertLess(ours, 3 * theirs)
        connection.close()

    def test_df(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = self.run_.query("SELECT 1 AS a, 2 AS a, NULL AS b UNION ALL SELECT 2, 3, 4").df()
        self.assertEqual(list(frame.columns), ["a", "a", "b"])
        self.assertEqual(str(frame["b"].dtype), "Int64")
        self.assertTrue(pandas.isna(frame["b"][0]))

    def test_df_has_the_types_of_pandas_where_nothing_tells(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        with self.run_.connect() as connection:
            for sql in ("SELECT number, name FROM step WHERE 0", "SELECT number, NULL AS none, dur / 2.0 FROM step"):
                with self.subTest(sql):
                    frame, theirs = self.run_.query(sql).df(), pandas.read_sql(sql, connection)
                    self.assertEqual(list(frame.dtypes), list(theirs.dtypes))
                    self.assertEqual(list(frame.columns), list(theirs.columns))
        connection.close()

    def test_arrow(self):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            self.skipTest("no pyarrow")
        self.assertEqual(self.run_.query("SELECT 1 AS a, 'x' AS b").arrow().to_pydict(), {"a": [1], "b": ["x"]})

    def test_whatif_by_number_id_and_edit(self):
        said = tool_json("whatif", EXAMPLE, "--fix", "dataloader-bound", "--format", "json", "--quiet")
        by_id = self.run_.whatif("dataloader-bound")
        self.assertEqual(by_id.json, said)
        self.assertEqual(self.run_.whatif(1).json, by_id.json)
        self.assertEqual(self.run_.whatif(["#1"]).json, by_id.json)
        self.assertEqual(self.run_.whatif(self.run_.findings[0]).json, by_id.json)
        self.assertEqual(self.run_.whatif(self.run_.plan[0]).json, by_id.json)
        self.assertLess(by_id.step_after_ns, by_id.step_before_ns)
        self.assertEqual(self.run_.whatif().step_after_ns, by_id.step_before_ns)
        self.assertGreater(self.run_.whatif(edits="remove role = dataloader").gain_ns, 0)
        with self.assertRaisesRegex(tracecoach.UsageError, "9: no such finding"):
            self.run_.whatif(9)
        with self.assertRaisesRegex(tracecoach.UsageError, "did you mean 'dataloader-bound'"):
            self.run_.whatif("dataloader-bond")

    def test_errors_are_exceptions_and_harm_nothing(self):
        for call, error, text in (
            (lambda: self.run_.query("SELECT nme FROM slice"), tracecoach.UsageError, "did you mean name?"),
            (lambda: self.run_.query("SELECT 1 FROM stp"), tracecoach.UsageError, r"schema\(\) lists"),
            (lambda: self.run_.query("SELECT ?"), tracecoach.UsageError, "has 1 parameter, and 0 values were given"),
            (lambda: self.run_.query("SELECT ?, ?", [1]), tracecoach.UsageError, "has 2 parameters, and 1 value was given"),
            (lambda: self.run_.query("SELECT :a", {"a": 1, "b": 2}), tracecoach.UsageError, "1 parameter, and 2 values"),
            (lambda: self.run_.query("DELETE FROM step"), tracecoach.UsageError, "only statements that read"),
            (lambda: self.run_.report(step=3), tracecoach.UsageError, "the steps are 10 to 12"),
            (lambda: self.run_.report("jsn"), tracecoach.UsageError, "did you mean json?"),
            (lambda: self.run_.report("notebook"), tracecoach.UsageError, "there are text, .*json"),
            (lambda: self.run_.whatif("few-steps"), tracecoach.UsageError, "give one with edits"),
            (lambda: self.run_.save("/nowhere/run.db"), tracecoach.FileError, "cannot save"),
        ):
            with self.assertRaisesRegex(error, text) as caught:
                call()
            self.assertIsInstance(caught.exception, tracecoach.Error)
            self.assertNotRegex(str(caught.exception), "--|'tracecoach ")
            self.assertEqual(self.run_.query("SELECT 1")[0], (1,))


class Reading(Case):
    """Traces, stores, jobs, and what is wrong with them."""

    def test_an_example_is_for_the_device_of_the_trace(self):
        for kind, own, foreign in (("cuda", "fused=True", "habana"), ("gaudi-lazy", "habana_frameworks", "torch.optim")):
            with tracecoach.analyze(self.generated("--format", kind, "--problem", "unfused-optimizer")) as run:
                example = next(finding.example for finding in run.findings if finding.id == "unfused-optimizer")
                after = "\n".join(line for line in example.splitlines() if not line.startswith("-"))
                self.assertIn(own, after)
                self.assertNotIn(foreign, after)
                said = next(row for row in run.json["advice"] if row["id"] == "unfused-optimizer")
                self.assertEqual(example, said["example"])
                self.assertIn(example.splitlines()[-1], run.report(explain="unfused-optimizer"))

    def test_an_example_follows_the_optimizer(self):
        made = self.generated("--format", "cuda", "--problem", "unfused-optimizer").read_text()
        for name, wanted in (
            ("SGD", "torch.optim.SGD(model.parameters(), lr=lr, fused=True)"),
            ("RMSprop", "torch.optim.RMSprop(model.parameters(), lr=lr, foreach=True)"),
            ("Mine", "torch.optim.AdamW(model.parameters(), lr=lr, foreach=True)"),
        ):
            path = self.dir / f"{name}.json"
            path.write_text(made.replace("Optimizer.step#AdamW.step", f"Optimizer.step#{name}.step"))
            with tracecoach.analyze(path) as run:
                example = next(finding.example for finding in run.findings if finding.id == "unfused-optimizer")
                before = re.sub(", f.*=True", "", wanted)
                self.assertEqual(example, f"-optimizer = {before}\n+optimizer = {wanted}\n")

    def test_a_store_is_saved_and_read_again(self):
        with tracecoach.analyze(EXAMPLE) as run:
            self.assertIsNone(run.path)
            run.save(self.dir / "run.db")
            said = run.json
        with tracecoach.open_store(self.dir / "run.db") as run:
            self.assertEqual(run.path, str(self.dir / "run.db"))
            self.assertEqual(run.json["advice"], said["advice"])
            self.assertEqual(run.connect().execute("SELECT count(*) FROM step").fetchone(), (3,))
        with tracecoach.analyze(EXAMPLE, store=self.dir / "kept.db") as run:
            self.assertEqual(run.path, str(self.dir / "kept.db"))
        self.assertEqual(tool_json(self.dir / "run.db", "--format", "json")["advice"], said["advice"])

    def test_a_relative_path_is_of_the_directory_at_that_time(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        for open_ in (lambda: tracecoach.analyze(EXAMPLE, store="run.db"), lambda: tracecoach.open_store("run.db")):
            with open_() as run:
                os.chdir("/")
                self.assertEqual(run.path, str(self.dir / "run.db"))
                self.assertEqual(run.connect().execute("SELECT count(*) FROM step").fetchone(), (3,))
                os.chdir(self.dir)

    def test_the_heuristics_are_those_of_the_library(self):
        listed = {entry.id: entry for entry in tracecoach.heuristics()}
        self.assertEqual(set(listed), {path.stem for path in (ROOT / "heuristics").glob("*.sql")})
        one = listed["dataloader-bound"]
        self.assertEqual((one.title, one.kind, one.file), ("The device waits for the data loader", "fix", None))
        (threshold,) = [row for row in one.thresholds if row.name == "min_share_pct"]
        self.assertEqual((threshold.unit, threshold.min, threshold.max), ("pct", 0, 100))
        with tracecoach.analyze(EXAMPLE, settings={f"{one.id}.{threshold.name}": threshold.default}) as run:
            found = next(finding for finding in run.findings if finding.id == one.id)
            self.assertEqual((found.title, found.why), (one.title, one.why))
        said = subprocess.run([TOOL, "heuristics", one.id], capture_output=True, text=True, check=True).stdout
        for text in (one.needs[0], one.source.split()[0], f"{threshold.name} = {threshold.default:.10g} pct"):
            self.assertIn(text, said)
        self.assertIn("# ", one.page)
        self.assertTrue(all("{" not in entry.advice + entry.why for entry in listed.values()))
        text = (ROOT / "heuristics/few-steps.sql").read_text().replace("few-steps", "mine")
        (self.dir / "mine.sql").write_text(re.sub("^-- order: .*\n", "", text, flags=re.M))
        last = tracecoach.heuristics(self.dir)[-1]
        self.assertEqual((last.id, last.file, last.page), ("mine", str(self.dir / "mine.sql"), None))

    def test_a_message_names_what_python_has(self):
        for call, text in (
            (lambda: tracecoach.analyze(EXAMPLE, only="qqqqqqqq"), r"heuristics\(\) lists them"),
            (lambda: tracecoach.analyze(EXAMPLE, skip=","), r"heuristics\(\) lists them"),
            (lambda: tracecoach.analyze(EXAMPLE, settings={"host-bound.qqqqqqqq": 1}), "it has enabled"),
            (lambda: tracecoach.open_store(self.old_store()), r"analyze\(\) reads its traces again.* sqlite3 reads it"),
        ):
            with self.assertRaisesRegex(tracecoach.Error, text) as caught:
                call()
            self.assertNotRegex(str(caught.exception), "--|'tracecoach ")

    def old_store(self):
        """A store of the first version that there was."""
        path = self.dir / "old.db"
        with tracecoach.analyze(EXAMPLE, store=path):
            pass
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 1")
        connection.close()
        return path

    def test_settings(self):
        with tracecoach.analyze(EXAMPLE, only=["dataloader-bound"]) as run:
            self.assertEqual(run.json["account"]["fired"], ["dataloader-bound"])
        with tracecoach.analyze(EXAMPLE, skip="dataloader-bound") as run:
            self.assertNotIn("dataloader-bound", [f.id for f in run.findings])
            self.assertIn("left out by skip", json.dumps(run.json["account"]))
        with tracecoach.analyze(EXAMPLE, settings={"dataloader-bound.min_share_pct": 99}) as run:
            self.assertEqual(run.json["settings"][0]["value"], 99)
        with self.assertRaisesRegex(tracecoach.UsageError, "settings dataloader-bound.min_shr=1: .*min_share_pct"):
            tracecoach.analyze(EXAMPLE, settings={"dataloader-bound.min_shr": 1})
        rules = self.dir / "rules"
        rules.mkdir()
        (rules / "broken.sql").write_text("-- id: other\nSELECT 1")
        with self.assertRaisesRegex(tracecoach.UsageError, "broken.sql"):
            tracecoach.analyze(EXAMPLE, rules=rules)

    def test_ranks_are_a_job(self):
        paths = [
            self.generated("--format", "cuda", "--world-size", "2", "--rank", str(rank), "--problem", "dataloader",
                           name=f"rank{rank}.json") for rank in (0, 1)
        ]  # fmt: skip
        with tracecoach.analyze(paths) as run:
            self.assertEqual(run.verdict, run.json["jobs"][0]["verdict"])
            self.assertEqual(run.whatif(1).json["jobs"][0]["job_id"], 0)
            self.assertEqual({f.trace_id for f in run.rank_findings}, {0, 1})
            job = run.json["jobs"][0]
            self.assertEqual([f.id for f in run.findings], [row["id"] for row in job["advice"]])
            fixes = [f for f in run.findings if f.kind == "fix" and f.gain_ns]
            self.assertTrue(fixes)
            for number, fix in enumerate(fixes, 1):
                self.assertEqual(run.whatif([number]).gain_ns, fix.gain_ns)
            self.assertEqual(len({step.trace_id for step in run.plan}), 1)
        with tracecoach.analyze(self.dir) as run:
            self.assertEqual(len(run.json["traces"]), 2)

    def test_a_whatif_is_said_of_one_trace(self):
        """Of traces that are no ranks the first, of a job whose ranks cannot be related its pace."""
        quick = self.generated("--format", "cuda", "--problem", "dataloader", "--steps", "6", name="a.json")
        slow = self.generated("--format", "cuda", "--problem", "host-bound", "--steps", "20", name="b.json")
        for ranks in (0, 2):
            paths = [quick, slow]
            if ranks:
                one = ("--format", "cuda", "--steps", "1", "--problem", "host-bound", "--world-size", "2")
                paths = [self.generated(*one, "--rank", str(rank), name=f"rank{rank}.json") for rank in range(2)]
                event = '"traceEvents": [\n{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":3001234557000,"dur":5},'
                paths[1].write_text(re.sub(r'"traceEvents": *\[', event, paths[1].read_text(), count=1))
            with tracecoach.analyze(paths) as run:
                for fix in run.findings:
                    if not fix.gain_ns:
                        continue
                    answer = run.whatif(fix)
                    rows = {row["trace_id"]: row for row in answer.json["traces"]}
                    row = rows[answer.trace_id]
                    self.assertEqual(answer.json["jobs"], [])
                    self.assertEqual(answer.gain_ns, row["gain_ns"])
                    self.assertEqual(answer.step_before_ns, row["step_before_ns"] or row["wall_ns"])
                    self.assertEqual(answer.step_after_ns, row["step_after_ns"] or row["wall_ns"] - row["gain_ns"])
                    self.assertEqual(answer.trace_id, run.plan[0].trace_id)
                self.assertGreater(run.whatif(1).gain_ns, 0)

    def test_a_verdict_of_several_traces_says_of_which(self):
        other = self.generated("--format", "cuda", "--problem", "host-bound", name="other.json")
        with tracecoach.analyze([EXAMPLE, other]) as run:
            lines = run.verdict.splitlines()
            self.assertEqual(lines, [f"{row['path']}: {row['verdict']}" for row in run.json["traces"]])
            self.assertIn(lines[1], repr(run))

    def test_close_within_a_call(self):
        code = """
import signal, sys, tracecoach
run = tracecoach.analyze(sys.argv[1])
signal.signal(signal.SIGALRM, lambda *a: run.close())
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    run.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
except tracecoach.Error:
    print("stopped")
try:
    run.query("SELECT 1")
except ValueError as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", code, EXAMPLE], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "stopped\nthe run is closed\n"), done.stderr)

    def test_a_burst_of_signals(self):
        """Whatever handlers raise, and however often: the run can be asked again, and nothing is freed below a call."""
        code = """
import signal, sys, tracecoach
class Late(Exception):
    pass
def late(*_):
    raise Late
run = tracecoach.analyze(sys.argv[1])
signal.signal(signal.SIGALRM, late)
for _ in range(30):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.0002)
        run.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    except Late:
        pass
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            break
        except Late:
            pass
    assert list(run.query("SELECT 1")) == [(1,)]
run.close()
print("done")
"""
        done = subprocess.run([sys.executable, "-c", code, EXAMPLE], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)

    def test_either_side_is_closed_within_a_comparison(self):
        code = """
import signal, sys, tracecoach
for side in (0, 1):
    runs = [tracecoach.analyze(sys.argv[1]) for _ in range(2)]
    signal.signal(signal.SIGALRM, lambda *_: runs[side].close())
    context = runs[0]._handles.context
    call = context._called
    context._called = lambda work: (signal.raise_signal(signal.SIGALRM), call(work))[1]
    try:
        runs[0].compare(runs[1])
    except tracecoach.Error as error:
        print(error)
    assert not runs[side]._handles.context.handle
    context._called = call
    print(len(runs[1 - side].query("SELECT 1")))
"""
        done = subprocess.run([sys.executable, "-c", code, EXAMPLE], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n1\n" * 2), done.stderr)

    def test_findings_in_a_signal_handler_of_findings(self):
        code = """
import signal, sys, tracecoach
run = tracecoach.analyze(sys.argv[1])
def ask(*_):
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        run.findings
    except RuntimeError:
        print("busy")
signal.signal(signal.SIGALRM, ask)
context = run._handles.context
call = context._called
context._called = lambda work: (signal.raise_signal(signal.SIGALRM), call(work))[1]
print(len(run.findings) > 0)
"""
        done = subprocess.run([sys.executable, "-c", code, EXAMPLE], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "busy\nTrue\n"), done.stderr)

    def test_connect_knows_the_file_of_the_run(self):
        path = self.dir / "s.db"
        with tracecoach.analyze(EXAMPLE, store=path) as run:
            count = list(run.query("SELECT count(*) FROM slice"))
            other = self.generated("--format", "cuda", name="other.json")
            for change in (lambda: tracecoach.analyze(other, store=path).close(), path.unlink):
                change()
                with contextlib.closing(run.connect()) as connection:
                    self.assertEqual(connection.execute("SELECT count(*) FROM slice").fetchall(), count)

    def test_a_program_ends_within_a_call(self):
        code = """
import os, sys, threading, time, tracecoach
run = tracecoach.analyze(sys.argv[1])
endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
threading.Thread(target=run.query, args=(endless,), daemon=True).start()
time.sleep(0.3)
if len(sys.argv) > 2:
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
        for more in ([], ["fork"]):
            done = subprocess.run([sys.executable, "-c", code, EXAMPLE, *more], capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_side_files(self):
        log = self.dir / "job.log"
        log.write_text("2024-01-01 00:00:00 something\n")
        with tracecoach.analyze(EXAMPLE, with_=[log]) as run:
            self.assertEqual(run.query("SELECT path FROM side_file")[0], (str(log),))
            run.save(self.dir / "run.db")
        with self.assertRaisesRegex(tracecoach.UsageError, "with_"):
            tracecoach.analyze(self.dir / "run.db", with_=[log])

    def test_peaks(self):
        peaks = self.dir / "peaks.ini"
        peaks.write_text("[Prototype]\nbf16_tflops = 5\nmemory_gb_per_s = 100\n")
        with tracecoach.analyze(EXAMPLE, peaks=peaks, device="Prototype") as run:
            self.assertEqual(run.query("SELECT hbm_bytes_per_s, source FROM device_peak")[0], (1e11, str(peaks)))
            run.save(self.dir / "run.db")
        with self.assertRaisesRegex(tracecoach.UsageError, "peaks"):
            tracecoach.analyze(self.dir / "run.db", peaks=peaks)
        with self.assertRaisesRegex(tracecoach.UsageError, "device 'H200': not in"):
            tracecoach.analyze(EXAMPLE, peaks=peaks, device="H200")
        with self.assertRaisesRegex(TypeError, "a string, not int: 5"):
            tracecoach.analyze(EXAMPLE, device=5)

    def test_compare(self):
        slow = self.generated("--problem", "dataloader", "--steps", "6")
        fast = self.generated("--fixed", "dataloader", "--steps", "6", name="fast.json")
        with tracecoach.analyze(slow) as before, tracecoach.analyze(fast) as after:
            answer = before.compare(after)
            self.assertEqual(answer.outcome, "faster")
            self.assertLess(answer.difference_pct, -5)
            self.assertEqual(before.compare(fast).json["before"], answer.json["before"])
            command = subprocess.run([TOOL, "compare", slow, fast, "--format", "json"], capture_output=True, text=True, check=False)
            self.assertEqual(answer.json["advice"], json.loads(command.stdout)["advice"])
            self.assertEqual(before.compare(before).outcome, "same")
        log = self.dir / "job.log"
        log.write_text("2024-01-01 00:00:00 something\n")
        with tracecoach.analyze(slow) as before:
            self.assertEqual(before.compare(fast, settings={}).json, before.compare(fast).json)
            answer = before.compare(fast, with_=[log], device="H100 PCIe")
            self.assertEqual(answer.outcome, "faster")
            with self.assertRaisesRegex(tracecoach.UsageError, "device 'Qqq'"):
                before.compare(fast, device="Qqq")
            with self.assertRaisesRegex(TypeError, "device: the other run is read already"):
                before.compare(before, device="H100 PCIe")
        chosen = dict(skip=["dataloader-bound"], settings={"host-bound.enabled": False})
        with tracecoach.analyze(fast, **chosen) as before, tracecoach.analyze(slow, **chosen) as after:
            self.assertEqual(before.compare(slow).json, before.compare(after).json)

    def test_what_the_system_refuses_has_its_number(self):
        (self.dir / "loop").symlink_to("loop")
        with tracecoach.analyze(EXAMPLE) as run:
            for call, number in (
                (lambda: tracecoach.analyze(self.dir / "missing.json"), errno.ENOENT),
                (lambda: tracecoach.analyze(self.dir / "loop"), errno.ELOOP),
                (lambda: run.save(self.dir / "none" / "run.db"), errno.ENOENT),
            ):
                with self.assertRaises(OSError) as caught:
                    call()
                self.assertEqual(caught.exception.errno, number, caught.exception)
                self.assertIn(os.strerror(number), str(caught.exception))

    def test_a_run_cannot_be_pickled(self):
        with tracecoach.analyze(EXAMPLE) as run:
            for call in (pickle.dumps, copy.copy, copy.deepcopy):
                with self.assertRaisesRegex(TypeError, r"a Run .* save\(\) .* open_store\(\)"):
                    call(run)
            for thing in (run.findings, run.plan, run.steps, run.query("SELECT 1 AS a")):
                self.assertEqual(pickle.loads(pickle.dumps(thing)), thing)

    def test_a_text_is_utf_8_in_any_locale(self):
        code = (
            "import sys, tracecoach\n"
            "rows = tracecoach.analyze(sys.argv[1]).query('SELECT \\'\\u00e4\\'')\n"
            "print(ascii(rows[0]))"
        )
        ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
        done = subprocess.run([sys.executable, "-c", code, EXAMPLE], capture_output=True, text=True, env=ascii_only, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "('\\xe4',)\n"), done.stderr)

    def test_wrong_inputs(self):
        for path, error, text in (
            (self.dir / "missing.json", tracecoach.FileError, "No such file"),
            (ROOT / "README.md", tracecoach.InputError, "no trace events"),
            ([], tracecoach.UsageError, "no trace"),
        ):
            with self.assertRaisesRegex(error, text):
                tracecoach.analyze(path)
        damaged = self.dir / "cut.json"
        damaged.write_bytes(EXAMPLE.read_bytes()[:200000])
        with tracecoach.analyze(damaged) as run:
            self.assertTrue(run.json["import"])
        with self.assertRaisesRegex(tracecoach.InputError, "strict was given"):
            tracecoach.analyze(damaged, strict=True)

    def test_paths_are_texts_bytes_or_objects(self):
        class Place:
            def __init__(self, path):
                self.path = path

            def __fspath__(self):
                return self.path

        for path in (str(EXAMPLE), os.fsencode(EXAMPLE), Path(EXAMPLE), Place(str(EXAMPLE)), Place(os.fsencode(EXAMPLE))):
            for paths in (path, [path]):
                with self.subTest(paths), tracecoach.analyze(paths) as run:
                    self.assertEqual((run.source, run.path), (str(EXAMPLE), None))

    def test_a_file_that_is_left_out_is_a_warning(self):
        (self.dir / "broken.json").write_text("{")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tracecoach.analyze([EXAMPLE, self.dir / "broken.json"]).close()
        self.assertTrue(any("broken.json" in str(w.message) for w in caught), caught)
        self.assertTrue(all(w.category is tracecoach.TracecoachWarning for w in caught))
        self.assertEqual(os.path.basename(caught[0].filename), os.path.basename(__file__))

    def test_a_closed_run_says_so(self):
        run = tracecoach.analyze(EXAMPLE)
        run.close()
        run.close()
        self.assertIn("closed", repr(run))
        with self.assertRaisesRegex(ValueError, "closed"):
            run.query("SELECT 1")

    def test_a_run_that_is_forgotten_is_freed(self):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            tracecoach.analyze(EXAMPLE)
        gc.collect()
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), before)

    def test_progress(self):
        heard = []
        tracecoach.analyze(EXAMPLE, progress=lambda *said: heard.append(said)).close()

        def broken(*_said):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            tracecoach.analyze(EXAMPLE, progress=broken)
        self.assertEqual(heard[-1][0], str(EXAMPLE))
        self.assertEqual(heard[-1][1], EXAMPLE.stat().st_size)

    def test_four_threads_work(self):
        said, errors = [None] * 4, []

        def work(number):
            try:
                with tracecoach.analyze(EXAMPLE) as run:
                    said[number] = (run.to_json(), list(run.query("SELECT id, name FROM slice")))
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertTrue(all(one == said[0] for one in said))

    def test_one_run_in_four_threads(self):
        with tracecoach.analyze(EXAMPLE) as run:
            said = []
            threads = [
                threading.Thread(target=lambda: said.append(run.query("SELECT sum(dur) FROM slice")[0]))
                for _ in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(set(said)), 1)
            self.assertEqual(len(said), 4)

    def test_a_run_is_closed_while_threads_ask(self):
        run, errors = tracecoach.analyze(EXAMPLE), []

        def ask():
            try:
                while True:
                    run.query("SELECT count(*) FROM slice")
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        run.close()
        for thread in threads:
            thread.join()
        self.assertEqual([str(error) for error in errors], ["the run is closed"] * 4)

    def test_two_threads_compare_both_ways(self):
        with tracecoach.analyze(EXAMPLE) as a, tracecoach.analyze(EXAMPLE) as b:
            threads = [
                threading.Thread(target=lambda one=one, other=other: [one.compare(other) for _ in range(5)], daemon=True)
                for one, other in ((a, b), (b, a))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(120)
            self.assertFalse(any(thread.is_alive() for thread in threads))

    def test_other_threads_go_on(self):
        """While the library works in one thread, another one gets the interpreter at once."""
        with tracecoach.analyze(EXAMPLE) as run:
            worst, ends = 0.0, threading.Event()

            def ask():
                run.query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000)"
                          " SELECT max(i) FROM n")  # fmt: skip
                ends.set()

            thread = threading.Thread(target=ask)
            start = time.monotonic()
            thread.start()
            count = 0
            while not ends.is_set():
                time.sleep(0.001)
                count += 1
            took = time.monotonic() - start
            thread.join()
            self.assertGreater(count, took / 0.05, f"{count} turns in {took} s: {worst}")

    def test_ctrl_c_stops_a_query_and_the_run_goes_on(self):
        with tracecoach.analyze(EXAMPLE) as run:
            timer = threading.Timer(0.2, _thread.interrupt_main)
            timer.start()
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                run.query(SLOW)
            self.assertLess(time.monotonic() - start, 20)
            self.assertEqual(run.query("SELECT 1")[0], (1,))

    def test_ctrl_c_at_any_moment(self):
        """Also while the thread that works is being started: what it works with is not freed below it."""
        for attempt in range(30):
            timer = threading.Timer(0.0007 * attempt, _thread.interrupt_main)
            try:
                timer.start()
                with tracecoach.analyze(EXAMPLE) as run:
                    run.query("SELECT count(*) FROM slice")
                while timer.is_alive():
                    timer.join(0.01)
                time.sleep(0.01)
            except KeyboardInterrupt:
                pass

    def test_ctrl_c_stops_an_import(self):
        trace = self.generated("--events", "300000")
        timer = threading.Timer(0.1, _thread.interrupt_main)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            tracecoach.analyze(trace, store=self.dir / "run.db")
        self.assertFalse((self.dir / "run.db").exists())


class Package(Case):
    """What holds of the package itself."""

    def test_the_import_loads_nothing(self):
        code = (
            "import sys, tracecoach; heavy = {'torch', 'pandas', 'numpy', 'pyarrow', 'transformers', 'lightning'};"
            "assert not heavy & set(sys.modules); import tracecoach._library as l; assert l._loaded is None"
        )
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_a_library_of_another_version_is_refused(self):
        with mock.patch.object(tracecoach._library._abi, "VERSION", "99.0.0"):
            with self.assertRaisesRegex(ImportError, "is version"):
                tracecoach._library._load()
        with mock.patch.dict(os.environ, {"TRACECOACH_LIBRARY": "/nowhere.so"}):
            with self.assertRaisesRegex(ImportError, "/nowhere.so"):
                tracecoach._library._load()

    def test_structs_are_those_of_the_library(self):
        """A struct of another size is refused by the library, for each kind of options."""
        from ctypes import byref, c_void_p

        abi, context = tracecoach._library._abi, tracecoach._library.Context()
        lib, out = context.lib, c_void_p()
        for size in (1, 7):
            options = abi.SettingsOptions(size=size)
            self.assertEqual(lib.tc_settings_new(byref(out), context.handle, byref(options)), abi.TC_ERR_USAGE)
        context.close()

    def test_the_example_of_the_readme_runs(self):
        page = (ROOT / "README.md").read_text()
        code = re.search(r"```python\n(import tracecoach\n.*?)```", page, re.DOTALL).group(1)
        with gzip.open(self.dir / "trace.json.gz", "wb") as out:
            out.write(EXAMPLE.read_bytes())
        done = subprocess.run([sys.executable, "-c", code], cwd=self.dir, capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\(dataloader-bound\): .* ms, .* %, measured\n    \w")

    def test_everything_public_has_a_docstring(self):
        for name in tracecoach.__all__:
            thing = getattr(tracecoach, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)
        for name, member in vars(tracecoach.Run).items():
            if not name.startswith("_"):
                self.assertTrue(member.__doc__, name)


if __name__ == "__main__":
    unittest.main()
