#!/usr/bin/env python3
"""hoag.py - writes tests/golden/hoag.csv: HOAG (Pedregosa 2016, Algorithm 1) on the finite sum `coupled` of tests/fidelity/naive_problems.h.

Plain Python floats; nothing is shared with the C code but the problem, whose samples come from the same little hash. The lower level is solved
by gradient descent until the gradient is below 1e-14, the linear system by Gauss-Jordan elimination, the hypergradient checked once against a
central difference of f(x, y*(x)). Tolerances are eps_k = 1e-9 * 0.9^k, which enter the adaptive step only.

    python3 tests/golden/hoag.py > tests/golden/hoag.csv
"""
from math import exp, log1p, sqrt

M, N, SAMPLES, MASK = 6, 5, 40, (1 << 64) - 1


def uniform(a, b, c):
    z = (a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + c * 0x165667B19E3779F9) & MASK
    for _ in range(3):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z = z ^ (z >> 31)
    return (z >> 11) * 2.0**-52 - 1


def sigma(u):
    return 1 / (1 + exp(-u))


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


samples = []
for j in range(SAMPLES):
    a = [1.5 * uniform(1, j, i) for i in range(N)]
    c = [uniform(1, j, 100 + i) for i in range(M)]
    e = [0.3 * uniform(1, j, 200 + i) for i in range(M)]
    samples.append((a, c, e, -1 if 2 * uniform(1, j, 300) + sum(a) < 0 else 1))
B = [[uniform(7, j, i) for i in range(M)] for j in range(N)]


def f(x, y):
    return sum((t - 1) ** 2 / 4 for t in x) + sum(log1p(exp(dot(e, x) - b * dot(a, y))) for a, c, e, b in samples) / SAMPLES


def f_x(x, y):
    p = [sigma(dot(e, x) - b * dot(a, y)) / SAMPLES for a, c, e, b in samples]
    return [(x[i] - 1) / 2 + sum(q * s[2][i] for q, s in zip(p, samples)) for i in range(M)]


def f_y(x, y):
    p = [sigma(dot(e, x) - b * dot(a, y)) / SAMPLES for a, c, e, b in samples]
    return [-sum(q * s[3] * s[0][j] for q, s in zip(p, samples)) for j in range(N)]


def terms(x, y):
    """For each sample: its weight, the derivative of the weight's sigma, and sigma of minus the margin."""
    w = [sigma(dot(c, x)) for a, c, e, b in samples]
    return w, [sigma(-b * dot(a, y)) for a, c, e, b in samples]


def g_y(x, y):
    w, p = terms(x, y)
    ridge = [0.5 + sigma(dot(B[j], x)) for j in range(N)]
    return [ridge[j] * y[j] - sum((0.5 + u) * q * s[3] * s[0][j] for u, q, s in zip(w, p, samples)) / SAMPLES for j in range(N)]


def g_yy(x, y):
    w, p = terms(x, y)
    H = [[sum((0.5 + u) * q * (1 - q) * s[0][j] * s[0][l] for u, q, s in zip(w, p, samples)) / SAMPLES for l in range(N)] for j in range(N)]
    for j in range(N):
        H[j][j] += 0.5 + sigma(dot(B[j], x))
    return H


def g_xy_times(x, y, v):
    w, p = terms(x, y)
    out = [0.0] * M
    for j in range(N):
        r = sigma(dot(B[j], x))
        for i in range(M):
            out[i] += r * (1 - r) * B[j][i] * y[j] * v[j]
    for u, q, (a, c, e, b) in zip(w, p, samples):
        for i in range(M):
            out[i] -= u * (1 - u) * c[i] * q * b * dot(a, v) / SAMPLES
    return out


def lower(x, y):
    """y*(x): gradient descent; 5.75 bounds every Hessian."""
    y = list(y)
    for _ in range(5000):
        d = g_y(x, y)
        if sqrt(dot(d, d)) < 1e-14:
            break
        y = [t - s / 5.75 for t, s in zip(y, d)]
    return y


def solve(A, b):
    """Gauss-Jordan with pivots."""
    T = [row[:] + [r] for row, r in zip(A, b)]
    for k in range(N):
        pivot = max(range(k, N), key=lambda i: abs(T[i][k]))
        T[k], T[pivot] = T[pivot], T[k]
        T[k] = [t / T[k][k] for t in T[k]]
        for i in range(N):
            if i != k:
                T[i] = [t - T[i][k] * s for t, s in zip(T[i], T[k])]
    return [row[N] for row in T]


def gradient(x, y):
    v = solve(g_yy(x, y), f_y(x, y))
    return [a - b for a, b in zip(f_x(x, y), g_xy_times(x, y, v))]


def check(x):
    y, h = lower(x, [0.0] * N), 1e-5
    exact = gradient(x, y)
    for i in range(M):
        up, down = x[:], x[:]
        up[i] += h
        down[i] -= h
        assert abs((f(up, lower(up, y)) - f(down, lower(down, y))) / (2 * h) - exact[i]) < 1e-8


def main():
    x, y, L, before, d, eps_before = [0.25 * i - 0.5 for i in range(M)], [0.0] * N, 1 / 4, None, None, None
    check(x)
    print("# hoag on coupled: k, x, y; written by tests/golden/hoag.py")
    for k in range(1, 31):
        eps = 1e-9 * 0.9**k
        y = lower(x, y)
        value, h = f(x, y), gradient(x, y)
        if before is not None:
            if value <= before + eps + eps_before * (1 + d) - L * d * d / 2:
                L *= 0.95
            elif value > before:
                L *= 2
        x = [t - s / L for t, s in zip(x, h)]
        d, before, eps_before = sqrt(dot(h, h)) / L, value, eps
        print(",".join([str(k)] + ["%.17g" % t for t in x + y]))


main()
