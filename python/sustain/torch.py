"""Bilevel problems from two PyTorch losses: all derivatives by autograd.

    problem = sustain.torch.Problem(f, g, x, y, f_data, g_data)
    result = sustain.minimize(problem, iterations=1000)
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import torch

from . import _api
from ._context import Context
from ._oracles import OPS, Vectors, array_at, guarded, indices
from ._problem import BaseProblem, Bound

__all__ = ["Problem"]

Tensors = Union[torch.Tensor, Mapping[str, torch.Tensor]]
_FAST: Dict[str, Any] = {field[0]: field[1] for field in _api.sustain_problem_fast._fields_}
_XI, _ZETA = _api.sustain_hyper_draw.xi.offset, _api.sustain_hyper_draw.zeta.offset
_BATCH = ctypes.sizeof(_api.sustain_batch)
_Gradients = Sequence[Optional[torch.Tensor]]
_Rows = Tuple[Any, ...]
memmove = ctypes.memmove


class Problem(BaseProblem):
    """A bilevel problem from two PyTorch losses.

    Minimize f(x, y*(x)) over x, where y*(x) minimizes g(x, y) over y.

    Parameters
    ----------
    f, g : callable
        The losses: ``f(x, y, batch)`` and ``g(x, y, batch)`` return one number each, the mean over
        the rows of ``batch``; without data, ``f(x, y)`` and ``g(x, y)``. g must be strongly convex
        in y. They must be pure: the same arguments give the same number (no dropout).
    x, y : Tensor or dict of Tensor
        The variables at the start, of one type, float32 or float64. The losses are given tensors in
        the same form.
    f_data, g_data : Tensor, tuple of Tensor or dict of Tensor, optional
        The rows that the losses are means over: ``batch`` has the same form with the rows drawn.
    project_x : callable, optional
        ``project_x(x)`` returns the nearest feasible x.
    name : str
        For messages.

    Notes
    -----
    float64 needs the library in double. Results of ``minimize`` have the form of x and y.

    Examples
    --------
    >>> import sustain, torch
    >>> import sustain.torch
    >>> a, b = torch.randn(2, 50, 3), torch.randn(2, 50)
    >>> def f(x, y, batch):
    ...     return ((batch[0] @ y - batch[1]) ** 2).mean()
    >>> def g(x, y, batch):
    ...     return ((batch[0] @ y - batch[1]) ** 2).mean() + (x.exp() * y ** 2).sum()
    >>> problem = sustain.torch.Problem(f, g, torch.zeros(3), torch.zeros(3), (a[0], b[0]), (a[1], b[1]))
    >>> sustain.minimize(problem, "soba", iterations=100, schedule="power").x.shape
    torch.Size([3])
    """

    def __init__(
        self,
        f: Callable[..., torch.Tensor],
        g: Callable[..., torch.Tensor],
        x: Tensors,
        y: Tensors,
        f_data: Any = None,
        g_data: Any = None,
        *,
        project_x: Optional[Callable[[Any], Any]] = None,
        name: str = "torch",
    ) -> None:
        if not callable(f) or not callable(g):
            raise TypeError("f and g must be functions of (x, y, batch)")
        self.f, self.g, self.project_x, self.name = f, g, project_x, str(name)
        self.start = {"x": _Form("x", x), "y": _Form("y", y)}
        dtypes = {tensor.dtype for form in self.start.values() for tensor in form.tensors}
        if len(dtypes) != 1 or not dtypes <= {torch.float32, torch.float64}:
            names = ", ".join(sorted(map(str, dtypes)))
            raise ValueError(f"x and y have the types {names}: all must be torch.float32 or all torch.float64")
        self.precision = "double" if dtypes == {torch.float64} else "float"
        self.upper_dim, self.lower_dim = self.start["x"].size, self.start["y"].size
        self.data = {"f": _Data("f_data", f_data), "g": _Data("g_data", g_data)}

    def _export(self, name: str, values: np.ndarray) -> Any:
        return self.start[name].of(torch.from_numpy(values))

    def _flat(self, name: str, value: Any) -> np.ndarray:
        form = _Form(name, value)
        if [tensor.shape for tensor in form.tensors] != [tensor.shape for tensor in self.start[name].tensors]:
            raise ValueError(f"{name} must have the form of the problem's {name}")
        return form.flat().to(_TORCH[self.precision]).numpy()

    def _bind(self, context: Context) -> Bound:
        oracles = _Oracles(self)
        ops = _api.sustain_problem_ops(name=self.name.encode())
        for name in ("f_value", "f_grad", "g_value", "g_grad_y", "g_grad_x", "g_hess_vec", "g_cross_vec"):
            setattr(ops, name, OPS[name](guarded(_with_gradients(getattr(oracles, name)), context)))
        if self.project_x is not None:
            ops.project_x = OPS["project_x"](guarded(oracles.project, context))
        fast = _api.sustain_problem_fast(size=ctypes.sizeof(_api.sustain_problem_fast))
        for name in ("hyper_pair", "g_grad_y_pair"):
            setattr(fast, name, _FAST[name](guarded(_with_gradients(getattr(oracles, name)), context)))
        ops.fast = ctypes.pointer(fast)
        samples = (self.data["f"].count, self.data["g"].count)
        structure = _api.sustain_problem(upper_dim=self.upper_dim, lower_dim=self.lower_dim, samples=samples, has_expectation=True)
        bound = Bound(context, structure, ops, keep=[fast])
        vectors = Vectors(self.dtype, self.upper_dim, self.lower_dim)
        bound.start_from(vectors.writer_of(self.start["x"].flat().numpy(), self.start["y"].flat().numpy()))
        return bound


_TORCH = {"float": torch.float32, "double": torch.float64}


class _Form:
    """A tensor or a dict of tensors, and the flat vector that the library sees."""

    def __init__(self, name: str, value: Any) -> None:
        self.names: Optional[List[str]] = list(value) if isinstance(value, Mapping) else None
        tensors = list(value.values()) if isinstance(value, Mapping) else [value]
        for tensor in tensors:
            if not isinstance(tensor, torch.Tensor):
                raise TypeError(f"{name} holds {type(tensor).__name__}: give a tensor or a dict of tensors")
        self.tensors: List[torch.Tensor] = [tensor.detach() for tensor in tensors]
        self.size = sum(tensor.numel() for tensor in tensors)
        if self.size == 0:
            raise ValueError(f"{name} has no elements")

    def of(self, flat: torch.Tensor) -> Any:
        """The parts of a flat vector in this form."""
        parts = torch.split(flat, [tensor.numel() for tensor in self.tensors])
        return self.shaped([part.reshape(tensor.shape).to(tensor.device) for part, tensor in zip(parts, self.tensors)])

    def shaped(self, tensors: List[torch.Tensor]) -> Any:
        return tensors[0] if self.names is None else dict(zip(self.names, tensors))

    def flat(self) -> torch.Tensor:
        return torch.cat([tensor.reshape(-1).cpu() for tensor in self.tensors])


class _Data:
    """The rows of one level."""

    def __init__(self, name: str, value: Any) -> None:
        self.value = value
        tensors = [] if value is None else list(value.values()) if isinstance(value, Mapping) else [value] if isinstance(value, torch.Tensor) else list(value)
        for tensor in tensors:
            if not isinstance(tensor, torch.Tensor) or tensor.dim() == 0:
                raise TypeError(f"{name} must be a tensor with rows, or a tuple or dict of such tensors")
        counts = {len(tensor) for tensor in tensors}
        if len(counts) > 1 or counts == {0} or (value is not None and not counts):
            raise ValueError(f"the tensors of {name} have {sorted(counts)} rows: all need the same number, at least 1")
        self.count = counts.pop() if counts else 0
        # A run draws into the same memory again and again: views of it are made once. They are read
        # only while the library hands out their address, hence never after the memory is freed.
        self.batches: Dict[int, Any] = {}
        self.views: Dict[Tuple[int, int], torch.Tensor] = {}
        self.pick: Callable[[torch.Tensor], Any]
        if isinstance(value, torch.Tensor):
            self.pick = lambda index: _select(value, index)
        elif isinstance(value, Mapping):
            self.pick = lambda index: {key: _select(tensor, index) for key, tensor in value.items()}
        else:
            self.pick = lambda index: tuple([_select(tensor, index) for tensor in tensors])

    def rows(self, address: Optional[int]) -> Tuple[Any, ...]:
        """The last argument of a loss: nothing, all rows, or the rows of the draw at an address."""
        if self.value is None:
            return ()
        if address is None:
            return (self.value,)
        batch = self.batches.get(address)
        if batch is None:
            batch = _kept(self.batches, address, _api.sustain_batch.from_address(address))
        place = batch.index, batch.size
        index = self.views.get(place)
        if index is None:
            index = _kept(self.views, place, torch.from_numpy(array_at(indices(batch.size), batch.index, np.int64)))
        return (self.pick(index),)


def _kept(cache: Dict[Any, Any], key: Any, value: Any) -> Any:
    """Adds an entry to a cache of bounded size."""
    if len(cache) >= 1024:
        cache.clear()
    cache[key] = value
    return value


def _select(tensor: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return tensor.index_select(0, index if tensor.device.type == "cpu" else index.to(tensor.device))


class _Leaves:
    """Tensors of a form in memory of their own: vectors of the library are copied to them, and gradients back."""

    def __init__(self, form: _Form, requires_grad: bool) -> None:
        self.names = form.names
        self.tensors = [torch.zeros_like(tensor, memory_format=torch.contiguous_format) for tensor in form.tensors]
        for tensor in self.tensors:
            tensor.requires_grad_(requires_grad)
        self.stages = [tensor if tensor.device.type == "cpu" else torch.zeros(tensor.shape, dtype=tensor.dtype) for tensor in self.tensors]
        self.on_cpu = all(stage is tensor for stage, tensor in zip(self.stages, self.tensors))
        ends = np.cumsum([stage.numel() * stage.element_size() for stage in self.stages]).tolist()
        sizes = [stage.numel() * stage.element_size() for stage in self.stages]
        self.places = [(stage.data_ptr(), end - size, size) for stage, end, size in zip(self.stages, ends, sizes)]

    def load(self, address: int) -> Any:
        """Copies the vector at an address; returns the tensors in their form."""
        for pointer, offset, size in self.places:
            memmove(pointer, address + offset, size)
        if not self.on_cpu:
            with torch.no_grad():
                for stage, tensor in zip(self.stages, self.tensors):
                    tensor.copy_(stage)
        return self.tensors[0] if self.names is None else dict(zip(self.names, self.tensors))

    def store(self, gradients: _Gradients, address: int) -> None:
        """Copies gradients to a vector at an address; None is zero."""
        for gradient, (_, offset, size) in zip(gradients, self.places):
            if gradient is None:
                ctypes.memset(address + offset, 0, size)
            else:
                if not (self.on_cpu and gradient.is_contiguous()):
                    gradient = gradient.detach().cpu().contiguous()
                memmove(address + offset, gradient.data_ptr(), size)


class _Oracles:
    """The functions of problem.h for one run."""

    def __init__(self, problem: Problem) -> None:
        self.f, self.g = problem.f, problem.g
        self.project_x = problem.project_x
        self.f_rows, self.g_rows = problem.data["f"].rows, problem.data["g"].rows
        self.x, self.y = (_Leaves(problem.start[name], True) for name in ("x", "y"))
        self.v = _Leaves(problem.start["y"], False)

    def f_value(self, own: Any, batch: Optional[int], x: int, y: int, value: int, work: Any) -> None:
        with torch.no_grad():
            loss = _loss("f", self.f(self.x.load(x), self.y.load(y), *self.f_rows(batch)))
        ctypes.c_double.from_address(value).value = loss.item()

    def g_value(self, own: Any, batch: Optional[int], x: int, y: int, value: int, work: Any) -> None:
        with torch.no_grad():
            loss = _loss("g", self.g(self.x.load(x), self.y.load(y), *self.g_rows(batch)))
        ctypes.c_double.from_address(value).value = loss.item()

    def f_grad(self, own: Any, batch: Optional[int], x: int, y: int, fx: int, fy: int, work: Any) -> None:
        gradients = self._f_grad(self.f_rows(batch), self.x.load(x), self.y.load(y))
        split = len(self.x.tensors)
        self.x.store(gradients[:split], fx)
        self.y.store(gradients[split:], fy)

    def _f_grad(self, rows: _Rows, x: Any, y: Any) -> _Gradients:
        return _gradients(_loss("f", self.f(x, y, *rows)), self.x.tensors + self.y.tensors)

    def g_grad_y(self, own: Any, batch: Optional[int], x: int, y: int, gy: int, work: Any) -> None:
        loss = _loss("g", self.g(self.x.load(x), self.y.load(y), *self.g_rows(batch)))
        gradients = _gradients(loss, self.y.tensors)
        self.y.store(gradients, gy)

    def g_grad_y_pair(
        self, own: Any, batch: Optional[int], x: int, y: int, x_prev: int, y_prev: int, gy: int, gy_prev: int, work: Any
    ) -> None:
        """The gradient of one draw at two points."""
        rows = self.g_rows(batch)
        for at_x, at_y, out in ((x, y, gy), (x_prev, y_prev, gy_prev)):
            loss = _loss("g", self.g(self.x.load(at_x), self.y.load(at_y), *rows))
            self.y.store(_gradients(loss, self.y.tensors), out)

    def g_grad_x(self, own: Any, batch: Optional[int], x: int, y: int, gx: int, work: Any) -> None:
        loss = _loss("g", self.g(self.x.load(x), self.y.load(y), *self.g_rows(batch)))
        gradients = _gradients(loss, self.x.tensors)
        self.x.store(gradients, gx)

    def g_hess_vec(self, own: Any, batch: Optional[int], x: int, y: int, v: int, out: int, work: Any) -> None:
        self.v.load(v)
        product = self._product(self.g_rows(batch), self.x.load(x), self.y.load(y), self.v.tensors, self.y.tensors)
        self.y.store(product, out)

    def g_cross_vec(self, own: Any, batch: Optional[int], x: int, y: int, v: int, out: int, work: Any) -> None:
        self.v.load(v)
        product = self._product(self.g_rows(batch), self.x.load(x), self.y.load(y), self.v.tensors, self.x.tensors)
        self.x.store(product, out)

    def _product(self, rows: _Rows, x: Any, y: Any, v: _Gradients, by: List[torch.Tensor]) -> _Gradients:
        """The derivative by some tensors of grad_y g times v."""
        loss = _loss("g", self.g(x, y, *rows))
        first = _gradients(loss, self.y.tensors, create_graph=True)
        pairs = [(a, b) for a, b in zip(first, v) if a is not None and b is not None and a.requires_grad]
        if not pairs:
            return [None] * len(by)
        return torch.autograd.grad([a for a, _ in pairs], by, [b for _, b in pairs], allow_unused=True)

    def hyper_pair(
        self, own: Any, draw: int, x: int, y: int, x_prev: Optional[int], y_prev: Optional[int], out: int, out_prev: Optional[int], work: Any
    ) -> None:
        """Equation (7) at one or two points in a single call from C: the rows are the same at both."""
        given = _api.sustain_hyper_draw.from_address(draw)
        zeta = ctypes.c_void_p.from_address(draw + _ZETA).value or 0
        f_rows = self.f_rows(draw + _XI)
        g_rows = [self.g_rows(zeta + i * _BATCH) for i in range(given.k + 1)]
        scales = (-1 / given.L_g, -given.K / given.L_g)
        self.x.store(self._hypergradient(f_rows, g_rows, scales, self.x.load(x), self.y.load(y)), out)
        if x_prev is not None and y_prev is not None and out_prev is not None:
            self.x.store(self._hypergradient(f_rows, g_rows, scales, self.x.load(x_prev), self.y.load(y_prev)), out_prev)

    def _hypergradient(self, f_rows: _Rows, g_rows: List[_Rows], scales: Tuple[float, float], x: Any, y: Any) -> _Gradients:
        gradients = self._f_grad(f_rows, x, y)
        split = len(self.x.tensors)
        v = gradients[split:]
        for rows in reversed(g_rows[1:]):  # v = prod_{i=1..k} (I - H_i / L_g) v
            product = self._product(rows, x, y, v, self.y.tensors)
            v = [_add(a, b, scales[0]) for a, b in zip(v, product)]
        cross = self._product(g_rows[0], x, y, v, self.x.tensors)
        return [_add(a, b, scales[1]) for a, b in zip(gradients[:split], cross)]

    def project(self, own: Any, x: int) -> None:
        if self.project_x is not None:
            with torch.no_grad():
                form = _Form("project_x", self.project_x(self.x.load(x)))
            self.x.store(form.tensors, x)


def _with_gradients(function: Callable[..., None]) -> Callable[..., None]:
    """The function itself where autograd is on, which is cheaper than to turn it on at each call."""
    return function if torch.is_grad_enabled() else torch.enable_grad()(function)


def _add(a: Optional[torch.Tensor], b: Optional[torch.Tensor], scale: float) -> Optional[torch.Tensor]:
    """a + scale b, where None is zero."""
    if b is None:
        return a
    return torch.mul(b, scale) if a is None else torch.add(a, b, alpha=scale)


def _gradients(loss: torch.Tensor, by: List[torch.Tensor], create_graph: bool = False) -> _Gradients:
    if not loss.requires_grad:
        return [None] * len(by)
    return torch.autograd.grad(loss, by, create_graph=create_graph, allow_unused=True)


def _loss(name: str, value: Any) -> torch.Tensor:
    if not isinstance(value, torch.Tensor) or value.numel() != 1:
        what = f"a tensor of shape {tuple(value.shape)}" if isinstance(value, torch.Tensor) else type(value).__name__
        raise TypeError(f"{name} returned {what}: a loss is a tensor with one number")
    return value
