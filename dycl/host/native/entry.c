/* The functions of dycl.h: what they need to know of a network is in dycl_program. */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "batch.h"
#include "heap.h"

static char dycl_said[1024];

/* Say why something is not there. */
#define dycl_refuse(...) (snprintf(dycl_said, sizeof dycl_said, __VA_ARGS__), NULL)

const char *dycl_why(void)
{
    return dycl_said;
}

/* The struct is an array of pointers: weights, what is made of them; behind it stands
   the memory that was made here. */
static void **dycl_own_memory(dycl_weights *weights)
{
    return (void **)((char *)weights + dycl_program.weights);
}

dycl_weights *dycl_prepare(const void *const *weights, const void *const *made)
{
    const int64_t count = dycl_program.made;
    dycl_weights *all = calloc(1, dycl_program.weights + count * sizeof(void *));
    if (all == NULL)
        return dycl_refuse("there is no memory");
    if (dycl_weight_count > 0)
        memcpy(all, weights, dycl_weight_count * sizeof *weights);
    if (count > 0 && made != NULL)
        memcpy((const void **)all + dycl_weight_count, made, count * sizeof *made);
    int missing = dycl_program.make_missing(all);
    if (!missing)
        return all;
    dycl_release(all);
    return dycl_refuse(missing == DYCL_NO_SESSION ? "an engine that runs its kernels is not there"
                                                  : "there is no memory");
}

void *dycl_begin_made(dycl_weights *weights, int place, size_t size)
{
    void **own = dycl_own_memory(weights);
    if (own[place] == NULL)
        own[place] = dycl_allocate(size);
    return own[place];
}

void dycl_end_made(dycl_weights *weights, int place)
{
    void **fields = (void **)weights + dycl_weight_count;
    void **own = dycl_own_memory(weights);
    if (fields[place] == NULL) {
        fields[place] = own[place];
    } else if (fields[place] != own[place]) {
        free(own[place]);
        own[place] = NULL;
    }
}

void dycl_release(dycl_weights *weights)
{
    void **own = dycl_own_memory(weights);
    for (int i = 0; weights != NULL && i < dycl_program.made; i++)
        free(own[i]);
    free(weights);
}

dycl_net *dycl_create(const dycl_weights *weights)
{
    struct dycl_host *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->weights = weights;
    const struct dycl_program *program = &dycl_program;
    if (program->start_pool != NULL)
        program->start_pool();
    h->net.inputs = calloc(program->inputs + 1, sizeof(dycl_value));
    h->net.outputs = calloc(2 * (program->outputs + 1), sizeof(dycl_value));
    h->results = calloc(program->results + 1, sizeof(void *));
    h->net.path = malloc((program->path + 1) * sizeof(uint32_t));
    h->path_end = h->net.path + program->path;
    h->turns = calloc(program->turns + 1, 1);
    h->arena = dycl_allocate(program->arena);
    h->arena_size = program->arena;
    if (h->net.inputs && h->net.outputs && h->net.path && h->turns && h->arena &&
        h->results) {
        /* Whose an output is: see dycl_taken. */
        for (int64_t i = 0; i <= program->outputs; i++)
            h->net.outputs[program->outputs + 1 + i].tensor = h;
        return &h->net;
    }
    dycl_destroy(&h->net);
    return NULL;
}

void dycl_destroy(dycl_net *net)
{
    struct dycl_host *h = (struct dycl_host *)net;
    if (h == NULL)
        return;
    dycl_forget_texts(h);
    free(h->texts);
    dycl_free_blocks(h);
    free(h->net.inputs);
    free(h->net.outputs);
    free(h->net.path);
    free(h->turns);
    free(h->arena);
    for (int64_t i = 0; h->results != NULL && i < dycl_program.results; i++)
        if (h->results[i] != NULL)
            free((char *)h->results[i] - DYCL_IN_FRONT);
    free(h->results);
    free(h->own_times.events);
    if (h->frames != NULL)
        munmap(h->frames, h->frames_size);
    dycl_free_pool(h);
    dycl_free_stack(h);
    dycl_release(h->own_weights);
    if (h->mapped != NULL)
        munmap(h->mapped, h->mapped_size);
    free(h);
}

static int dycl_run_threads(struct dycl_host *h)
{
    const struct dycl_program *program = &dycl_program;
    return program->run_with_pool == NULL ? program->forward(h)
                                          : program->run_with_pool(h, program->forward);
}

static int dycl_run_plain(struct dycl_host *h)
{
    const size_t stack = dycl_program.stack;
    return stack == 0 ? dycl_run_threads(h)
                      : dycl_run_on_stack(h, dycl_run_threads, stack);
}

static int dycl_run_host(struct dycl_host *h)
{
    struct dycl_host *before = dycl_enter(h);
    int how = __builtin_expect(h->wanted_clock != DYCL_NO_CLOCK, 0)
                  ? dycl_run_timed(h, dycl_run_plain)
                  : dycl_run_plain(h);
    dycl_enter(before);
    return how;
}

int dycl_run(dycl_net *net)
{
    return dycl_run_host((struct dycl_host *)net);
}

#include "objects.h"

#include "rows.h"

#include "node_reader.h"
#include "nodes.h"

int64_t dycl_path(const dycl_net *net, const uint32_t **path)
{
    *path = net->path;
    return net->path_count;
}

