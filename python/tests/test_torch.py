"""Problems from PyTorch losses."""

from __future__ import annotations

import numpy as np
import pytest

import sustain
from sustain._problem import double_is_there

torch = pytest.importorskip("torch")
import sustain.torch  # noqa: E402

GIVEN = dict(schedule="power", L_g=10, alpha=0.05)  # steps that need no estimates, which take longer than these runs
needs_double = pytest.mark.skipif(not double_is_there(), reason="libsustain-double is not there")


def ridge(dtype=torch.float32, d=4, n=60, **options):
    """The problem of test_minimize.py."""
    generator = np.random.default_rng(0)
    a, a_valid = (torch.from_numpy(part).to(dtype) for part in generator.normal(size=(2, n, d)))
    truth = torch.from_numpy(generator.normal(size=d)).to(dtype)
    b, b_valid = (m @ truth + torch.from_numpy(generator.normal(size=n)).to(dtype) for m in (a, a_valid))

    def f(x, y, batch):
        return 0.5 * ((batch[0] @ y - batch[1]) ** 2).mean()

    def g(x, y, batch):
        return 0.5 * ((batch[0] @ y - batch[1]) ** 2).mean() + 0.5 * (x.exp() * y**2).sum()

    start = (torch.full((d,), -2.0, dtype=dtype), torch.zeros(d, dtype=dtype))
    return sustain.torch.Problem(f, g, *start, (a_valid, b_valid), (a, b), **options)


def network(dtype=torch.float32):
    """Dicts of tensors and of data: weights of classes above, a two-layer network's last layer below."""
    generator = torch.Generator().manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=dtype)

    data = {"rows": normal(30, 3), "labels": torch.arange(30) % 3}
    valid = {"rows": normal(20, 3), "labels": torch.arange(20) % 3}

    def scores(x, y, rows):
        return torch.tanh(rows @ x["first"]) @ y["last"] + y["bias"]

    def f(x, y, batch):
        return torch.nn.functional.cross_entropy(scores(x, y, batch["rows"]), batch["labels"])

    def g(x, y, batch):
        loss = torch.nn.functional.cross_entropy(scores(x, y, batch["rows"]), batch["labels"], reduction="none")
        penalty = sum((tensor**2).sum() for tensor in y.values())
        return (loss * torch.sigmoid(x["weight"])[batch["labels"]]).mean() + 0.05 * penalty

    x = {"first": normal(3, 2), "weight": torch.zeros(3, dtype=dtype), "unused": torch.zeros(2, dtype=dtype)}
    y = {"last": torch.zeros(2, 3, dtype=dtype), "bias": torch.zeros(3, dtype=dtype)}
    return sustain.torch.Problem(f, g, x, y, valid, data)


@pytest.mark.parametrize("make, dtype", [(network, torch.float32), pytest.param(ridge, torch.float64, marks=needs_double)])
def test_derivatives(make, dtype):
    report = make(dtype).check()
    assert report, report
    # Equation (7) in one call is compared with the plain functions.
    for name in ("hyper_pair", "g_grad_y_pair"):
        assert any(name in row.what and row.done for row in report.rows)


def test_the_same_as_numpy():
    from test_minimize import ridge as numpy_ridge

    one = sustain.minimize(ridge(), "soba", iterations=60, seed=1, **GIVEN)
    two = sustain.minimize(numpy_ridge(), "soba", iterations=60, seed=1, **GIVEN)
    assert np.allclose(one.x.numpy(), two.x, rtol=1e-4, atol=1e-5)
    assert np.allclose(one.y.numpy(), two.y, rtol=1e-4, atol=1e-5)


def test_dicts_and_determinism():
    problem = network()
    seen = []
    one = sustain.minimize(problem, "sustain", iterations=15, seed=1, **GIVEN, callback=lambda p: seen.append(p.x))
    two = sustain.minimize(problem, "sustain", iterations=15, seed=1, **GIVEN)
    assert set(one.x) == {"first", "weight", "unused"} and one.x["first"].shape == (3, 2) and one.y["last"].shape == (2, 3)
    assert all(torch.equal(one.x[name], two.x[name]) for name in one.x)
    assert torch.equal(one.x["unused"], torch.zeros(2)) and not torch.equal(one.x["first"], problem.start["x"].tensors[0])
    assert torch.equal(seen[-1]["first"], one.x["first"])
    resumed = sustain.minimize(problem, "sustain", iterations=5, x0=one.x, y0=one.y, alpha=0, schedule="power", L_g=10)
    assert torch.equal(resumed.x["first"], one.x["first"])


def test_without_data():
    problem = sustain.torch.Problem(
        lambda x, y: ((y - 1) ** 2).sum() + 0.1 * (x**2).sum(), lambda x, y: ((y - x) ** 2).sum(), torch.zeros(2), torch.zeros(2)
    )
    assert problem.check()
    assert torch.allclose(sustain.minimize(problem).x, torch.full((2,), 1 / 1.1), atol=0.01)


def test_projection_and_exceptions():
    problem = ridge(project_x=lambda x: x.clamp(-1, 1))
    assert sustain.minimize(problem, "sustain", iterations=20, **GIVEN).x.abs().max() <= 1

    def broken(x, y, batch):
        raise ZeroDivisionError("mine")

    problem = ridge()
    problem.g = broken
    with pytest.raises(ZeroDivisionError, match="mine"):
        sustain.minimize(problem, "soba", iterations=10, **GIVEN)
    problem.g = lambda x, y, batch: batch[0] @ y
    with pytest.raises(TypeError, match="shape"):
        sustain.minimize(problem, "soba", iterations=10, batch=2, **GIVEN)


def test_refusals():
    x = torch.zeros(2)
    with pytest.raises(TypeError, match="functions"):
        sustain.torch.Problem(1, abs, x, x)
    with pytest.raises(TypeError, match="tensor"):
        sustain.torch.Problem(abs, abs, [1.0], x)
    with pytest.raises(ValueError, match="types"):
        sustain.torch.Problem(abs, abs, x, x.double())
    with pytest.raises(ValueError, match="types"):
        sustain.torch.Problem(abs, abs, x.half(), x.half())
    with pytest.raises(ValueError, match="rows"):
        sustain.torch.Problem(abs, abs, x, x, (torch.zeros(3), torch.zeros(4)))
    with pytest.raises(TypeError, match="f_data"):
        sustain.torch.Problem(abs, abs, x, x, [1, 2])
    with pytest.raises(ValueError, match="no elements"):
        sustain.torch.Problem(abs, abs, torch.zeros(0), x)
    with pytest.raises(ValueError, match="form"):
        sustain.minimize(ridge(), "soba", iterations=10, x0=torch.zeros(9))
