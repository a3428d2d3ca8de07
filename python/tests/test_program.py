"""The registry, and what goes through the program: compare, plan, the command line."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import sustain
from sustain._library import program


def test_solvers():
    found = sustain.solvers()
    names = [solver.name for solver in found]
    assert len(names) == len(set(names)) > 10 and "sustain" in names and "hoag" in names
    hoag = found.named("hoag")
    assert hoag.deterministic and "has_expectation" in hoag.needs
    schedule = found.named("sustain").parameters["schedule"]
    assert schedule.choices == ("auto", "power", "theory") and schedule.default == "auto"
    assert "sustain" in repr(found) and "<table>" in found._repr_html_()
    with pytest.raises(KeyError):
        found.named("sobaa")


def test_compare(tmp_path):
    found = sustain.compare("quadratic", ["sustain", "soba:batch=4"], runs=2, budget=60, upper_dim=3, lower_dim=3, out=tmp_path / "runs")
    rows = found.to_dict("records") if hasattr(found, "to_dict") else found
    assert {row["solver"] for row in rows} == {"sustain", "soba:batch=4"} or len({row["solver"] for row in rows}) == 2
    assert all(row["gap_low"] <= row["gap"] <= row["gap_high"] for row in rows)
    assert max(row["gradients"] for row in rows) >= 60
    assert (tmp_path / "runs" / "report.html").exists()
    with pytest.raises(ValueError, match="sobaa"):
        sustain.compare("quadratic", ["sobaa"])
    with pytest.raises(ValueError, match="nothing"):
        sustain.compare("nothing")


def test_plan():
    found = sustain.plan("quadratic", epsilon=0.1, noise_g=0.1)
    assert found["nonconvex"]["bound"] <= 0.1
    with pytest.raises(ValueError, match="L_g"):
        sustain.plan(mu_g=1.0)


def test_plan_of_an_own_problem():
    problem = sustain.Problem(
        2,
        2,
        f=lambda batch, x, y: 0.5 * np.sum((y - 1) ** 2),
        grad_f=lambda batch, x, y: (0 * x, y - 1),
        g=lambda batch, x, y: y @ y - x @ y,
        grad_g=lambda batch, x, y: 2 * y - x,
        g_hess_vec=lambda batch, x, y, v: 2 * v,
        g_cross_vec=lambda batch, x, y, v: -v,
    )
    constants = problem.constants()
    assert 1.5 < constants["mu_g"] <= 2.01 and 1.99 <= constants["L_g"] < 2.5 and math.isnan(constants["mu_f"])
    found = sustain.plan(problem, iterations=1e4, gap=1.0, distance=1.0)
    assert found["nonconvex"]["K"] >= 1 and found["constants"]["L_g"] == pytest.approx(constants["L_g"])


def test_the_command():
    done = subprocess.run([sys.executable, "-c", "from sustain._program import main; main()", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and sustain.__version__ in done.stdout
    assert subprocess.run([program(), "--version"], capture_output=True, text=True).stdout == done.stdout
