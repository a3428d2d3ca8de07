#!/usr/bin/env python3
"""backbone.py - writes tests/golden/backbone.csv: features, gradient, tangent and Hessian product of small backbones, by PyTorch in double.

The net is the one of few-shot papers, bias of the convolutions left out: F.max_pool2d(F.relu(F.batch_norm(F.conv2d(...)))), four times. Its
numbers are u(stream, i), the uniform numbers of sustain_random_uniform(1, stream, 0, i):

    byte i of the pictures        floor(256 u(1, i)), entering as byte / 255 - 0.4
    parameter i                   u(2, i) - 0.5;   of a scale: 2 u(2, i) - 0.5, so that some are negative
    direction v, number i         u(3, i) - 0.5
    loss                          sum_i r_i f_i + p_i f_i^2 / 2 over the features f_i,   r_i = u(4, i) - 0.5,   p_i = u(5, i)

A line has: channels, height, width, filters, pictures of the first group, of the second, name, numbers.

    python3 tests/golden/backbone.py > tests/golden/backbone.csv
"""
import torch
import torch.nn.functional as F

from small_problem import philox

torch.set_default_dtype(torch.float64)
CASES = [(1, 16, 17, 4, 4, 3), (3, 20, 22, 3, 5, 0)]  # sides that are odd somewhere on the way down


def u(stream, count):
    numbers = []
    for i in range(count):
        out = philox([i >> 1, 0, 0, stream], [1, 0])
        bits = out[2 * (i & 1)] | out[2 * (i & 1) + 1] << 32
        numbers.append((bits >> 11) * 2.0**-53)
    return torch.tensor(numbers)


def parameters(channels, filters):
    shapes = []
    for block in range(4):
        shapes += [(filters, channels if block == 0 else filters, 3, 3), (filters,), (filters,)]
    sizes = [torch.Size(s).numel() for s in shapes]
    parts = u(2, sum(sizes)).split(sizes)
    return shapes, [(2 * p if k % 3 == 1 else p).sub(0.5).reshape(s) for k, (p, s) in enumerate(zip(parts, shapes))]


def body(p, a):
    for block in range(4):
        w, scale, shift = p[3 * block : 3 * block + 3]
        a = F.max_pool2d(F.relu(F.batch_norm(F.conv2d(a, w, padding=1), None, None, scale, shift, training=True)), 2)
    return a.flatten(1)


def flat(parts):
    return torch.cat([t.reshape(-1) for t in parts])


def write(case, name, numbers):
    print(",".join([str(c) for c in case] + [name] + [f"{float(n):.17g}" for n in numbers]))


print("# channels, height, width, filters, pictures in two groups, name, numbers; written by tests/golden/backbone.py")
for case in CASES:
    channels, height, width, filters, *groups = case
    pictures = torch.floor(256 * u(1, sum(groups) * channels * height * width)).reshape(-1, channels, height, width) / 255 - 0.4
    shapes, p = parameters(channels, filters)
    p = [t.requires_grad_() for t in p]
    v = [t.reshape(s) for t, s in zip((u(3, sum(t.numel() for t in p)) - 0.5).split([t.numel() for t in p]), shapes)]

    def features(*q):
        return torch.cat([body(q, part) for part in pictures.split(groups) if len(part)])

    f = features(*p)
    r, curvature = u(4, f.numel()).reshape(f.shape) - 0.5, u(5, f.numel()).reshape(f.shape)
    gradient = torch.autograd.grad((r * f + curvature * f * f / 2).sum(), p, create_graph=True)
    hessian = torch.autograd.grad(sum((g * t).sum() for g, t in zip(gradient, v)), p)
    write(case, "features", f.flatten())
    write(case, "gradient", flat(gradient))
    write(case, "tangent", torch.autograd.functional.jvp(features, tuple(p), tuple(v))[1].flatten())
    write(case, "hessian", flat(hessian))
