"""coupled.py - the problem `coupled` of tests/fidelity/naive_problems.h and the draws of the library, written again in plain Python.

Scripts beside it compute trajectories of algorithms on it: python3 tests/golden/NAME.py > tests/golden/NAME.csv"""
from math import exp

M, N, SAMPLES = 6, 5, 40
MASK = (1 << 64) - 1
LOWER, UPPER = 1, 2  # streams of random numbers
X0, Y0 = [0.5, -0.25, 0.125, 0.0, -0.5, 0.25], [0.25, 0.0, -0.5, 0.125, 0.5]


def philox(counter, key):
    """Philox4x32-10, Salmon et al. 2011."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def draw(seed, stream, t, size):
    """Numbers of samples, with replacement."""
    index = []
    for j in range(size):
        word = philox([j >> 1, t & 0xFFFFFFFF, t >> 32, stream], [seed & 0xFFFFFFFF, seed >> 32])
        half = word[2 * (j & 1)] | word[2 * (j & 1) + 1] << 32
        index.append(half * SAMPLES >> 64)
    return index


def uniform(a, b, c):
    """On [-1, 1]."""
    z = (a * 0x9E3779B97F4A7C15 + b * 0xC2B2AE3D27D4EB4F + c * 0x165667B19E3779F9) & MASK
    for _ in range(3):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z = z ^ (z >> 31)
    return (z >> 11) * 2.0**-52 - 1


def sigma(u):
    return 1 / (1 + exp(-u))


def dot(a, b):
    return sum(s * t for s, t in zip(a, b))


def make_sample(i):
    a = [1.5 * uniform(1, i, j) for j in range(N)]
    c = [uniform(1, i, 100 + j) for j in range(M)]
    e = [0.3 * uniform(1, i, 200 + j) for j in range(M)]
    return a, c, e, -1.0 if 2 * uniform(1, i, 300) + sum(a) < 0 else 1.0


SAMPLE = [make_sample(i) for i in range(SAMPLES)]
RIDGE = [[uniform(7, j, i) for i in range(M)] for j in range(N)]


def grad_f(j, x, y):
    """grad_x f and grad_y f of one sample."""
    a, _, e, b = SAMPLE[j]
    p = sigma(dot(e, x) - b * dot(a, y))
    return [(x[i] - 1) / 2 + p * e[i] for i in range(M)], [-p * b * a_k for a_k in a]


def parts_g(i, x, y, v):
    """grad_y g, grad^2_yy g v and grad^2_xy g v of one sample."""
    a, c, _, b = SAMPLE[i]
    r, w, p = [sigma(dot(B, x)) for B in RIDGE], sigma(dot(c, x)), sigma(-b * dot(a, y))
    gy = [(0.5 + r[j]) * y[j] - (0.5 + w) * p * b * a[j] for j in range(N)]
    Hv = [(0.5 + r[j]) * v[j] + (0.5 + w) * p * (1 - p) * a[j] * dot(a, v) for j in range(N)]
    Jv = [sum(r[j] * (1 - r[j]) * RIDGE[j][l] * y[j] * v[j] for j in range(N)) - w * (1 - w) * c[l] * p * b * dot(a, v) for l in range(M)]
    return gy, Hv, Jv


def mean(vectors):
    return [sum(entries) / len(vectors) for entries in zip(*vectors)]


def step(z, size, D):
    return [a - size * d for a, d in zip(z, D)]


def write(trajectory):
    print(",".join(["t"] + ["x%d" % i for i in range(M)] + ["y%d" % j for j in range(N)]))
    for t, x, y in trajectory:
        print(",".join([str(t)] + ["%.17g" % number for number in x + y]))
