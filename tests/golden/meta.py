#!/usr/bin/env python3
"""Golden numbers of meta learning, the gradient of one task for each method: /usr/bin/python3 meta.py > meta.csv   (needs PyTorch)

A backbone of four blocks (3x3 convolution, normalization by the batch, ReLU, 2x2 max pooling) and a linear head, in double, differentiated by autograd. Pictures and
parameters are made of integers by a rule that tests/unit/test_meta.c repeats. One row: method, quantity, and its numbers (theta: backbone, then the start of the head).
"""
import torch
import torch.nn.functional as F

SIDE, FILTERS, WAYS, SHOTS, QUERIES, STEPS, STEP = 16, 3, 3, 2, 2, 3, 0.4
torch.set_default_dtype(torch.float64)


def mixed(a, b, c):
    """An integer in 0 .. 4095 from three."""
    return ((a * 7919 + b * 104729 + c * 1299709 + 12345) * 2654435761 % 2**32) >> 20


def pictures(first, count):
    pixel = [[mixed(p + 1, i + 1, 7) % 256 / 255 for i in range(SIDE * SIDE)] for p in range(first, first + count)]
    return torch.tensor(pixel).view(count, 1, SIDE, SIDE)


def parameters():
    shapes, channels = [], 1
    for _ in range(4):
        shapes += [(FILTERS, channels, 3, 3), (FILTERS,), (FILTERS,)]
        channels = FILTERS
    shapes += [(WAYS, FILTERS), (WAYS,)]
    out, at = [], 0
    for kind, shape in enumerate(shapes):
        size = torch.Size(shape).numel()
        values = [(mixed(20, 3, at + i + 1) - 2048) / 4096 for i in range(size)]
        scale = kind < 12 and kind % 3 == 1
        out.append(torch.tensor([1 + 0.5 * v if scale else v for v in values]).view(shape).requires_grad_())
        at += size
    return out


def body(p, x):
    for block in range(4):
        w, scale, shift = p[3 * block : 3 * block + 3]
        x = F.max_pool2d(F.relu(F.batch_norm(F.conv2d(x, w, padding=1), None, None, scale, shift, training=True)), 2)
    return x.flatten(1)


labels = torch.arange(WAYS).repeat_interleave(SHOTS)
query_labels = torch.arange(WAYS).repeat_interleave(QUERIES)
support, query = pictures(0, WAYS * SHOTS), pictures(WAYS * SHOTS, WAYS * QUERIES)


def lower(features, head, lam):
    return F.cross_entropy(F.linear(features, *head), labels) + lam * sum((h**2).sum() for h in head)


def descend(loss, at, second):
    for _ in range(STEPS):
        at = [a - STEP * g for a, g in zip(at, torch.autograd.grad(loss(at), at, create_graph=second))]
        if not second:
            at = [a.detach().requires_grad_() for a in at]
    return at


def together(p):
    features = body(p[:12], torch.cat([support, query]))
    return features[: len(support)], features[len(support) :]


def anil(p):
    a, q = together(p)
    head = descend(lambda h: lower(a, h, 0.0), p[12:], True)
    loss = F.cross_entropy(F.linear(q, *head), query_labels)
    return loss, torch.autograd.grad(loss, p)


def itd_bio(p):
    a, q = together(p)
    zero = [torch.zeros_like(h).requires_grad_() for h in p[12:]]
    head = descend(lambda h: lower(a, h, 0.01), zero, True)
    loss = F.cross_entropy(F.linear(q, *head), query_labels)
    return loss, torch.autograd.grad(loss, p[:12])


def exact(p):
    """Eq. (6) at the solved head; dense Hessian."""
    a, q = together(p)
    size = WAYS * FILTERS
    parts = lambda y: [y[:size].view(WAYS, FILTERS), y[size:]]
    y = torch.zeros(size + WAYS)
    for _ in range(40):
        y = y.detach().requires_grad_()
        g = torch.autograd.grad(lower(a.detach(), parts(y), 0.01), y)[0]
        H = torch.autograd.functional.hessian(lambda z: lower(a.detach(), parts(z), 0.01), y.detach())
        y = y - torch.linalg.solve(H, g)
    y = y.detach().requires_grad_()
    loss = F.cross_entropy(F.linear(q, *parts(y)), query_labels)
    f_x = torch.autograd.grad(loss, p[:12], retain_graph=True)
    v = torch.linalg.solve(H, torch.autograd.grad(loss, y, retain_graph=True)[0])
    g_y = torch.autograd.grad(lower(a, parts(y), 0.01), y, create_graph=True)[0]
    return loss, [f - j for f, j in zip(f_x, torch.autograd.grad((g_y * v).sum(), p[:12]))]


def neumann(p):
    """One term of eq. (7), k = 2 of K = 4, at the head that descent has reached; dense Hessian. L_g is the bound of src/meta/head_hyper.c."""
    a, q = together(p)
    size, K, k, lam = WAYS * FILTERS, 4, 2, 0.01
    parts = lambda y: [y[:size].view(WAYS, FILTERS), y[size:]]
    zero = [torch.zeros_like(h).requires_grad_() for h in p[12:]]
    head = descend(lambda h: lower(a.detach(), h, lam), zero, False)
    y = torch.cat([h.flatten() for h in head]).detach().requires_grad_()
    H = torch.autograd.functional.hessian(lambda z: lower(a.detach(), parts(z), lam), y.detach())
    rows = torch.cat([a.detach(), torch.ones(len(a), 1)], 1)
    L_g = 2 * lam + float((rows @ rows.T).abs().sum(1).max()) / (2 * len(a))
    loss = F.cross_entropy(F.linear(q, *parts(y)), query_labels)
    f_x = torch.autograd.grad(loss, p[:12], retain_graph=True)
    v = torch.autograd.grad(loss, y, retain_graph=True)[0] * K / L_g
    for _ in range(k):
        v = v - H @ v / L_g
    g_y = torch.autograd.grad(lower(a, parts(y), lam), y, create_graph=True)[0]
    return loss, [f - j for f, j in zip(f_x, torch.autograd.grad((g_y * v).sum(), p[:12]))]


def maml(p, second=True):
    inner = lambda t: lower(body(t[:12], support), t[12:], 0.0)
    adapted = descend(inner, p, second)
    loss = F.cross_entropy(F.linear(body(adapted[:12], query), *adapted[12:]), query_labels)
    return loss, torch.autograd.grad(loss, p if second else adapted)


def pretrain(p):
    """One head for all classes, on all pictures together."""
    loss = F.cross_entropy(F.linear(body(p[:12], torch.cat([support, query])), *p[12:]), torch.cat([labels, query_labels]))
    return loss, torch.autograd.grad(loss, p)


def prototype(p):
    a, q = together(p)
    means = a.view(WAYS, SHOTS, -1).mean(1)
    loss = F.cross_entropy(-((q[:, None] - means[None]) ** 2).sum(2), query_labels)
    return loss, torch.autograd.grad(loss, p[:12])


METHODS = {"anil": anil, "itd-bio": itd_bio, "exact": exact, "cg": exact, "neumann": neumann, "maml": maml, "first-order": lambda p: maml(p, False), "pretrain": pretrain, "prototype": prototype}
for name, method in METHODS.items():
    loss, gradient = method(parameters())
    print(f"{name},loss,{float(loss)!r}")
    print(",".join([name, "gradient"] + [f"{float(v):.14g}" for g in gradient for v in g.flatten()]))
