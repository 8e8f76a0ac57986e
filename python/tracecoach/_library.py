"""The library: finding and loading it, its errors as exceptions, and calls that Ctrl-C can stop.

A context of the library is one object that belongs to one thread at a time; Context holds a lock for that.
ctypes lets other threads of Python run while the library works.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import os
import sys
import threading
import time
import warnings
from ctypes import c_char_p, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, List, Optional, Tuple, Type, TypeVar, Union

from . import _abi

Result = TypeVar("Result")


class Error(Exception):
    """What the library could not do, in its words. ``status`` is its enum tc_status."""

    status: int = _abi.TC_ERR_INTERNAL


class FileError(Error, OSError):
    """A file cannot be read or written. ``errno`` is there where the system refused it."""


class InputError(Error, ValueError):
    """The input is not a trace, or nothing in it could be used."""


class UsageError(Error, ValueError):
    """Something was asked for that does not exist: a step, a heuristic, a column."""


class StoreError(Error):
    """The file is not a store of tracecoach, or is damaged."""


class LimitError(Error):
    """A limit on what input may make the library hold was reached."""


class TracecoachWarning(UserWarning):
    """What the library notes on a call that goes on, such as a file that was left out."""


_ERRORS: dict[int, Type[Error]] = {
    _abi.TC_ERR_IO: FileError,
    _abi.TC_ERR_READ: FileError,
    _abi.TC_ERR_INPUT: InputError,
    _abi.TC_ERR_USAGE: UsageError,
    _abi.TC_ERR_STORE: StoreError,
    _abi.TC_ERR_LIMIT: LimitError,
}

# Messages of the library name what a caller in Python gives.
_WORDS = (
    ("--capture", "captures"),
    ("--config", "config"),
    ("--db", "store"),
    ("--details", "details=True"),
    ("--device", "device"),
    ("--fix", "fixes"),
    ("--format", "format"),
    ("--only", "only"),
    ("--peaks", "peaks"),
    ("--rank", "rank"),
    ("--remove", "edits"),
    ("--rules", "rules"),
    ("--scale", "edits"),
    ("--schema", "schema()"),
    ("--set", "settings"),
    ("--skip", "skip"),
    ("--sql", "sql=True"),
    ("--step", "step"),
    ("--strict", "strict"),
    ("--top", "top"),
    ("--with", "with_"),
    ("tracecoach heuristics", "heuristics()"),
    ("tracecoach import", "analyze()"),
    ("tracecoach import --again", "analyze()"),
    ("tracecoach query", "sqlite3"),
)


def _candidates() -> Iterator[str]:
    """Where the library may be: as the environment says, in this package, or in the system."""
    given = os.environ.get("TRACECOACH_LIBRARY")
    if given:
        yield given
        return
    major, minor = _abi.VERSION.split(".")[:2]
    name = f"libtracecoach.so.{major}.{minor}"
    inside = Path(__file__).with_name("_native") / name
    if inside.exists():
        yield str(inside)
    yield name
    found = ctypes.util.find_library("tracecoach")
    if found:
        yield found


def _load() -> ctypes.CDLL:
    problems: List[str] = []
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            problems.append(str(error))
            continue
        try:
            for function, (result, arguments) in _abi.FUNCTIONS.items():
                entry = getattr(library, function)
                entry.restype, entry.argtypes = result, arguments
        except AttributeError as error:
            raise ImportError(f"{name} is another version of the library than {_abi.VERSION}: {error}") from None
        version = library.tc_version(_abi.TC_VERSION_OF_TRACECOACH).decode()
        if version.split(".")[:2] != _abi.VERSION.split(".")[:2]:
            raise ImportError(f"{name} is version {version}, and this package is for {_abi.VERSION}")
        return library
    raise ImportError(
        "the library of tracecoach is not there: install a wheel that contains it, or name it with "
        "TRACECOACH_LIBRARY (" + "; ".join(problems) + ")"
    )


_loaded: Optional[ctypes.CDLL] = None
_loading = threading.Lock()


def library() -> ctypes.CDLL:
    """The library, loaded at its first use: to import this package costs a training script nothing."""
    global _loaded
    with _loading:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def _levels_up() -> int:
    """How many frames of this package stand between the caller and the one who called the package."""
    frame, count, here = sys._getframe(1), 0, os.path.dirname(__file__)
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == here:
        frame, count = frame.f_back, count + 1
    return count


def encoded(text: Union[str, bytes]) -> bytes:
    """A string of C, in UTF-8 whatever the locale is. ValueError for one with a NUL, where C would end it."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a string, not {type(text).__name__}: {text!r}")
    value = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    if b"\0" in value:
        raise ValueError(f"embedded null character in {text!r}")
    return value


