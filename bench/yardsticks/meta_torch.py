#!/usr/bin/python3
"""Peer yardstick: one outer iteration of few-shot meta learning the way a PyTorch user writes it
(conv4 with batch statistics, one task after another, autograd through the inner loop).
usage: meta_torch.py ALG size width tasks inner iters threads    ALG in anil, itdbio, maml
Random images: this measures seconds per outer iteration, not accuracy. The last line is for bench/meta.sh: seconds of the wall and of
the processors per iteration, bytes of memory at the peak beyond those before the first step."""
import resource, sys, time, torch, torch.nn.functional as F
alg, S, W, M, inner, iters, th = sys.argv[1], *map(int, sys.argv[2:8])
torch.set_num_threads(th); torch.manual_seed(0)
ways, shots, query = 5, 5, 5
def params():
    p, cin = [], 3
    for _ in range(4):
        p += [torch.randn(W, cin, 3, 3) * (2 / (9 * cin)) ** .5, torch.zeros(W), torch.ones(W), torch.zeros(W)]; cin = W
    return [t.requires_grad_() for t in p]
def body(p, x):
    for l in range(4):
        w, b, g, be = p[4 * l:4 * l + 4]
        x = F.max_pool2d(F.relu(F.batch_norm(F.conv2d(x, w, b, padding=1), None, None, g, be, training=True)), 2)
    return x.flatten(1)
P = params(); feat = body(P, torch.randn(2, 3, S, S)).shape[1]
head = [(torch.randn(ways, feat) * .01).requires_grad_(), torch.zeros(ways, requires_grad=True)]
opt = torch.optim.Adam(P + head, lr=1e-3)
y = torch.arange(ways).repeat_interleave(shots); yq = torch.arange(ways).repeat_interleave(query)
data = [(torch.randn(ways * shots, 3, S, S), torch.randn(ways * query, 3, S, S)) for _ in range(M)]
def step():
    opt.zero_grad()
    for xs, xq in data:
        if alg == "maml":
            q = P + head
            for _ in range(inner):
                l = F.cross_entropy(F.linear(body(q[:16], xs), q[16], q[17]), y)
                q = [a - .1 * b for a, b in zip(q, torch.autograd.grad(l, q, create_graph=True))]
            (F.cross_entropy(F.linear(body(q[:16], xq), q[16], q[17]), yq) / M).backward()
        else:
            f = body(P, torch.cat([xs, xq])); fs, fq = f[:len(xs)], f[len(xs):]
            h = head if alg == "anil" else [t.detach().requires_grad_() for t in head]
            for _ in range(inner):
                l = F.cross_entropy(F.linear(fs, *h), y) + (0 if alg == "anil" else 1e-3 * ((h[0] ** 2).sum() + (h[1] ** 2).sum()))
                h = [a - .1 * b for a, b in zip(h, torch.autograd.grad(l, h, create_graph=True))]
            (F.cross_entropy(F.linear(fq, *h), yq) / M).backward()
    opt.step()
resident = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
step(); t = time.perf_counter(); busy = time.process_time()
for _ in range(iters): step()
t = (time.perf_counter() - t) / iters; busy = (time.process_time() - busy) / iters
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - resident
c, tot, s = 3, 0, S
for _ in range(4): tot += s * s * 9 * c * W * 2; c = W; s //= 2
n = ways * (shots + query) * M
print(f"{alg} {S}x{S} width {W} tasks {M} inner {inner} threads {th}: {t:.3f} s/iteration, conv fwd+bwd {3*tot*n/1e9:.1f} GFLOP -> {3*tot*n/t/1e9:.1f} GFLOP/s (first-order part)")
print(f"{t:.5f},{busy:.5f},{memory}")
