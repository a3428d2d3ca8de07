/* ranks.c - see ranks.h. */
#include "ranks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "run_folder.h"

/* libsustain-mpi is loaded when it is needed, so that the program runs where there is no MPI. */
static struct {
    sustain_status (*begin)(sustain_communicator *out);
    bool (*end)(int code);
    void (*abort)(int code);
} mpi;

static sustain_communicator all = {.ranks = 1};
static char copied[LONGEST_PATH]; /* the folder of a process that is not the first; "": none */
static FILE *said;                /* what it would have printed to stderr ... */
static int screen = -1;           /* ... which is kept here */

/* A text as a number of processes; 0: it is none. */
static int number_of(const char *text) {
    long long number;
    return text != NULL && whole_numbers(text, '\0', 1, &number) == 1 && number > 0 && number <= INT_MAX ? (int)number : 0;
}

/* What mpirun of Open MPI, mpiexec of MPICH, and srun tell a process. 0: nothing. */
static int number_in(const char *const *names) {
    for (; *names != NULL; names++) {
        const int number = number_of(getenv(*names));
        if (number > 0) return number;
    }
    return 0;
}

static int announced(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    static const char *const slurm[] = {"SLURM_NTASKS", NULL};
    const int ranks = number_in(names);
    return ranks == 0 && getenv("PMIX_RANK") != NULL ? number_in(slurm) : ranks;
}

int ranks_count(void) {
    return all.ranks;
}

int ranks_number(void) {
    return all.rank;
}

int ranks_here(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE", NULL};
    const int here = all.ranks > 1 ? number_in(names) : 1;
    return here > 0 ? here : 1;
}

/* ---- MPI ---- */

