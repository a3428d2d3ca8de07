/* training.c FOLDER write|read - few-shot training, as numbers on stdout that must be the same on
 * every machine. run.sh compares them.
 *
 * write: trains with 1, 2, 3 and 8 threads, to the same bits; leaves the state half of the way and
 * the model of the end in FOLDER. read: goes on from the states in FOLDER, which another machine
 * wrote. Both evaluate the model in FOLDER. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sustain/meta.h>
#include <sustain/random.h>

enum { CLASSES = 6, EACH = 6, CHANNELS = 3, SIDE = 21, HALF = 2, WHOLE = 4 };

static uint8_t pixels[CLASSES][EACH][CHANNELS][SIDE][SIDE];
static sustain_context *context;

static void must(sustain_status status) {
    if (status == SUSTAIN_OK) return;
    printf("%s\n", sustain_error(context));
    exit(1);
}

/* A class is a direction of stripes, in noise. */
static void take_pictures(void) {
    for (int k = 0; k < CLASSES; k++)
        for (int i = 0; i < EACH; i++)
            for (int c = 0; c < CHANNELS; c++)
                for (int y = 0; y < SIDE; y++)
                    for (int x = 0; x < SIDE; x++) {
                        const uint32_t picture = (uint32_t)(k * EACH + i), place = (uint32_t)((c * SIDE + y) * SIDE + x);
                        const double angle = 3.14159265 * k / CLASSES, wave = sin(i + 0.9 * (cos(angle) * x + sin(angle) * y));
                        pixels[k][i][c][y][x] = (uint8_t)(80 + 60 * wave + 100 * sustain_random_uniform(5, 1, picture, place));
                    }
}

static uint64_t hash_file(const char *path) {
    static char bytes[1 << 18];
    FILE *from = fopen(path, "rb");
    const size_t length = from != NULL ? fread(bytes, 1, sizeof bytes, from) : 0;
    if (from != NULL) fclose(from);
    return sustain_hash(bytes, length, 0);
}

typedef struct run {
    const sustain_pictures *pictures;
    sustain_meta_options options;
    bool reads;
    char state[4096], model[4096];
} run;

static sustain_meta_progress train(const run *r) {
    sustain_meta *meta;
    sustain_meta_progress progress = {0};
    must(sustain_meta_create(context, &r->options, r->pictures, &meta));
    if (r->reads) must(sustain_meta_load(meta, r->state));
    while (sustain_meta_iteration(meta) < WHOLE) {
        must(sustain_meta_step(meta, &progress));
        if (!r->reads && sustain_meta_iteration(meta) == HALF) must(sustain_meta_save(meta, r->state));
    }
    if (!r->reads) must(sustain_meta_write_model(meta, r->model));
    fprintf(stderr, "%s on %s layers\n", sustain_meta_method_name(meta), sustain_meta_layers(meta));
    sustain_meta_destroy(meta);
    return progress;
}

static double evaluate(const run *r) {
    const sustain_meta_trial trial = {.size = sizeof trial, .tasks = 4, .queries = 3, .seed = 1, .stream = 2};
    sustain_meta_score score;
    sustain_meta *meta;
    must(sustain_meta_open(context, r->model, &meta));
    must(sustain_meta_evaluate(meta, r->pictures, &trial, &score));
    sustain_meta_destroy(meta);
    return score.loss;
}

int main(int count, char **words) {
    static const int methods[] = {SUSTAIN_META_SUSTAIN, SUSTAIN_META_ANIL, SUSTAIN_META_MAML}, threads[] = {1, 2, 3, 8};
    static const int64_t first[] = {0, EACH, 2 * EACH, 3 * EACH, 4 * EACH, 5 * EACH, 6 * EACH};
    static const char *const names[CLASSES] = {"a", "b", "c", "d", "e", "f"};
    if (count != 3 || sustain_context_create(&context) != SUSTAIN_OK) return 2;
    take_pictures();
    const sustain_pictures pictures = {.count = CLASSES * EACH,
                                       .channels = CHANNELS,
                                       .height = SIDE,
                                       .width = SIDE,
                                       .classes = CLASSES,
                                       .pixels = pixels[0][0][0][0],
                                       .first = first,
                                       .class_names = names,
                                       .source = "stripes",
                                       .context = context};
    run r = {.pictures = &pictures, .options = sustain_meta_defaults(), .reads = strcmp(words[2], "read") == 0};
    r.options.ways = 3, r.options.shots = 2, r.options.queries = 2, r.options.tasks = 5, r.options.width = 12, r.options.inner_steps = 3;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        uint64_t expected = 0;
        sustain_meta_progress end = {0};
        r.options.method = methods[m];
        snprintf(r.state, sizeof r.state, "%s/training-%d.safetensors", words[1], methods[m]);
        snprintf(r.model, sizeof r.model, "%s/model-%d.safetensors", words[1], methods[m]);
        for (int t = 0; t < (r.reads ? 1 : 4); t++) {
            sustain_context_set_threads(context, threads[t]);
            end = train(&r);
            if (t == 0) expected = hash_file(r.model);
            if (hash_file(r.model) != expected) return printf("other bits with %d threads\n", threads[t]), 1;
        }
        printf("training %d %.9g %.9g %.9g\n", methods[m], end.loss, end.norm, evaluate(&r));
    }
    sustain_context_destroy(context);
    return 0;
}
