/* What printed hosts are made of: Python's numbers in C, errors, memory.

   A function that may fail gives nonzero, and its result by address. Ints are 64 bits
   wide; one that would not fit is an error, never another number.

   What a run does often stands here, to be inlined. The rest is declared, and compiled
   once for all networks: support.c. The fewer headers are read here, the sooner a host
   is compiled. */

#ifndef DYCL_SUPPORT_H
#define DYCL_SUPPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "blocks.h"
#include "dycl.h"
#include "times.h"

/* What is declared below is no symbol of the shared object. */
#pragma GCC visibility push(hidden)

#define DYCL_LOCAL static inline __attribute__((unused))

/* What an entry of a weights file has to be: `F32[5,4]`, how many bytes, at a multiple
   of how many; and whether a run reads it, not only what is made of it. */
struct dycl_kind {
    const char *name, *kind;
    uint64_t bytes, align;
    int is_read;
};

/* One handle. The arena holds the buffers that kernels fill, but for large results.
   dycl.runtime.native knows the first five. `engine` runs the kernel of an engine:
   number `site` of the sessions that were given, on the addresses in `arguments`; or
   what a GPU does, if that is negative (device.h). Nonzero ends the run. */
struct dycl_host {
    dycl_net net;
    unsigned char *arena;
    const struct dycl_objects *objects;
    const struct dycl_kept *kept;
    int (*engine)(dycl_net *net);
    const dycl_weights *weights;
    uint32_t *path_end;
    unsigned char *turns;
    int64_t next_poll;
    struct dycl_chunk *texts;
    void *mapped;
    size_t mapped_size;
    dycl_weights *own_weights;
    size_t arena_size;
    struct dycl_blocks blocks; /* what blocks.h keeps */
    /* What frames.h gives to calls of local functions. */
    unsigned char *frames;
    size_t frames_used, frames_ready, frames_size;
    uintptr_t stack_end;
    struct dycl_stack *stack; /* what stack.c keeps; NULL: nothing yet */
    struct dycl_pool *pool; /* what batch.h keeps; NULL: nothing yet */
    /* What times.h keeps; `times` is NULL but while a run is timed. */
    struct dycl_times *times;
    struct dycl_times own_times;
    int wanted_clock;
    void **results; /* what dycl_result has given, and nobody has taken yet */
    /* The runs that this one is among, whose launches run together (together.c). */
    struct dycl_together *together;
};

enum { DYCL_NO_SESSION = 2 };

/* What one network has of its own, for the functions of dycl.h. */
struct dycl_program {
    int64_t inputs, outputs, turns, path, made; /* how many there are */
    size_t arena, weights; /* bytes, of weights those of the struct */
    const struct dycl_kind *kinds, *made_kinds;
    const char *const *error_texts;
    int (*make_missing)(dycl_weights *weights); /* or 1, or DYCL_NO_SESSION */
    int (*forward)(struct dycl_host *h);
    size_t stack; /* bytes of a stack of its own; 0: that of the thread will do */
    /* Of a pool of threads; NULL: there is none. */
    void (*start_pool)(void);
    int (*run_with_pool)(struct dycl_host *h, int (*run)(struct dycl_host *));
    const struct dycl_batch *batches; /* launches that are put off */
    int64_t batch_count;
    const struct dycl_open *open; /* sizes that a call decides; NULL: there are none */
    int64_t open_count;
    int64_t results; /* of dycl_result */
};

/* A dimension of an input of which a call decides the size, within a range, and the
   first dimension that is of the same size. */
struct dycl_open {
    int64_t input, dimension, low, high, first_input, first_dimension;
};

/* Whether the sizes of the inputs are in range, and those of one name equal. */
bool dycl_sizes_fit(const dycl_value *inputs);

extern const struct dycl_program dycl_program;

/* ---- memory */

#define ALIGNED __attribute__((aligned(64)))
#define AT(type, offset) ((type *)(m + (offset)))

/* Memory that kernels read and write; NULL: there is none. Much of it is asked for in
   huge pages: weights that do not fit the caches are read up to half as fast again. */
void *dycl_allocate(size_t size);

/* Memory for a large result, which a caller that makes a tensor of it takes instead of
   a copy; then the next run has other memory. NULL: there is none. */
void *dycl_make_result(struct dycl_host *h, int64_t number, size_t size);

DYCL_LOCAL void *dycl_result(struct dycl_host *h, int64_t number, size_t size)
{
    void *known = h->results[number];
    return known != NULL ? known : dycl_make_result(h, number, size);
}

