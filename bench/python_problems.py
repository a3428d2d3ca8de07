"""python_problems.py problem|torch - what Python costs around problems: lines "benchmark,value,unit,against,ratio".

problem   a compiled problem driven from Python, against the same run in C: alternating, best of several.
torch     a problem of two PyTorch losses: microseconds per iteration that are spent neither in the losses, nor in
          autograd, nor in sums of tensors.

All times are CPU seconds, which other programs on the machine disturb least.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sustain
from sustain._library import load

SOURCE = Path(__file__).resolve().parent.parent
ROUNDS = 5

IN_C = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sustain/sustain.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
static int observe(void *user, const sustain_progress *progress) { *(double *)user = progress->upper_value; return 0; }
int main(int count, char **words) {
    sustain_context *context; sustain_problem *problem; sustain_solver *solver; sustain_result result; double value;
    (void)count;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    sustain_quadratic_options options = sustain_quadratic_defaults();
    options.upper_dim = options.lower_dim = atoi(words[1]);
    if (sustain_quadratic_create(context, &options, &problem) != SUSTAIN_OK) return 1;
    const double start = now();
    if (sustain_solver_create(context, words[2], problem, &solver) != SUSTAIN_OK) return 1;
    if (sustain_solver_run(solver, &(sustain_stopping){.iterations = atoll(words[3]), .observer = observe, .user = &value}, &result) != SUSTAIN_OK) return 1;
    printf("%.9f %.9g\\n", now() - start, result.upper_value);
    return 0;
}
"""


def problem() -> None:
    """Problems of two sizes; both sides must return the same value."""
    with tempfile.TemporaryDirectory() as folder:
        source, program, library = Path(folder) / "run.c", Path(folder) / "run", Path(load("float").path())
        source.write_text(IN_C)
        subprocess.run(
            ["cc", "-O2", "-I", SOURCE / "include", source, library, f"-Wl,-rpath,{library.parent}", "-o", program], check=True
        )
        for dim, solver, iterations in ((10, "sustain", 400_000), (100, "soba", 40_000)):
            ours, theirs = [], []
            made = sustain.quadratic(upper_dim=dim, lower_dim=dim)
            for _ in range(ROUNDS):
                start = time.process_time()
                result = sustain.minimize(made, solver, iterations=iterations)
                ours.append(time.process_time() - start)
                seconds, value = subprocess.run(
                    [program, str(dim), solver, str(iterations)], capture_output=True, text=True, check=True
                ).stdout.split()
                theirs.append(float(seconds))
                assert f"{result.upper_value:.9g}" == value, "the runs differ"
            print(f"python quadratic {dim} {solver},{min(ours):.4f},s,the same run in C,{min(ours) / min(theirs):.4f}", flush=True)


def torch() -> None:
    """Logistic regression with a penalty for each coefficient, 100 features, batches of 32.

    Each run is made twice: as it is, and with losses, rows, derivatives and sums of tensors that are constants. The second is the driver.
    """
    import torch

    import sustain.torch as driver

    generator = torch.Generator().manual_seed(0)
    a = torch.randn(2, 2000, 100, generator=generator)
    b = (a[..., 0] > 0).float()
    nothing, zeros = torch.zeros(()), [torch.zeros(100)] * 2

    def f(x, y, batch):
        return torch.nn.functional.binary_cross_entropy_with_logits(batch[0] @ y, batch[1])

    def g(x, y, batch):
        return torch.nn.functional.binary_cross_entropy_with_logits(batch[0] @ y, batch[1]) + (x.exp() * y * y).sum()

    class Constant(driver._Oracles):
        def _product(self, rows, x, y, v, by):
            self.g(x, y, *rows)
            return zeros[: len(by)]

    def seconds(losses, solver, iterations, **options):
        """CPU seconds of an iteration, without the start."""
        made = driver.Problem(*losses, torch.full((100,), -5.0), torch.zeros(100), (a[0], b[0]), (a[1], b[1]))
        marks = []
        sustain.minimize(
            made, solver, iterations=iterations, every=iterations // 2, batch=32, schedule="power", alpha=0.01, beta=0.1, L_g=10,
            callback=lambda progress: marks.append((time.thread_time(), progress.iteration)), **options
        )  # fmt: skip
        return (marks[-1][0] - marks[-2][0]) / (marks[-1][1] - marks[-2][1])

    originals = driver._select, driver._gradients, driver._add, driver._Oracles
    for solver, iterations, options in (("soba", 400, {}), ("stocbio", 20, {}), ("sustain", 100, {"K": 10})):
        whole, alone = [], []
        for _ in range(ROUNDS):
            whole.append(seconds((f, g), solver, iterations, **options))
            try:
                driver._select = lambda tensor, index: tensor
                driver._gradients = lambda loss, by, create_graph=False: zeros[: len(by)]
                driver._add = lambda one, other, scale: one
                driver._Oracles = Constant
                alone.append(seconds([lambda x, y, batch: nothing] * 2, solver, iterations, **options))
            finally:
                driver._select, driver._gradients, driver._add, driver._Oracles = originals
        print(
            f"python torch driver {solver},{min(alone) * 1e6:.1f},us/iteration,whole iteration: {min(whole) * 1e6:.0f} us,"
            f"{min(alone) / min(whole):.3f}",
            flush=True,
        )


if __name__ == "__main__":
    {"problem": problem, "torch": torch}[sys.argv[1]]()
