#!/usr/bin/env python3
"""Golden numbers of the problem `regtune`: python3 regtune.py > regtune.csv

Only f and g are written down here, from the formulas in include/sustain/regtune.h; every derivative comes from them by forward
differentiation with dual numbers, so that a wrong derivative in src/problems has no twin here. The data are made of integers
by a rule that tests/oracle/test_regtune.c repeats. One row: loss, penalty, intercept, quantity, and its numbers.
"""
import math

ROWS, DIM, CLASSES, GROUP, GROUPS = (7, 5), 4, 3, (1, 0, 1, 2), 3  # rows: training, validation
FLOOR = 0.03125


class Dual:
    """a + b e with e^2 = 0; a and b are numbers or duals."""

    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, o):
        return Dual(self.a + o.a, self.b + o.b) if isinstance(o, Dual) else Dual(self.a + o, self.b)

    def __mul__(self, o):
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a) if isinstance(o, Dual) else Dual(self.a * o, self.b * o)

    def __neg__(self):
        return Dual(-self.a, -self.b)

    def __sub__(self, o):
        return self + (-o)

    def __rsub__(self, o):
        return (-self) + o

    __radd__, __rmul__ = __add__, __mul__


def exp(v):
    if isinstance(v, Dual):
        e = exp(v.a)
        return Dual(e, e * v.b)
    return math.exp(v)


def inverse(v):
    if isinstance(v, Dual):
        i = inverse(v.a)
        return Dual(i, -(i * i * v.b))
    return 1 / v


def log(v):
    return Dual(log(v.a), inverse(v.a) * v.b) if isinstance(v, Dual) else math.log(v)


