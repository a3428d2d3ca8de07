"""Contexts: threads, log, errors and Ctrl-C of the calls of one thread."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import threading
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Callable, Iterator, Optional, Type

from . import _api
from ._errors import StateError, error_of
from ._library import load

logger = logging.getLogger("sustain")
logger.addHandler(logging.NullHandler())


def thread_count(n_jobs: Optional[int]) -> int:
    """The number of threads that ``n_jobs`` stands for, with joblib's meaning of negative numbers.

    Examples
    --------
    >>> thread_count(None), thread_count(3)
    (1, 3)
    >>> thread_count(-1) >= 1
    True
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or int(n_jobs) != n_jobs or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}: give a number of threads, or -1 for all processors")
    if n_jobs > 0:
        return int(n_jobs)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, processors + 1 + int(n_jobs))


class Context:
    """A context of the library (``context.h``), for the calls of one thread at a time.

    Parameters
    ----------
    n_jobs : int, optional
        Threads of one call; -1: all processors. Results do not depend on it.
    log : callable, optional
        Called with each line of the library's log. Default: the logger ``sustain`` of the module
        ``logging``, level INFO.
    precision : {"float", "double"}
        The library to use.

    Examples
    --------
    >>> with Context(n_jobs=2) as context:
    ...     context.lib.sustain_context_threads(context.handle)
    2
    """

    def __init__(
        self, n_jobs: Optional[int] = None, log: Optional[Callable[[str], object]] = None, precision: str = "float"
    ) -> None:
        self.lib = load(precision)
        self.handle: Optional[int] = None
        self._error: Optional[BaseException] = None
        self._flag = ctypes.c_int(0)
        threads = thread_count(n_jobs)
        handle = ctypes.c_void_p()
        size = ctypes.sizeof(self.lib.real)
        self.check(self.lib.sustain_context_create_for(size, _api.SUSTAIN_VERSION_NUMBER, _api.sustain_allocator(), None, ctypes.byref(handle)))
        self.handle = handle.value
        self.call("sustain_context_set_threads", self.handle, threads)
        if log is None and logger.isEnabledFor(logging.INFO):
            log = logger.info
        if log is not None:
            self._set_log(log)
        hook = ctypes.cast(self.lib.sustain_cancel_flag, _api.sustain_cancel)
        self.lib.sustain_context_set_cancel(self.handle, hook, ctypes.addressof(self._flag))

    def _set_log(self, log: Callable[[str], object]) -> None:
        def sink(user: Optional[int], line: int) -> None:
            self.guard(log, ctypes.string_at(line).decode("utf-8", "replace"))

        self._sink = _api.sustain_log_sink(sink)
        self.lib.sustain_context_set_log(self.handle, self._sink, None)

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Frees the context. Everything made with it must have been destroyed before."""
        if self.handle is not None:
            self.lib.sustain_context_destroy(self.handle)
            self.handle = None

    def __del__(self) -> None:
        if getattr(self, "handle", None) is not None:
            self.close()

    def cancel(self) -> None:
        """Cancels the call that runs in this context, or the next one. Any thread may call this."""
        self._flag.value = 1

    def guard(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function from within a callback: the first exception is kept, and the call of the library is cancelled."""
        try:
            return function(*arguments)
        except BaseException as error:
            self.keep(error)
            return None

    def keep(self, error: BaseException) -> None:
        """Keeps the first exception of a callback for `check`, and cancels the call of the library."""
        if self._error is None:
            self._error = error
        self._flag.value = 1

    def check(self, status: int) -> None:
        """Raises what a callback raised, or the exception for a status that is not OK."""
        if self._error is not None:
            error, self._error = self._error, None
            self._flag.value = 0
            raise error
        if status == _api.SUSTAIN_OK:
            return
        if status == _api.SUSTAIN_CANCELLED:
            self._flag.value = 0
        sentence = self.lib.sustain_error(self.handle) if self.handle is not None else b""
        text = (sentence or self.lib.sustain_status_text(status)).decode("utf-8", "replace")
        raise error_of(status, self.lib.sustain_status_name(status).decode(), text)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function that returns a status, and raises an exception if that is not OK."""
        self.check(getattr(self.lib, name)(*arguments))

    def run(self, name: str, *arguments: Any, python: bool = False) -> None:
        """As ``call``, for calls that take long: Ctrl-C cancels them and raises ``KeyboardInterrupt``.

        Parameters
        ----------
        name : str
            The function.
        *arguments
            Its arguments.
        python : bool
            The call enters Python again and again (oracles written in Python), so that it notices a
            signal in the calling thread. Otherwise the main thread leaves the call to a second
            thread and waits for signals.
        """
        function = getattr(self.lib, name)
        if threading.current_thread() is not threading.main_thread():
            self.check(function(*arguments))
            return
        with self._interruptible() as interrupted:
            status = function(*arguments) if python else _in_thread(function, arguments)
        if interrupted:
            self._flag.value = 0
            if self._error is None and status in (_api.SUSTAIN_OK, _api.SUSTAIN_CANCELLED):
                interrupted[0]()
        self.check(status)

    @contextmanager
    def _interruptible(self) -> Iterator[list]:
        """SIGINT sets the flag of the cancel hook. Yields a list, which then holds a function that does what SIGINT does otherwise."""
        interrupted: list = []
        previous: Any = signal.getsignal(signal.SIGINT)
        if not callable(previous):  # ignored, or not handled by Python
            yield interrupted
            return

        def handle(number: int, frame: Optional[FrameType]) -> None:
            interrupted.append(lambda: previous(number, frame))
            self._flag.value = 1

        signal.signal(signal.SIGINT, handle)
        try:
            yield interrupted
        finally:
            signal.signal(signal.SIGINT, previous)


def _in_thread(function: Callable[..., int], arguments: Any) -> int:
    """Calls a function in a second thread and waits for it; handlers of signals run in the meantime."""
    result: list = []
    thread = threading.Thread(target=lambda: result.append(function(*arguments)), name="sustain")
    thread.start()
    thread.join()
    if not result:
        raise StateError("the call did not return")
    return int(result[0])
