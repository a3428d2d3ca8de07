"""Own problems: derivatives are checked, runs end where they should, and nothing is lost."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sustain
from sustain._problem import double_is_there

needs_double = pytest.mark.skipif(not double_is_there(), reason="libsustain-double is not there")
DTYPES = [np.float32, pytest.param(np.float64, marks=needs_double)]


def ridge(dtype=np.float32, n=60, d=4, **changes):
    """One penalty for each coefficient of a ridge regression, as a finite sum: the paper's form of a penalty problem."""
    generator = np.random.default_rng(0)
    a, a_valid = generator.normal(size=(2, n, d))
    truth = generator.normal(size=d)
    b, b_valid = a @ truth + generator.normal(size=n), a_valid @ truth + generator.normal(size=n)

    def rows(batch, a, b):
        return (a, b) if batch is None else (a[batch], b[batch])

    def f_value(batch, x, y):
        a, b = rows(batch, a_valid, b_valid)
        return 0.5 * np.mean((a @ y - b) ** 2)

    def f_grad(batch, x, y):
        a, b = rows(batch, a_valid, b_valid)
        return np.zeros_like(x), a.T @ (a @ y - b) / len(b)

    def g_value(batch, x, y):
        a_batch, b_batch = rows(batch, a, b)
        return 0.5 * np.mean((a_batch @ y - b_batch) ** 2) + 0.5 * np.sum(np.exp(x) * y**2)

    def g_grad_y(batch, x, y):
        a_batch, b_batch = rows(batch, a, b)
        return a_batch.T @ (a_batch @ y - b_batch) / len(b_batch) + np.exp(x) * y

    def g_hess_vec(batch, x, y, v):
        a_batch, _ = rows(batch, a, b)
        return a_batch.T @ (a_batch @ v) / len(a_batch) + np.exp(x) * v

    def g_cross_vec(batch, x, y, v):
        return np.exp(x) * y * v

    functions = dict(f_value=f_value, f_grad=f_grad, g_value=g_value, g_grad_y=g_grad_y, g_hess_vec=g_hess_vec, g_cross_vec=g_cross_vec)
    functions.update(changes)
    return sustain.Problem(d, d, samples=n, dtype=dtype, initial=(np.full(d, -2.0), np.zeros(d)), **functions)


@pytest.mark.parametrize("dtype", DTYPES)
def test_check_passes_and_finds_a_wrong_derivative(dtype):
    report = ridge(dtype).check()
    assert report, report
    assert report.failed == 0 and "checks passed" in repr(report)
    assert "<table>" in report._repr_html_()
    wrong = ridge(dtype, g_cross_vec=lambda batch, x, y, v: np.exp(x) * y).check()
    assert not wrong
    assert any(row.oracle == "g_cross_vec" and not row.passed for row in wrong.rows)
    assert "g_cross_vec" in wrong.sentence
    with pytest.raises(ValueError, match="g_cross_vec"):
        wrong.raise_if_failed()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("solver", ["auto", "sustain", "soba"])
def test_solvers_reach_the_solution(dtype, solver):
    problem = ridge(dtype)
    result = sustain.minimize(problem, solver, iterations=300, **({} if solver in ("auto", "hoag") else {"batch": 8}))
    assert result.stop == "ITERATIONS" or result.stop == "GRADIENT"
    assert result.x.dtype == dtype and result.x.shape == (4,)
    best = sustain.minimize(problem, "hoag", iterations=100).upper_value
    assert result.upper_value < best + 0.03
    assert result.upper_value < result.history.upper_value[0]
    assert result.counts["gradients_upper"] > 0


