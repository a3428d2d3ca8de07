/* test_safetensors.c - the file format: the bytes, the way back, damaged files, files that cannot
 * be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_allocator.h"
#include "io/safetensors.h"

static failing_allocator_state memory;
static sustain_context *context;
static char folder[64], path[128];

static int setup(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sustain-safetensors-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
    snprintf(path, sizeof path, "%s/state", folder);
    return sustain_context_create_with(failing_allocator, &memory, &context) == SUSTAIN_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sustain_context_destroy(context);
    remove(path);
    return rmdir(folder) == 0 && memory.live == 0 ? 0 : -1; /* nothing else may be left there */
}

static const float floats[3] = {1, -2.5f, 3e38f};
static const double doubles[2] = {1.0 / 3, -1e300};
static const int64_t integers[2] = {-1, (int64_t)1 << 62};
static const uint32_t words32[1] = {0xdeadbeefu};
static const int64_t column[] = {2, 1, 0};
static const sustain__tensor tensors[] = {
    {"a", "F32", 3, floats, 0},  {"b.c", "F64", 2, doubles, column}, {"n", "I64", 2, integers, 0},
    {"u", "U32", 1, words32, 0}, {"empty", "F64", 0, NULL, 0},
};
enum { TENSORS = sizeof tensors / sizeof *tensors };
static const sustain__word words[] = {{"format", "test 1"}, {"quote", "\"\\ \n\x01/\xc3\xa9\xf0\x9f\x98\x80"}};

static void write_file(void) {
    assert_int_equal(sustain__safetensors_write(context, path, words, 2, tensors, TENSORS), SUSTAIN_OK);
}

static size_t read_file(unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, room, file);
    assert_true(length < room);
    fclose(file);
    return length;
}

static void put_file(const unsigned char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* How many files the folder holds: a temporary one left behind would count. */
static int files(void) {
    int count = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void test_round_trip(void **state) {
    (void)state;
    sustain__safetensors *file;
    write_file();
    assert_int_equal(files(), 1);
    assert_int_equal(sustain__safetensors_read(context, path, &file), SUSTAIN_OK);
    assert_string_equal(sustain__safetensors_word(file, "format"), "test 1");
    assert_string_equal(sustain__safetensors_word(file, "quote"), words[1].value);
    assert_null(sustain__safetensors_word(file, "a"));
    for (int i = 0; i < TENSORS; i++) {
        sustain__tensor t;
        assert_true(sustain__safetensors_find(file, tensors[i].name, &t));
        assert_string_equal(t.dtype, tensors[i].dtype);
        assert_int_equal(t.count, tensors[i].count);
        const size_t size = strcmp(t.dtype, "F32") == 0 || strcmp(t.dtype, "U32") == 0 ? 4 : 8;
        if (t.count > 0) assert_memory_equal(t.data, tensors[i].data, (size_t)t.count * size);
    }
    sustain__tensor none;
    assert_false(sustain__safetensors_find(file, "z", &none));
    assert_false(sustain__safetensors_find(file, "__metadata__", &none));
    sustain__safetensors_destroy(file);
    sustain__safetensors_destroy(NULL);
}

/* The layout byte by byte: length (8, little endian), header, spaces to a multiple of 8, numbers
 * without gaps. */
static void test_layout(void **state) {
    (void)state;
    static const char header[] = "{\"__metadata__\":{\"k\":\"v\"},\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
                                 "\"u\":{\"dtype\":\"U32\",\"shape\":[1],\"data_offsets\":[12,16]}}";
    const sustain__word word = {"k", "v"};
    const sustain__tensor two[] = {tensors[0], tensors[3]};
    assert_int_equal(sustain__safetensors_write(context, path, &word, 1, two, 2), SUSTAIN_OK);
    unsigned char bytes[512];
    const size_t length = read_file(bytes, sizeof bytes), text = sizeof header - 1, padded = (text + 7) / 8 * 8;
    assert_int_equal(length, 8 + padded + 16);
    assert_int_equal(bytes[0], padded);
    for (int i = 1; i < 8; i++) assert_int_equal(bytes[i], 0);
    assert_memory_equal(bytes + 8, header, text);
    for (size_t i = text; i < padded; i++) assert_int_equal(bytes[8 + i], ' ');
    static const unsigned char numbers[16] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0, 0xe6, 0xb1, 0x61, 0x7f, 0xef, 0xbe, 0xad, 0xde};
    assert_memory_equal(bytes + 8 + padded, numbers, 16);
}

/* A file cut anywhere is refused by its name, and nothing leaks. */
static void test_truncated(void **state) {
    (void)state;
    unsigned char bytes[1024];
    write_file();
    const size_t length = read_file(bytes, sizeof bytes);
    const int64_t live = memory.live;
    for (size_t cut = 0; cut < length; cut++) {
        sustain__safetensors *file;
        unsigned char *piece = malloc(cut > 0 ? cut : 1); /* of exactly that size: a sanitizer sees a read beyond it */
        assert_non_null(piece);
        memcpy(piece, bytes, cut);
        assert_int_equal(sustain__safetensors_parse(context, "cut.state", piece, cut, &file), SUSTAIN_FORMAT);
        assert_null(file);
        assert_non_null(strstr(sustain_error(context), "cut.state"));
        free(piece);
        put_file(bytes, cut);
        assert_int_equal(sustain__safetensors_read(context, path, &file), SUSTAIN_FORMAT);
        assert_null(file);
        assert_non_null(strstr(sustain_error(context), path));
        assert_int_equal(memory.live, live);
    }
    put_file(bytes, length);
    sustain__safetensors *file;
    assert_int_equal(sustain__safetensors_read(context, path, &file), SUSTAIN_OK);
    sustain__safetensors_destroy(file);
}

/* Parses header + 16 bytes of data. */
static sustain_status parse(const char *header) {
    unsigned char bytes[2048] = {0};
    const size_t length = strlen(header);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, header, length);
    sustain__safetensors *file;
    const sustain_status status = sustain__safetensors_parse(context, "made.state", bytes, 8 + length + 16, &file);
    assert_true((file != NULL) == (status == SUSTAIN_OK));
    sustain__safetensors_destroy(file);
    if (status != SUSTAIN_OK) assert_non_null(strstr(sustain_error(context), "made.state"));
    return status;
}

