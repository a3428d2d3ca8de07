#!/usr/bin/python3
"""A run of 'sustain meta train' once more in PyTorch, written the way meta_torch.py is: the same start, the same tasks in the same order, as many iterations as its model had; anil and itd-bio.
usage: meta_run_torch.py RUN OUT [own]
Leaves OUT as a folder that 'sustain meta eval' reads: both models are then asked the same test tasks. own: start and tasks are drawn by PyTorch and NumPy instead.
Pictures and draws come from build/release/libsustain.so, numbers from PyTorch alone."""
import ctypes as c, json, os, shutil, struct, sys
import numpy as np, torch, torch.nn.functional as F

run, out, own = sys.argv[1], sys.argv[2], sys.argv[3:] == ["own"]
result = json.load(open(f"{run}/result.json"))
seed, iterations = result["seed"], result["best_iteration"]
o = {name: json.loads(value) if str(value)[:1].isdigit() else value for name, value in result["options"].items()}  # the program writes them as words
ways, shots, queries = o["ways"], o["shots"], o["queries"]
learned = o["method"] == "anil"
assert o["method"] in ("anil", "itd-bio") and o["direction"] == "adam", "anil and itd-bio, with Adam's direction"
torch.manual_seed(seed)
numbers = np.random.default_rng(seed)

# ---- pictures, tasks, start ----
lib = c.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/release/libsustain.so"))
for draws in (lib.sustain_random_normal, lib.sustain_random_uniform): draws.restype, draws.argtypes = c.c_double, [c.c_uint64, c.c_uint32, c.c_uint64, c.c_uint32]
lib.sustain_random_index.restype, lib.sustain_random_index.argtypes = c.c_int64, [c.c_uint64, c.c_uint32, c.c_uint64, c.c_uint32, c.c_int64]
lib.sustain_version_number.restype = c.c_int

class Pictures(c.Structure):
    _fields_ = [(name, c.c_int64) for name in ("count", "channels", "height", "width", "classes")] + [("pixels", c.POINTER(c.c_uint8)), ("first", c.POINTER(c.c_int64))]

class Shape(c.Structure):
    _fields_ = [("ways", c.c_int64), ("shots", c.c_int64), ("queries", c.c_int64)]

context, pictures = c.c_void_p(), c.POINTER(Pictures)()
folder = os.environ.get("SUSTAIN_DATA", "").encode() or None
assert lib.sustain_context_create_for(c.c_size_t(4), lib.sustain_version_number(), None, None, c.byref(context)) == 0
assert lib.sustain_pictures_named(context, result["dataset"].encode(), folder, 0, None, c.byref(pictures)) == 0, "the data set was not found"
p = pictures.contents
pixels = np.ctypeslib.as_array(p.pixels, (p.count, p.channels, p.height, p.width))
first = p.first[: p.classes + 1]
support, asked, classes = ((c.c_int64 * n)() for n in (ways * shots, ways * queries, ways))

def draw(t, i):
    """The pictures of task i of iteration t, the support first."""
    if own:
        chosen = [first[k] + numbers.choice(first[k + 1] - first[k], shots + queries, replace=False) for k in numbers.choice(p.classes, ways, replace=False)]
        which = np.concatenate([k[:shots] for k in chosen] + [k[shots:] for k in chosen])
    else:
        task = lib.sustain_random_index(seed, 100, t, i, o["training_tasks"])
        lib.sustain_task_draw(pictures, c.byref(Shape(ways, shots, queries)), c.c_uint64(seed), c.c_uint32(0), c.c_uint64(task), support, asked, classes)
        which = np.array(list(support) + list(asked))
    x = torch.from_numpy(pixels[which]).float()
    return x / 255 if p.channels == 1 else x / 63.75 - 2

def numbers_of(ours, theirs, stream, t, shape):
    return theirs(*shape) if own else torch.tensor([ours(seed, stream, t, j) for j in range(int(np.prod(shape)))], dtype=torch.float32).view(*shape)

def normal(*which, shape): return numbers_of(lib.sustain_random_normal, torch.randn, *which, shape)
def uniform(*which, shape): return numbers_of(lib.sustain_random_uniform, torch.rand, *which, shape)

# ---- the net ----
P = []
for block in range(4):
    ins = o["width"] if block else p.channels
    P += [normal(48, 3 * block, shape=(o["width"], ins, 3, 3)) * (2 / (9 * ins)) ** 0.5,
          1 - (1 - o["least_scale"]) * uniform(48, 3 * block + 1, shape=(o["width"],)), torch.zeros(o["width"])]
features = o["width"] * (p.height // 16) * (p.width // 16)
start = 0.01 * normal(102, 0, shape=(ways * (features + 1),)) if learned else torch.zeros(ways * (features + 1))
head = [start[: ways * features].view(ways, features).clone(), start[ways * features :].clone()]
trained = [v.requires_grad_() for v in P + (head if learned else [])]

def body(x):
    for block in range(4):
        weight, scale, shift = P[3 * block : 3 * block + 3]
        x = F.max_pool2d(F.relu(F.batch_norm(F.conv2d(x, weight, padding=1), None, None, scale, shift, training=True)), 2)
    return x.flatten(1)

def adapt(rows, labels):
    y = head if learned else [v.requires_grad_() for v in head]
    for _ in range(o["inner_steps"]):
        g = F.cross_entropy(F.linear(rows, *y), labels) + o["lambda"] * sum((v**2).sum() for v in y)
        y = [v - o["inner_step"] * d for v, d in zip(y, torch.autograd.grad(g, y, create_graph=True))]
    return y

# ---- training ----
optimizer = torch.optim.Adam(trained, lr=o["outer_step"])
labels, asked_labels = (torch.arange(ways).repeat_interleave(n) for n in (shots, queries))
for t in range(iterations):
    optimizer.zero_grad()
    for i in range(o["tasks"]):
        rows = body(draw(t, i))
        y = adapt(rows[: ways * shots], labels)
        F.cross_entropy(F.linear(rows[ways * shots :], *y), asked_labels).div(o["tasks"]).backward(inputs=trained)
    optimizer.step()

# ---- the model, in the form and with the metadata of the run's own ----
with open(f"{run}/model.safetensors", "rb") as f: header = f.read(struct.unpack("<Q", f.read(8))[0])
names = [n for n in json.loads(header) if n != "__metadata__"]
os.makedirs(out, exist_ok=True)
with open(f"{out}/model.safetensors", "wb") as f:
    f.write(struct.pack("<Q", len(header)) + header)
    for n, v in zip(names, trained): f.write(v.detach().numpy().tobytes())
shutil.copy(f"{run}/config.json", out)
