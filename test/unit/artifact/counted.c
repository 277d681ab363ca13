/* Counts what a thread asks libc for: a library to preload. */

#include <stddef.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static __thread long count, bytes;

static void *note(void *made, size_t size)
{
    count++;
    bytes += size;
    return made;
}

void *malloc(size_t size) { return note(__libc_malloc(size), size); }
void *calloc(size_t n, size_t size) { return note(__libc_calloc(n, size), n * size); }
void *realloc(void *old, size_t size) { return note(__libc_realloc(old, size), size); }
void *memalign(size_t to, size_t size) { return note(__libc_memalign(to, size), size); }
void *aligned_alloc(size_t to, size_t size) { return memalign(to, size); }
int posix_memalign(void **made, size_t to, size_t size)
{
    *made = memalign(to, size);
    return *made == NULL ? 12 : 0;
}

long counted(void) { return count; }
long counted_bytes(void) { return bytes; }
