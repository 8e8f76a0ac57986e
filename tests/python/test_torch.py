"""The handler and profile() with a real training: PyTorch on the CPU, a DataLoader, and its profiler. Skipped where
torch is not installed (python3-torch in Debian)."""

import io
import os
import subprocess
import sys
import time
import unittest

import tracecoach
from common import Case

try:
    import torch
except ImportError:
    torch = None

RANK = """
import os, sys, torch, tracecoach
torch.distributed.init_process_group("gloo")
with tracecoach.profile(2, sys.argv[1]) as p:
    for _ in range(5):
        value = torch.ones(64, 64) @ torch.ones(64, 64)
        torch.distributed.all_reduce(value)
        p.step()
p.handler.wait()
"""


def slow_items(count, seconds):
    """A data set whose items take a while, so that the loader holds up the training."""

    class Items(torch.utils.data.Dataset):
        def __len__(self):
            return count

        def __getitem__(self, index):
            time.sleep(seconds)
            return torch.full((32,), float(index)), torch.tensor(index % 2)

    return Items()


@unittest.skipUnless(torch, "no torch")
class TestTorch(Case):
    def train(self, step, batches=10):
        model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = torch.utils.data.DataLoader(slow_items(4 * batches, 0.002), batch_size=4)
        for features, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(features), labels).backward()
            optimizer.step()
            step()

    def test_profile_in_a_training_loop(self):
        out = io.StringIO()
        with tracecoach.profile(4, self.dir / "traces", out=out) as p:
            self.train(p.step)
        self.assertEqual(len(p.handler.paths), 1, out.getvalue())
        with p.run() as run:
            steps = [step.number for step in run.steps]
            self.assertGreaterEqual(len(steps), 4)
            loader = run.query("SELECT count(*), sum(dur) FROM slice WHERE role = 'dataloader'")[0]
            self.assertGreaterEqual(loader[0], 4)
            # Eight items of 2 ms a step cannot take less.
            self.assertGreater(loader[1], 4 * 4 * 2_000_000)
            self.assertIn("cpu-only-run", [finding.id for finding in run.findings])
        self.assertIn(".pt.trace.json", out.getvalue())

    def test_handler_with_the_profiler_of_the_user(self):
        out = io.StringIO()
        take = tracecoach.handler(self.dir / "traces", use_gzip=True, out=out)
        schedule = torch.profiler.schedule(wait=0, warmup=1, active=2, repeat=2)
        with torch.profiler.profile(schedule=schedule, on_trace_ready=take) as profiler:
            self.train(profiler.step)
        names = sorted(os.listdir(self.dir / "traces"))
        self.assertEqual(len(names), 2, out.getvalue())
        self.assertTrue(all(name.endswith(".pt.trace.json.gz") for name in names))
        self.assertEqual(out.getvalue().count(".pt.trace.json.gz\n"), 2)
        for name in names:
            tracecoach.analyze(self.dir / "traces" / name).close()

    def test_a_job_of_two_ranks(self):
        if not torch.distributed.is_available():
            self.skipTest("torch without distributed")
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", RANK, str(self.dir / "traces")],
                env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": str(rank),
                     "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511"},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            ) for rank in (0, 1)
        ]  # fmt: skip
        said = [process.communicate(timeout=300)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0], said)
        self.assertIn("_rank0.", said[0])
        self.assertNotIn("No trace of the ranks", said[0])
        self.assertEqual(len(os.listdir(self.dir / "traces")), 2)
        self.assertNotIn("Fix", said[1])


if __name__ == "__main__":
    unittest.main()
