/* cortex_m.c - a few-shot model on a Cortex-M7 without an operating system: five classes of stripes
 * from five pictures of each, all memory from a static arena.
 *
 * For qemu's board mps2-an500 (cortex_m.ld); output and exit by semihosting. With -icount shift=0
 * an instruction takes a nanosecond of the board's time, so that the timer, 25 MHz, counts
 * instructions by forties. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <sustain/fewshot.h>

enum { WAYS = 5, SHOTS = 5, SUPPORT = WAYS * SHOTS, QUERIES = 50, SIDE = 32, CHANNELS = 3, ARENA = 3 << 20, PER_TICK = 40 };

extern const unsigned char model_bytes[], model_end[];
extern uint32_t stack_top[];

/* ---- the machine ---- */

int main(void);

static volatile uint32_t *const timer = (volatile uint32_t *)0xE000E010, *const floating_point = (volatile uint32_t *)0xE000ED88;
static volatile uint32_t wraps;

static void count_wrap(void) {
    wraps++;
}

static long semihost(long call, const void *argument) {
    register long r0 __asm__("r0") = call;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void say(const char *text) {
    semihost(0x04, text);
}

static void end(int code) {
    const uint32_t block[2] = {0x20026, (uint32_t)code};
    semihost(0x20, block);
    for (;;) {
    }
}

static void fault(void) {
    say("a fault of the processor\n");
    end(3);
}

void reset(void);
void reset(void) {
    *floating_point |= 0xFu << 20;
    __asm__ volatile("dsb\n isb");
    timer[1] = 0xFFFFFF;
    timer[2] = 0;
    timer[0] = 7; /* the processor's clock, with an interrupt at each wrap */
    end(main());
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))stack_top, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, count_wrap};

static uint64_t instructions(void) {
    uint32_t before, left;
    do {
        before = wraps;
        left = timer[2];
    } while (before != wraps);
    return ((uint64_t)before * 0x1000000u + 0xFFFFFF - left) * PER_TICK;
}

static void say_number(const char *what, uint64_t number) {
    char digits[24], *at = digits + sizeof digits;
    *--at = '\0';
    *--at = '\n';
    do *--at = (char)('0' + number % 10), number /= 10;
    while (number > 0);
    say(what);
    say(at);
}

/* ---- the arena: what is freed is not used again ---- */

static _Alignas(64) unsigned char arena[ARENA];
static size_t used;

static void *from_arena(void *user, void *pointer, size_t size) {
    (void)user, (void)pointer;
    const size_t rounded = (size + 15) / 16 * 16;
    if (size == 0 || rounded > ARENA - used) return NULL;
    used += rounded;
    return arena + used - rounded;
}

/* ---- the job ---- */

static uint32_t state = 1;

static float uniform(void) {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) * 0x1p-24f;
}

static void take_picture(int class, uint8_t *pixel) {
    const float angle = 3.14159265f * (float)class / WAYS, phase = 6.2831853f * uniform();
    for (int c = 0; c < CHANNELS; c++) {
        const float dark = 120 * uniform(), light = 200 + 40 * uniform();
        for (int i = 0; i < SIDE * SIDE; i++) {
            const float wave = sinf(phase + 0.8f * (cosf(angle) * (float)(i % SIDE) + sinf(angle) * (float)(i / SIDE)));
            *pixel++ = (uint8_t)((wave > 0 ? light : dark) + 15 * uniform());
        }
    }
}

int main(void) {
    static uint8_t pixels[SUPPORT + 1][CHANNELS * SIDE * SIDE];
    const uint8_t *pictures[SUPPORT];
    int32_t labels[SUPPORT];
    sustain_context *context;
    sustain_fewshot_model *model;
    sustain_fewshot *classifier;
    if (sustain_context_create_with(from_arena, NULL, &context) != SUSTAIN_OK) return 1;
    if (sustain_fewshot_model_parse(context, "model", model_bytes, (size_t)(model_end - model_bytes), &model) != SUSTAIN_OK ||
        sustain_fewshot_create(context, model, WAYS, SUPPORT, &classifier) != SUSTAIN_OK)
        return say(sustain_error(context)), 1;
    for (int i = 0; i < SUPPORT; i++) {
        labels[i] = i % WAYS;
        take_picture(i % WAYS, pixels[i]);
        pictures[i] = pixels[i];
    }
    const size_t reserved = used;
    uint64_t start = instructions();
    if (sustain_fewshot_adapt(classifier, pictures, labels, SUPPORT) != SUSTAIN_OK) return say(sustain_error(context)), 1;
    say_number("instructions to adapt to 25 pictures: ", instructions() - start);
    uint64_t predicting = 0;
    int right = 0;
    for (int i = 0; i < QUERIES; i++) {
        sustain_real p[WAYS];
        take_picture(i % WAYS, pixels[SUPPORT]);
        start = instructions();
        if (sustain_fewshot_predict(classifier, pixels[SUPPORT], p) != SUSTAIN_OK) return 1;
        predicting += instructions() - start;
        right += p[i % WAYS] > 0.5f;
    }
    say_number("instructions for a picture: ", predicting / QUERIES);
    say_number("bytes of the arena: ", used);
    say_number("right of 50: ", (uint64_t)right);
    return right > QUERIES / 2 && used == reserved ? 0 : 1;
}
