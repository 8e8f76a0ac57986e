"""A run: traces or a store, with the advice on them. Numbers and words are the library's: what a report
says in JSON (docs/report.schema.json) becomes dataclasses here, and nothing is computed."""

from __future__ import annotations

import atexit
import ctypes
import html as html_module
import importlib
import itertools
import json
import os
import sqlite3
import tempfile
import threading
import weakref
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Set, Tuple, Union, overload

from . import _abi
from ._library import Context, UsageError, encoded, encoded_path, strings

if TYPE_CHECKING:
    import pandas
    import pyarrow

# Of struct tc_report_options, those that report() takes.
_REPORT_OPTIONS = frozenset(("top", "step", "rank", "details", "width", "ascii", "color", "explain", "sql", "summary"))

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Paths = Union[PathLike, Iterable[PathLike]]
Value = Union[None, int, float, str, bytes]
Json = Dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """What a heuristic found in a trace.

    Gains are wall time of the trace in ns that the replay of the run wins without the defect; None where
    nobody can tell, and for a note on the recording itself (``kind`` "quality")."""

    id: str
    title: str
    kind: str
    severity: str
    """high, medium, low or info"""
    confidence: str
    """measured, inferred or guessed: that of the weakest row of evidence"""
    gain_ns: Optional[int]
    gain_low_ns: Optional[int]
    """The gain if what the replay does not know turns out badly; None where it is not told."""
    gain_high_ns: Optional[int]
    gain_pct: float
    """gain_ns as a part of the wall time"""
    advice: str
    why: str
    evidence: Tuple[Mapping[str, Any], ...] = field(hash=False)
    """Rows: subject, gain_ns, count, confidence, and data, the columns of the query"""
    example: Optional[str]
    """Code that shows how to mend it, for the device and the kind of run of the trace; None where there is none"""
    trace_id: int
    doc: str
    """The page of the heuristic below docs/, or the file of a rule of yours"""
    sql: str = field(repr=False)
    """The query that returns the evidence, for Run.query()"""

    def __str__(self) -> str:
        gain = "" if self.gain_ns is None else f": {_ms(self.gain_ns)}, {self.gain_pct:.0f} %, {self.confidence}"
        return f"{self.title} ({self.id}){gain}"


@dataclass(frozen=True)
class PlanStep:
    """A fix of the plan: what all fixes up to it win together, and what it takes off a step itself."""

    fix: str
    gain_ns: int
    step_before_ns: Optional[int]
    step_after_ns: Optional[int]
    trace_id: int
    limit: Optional[str]
    """What the critical path spends most time on after the last fix, such as "device mme"."""
    alone_ns: int = 0
    """What it takes off a steady step alone; of the steady run where there are no steps"""
    added_ns: int = 0
    """What it takes off beside the fixes before it"""


@dataclass(frozen=True)
class Step:
    """A training step; times in ns on the host's clock. dur_ns is -1 for one that did not end."""

    number: int
    name: str
    ts_ns: int
    dur_ns: int
    device_dur_ns: Optional[int]
    is_warm_up: bool
    trace_id: int


@dataclass(frozen=True)
class WhatIf:
    """How long a run takes with changes: the first trace, or the first job, of which trace_id is the rank that sets the
    pace. Where the others wait for it, the steps are those of the median of these. json has each rank by itself."""

    trace_id: int
    step_before_ns: int
    """A steady step, or the steady run of a trace without steps"""
    step_after_ns: Optional[int]
    """The same with the changes; None where that is not known"""
    gain_ns: Optional[int]
    """Wall time won of the steady run, by the trace or by its job; None where that is not known"""
    text: str = field(repr=False)
    json: Json = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Comparison:
    """Two runs, before and after a change."""

    outcome: str
    """same, within (what steps vary by), faster, slower, unlike, other_work or damaged"""
    difference_pct: float
    """Of the time before; positive where the second is slower"""
    unlike: Optional[str]
    """Why the runs cannot be compared"""
    text: str = field(repr=False)
    json: Json = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Threshold:
    """A number that decides, and its bounds: ``analyze(..., settings={"ID.NAME": value})`` sets it."""

    name: str
    unit: str
    """ns, pct, count, ratio or bytes"""
    default: float
    min: float
    max: float
    help: str
    """What it decides, and where the default comes from"""


