#!/usr/bin/env python3
"""Golden trajectory of stocBiO: python3 stocbio.py > stocbio.csv. Ji, Yang, Liang, arXiv 2010.07962, Algorithms 2 and 3, on
small_problem.py. A factor has at most LARGEST samples."""
from math import ceil

from small_problem import *

SEED, BATCH, Q, L_G, ALPHA, BETA, W, P, D, SHRINK, LARGEST = 5, 2, 4, 4.0, 0.3, 0.4, 2, 0.5, 3, 0.7, 6


def estimate(t, x, y):
    d_f = draw(SEED, UPPER, t, BATCH)
    d_g = draw(SEED, HYPER, t, BATCH)
    eta = 1 / L_G
    r = f_y(d_f, x, y)  # r_Q
    total = list(r)
    for i in range(Q, 0, -1):  # r_{i-1} = (I - eta H(B_i)) r_i
        j = Q + 1 - i  # |B_{Q+1-j}| = B Q (1 - eta mu)^(j-1)
        size = min(LARGEST, ceil(BATCH * Q * SHRINK ** (j - 1)))
        r = add(r, -eta, hessian_times(draw(SEED, HYPER + j, t, size), x, y, r))
        total = add(total, 1, r)
    return add(f_x(d_f, x, y), -eta, cross_times(d_g, x, y, total))


def step(s, t):
    for i in range(D):
        s["y"] = add(s["y"], -BETA / (W + t) ** P, g_y(draw(SEED, LOWER, t * D + i, BATCH), s["x"], s["y"]))
    s["x"] = add(s["x"], -ALPHA / (W + t) ** P, estimate(t, s["x"], s["y"]))


run(step, {"x": [0.5, -0.25], "y": [0.75, -1.0]})
