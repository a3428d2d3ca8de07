#!/usr/bin/env python3
"""Golden trajectory of MRBO: python3 mrbo.py > mrbo.csv. Yang, Ji, Liang, arXiv 2106.04692, Algorithm 1, on small_problem.py. The
momentum's coefficients are those of the library's schedule: 1 at first, then min(1, c/(w+t)^(2p))."""
from small_problem import *

SEED, BATCH, Q, L_G, ALPHA, BETA, W, P, C_F, C_G = 5, 2, 4, 4.0, 0.3, 0.4, 2, 1 / 3, 0.8, 1.2


def estimate(t, x, y):
    b_f, b_g, eta = draw(SEED, UPPER, t, BATCH), draw(SEED, HYPER, t, BATCH), 1 / L_G
    total = [0.0, 0.0]
    for q in range(-1, Q):  # (3): eta sum_{q=-1..Q-1} prod_{j=Q-q..Q} (I - eta H(B_j)) grad_y F
        v = f_y(b_f, x, y)
        for j in range(Q, Q - q - 1, -1):
            v = add(v, -eta, hessian_times(draw(SEED, HYPER + 1 + Q - j, t, BATCH), x, y, v))
        total = add(total, 1, v)
    return add(f_x(b_f, x, y), -eta, cross_times(b_g, x, y, total))


def step(s, t):
    x, y, b_y = s["x"], s["y"], draw(SEED, LOWER, t, BATCH)
    decay = (W + t) ** -P
    v, u = estimate(t, x, y), g_y(b_y, x, y)
    if t > 0:
        keep_f, keep_g = 1 - min(1, C_F * decay ** 2), 1 - min(1, C_G * decay ** 2)
        v = add(v, keep_f, add(s["v"], -1, estimate(t, *s["before"])))
        u = add(u, keep_g, add(s["u"], -1, g_y(b_y, *s["before"])))
    s.update(v=v, u=u, before=(x, y), x=add(x, -ALPHA * decay, v), y=add(y, -BETA * decay, u))


run(step, {"x": [0.5, -0.25], "y": [0.75, -1.0]})
