/* The functions of dycl.h, the same for every network. Needs of what stands above:
   INPUTS, OUTPUTS, ARENA, TURNS, PATH, PREPARED, struct dycl_weights, dycl_forward,
   dycl_make_prepared, dycl_error_texts. */

dycl_weights *dycl_prepare(const void *const *weights)
{
    dycl_weights *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    if (dycl_weight_count > 0)
        memcpy(made, weights, dycl_weight_count * sizeof *weights);
    if (!dycl_make_prepared(made))
        return made;
    dycl_release(made);
    return NULL;
}

void dycl_release(dycl_weights *weights)
{
    if (weights == NULL)
        return;
    void **all = (void **)weights;
    for (int i = 0; i < PREPARED; i++)
        free(all[dycl_weight_count + i]);
    free(weights);
}

dycl_net *dycl_create(const dycl_weights *weights)
{
    struct dycl_host *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->weights = weights;
#ifdef THREADS
    START_TEAM;
#endif
    h->net.inputs = calloc(INPUTS + 1, sizeof(dycl_value));
    h->net.outputs = calloc(OUTPUTS + 1, sizeof(dycl_value));
    h->net.path = malloc((PATH + 1) * sizeof(uint32_t));
    h->path_end = h->net.path + PATH;
    h->turns = calloc(TURNS + 1, 1);
    h->arena = dycl_allocate(ARENA);
    h->arena_size = ARENA;
    if (h->net.inputs && h->net.outputs && h->net.path && h->turns && h->arena)
        return &h->net;
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
    dycl_forget_blocks(h);
    free(h->blocks);
    free(h->net.inputs);
    free(h->net.outputs);
    free(h->net.path);
    free(h->turns);
    free(h->arena);
    dycl_release(h->own_weights);
    if (h->mapped != NULL)
        munmap(h->mapped, h->mapped_size);
    free(h);
}

int dycl_run(dycl_net *net)
{
    return dycl_forward((struct dycl_host *)net);
}

#include "objects.h"

int64_t dycl_path(const dycl_net *net, const uint32_t **path)
{
    *path = net->path;
    return net->path_count;
}

const char *dycl_error(const dycl_net *net)
{
    return net->site < 0 ? "the run was stopped" : dycl_error_texts[net->site];
}

/* The address of an entry of a safetensors file; its header has been copied to text. */
static const void *dycl_find(const char *header, const unsigned char *data, size_t size,
                             const char *name)
{
    char key[1024];
    if (snprintf(key, sizeof key, "\"%s\"", name) >= (int)sizeof key)
        return NULL;
    const char *found = strstr(header, key);
    found = found == NULL ? NULL : strstr(found, "\"data_offsets\"");
    found = found == NULL ? NULL : strchr(found, '[');
    unsigned long long start, end;
    if (found == NULL || sscanf(found, "[%llu,%llu", &start, &end) != 2 || end > size)
        return NULL;
    return data + start;
}

dycl_net *dycl_open(const char *weights_file)
{
    struct stat about;
    int file = open(weights_file, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    void *mapped = MAP_FAILED;
    if (fstat(file, &about) == 0 && about.st_size > 8)
        mapped = mmap(NULL, about.st_size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return NULL;
    const unsigned char *bytes = mapped;
    size_t size = about.st_size;
    uint64_t length;
    memcpy(&length, bytes, 8);
    const void **weights = calloc(dycl_weight_count + 1, sizeof *weights);
    char *header = length > size - 8 ? NULL : malloc(length + 1);
    int missing = weights == NULL || header == NULL;
    if (!missing) {
        memcpy(header, bytes + 8, length);
        header[length] = 0;
        for (int64_t i = 0; i < dycl_weight_count; i++) {
            const unsigned char *data = bytes + 8 + length;
            weights[i] = dycl_find(header, data, size - 8 - length, dycl_weight_names[i]);
            missing |= weights[i] == NULL;
        }
    }
    free(header);
    dycl_weights *prepared = missing ? NULL : dycl_prepare(weights);
    dycl_net *net = prepared == NULL ? NULL : dycl_create(prepared);
    free(weights);
    if (net == NULL) {
        dycl_release(prepared);
        munmap(mapped, size);
        return NULL;
    }
    struct dycl_host *h = (struct dycl_host *)net;
    h->mapped = mapped;
    h->mapped_size = size;
    h->own_weights = prepared;
    return net;
}
