#!/usr/bin/env python3
"""Golden numbers of exact answers for the problem `regtune`: /usr/bin/python3 regtune_exact.py > regtune_exact.csv   (needs NumPy)

y*(x) by Newton's method with dense Hessians, ell(x), and grad ell(x) = -J H^{-1} grad_y f, all in double and written down from
include/sustain/regtune.h; checked here against central differences of ell. Data: the rule of regtune.py. One row: loss, penalty, intercept, quantity, numbers.
"""
import numpy as np

ROWS, DIM, CLASSES, GROUP, GROUPS, FLOOR = (40, 30), 4, 3, (1, 0, 1, 2), 3, 0.03125


def mixed(a, b, c):
    return ((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761 % 2**32) >> 20


def feature(level, i, j):
    h = mixed(level + 1, i + 1, j + 1)
    return 0.0 if h % 3 == 0 else (h - 2048) / 1024


def point(which, i):
    return (mixed(which + 10, 3, i + 1) - 2048) / 2048


class Problem:
    def __init__(self, loss, penalty, intercept):
        self.loss, self.penalty, self.intercept = loss, penalty, intercept
        self.width = CLASSES if loss == "softmax" else 1
        self.upper = {"feature": DIM, "group": GROUPS, "class": CLASSES, "single": 1}[penalty]
        self.a = [np.array([[feature(l, i, j) for j in range(DIM)] + ([1.0] if intercept else []) for i in range(ROWS[l])]) for l in (0, 1)]
        classes = CLASSES if loss == "softmax" else 2
        self.b = [np.array([mixed(l + 20, i + 1, 5) % classes for i in range(ROWS[l])]) for l in (0, 1)]
        # which x acts on weight (k, j); -1: the intercept
        of = {"feature": lambda k, j: j, "group": lambda k, j: GROUP[j], "class": lambda k, j: k, "single": lambda k, j: 0}[penalty]
        self.of = np.array([[of(k, j) if j < DIM else -1 for j in range(DIM + intercept)] for k in range(self.width)])

    def weights(self, x):
        return FLOOR + np.where(self.of >= 0, np.exp(x[np.maximum(self.of, 0)]), 0.0)

    def data(self, level, w):
        """Mean loss, gradient (width, n), Hessian (width n, width n)."""
        a, b = self.a[level], self.b[level]
        s, m, n = a @ w.T, len(b), a.shape[1]
        if self.loss == "softmax":
            p = np.exp(s - s.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            value, r = -np.log(p[np.arange(m), b]).mean(), p - np.eye(self.width)[b]
            c = np.einsum("ik,kl->ikl", p, np.eye(self.width)) - np.einsum("ik,il->ikl", p, p)
        elif self.loss == "logistic":
            sign = 2.0 * b - 1
            z = sign * s[:, 0]
            value, r = np.logaddexp(0, -z).mean(), (-sign / (1 + np.exp(z)))[:, None]
            c = (1 / (2 + np.exp(z) + np.exp(-z)))[:, None, None]
        else:
            t = np.array([(mixed(level + 30, i + 1, 7) - 2048) / 1024 for i in range(m)])
            value, r, c = ((s[:, 0] - t) ** 2).mean() / 2, (s[:, 0] - t)[:, None], np.ones((m, 1, 1))
        hessian = np.einsum("ikl,ij,ih->kjlh", c, a, a).reshape(self.width * n, self.width * n) / m
        return value, r.T @ a / m, hessian

    def solve(self, x):
        w, penalty = np.zeros(self.of.shape), self.weights(x)
        for _ in range(60):
            _, g, h = self.data(0, w)
            g = g + penalty * w
            w = w - np.linalg.solve(h + np.diag(penalty.ravel()), g.ravel()).reshape(w.shape)
        assert np.linalg.norm(g) < 1e-12
        return w

    def outer(self, x):
        w = self.solve(x)
        value, fy, _ = self.data(1, w)
        v = np.linalg.solve(self.data(0, w)[2] + np.diag(self.weights(x).ravel()), fy.ravel()).reshape(w.shape)
        gradient = np.zeros(self.upper)
        for k in range(w.shape[0]):
            for j in range(DIM):
                gradient[self.of[k, j]] -= np.exp(x[self.of[k, j]]) * w[k, j] * v[k, j]
        return w, value, gradient


for loss in ("logistic", "softmax", "squared"):
    for penalty in ("feature", "group", "class", "single"):
        if penalty == "class" and loss != "softmax":
            continue
        for intercept in (0, 1):
            p = Problem(loss, penalty, intercept)
            x = np.array([point(0, i) - 2 for i in range(p.upper)])
            w, value, gradient = p.outer(x)
            for i in range(p.upper):
                e = np.eye(p.upper)[i] * 1e-5
                assert abs((p.outer(x + e)[1] - p.outer(x - e)[1]) / 2e-5 - gradient[i]) < 1e-8
            y = list(w[:, :DIM].ravel()) + (list(w[:, DIM]) if intercept else [])
            for name, numbers in (("y", y), ("value", [value]), ("gradient", gradient)):
                print(",".join([loss, penalty, str(intercept), name] + ["%.15g" % v for v in numbers]))
