/* A stack of its own for a run whose calls may nest deeper than a thread's stack takes.

   Addresses for all of it are set aside by the first run; it takes memory as calls get
   deeper. What is asked of the caller (see `effect` and `poll` in dycl.h) is asked on
   the caller's own stack, where Python, too, knows how deep it is. A run may also leave
   its stack to wait, and go on later (together.c). */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "support.h"

struct dycl_stack {
    unsigned char *memory;
    size_t size;
    ucontext_t own, caller;
    int (*run)(struct dycl_host *h);
    int (*asked)(dycl_net *net); /* NULL: the run has ended */
    int gives; /* the run, or what was asked */
    bool is_running, waits;
};

static void dycl_begin_on_stack(unsigned high, unsigned low)
{
    struct dycl_host *h =
        (struct dycl_host *)(((uintptr_t)high << 16 << 16) | (uintptr_t)low);
    struct dycl_stack *stack = h->stack;
    stack->gives = stack->run(h);
    stack->asked = NULL;
}

static bool dycl_reserve_stack(struct dycl_host *h, size_t size)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    struct dycl_stack *stack = calloc(1, sizeof *stack);
    if (stack == NULL)
        return false;
    for (; size >= (size_t)1 << 20; size /= 2) {
        void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (made != MAP_FAILED) {
            stack->memory = made;
            stack->size = size;
            h->stack = stack;
            return true;
        }
    }
    free(stack);
    return false;
}

void dycl_free_stack(struct dycl_host *h)
{
    if (h->stack != NULL)
        munmap(h->stack->memory, h->stack->size);
    free(h->stack);
}

bool dycl_begin_run(struct dycl_host *h, int (*run)(struct dycl_host *), size_t size)
{
    if (h->stack == NULL && !dycl_reserve_stack(h, size))
        return false;
    struct dycl_stack *stack = h->stack;
    if (getcontext(&stack->own) != 0)
        return false;
    stack->own.uc_stack.ss_sp = stack->memory;
    stack->own.uc_stack.ss_size = stack->size;
    stack->own.uc_link = &stack->caller;
    stack->run = run;
    uintptr_t at = (uintptr_t)h;
    makecontext(&stack->own, (void (*)(void))dycl_begin_on_stack, 2,
                (unsigned)(at >> 16 >> 16), (unsigned)at);
    return true;
}

bool dycl_go_on(struct dycl_host *h, int *gives)
{
    struct dycl_stack *stack = h->stack;
    stack->is_running = true;
    stack->waits = false;
    swapcontext(&stack->caller, &stack->own);
    while (stack->asked != NULL) {
        stack->gives = stack->asked(&h->net);
        swapcontext(&stack->caller, &stack->own);
    }
    stack->is_running = false;
    *gives = stack->gives;
    return stack->waits;
}

int dycl_run_on_stack(struct dycl_host *h, int (*run)(struct dycl_host *), size_t size)
{
    int gives;
    if (!dycl_begin_run(h, run, size))
        return DYCL_NO_MEMORY;
    dycl_go_on(h, &gives);
    return gives;
}

void dycl_wait(struct dycl_host *h)
{
    struct dycl_stack *stack = h->stack;
    stack->asked = NULL;
    stack->waits = true;
    swapcontext(&stack->own, &stack->caller);
}

int dycl_of_caller(struct dycl_host *h, int (*asked)(dycl_net *net))
{
    struct dycl_stack *stack = h->stack;
    if (stack == NULL || !stack->is_running)
        return asked(&h->net);
    stack->asked = asked;
    swapcontext(&stack->own, &stack->caller);
    return stack->gives;
}

uintptr_t dycl_own_stack_end(const struct dycl_host *h, size_t spare)
{
    const struct dycl_stack *stack = h->stack;
    if (stack == NULL || !stack->is_running)
        return 0;
    return (uintptr_t)stack->memory + spare;
}
