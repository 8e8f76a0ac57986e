"""The handler in a training script, with a profiler that is made up: it prints the report, and never raises into the
training. test_torch.py has a real one."""

import inspect
import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

import tracecoach
from common import EXAMPLE, Case
from tracecoach import training


class FakeProfiler:
    """Exports a file that is there."""

    def __init__(self, trace=EXAMPLE):
        self.trace = trace

    def export_chrome_trace(self, path):
        shutil.copyfile(self.trace, path)


class TestHandler(Case):
    def test_hosts_of_ranks_may_have_dots(self):
        names = ("node1.cluster.local_1_job01234567_rank0.17.pt.trace.json", "node2_9_job01234567_rank1.18.pt.trace.json.gz",
                 ".node3_9_job01234567_rank2.19.pt.trace.json", "node4_9.20.pt.trace.json",
                 "other_9_job01234567_rank5.21.pt.trace.json", "node5_9_job89abcdef_rank2.16.pt.trace.json")  # fmt: skip
        with tempfile.TemporaryDirectory() as directory:
            for name in names:
                open(os.path.join(directory, name), "w").close()
            os.symlink("nothing", os.path.join(directory, "node1_1_job01234567_rank1.1.pt.trace.json"))
            there = training._ranks_there(directory, 0.0, 1, 3, "job01234567")
        self.assertEqual({rank: os.path.basename(path) for rank, path in there.items()}, {0: names[0], 1: names[1]})

    def test_writes_the_trace_and_prints_the_report(self):
        out = io.StringIO()
        take = tracecoach.handler(self.dir / "traces", out=out)
        take(FakeProfiler())
        (trace,) = os.listdir(self.dir / "traces")
        self.assertRegex(trace, r"^[^.]*_\d+\.\d+\.pt\.trace\.json$")
        self.assertIn("The device waits for the data", out.getvalue())

    def test_a_training_may_change_its_directory(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        out = io.StringIO()
        take = tracecoach.handler("traces", out=out)
        os.chdir("/")
        take(FakeProfiler())
        self.assertEqual([os.path.dirname(path) for path in take.paths], [str(self.dir / "traces")])
        self.assertIn("details=True shows all", out.getvalue())

    def test_names_workers(self):
        take = tracecoach.handler(self.dir, "me", out=io.StringIO())
        take(FakeProfiler())
        self.assertRegex(os.listdir(self.dir)[0], r"^me\.\d+\.pt\.trace\.json$")

    def test_never_raises(self):
        def broken(path):
            raise OSError("disk full")

        for profiler, options in (
            (types.SimpleNamespace(export_chrome_trace=broken), {}),
            (object(), {}),
            (FakeProfiler(__file__), {}),
        ):
            out = io.StringIO()
            tracecoach.handler(self.dir / "traces", out=out, **options)(profiler)
            self.assertRegex(out.getvalue(), r"^tracecoach: no report: \w+: .+\n$")

        def cut(path):
            with open(path, "w") as part:
                part.write("[")
            raise OSError("disk full")

        tracecoach.handler(self.dir / "cut", out=io.StringIO())(types.SimpleNamespace(export_chrome_trace=cut))
        self.assertEqual(os.listdir(self.dir / "cut"), [])

        out = io.StringIO()
        take = tracecoach.handler(self.dir / "traces", out=out, onyl="host-bound")
        self.assertEqual(out.getvalue(), "tracecoach: analyze() has no option onyl: the report is made without\n")
        take(FakeProfiler())
        self.assertIn("The device waits for the data", out.getvalue())

        out = io.StringIO()
        tracecoach.handler(self.dir / "traces", out=out, paths="other")
        self.assertIn("no option paths", out.getvalue())
        for options in ({"only": "nothing-of-that-name"}, {"settings": {"host-bound.none": 1}}, {"rules": "/nowhere"}):
            out = io.StringIO()
            take = tracecoach.handler(self.dir / "traces", out=out, **options)
            self.assertRegex(out.getvalue(), "^tracecoach: there will be no report: [A-Z][A-Za-z]+Error: .+\n$")
            take(FakeProfiler())
            self.assertIn("tracecoach: no report: ", out.getvalue())

        out = io.StringIO()
        take = tracecoach.handler(self.dir / "traces", out=out, only=(each for each in ["device-sync"]))
        for _ in range(2):
            take(FakeProfiler())
        self.assertNotIn("waits for the data", out.getvalue())

        ascii_out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        tracecoach.handler(self.dir / "tr\u00e4ces\0", out=ascii_out)(FakeProfiler())
        ascii_out.seek(0)
        self.assertRegex(ascii_out.read(), r"^tracecoach: no report: ")

        class Closed(io.StringIO):
            def write(self, text):
                raise BrokenPipeError

        tracecoach.handler(self.dir / "traces", out=Closed())(FakeProfiler())
        file = self.dir / "file"
        file.write_text("")
        tracecoach.handler(file / "below", out=io.StringIO())(FakeProfiler())

    def test_rank_0_prints_the_job(self):
        traces = [
            self.generated("--format", "cuda", "--world-size", "2", "--rank", str(rank), "--problem", "dataloader",
                           name=f"made{rank}.json") for rank in (0, 1)
        ]  # fmt: skip
        outs, handlers = [io.StringIO(), io.StringIO()], []
        for rank in (0, 1):
            with mock.patch.object(training, "_rank", lambda rank=rank: (rank, 2)):
                handlers.append(tracecoach.handler(self.dir / "traces", out=outs[rank]))
                handlers[rank](FakeProfiler(traces[rank]))
        handlers[0].wait()
        self.assertIn("2 ranks", outs[0].getvalue())
        self.assertNotIn("No trace of the ranks", outs[0].getvalue())
        self.assertEqual(outs[1].getvalue(), "")

    def test_two_jobs_at_one_time_are_two_reports(self):
        """Of the same ranks, hosts and directory: the launcher's port tells them apart."""
        outs, handlers = {}, {}
        for rank in (1, 0):
            for port, problem in (("29500", "dataloader"), ("29501", "host-bound")):
                trace = self.generated("--format", "cuda", "--world-size", "2", "--rank", str(rank), "--problem", problem)
                with mock.patch.object(training, "_rank", lambda rank=rank: (rank, 2)), mock.patch.dict(
                    os.environ, MASTER_PORT=port
                ):
                    out = outs[port, rank] = io.StringIO()
                    take = handlers[port, rank] = tracecoach.handler(self.dir / "traces", out=out)
                    take.cycles = training._Cycles(0.0)  # each is a process of its own
                    take(FakeProfiler(trace))
        for port in ("29500", "29501"):
            take = handlers[port, 0]
            take.wait()
            self.assertIn("2 ranks", outs[port, 0].getvalue())
            with tracecoach.analyze([*take.paths, *handlers[port, 1].paths]) as run:
                self.assertEqual(take.last.split("Ranks\n")[0], run.report().split("Ranks\n")[0])

    def test_a_trace_that_is_half_written_is_hidden(self):
        class Slow(FakeProfiler):
            def export_chrome_trace(self, path):
                super().export_chrome_trace(path)
                with tracecoach.analyze(os.path.dirname(path)) as run:
                    names.extend(row["path"] for row in run.json["traces"])

        names = []
        shutil.copyfile(EXAMPLE, self.dir / "other.json")
        tracecoach.handler(self.dir, out=io.StringIO())(Slow())
        self.assertEqual(names, [str(self.dir / "other.json")])

    def test_a_second_profile_takes_the_second_traces(self):
        taken = []
        with mock.patch.object(training, "_rank", lambda: (0, 2)), mock.patch.object(
            training.Handler, "_print", lambda _self, paths, _missing: taken.append(paths[1:])
        ):
            others = [self.dir / f"host_1_{training._job(2)}_rank1.{number}.pt.trace.json" for number in (1, 2)]
            for other in others:
                take = tracecoach.handler(self.dir, out=io.StringIO())
                other.write_text("")
                take(FakeProfiler())
                take.wait()
        self.assertEqual(taken, [[str(other)] for other in others])

    def test_a_rank_that_never_comes_is_named(self):
        out = io.StringIO()
        with mock.patch.object(training, "_rank", lambda: (0, 3)), mock.patch.object(training, "PATIENCE_S", 0.1):
            take = tracecoach.handler(self.dir / "traces", out=out)
            take(FakeProfiler())
            take.wait()
        self.assertIn("No trace of the ranks 1, 2 appeared", out.getvalue())
        self.assertIn("The device waits for the data", out.getvalue())

    def test_ranks_of_an_earlier_run_are_not_taken(self):
        old = self.dir / f"host_1_{training._job(2)}_rank1.1.pt.trace.json"
        old.write_text("old")
        os.utime(old, (1, 1))
        out = io.StringIO()
        with mock.patch.object(training, "_rank", lambda: (0, 2)), mock.patch.object(training, "PATIENCE_S", 0.1):
            take = tracecoach.handler(self.dir, out=out)
            take(FakeProfiler())
            take.wait()
        self.assertIn("No trace of the ranks 1 appeared", out.getvalue())

    def test_ranks_are_those_of_the_launcher(self):
        with mock.patch.dict(os.environ, {"RANK": "3", "WORLD_SIZE": "8"}), mock.patch.dict(sys.modules, {"torch": None}):
            self.assertEqual(training._rank(), (3, 8))
        with mock.patch.dict(os.environ, {"RANK": "x"}), mock.patch.dict(sys.modules, {"torch": None}):
            self.assertEqual(training._rank(), (0, 1))


class FakeTorch:
    """Stands for torch.profiler: records what it is given."""

    def __init__(self, fails=()):
        self.calls, self.fails = [], fails
        self.modules = {"torch": types.ModuleType("torch"), "torch.profiler": types.ModuleType("torch.profiler")}
        self.modules["torch.profiler"].profile = self._profile
        self.modules["torch.profiler"].schedule = lambda **given: given

    def _profile(self, **given):
        self.given = given
        return types.SimpleNamespace(
            start=lambda: self._call("start"), step=lambda: self._call("step"), stop=lambda: self._stop()
        )

    def _call(self, name):
        self.calls.append(name)
        if name in self.fails:
            raise RuntimeError(f"{name} fails")

    def _stop(self):
        self._call("stop")
        self.given["on_trace_ready"](FakeProfiler())


class TestProfile(Case):
    def record(self, torch, out, body=lambda p: p.step()):
        with mock.patch.dict(sys.modules, torch.modules):
            with tracecoach.profile(3, self.dir / "traces", out=out) as p:
                body(p)
        return p

    def test_records_once_with_the_flags_that_checks_want(self):
        torch, out = FakeTorch(), io.StringIO()
        p = self.record(torch, out)
        self.assertEqual(torch.calls, ["start", "step", "stop"])
        self.assertEqual(torch.given["schedule"], dict(wait=1, warmup=1, active=3, repeat=1))
        self.assertTrue(torch.given["record_shapes"])
        self.assertIn("waits for the data", p.report)
        with p.run() as run:
            self.assertEqual(len(run.steps), 3)

    def test_faults_of_the_profiler_do_not_reach_the_training(self):
        for fails in ("start", "step", "stop"):
            out = io.StringIO()
            self.record(FakeTorch(fails), out)
            self.assertRegex(out.getvalue(), "^tracecoach: no (profiler|trace): ")
        out = io.StringIO()
        with mock.patch.dict(sys.modules, {"torch": None, "torch.profiler": None}):
            with tracecoach.profile(directory=self.dir, out=out) as p:
                p.step()
        self.assertIn("no profiler", out.getvalue())

    def test_a_loop_that_is_too_short_is_told(self):
        torch, out = FakeTorch(), io.StringIO()
        torch._stop = lambda: None  # the handler is not called: nothing was recorded
        self.record(torch, out)
        self.assertIn("no trace: step() was called 1 times, and the recording begins after 2", out.getvalue())

    def test_faults_of_the_training_pass(self):
        torch = FakeTorch()

        def body(p):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            self.record(torch, io.StringIO(), body)
        self.assertEqual(torch.calls[-1], "stop")


class TestCallbacks(Case):
    def run_callback(self, callback, names):
        for name in names:
            getattr(callback, name)("args", "state", control=None)

    def test_trainer_of_hugging_face(self):
        torch, module = FakeTorch(), types.ModuleType("transformers")
        module.TrainerCallback = object
        with mock.patch.dict(sys.modules, {**torch.modules, "transformers": module}):
            callback = tracecoach.trainer_callback(2, self.dir / "traces", out=io.StringIO())
            self.run_callback(callback, ["on_train_begin", "on_step_end", "on_step_end", "on_train_end"])
        self.assertEqual(torch.calls, ["start", "step", "step", "stop"])
        self.assertEqual(len(os.listdir(self.dir / "traces")), 1)

    def test_trainer_of_lightning(self):
        for name in ("lightning.pytorch", "pytorch_lightning"):
            torch, module = FakeTorch(), types.ModuleType(name)
            module.Callback = object
            modules = {**torch.modules, "lightning": None, "lightning.pytorch": None, name: module}
            if name.startswith("lightning."):
                modules["lightning"] = types.ModuleType("lightning")
            with mock.patch.dict(sys.modules, modules):
                callback = tracecoach.lightning_callback(2, self.dir / name, out=io.StringIO())
                self.run_callback(callback, ["on_train_start", "on_train_batch_end", "on_exception", "on_train_end"])
            self.assertEqual(torch.calls, ["start", "step", "stop"])
            self.assertLessEqual(len(inspect.getsource(tracecoach.lightning_callback).splitlines()), 20)

    def test_without_the_trainer(self):
        with mock.patch.dict(sys.modules, {"transformers": None, "lightning": None, "pytorch_lightning": None}):
            with self.assertRaises(ImportError):
                tracecoach.trainer_callback()
            with self.assertRaises(ImportError):
                tracecoach.lightning_callback()


if __name__ == "__main__":
    unittest.main()
