/* What support.h declares. */

#define _GNU_SOURCE

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "support.h"

/* ---- memory */

#define HUGE_PAGE ((size_t)1 << 21)

void *dycl_allocate(size_t size)
{
    const size_t room = (size + 127) & ~(size_t)63;
    if (room < HUGE_PAGE)
        return aligned_alloc(64, room);
    void *made = aligned_alloc(HUGE_PAGE, room);
    if (made != NULL)
        madvise(made, room, MADV_HUGEPAGE);
    return made;
}

void *dycl_make_result(struct dycl_host *h, int64_t number, size_t size)
{
    char *made = dycl_allocate(DYCL_IN_FRONT + size);
    return made == NULL ? NULL : (h->results[number] = made + DYCL_IN_FRONT);
}

struct dycl_chunk {
    struct dycl_chunk *next;
    size_t used, size;
};

void *dycl_make(struct dycl_host *h, size_t size)
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

void dycl_forget_texts(struct dycl_host *h)
{
    while (h->texts != NULL && h->texts->next != NULL) {
        struct dycl_chunk *next = h->texts->next;
        free(h->texts);
        h->texts = next;
    }
    if (h->texts != NULL)
        h->texts->used = 0;
}

/* ---- decisions */

uint32_t *dycl_grow_path(struct dycl_host *h, uint32_t *path, size_t count)
{
    size_t used = path - h->net.path, room = 2 * (used + count);
    uint32_t *grown = realloc(h->net.path, room * sizeof *grown);
    if (grown == NULL)
        return NULL;
    h->net.path = grown;
    h->path_end = grown + room;
    return grown + used;
}

int dycl_ask_caller(struct dycl_host *h)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ticks = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (ticks < h->next_poll)
        return 0;
    h->next_poll = ticks + 50;
    return dycl_of_caller(h, h->net.poll);
}

int dycl_effect(struct dycl_host *h, int64_t site, const dycl_value *arguments)
{
    h->net.site = site;
    h->net.arguments = arguments;
    return h->net.effect == NULL ? 0 : dycl_of_caller(h, h->net.effect);
}

int dycl_ask(struct dycl_host *h, int64_t site, const dycl_value *arguments)
{
    return h->net.effect == NULL ? 1 : dycl_effect(h, site, arguments);
}

int dycl_call_engine(struct dycl_host *h, const int64_t *session,
                     const dycl_value *arguments)
{
    h->net.site = *session;
    h->net.arguments = arguments;
    return h->engine == NULL ? 1 : dycl_of_caller(h, h->engine);
}

/* ---- Python's ints */

int dycl_int_truediv(int64_t a, int64_t b, double *r)
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

int dycl_int_pow(int64_t a, int64_t b, int64_t *r)
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

/* ---- Python's floats */

int dycl_float_mod(double a, double b, double *r)
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

int dycl_float_floordiv(double a, double b, double *r)
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

int dycl_float_pow(double a, double b, double *r)
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

double dycl_round(double a)
{
    double rounded = round(a);
    return fabs(a - rounded) == 0.5 ? 2.0 * round(a / 2.0) : rounded;
}

int dycl_mixed(int64_t a, double b)
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

double dycl_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -size : size;
}

uint16_t dycl_to_half(double a)
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

/* ---- texts */

int dycl_compare_texts(const dycl_text *a, const dycl_text *b)
{
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->chars, b->chars, common);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

bool dycl_in_text(const dycl_text *a, const dycl_text *b)
{
    return memmem(b->chars, b->length, a->chars, a->length) != NULL;
}

const dycl_text *dycl_format(struct dycl_host *h, int64_t kind,
                             const dycl_value *arguments, size_t size)
{
    dycl_text *made = dycl_make(h, sizeof *made + size);
    if (made != NULL) {
        memcpy(made + 1, arguments, size);
        *made = (dycl_text){kind, NULL, 0, (const dycl_value *)(made + 1)};
    }
    return made;
}

bool dycl_sizes_fit(const dycl_value *inputs)
{
    for (int64_t i = 0; i < dycl_program.open_count; i++) {
        const struct dycl_open *open = &dycl_program.open[i];
        int64_t size = inputs[open->input].sized->sizes[open->dimension];
        const dycl_tensor *first = inputs[open->first_input].sized;
        if (size < open->low || size > open->high ||
            size != first->sizes[open->first_dimension])
            return false;
    }
    return true;
}