def encoded_path(path: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]) -> bytes:
    """A path as a string of C, in the encoding of the file system."""
    return encoded(os.fsencode(path))


def strings(values: Iterable[Union[str, bytes]]) -> Tuple[Any, int]:
    """An array of strings of C with NULL at its end, and how many there are."""
    texts = [encoded(value) for value in values]
    return (c_char_p * (len(texts) + 1))(*texts, None), len(texts)


def _wait_for(lock: threading.Lock) -> None:
    """Until nobody holds the lock, whatever signals raise here meanwhile. This does not take the lock: an exception
    behind that would keep it for ever."""
    while lock.locked():
        try:
            time.sleep(0.005)
        except BaseException:
            continue


class Context:
    """A context of the library, and the calls that are made with it."""

    is_ending = False
    """Of all: the program ends, and what was stopped stays so"""

    def __init__(self) -> None:
        self.lib = library()
        self.handle = c_void_p(self.lib.tc_ctx_new())
        if not self.handle:
            raise MemoryError
        self.lock = threading.RLock()
        self.caller: Optional[Context] = None
        """The context of the call that runs and uses this one; whoever holds the lock then is a signal handler or a
        callback in the thread of that call."""
        self.is_stopped = False
        """That call is to end, also if its work has not begun"""
        self.working = threading.Lock()
        """Held by the thread that works for the main thread"""
        self.wanted: Optional[object] = None
        """The call that this thread is to do"""
        self.at_end: Optional[Callable[[], None]] = None
        """What to do when the call has ended"""
        self.notes: List[Tuple[int, str]] = []
        self.raised: Optional[BaseException] = None
        self._words = (_abi.Word * (len(_WORDS) + 1))(*[_abi.Word(a.encode(), b.encode()) for a, b in _WORDS])
        self.lib.tc_ctx_set_words(self.handle, self._words)
        self._note = _abi.NoteFn(self._take_note)
        self.lib.tc_ctx_set_note(self.handle, self._note, None)

    def _take_note(self, _user: object, note: int, text: bytes) -> None:
        self.notes.append((note, text.decode(errors="replace")))

    def stop(self, error: BaseException) -> None:
        """Stops the call that runs, which then raises the error: for callbacks, out of which nothing may be raised."""
        self.raised = error
        self.lib.tc_ctx_interrupt(self.handle)

    def interrupt(self) -> None:
        """Stops the call that uses this context, if one runs."""
        caller = self.caller
        if caller:
            caller.is_stopped = True
            self.lib.tc_ctx_interrupt(caller.handle)

    def close(self) -> None:
        """Frees the context; what was made with it must be gone."""
        if self.handle:
            self.lib.tc_ctx_free(self.handle)
            self.handle = c_void_p()

    @contextlib.contextmanager
    def held(self, *others: Context) -> Iterator[List[Context]]:
        """No other thread uses or closes this context, and others that are given, until the end of the block.
        Locks are taken in one order, so that two threads with the same contexts do not wait for each other.
        ValueError where one is closed, RuntimeError where this thread is in a call already."""
        contexts = sorted({self, *others}, key=id)
        with contextlib.ExitStack() as locks:
            for context in contexts:
                locks.enter_context(context.lock)
                if context.caller:
                    raise RuntimeError("the run is busy: this thread is within a call of it")
                if not context.handle:
                    raise ValueError("the run is closed")
            yield contexts

    def _warn(self) -> None:
        worth = (_abi.TC_NOTE_WARNING, _abi.TC_NOTE_LEFT_OUT)
        texts = [text for note, text in self.notes if note in worth]
        self.notes = []
        for text in texts:
            warnings.warn(text, TracecoachWarning, stacklevel=_levels_up() + 1)

    def _fail(self, status: int) -> None:
        text = self.lib.tc_ctx_error(self.handle).decode(errors="replace")
        if status == _abi.TC_ERR_NOMEM:
            raise MemoryError(text)
        error = _ERRORS.get(status, Error)(text)
        error.status = status
        number = self.lib.tc_ctx_errno(self.handle)
        if isinstance(error, FileError) and number:
            error.errno = number
        raise error

    def call(self, work: Callable[[], Result], *others: Context) -> Result:
        """Does work, which calls the library once and may use other contexts; then raises what has failed.

        In the main thread the work is done by another one, and this one waits: only so does Ctrl-C arrive
        here, which stops the library, and only then this raises KeyboardInterrupt."""
        with self.held(*others) as contexts:
            self.is_stopped = Context.is_ending
            for context in contexts:
                context.caller = self
            try:
                return self._called(work)
            finally:
                for context in contexts:
                    context.caller = None
                for context in contexts:
                    at_end, context.at_end = context.at_end, None
                    if at_end:
                        at_end()

    def _begin(self) -> None:
        """Whatever stopped the last call does not stop this one."""
        if not self.is_stopped:
            self.raised = None
            self.lib.tc_ctx_resume(self.handle)

    def _called(self, work: Callable[[], Result]) -> Result:
        if threading.current_thread() is threading.main_thread():
            result = self._call_apart(work)
        else:
            self._begin()
            result = work()
        if self.raised:
            error, self.raised = self.raised, None
            self.lib.tc_ctx_resume(self.handle)
            raise error
        status = self.lib.tc_ctx_status(self.handle)
        if status:
            self._fail(status)
        self._warn()
        return result

    def _call_apart(self, work: Callable[[], Result]) -> Result:
        results: List[Result] = []
        errors: List[BaseException] = []
        wanted = self.wanted = object()
        if self.working.locked():  # a burst of signals has left the last call behind
            self.lib.tc_ctx_interrupt(self.handle)

        def run() -> None:
            with self.working:
                self._begin()
                if self.wanted is not wanted:
                    return
                try:
                    results.append(work())
                except BaseException as error:  # raised again in the thread that waits
                    errors.append(error)

        try:
            thread = threading.Thread(target=run, name="tracecoach", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # at the end of the program there are no new threads
                run()
            # A signal that another thread gets does not end a wait: so it has an end of its own.
            while thread.is_alive():
                thread.join(0.1)
        except BaseException:
            # Also in start(), when nobody knows whether the thread runs yet: it then does nothing.
            self.wanted = None
            self.lib.tc_ctx_interrupt(self.handle)
            _wait_for(self.working)
            raise
        if errors:
            raise errors[0]
        return results[0]

    def text(self, call: Callable[[Any], object], *others: Context) -> str:
        """What a function of the library writes to the tc_write_fn that it is given."""
        parts: List[bytes] = []

        def take(_user: object, data: int, length: int) -> int:
            parts.append(ctypes.string_at(data, length))
            return 0

        write = _abi.WriteFn(take)
        self.call(lambda: call(write), *others)
        return b"".join(parts).decode(errors="replace")

    def taken(self, pointer: Optional[int]) -> str:
        """A text that a function of the library has handed out, and that is freed here."""
        if not pointer:
            return ""
        try:
            return ctypes.string_at(pointer).decode(errors="replace")
        finally:
            self.lib.tc_text_free(pointer)