def test_result_and_history_show_themselves():
    result = sustain.minimize(ridge(), "sustain", iterations=200, batch=4, seed=3)
    assert result.solver == "sustain" and result.parameters["batch"] == "4" and result.parameters["seed"] == "3"
    assert result.reason == "all iterations are done"
    history = result.history
    assert len(history) == len(history.iteration) == len(history["upper_value"]) >= 50
    assert history.iteration[-1] == 200 and np.all(np.diff(history.iteration) > 0)
    assert "<svg" in result._repr_html_() and "sustain" in repr(result)
    with pytest.raises(AttributeError):
        history.nothing
    pandas = pytest.importorskip("pandas")
    assert isinstance(history.to_frame(), pandas.DataFrame)


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = sustain.minimize(ridge(), "sustain", iterations=100).history.plot()
    assert axes.get_ylabel() == "upper value" and len(axes.lines) == 1


def test_same_seed_same_bits_in_threads():
    expected = sustain.minimize(ridge(), "sustain", iterations=40, seed=5)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: sustain.minimize(ridge(), "sustain", iterations=40, seed=5), range(8)))
    for result in results:
        assert result.x.tobytes() == expected.x.tobytes() and result.y.tobytes() == expected.y.tobytes()


def test_callback_stops_and_its_exception_comes_out_as_itself(tmp_path):
    seen = []

    def callback(progress):
        seen.append((progress.iteration, progress.x.copy(), progress.y))
        return len(seen) == 3

    result = sustain.minimize(ridge(), "sustain", iterations=1000, every=10, callback=callback)
    assert result.stop == "OBSERVER" and len(seen) == 3
    assert np.array_equal(seen[-1][1], result.x)

    class Own(Exception):
        pass

    def broken(progress):
        raise Own("mine")

    path = tmp_path / "state"
    with pytest.raises(Own, match="mine"):
        sustain.minimize(ridge(), "sustain", iterations=1000, callback=broken, checkpoint=path)
    assert path.exists()


@pytest.mark.parametrize("name", ["f_value", "f_grad", "g_grad_y", "g_hess_vec", "g_cross_vec"])
def test_exception_in_a_function_comes_out_as_itself(name):
    def broken(*arguments):
        raise ZeroDivisionError(name)

    with pytest.raises(ZeroDivisionError, match=name):
        sustain.minimize(ridge(**{name: broken}), "sustain", iterations=100)
    with pytest.raises(ZeroDivisionError, match=name):
        ridge(**{name: broken}).check()


def test_wrong_results_of_functions():
    for result, error in [(np.zeros(3), ValueError), (None, ValueError), ("text", ValueError), (np.zeros((4, 1)), ValueError)]:
        with pytest.raises(error, match="g_grad_y"):
            sustain.minimize(ridge(g_grad_y=lambda batch, x, y: result), "sustain", iterations=10)
    with pytest.raises(TypeError, match="two arrays"):
        sustain.minimize(ridge(f_grad=lambda batch, x, y: y), "sustain", iterations=10)
    with pytest.raises(TypeError):
        sustain.minimize(ridge(f_value=lambda batch, x, y: None), "sustain", iterations=10)
    with pytest.raises(ArithmeticError):
        sustain.minimize(ridge(g_grad_y=lambda batch, x, y: y * np.nan), "sustain", iterations=10)


def test_warns_of_a_function_that_is_not_finite():
    def gradient(batch, x, y):
        return y - np.sin(x) if x[0] < 0.5 else np.full(1, np.nan)

    problem = sustain.Problem(
        1,
        1,
        f_value=lambda batch, x, y: 0.5 * (y[0] - 1) ** 2 + x[0] ** 2 / 20,
        f_grad=lambda batch, x, y: (x / 10, y - 1),
        g_value=lambda batch, x, y: 0.5 * (y[0] - np.sin(x[0])) ** 2,
        g_grad_y=gradient,
        g_hess_vec=lambda batch, x, y, v: v,
        g_cross_vec=lambda batch, x, y, v: -np.cos(x) * v,
    )
    with pytest.warns(RuntimeWarning, match="diverged . times"):  # the solution is at 0.97
        sustain.minimize(problem)
    with pytest.raises(ArithmeticError, match="g_grad_y .* returned nan"):
        sustain.minimize(problem, check=True)


