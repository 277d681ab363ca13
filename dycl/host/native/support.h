/* What printed hosts are made of: Python's numbers in C, errors, memory.

   A function that may fail gives nonzero, and its result by address. Ints are 64 bits
   wide; one that would not fit is an error, never another number. */

#ifndef DYCL_SUPPORT_H
#define DYCL_SUPPORT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "dycl.h"

#define DYCL_LOCAL static inline __attribute__((unused))

/* What an entry of a weights file has to be: `F32[5,4]`, how many bytes, at a multiple
   of how many; and whether a run reads it, not only what is made of it. */
struct dycl_kind {
    const char *name, *kind;
    uint64_t bytes, align;
    int is_read;
};

/* One handle. The arena holds every buffer that kernels fill. dycl.runtime.native knows
   the first four. */
struct dycl_host {
    dycl_net net;
    unsigned char *arena;
    const struct dycl_objects *objects;
    const struct dycl_kept *kept;
    const dycl_weights *weights;
    uint32_t *path_end;
    unsigned char *turns;
    int64_t next_poll;
    struct dycl_chunk *texts;
    void *mapped;
    size_t mapped_size;
    dycl_weights *own_weights;
    /* What heap.h keeps. */
    size_t arena_size;
    struct dycl_block *blocks;
    size_t block_count, block_room, promised;
    size_t made, limit;
};

/* ---- memory */

#define ALIGNED __attribute__((aligned(64)))
#define AT(type, offset) ((type *)(m + (offset)))

#define HUGE_PAGE ((size_t)1 << 21)

/* Memory that kernels read and write; NULL: there is none. Much of it is asked for in
   huge pages: weights that do not fit the caches are read up to half as fast again. */
DYCL_LOCAL void *dycl_allocate(size_t size)
{
    const size_t room = (size + 127) & ~(size_t)63;
    if (room < HUGE_PAGE)
        return aligned_alloc(64, room);
    void *made = aligned_alloc(HUGE_PAGE, room);
    if (made != NULL)
        madvise(made, room, MADV_HUGEPAGE);
    return made;
}

/* The same for number `place` of it; and to use it, unless that was given. */
DYCL_LOCAL void *dycl_begin_made(dycl_weights *weights, int place, size_t size);
DYCL_LOCAL void dycl_end_made(dycl_weights *weights, int place);

/* A copy of a tensor in one of two places, by turns. */
DYCL_LOCAL void *dycl_keep(struct dycl_host *h, int number, unsigned char *first,
                           unsigned char *second, const void *source, size_t size)
{
    unsigned char *to = (h->turns[number] ^= 1) ? first : second;
    return memcpy(to, source, size);
}

struct dycl_chunk {
    struct dycl_chunk *next;
    size_t used, size;
};

/* Memory for a text, until the next run. */
DYCL_LOCAL void *dycl_make(struct dycl_host *h, size_t size)
{
    struct dycl_chunk *chunk = h->texts;
    size = (size + 15) & ~(size_t)15;
    if (chunk == NULL || chunk->used + size > chunk->size) {
        size_t room = size > 65536 ? size : 65536;
        chunk = malloc(sizeof *chunk + room);
        if (chunk == NULL)
            return NULL;
        *chunk = (struct dycl_chunk){h->texts, 0, room};
        h->texts = chunk;
    }
    void *made = (unsigned char *)(chunk + 1) + chunk->used;
    chunk->used += size;
    return made;
}

/* Keep one chunk for the next run, so that a steady state allocates nothing. */
DYCL_LOCAL void dycl_forget_texts(struct dycl_host *h)
{
    while (h->texts != NULL && h->texts->next != NULL) {
        struct dycl_chunk *next = h->texts->next;
        free(h->texts);
        h->texts = next;
    }
    if (h->texts != NULL)
        h->texts->used = 0;
}

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

/* ---- decisions */

/* Note which side is taken, and take it. */
#define DECIDE(number, taken) (*path = (number) << 1 | (taken), *path++ & 1)

/* Room for `count` more decisions. */
DYCL_LOCAL uint32_t *dycl_room(struct dycl_host *h, uint32_t *path, ptrdiff_t count)
{
    if (h->path_end - path >= count)
        return path;
    size_t used = path - h->net.path, room = 2 * (used + count);
    uint32_t *grown = realloc(h->net.path, room * sizeof *grown);
    if (grown == NULL)
        return NULL;
    h->net.path = grown;
    h->path_end = grown + room;
    return grown + used;
}

#define ROOM(count)                                                                    \
    do {                                                                               \
        uint32_t *roomy = dycl_room(h, path, count);                                   \
        if (roomy == NULL)                                                             \
            NO_MEMORY;                                                                 \
        path = roomy;                                                                  \
    } while (0)

/* Whether the caller wants a long run to end; asked 20 times a second. */
DYCL_LOCAL int dycl_poll(struct dycl_host *h)
{
    if (h->net.poll == NULL)
        return 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ticks = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (ticks < h->next_poll)
        return 0;
    h->next_poll = ticks + 50;
    return h->net.poll(&h->net);
}

DYCL_LOCAL int dycl_effect(struct dycl_host *h, int64_t site, const dycl_value *arguments)
{
    h->net.site = site;
    h->net.arguments = arguments;
    return h->net.effect == NULL ? 0 : h->net.effect(&h->net);
}

