"""Bilevel problems from NumPy functions, and problems that are compiled."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _api
from ._check import CheckReport, report_of
from ._context import Context
from ._errors import StateError
from ._library import load
from ._oracles import OPS, Vectors, guarded, oracle_of, projection_of

_REQUIRED = ("f_value", "f_grad", "g_value", "g_grad_y")


def double_is_there() -> bool:
    """Whether the library that computes in double can be loaded."""
    try:
        load("double").path()
    except StateError:
        return False
    return True


class Bound:
    """A problem of the library for one context: the structure that C sees, and what it points to."""

    def __init__(self, context: Context, problem: Any, ops: _api.sustain_problem_ops, keep: Sequence[Any] = ()) -> None:
        self.context, self.ops, self.keep = context, ops, list(keep)
        self.problem = problem
        self.problem.ops = ctypes.pointer(ops)

    def start_from(self, initial: Callable[[int, int], None]) -> None:
        """Replaces the start of the problem; ``initial`` writes to the addresses of x and y."""
        function = OPS["initial"](guarded(lambda own, x, y: initial(x, y), self.context))
        self.keep.append(function)  # own_start() may call it when another has replaced it
        self.ops.initial = function

    def own_start(self) -> Optional[Callable[[int, int], int]]:
        """The function that writes the problem's own start, or None if it has none."""
        address, data = ctypes.cast(self.ops.initial, ctypes.c_void_p).value, self.problem.self
        if address is None:
            return None
        function = OPS["initial"](address)
        return lambda x, y: function(data, x, y)


class BaseProblem:
    """What all problems have in common. Use ``Problem``, ``sustain.torch.Problem`` or ``CompiledProblem``."""

    precision: str
    upper_dim: int
    lower_dim: int
    #: The functions of the problem are written in Python.
    in_python = True

    def _bind(self, context: Context) -> Bound:
        raise NotImplementedError

    def _export(self, name: str, values: np.ndarray) -> Any:
        """A vector of the library ("x" or "y") as the user of the problem wants it."""
        return values

    def _flat(self, name: str, value: Any) -> np.ndarray:
        """The reverse of ``_export``: a flat array of the problem's precision."""
        dim = self.upper_dim if name == "x" else self.lower_dim
        array = np.ascontiguousarray(value, dtype=self.dtype)
        if array.shape != (dim,):
            raise ValueError(f"{name} has shape {array.shape}, and the problem needs ({dim},)")
        return array

    @property
    def dtype(self) -> np.dtype:
        """What the library computes with."""
        return np.dtype(np.float64 if self.precision == "double" else np.float32)

    def check(self, x: Any = None, y: Any = None, *, batch: int = 4, seed: int = 0) -> CheckReport:
        """Checks the derivatives of the problem (``check.h``).

        Gradients are compared with central differences, the Hessian product with differences and
        for symmetry, the cross product with differences and as adjoint, the hypergradient with
        differences of the upper objective with the lower level solved; functions must be pure.

        Parameters
        ----------
        x, y : array_like, optional
            The point; default: a random point near the start.
        batch : int
            Samples of each draw.
        seed : int
            Names the draws.

        Returns
        -------
        CheckReport
            True if nothing failed; its text is a table.
        """
        report = _api.sustain_check_report()
        points = [None if value is None else self._flat(name, value) for name, value in (("x", x), ("y", y))]
        addresses = [None if point is None else point.ctypes.data for point in points]
        with Context(precision=self.precision) as context:
            bound = self._bind(context)
            context.run(
                "sustain_check_problem",
                context.handle,
                ctypes.byref(bound.problem),
                *addresses,
                batch,
                seed,
                ctypes.byref(report),
                python=self.in_python,
            )
            sentence = context.lib.sustain_error(context.handle).decode("utf-8", "replace") if report.failed else ""
        return report_of(report, sentence)

    def constants(self, *, batch: int = 1, seed: int = 0) -> Dict[str, float]:
        """The constants of the theory (``constants.h``), estimated near the start of the problem.

        Parameters
        ----------
        batch : int
            Samples of each draw.
        seed : int
            Names the draws.

        Returns
        -------
        dict
            By name; NaN where a constant is not known and cannot be estimated.
        """
        x, y = np.zeros(self.upper_dim, self.dtype), np.zeros(self.lower_dim, self.dtype)
        with Context(precision=self.precision) as context:
            bound = self._bind(context)
            start = bound.own_start()
            if start is not None:
                start(x.ctypes.data, y.ctypes.data)
            constants = context.lib.sustain_constants_unknown()
            context.run(
                "sustain_estimate_constants",
                context.handle,
                ctypes.byref(bound.problem),
                batch,
                seed,
                x.ctypes.data,
                y.ctypes.data,
                ctypes.byref(constants),
                python=self.in_python,
            )
        return {name: float(getattr(constants, name)) for name, *_ in constants._fields_}


