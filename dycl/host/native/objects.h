/* A run on Python's own objects: what they hold is read where CPython and NumPy keep it.

   dycl.runtime.objects finds out where things are and tries it; what is not at once what
   the network takes is left to it to look at. */

struct dycl_wanted {
    const void *dtype;
    int64_t element; /* as DLPack has the dtype */
    int64_t rank; /* below 0: a number of Python's, see below */
    const int64_t *sizes; /* below 0: any */
};

struct dycl_objects {
    int64_t head;  /* bytes that each object begins with; the last word is its class */
    int64_t items; /* where the items of a tuple begin; their count stands at `head` */
    const void *array_class, *float_class, *int_class, *true_object, *false_object;
    int64_t tagged; /* an int has a tag at `head`, as from CPython 3.12 on */
    const struct dycl_wanted *inputs;
    int64_t sites; /* how many returns there are */
    const struct dycl_torch *torch; /* NULL: its tensors are not known */
    /* What is called of Python's: to let other threads run, and to make an int. */
    void *(*release)(void);
    void (*acquire)(void *thread);
    void *(*whole)(long long value);
};

/* An array of NumPy's, behind its head. */
struct dycl_array {
    const void *data;
    int rank;
    const int64_t *sizes, *strides;
    const void *base, *dtype;
    int flags;
};

enum { DYCL_FLOAT = -1, DYCL_INT = -2, DYCL_TRUTH = -3 };

static const void *dycl_class_of(const struct dycl_objects *o, const char *object)
{
    return *(const void *const *)(object + o->head - sizeof(void *));
}

/* An int of at most two digits of 30 bits. */
static bool dycl_int_of(const struct dycl_objects *o, const char *object, int64_t *value)
{
    int64_t word = *(const int64_t *)(object + o->head);
    const uint32_t *digits = (const uint32_t *)(object + o->head + sizeof word);
    int64_t count = o->tagged ? word >> 3 : word < 0 ? -word : word;
    bool negative = o->tagged ? (word & 3) == 2 : word < 0;
    if (count > 2)
        return false;
    int64_t size = count == 0 ? 0 : digits[0];
    if (count == 2)
        size |= (int64_t)digits[1] << 30;
    *value = negative ? -size : size;
    return true;
}

/* A number of Python's, if it is of the kind that is wanted. */
static bool dycl_number_of(const struct dycl_objects *o, const char *object, int64_t rank,
                           dycl_value *value)
{
    const void *class = dycl_class_of(o, object);
    switch (rank) {
    case DYCL_FLOAT:
        if (class != o->float_class)
            return false;
        value->real = *(const double *)(object + o->head);
        return true;
    case DYCL_INT:
        return class == o->int_class && dycl_int_of(o, object, &value->integer);
    default:
        value->integer = object == o->true_object;
        return object == o->true_object || object == o->false_object;
    }
}

enum { DYCL_CONTIGUOUS = 0x1, DYCL_ALIGNED = 0x100 };

/* Give a run a tensor: where its elements are or, if a size may be any, its sizes, too,
   in the memory that a handle has for that. False: a size is not as it is wanted. */
static bool dycl_give(const struct dycl_wanted *wanted, const void *data,
                      const int64_t *sizes, dycl_value *value)
{
    bool is_open = false;
    for (int64_t d = 0; d < wanted->rank; d++) {
        if (wanted->sizes[d] < 0)
            is_open = true;
        else if (sizes[d] != wanted->sizes[d])
            return false;
    }
    if (!is_open) {
        value->tensor = data;
        return true;
    }
    dycl_tensor *sized = (dycl_tensor *)value->sized;
    sized->data = data;
    memcpy(sized->sizes, sizes, wanted->rank * sizeof *sizes);
    return true;
}

/* An array of NumPy's, if it is as it is wanted. */
static bool dycl_array_of(const struct dycl_objects *o, const char *object,
                          const struct dycl_wanted *wanted, dycl_value *value)
{
    const int wanted_flags = DYCL_CONTIGUOUS | DYCL_ALIGNED;
    const struct dycl_array *x = (const struct dycl_array *)(object + o->head);
    if (x->dtype != wanted->dtype || x->rank != wanted->rank ||
        (x->flags & wanted_flags) != wanted_flags)
        return false;
    return dycl_give(wanted, x->data, x->sizes, value);
}

#include "tensors.h"

/* Whether `tuple` holds what the network takes, `count` of it; then its inputs are set,
   and it is said whether a tensor of torch's was among them. */
static bool dycl_accept(const struct dycl_objects *o, const char *tuple, int64_t count,
                        dycl_value *in, bool *has_tensors)
{
    if (*(const int64_t *)(tuple + o->head) != count)
        return false;
    const char *const *items = (const char *const *)(tuple + o->items);
    for (int64_t i = 0; i < count; i++) {
        const struct dycl_wanted *wanted = &o->inputs[i];
        if (wanted->rank < 0) {
            if (!dycl_number_of(o, items[i], wanted->rank, &in[i]))
                return false;
        } else if (dycl_class_of(o, items[i]) == o->array_class) {
            if (!dycl_array_of(o, items[i], wanted, &in[i]))
                return false;
        } else {
            if (!dycl_tensor_of(o, items[i], wanted, &in[i]))
                return false;
            *has_tensors = true;
        }
    }
    return dycl_sizes_fit(in);
}

#include "kept.h"

enum { DYCL_UNFIT = -100, DYCL_HEAD = 16 };

/* A function of Python's, of a capsule with a handle and of a tuple. It gives the site
   of a run that returned, counted on from the last if it was given tensors of torch's;
   else what dycl_run gives, below 0, or UNFIT: the objects are not at once what the
   network takes, and nothing was run. */
void *dycl_method(const char *capsule, const void *tuple)
{
    struct dycl_host *h = *(struct dycl_host *const *)(capsule + DYCL_HEAD);
    const struct dycl_objects *o = h->objects;
    const struct dycl_kept *kept = h->kept;
    bool has_tensors = false;
    int64_t count = kept == NULL ? dycl_program.inputs : kept->given;
    if (!dycl_accept(o, tuple, count, h->net.inputs, &has_tensors))
        return o->whole(DYCL_UNFIT);
    void *thread = o->release();
    if (kept != NULL)
        dycl_give_kept(kept, dycl_program.inputs, h->net.inputs);
    int how = dycl_run_host(h);
    if (kept != NULL && how == DYCL_OK)
        dycl_take_kept(kept, h->net.site, h->net.outputs);
    o->acquire(thread);
    if (how != DYCL_OK)
        return o->whole(-how);
    return o->whole(h->net.site + (has_tensors ? o->sites : 0));
}
