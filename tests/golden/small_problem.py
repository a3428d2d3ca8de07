"""A small finite sum and its random draws, for the golden trajectories. Plain Python, written from the papers and from
Salmon et al. 2011 (Philox4x32-10), not from the C code.

   g_i(x,y) = sum_j [(1 + s_ij^2)/2 y_j^2 + phi(y_j - c_ij x_j)] + e_i y_0 y_1,    phi(u) = sqrt(1 + u^2)
   f_i(x,y) = sum_j [(y_j - d_ij)^2/2 + (x_j - 1)^2/10] + h_i x_0 y_1 / 5,          i = 0..6,  j = 0, 1
"""
SAMPLES = 7
LOWER, UPPER, TERMS, HYPER = 1, 2, 3, 64  # streams of random numbers: zeta, xi, k, and zeta^(0), zeta^(1), ... from HYPER on


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def uniform_index(seed, stream, t, i, n):
    out = philox([i >> 1, t & 0xFFFFFFFF, t >> 32, stream], [seed & 0xFFFFFFFF, seed >> 32])
    half = out[2 * (i & 1)] | out[2 * (i & 1) + 1] << 32
    return half * n >> 64


def draw(seed, stream, t, size):
    return [uniform_index(seed, stream, t, i, SAMPLES) for i in range(size)]


def data(i, j):
    s = ((3 * i + 2 * j) % 5) / 5
    c = ((i + 3 * j) % 4) / 2 - 0.5
    d = ((5 * i + j) % 6) / 3 - 1
    return s, c, d


def e(i):
    return ((2 * i) % 7) / 10 - 0.3


def h(i):
    return ((4 * i) % 5) / 2 - 1


def phi1(u):
    return u / (1 + u * u) ** 0.5


def phi2(u):
    return (1 + u * u) ** -1.5


def mean(batch, of):
    rows = [of(i) for i in batch]
    return [sum(r[j] for r in rows) / len(rows) for j in range(len(rows[0]))]


def f_x(batch, x, y):
    return mean(batch, lambda i: [(x[0] - 1) / 5 + h(i) * y[1] / 5, (x[1] - 1) / 5])


def f_y(batch, x, y):
    return mean(batch, lambda i: [y[0] - data(i, 0)[2], y[1] - data(i, 1)[2] + h(i) * x[0] / 5])


def g_y(batch, x, y):
    def one(i):
        out = []
        for j in (0, 1):
            s, c, _ = data(i, j)
            out.append((1 + s * s) * y[j] + phi1(y[j] - c * x[j]) + e(i) * y[1 - j])
        return out
    return mean(batch, one)


def hessian_times(batch, x, y, v):
    def one(i):
        out = []
        for j in (0, 1):
            s, c, _ = data(i, j)
            out.append((1 + s * s + phi2(y[j] - c * x[j])) * v[j] + e(i) * v[1 - j])
        return out
    return mean(batch, one)


def cross_times(batch, x, y, v):
    return mean(batch, lambda i: [-data(i, j)[1] * phi2(y[j] - data(i, j)[1] * x[j]) * v[j] for j in (0, 1)])


def add(a, factor, b):
    return [p + factor * q for p, q in zip(a, b)]


def run(step, state, iterations=60, every=5):
    """Writes x and y of every fifth iteration."""
    print("iteration,x0,x1,y0,y1")
    for t in range(iterations):
        step(state, t)
        if (t + 1) % every == 0:
            print(",".join([str(t + 1)] + [repr(v) for v in state["x"] + state["y"]]))