class Problem(BaseProblem):
    """A bilevel problem from NumPy functions.

    Minimize f(x, y*(x)) over x, where y*(x) minimizes g(x, y) over y. f and g are means over
    samples; a function is given the draw as its first argument and returns the mean over it. The
    names are those of ``problem.h``. ``f``, ``grad_f``, ``g`` and ``grad_g`` are short for the
    first four.

    Parameters
    ----------
    upper_dim, lower_dim : int
        The dimensions of x and of y.
    f_value : callable
        ``f_value(batch, x, y)`` returns a number.
    f_grad : callable
        ``f_grad(batch, x, y)`` returns (gradient in x, gradient in y).
    g_value, g_grad_y : callable
        ``g_value(batch, x, y)`` returns a number, ``g_grad_y(batch, x, y)`` its gradient in y.
    g_hess_vec, g_cross_vec : callable, optional
        ``g_hess_vec(batch, x, y, v)`` returns the Hessian in y times v, (lower_dim);
        ``g_cross_vec(batch, x, y, v)`` returns the sums over j of d2g / dx_i dy_j v_j, (upper_dim).
        With these two every algorithm can be used.
    g_grad_x, g_hess, g_cross : callable, optional
        The gradient of g in x; the Hessian (lower_dim, lower_dim) and the cross derivatives
        (upper_dim, lower_dim) as matrices.
    project_x : callable, optional
        ``project_x(x)`` returns the nearest feasible x.
    initial : tuple of array_like, optional
        (x, y) at the start; default: zeros.
    samples : int or (int, int), optional
        Finite sums: how many samples the two levels have. Then ``batch`` is an array of sample
        numbers, with repeats, or None for all samples. Default: no samples; then ``batch`` is a
        `Draw`, or None for the expected value, and functions without noise ignore it.
    has_expectation : bool
        Without samples: the functions support ``batch`` None. Set it to False for streams.
    dtype : {numpy.float64, numpy.float32}, optional
        What to compute with. Default: float64 if the library for it is installed.
    name : str
        For messages.

    Notes
    -----
    Functions must be pure: the same arguments give the same result. An exception in one of them
    ends the run and is raised to the caller; `DropDraw` drops the draw. The arrays are copies, and
    may be kept.

    Examples
    --------
    >>> import numpy as np
    >>> problem = Problem(
    ...     1, 1,
    ...     f=lambda batch, x, y: 0.5 * (y[0] - 1) ** 2 + 0.5 * x[0] ** 2,
    ...     grad_f=lambda batch, x, y: (x, y - 1),
    ...     g=lambda batch, x, y: 0.5 * (y[0] - x[0]) ** 2,
    ...     grad_g=lambda batch, x, y: y - x,
    ...     g_hess_vec=lambda batch, x, y, v: v,
    ...     g_cross_vec=lambda batch, x, y, v: -v,
    ... )
    >>> bool(problem.check())
    True
    """

    def __init__(
        self,
        upper_dim: int,
        lower_dim: int,
        f_value: Optional[Callable] = None,
        f_grad: Optional[Callable] = None,
        g_value: Optional[Callable] = None,
        g_grad_y: Optional[Callable] = None,
        g_hess_vec: Optional[Callable] = None,
        g_cross_vec: Optional[Callable] = None,
        *,
        f: Optional[Callable] = None,
        grad_f: Optional[Callable] = None,
        g: Optional[Callable] = None,
        grad_g: Optional[Callable] = None,
        g_grad_x: Optional[Callable] = None,
        g_hess: Optional[Callable] = None,
        g_cross: Optional[Callable] = None,
        project_x: Optional[Callable] = None,
        initial: Optional[Tuple[Any, Any]] = None,
        samples: Union[int, Tuple[int, int], None] = None,
        has_expectation: bool = True,
        dtype: Any = None,
        name: str = "problem",
    ) -> None:
        self.upper_dim, self.lower_dim = int(upper_dim), int(lower_dim)
        self.precision = _precision(dtype)
        self.samples = _samples(samples)
        self.has_expectation = bool(has_expectation)
        self.name = str(name)
        self.project_x = project_x
        self.functions: Dict[str, Callable] = {}
        given = {
            "f_value": _one("f_value", f_value, "f", f),
            "f_grad": _one("f_grad", f_grad, "grad_f", grad_f),
            "g_value": _one("g_value", g_value, "g", g),
            "g_grad_y": _one("g_grad_y", g_grad_y, "grad_g", grad_g),
            "g_hess_vec": g_hess_vec,
            "g_cross_vec": g_cross_vec,
            "g_grad_x": g_grad_x,
            "g_hess": g_hess,
            "g_cross": g_cross,
        }
        for key, function in given.items():
            if function is None and key in _REQUIRED:
                raise TypeError(f"{key} is missing: a problem needs {', '.join(_REQUIRED)}")
            if function is not None and not callable(function):
                raise TypeError(f"{key} is not a function but {type(function).__name__}")
            if function is not None:
                self.functions[key] = function
        if self.upper_dim < 1 or self.lower_dim < 1:
            raise ValueError(f"the dimensions are {upper_dim} and {lower_dim}: both must be at least 1")
        self.initial = None if initial is None else (self._flat("x", initial[0]), self._flat("y", initial[1]))

    def _bind(self, context: Context) -> Bound:
        vectors = Vectors(self.dtype, self.upper_dim, self.lower_dim)
        ops = _api.sustain_problem_ops(name=self.name.encode())
        for name, function in self.functions.items():
            setattr(ops, name, OPS[name](oracle_of(name, function, vectors, context)))
        if self.project_x is not None:
            ops.project_x = OPS["project_x"](projection_of(self.project_x, vectors, context))
        structure = _api.sustain_problem(
            upper_dim=self.upper_dim,
            lower_dim=self.lower_dim,
            samples=self.samples,
            has_expectation=self.has_expectation,
        )
        bound = Bound(context, structure, ops)
        if self.initial is not None:
            bound.start_from(vectors.writer_of(*self.initial))
        return bound