def test_dropped_draws():
    problem = ridge()
    own = problem.functions["f_grad"]

    def sometimes(batch, x, y):
        if batch is not None and batch[0] % 7 == 0:
            raise sustain.DropDraw
        return own(batch, x, y)

    result = sustain.minimize(ridge(f_grad=sometimes), "sustain", iterations=60)
    assert result.dropped > 0 and result.stop == "ITERATIONS"


def test_resumed_run_has_the_bits_of_an_uninterrupted_one(tmp_path):
    path = tmp_path / "state"
    expected = sustain.minimize(ridge(), "sustain", iterations=200, every=20, seed=2)
    stopped = sustain.minimize(ridge(), "sustain", iterations=200, every=20, seed=2, checkpoint=path, callback=lambda p: p.iteration >= 80)
    assert stopped.stop == "OBSERVER" and stopped.iterations == 80
    resumed = sustain.minimize(ridge(), "sustain", iterations=200, every=20, checkpoint=path)
    assert resumed.x.tobytes() == expected.x.tobytes() and resumed.y.tobytes() == expected.y.tobytes()
    assert resumed.counts == expected.counts and resumed.iterations == 200
    often = sustain.minimize(ridge(), "sustain", iterations=200, every=20, seed=2, checkpoint=tmp_path / "other", checkpoint_seconds=0)
    assert often.x.tobytes() == expected.x.tobytes() and often.stop == "ITERATIONS"
    path.write_bytes(b"damaged")
    with pytest.raises(ValueError, match="state"):
        sustain.minimize(ridge(), "sustain", iterations=600, checkpoint=path)
    with pytest.raises(OSError):
        sustain.minimize(ridge(), "sustain", iterations=10, checkpoint=tmp_path / "no" / "folder")


def test_interrupt_leaves_a_checkpoint(tmp_path):
    """Ctrl-C in a run of Python functions: KeyboardInterrupt, and a file from which the run is resumed to the same bits."""
    path = tmp_path / "state"
    problem = ridge()
    iterations = []

    def callback(progress):
        iterations.append(progress.iteration)
        if len(iterations) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sustain.minimize(problem, "sustain", iterations=10**9, every=20, seed=4, checkpoint=path, callback=callback)
    assert path.exists() and iterations
    end = iterations[-1] + 40
    expected = sustain.minimize(problem, "sustain", iterations=end, every=20, seed=4)
    resumed = sustain.minimize(problem, "sustain", iterations=end, every=20, checkpoint=path)
    assert resumed.x.tobytes() == expected.x.tobytes()


def test_a_stream_with_draws():
    """g has noise that a key names; the expected value is not available."""

    def noise(batch):
        return batch.generator().normal(size=(batch.size, 2)).mean(axis=0)

    problem = sustain.Problem(
        2,
        2,
        f=lambda batch, x, y: 0.5 * np.sum((y - 1) ** 2) + 0.05 * np.sum(x**2),
        grad_f=lambda batch, x, y: (0.1 * x, y - 1),
        g=lambda batch, x, y: 0.5 * np.sum((y - x) ** 2) + 0.1 * noise(batch) @ y,
        grad_g=lambda batch, x, y: y - x + 0.1 * noise(batch),
        g_hess_vec=lambda batch, x, y, v: v,
        g_cross_vec=lambda batch, x, y, v: -v,
        has_expectation=False,
    )
    assert problem.check()
    result = sustain.minimize(problem, "sustain", iterations=300, batch=4)
    assert np.allclose(result.x, 1 / 1.1, atol=0.15)
    with pytest.raises(ValueError, match="hoag"):
        sustain.minimize(problem, "hoag", iterations=10)


def test_start_and_projection():
    problem = ridge()
    first = []
    sustain.minimize(problem, "sustain", iterations=1, every=1, x0=[1, 2, 3, 4], callback=lambda p: first.append(p.x), alpha=0, schedule="power")
    assert np.array_equal(first[0], np.array([1, 2, 3, 4], np.float32))
    box = ridge(project_x=lambda x: np.clip(x, -1, 1))
    assert np.all(np.abs(sustain.minimize(box, "sustain", iterations=200).x) <= 1)
    compiled = sustain.quadratic(upper_dim=3, lower_dim=2)
    sustain.minimize(compiled, "sustain", iterations=1, every=1, x0=np.ones(3), callback=lambda p: first.append(p.x), alpha=0, schedule="power")
    assert np.array_equal(first[-1], np.ones(3, np.float32))


