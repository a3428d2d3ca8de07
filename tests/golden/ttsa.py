#!/usr/bin/env python3
"""Golden trajectory of TTSA: python3 ttsa.py > ttsa.csv. Hong, Wai, Wang, Yang, arXiv 2007.05170, Algorithm 1, on small_problem.py."""
from small_problem import *

SEED, BATCH, K, L_G, ALPHA, BETA, W, P, Q = 5, 2, 4, 4.0, 0.3, 0.4, 2, 0.6, 0.4


def estimate(t, x, y):
    xi = draw(SEED, UPPER, t, BATCH)
    p = uniform_index(SEED, TERMS, t, 0, K)
    v = f_y(xi, x, y)
    for i in range(p, 0, -1):  # prod_{i=1..p} (I - H_i/L_g): the last factor acts first
        v = add(v, -1 / L_G, hessian_times(draw(SEED, HYPER + i, t, BATCH), x, y, v))
    return add(f_x(xi, x, y), -K / L_G, cross_times(draw(SEED, HYPER, t, BATCH), x, y, v))


def step(s, t):
    s["y"] = add(s["y"], -BETA / (W + t) ** Q, g_y(draw(SEED, LOWER, t, BATCH), s["x"], s["y"]))
    s["x"] = add(s["x"], -ALPHA / (W + t) ** P, estimate(t, s["x"], s["y"]))


run(step, {"x": [0.5, -0.25], "y": [0.75, -1.0]})
