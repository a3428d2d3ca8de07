"""Contexts: errors as exceptions, the log, threads, Ctrl-C; libraries and where they are found."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import sustain
from sustain import _api
from sustain._context import Context
from sustain._library import Library, load


def quadratic(context, **options):
    values = _api.sustain_quadratic_options()
    context.lib.sustain_quadratic_defaults_for(ctypes.sizeof(values), ctypes.byref(values))
    for name, value in options.items():
        setattr(values, name, value)
    out = ctypes.POINTER(_api.sustain_problem)()
    context.call("sustain_quadratic_create", context.handle, ctypes.byref(values), ctypes.byref(out))
    return out


def endless(context, problem):
    """Runs a solver for far more iterations than a test has time for."""
    solver = ctypes.c_void_p()
    context.call("sustain_solver_create", context.handle, b"sustain", problem, ctypes.byref(solver))
    stopping = _api.sustain_stopping(size=ctypes.sizeof(_api.sustain_stopping), iterations=10**12)
    try:
        context.run("sustain_solver_run", solver, ctypes.byref(stopping), ctypes.byref(_api.sustain_result()))
    finally:
        context.lib.sustain_solver_destroy(solver)


def test_every_function_is_in_the_libraries():
    library = load("float")
    for name in _api.FUNCTIONS:
        assert getattr(library, name) is not None


def test_a_refusal_is_a_value_error_with_the_sentence_of_the_library():
    with Context() as context:
        with pytest.raises(ValueError, match="mu_g") as caught:
            quadratic(context, mu_g=-1.0)
        assert isinstance(caught.value, sustain.Error)
        assert caught.value.status in ("ARGUMENT", "PARAMETER")
        with pytest.raises(ValueError, match="no algorithm"):
            context.call("sustain_solver_create", context.handle, b"sustian", quadratic(context), ctypes.byref(ctypes.c_void_p()))


def test_statuses_have_their_exceptions():
    from sustain._errors import error_of

    assert isinstance(error_of(_api.SUSTAIN_MEMORY, "MEMORY", ""), MemoryError)
    assert isinstance(error_of(_api.SUSTAIN_MEMORY_LIMIT, "MEMORY_LIMIT", ""), MemoryError)
    assert isinstance(error_of(_api.SUSTAIN_IO, "IO", ""), OSError)
    assert isinstance(error_of(_api.SUSTAIN_WRITE, "WRITE", ""), OSError)
    assert isinstance(error_of(_api.SUSTAIN_FORMAT, "FORMAT", ""), ValueError)
    assert isinstance(error_of(_api.SUSTAIN_CANCELLED, "CANCELLED", ""), KeyboardInterrupt)
    assert isinstance(error_of(_api.SUSTAIN_DIVERGED, "DIVERGED", ""), ArithmeticError)


def test_log_and_an_exception_in_it(caplog):
    lines = []
    with Context(log=lines.append) as context, pytest.raises(ValueError):
        quadratic(context, samples=3)  # an odd number is refused
    with Context(log=lines.append) as context:
        problem = quadratic(context)
        solver = ctypes.c_void_p()
        context.call("sustain_solver_create", context.handle, b"auto", problem, ctypes.byref(solver))
        context.lib.sustain_solver_destroy(solver)
        context.lib.sustain_quadratic_destroy(problem)
    assert any("auto" in line for line in lines)

    with caplog.at_level(logging.INFO, logger="sustain"), Context() as context:
        problem = quadratic(context)
        context.call("sustain_solver_create", context.handle, b"auto", problem, ctypes.byref(solver))
        context.lib.sustain_solver_destroy(solver)
        context.lib.sustain_quadratic_destroy(problem)
    assert "auto" in caplog.text

    def broken(line):
        raise LookupError(line)

    with Context(log=broken) as context:
        problem = quadratic(context)
        with pytest.raises(LookupError):
            context.call("sustain_solver_create", context.handle, b"auto", problem, ctypes.byref(solver))
        context.lib.sustain_solver_destroy(solver)
        context.lib.sustain_quadratic_destroy(problem)


def test_interrupt_of_a_call_in_c():
    """SIGINT during a long call of the main thread: KeyboardInterrupt, soon, and the context remains usable."""
    handler = signal.getsignal(signal.SIGINT)
    with Context() as context:
        problem = quadratic(context)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            endless(context, problem)
        assert time.monotonic() - start < 5
        assert signal.getsignal(signal.SIGINT) is handler
        threading.Timer(0.2, context.cancel).start()
        with pytest.raises(KeyboardInterrupt):
            endless(context, problem)
        context.lib.sustain_quadratic_destroy(problem)
        context.lib.sustain_quadratic_destroy(quadratic(context))  # neither left the flag set


@pytest.mark.parametrize("n_jobs", [0, 1.5, True])
def test_a_wrong_number_of_threads(n_jobs):
    with pytest.raises(ValueError, match="n_jobs"):
        Context(n_jobs=n_jobs)


def test_libraries_that_are_not_there(tmp_path):
    with pytest.raises(ValueError, match="float"):
        Library("half")
    # A broken library in the folder that the user names is not passed over in silence where it is the only one.
    script = "import sustain._library as l; l._folders = lambda p: iter([l.Path(%r)]); l.load('double').sustain_version()" % str(tmp_path)
    (tmp_path / f"libsustain-double.so.{sustain.__version__.rsplit('.', 1)[0]}").write_bytes(b"not a library")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode != 0
    assert "SUSTAIN_LIBRARY_PATH" in done.stderr.splitlines()[-1]