def test_refusals():
    problem = ridge()
    with pytest.raises(ValueError, match="soba"):
        sustain.minimize(problem, "sobaa", iterations=10)
    with pytest.raises(ValueError, match="batch"):
        sustain.minimize(problem, "sustain", iterations=10, bacth=3)
    with pytest.raises(ValueError, match="batch"):
        sustain.minimize(problem, "sustain", iterations=10, batch=0)
    for iterations in (0, -3, 1.5, True):
        with pytest.raises(ValueError, match="iterations"):
            sustain.minimize(problem, "sustain", iterations=iterations)
    with pytest.raises(TypeError, match="Problem"):
        sustain.minimize(lambda x: x, "sustain", iterations=10)
    with pytest.raises(ValueError, match="x has shape"):
        sustain.minimize(problem, "sustain", iterations=10, x0=np.zeros(3))
    with pytest.raises(TypeError, match="f_grad"):
        sustain.Problem(1, 1, f=abs, g=abs, grad_g=abs)
    with pytest.raises(TypeError, match="not a function"):
        sustain.Problem(1, 1, f=abs, grad_f=3, g=abs, grad_g=abs)
    with pytest.raises(TypeError, match="same function"):
        sustain.Problem(1, 1, f=abs, f_value=abs, grad_f=abs, g=abs, grad_g=abs)
    with pytest.raises(ValueError, match="dimensions"):
        sustain.Problem(0, 1, f=abs, grad_f=abs, g=abs, grad_g=abs)
    with pytest.raises(ValueError, match="dtype"):
        sustain.Problem(1, 1, f=abs, grad_f=abs, g=abs, grad_g=abs, dtype=np.int32)
    with pytest.raises(ValueError, match="g_hess_vec"):
        sustain.minimize(sustain.Problem(1, 1, f=abs, grad_f=abs, g=abs, grad_g=abs), "sustain", iterations=10)
    with pytest.raises(TypeError, match="no option"):
        sustain.quadratic(nothing=1)
    with pytest.raises(ValueError, match="NULL"):
        sustain.CompiledProblem(0)


def test_compiled_problem():
    problem = sustain.quadratic(upper_dim=6, lower_dim=5, samples=40)
    assert problem.check()
    one = sustain.minimize(problem, "soba", iterations=500, n_jobs=2)
    two = sustain.minimize(problem, "soba", iterations=500)
    assert one.x.tobytes() == two.x.tobytes()


def test_usual_limits_and_seconds():
    result = sustain.minimize(sustain.quadratic(), "hoag")
    assert result.iterations <= 200 and result.stop in ("ITERATIONS", "PATIENCE")
    result = sustain.minimize(sustain.quadratic(), "sustain", seconds=0.05)
    assert result.stop == "SECONDS" and result.seconds >= 0.05


def test_memory_is_flat():
    """Runs leave no objects behind."""

    def objects():
        gc.collect()
        return len(gc.get_objects())

    problem = ridge()
    sustain.minimize(problem, "sustain", iterations=10)
    before = objects()
    gc.disable()
    try:
        for _ in range(20):
            sustain.minimize(problem, "sustain", iterations=2, x0=np.zeros(4))
        assert len(gc.get_objects()) - before < 200
    finally:
        gc.enable()


def test_progress_on_a_terminal(tmp_path):
    script = """
    import sys, sustain
    from sustain._progress import _Line, progress_bar
    import sustain._progress as p
    p._DELAY = p._PAUSE = 0
    sys.modules["tqdm"] = None
    sustain.minimize(sustain.quadratic(), "sustain", iterations=1000, progress=True)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert done.returncode == 0 and "upper value" in done.stderr and "100 %" in done.stderr