def _one(name: str, function: Optional[Callable], short: str, other: Optional[Callable]) -> Optional[Callable]:
    if function is not None and other is not None:
        raise TypeError(f"{name} and {short} are the same function: give one of them")
    return function if function is not None else other


def _precision(dtype: Any) -> str:
    if dtype is None:
        return "double" if double_is_there() else "float"
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype is {kind}: the library computes with float32 or float64")
    return "double" if kind == np.dtype(np.float64) else "float"


def _samples(samples: Union[int, Tuple[int, int], None]) -> Tuple[int, int]:
    upper, lower = (0, 0) if samples is None else (samples, samples) if isinstance(samples, (int, np.integer)) else samples
    if upper < 0 or lower < 0:
        raise ValueError(f"samples is {samples}: the numbers of samples cannot be negative")
    return int(upper), int(lower)


class CompiledProblem(BaseProblem):
    """A problem that is compiled: a ``sustain_problem`` of C at an address.

    Parameters
    ----------
    address : int or ctypes pointer
        Of the structure. It must stay valid as long as this object.
    precision : {"float", "double"}
        What it is compiled for.
    keep : object, optional
        Is kept alive with this object: the library with the functions, arrays that they read.
    """

    in_python = False

    def __init__(self, address: Any, precision: str = "float", keep: Any = None) -> None:
        at = address if isinstance(address, int) else ctypes.cast(address, ctypes.c_void_p).value
        if not at:
            raise ValueError("the address of the problem is NULL")
        self.precision = load(precision).precision
        self.keep = keep
        self.structure = _api.sustain_problem.from_address(at)
        self.upper_dim, self.lower_dim = self.structure.upper_dim, self.structure.lower_dim

    def _bind(self, context: Context) -> Bound:
        ops = _api.sustain_problem_ops.from_buffer_copy(self.structure.ops.contents)
        structure = _api.sustain_problem.from_buffer_copy(self.structure)
        return Bound(context, structure, ops, keep=[self])


def quadratic(precision: str = "float", n_jobs: Optional[int] = None, **options: Any) -> CompiledProblem:
    """The problem with known answers of ``quadratic.h``, for tests and demonstrations.

    Parameters
    ----------
    precision : {"float", "double"}
        The library to use.
    n_jobs : int, optional
        Threads.
    **options
        Fields of ``sustain_quadratic_options``: ``upper_dim``, ``lower_dim``, ``samples``,
        ``mu_g``, ``noise_f`` and so on.

    Examples
    --------
    >>> problem = quadratic(upper_dim=5, lower_dim=3)
    >>> problem.upper_dim, problem.lower_dim
    (5, 3)
    """
    owner = _Quadratic(precision, n_jobs, options)
    return CompiledProblem(owner.pointer, precision, owner)


class _Quadratic:
    """Owns the context and the problem."""

    def __init__(self, precision: str, n_jobs: Optional[int], options: Dict[str, Any]) -> None:
        self.context = Context(n_jobs, precision=precision)
        values = _api.sustain_quadratic_options()
        self.context.lib.sustain_quadratic_defaults_for(ctypes.sizeof(values), ctypes.byref(values))
        names: List[str] = [field[0] for field in values._fields_ if field[0] != "size"]
        for name, value in options.items():
            if name not in names:
                raise TypeError(f'the problem has no option "{name}"; there are: {", ".join(names)}')
            setattr(values, name, value)
        self.pointer = ctypes.POINTER(_api.sustain_problem)()
        self.context.call("sustain_quadratic_create", self.context.handle, ctypes.byref(values), ctypes.byref(self.pointer))

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self.context.lib.sustain_quadratic_destroy(self.pointer)
            self.context.close()
