"""``minimize``: runs a solver of the library on a problem."""

from __future__ import annotations

import ctypes
import os
import time
import warnings
from typing import Any, Callable, Dict, Optional, Union

import numpy as np

from . import _api
from ._context import Context
from ._errors import StateError
from ._oracles import Vectors
from ._problem import BaseProblem, Bound
from ._progress import progress_bar
from ._result import History, Result, counts_of

#: As sustain_minimize() of the library does where no limit is given.
_ITERATIONS, _ITERATIONS_DETERMINISTIC, _EVALUATIONS, _PATIENCE = 20_000, 200, 100, 20
#: How long a text a parameter's value has at most.
_LONGEST_VALUE = 128
#: One or two divergences are usual where steps are estimated.
_USUAL_HALVINGS = 2


class Progress:
    """What a callback of ``minimize`` sees.

    Attributes
    ----------
    iteration, seconds, upper_value, upper_norm, lower_norm
        As in `History`.
    counts : dict
        What the run has used.
    """

    def __init__(self, run: "_Run", at: _api.sustain_progress) -> None:
        self._run = run
        self.iteration: int = at.iteration
        self.seconds: float = at.seconds
        self.upper_value: float = at.upper_value
        self.upper_norm: float = at.upper_norm
        self.lower_norm: float = at.lower_norm
        self.counts: Dict[str, int] = counts_of(at.counts)

    @property
    def x(self) -> Any:
        """A copy of the current x; available during the callback."""
        return self._run.point("x", self._run.lib.sustain_solver_x(self._run.solver))

    @property
    def y(self) -> Any:
        """A copy of the current y; available during the callback."""
        return self._run.point("y", self._run.lib.sustain_solver_y(self._run.solver))

    def __repr__(self) -> str:
        return f"iteration {self.iteration:,}, upper value {self.upper_value:.6g}, {self.seconds:.1f} s"


Callback = Callable[[Progress], object]


def minimize(
    problem: BaseProblem,
    solver: str = "auto",
    *,
    iterations: Optional[int] = None,
    seconds: Optional[float] = None,
    samples: Optional[int] = None,
    gradient_norm: Optional[float] = None,
    patience: Optional[int] = None,
    every: Optional[int] = None,
    callback: Optional[Callback] = None,
    checkpoint: Union[str, "os.PathLike[str]", None] = None,
    checkpoint_seconds: float = 60.0,
    x0: Any = None,
    y0: Any = None,
    n_jobs: Optional[int] = None,
    progress: Optional[bool] = None,
    log: Optional[Callable[[str], object]] = None,
    **parameters: Any,
) -> Result:
    """Solves a bilevel problem.

    Parameters
    ----------
    problem : Problem, sustain.torch.Problem or CompiledProblem
        What to minimize.
    solver : str
        An algorithm of ``solvers()``; "auto" chooses by the properties of the problem.
    iterations, seconds, samples, gradient_norm, patience : optional
        When to stop, whichever comes first: iterations in all; seconds of optimization; samples
        drawn at both levels together; the norm of the last direction of x; evaluations without a
        better upper value. Default: 20,000 iterations (200 for a deterministic algorithm), or a
        fifth of them without improvement.
    every : int, optional
        Iterations between evaluations; default: a hundredth of ``iterations``, or 100.
    callback : callable, optional
        Called with a `Progress` at each evaluation; returning True ends the run. An exception ends
        the run and is raised here.
    checkpoint : path, optional
        A file for the state. If it exists, the run is resumed from it, and ends with the bits of an
        uninterrupted one. It is written every ``checkpoint_seconds``, at the end, after Ctrl-C and
        after an exception of the callback.
    x0, y0 : array_like, optional
        The start; default: that of the problem.
    n_jobs : int, optional
        Threads of the problem, where it is compiled; -1: all processors.
    progress : bool, optional
        Whether to show a progress bar; default: on a terminal and in a notebook.
    log : callable, optional
        Receives the lines of the library's log; default: the logger "sustain".
    **parameters
        Parameters of the algorithm: ``batch=16``, ``seed=1``, ``schedule="power"``; see ``solvers()``.

    Returns
    -------
    Result
        The point, the history, what was used and why the run stopped.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C; the checkpoint is written before.
    ValueError
        With the library's sentence: an unknown algorithm or parameter, a function that the
        algorithm needs and the problem does not have.

    Examples
    --------
    >>> import sustain
    >>> result = sustain.minimize(sustain.quadratic(), "sustain", iterations=2000, seed=1)
    >>> result.stop, result.iterations
    ('ITERATIONS', 2000)
    >>> bool(result.history.upper_value[-1] < result.history.upper_value[0])
    True
    """
    if not isinstance(problem, BaseProblem):
        raise TypeError(f"problem is {type(problem).__name__}: make a sustain.Problem or a sustain.torch.Problem")
    stopping = _api.sustain_stopping(
        size=ctypes.sizeof(_api.sustain_stopping),
        iterations=_whole("iterations", iterations),
        samples=_whole("samples", samples),
        seconds=seconds or 0.0,
        gradient_norm=gradient_norm or 0.0,
        patience=_whole("patience", patience),
        every=_whole("every", every),
    )
    with Context(n_jobs, log, problem.precision) as context:
        run = _Run(context, problem, solver, parameters)
        try:
            run.callback, run.limits = callback, stopping
            run.checkpoint = None if checkpoint is None else os.fsencode(os.fspath(checkpoint))
            run.checkpoint_seconds = checkpoint_seconds
            run.begin(x0, y0)
            with progress_bar(progress, stopping.iterations) as run.bar:
                return run.to_the_end()
        finally:
            run.close()


