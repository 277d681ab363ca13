/* Tensors of torch's, which gives C functions to read and to make them, those of DLPack's
   exchange (`dycl.runtime.tensors` finds them): no method of a tensor's is called but the
   one that DLPack does not speak of. */

/* DLTensor of dlpack.h. */
struct dycl_dlpack {
    void *data;
    int32_t device, device_number, rank;
    uint32_t element; /* code, bits, lanes */
    int64_t *sizes, *strides;
    uint64_t offset;
};

/* DLManagedTensorVersioned of dlpack.h. */
struct dycl_owned {
    uint32_t major, minor;
    void *context;
    void (*free)(struct dycl_owned *owned);
    uint64_t flags;
    struct dycl_dlpack tensor;
};

struct dycl_torch {
    const void *tensor_class, *parameter_class;
    const void *is_negated; /* whether elements stand with the other sign */
    int (*read)(const void *tensor, struct dycl_dlpack *found);
    int (*wrap)(struct dycl_owned *owned, void **tensor);
    /* Python's: to call, to forget an object, an error; to raise one. */
    void *(*call)(const void *function, const void *argument);
    void (*forget)(void *object);
    void (*forget_error)(void);
    void *(*no_memory)(void);
};

enum { DYCL_ON_CPU = 1 };

static bool dycl_is_negated(const struct dycl_objects *o, const void *tensor)
{
    void *answer = o->torch->call(o->torch->is_negated, tensor);
    if (answer == NULL)
        o->torch->forget_error();
    else
        o->torch->forget(answer);
    return answer != o->false_object;
}

/* A tensor of torch's, if it is as it is wanted. */
static bool dycl_tensor_of(const struct dycl_objects *o, const char *object,
                           const struct dycl_wanted *wanted, dycl_value *value)
{
    const struct dycl_torch *torch = o->torch;
    const void *class = dycl_class_of(o, object);
    if (torch == NULL ||
        (class != torch->tensor_class && class != torch->parameter_class))
        return false;
    struct dycl_dlpack x;
    if (torch->read(object, &x) != 0) {
        torch->forget_error();
        return false;
    }
    if (x.device != DYCL_ON_CPU || x.element != wanted->element ||
        x.rank != wanted->rank || x.data == NULL)
        return false;
    int64_t step = 1;
    for (int64_t d = wanted->rank - 1; d >= 0; d--) {
        if (x.sizes[d] != 1 && x.strides != NULL && x.strides[d] != step)
            return false;
        step *= x.sizes[d];
    }
    const char *data = (const char *)x.data + x.offset;
    const uint32_t bytes = (x.element >> 8 & 255) / 8;
    if ((uintptr_t)data % bytes != 0 || dycl_is_negated(o, object))
        return false;
    return dycl_give(wanted, data, x.sizes, value);
}

/* An output that becomes a tensor of torch's. */
struct dycl_leaf {
    const struct dycl_objects *objects;
    const dycl_value *place;
    int64_t element, rank, bytes;
    const int64_t *sizes; /* and strides; NULL: a run decides them, and `bytes` */
};

/* The block of a result that lies in memory of its own, which is the caller's from now
   on. NULL: it lies elsewhere. */
static void *dycl_taken(const struct dycl_leaf *leaf)
{
    struct dycl_host *h = (void *)leaf->place[dycl_program.outputs + 1].tensor;
    if (leaf->sizes == NULL) {
        const void *start = leaf->place->sized->data;
        return dycl_take_large(h, start) ? (char *)start - DYCL_IN_FRONT : NULL;
    }
    for (int64_t i = 0; i < dycl_program.results; i++) {
        if (h->results[i] == NULL || h->results[i] != leaf->place->tensor)
            continue;
        char *data = h->results[i];
        h->results[i] = NULL;
        return data - DYCL_IN_FRONT;
    }
    return NULL;
}

/* Sizes and strides of an output that brings its sizes; gives its bytes. */
static size_t dycl_lay_out(const struct dycl_leaf *leaf, int64_t *sizes)
{
    size_t bytes = (leaf->element >> 8 & 255) / 8;
    int64_t step = 1;
    for (int64_t d = leaf->rank - 1; d >= 0; d--) {
        sizes[d] = leaf->place->sized->sizes[d];
        sizes[leaf->rank + d] = step;
        step *= sizes[d] > 1 ? sizes[d] : 1;
        bytes *= sizes[d];
    }
    return bytes;
}

/* A function of Python's, of a capsule with a leaf: a tensor of it, or of a copy. */
void *dycl_made_tensor(const char *capsule, const void *nothing)
{
    (void)nothing;
    const struct dycl_leaf *leaf = *(const struct dycl_leaf *const *)(capsule + 16);
    const struct dycl_objects *o = leaf->objects;
    const bool is_sized = leaf->sizes == NULL;
    const size_t sizes = 2 * leaf->rank * sizeof(int64_t);
    int64_t own[is_sized ? 2 * leaf->rank + 1 : 1];
    const size_t bytes = is_sized ? dycl_lay_out(leaf, own) : (size_t)leaf->bytes;
    const void *data = is_sized ? leaf->place->sized->data : leaf->place->tensor;
    size_t head = (sizeof(struct dycl_owned) + sizes + 63) & ~(size_t)63;
    struct dycl_owned *owned = head > DYCL_IN_FRONT ? NULL : dycl_taken(leaf);
    const bool is_taken = owned != NULL;
    if (is_taken)
        head = DYCL_IN_FRONT;
    else
        owned = dycl_allocate(head + bytes);
    if (owned == NULL)
        return o->torch->no_memory();
    memset(owned, 0, sizeof *owned);
    owned->major = 1;
    /* libc's own: the tensor may outlive this library. */
    owned->free = (void (*)(struct dycl_owned *))free;
    owned->tensor.data = (char *)owned + head;
    owned->tensor.device = DYCL_ON_CPU;
    owned->tensor.rank = leaf->rank;
    owned->tensor.element = leaf->element;
    owned->tensor.sizes = (int64_t *)(owned + 1);
    owned->tensor.strides = owned->tensor.sizes + leaf->rank;
    memcpy(owned->tensor.sizes, is_sized ? own : leaf->sizes, sizes);
    if (!is_taken) {
        void *thread = bytes < DYCL_LARGE ? NULL : o->release();
        if (bytes > 0)
            memcpy(owned->tensor.data, data, bytes);
        if (thread != NULL)
            o->acquire(thread);
    }
    void *tensor;
    if (o->torch->wrap(owned, &tensor) == 0)
        return tensor;
    free(owned);
    return NULL;
}