/* Bytes in front of such memory, for what its owner says of it. */
enum { DYCL_IN_FRONT = 256 };

/* The same for number `place` of it; and to use it, unless that was given. */
void *dycl_begin_made(dycl_weights *weights, int place, size_t size);
void dycl_end_made(dycl_weights *weights, int place);

/* A copy of a tensor in one of two places, by turns. */
DYCL_LOCAL void *dycl_keep(unsigned char *turn, unsigned char *first,
                           unsigned char *second, const void *source, size_t size)
{
    return memmove((*turn ^= 1) ? first : second, source, size);
}

/* Memory for a text, until the next run. */
void *dycl_make(struct dycl_host *h, size_t size);

/* Keep one chunk for the next run, so that a steady state allocates nothing. */
void dycl_forget_texts(struct dycl_host *h);

/* ---- how a run ends */

DYCL_LOCAL int dycl_end(struct dycl_host *h, const uint32_t *path, int64_t site, int how)
{
    h->net.path_count = path - h->net.path;
    h->net.site = site;
    return how;
}

#define RETURN(site) return dycl_end(h, path, site, DYCL_OK)
#define RAISE(site) return dycl_end(h, path, site, DYCL_RAISED)
#define STOP return dycl_end(h, path, -1, DYCL_STOPPED)
#define NO_MEMORY return dycl_end(h, path, -1, DYCL_NO_MEMORY)

/* ---- kernels that engines, or a GPU, run */

/* The kernel of a session, on the addresses of its inputs and outputs; nonzero: it has
   failed, and the caller knows how. */
int dycl_call_engine(struct dycl_host *h, const int64_t *session,
                     const dycl_value *arguments);

#define LAUNCH_ENGINE(place, call)                                                     \
    do {                                                                               \
        int _failed;                                                                   \
        LAUNCH(place, _failed = call);                                                 \
        if (_failed)                                                                   \
            STOP;                                                                      \
    } while (0)

/* ---- decisions */

/* Note which side is taken, and take it. */
#define DECIDE(number, taken) (*path = (number) << 1 | (taken), *path++ & 1)

/* What a profile says of a decision: the likely side falls through. */
#define LIKELY(taken) __builtin_expect(taken, 1)
#define UNLIKELY(taken) __builtin_expect(taken, 0)

/* The path, moved to where `count` more decisions have room; NULL: no memory. */
uint32_t *dycl_grow_path(struct dycl_host *h, uint32_t *path, size_t count);

#define ROOM(count)                                                                    \
    do {                                                                               \
        if (h->path_end - path < (count)) {                                            \
            uint32_t *roomy = dycl_grow_path(h, path, count);                          \
            if (roomy == NULL)                                                         \
                NO_MEMORY;                                                             \
            path = roomy;                                                              \
        }                                                                              \
    } while (0)

/* Run on a stack of the handle's own, of so many bytes. */
int dycl_run_on_stack(struct dycl_host *h, int (*run)(struct dycl_host *), size_t size);

/* Make a run ready on that stack; false: no memory. */
bool dycl_begin_run(struct dycl_host *h, int (*run)(struct dycl_host *h), size_t size);

/* Go on with it until it waits, or has ended and says how; whether it waits. */
bool dycl_go_on(struct dycl_host *h, int *gives);

/* Leave the handle's own stack, until whoever began the run goes on with it. */
void dycl_wait(struct dycl_host *h);

/* Call a function of the caller's, on the caller's stack. */
int dycl_of_caller(struct dycl_host *h, int (*asked)(dycl_net *net));

/* Where the handle's own stack ends, less `spare`; 0: nothing runs on it. */
uintptr_t dycl_own_stack_end(const struct dycl_host *h, size_t spare);

void dycl_free_stack(struct dycl_host *h);

/* Whether the caller wants a long run to end; asked 20 times a second. */
int dycl_ask_caller(struct dycl_host *h);

DYCL_LOCAL int dycl_poll(struct dycl_host *h)
{
    return h->net.poll != NULL && dycl_ask_caller(h);
}

int dycl_effect(struct dycl_host *h, int64_t site, const dycl_value *arguments);

/* What a function gives that only Python has; nonzero: nobody can tell. */
int dycl_ask(struct dycl_host *h, int64_t site, const dycl_value *arguments);

/* ---- Python's ints */

DYCL_LOCAL int dycl_add(int64_t a, int64_t b, int64_t *r)
{
    return __builtin_add_overflow(a, b, r);
}

