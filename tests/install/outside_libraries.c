/* outside_libraries.c - a program of a user that uses every library: it links with what the .pc
 * file of the topmost asks for. */
#include <sustain/learn.h>
#include <sustain/meta.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    sustain_context *context;
    if (argc != 2 || strcmp(argv[1], sustain_precision()) != 0) return 1;
    if (sustain_context_create(&context) != SUSTAIN_OK) return 1;
    const sustain_clean_options clean = sustain_clean_defaults(); /* of libsustain-learn */
    const sustain_meta_options meta = sustain_meta_defaults();    /* of libsustain-fewshot */
    printf("%d folds, %d ways\n", (int)clean.folds, (int)meta.ways);
    sustain_context_destroy(context);
    return clean.folds > 0 && meta.ways > 0 ? 0 : 1;
}