static void test_headers(void **state) {
    (void)state;
    static const char *const good[] = {
        "{}",
        "{}      ",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F64\",\"shape\":[1,2,1],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[8,16]}}",
        "{\"a\":{\"dtype\":\"F64\",\"shape\":[3,0],\"data_offsets\":[16,16]}}",
        "{\"__metadata__\":{\"k\":\"v\"}}",
        " {\t\"__metadata__\" : { } ,\r\n \"a\" : { \"data_offsets\" : [ 0 , 4 ] , \"shape\" : [ 1 ] , \"dtype\" : \"\\u0046\\u00332\" } }",
        "{\"__metadata__\":{\"k\":\"\\u00e9\\ud83d\\ude00\\b\\/\"}}",
    };
    static const char *const bad[] = {
        "",
        "nonsense",
        "[]",
        "\"text\"",
        "{\"a\":1}",
        "{",
        "{\"",
        "{\"\\",
        "{,}",
        "{\"__metadata__\":{\"k\":1}}",
        "{\"__metadata__\":{\"k\":\"v\",}}",
        "{\"__metadata__\":{\"k\":\"v\"},}",
        "{\"__metadata__\":{\"k\":\"v\" \"l\":\"w\"}}",
        "{\"__metadata__\":{\"k\":\"v\",\"k\":\"w\"}}",
        "{\"__metadata__\":{},\"__metadata__\":{}}",
        "{\"__metadata__\":{\"k\":\"\\ud83d\"}}",
        "{\"__metadata__\":{\"k\":\"\\ud83d\\u0041\"}}",
        "{\"__metadata__\":{\"k\":\"\\ude00\"}}",
        "{\"__metadata__\":{\"k\":\"\\u0000\"}}",
        "{\"__metadata__\":{\"k\":\"\\u12g4\"}}",
        "{\"__metadata__\":{\"k\":\"\\x\"}}",
        "{\"__metadata__\":{\"k\":\"\n\"}}",
        "{\"__metadata__\":{\"k\":\"\xc0\xaf\"}}",
        "{\"__metadata__\":{\"k\":\"\xed\xa0\x80\"}}",
        "{\"__metadata__\":{\"k\":\"\xf0\x9f\x98\"}}",
        "{\"__metadata__\":{\"k\":\"\xff\"}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[04],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16],\"more\":0}}",
        "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16],\"data_offsets\":[0,16]}}",
        "{} {}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]},\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4]}}",
        "{\"a\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]}}",
        "{\"a\":{\"dtype\":4,\"shape\":[4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":4,\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4.0],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[\"0\",16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[0,20]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[16,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[-16,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-4],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2,-2],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807],\"data_offsets\":[0,16]}}",
        "{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[9223372036854775792,9223372036854775807]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,99999999999999999999]}}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (parse(good[i]) != SUSTAIN_OK) fail_msg("refused: %s (%s)", good[i], sustain_error(context));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i]) != SUSTAIN_FORMAT) fail_msg("accepted: %s", bad[i]);
    unsigned char huge[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, '{', '}'};
    sustain__safetensors *file;
    assert_int_equal(sustain__safetensors_parse(context, "huge", huge, sizeof huge, &file), SUSTAIN_FORMAT);
}

static void test_missing(void **state) {
    (void)state;
    sustain__safetensors *file;
    char name[160];
    snprintf(name, sizeof name, "%s/none", folder);
    assert_int_equal(sustain__safetensors_read(context, name, &file), SUSTAIN_IO);
    assert_null(file);
    assert_non_null(strstr(sustain_error(context), name));
    assert_int_equal(sustain__safetensors_read(context, folder, &file), SUSTAIN_IO); /* a folder is no file */
    assert_null(file);
    assert_non_null(strstr(sustain_error(context), folder));
}

/* A failed write names the file, leaves nothing behind, and what was there before is as it was. */
static void check_failed_write(const char *name) {
    const int before = files();
    assert_int_equal(sustain__safetensors_write(context, name, words, 2, tensors, TENSORS), SUSTAIN_WRITE);
    if (strstr(sustain_error(context), name) == NULL) fail_msg("'%s' does not name %s", sustain_error(context), name);
    assert_int_equal(files(), before);
}

static void test_no_folder(void **state) {
    (void)state;
    char name[160];
    snprintf(name, sizeof name, "%s/none/state", folder);
    check_failed_write(name);
}

static void test_target_is_a_folder(void **state) {
    (void)state;
    char name[160];
    snprintf(name, sizeof name, "%s/taken", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    check_failed_write(name);
    assert_int_equal(rmdir(name), 0);
}

/* A disk that is full after some bytes: a limit on the size of files does the same. */
static void test_full_disk(void **state) {
    (void)state;
    unsigned char before[1024], after[1024];
    write_file();
    const size_t length = read_file(before, sizeof before);
    static double large[4096];
    const sustain__tensor more = {"large", "F64", 4096, large, 0};
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 1024;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const sustain_status status = sustain__safetensors_write(context, path, NULL, 0, &more, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, SUSTAIN_WRITE);
    assert_non_null(strstr(sustain_error(context), path));
    assert_int_equal(files(), 1);
    assert_int_equal(read_file(after, sizeof after), length);
    assert_memory_equal(before, after, length);
    assert_int_equal(sustain__safetensors_write(context, path, NULL, 0, &more, 1), SUSTAIN_OK);
}

/* Every allocation of the context fails in turn. */
static void test_no_memory(void **state) {
    (void)state;
    sustain__safetensors *file;
    const int64_t live = memory.live;
    write_file();
    int refused = 0;
    for (int64_t n = 1;; n++) {
        memory.fail_at = memory.calls + n;
        sustain_status status = sustain__safetensors_write(context, path, words, 2, tensors, TENSORS);
        if (status == SUSTAIN_OK) status = sustain__safetensors_read(context, path, &file);
        const bool reached = memory.calls >= memory.fail_at;
        memory.fail_at = 0;
        if (!reached) {
            assert_int_equal(status, SUSTAIN_OK);
            sustain__safetensors_destroy(file);
            break;
        }
        assert_int_equal(status, SUSTAIN_MEMORY);
        assert_int_equal(memory.live, live);
        assert_int_equal(files(), 1);
        refused++;
    }
    assert_true(refused >= 3);
    assert_int_equal(memory.live, live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_layout),
        cmocka_unit_test(test_truncated),  cmocka_unit_test(test_headers),
        cmocka_unit_test(test_missing),    cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_target_is_a_folder),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
