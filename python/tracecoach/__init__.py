"""Ranked advice from profiler traces of deep-learning runs.

    import tracecoach

    run = tracecoach.analyze("trace.json.gz")
    print(run)                            # the verdict and what to fix first
    run.findings[0].gain_ns, run.steps, run.query("SELECT name, dur FROM slice").df()
    run.whatif([1])                       # a step without the first defect

In a training script:

    torch.profiler.profile(..., on_trace_ready=tracecoach.handler("traces"))

Everything is done by the library of tracecoach, in C: this package is a thin layer over it. Times are
integer nanoseconds. Calls let other threads run; one Run may be used by several threads, which then wait
for each other.
"""

from ._abi import VERSION as __version__
from ._library import (
    Error,
    FileError,
    InputError,
    LimitError,
    StoreError,
    TracecoachWarning,
    UsageError,
)
from ._run import (
    Comparison,
    Finding,
    Heuristic,
    PlanStep,
    Rows,
    Run,
    Step,
    Threshold,
    WhatIf,
    analyze,
    heuristics,
    open_store,
)
from .training import handler, lightning_callback, profile, trainer_callback

__all__ = [
    "Comparison",
    "Error",
    "FileError",
    "Finding",
    "Heuristic",
    "InputError",
    "LimitError",
    "PlanStep",
    "Rows",
    "Run",
    "Step",
    "StoreError",
    "Threshold",
    "TracecoachWarning",
    "UsageError",
    "WhatIf",
    "__version__",
    "analyze",
    "handler",
    "heuristics",
    "lightning_callback",
    "open_store",
    "profile",
    "trainer_callback",
]