def mixed(a, b, c):
    """An integer in 0 .. 4095 from three."""
    return ((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761 % 2 ** 32) >> 20


def feature(level, i, j):
    h = mixed(level + 1, i + 1, j + 1)
    return 0.0 if h % 3 == 0 else (h - 2048) / 1024


def point(which, i):
    return (mixed(which + 10, 3, i + 1) - 2048) / 2048


def label(level, i, classes):
    return mixed(level + 20, i + 1, 5) % classes


class Problem:
    def __init__(self, loss, penalty, intercept):
        self.loss, self.penalty, self.intercept = loss, penalty, intercept
        self.width = CLASSES if loss == "softmax" else 1
        self.upper = {"feature": DIM, "group": GROUPS, "class": CLASSES, "single": 1}[penalty]
        self.lower = (DIM + intercept) * self.width

    def place(self, j, k):
        """Of the weight of feature j for class k in y: (classes, features), then the intercepts."""
        return k * DIM + j if j < DIM else DIM * self.width + k

    def row_loss(self, level, i, y):
        a = [feature(level, i, j) for j in range(DIM)] + [1.0] * self.intercept
        s = []
        for k in range(self.width):
            t = 0.0
            for j, v in enumerate(a):
                t = t + y[self.place(j, k)] * v
            s.append(t)
        if self.loss == "logistic":
            b = 2 * label(level, i, 2) - 1
            return log(1 + exp(s[0] * -b))
        if self.loss == "squared":
            d = s[0] - (mixed(level + 30, i + 1, 5) - 2048) / 1024
            return d * d * 0.5
        total = 0.0
        for t in s:
            total = total + exp(t)
        return log(total) - s[label(level, i, CLASSES)]

    def mean(self, level, y):
        total = 0.0
        for i in range(ROWS[1 - level]):
            total = total + self.row_loss(level, i, y)
        return total * (1.0 / ROWS[1 - level])

    def f(self, x, y):
        return self.mean(0, y)

    def g(self, x, y):
        total = self.mean(1, y)
        for j in range(DIM + self.intercept):
            for k in range(self.width):
                w = FLOOR
                if j < DIM:
                    w = w + exp(x[{"feature": j, "group": GROUP[j], "class": k, "single": 0}[self.penalty]])
                total = total + w * y[self.place(j, k)] * y[self.place(j, k)] * 0.5
        return total


def lifted(z, v):
    return [Dual(a, b) for a, b in zip(z, v)]


def unit(n, i):
    return [1.0 if j == i else 0.0 for j in range(n)]


def slope(v):
    return v.b if isinstance(v, Dual) else 0.0


def gradient(h, z):
    return [slope(h(lifted(z, unit(len(z), i)))) for i in range(len(z))]


def along(z, terms):
    """z + sum of direction * dual."""
    out = []
    for i, a in enumerate(z):
        t = Dual(Dual(a, 0.0), Dual(0.0, 0.0))
        for direction, d in terms:
            if direction[i] != 0:
                t = t + d * direction[i]
        out.append(t)
    return out


OUTER, INNER = Dual(Dual(0.0, 0.0), Dual(1.0, 0.0)), Dual(Dual(0.0, 1.0), Dual(0.0, 0.0))


def hess_vec(p, x, y, v):
    return [p.g(x, along(y, [(unit(p.lower, i), OUTER), (v, INNER)])).b.b for i in range(p.lower)]


def cross_vec(p, x, y, v):
    return [p.g(along(x, [(unit(p.upper, i), OUTER)]), along(y, [(v, INNER)])).b.b for i in range(p.upper)]


def solve(A, b):
    """Gaussian elimination with pivots."""
    n, M = len(b), [row[:] + [b[i]] for i, row in enumerate(A)]
    for c in range(n):
        best = max(range(c, n), key=lambda r: abs(M[r][c]))
        M[c], M[best] = M[best], M[c]
        for r in range(c + 1, n):
            q = M[r][c] / M[c][c]
            for k in range(c, n + 1):
                M[r][k] -= q * M[c][k]
    z = [0.0] * n
    for r in range(n - 1, -1, -1):
        z[r] = (M[r][n] - sum(M[r][k] * z[k] for k in range(r + 1, n))) / M[r][r]
    return z


def hessian(p, x, y):
    return [hess_vec(p, x, y, unit(p.lower, i)) for i in range(p.lower)]


def outer(p, x):
    """ell and its gradient, with the lower level solved by Newton's method."""
    y = [0.0] * p.lower
    for _ in range(50):
        gy = gradient(lambda z: p.g(x, z), y)
        if max(map(abs, gy)) < 1e-15:
            break
        d = solve(hessian(p, x, y), gy)
        if max(map(abs, d)) < 1e-15:
            break
        y = [a - b for a, b in zip(y, d)]
    v = solve(hessian(p, x, y), gradient(lambda z: p.f(x, z), y))
    return p.f(x, y), [-c for c in cross_vec(p, x, y, v)]


def main():
    number = 0
    for loss in ("logistic", "softmax", "squared"):
        for penalty in ("feature", "group", "class", "single"):
            if penalty == "class" and loss != "softmax":
                continue
            number += 1
            p = Problem(loss, penalty, number % 2)
            x = [point(0, i) for i in range(p.upper)]
            y = [point(1, i) for i in range(p.lower)]
            v = [point(2, i) for i in range(p.lower)]
            ell, grad_ell = outer(p, x)
            for name, numbers in (
                ("f_value", [p.f(x, y)]),
                ("f_grad_y", gradient(lambda z: p.f(x, z), y)),
                ("g_value", [p.g(x, y)]),
                ("g_grad_y", gradient(lambda z: p.g(x, z), y)),
                ("g_grad_x", gradient(lambda z: p.g(z, y), x)),
                ("g_hess_vec", hess_vec(p, x, y, v)),
                ("g_cross_vec", cross_vec(p, x, y, v)),
                ("ell", [ell]),
                ("grad_ell", grad_ell),
            ):
                print(",".join([loss, penalty, str(p.intercept), name] + ["%.17g" % n for n in numbers]))


main()
