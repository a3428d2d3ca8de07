"""saba.py - SABA, eq. (11a) to (11c) of Dagreou et al. 2022: writes tests/golden/saba.csv. The memory begins with all samples at the start."""
from coupled import LOWER, N, SAMPLES, UPPER, X0, Y0, draw, grad_f, mean, parts_g, step, write

SEED, BATCH, ITERATIONS = 2024, 2, 200


def saga(memory, which, index, now):
    """S[phi, w]: part `which` of what was seen now, less what these samples gave last, plus the mean of the memory."""
    new = mean([part[which] for part in now])
    old = mean([memory[i][which] for i in index])
    return [a - b + c for a, b, c in zip(new, old, mean([part[which] for part in memory]))]


def run():
    x, z, v = X0, Y0, [0.0] * N
    memory_g, memory_f = [parts_g(i, x, z, v) for i in range(SAMPLES)], [grad_f(j, x, z) for j in range(SAMPLES)]
    for t in range(ITERATIONS):
        gamma, rho = 0.4 / (4 + t) ** 0.25, 0.6 / (4 + t) ** 0.25
        i, j = draw(SEED, LOWER, t, BATCH), draw(SEED, UPPER, t, BATCH)
        g, f = [parts_g(k, x, z, v) for k in i], [grad_f(k, x, z) for k in j]
        D_z = saga(memory_g, 0, i, g)
        D_v = [a + b for a, b in zip(saga(memory_g, 1, i, g), saga(memory_f, 1, j, f))]
        D_x = [a + b for a, b in zip(saga(memory_g, 2, i, g), saga(memory_f, 0, j, f))]
        for k, part in zip(i, g):
            memory_g[k] = part
        for k, part in zip(j, f):
            memory_f[k] = part
        z, v, x = step(z, rho, D_z), step(v, rho, D_v), step(x, gamma, D_x)
        if (t + 1) % 10 == 0 or t < 5:
            yield t + 1, x, z


write(run())