@dataclass(frozen=True)
class Heuristic:
    """What is looked for in a trace. Of those with edits, ``advice.min_gain_pct`` is one more threshold."""

    id: str
    title: str
    kind: str
    """fix, or quality for a note on the recording itself"""
    advice: str
    why: str
    thresholds: Tuple[Threshold, ...]
    needs: Tuple[str, ...]
    """What the trace must have, rows of the view capability"""
    edits: Tuple[str, ...]
    """The changes that remove the defect, as whatif() takes them; the gain is that of a replay with these"""
    source: str
    """Where the technique and the thresholds come from"""
    file: Optional[str]
    """Of a rule of yours"""
    sql: str = field(repr=False)
    page: Optional[str] = field(repr=False)
    """Its page in Markdown; None for a rule of yours"""

    def __str__(self) -> str:
        return f"{self.title} ({self.id})"


Fix = Union[int, str, Finding, PlanStep]


def _named(fix: Fix) -> str:
    """What the library takes: an id, or a number of the report."""
    return fix.id if isinstance(fix, Finding) else fix.fix if isinstance(fix, PlanStep) else str(fix)


def _needed(name: str, caller: str) -> Any:
    """A package that only some callers need. ImportError, with what to do, where it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"{caller} needs {name}: pip install {name}", name=name) from None


class Rows(Sequence[Tuple[Value, ...]]):
    """The rows of a query: tuples with int, float, str, bytes or None. Several columns may have one name."""

    def __init__(self, columns: Sequence[str], data: Sequence[List[Value]]) -> None:
        self.columns = tuple(columns)
        self._data = data

    def __len__(self) -> int:
        return len(self._data[0]) if self._data else 0

    @overload
    def __getitem__(self, index: int) -> Tuple[Value, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> List[Tuple[Value, ...]]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Tuple[Value, ...], List[Tuple[Value, ...]]]:
        if isinstance(index, slice):
            return list(zip(*(column[index] for column in self._data)))
        return tuple(column[index] for column in self._data)

    def __iter__(self) -> Any:
        return iter(zip(*self._data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (list, Rows)) and list(self) == list(other)

    def column(self, name: str) -> List[Value]:
        """The values of the first column of that name. KeyError where there is none."""
        if name not in self.columns:
            raise KeyError(name)
        return self._data[self.columns.index(name)]

    def dicts(self) -> List[Dict[str, Value]]:
        """The rows by the names of their columns; of several columns with one name the last counts."""
        return [dict(zip(self.columns, row)) for row in self]

    def df(self) -> pandas.DataFrame:
        """The rows as a DataFrame; columns of whole numbers with gaps are Int64, those without any value object,
        as pandas.read_sql() makes them. ImportError without pandas."""
        pandas = _needed("pandas", "df()")
        frame = pandas.DataFrame(dict(enumerate(self._data)), dtype=None if len(self) else object)
        for place, values in enumerate(self._data):
            if {type(value) for value in values} == {int, type(None)}:
                frame[place] = pandas.array(values, dtype="Int64")
        frame.columns = pandas.Index(self.columns)
        return frame

    def arrow(self) -> pyarrow.Table:
        """The rows as a table of Arrow. ImportError without pyarrow."""
        pyarrow = _needed("pyarrow", "arrow()")
        return pyarrow.table([pyarrow.array(values) for values in self._data], names=list(self.columns))

    def __repr__(self) -> str:
        return f"<tracecoach.Rows: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        def line(cells: Iterable[object], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html_module.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

        most = 30
        more = f"<p>and {len(self) - most} more</p>" if len(self) > most else ""
        return "<table>" + line(self.columns, "th") + "".join(line(row, "td") for row in self[:most]) + "</table>" + more


class _Batches:
    """Takes the rows of a query a batch at a time, column by column: a column of numbers is then one copy."""

    WORDS = sizeof(_abi.Value) // 8

    def __init__(self, context: Context) -> None:
        self.context = context
        self.names: List[str] = []
        self.data: List[List[Value]] = []

    def take(self, _user: object, batch: int) -> int:
        try:
            self._add(_abi.RowBatch.from_address(batch))
        except BaseException as error:
            self.context.stop(error)
            return -1
        return 0

    def _add(self, batch: Any) -> None:
        count = batch.column_count
        if not self.names and count:
            pointers = ctypes.cast(batch.names, ctypes.POINTER(ctypes.c_char_p))
            self.names = [pointers[i].decode(errors="replace") for i in range(count)]
            self.data = [[] for _ in self.names]
        if not batch.row_count:
            return
        raw = (ctypes.c_char * (batch.row_count * count * sizeof(_abi.Value))).from_address(batch.values)
        view = memoryview(raw).cast("B")
        whole, real, kinds = view.cast("q"), view.cast("d"), view.cast("i")
        stride = count * self.WORDS
        text = ctypes.string_at(batch.bytes, batch.byte_count) if batch.byte_count else b""
        for i in range(count):
            at = i * self.WORDS
            self.data[i] += self._column(
                kinds[2 * at :: 2 * stride].tolist(),
                whole[at + 1 :: stride],
                real[at + 1 :: stride],
                whole[at + 2 :: stride],
                text,
                batch.bytes or 0,
            )

    @staticmethod
    def _column(kinds: List[int], whole: Any, real: Any, lengths: Any, text: bytes, base: int) -> List[Value]:
        found = set(kinds)
        if found == {_abi.TC_VALUE_INTEGER}:
            return list(whole.tolist())
        if found == {_abi.TC_VALUE_REAL}:
            return list(real.tolist())
        values: List[Value] = []
        for kind, number, fraction, length in zip(kinds, whole.tolist(), real.tolist(), lengths.tolist()):
            if kind == _abi.TC_VALUE_TEXT:
                values.append(text[number - base : number - base + length].decode(errors="replace"))
            elif kind == _abi.TC_VALUE_INTEGER:
                values.append(number)
            elif kind == _abi.TC_VALUE_REAL:
                values.append(fraction)
            elif kind == _abi.TC_VALUE_BLOB:
                values.append(text[number - base : number - base + length])
            else:
                values.append(None)
        return values


def _bound(value: Any, name: Optional[str], alive: List[Any]) -> Any:
    param = _abi.QueryParam()
    if name is not None:
        param.name = encoded(name if name[:1] in (":", "@", "$") else ":" + name)
    if value is None:
        param.value.kind = _abi.TC_VALUE_NULL
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"SQLite has integers of 64 bits, and this is {value}")
        param.value.kind, param.value.integer = _abi.TC_VALUE_INTEGER, int(value)
    elif isinstance(value, float):
        param.value.kind, param.value.real = _abi.TC_VALUE_REAL, value
    elif isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        alive.append(ctypes.create_string_buffer(data, len(data) or 1))
        param.value.kind = _abi.TC_VALUE_TEXT if isinstance(value, str) else _abi.TC_VALUE_BLOB
        param.value.bytes, param.value.len = ctypes.addressof(alive[-1]), len(data)
    elif hasattr(value, "item"):  # a scalar of numpy or of a DataFrame
        return _bound(value.item(), name, alive)
    else:
        raise TypeError(f"a parameter is None, int, float, str or bytes, and this is {type(value).__name__}")
    return param


def _paths(paths: Paths) -> List[str]:
    return [os.fsdecode(path) for path in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]


def _words(value: Union[str, Iterable[str]]) -> List[str]:
    return [value] if isinstance(value, str) else list(value)


def _ms(ns: int) -> str:
    for unit, name in ((1000000, "ms"), (1000, "us")):
        if ns >= unit:
            return f"{ns / unit:,.1f} {name}"
    return f"{ns} ns"


def _identity(path: Optional[str]) -> Optional[Tuple[int, int]]:
    """Which file it is; None where there is none."""
    try:
        info = os.stat(path) if path else None
    except OSError:
        return None
    return (info.st_dev, info.st_ino) if info else None


class _Handles:
    """What the library holds for a run, apart from the Run, so that it can be freed when that is gone."""

    def __init__(self) -> None:
        self.context = Context()
        self.settings, self.store, self.advice = c_void_p(), c_void_p(), c_void_p()
        self.process = os.getpid()
        _living.add(self)

    def stop(self) -> None:
        """Ends the call that runs, if one does."""
        if os.getpid() == self.process:
            self.context.interrupt()

    def close(self) -> None:
        """Frees all. A call that this very thread is in, as in a signal handler, is stopped, and frees all when it
        ends. A child of a fork frees nothing, because its memory may be in the middle of a call."""
        if os.getpid() != self.process:
            return
        lib = self.context.lib
        with self.context.lock:
            if self.context.caller:
                self.context.at_end = self.close
                self.stop()
                return
            if self.context.working.locked():  # a burst of signals has left the last call behind: never free below it
                lib.tc_ctx_interrupt(self.context.handle)
                return
            lib.tc_store_close(self.store)
            lib.tc_advice_free(self.advice)
            lib.tc_settings_free(self.settings)
            self.settings, self.store, self.advice = c_void_p(), c_void_p(), c_void_p()
            self.context.close()


_living: "weakref.WeakSet[_Handles]" = weakref.WeakSet()


def _stop_all() -> None:
    """At the end of the program no thread keeps it waiting for a query."""
    Context.is_ending = True
    for handles in list(_living):
        handles.stop()


class Run:
    """A run, as analyze() or open_store() return it. Close it with close() or ``with``, or leave that to
    the garbage collector."""

    def __init__(self, handles: _Handles, source: str, settings: Mapping[str, Any]) -> None:
        self.source = source
        """The first path, as it was given"""
        path = handles.context.lib.tc_store_path(handles.store)
        self.path: Optional[str] = os.path.abspath(os.fsdecode(path)) if path else None
        """The file of the store; None for a temporary one, which save() copies"""
        self._file = _identity(self.path)
        self._handles = handles
        self._settings = settings
        self._json: Optional[Json] = None
        self._lock = threading.RLock()
        self._end = weakref.finalize(self, handles.close)
        atexit.unregister(_stop_all)  # so that it comes before what the line above registers
        atexit.register(_stop_all)

    # ---- the report

    @property
    def _context(self) -> Context:
        if not self._end.alive:
            raise ValueError("the run is closed")
        return self._handles.context

    def report(self, format: str = "text", **options: Any) -> str:
        """A report in a format that ``tracecoach analyze --format`` has: text, md, html, json, csv, junit,
        github. Options: top, step, rank, details, width, ascii, color, explain (a finding, id or number), sql, summary.
        UsageError for a format, step or rank that is not there."""
        given = _abi.ReportOptions(size=sizeof(_abi.ReportOptions))
        for name, value in options.items():
            if name not in _REPORT_OPTIONS:
                raise TypeError(f"report() has no option {name}")
            if name in ("step", "rank"):
                if value is None:
                    continue
                setattr(given, "has_" + name, True)
            setattr(given, name, encoded(_named(value)) if name == "explain" else value)
        handles, wanted, context = self._handles, encoded(format), self._context
        return context.call(
            lambda: context.taken(
                context.lib.tc_report(context.handle, handles.store, handles.advice, wanted, byref(given))
            )
        )

    def to_json(self) -> str:
        """Everything, as docs/report.schema.json describes it."""
        return self.report("json")

    def html(self) -> str:
        """The page: one file to open in a browser."""
        return self.report("html")

    @property
    def json(self) -> Json:
        """to_json() as objects, read once."""
        with self._lock:
            if self._json is None:
                self._json = json.loads(self.to_json())
            return self._json

    @property
    def verdict(self) -> str:
        """The sentence at the top of the report: of the job, where the traces are ranks of one. Of several jobs, or
        traces that are no ranks, a line each, with its name in front."""
        ranks = self._rank_traces()
        said = [(f"job {job['job_id']}", job["verdict"]) for job in self.json["jobs"]]
        said += [(row["path"], row["verdict"]) for row in self.json["traces"] if row["id"] not in ranks]
        return "\n".join(f"{name}: {text}" for name, text in said) if len(said) > 1 else str(said[0][1])

    @property
    def findings(self) -> List[Finding]:
        """What was found, in the order of the report: notes on the recording first. Of the ranks of a job each
        defect once, with what it costs the job, and the evidence of the rank that it costs most; then those of
        traces that are no ranks."""
        rows = {(row["trace_id"], row["id"]): row for row in self.json["advice"]}
        found = []
        for job in self.json["jobs"]:
            traces = {rank["rank"]: rank for rank in job["ranks"]}
            wall_ns = traces[job["pace_rank"]]["wall_ns"] if job["pace_rank"] in traces else 0
            for row in job["advice"]:
                rank_row = rows[traces[row["largest_rank"]]["trace_id"], row["id"]]
                pct = 100 * (row["gain_ns"] or 0) / wall_ns if wall_ns else 0.0
                gains = {name: row[name] for name in ("gain_ns", "gain_low_ns", "gain_high_ns", "severity")}
                found.append(self._finding({**rank_row, **gains, "gain_pct": pct}))
        ranks = self._rank_traces()
        return found + [self._finding(row) for row in self.json["advice"] if row["trace_id"] not in ranks]

    @property
    def rank_findings(self) -> List[Finding]:
        """What was found in each trace, in the order of its own report."""
        return [self._finding(row) for row in self.json["advice"]]

    def _rank_traces(self) -> Set[int]:
        """The traces that are ranks of a job."""
        return {rank["trace_id"] for job in self.json["jobs"] for rank in job["ranks"]}

    def _paces(self) -> Set[int]:
        """Of each job, the trace of the rank that sets the pace."""
        return {
            rank["trace_id"] for job in self.json["jobs"] for rank in job["ranks"] if rank["rank"] == job["pace_rank"]
        }

    def _finding(self, row: Json) -> Finding:
        return Finding(
            id=row["id"],
            title=row["title"],
            kind=row["kind"],
            severity=row["severity"],
            confidence=row["confidence"],
            gain_ns=row["gain_ns"],
            gain_low_ns=row.get("gain_low_ns"),
            gain_high_ns=row.get("gain_high_ns"),
            gain_pct=row["gain_pct"],
            advice=row["advice"],
            why=row["why"],
            evidence=tuple(row["evidence"]),
            example=row["example"],
            trace_id=row["trace_id"],
            doc=row["doc"],
            sql=row["sql"],
        )

    @property
    def plan(self) -> List[PlanStep]:
        """The fixes that win most, in their order, and what they win together; of a job those of the rank that
        sets its pace."""
        left_out = self._rank_traces() - self._paces()
        return [
            PlanStep(
                row["fix"],
                row["gain_ns"],
                row["step_before_ns"],
                row["step_after_ns"],
                row["trace_id"],
                " ".join(filter(None, (row["limit_piece"], row["limit_name"]))) or None,
                row["alone_ns"],
                row["added_ns"],
            )
            for row in self.json["plan"]
            if row["trace_id"] not in left_out
        ]

    @property
    def steps(self) -> List[Step]:
        """The steps of all traces."""
        return [
            Step(
                row["number"],
                row["name"],
                row["ts"],
                row["dur"],
                row["device_dur"],
                bool(row["is_warm_up"]),
                row["trace_id"],
            )
            for row in self.json["steps"]
        ]

    # ---- questions

    def query(self, sql: str, params: Union[Sequence[Any], Mapping[str, Any]] = ()) -> Rows:
        """The rows of one SQL statement that reads; docs/schema.md has tables and columns. params are for
        ``?`` by place, or for ``:name`` by name. UsageError says what is wrong with the statement, and where."""
        alive: List[Any] = []
        named = params.items() if isinstance(params, Mapping) else ((None, value) for value in params)
        bound = [_bound(value, name, alive) for name, value in named]
        array = (_abi.QueryParam * len(bound))(*bound)
        options = _abi.QueryOptions(
            size=sizeof(_abi.QueryOptions), params=ctypes.addressof(array) if bound else None, param_count=len(bound)
        )
        context, store, statement = self._context, self._handles.store, encoded(sql)
        batches = _Batches(context)
        take = _abi.RowsFn(batches.take)
        context.call(
            lambda: int(context.lib.tc_query_rows(context.handle, store, statement, byref(options), take, None))
        )
        return Rows(batches.names, batches.data)

    def schema(self, name: Optional[str] = None) -> str:
        """Tables and views with their columns, or the statement that made the one of that name."""
        context, store = self._context, self._handles.store
        given = encoded(name) if name else None
        return context.text(
            lambda write: context.lib.tc_query_schema(context.handle, store, given, None, write, None)
        )

    def whatif(
        self, fixes: Union[Fix, Iterable[Fix]] = (), edits: Union[str, Iterable[str]] = ()
    ) -> WhatIf:
        """The run replayed without some defects: fixes are ids, numbers of the report, findings or steps of the
        plan; edits are those of docs/edits.md, such as "remove role = dataloader". Without any: the recording."""
        wanted = [fixes] if isinstance(fixes, (int, str, Finding, PlanStep)) else fixes
        fix_array, edit_array = strings(map(_named, wanted))[0], strings(_words(edits))[0]
        options = _abi.WhatifOptions(
            size=sizeof(_abi.WhatifOptions),
            settings=self._handles.settings,
            edits=ctypes.addressof(edit_array),
            fixes=ctypes.addressof(fix_array),
        )
        context, store = self._context, self._handles.store

        def text(form: int) -> str:
            return context.text(
                lambda write: context.lib.tc_whatif(context.handle, store, byref(options), form, write, None)
            )

        answer = json.loads(text(_abi.TC_WHATIF_JSON))
        return WhatIf(
            answer["trace_id"],
            answer["step_before_ns"],
            answer["step_after_ns"],
            answer["gain_ns"],
            text(_abi.TC_WHATIF_TEXT),
            answer,
        )

    def compare(self, other: Union[Run, Paths], anyway: bool = False, **reading: Any) -> Comparison:
        """This run, before a change, and another one after it: a Run, or its paths, which are read with the
        settings of this one and with what else analyze() takes: with_, captures, device, peaks and the like. anyway
        judges also runs that do not do the same work."""
        if not isinstance(other, Run):
            with analyze(other, **{**self._settings, **reading}) as after:
                return self.compare(after, anyway)
        if reading:
            raise TypeError(f"{', '.join(reading)}: the other run is read already: give its paths")
        context, sides, after_context = self._context, (_abi.CompareSide * 2)(), other._context
        for side, run in zip(sides, (self, other)):
            side.store, side.advice = run._handles.store, run._handles.advice
            side.source = encoded_path(run.source)
        options = _abi.ReportOptions(size=sizeof(_abi.ReportOptions), anyway=anyway)
        result, count = _abi.CompareResult(), ctypes.c_size_t()
        formats = context.lib.tc_compare_formats(byref(count))
        each = [_abi.CompareFormat.from_address(formats + i * sizeof(_abi.CompareFormat)) for i in range(count.value)]

        def text(name: bytes) -> str:
            form = next(entry for entry in each if entry.name == name)

            def call(write: Any) -> int:
                output = _abi.CompareOutput(write=write)
                return int(
                    context.lib.tc_compare(
                        byref(result), context.handle, sides, byref(form), byref(options), byref(output)
                    )
                )

            return context.text(call, after_context)

        answer, words = json.loads(text(b"json")), text(b"text")
        names = ("same", "within", "faster", "slower", "unlike", "other_work", "damaged")
        unlike = result.unlike.decode(errors="replace") if result.unlike else None
        return Comparison(names[result.outcome], result.difference_pct, unlike, words, answer)

    # ---- the store

    def save(self, path: PathLike) -> None:
        """Copies the store to a file, which open_store() and any program that knows SQLite can read.
        FileError where that cannot be."""
        context, store, name = self._context, self._handles.store, encoded_path(path)
        context.call(lambda: int(context.lib.tc_store_save(context.handle, store, name)))

    def connect(self) -> sqlite3.Connection:
        """A connection of sqlite3 to the store, read-only, for libraries that want one. A store that is temporary, or
        whose file was removed or replaced, is copied for it, to a file that has no name any more when this returns."""
        path, directory, _ = self.path, None, self._context
        if path is None or _identity(path) != self._file:
            directory = tempfile.TemporaryDirectory(prefix="tracecoach-")
            path = os.path.join(directory.name, "trace.db")
            self.save(path)
        name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = sqlite3.connect(f"file://{name}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if directory:
            directory.cleanup()
        return connection

    def close(self) -> None:
        """Frees the run. It is no error to close it twice."""
        self._end()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Run cannot be pickled or copied: save() its store, and open_store() that")

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # ---- for people

    def __repr__(self) -> str:
        if not self._end.alive:
            return f"<tracecoach.Run {self.source}: closed>"
        fixes = [finding for finding in self.findings if finding.kind == "fix"]
        account = self.json["account"]
        best = f"fix first: {fixes[0]}" if fixes else "nothing to fix was found"
        verdict = self.verdict.replace("\n", "\n  ")
        return (
            f"<tracecoach.Run {self.source}\n  {verdict}\n  {best}\n"
            f"  steps: {len(self.steps)}, fixes: {len(fixes)}, notes on the recording: {len(self.findings) - len(fixes)}, "
            f"checks that lacked data: {len(account['not_applicable'])}>"
        )

    def _repr_html_(self) -> str:
        page = html_module.escape(self.html(), quote=True)
        # An origin of its own: its scripts run and its links open, and nothing of the notebook is in reach.
        allowed = "allow-scripts allow-popups allow-popups-to-escape-sandbox"
        style = "width:100%;height:720px;border:1px solid #ccc"
        return f'<iframe sandbox="{allowed}" allow="clipboard-write *" srcdoc="{page}" style="{style}"></iframe>'

    def _repr_markdown_(self) -> str:
        return self.report("md")


def _settings(handles: _Handles, options: Mapping[str, Any]) -> None:
    context, given = handles.context, _abi.SettingsOptions(size=sizeof(_abi.SettingsOptions))
    kept = []
    for member, name in (("sets", "settings"), ("only", "only"), ("skip", "skip")):
        kept.append(strings(options.get(name, ()))[0])
        if len(kept[-1]) > 1:
            setattr(given, member, ctypes.addressof(kept[-1]))
    for member, name in (("rules_directory", "rules"), ("config_path", "config")):
        path = options.get(name)
        if path is not None:
            setattr(given, member, encoded_path(path))
    context.call(lambda: int(context.lib.tc_settings_new(byref(handles.settings), context.handle, byref(given))))


def _thresholds(settings: Union[Mapping[str, Any], str, Iterable[str]]) -> List[str]:
    """As the program takes them: ID.PARAM=VALUE."""
    if not isinstance(settings, Mapping):
        return _words(settings)
    words = {True: "yes", False: "no"}
    return [f"{name}={words[value] if isinstance(value, bool) else value}" for name, value in settings.items()]


def _chosen(settings: Any, only: Any, skip: Any, rules: Any, config: Any) -> Dict[str, Any]:
    return dict(settings=_thresholds(settings), only=_words(only), skip=_words(skip), rules=rules, config=config)


def _read(handles: _Handles, paths: List[str], store: Optional[PathLike], options: Mapping[str, Any]) -> None:
    context = handles.context
    sides, side_count = strings(map(encoded_path, _paths(options["with_"])))
    captures, capture_count = strings(map(encoded_path, _paths(options["captures"])))
    given = _abi.ImportOptions(
        size=sizeof(_abi.ImportOptions),
        settings=handles.settings,
        advice=ctypes.addressof(handles.advice),
        side_paths=ctypes.addressof(sides),
        side_count=side_count,
        capture_paths=ctypes.addressof(captures),
        capture_count=capture_count,
        no_side_files=not options["side_files"],
        full_index=options["full_index"],
        strict=options["strict"],
    )
    if options["device"] is not None:
        given.device = encoded(options["device"])
    if options["peaks"] is not None:
        given.peaks_path = encoded_path(options["peaks"])
    array, count = strings(map(encoded_path, paths))
    name = None if store is None else encoded_path(store)
    context.call(
        lambda: int(context.lib.tc_import(byref(handles.store), context.handle, array, count, name, byref(given)))
    )


def _open(handles: _Handles, path: str, strict: bool) -> None:
    context = handles.context

    def work() -> None:
        lib, ctx = context.lib, context.handle
        if lib.tc_store_open(byref(handles.store), ctx, encoded_path(path)) == _abi.TC_OK:
            if lib.tc_store_check(ctx, handles.store, strict) == _abi.TC_OK:
                lib.tc_advise_store(byref(handles.advice), ctx, handles.store, handles.settings)

    context.call(work)


def _hook(context: Context, progress: Callable[[str, int, int, int], object]) -> Any:
    def hear(_user: object, pointer: int) -> None:
        at = _abi.Progress.from_address(pointer)
        try:
            progress(os.fsdecode(at.path or b""), at.read_bytes, at.total_bytes, at.event_count)
        except BaseException as error:
            context.stop(error)

    hook = _abi.ProgressFn(hear)
    context.lib.tc_ctx_set_progress(context.handle, hook, None)
    return hook


def analyze(
    paths: Paths,
    *,
    with_: Paths = (),
    captures: Paths = (),
    device: Optional[str] = None,
    peaks: Optional[PathLike] = None,
    settings: Union[Mapping[str, Any], Iterable[str]] = (),
    only: Union[str, Iterable[str]] = (),
    skip: Union[str, Iterable[str]] = (),
    rules: Optional[PathLike] = None,
    config: Optional[PathLike] = None,
    store: Optional[PathLike] = None,
    strict: bool = False,
    side_files: bool = True,
    full_index: bool = False,
    progress: Optional[Callable[[str, int, int, int], object]] = None,
) -> Run:
    """Reads traces (files, or directories of them; all ranks of a job together) or one store.

    with_ are side files: metrics, logs, CSV. captures are traces in which graphs were captured that the traces
    replay. device is the name of the device whose peaks count, peaks an ini file of peaks. settings are thresholds,
    {"dataloader-bound.min_share_pct": 3}; only and skip are ids of heuristics;
    rules is a directory with rules of yours, config an ini file. store keeps the store there, instead of in a
    temporary place. strict raises where anything was lost. side_files=False does not look for side files beside the
    traces. progress hears the file, bytes read, bytes of the file (-1: not known) and events, ten times a second,
    from another thread; what it raises ends the reading.

    InputError where nothing is a trace, FileError where a file cannot be read, UsageError for a setting that is not
    there, KeyboardInterrupt for Ctrl-C, which stops the reading. A file that is left out is a TracecoachWarning."""
    chosen = _chosen(settings, only, skip, rules, config)
    options = dict(
        with_=with_, captures=captures, device=device, peaks=peaks,
        strict=strict, side_files=side_files, full_index=full_index,
    )  # fmt: skip
    names = _paths(paths)
    if not names:
        raise UsageError("no trace is named")
    handles = _Handles()
    try:
        _settings(handles, chosen)
        context = handles.context
        hook = _hook(context, progress) if progress else None
        is_store = False
        if len(names) == 1 and store is None:
            is_store = context.call(lambda: bool(context.lib.tc_import_is_store(context.handle, encoded_path(names[0]))))
        if not is_store:
            _read(handles, names, store, options)
        elif any(itertools.chain(_paths(with_), _paths(captures), (device or "", peaks or ""))):
            raise UsageError(
                f"{names[0]}: a store is sealed, so with_, captures, device and peaks are too late: "
                "give them with the trace"
            )
        else:
            _open(handles, names[0], strict)
        if hook:
            context.lib.tc_ctx_set_progress(context.handle, ctypes.cast(0, _abi.ProgressFn), None)
    except BaseException:
        handles.close()
        raise
    return Run(handles, names[0], chosen)


def check_settings(
    *, settings: Any = (), only: Any = (), skip: Any = (), rules: Any = None, config: Any = None, **_others: Any
) -> Dict[str, Any]:
    """These options, to be used more than once. Raises what analyze() would for them, before there is a trace."""
    chosen, handles = _chosen(settings, only, skip, rules, config), _Handles()
    try:
        _settings(handles, chosen)
    finally:
        handles.close()
    return chosen


def open_store(path: PathLike, **settings: Any) -> Run:
    """A store that ``tracecoach import`` or Run.save() made; settings are those of analyze()."""
    return analyze(path, **settings)


def _until_null(kind: Any, pointer: int, member: str) -> Iterator[Any]:
    """The structs of a list whose last one has a member of NULL."""
    for at in itertools.count(pointer, sizeof(kind)):
        one = kind.from_address(at)
        if getattr(one, member) is None:
            return
        yield one


def heuristics(rules: Optional[PathLike] = None) -> List[Heuristic]:
    """All that is looked for, in the order in which it is; with a directory of rules, yours behind them.
    UsageError for a rule that is wrong."""
    handles = _Handles()
    context, lib = handles.context, handles.context.lib

    def words(pointer: int) -> Tuple[str, ...]:
        return tuple(text.value.decode() for text in _until_null(ctypes.c_char_p, pointer, "value"))

    def made(given: Any) -> Heuristic:
        title, advice, why, source = (
            context.taken(lib.tc_heuristic_text(text)) for text in (given.title, given.advice, given.why, given.source)
        )
        return Heuristic(
            id=given.id.decode(),
            title=title,
            kind=lib.tc_heuristic_kind_name(given.kind).decode(),
            advice=advice,
            why=why,
            thresholds=tuple(
                Threshold(row.name.decode(), row.unit.decode(), row.value, row.min, row.max, row.help.decode())
                for row in _until_null(_abi.Param, given.params, "name")
            ),
            needs=words(given.needs),
            edits=words(given.edits),
            source=source,
            file=os.fsdecode(given.file) if given.file else None,
            sql=given.sql.decode(),
            page=given.page.decode() if given.page else None,
        )

    def all_of_them() -> List[Heuristic]:
        pointers = (lib.tc_heuristic_at(handles.settings, i) for i in itertools.count())
        return [made(_abi.Heuristic.from_address(pointer)) for pointer in itertools.takewhile(bool, pointers)]

    try:
        _settings(handles, dict(rules=rules))
        return context.call(all_of_them)
    finally:
        handles.close()


__all__ = ["Comparison", "Finding", "Heuristic", "PlanStep", "Rows", "Run", "Step", "Threshold", "WhatIf", "analyze",
           "heuristics", "open_store"]  # fmt: skip