DYCL_LOCAL int dycl_sub(int64_t a, int64_t b, int64_t *r)
{
    return __builtin_sub_overflow(a, b, r);
}

DYCL_LOCAL int dycl_mul(int64_t a, int64_t b, int64_t *r)
{
    return __builtin_mul_overflow(a, b, r);
}

/* 1: by zero; 2: too large. */
DYCL_LOCAL int dycl_floordiv(int64_t a, int64_t b, int64_t *r)
{
    if (b == 0)
        return 1;
    if (b == -1)
        return dycl_sub(0, a, r) ? 2 : 0;
    *r = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return 0;
}

DYCL_LOCAL int dycl_mod(int64_t a, int64_t b, int64_t *r)
{
    if (b == 0)
        return 1;
    *r = b == -1 ? 0 : a % b;
    if (*r != 0 && (*r < 0) != (b < 0))
        *r += b;
    return 0;
}

/* The quotient, rounded once. */
int dycl_int_truediv(int64_t a, int64_t b, double *r);

/* b is not below zero. */
int dycl_int_pow(int64_t a, int64_t b, int64_t *r);

/* 1: the count is negative; 2: too large. */
DYCL_LOCAL int dycl_lshift(int64_t a, int64_t b, int64_t *r)
{
    if (b < 0)
        return 1;
    if (a == 0 || b == 0) {
        *r = a;
        return 0;
    }
    if (b > 63 || a > INT64_MAX >> b || a < INT64_MIN >> b)
        return 2;
    *r = (int64_t)((uint64_t)a << b);
    return 0;
}

DYCL_LOCAL int dycl_rshift(int64_t a, int64_t b, int64_t *r)
{
    if (b < 0)
        return 1;
    *r = a >> (b > 63 ? 63 : b);
    return 0;
}

/* ---- Python's floats */

DYCL_LOCAL int dycl_truediv(double a, double b, double *r)
{
    *r = a / b;
    return b == 0.0;
}

int dycl_float_mod(double a, double b, double *r);

int dycl_float_floordiv(double a, double b, double *r);

/* 1: zero to a negative power; 2: too large; 3: no real number. */
int dycl_float_pow(double a, double b, double *r);

/* 1: NaN; 2: infinite; 3: too large. Rounds towards zero. */
DYCL_LOCAL int dycl_to_int(double a, int64_t *r)
{
    if (isnan(a))
        return 1;
    if (isinf(a))
        return 2;
    if (!(-9223372036854775808.0 <= a && a < 9223372036854775808.0))
        return 3;
    *r = (int64_t)a;
    return 0;
}

/* To the nearest, of two equally near ones the even one. */
double dycl_round(double a);

/* What Python's math does with what a function of C gives. 1: domain; 2: range. */
DYCL_LOCAL int dycl_checked(double a, double result, int may_overflow, double *r)
{
    *r = result;
    if (isnan(result) && !isnan(a))
        return 1;
    if (isinf(result) && isfinite(a))
        return may_overflow ? 2 : 1;
    return 0;
}

DYCL_LOCAL int dycl_checked2(double a, double b, double result, double *r)
{
    *r = result;
    return isnan(result) && !isnan(a) && !isnan(b);
}

/* An int and a float, exactly: -1, 0 or 1; 2 if one is NaN. */
int dycl_mixed(int64_t a, double b);

/* A half float as a double. */
double dycl_half(uint16_t bits);

/* The nearest half float. */
uint16_t dycl_to_half(double a);

/* A bfloat16, which is the upper half of a float, as a double. */
DYCL_LOCAL double dycl_from_bf16(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

/* The nearest bfloat16. */
DYCL_LOCAL uint16_t dycl_to_bf16(float a)
{
    uint32_t word;
    memcpy(&word, &a, sizeof word);
    return isnan(a) ? 0x7fc0 : (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

/* ---- texts */

/* Below zero, zero or above, as Python orders them. */
int dycl_compare_texts(const dycl_text *a, const dycl_text *b);

bool dycl_in_text(const dycl_text *a, const dycl_text *b);

/* A text that is formatted when someone reads it; NULL: no memory. */
const dycl_text *dycl_format(struct dycl_host *h, int64_t kind,
                             const dycl_value *arguments, size_t size);

/* ---- which of several */

/* 1: there is none. */
DYCL_LOCAL int dycl_position(int64_t key, int64_t length, int64_t *r)
{
    *r = key < 0 ? key + length : key;
    return *r < 0 || *r >= length;
}

#pragma GCC visibility pop

#endif