const char *dycl_error(const dycl_net *net)
{
    return net->site < 0 ? "the run was stopped" : dycl_program.error_texts[net->site];
}

/* ---- weights in a safetensors file */

/* A mapped file: its header as text, where to look in it next, what lies behind it. */
struct dycl_file {
    char *header;
    const char *next;
    const unsigned char *data;
    uint64_t size;
};

/* What a header says of an entry: the text behind `"name":`, from its `{` on. */
static const char *dycl_entry(const char *from, const char *key)
{
    const char *at = from;
    while ((at = strstr(at, key)) != NULL) {
        at += strlen(key);
        at += strspn(at, " ");
        if (*at == ':' && at[1 + strspn(at + 1, " ")] == '{')
            return at;
    }
    return NULL;
}

/* The value of a field of an entry that ends at `end`. */
static const char *dycl_field(const char *entry, const char *end, const char *key)
{
    const char *at = strstr(entry, key);
    if (at == NULL || at >= end)
        return NULL;
    at += strlen(key);
    return at + strspn(at, " :");
}

/* The address of an entry; NULL: dycl_why says why. */
static const void *dycl_find(struct dycl_file *file, const struct dycl_kind *wanted)
{
    char key[1024], text[256];
    const char *name = wanted->name;
    if (snprintf(key, sizeof key, "\"%s\"", name) >= (int)sizeof key)
        return dycl_refuse("`%s` is too long a name", name);
    const char *entry = dycl_entry(file->next, key);
    if (entry == NULL && (entry = dycl_entry(file->header, key)) == NULL)
        return dycl_refuse("`%s` is not in it", name);
    const char *end = strchr(entry, '}');
    if (end == NULL)
        return dycl_refuse("it ends within `%s`", name);
    file->next = end;
    const char *dtype = dycl_field(entry, end, "\"dtype\"");
    const char *shape = dycl_field(entry, end, "\"shape\"");
    const char *offsets = dycl_field(entry, end, "\"data_offsets\"");
    unsigned long long start, stop;
    if (dtype == NULL || shape == NULL || offsets == NULL ||
        sscanf(offsets, "[%llu ,%llu", &start, &stop) != 2)
        return dycl_refuse("it does not say what `%s` is", name);
    int used = snprintf(text, sizeof text, "%.*s", (int)strcspn(dtype + 1, "\",}") & 15,
                        dtype + 1);
    for (; shape < end && used < (int)sizeof text - 1; shape++) {
        if (*shape != ' ')
            text[used++] = *shape;
        if (*shape == ']')
            break;
    }
    text[used] = 0;
    if (strcmp(text, wanted->kind) != 0)
        return dycl_refuse("`%s` is %s, not %s", name, text, wanted->kind);
    if (start > stop || stop > file->size || stop - start != wanted->bytes)
        return dycl_refuse("`%s` does not lie inside it", name);
    if ((uintptr_t)(file->data + start) % wanted->align != 0)
        return dycl_refuse("`%s` is not aligned in it", name);
    return file->data + start;
}

/* The weights of a mapped file. What is made of them may be in it, too: weights that
   are only there to be made something of may then be missing. NULL: see dycl_why. */
static dycl_weights *dycl_read(const unsigned char *bytes, uint64_t size)
{
    uint64_t length;
    memcpy(&length, bytes, 8);
    if (length > size - 8)
        return dycl_refuse("it is not a safetensors file");
    struct dycl_file file = {malloc(length + 1), NULL, bytes + 8 + length,
                             size - 8 - length};
    const int64_t count = dycl_program.made;
    const void **weights = calloc(dycl_weight_count + count + 1, sizeof *weights);
    const void **made = weights + dycl_weight_count;
    if (file.header == NULL || weights == NULL) {
        free(file.header);
        free(weights);
        return dycl_refuse("there is no memory");
    }
    memcpy(file.header, bytes + 8, length);
    file.header[length] = 0;
    file.next = file.header;
    const struct dycl_program *program = &dycl_program;
    int all_made = 1, fits = 1;
    for (int64_t i = 0; i < count; i++)
        all_made &= (made[i] = dycl_find(&file, &program->made_kinds[i])) != NULL;
    for (int64_t i = 0; i < dycl_weight_count && fits; i++)
        if (!all_made || program->kinds[i].is_read)
            fits = (weights[i] = dycl_find(&file, &program->kinds[i])) != NULL;
    dycl_weights *found = fits ? dycl_prepare(weights, made) : NULL;
    free(file.header);
    free(weights);
    return found;
}

dycl_net *dycl_open(const char *weights_file)
{
    int file = open(weights_file, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return dycl_refuse("%s", strerror(errno));
    /* Of what has no end, as a directory, this is -1 or too much to map. */
    uint64_t size = lseek(file, 0, SEEK_END);
    void *mapped = size < 8 ? MAP_FAILED
                            : mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return dycl_refuse("it is not a safetensors file");
    dycl_weights *weights = dycl_read(mapped, size);
    dycl_net *net = weights == NULL ? NULL : dycl_create(weights);
    if (net == NULL) {
        if (weights != NULL)
            (void)dycl_refuse("there is no memory");
        dycl_release(weights);
        munmap(mapped, size);
        return NULL;
    }
    struct dycl_host *h = (struct dycl_host *)net;
    h->mapped = mapped;
    h->mapped_size = size;
    h->own_weights = weights;
    return net;
}
