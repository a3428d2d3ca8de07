/* compare_pool.c - all runs of `sustain compare`, each in its own process, as many in parallel
 * as there are cores. Where mpirun started several, they take turns in the list of runs. */
#include <errno.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verb_compare.h"
#include "interrupt.h"
#include "progress.h"
#include "ranks.h"

enum { MOST_PROCESSES = 64 };

typedef struct pool {
    const compare_job *job;
    pid_t child[MOST_PROCESSES];
    int busy;
    int64_t started, done, missing;
    double begun;
    int code; /* of the first process that failed */
} pool;

static void show(const pool *p) {
    char left[32];
    const double seconds = lab_clock() - p->begun;
    if (p->done > 0)
        progress_show("%lld of %lld runs done  %s left", (long long)p->done, (long long)p->missing,
                      duration_text(seconds / (double)p->done * (double)(p->missing - p->done), left));
    else
        progress_show("%lld runs to do", (long long)p->missing);
}

/* A child ends immediately on Ctrl-C and when its parent ends: nothing of its run is written
 * yet. */
static void in_child(const compare_job *job, const compare_entry *entry, int64_t seed, pid_t parent) {
    interrupt_default();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(EXIT_FAILED);
    progress_enable(false);
    _exit(compare_folder_make(job, entry, seed));
}

static void wait_for_one(pool *p) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    for (int i = 0; i < p->busy && ended > 0; i++) {
        if (p->child[i] != ended) continue;
        p->child[i] = p->child[--p->busy];
        p->done++;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
        if (!WIFEXITED(status) && !interrupted()) complain(EXIT_FAILED, "a run was ended by signal %d", WTERMSIG(status));
        if (code != EXIT_DONE && p->code == EXIT_DONE) p->code = code;
        break;
    }
    if (ended < 0 && errno != EINTR && p->code == EXIT_DONE) p->code = complain(EXIT_FAILED, "a run was lost");
    show(p);
}

static void start(pool *p, const compare_entry *entry, int64_t seed) {
    while ((p->busy >= p->job->processes || p->busy == MOST_PROCESSES) && p->code == EXIT_DONE && !interrupted()) wait_for_one(p);
    if (p->code != EXIT_DONE || interrupted()) return;
    fflush(NULL); /* otherwise the child would write it again */
    const pid_t parent = getpid(), child = fork();
    if (child == 0) in_child(p->job, entry, seed, parent);
    if (child < 0)
        p->code = complain(EXIT_FAILED, "cannot start a process");
    else
        p->child[p->busy++] = child;
}

/* Calls each(p, entry, seed) for the missing runs that this process of mpirun has to do: all
 * algorithms with one seed before the next seed, so that partial results can be compared. */
static void for_missing(pool *p, void (*each)(pool *p, const compare_entry *entry, int64_t seed)) {
    const compare_plan *plan = &p->job->plan;
    for (int64_t run = 0; run < plan->runs; run++)
        for (int i = 0; i < plan->entry_count; i++)
            if (run < compare_entry_runs(plan, &plan->entry[i]) && (run * plan->entry_count + i) % ranks_count() == ranks_number() &&
                !compare_folder_is_there(p->job, &plan->entry[i], plan->seed + run))
                each(p, &plan->entry[i], plan->seed + run);
}

static void count(pool *p, const compare_entry *entry, int64_t seed) {
    (void)entry;
    (void)seed;
    p->missing++;
}

int compare_run_all(const compare_job *job) {
    pool p = {.job = job, .begun = lab_clock()};
    for_missing(&p, count);
    if (p.missing > 0) show(&p);
    for_missing(&p, start);
    while (p.busy > 0 && p.code == EXIT_DONE && !interrupted()) wait_for_one(&p);
    for (int i = 0; i < p.busy; i++) kill(p.child[i], SIGTERM);
    for (int i = 0; i < p.busy; i++)
        while (waitpid(p.child[i], NULL, 0) < 0 && errno == EINTR) {
        }
    progress_clear();
    if (interrupted())
        return complain(EXIT_INTERRUPTED, "interrupted; the finished runs are in %s, run the same command to resume", job->given.out);
    return p.code;
}
