/* sanitizer.c - how the address sanitizer runs under libFuzzer: freed memory is kept from use for
 * the next 10 MB that are freed and not for 256 MB, which no cache holds. */

const char *__asan_default_options(void);

const char *__asan_default_options(void) {
    return "quarantine_size_mb=10";
}
