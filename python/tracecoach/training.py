"""In a training script: a handler for the profiler that prints the report when a trace is ready, a profiler
with the flags that the checks want, and callbacks for the trainers of Hugging Face and Lightning.

Nothing here raises into the training, and nothing is read or loaded before a trace is there: torch, trainers
and the library of tracecoach are imported where they are used."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import socket
import sys
import tempfile
import threading
import time
import zlib
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, TextIO, Tuple

if TYPE_CHECKING:
    from ._run import Run

SUFFIX = ".pt.trace.json"
# The job, the rank and the time of a trace; names of hosts may have dots.
_OF_RANK = re.compile(r"(?!\.).*_(job[0-9a-f]{8})_rank(\d+)\.(\d+" + re.escape(SUFFIX) + r"(?:\.gz)?)")
# How long rank 0 waits for the traces of the other ranks, which are written at about the same time.
PATIENCE_S = 120.0
TELL_AFTER_S = 5.0


def _rank() -> Tuple[int, int]:
    """The rank of this process and how many there are, as torch.distributed or the launcher says."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank()), int(distributed.get_world_size())
        return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    except (AttributeError, RuntimeError, ValueError):
        return 0, 1


def _job(count: int) -> str:
    """What is alike on all ranks of a job and differs from job to job, as far as the launcher says it: traces do not say
    of which job they are. The address of the master is left out: rank 0 may call it localhost."""
    said = [str(count), *(os.environ.get(name, "") for name in ("MASTER_PORT", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID"))]
    if os.environ.get("LOCAL_WORLD_SIZE") == str(count):
        said.append(socket.gethostname())
    return f"job{zlib.crc32(' '.join(said).encode()):08x}"


def _now_of(directory: str) -> float:
    """The time by the clock of the file system, which other machines may share."""
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        return os.stat(file.name).st_mtime


class _Cycles:
    """How many traces each rank of this process has written into a directory, and since when: a second profile there
    is the next cycle on all ranks, and does not take the traces of the first."""

    def __init__(self, since: float) -> None:
        self.since = since
        self.counts: Dict[int, int] = {}

    def begin(self, rank: int) -> int:
        self.counts[rank] = self.counts.get(rank, 0) + 1
        return self.counts[rank]


_cycles: Dict[str, _Cycles] = {}


def _ranks_there(directory: str, since: float, cycle: int, count: int, job: str) -> Dict[int, str]:
    """The trace of each of so many ranks of the job that was written there as the cycle-th since then."""
    found: Dict[int, List[Tuple[str, str]]] = {}
    for entry in os.scandir(directory):
        parts = _OF_RANK.fullmatch(entry.name)
        if not parts or parts[1] != job:
            continue
        rank, rest = int(parts[2]), parts[3]
        with contextlib.suppress(OSError):  # removed meanwhile, or a link to nothing
            if rank < count and entry.stat().st_mtime >= since - 1:
                found.setdefault(rank, []).append((rest, entry.path))
    return {rank: sorted(files)[cycle - 1][1] for rank, files in found.items() if len(files) >= cycle}


class Handler:
    """What handler() returns: call it with the profiler. ``runs`` are paths of traces and, where it was asked
    to keep them, Runs."""

    def __init__(self, directory: str, worker: Optional[str], gzip: bool, out: Optional[TextIO], options: Dict[str, Any]):
        self.directory, self.gzip, self.out, self.options = directory, gzip, out, options
        self.worker = worker
        self.cycles = _Cycles(0.0)
        self.is_called = False
        self.paths: List[str] = []
        self.last: Optional[str] = None
        """The report that was printed last"""
        self._thread: Optional[threading.Thread] = None
        with contextlib.suppress(OSError, ValueError):
            self.directory = os.path.abspath(directory)  # the training may change to another one
            os.makedirs(self.directory, exist_ok=True)
            self.cycles = _cycles.setdefault(self.directory, _Cycles(_now_of(self.directory)))

    def __call__(self, profiler: Any) -> None:
        try:
            self._take(profiler)
        except Exception as error:  # the training goes on, whatever happens here
            self._say(f"tracecoach: no report: {type(error).__name__}: {error}")

    def wait(self) -> None:
        """Until the report of all ranks is printed, where one is on its way."""
        if self._thread:
            self._thread.join()

    def _say(self, text: str) -> None:
        out = self.out or sys.stdout
        with contextlib.suppress(Exception):
            encoding = getattr(out, "encoding", None) or "utf-8"
            print(text.encode(encoding, "backslashreplace").decode(encoding), file=out, flush=True)

    def _take(self, profiler: Any) -> None:
        rank, count = _rank()
        worker = self.worker or f"{socket.gethostname()}_{os.getpid()}"
        if count > 1:
            worker += f"_{_job(count)}_rank{rank}"
        self.is_called = True
        cycle = self.cycles.begin(rank)
        os.makedirs(self.directory, exist_ok=True)
        name = f"{worker}.{time.time_ns()}{SUFFIX}{'.gz' if self.gzip else ''}"
        path = os.path.join(self.directory, name)
        # Hidden until it is whole: other ranks look for it, and so does who reads the directory.
        unfinished = os.path.join(self.directory, f".{name}")
        try:
            profiler.export_chrome_trace(unfinished)
            os.replace(unfinished, path)
        except BaseException:  # a part would keep a full disk full
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            raise
        self.paths.append(path)
        if count == 1:
            self._print([path], [])
        elif rank == 0:
            args = (path, count, self.cycles.since, cycle, _job(count))
            self._thread = threading.Thread(target=self._print_job, args=args, name="tracecoach-job")
            self._thread.start()

    def _print_job(self, own: str, count: int, since: float, cycle: int, job: str) -> None:
        """Waits for the traces of the other ranks, beside the training, and prints the report of the job."""
        try:
            begin = time.monotonic()
            there: Dict[int, str] = {}
            is_told = False
            while True:
                there = _ranks_there(self.directory, since, cycle, count, job)
                waited_s = time.monotonic() - begin
                if len(there) >= count or waited_s > PATIENCE_S:
                    break
                if waited_s > TELL_AFTER_S and not is_told:
                    is_told = True
                    self._say(
                        f"tracecoach: waits for traces of {count - len(there)} of {count} ranks, at most {PATIENCE_S:.0f} s"
                    )
                time.sleep(0.2)
            there[0] = own
            self._print([there[rank] for rank in sorted(there)], [r for r in range(count) if r not in there])
        except Exception as error:  # the training goes on, whatever happens here
            self._say(f"tracecoach: no report: {type(error).__name__}: {error}")

    def _print(self, paths: List[str], missing: List[int]) -> None:
        from ._run import analyze

        with analyze(paths, **self.options) as run:
            text = run.report("text", ascii=not _is_utf8(self.out or sys.stdout))
        if missing:
            names = ", ".join(str(rank) for rank in missing)
            text += f"\nNo trace of the ranks {names} appeared in {self.directory} within {PATIENCE_S:.0f} s.\n"
        self.last = text
        self._say(text)


def _is_utf8(stream: Any) -> bool:
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "") == "utf8"


def handler(
    directory: str, worker_name: Optional[str] = None, use_gzip: bool = False, *, out: Optional[TextIO] = None, **options: Any
) -> Handler:
    """For ``torch.profiler.profile(on_trace_ready=...)``, in place of ``tensorboard_trace_handler``: writes the
    trace into the directory under a name that TensorBoard knows, and prints the report.

    Where several ranks write into one directory, rank 0 waits for their traces, on a thread of its own, and prints
    the report of the job; the others print nothing. Whatever goes wrong is a line, and never raises into the
    training. Options are those of analyze(); one that it does not have is told at once, and left out; of a
    threshold, heuristic or rule that is not there it says at once that there will be no report."""
    from ._run import analyze, check_settings

    known = [name for name, each in inspect.signature(analyze).parameters.items() if each.kind is each.KEYWORD_ONLY]
    made = Handler(os.fsdecode(directory), worker_name, use_gzip, out, {k: v for k, v in options.items() if k in known})
    unknown = ", ".join(sorted(set(options) - set(known)))
    if unknown:
        made._say(f"tracecoach: analyze() has no option {unknown}: the report is made without")
    if made.options:
        try:
            made.options.update(check_settings(**made.options))
        except Exception as error:  # the training goes on, whatever happens here
            made._say(f"tracecoach: there will be no report: {type(error).__name__}: {error}")
    return made


class Profile:
    """What ``with profile() as p`` gives: call ``p.step()`` at the end of each step."""

    def __init__(self, handler: Handler, make: Callable[[], Any], least: int) -> None:
        self.handler, self.least, self.count = handler, least, 0
        self.profiler: Any = None
        """That of torch; None where it could not be started, or failed"""
        with self._guard("no profiler"):
            profiler = make()
            profiler.start()
            self.profiler = profiler

    @contextlib.contextmanager
    def _guard(self, what: str) -> Iterator[None]:
        """The training goes on, whatever the profiler does."""
        try:
            yield
        except Exception as error:
            self.profiler = None
            self.handler._say(f"tracecoach: {what}: {type(error).__name__}: {error}")

    def step(self) -> None:
        """Says that a step of the training has ended."""
        self.count += 1
        if self.profiler:
            with self._guard("no trace"):
                self.profiler.step()

    def stop(self) -> None:
        """Ends the recording. Nothing was recorded where there were too few steps, which is said."""
        if not self.profiler:
            return
        with self._guard("no trace"):
            self.profiler.stop()
            if not self.handler.is_called:
                self.handler._say(
                    f"tracecoach: no trace: step() was called {self.count} times, and the recording begins after "
                    f"{self.least}: call it at the end of each step, or set wait and warmup to fewer"
                )

    @property
    def report(self) -> Optional[str]:
        """The report, once it is there."""
        return self.handler.last

    def run(self, **options: Any) -> Run:
        """The traces that this process wrote, as analyze() reads them. Options are those of analyze()."""
        from ._run import analyze

        return analyze(self.handler.paths, **options)


def _profiler(steps: int, wait: int, warmup: int, ready: Handler, **flags: Any) -> Any:
    from torch.profiler import profile as torch_profile
    from torch.profiler import schedule

    given: Dict[str, Any] = dict(record_shapes=True, profile_memory=False, with_stack=False, with_flops=False)
    given.update(flags)
    # repeat=1: without it the profiler starts again and again, for ever.
    return torch_profile(
        schedule=schedule(wait=wait, warmup=warmup, active=steps, repeat=1), on_trace_ready=ready, **given
    )


@contextlib.contextmanager
def profile(
    steps: int = 5, directory: str = "traces", *, wait: int = 1, warmup: int = 1, out: Optional[TextIO] = None, **flags: Any
) -> Iterator[Profile]:
    """Records steps of a training and prints the report::

        with tracecoach.profile(steps=5) as p:
            for batch in loader:
                train(batch)
                p.step()

    After ``wait`` and ``warmup`` steps, ``steps`` of them are recorded, once. Flags are those of
    torch.profiler.profile; docs/guide/recording.md has what each is for and costs. record_shapes is on: without it
    the checks of shapes (matmul-dims, below-roof, what operators achieve) have nothing to look at. Off, and worth a
    second recording: profile_memory (allocator events: the checks of memory) and with_stack (every call of a Python
    function is slower, so that gaps on the host are no longer those of the program).

    RuntimeError and the like of the training pass through; a fault of the profiler or of tracecoach is a line, and the
    training goes on without a profiler."""
    ready = handler(directory, out=out)
    recording = Profile(ready, lambda: _profiler(steps, wait, warmup, ready, **flags), wait + warmup)
    try:
        yield recording
    finally:
        recording.stop()


class _Recording:
    """The life of a profiler in the callback of a trainer."""

    def __init__(self, steps: int, directory: str, flags: Dict[str, Any]) -> None:
        self.make: Callable[[], Any] = lambda: profile(steps, directory, **flags)
        self.context: Any = None
        self.profile: Optional[Profile] = None

    def start(self) -> None:
        self.context = self.make()
        self.profile = self.context.__enter__()

    def step(self) -> None:
        if self.profile:
            self.profile.step()

    def stop(self) -> None:
        if self.context:
            self.context.__exit__(None, None, None)
            self.context = None


def _callback(base: Any, recording: _Recording, start: str, step: str, *stops: str) -> Any:
    """A callback of a trainer, whose events of these names start the recording, count a step, and stop it."""

    def does(call: Callable[[], None]) -> Callable[..., None]:
        return lambda *_args, **_more: call()

    stop = dict.fromkeys(stops, does(recording.stop))
    return type("TracecoachCallback", (base,), {start: does(recording.start), step: does(recording.step), **stop})()


def trainer_callback(steps: int = 5, directory: str = "traces", **flags: Any) -> Any:
    """A callback for the Trainer of Hugging Face: ``Trainer(..., callbacks=[tracecoach.trainer_callback()])``.
    Flags are those of profile(). ImportError without transformers."""
    from transformers import TrainerCallback

    recording = _Recording(steps, directory, flags)
    return _callback(TrainerCallback, recording, "on_train_begin", "on_step_end", "on_train_end")


def lightning_callback(steps: int = 5, directory: str = "traces", **flags: Any) -> Any:
    """A callback for the Trainer of Lightning: ``Trainer(..., callbacks=[tracecoach.lightning_callback()])``.
    Flags are those of profile(). ImportError without lightning or pytorch_lightning."""
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback

    recording = _Recording(steps, directory, flags)
    return _callback(Callback, recording, "on_train_start", "on_train_batch_end", "on_train_end", "on_exception")