static bool find(void *library, const char *name, void *place) {
    void *const symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int load(int ranks) {
    const char *const name = "libsustain-mpi.so." SUSTAIN_SOVERSION;
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        return complain(EXIT_FAILED, "mpirun started %d processes, but %s cannot be loaded: build it with MPI installed (%s)", ranks, name,
                        dlerror());
    if (!find(library, "sustain_mpi_begin", &mpi.begin) || !find(library, "sustain_mpi_end", &mpi.end) ||
        !find(library, "sustain_mpi_abort", &mpi.abort))
        return complain(EXIT_FAILED, "%s is not of this version: install both from one build", name);
    if (mpi.begin(&all) != SUSTAIN_OK) return complain(EXIT_FAILED, "MPI cannot be initialized");
    return EXIT_DONE;
}

/* ---- the other processes: no output ---- */

static int copy_file(const char *from, const char *to) {
    char bytes[65536];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    bool good = in != NULL && out != NULL;
    while (good && (got = fread(bytes, 1, sizeof bytes, in)) > 0) good = fwrite(bytes, 1, got, out) == got;
    good = good && !ferror(in);
    if (in != NULL) fclose(in);
    if (out != NULL) good = fclose(out) == 0 && good;
    return good ? EXIT_DONE : complain(EXIT_FAILED, "cannot copy %s to %s: %s", from, to, strerror(errno));
}

/* Calls `each` for the files of a folder. */
static int for_files(const char *folder, int (*each)(const char *path, const char *name)) {
    char path[LONGEST_PATH];
    int code = EXIT_DONE;
    const struct dirent *entry;
    DIR *list = opendir(folder);
    while (list != NULL && code == EXIT_DONE && (entry = readdir(list)) != NULL) {
        if (strcmp(entry->d_name, ".lock") != 0 && !run_has(folder, entry->d_name)) continue;
        run_path(folder, entry->d_name, path);
        code = each(path, entry->d_name);
    }
    if (list != NULL) closedir(list);
    return code;
}

static int copy_one(const char *path, const char *name) {
    char to[LONGEST_PATH];
    if (strcmp(name, ".lock") == 0) return EXIT_DONE;
    run_path(copied, name, to);
    return copy_file(path, to);
}

static int remove_one(const char *path, const char *name) {
    (void)name;
    remove(path);
    return EXIT_DONE;
}

static const option *row_of(const verb *v, const char *name) {
    const option *row;
    for (int i = 0; (row = verb_option(v, i)) != NULL; i++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

static void remove_copied(void) {
    for_files(copied, remove_one);
    rmdir(copied);
}

/* A child that outlives this process, however that ends, and then removes its folder. It has no
 * part in the run: mpirun does not wait for it. */
static int guard_copied(void) {
    int ends[2];
    const pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) return complain(EXIT_FAILED, "cannot start a process: %s", strerror(errno));
    if (child > 0) {
        close(ends[0]);
        fcntl(ends[1], F_SETFD, FD_CLOEXEC); /* closed when this process ends */
        return EXIT_DONE;
    }
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char byte;
    setsid();
    for (int i = 0; i < COUNT_OF(signals); i++) signal(signals[i], SIG_IGN);
    for (int i = 0; i < (int)sysconf(_SC_OPEN_MAX) && i < 65536; i++)
        if (i != ends[0]) close(i);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    remove_copied();
    _exit(0);
}

/* A process that is not the first works in a folder of its own, with what it may resume from. */
static int move_out(sustain_context *context, const verb *v, void *values) {
    const char *const temporary = getenv("TMPDIR");
    const option *out = row_of(v, "out"), *resume = row_of(v, "resume"), *reviewed = row_of(v, "reviewed");
    char folder[LONGEST_PATH];
    option_value_text(out, values, folder, sizeof folder);
    snprintf(copied, sizeof copied, "%s/sustain-process-XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(copied) == NULL) return complain(EXIT_FAILED, "cannot make the folder %s: %s", copied, strerror(errno));
    const bool goes_on = option_is_given(resume, values) || (reviewed != NULL && option_is_given(reviewed, values));
    int code = guard_copied();
    if (code == EXIT_DONE && goes_on) code = for_files(folder, copy_one);
    return code == EXIT_DONE ? option_store(context, out, values, copied) : code;
}

static int be_quiet(void) {
    said = tmpfile();
    screen = dup(STDERR_FILENO);
    if (said == NULL || screen < 0 || freopen("/dev/null", "w", stdout) == NULL || dup2(fileno(said), STDERR_FILENO) < 0)
        return complain(EXIT_FAILED, "cannot turn off the output of process %d: %s", all.rank, strerror(errno));
    return EXIT_DONE;
}

/* ---- the beginning ---- */

enum { MOST_RANKS = 4096 };
static uint64_t mark[MOST_RANKS]; /* one of each process */

static int stop(void *user) {
    (void)user;
    return interrupted();
}

static bool exchange_marks(sustain_cancel cancel) {
    static size_t offset[MOST_RANKS + 1];
    for (int r = 0; r <= all.ranks; r++) offset[r] = (size_t)r * sizeof *mark;
    return all.exchange(all.self, mark, offset, cancel, NULL) == 0;
}

/* The program itself, and the kind of processor, on which rounding depends. */
static uint64_t hash_program(void) {
    static char bytes[1 << 16];
    uint64_t hash = 0;
    size_t got;
    FILE *from = fopen("/proc/self/exe", "rb");
    while (from != NULL && (got = fread(bytes, 1, sizeof bytes, from)) > 0) hash = sustain_hash(bytes, got, hash);
    if (from != NULL) fclose(from);
#if defined(__x86_64__)
    hash += (uint64_t)(__builtin_cpu_supports("avx2") != 0) + 2 * (uint64_t)(__builtin_cpu_supports("fma") != 0) +
            4 * (uint64_t)(__builtin_cpu_supports("avx512f") != 0);
#endif
    return hash;
}

/* The first process whose mark is not that of process 0; 0: there is none. */
static int other_mark(void) {
    int r = 1;
    while (r < all.ranks && mark[r] == mark[0]) r++;
    return r < all.ranks ? r : 0;
}

/* All processes must be of one version and have the same options; this is also the moment after
 * which the first one may write to its folder. */
static int compare_all(const verb *v, const void *values) {
    char text[256];
    json_t *options = options_json(v, values);
    char *line = json_dumps(options, JSON_SORT_KEYS | JSON_COMPACT);
    if (line == NULL) end_without_memory();
    snprintf(text, sizeof text, "%s %s %s", v->name, sustain_version(), sustain_precision());
    if (all.ranks > MOST_RANKS) return complain(EXIT_USAGE, "there are %d processes: at most %d are possible", all.ranks, MOST_RANKS);
    mark[all.rank] = sustain_hash(line, strlen(line), sustain_hash(text, strlen(text), hash_program()));
    free(line);
    json_decref(options);
    if (!exchange_marks(NULL)) return complain(EXIT_FAILED, "a process of this run cannot be reached");
    if (other_mark() == 0) return EXIT_DONE;
    return complain(EXIT_USAGE,
                    "processes 0 and %d have other options, other builds of sustain or other kinds of processor: start all of them with "
                    "one command, on machines that are alike",
                    other_mark());
}

int ranks_same_data(const sustain_context *context) {
    if (all.ranks <= 1) return EXIT_DONE;
    mark[all.rank] = sustain_context_fingerprint(context);
    if (!exchange_marks(stop)) return complain(EXIT_FAILED, "a process of this run cannot be reached");
    if (other_mark() == 0) return EXIT_DONE;
    return complain(EXIT_USAGE, "processes 0 and %d read other data: all must find the same files", other_mark());
}

static bool shares(const verb *v) {
    static const char *const names[] = {"clean", "tune", "meta train", "compare"};
    for (int i = 0; v->name != NULL && i < COUNT_OF(names); i++)
        if (strcmp(v->name, names[i]) == 0) return true;
    return false;
}

static int check_count(const verb *v, const void *values, int ranks) {
    char text[32];
    const option *row = row_of(v, "ranks");
    option_value_text(row, values, text, sizeof text);
    const int wanted = option_is_given(row, values) ? number_of(text) : 0;
    if (wanted > 0 && wanted != ranks)
        return complain(EXIT_USAGE, "--ranks is %d, but %s: start with mpirun -n %d sustain %s ...", wanted,
                        ranks > 1 ? "another number of processes was started" : "this is the only process", wanted, v->name);
    return EXIT_DONE;
}

int ranks_begin(sustain_context *context, const verb *v, void *values) {
    const int ranks = announced();
    if (!shares(v)) return EXIT_DONE;
    if (ranks <= 1) return check_count(v, values, 1);
    int code = load(ranks);
    if (code == EXIT_DONE && all.rank > 0) code = be_quiet();
    if (code == EXIT_DONE && all.ranks != ranks)
        code = complain(EXIT_FAILED, "mpirun started %d processes, but MPI knows %d: sustain was built for another MPI", ranks, all.ranks);
    if (code == EXIT_DONE) code = check_count(v, values, all.ranks);
    if (code == EXIT_DONE && row_of(v, "seconds") != NULL && option_is_given(row_of(v, "seconds"), values))
        code = complain(EXIT_USAGE, "--seconds does not end several processes at the same point: use --iterations");
    if (code == EXIT_DONE && all.rank > 0 && row_of(v, "resume") != NULL) code = move_out(context, v, values);
    if (code == EXIT_DONE) code = compare_all(v, values);
    if (code != EXIT_DONE) return code;
    interrupt_watch();
    return sustain_context_set_communicator(context, &all) == SUSTAIN_OK
               ? EXIT_DONE
               : complain(EXIT_FAILED, "the processes cannot be joined: %s", sustain_error(context));
}

/* ---- the end ---- */

/* The last line of what this process said. */
static void say_why(void) {
    char line[1024], last[1024] = "it ended without a message\n";
    if (said != NULL) {
        fflush(stderr);
        rewind(said);
        while (fgets(line, sizeof line, said) != NULL) memcpy(last, line, sizeof line);
    }
    if (screen >= 0) dup2(screen, STDERR_FILENO);
    fprintf(stderr, "process %d: %s", all.rank, last);
}

int ranks_agree(int code) {
    if (all.ranks <= 1) return code;
    mark[all.rank] = (uint64_t)code;
    if (!exchange_marks(stop))
        return code != EXIT_DONE ? code : complain(EXIT_FAILED, "the connection to another process of this run was lost");
    int first = 0;
    while (first < all.ranks && mark[first] == EXIT_DONE) first++;
    if (first == all.rank && first > 0) say_why(); /* process 0 speaks for itself */
    return first < all.ranks ? (int)mark[first] : EXIT_DONE;
}

int ranks_end(int code) {
    if (mpi.end == NULL) return code;
    if (copied[0] != '\0') remove_copied();
    if (mpi.end(code)) return code;
    if (all.rank > 0) say_why();
    mpi.abort(code);
    return code;
}
