/* main.c - sustain: where the program begins. */
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "ranks.h"
#include "verbs.h"

/* If descriptor 0, 1 or 2 is closed, a file opened later would get its number, and messages to
 * stderr would be written to it. So they are opened here, in the wrong direction, so that using
 * them is still an error. */
static void take_descriptors(void) {
    struct stat there;
    for (int i = 0; i <= STDERR_FILENO; i++)
        if (fstat(i, &there) != 0 && open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) _exit(EXIT_FAILED);
}

/* Arrays with a number for each of millions of rows go back to the system when they are freed. As
 * glibc is set, blocks of up to 32 MB that were freed once stay with the program from then on. */
static void return_large_blocks(void) {
#ifdef M_MMAP_THRESHOLD
    enum { LARGE = 4 << 20 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

static int run_verb(sustain_context *context, const verb *v, int argc, char *const *argv) {
    void *values = calloc(1, v->size);
    bool help = false;
    if (values == NULL) return out_of_memory();
    int code = options_parse(context, v, argc, argv, values, &help);
    if (code == EXIT_DONE && help)
        print_help(stdout, v);
    else if (code == EXIT_DONE)
        code = ranks_begin(context, v, values);
    if (code == EXIT_DONE && !help) code = v->run(context, values);
    free(values);
    return finish_output(code);
}

static int say_what_to_do(void) {
    char list[256] = "";
    for (int i = 0; verb_at(i) != NULL; i++) {
        const size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ", verb_name_at(i));
    }
    return complain(EXIT_USAGE, "a command is missing: %s; see 'sustain --help'", list);
}

int main(int argc, char **argv) {
    take_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* then writing a too large file fails with an error message */
    return_large_blocks();
    json_set_up();
    if (argc < 2) return say_what_to_do();
    const bool flag = argv[1][0] == '-', help = argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0);
    if (help && verb_is_family(argv[1])) {
        print_family_help(stdout, argv[1]);
        return finish_output(EXIT_DONE);
    }
    const verb *v = flag ? &program : verb_find(argv[1], argv[2]);
    const int used = flag ? 1 : v != NULL && strchr(v->name, ' ') != NULL ? 3 : 2; /* words */
    if (v == NULL) return EXIT_USAGE;
    sustain_context *context;
    if (sustain_context_create(&context) != SUSTAIN_OK) return out_of_memory();
    const int code = run_verb(context, v, argc - used, argv + used);
    sustain_context_destroy(context);
    return ranks_end(code);
}