class _Run:
    """One run: owns the solver."""

    callback: Optional[Callback]
    limits: _api.sustain_stopping
    checkpoint: Optional[bytes]
    checkpoint_seconds: float
    bar: Any

    def __init__(self, context: Context, problem: BaseProblem, solver: str, parameters: Dict[str, Any]) -> None:
        self.context, self.lib, self.problem = context, context.lib, problem
        self.bound: Bound = problem._bind(context)
        self.vectors = Vectors(problem.dtype, problem.upper_dim, problem.lower_dim)
        self.solver: Optional[int] = None
        self.history = History()
        self.asked = False  # the callback asked to stop
        self.error: Optional[BaseException] = None  # that the callback raised
        self.saved = time.monotonic()
        self.result = _api.sustain_result()
        handle = ctypes.c_void_p()
        self._long("sustain_solver_create", context.handle, str(solver).encode(), ctypes.byref(self.bound.problem), ctypes.byref(handle))
        self.solver = handle.value
        for name, value in parameters.items():
            self._call("sustain_solver_set", self.solver, name.encode(), _text(value).encode())

    def close(self) -> None:
        self.lib.sustain_solver_destroy(self.solver)
        self.solver = None
        # Callbacks of C refer to this object: without them it is freed at once.
        self.limits = _api.sustain_stopping()
        del self.bound

    def _call(self, name: str, *arguments: Any) -> None:
        try:
            self.context.call(name, *arguments)
        except BaseException:
            self.close()
            raise

    def _long(self, name: str, *arguments: Any) -> None:
        self.context.run(name, *arguments, python=self.problem.in_python)

    def point(self, name: str, address: int) -> Any:
        """A copy of a vector of the library, as the problem's user wants it."""
        return self.problem._export(name, self.vectors.read(name, address))

    def begin(self, x0: Any, y0: Any) -> None:
        info = self.lib.sustain_solver_describe(self.solver).contents
        limits = self.limits
        if not (limits.iterations or limits.samples or limits.seconds or limits.gradient_norm or limits.patience):
            limits.iterations = _ITERATIONS_DETERMINISTIC if info.deterministic else _ITERATIONS
            limits.every = limits.every or limits.iterations // _EVALUATIONS
            limits.patience = _PATIENCE
        if self.checkpoint is not None and os.path.exists(self.checkpoint):
            self._long("sustain_solver_load", self.solver, self.checkpoint)
        elif x0 is not None or y0 is not None:
            self.bound.start_from(self._start(x0, y0))

    def _start(self, x0: Any, y0: Any) -> Callable[[int, int], None]:
        """Writes the start that was given; what was not given is that of the problem."""
        own = self.bound.own_start()
        given = {name: self.problem._flat(name, value) for name, value in (("x", x0), ("y", y0)) if value is not None}

        def write(x: int, y: int) -> None:
            if len(given) < 2:
                for address, dim in ((x, self.problem.upper_dim), (y, self.problem.lower_dim)):
                    ctypes.memset(address, 0, dim * self.problem.dtype.itemsize)
                if own is not None:
                    own(x, y)
            for name, values in given.items():
                ctypes.memmove(x if name == "x" else y, values.ctypes.data, values.nbytes)

        return write

    def to_the_end(self) -> Result:
        """Runs until a limit is reached; pauses to write checkpoints."""
        observer = _api.sustain_observer(self.observe)
        self.limits.observer = observer
        while True:
            try:
                self._long("sustain_solver_run", self.solver, ctypes.byref(self.limits), ctypes.byref(self.result))
            except KeyboardInterrupt:
                self.save(interrupted=True)
                raise
            self.save()
            if self.error is not None:
                raise self.error
            if self.result.stop != _api.SUSTAIN_STOP_OBSERVER or self.asked:
                return self.finish()

    def observe(self, user: Optional[int], address: int) -> int:
        """The observer of the library: anything but 0 ends or pauses the run."""
        try:
            at = _api.sustain_progress.from_address(address)
            progress = Progress(self, at)
            self.history._add({**progress.counts, **{name: getattr(at, name) for name, _ in at._fields_[:5]}})
            self.bar.show(at.iteration, at.upper_value)
            if self.callback is not None and self.callback(progress):
                self.asked = True
        except BaseException as error:
            self.error = error
            return 1
        due = self.checkpoint is not None and time.monotonic() - self.saved > self.checkpoint_seconds
        return int(self.asked or due)

    def save(self, interrupted: bool = False) -> None:
        if self.checkpoint is None:
            return
        try:
            self.context.call("sustain_solver_save", self.solver, self.checkpoint)
        except StateError:
            if not interrupted:  # interrupted before the start: there is nothing to save
                raise
        self.saved = time.monotonic()

    def finish(self) -> Result:
        result, lib = self.result, self.lib
        if result.halvings > _USUAL_HALVINGS:
            warnings.warn(
                f"the run diverged {result.halvings} times, and its steps became smaller each time: the point may be far from "
                "a solution; problem.check() and minimize(..., check=True) find functions that are wrong or not finite",
                RuntimeWarning,
                stacklevel=4,
            )
        info = lib.sustain_solver_describe(self.solver).contents
        text = ctypes.create_string_buffer(_LONGEST_VALUE)
        parameters = {}
        for row in info.parameters[: info.parameter_count]:
            lib.sustain_solver_get(self.solver, row.name, text, _LONGEST_VALUE)
            parameters[row.name.decode()] = text.value.decode()
        names: Dict[int, str] = {value: name for name, value in vars(_api).items() if name.startswith("SUSTAIN_STOP_")}
        return Result(
            x=self.point("x", result.x),
            y=self.point("y", result.y),
            upper_value=result.upper_value,
            iterations=result.iterations,
            seconds=result.seconds,
            stop=names[result.stop][len("SUSTAIN_STOP_") :],
            reason=lib.sustain_stop_text(result.stop).decode(),
            counts=counts_of(result.counts),
            history=self.history,
            solver=info.name.decode(),
            parameters=parameters,
            halvings=result.halvings,
            dropped=result.dropped,
            point=result.point,
        )


def _whole(name: str, value: Any) -> int:
    """A whole number; 1e4 is one. None: 0, which stands for no limit."""
    if value is None:
        return 0
    if isinstance(value, (bool, np.bool_)) or int(value) != value or value < 1:
        raise ValueError(f"{name} is {value!r}: give a whole number, at least 1")
    return int(value)


def _text(value: Any) -> str:
    """A parameter's value as the library reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    return str(value)