/* What a function gives that only Python has; nonzero: nobody can tell. */
DYCL_LOCAL int dycl_ask(struct dycl_host *h, int64_t site, const dycl_value *arguments)
{
    return h->net.effect == NULL ? 1 : dycl_effect(h, site, arguments);
}

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
DYCL_LOCAL int dycl_int_truediv(int64_t a, int64_t b, double *r)
{
    const int64_t exact = (int64_t)1 << 53;
    if (b == 0)
        return 1;
    if (-exact <= a && a <= exact && -exact <= b && b <= exact) {
        *r = (double)a / (double)b;
        return 0;
    }
    uint64_t p = a < 0 ? -(uint64_t)a : (uint64_t)a, q = b < 0 ? -(uint64_t)b : (uint64_t)b;
    if (p == 0) {
        *r = b < 0 ? -0.0 : 0.0;
        return 0;
    }
    int shift = 56 - (__builtin_clzll(q) - __builtin_clzll(p));
    if (shift < 0)
        shift = 0;
    uint64_t quotient = p / q, rest = p % q;
    for (int i = 0; i < shift; i++) {
        quotient <<= 1;
        rest <<= 1;
        if (rest >= q) {
            rest -= q;
            quotient |= 1;
        }
    }
    quotient |= rest != 0;
    double size = ldexp((double)quotient, -shift);
    *r = (a < 0) != (b < 0) ? -size : size;
    return 0;
}

/* b is not below zero. */
DYCL_LOCAL int dycl_int_pow(int64_t a, int64_t b, int64_t *r)
{
    int64_t product = 1;
    while (b > 0) {
        if ((b & 1) && dycl_mul(product, a, &product))
            return 1;
        b >>= 1;
        if (b > 0 && dycl_mul(a, a, &a))
            return 1;
    }
    *r = product;
    return 0;
}

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

DYCL_LOCAL int dycl_float_mod(double a, double b, double *r)
{
    if (b == 0.0)
        return 1;
    double mod = fmod(a, b);
    if (mod != 0.0) {
        if ((b < 0.0) != (mod < 0.0))
            mod += b;
    } else {
        mod = copysign(0.0, b);
    }
    *r = mod;
    return 0;
}

DYCL_LOCAL int dycl_float_floordiv(double a, double b, double *r)
{
    if (b == 0.0)
        return 1;
    double mod = fmod(a, b), div = (a - mod) / b;
    if (mod != 0.0 && (b < 0.0) != (mod < 0.0))
        div -= 1.0;
    if (div != 0.0) {
        *r = floor(div);
        if (div - *r > 0.5)
            *r += 1.0;
    } else {
        *r = copysign(0.0, a / b);
    }
    return 0;
}

/* 1: zero to a negative power; 2: too large; 3: no real number. */
DYCL_LOCAL int dycl_float_pow(double a, double b, double *r)
{
    if (a == 0.0 && b < 0.0 && isfinite(b))
        return 1;
    *r = pow(a, b);
    if (isfinite(a) && isfinite(b)) {
        if (isinf(*r))
            return 2;
        if (isnan(*r))
            return 3;
    }
    return 0;
}

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
DYCL_LOCAL double dycl_round(double a)
{
    double rounded = round(a);
    return fabs(a - rounded) == 0.5 ? 2.0 * round(a / 2.0) : rounded;
}

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
DYCL_LOCAL int dycl_mixed(int64_t a, double b)
{
    if (isnan(b))
        return 2;
    if (b >= 9223372036854775808.0)
        return -1;
    if (b < -9223372036854775808.0)
        return 1;
    int64_t whole = (int64_t)b;
    if (a != whole)
        return a < whole ? -1 : 1;
    double rest = b - (double)whole;
    return rest > 0.0 ? -1 : rest < 0.0;
}

/* A half float as a double. */
DYCL_LOCAL double dycl_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -size : size;
}

/* The nearest half float. */
DYCL_LOCAL uint16_t dycl_to_half(double a)
{
    uint16_t sign = signbit(a) ? 0x8000 : 0;
    double size = fabs(a);
    int exponent;
    if (isnan(a))
        return sign | 0x7e00;
    if (size >= 65520.0)
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (uint16_t)rint(ldexp(size, 24));
    frexp(size, &exponent);
    /* The fraction may round up to the next power, which a carry gets right. */
    return sign | (uint16_t)((exponent + 13) * 1024 + rint(ldexp(size, 11 - exponent)));
}

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
DYCL_LOCAL int dycl_compare_texts(const dycl_text *a, const dycl_text *b)
{
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->chars, b->chars, common);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

DYCL_LOCAL bool dycl_in_text(const dycl_text *a, const dycl_text *b)
{
    return memmem(b->chars, b->length, a->chars, a->length) != NULL;
}

/* A text that is formatted when someone reads it; NULL: no memory. */
DYCL_LOCAL const dycl_text *dycl_format(struct dycl_host *h, int64_t kind,
                                        const dycl_value *arguments, size_t size)
{
    dycl_text *made = dycl_make(h, sizeof *made + size);
    if (made != NULL) {
        memcpy(made + 1, arguments, size);
        *made = (dycl_text){kind, NULL, 0, (const dycl_value *)(made + 1)};
    }
    return made;
}

/* ---- which of several */

/* 1: there is none. */
DYCL_LOCAL int dycl_position(int64_t key, int64_t length, int64_t *r)
{
    *r = key < 0 ? key + length : key;
    return *r < 0 || *r >= length;
}

#endif
