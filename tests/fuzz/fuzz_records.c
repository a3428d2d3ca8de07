/* fuzz_records.c - any text as a file of records of the program (verified rows, decisions,
 * annotations, groups): every field ends within the file, lines are counted, and what is refused
 * gets a sentence that begins with the file's name. */
#include <stdarg.h>

#include "cli/output.h"
#include "cli/record_file.h"
#include "input_file.h"

#undef complain

static int said; /* sentences */

/* In place of the program's, which prints. */
int complain(int code, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    require(strncmp(text, path, strlen(path)) == 0);
    said++;
    return code;
}

static void check_record(const record_file *file) {
    require(file->fields >= 1 && file->fields <= MOST_FIELDS);
    for (int k = 0; k < file->fields; k++) {
        require(file->field[k] >= file->bytes && file->field[k] <= file->end);
        require(file->field[k] + strlen(file->field[k]) <= file->end);
    }
}

/* As the readers of the program do: the columns, then a row number in each record. */
static int read_records(record_file *file, const char *const *names, int count) {
    int column[5], code = records_columns(file, names, count, column);
    long long row, line = 0;
    while (code == 0 && records_next(file)) {
        check_record(file);
        require(file->line > line);
        line = file->line;
        if (records_row_number(file, column[0], &row) == 0) require(row >= 0);
    }
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const verified[] = {"row", "label"}, *const annotations[] = {"row", "annotator", "label"},
                             *const decisions[] = {"row", "run", "given", "decision", "?label"};
    const struct {
        const char *const *names;
        int count;
    } kinds[] = {{verified, 2}, {annotations, 3}, {decisions, 5}};
    write_input(data, size);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        record_file file;
        said = 0;
        int code = records_open(path, &file);
        if (code == 0) code = read_records(&file, kinds[i].names, kinds[i].count);
        require((code == 0) || said > 0);
        records_close(&file);
    }
    return 0;
}
