"""soba.py - SOBA, eq. (10a) to (10c) of Dagreou et al. 2022: writes tests/golden/soba.csv. v as in the paper: it tends to -H^{-1} grad_y f."""
from coupled import LOWER, M, N, UPPER, X0, Y0, draw, grad_f, mean, parts_g, step, write

SEED, BATCH, ITERATIONS = 2024, 2, 200


def run():
    x, z, v = X0, Y0, [0.0] * N
    for t in range(ITERATIONS):
        gamma, rho = 0.4 / (4 + t) ** 0.25, 0.6 / (4 + t) ** 0.25
        g = [parts_g(i, x, z, v) for i in draw(SEED, LOWER, t, BATCH)]
        f = [grad_f(j, x, z) for j in draw(SEED, UPPER, t, BATCH)]
        D_z = mean([part[0] for part in g])
        D_v = [a + b for a, b in zip(mean([part[1] for part in g]), mean([part[1] for part in f]))]
        D_x = [a + b for a, b in zip(mean([part[2] for part in g]), mean([part[0] for part in f]))]
        z, v, x = step(z, rho, D_z), step(v, rho, D_v), step(x, gamma, D_x)
        if (t + 1) % 10 == 0 or t < 5:
            yield t + 1, x, z


assert len(X0) == M
write(run())
