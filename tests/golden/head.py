#!/usr/bin/env python3
"""Golden numbers of the head of a task: /usr/bin/python3 head.py > head.csv   (needs PyTorch)

Written from the formulas at the top of src/meta/head.h, in the space of the weights and with autograd, so that the Gram form has no twin here. Features are
made of integers by a rule that tests/unit/test_head.c repeats. One row: case, quantity, and its numbers.
"""
import torch
import torch.nn.functional as F

N, M, D, WAYS, STEPS, STEP = 6, 5, 7, 3, 4, 0.3
torch.set_default_dtype(torch.float64)


def mixed(a, b, c):
    """An integer in 0 .. 4095 from three."""
    return ((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761 % 2**32) >> 20


def features(which, rows):
    return torch.tensor([[(mixed(which, i + 1, j + 1) - 1024) / 1024 for j in range(D)] for i in range(rows)], requires_grad=True)


def lower(y, A, labels, lam):
    W, b = y[: WAYS * D].view(WAYS, D), y[WAYS * D :]
    return F.cross_entropy(A @ W.T + b, labels) + lam * (y**2).sum()


def upper(y, Q, labels):
    return lower(y, Q, labels, 0.0)


def descend(y, A, labels, lam):
    for _ in range(STEPS):
        y = y - STEP * torch.autograd.grad(lower(y, A, labels, lam), y, create_graph=True)[0]
    return y


def solve(A, labels, lam):
    y = torch.zeros(WAYS * (D + 1), requires_grad=True)
    for _ in range(30):
        g = torch.autograd.grad(lower(y, A, labels, lam), y)[0]
        H = torch.autograd.functional.hessian(lambda z: lower(z, A.detach(), labels, lam), y.detach())
        y = (y - torch.linalg.solve(H, g)).detach().requires_grad_()
    return y, H


def implicit(y, H, A, Q, labels, query_labels, lam):
    f_y, f_Q = torch.autograd.grad(upper(y, Q, query_labels), (y, Q))
    v = torch.linalg.solve(H, f_y)
    g_y = torch.autograd.grad(lower(y, A, labels, lam), y, create_graph=True)[0]
    return -torch.autograd.grad((g_y * v).sum(), A)[0], f_Q


def row(case, quantity, values):
    print(",".join([case, quantity] + [repr(float(v)) for v in values.detach().flatten()]))


labels = torch.tensor([i % WAYS for i in range(N)])
query_labels = torch.tensor([(i + 1) % WAYS for i in range(M)])
start = torch.tensor([(mixed(3, 1, i + 1) - 2048) / 8192 for i in range(WAYS * (D + 1))], requires_grad=True)

for case, begin, lam in (("zero", None, 0.01), ("learned", start, 0.0)):
    A, Q = features(1, N), features(2, M)
    y_0 = torch.zeros(WAYS * (D + 1), requires_grad=True) if begin is None else begin
    y = descend(y_0, A, labels, lam)
    loss = upper(y, Q, query_labels)
    d_A, d_Q, d_y = torch.autograd.grad(loss, (A, Q, y_0))
    row(case, "y", y)
    row(case, "loss", loss)
    row(case, "d_support", d_A)
    row(case, "d_query", d_Q)
    if begin is not None:
        row(case, "d_start", d_y)

A, Q = features(1, N), features(2, M)
y, H = solve(A, labels, 0.01)
d_A, d_Q = implicit(y, H, A, Q, labels, query_labels, 0.01)
row("exact", "y", y)
row("exact", "loss", upper(y, Q, query_labels))
row("exact", "d_support", d_A)
row("exact", "d_query", d_Q)
