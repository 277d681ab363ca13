/* What heap.h declares. */

#include "heap.h"

/* ---- tensors whose size a run decides */

dycl_tensor *dycl_sized(struct dycl_host *h, int64_t rank, const void *data,
                        const int64_t *sizes)
{
    dycl_tensor *made = dycl_block(h, (1 + rank) * sizeof(int64_t), true);
    if (made != NULL) {
        made->data = data;
        memcpy(made->sizes, sizes, rank * sizeof *sizes);
    }
    return made;
}

dycl_tensor *dycl_promise(struct dycl_host *h, int64_t rank)
{
    return dycl_sized(h, rank, NULL, dycl_nothing);
}

bool dycl_adopt(struct dycl_host *h, dycl_tensor *made, int64_t rank, size_t item)
{
    size_t size = dycl_product(made->sizes, rank) * item;
    made->data = dycl_adopt_block(h, (void *)made->data, size);
    return made->data != NULL;
}

void dycl_drop(struct dycl_host *h, const dycl_tensor *tensor)
{
    if (tensor == NOTHING)
        return;
    dycl_forget_block(h, tensor->data);
    dycl_forget_block(h, tensor);
}

const void *dycl_own(struct dycl_host *h, const void *data, size_t size)
{
    if (!dycl_is_lent(h, data))
        return data;
    void *made = dycl_block(h, size, false);
    return made == NULL ? NULL : memcpy(made, data, size);
}

const dycl_tensor *dycl_own_sized(struct dycl_host *h, const dycl_tensor *x, int64_t rank,
                                  size_t item)
{
    if (!dycl_is_lent(h, x->data))
        return x;
    const void *data = dycl_own(h, x->data, dycl_product(x->sizes, rank) * item);
    return data == NULL ? NULL : dycl_sized(h, rank, data, x->sizes);
}

/* ---- lists */

const dycl_list *dycl_longer(struct dycl_host *h, const dycl_list *list,
                             const dycl_value *more, int64_t count, bool leads)
{
    struct dycl_shared *shared = ((const struct dycl_grown *)list)->shared;
    int64_t length = list->length + count;
    if (shared == NULL || shared->count != list->length || length > shared->room) {
        int64_t room = length < 8 ? 8 : 2 * length;
        if (shared == NULL || shared->count != list->length)
            shared = dycl_block(h, sizeof *shared, true);
        dycl_value *values = dycl_block(h, room * sizeof *values, leads);
        if (shared == NULL || values == NULL)
            return NULL;
        if (list->length > 0)
            memcpy(values, list->items, list->length * sizeof *values);
        *shared = (struct dycl_shared){list->length, room, values};
    }
    struct dycl_grown *made = dycl_block(h, sizeof *made, true);
    if (made == NULL)
        return NULL;
    if (count > 0)
        memcpy(shared->values + list->length, more, count * sizeof *more);
    shared->count = length;
    *made = (struct dycl_grown){{length, shared->values}, shared};
    return &made->list;
}

const dycl_list *dycl_take(struct dycl_host *h, const dycl_list *list, int64_t start,
                           int64_t stop, bool leads)
{
    int64_t n = list->length;
    start = start < -n ? 0 : start < 0 ? start + n : start < n ? start : n;
    stop = stop < -n ? 0 : stop < 0 ? stop + n : stop < n ? stop : n;
    if (stop <= start)
        return EMPTY;
    return dycl_longer(h, EMPTY, list->items + start, stop - start, leads);
}

/* ---- tensors of lists, and lists of tensors */

int dycl_concat(struct dycl_host *h, const dycl_list *list, const int64_t *known,
                int64_t rank, int64_t dim, bool stack, size_t item,
                const dycl_tensor **made)
{
    int64_t along = 0, to[17];
    if (list->length == 0)
        return 2;
    const int64_t *first = known ? known : list->items[0].sized->sizes;
    for (int64_t i = 0; i < list->length; i++) {
        const int64_t *sizes = known ? known : list->items[i].sized->sizes;
        for (int64_t d = 0; d < rank; d++)
            if (sizes[d] != first[d] && (stack || d != dim))
                return 3;
        along += stack ? 1 : sizes[dim];
    }
    memcpy(to, first, dim * sizeof *to);
    to[dim] = along;
    memcpy(to + dim + 1, first + dim + !stack, (rank - dim - !stack) * sizeof *to);
    int64_t outer = dycl_product(first, dim);
    size_t row = dycl_product(to + dim + 1, rank + stack - dim - 1) * item;
    unsigned char *data = dycl_block(h, outer * along * row, false), *end = data;
    if (data == NULL || (*made = dycl_sized(h, rank + stack, data, to)) == NULL)
        return 1;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < list->length; i++) {
            const dycl_value one = list->items[i];
            size_t rows = stack ? 1 : (known ? known : one.sized->sizes)[dim];
            const unsigned char *from = known ? one.tensor : one.sized->data;
            if (rows * row > 0)
                memcpy(end, from + o * rows * row, rows * row);
            end += rows * row;
        }
    return 0;
}

/* One element as a number of the host's. */
static dycl_value dycl_load(const void *data, int64_t i, int dtype)
{
    switch (dtype) {
    case DYCL_BOOL:
    case DYCL_UINT8:
        return (dycl_value){.integer = ((const uint8_t *)data)[i]};
    case DYCL_INT8:
        return (dycl_value){.integer = ((const int8_t *)data)[i]};
    case DYCL_INT16:
        return (dycl_value){.integer = ((const int16_t *)data)[i]};
    case DYCL_INT32:
        return (dycl_value){.integer = ((const int32_t *)data)[i]};
    case DYCL_INT64:
        return (dycl_value){.integer = ((const int64_t *)data)[i]};
    case DYCL_FLOAT16:
        return (dycl_value){.real = dycl_half(((const uint16_t *)data)[i])};
    case DYCL_BFLOAT16:
        return (dycl_value){.real = dycl_from_bf16(((const uint16_t *)data)[i])};
    case DYCL_FLOAT32:
        return (dycl_value){.real = ((const float *)data)[i]};
    default:
        return (dycl_value){.real = ((const double *)data)[i]};
    }
}

/* Whether an int fits: torch lets uint8 have what is above -256. */
static bool dycl_fits(int64_t value, int dtype)
{
    switch (dtype) {
    case DYCL_UINT8:
        return -256 < value && value < 256;
    case DYCL_INT8:
        return value == (int8_t)value;
    case DYCL_INT16:
        return value == (int16_t)value;
    case DYCL_INT32:
        return value == (int32_t)value;
    default:
        return true;
    }
}

/* A number of the host's, an int or a float, as one element. 1: it does not fit. */
static int dycl_store(void *data, int64_t i, int dtype, dycl_value value, bool real)
{
    double number = real ? value.real : (double)value.integer;
    int64_t whole = value.integer;
    if (dtype == DYCL_BOOL)
        return ((uint8_t *)data)[i] = real ? value.real != 0 : whole != 0, 0;
    if (dtype == DYCL_FLOAT16)
        return ((uint16_t *)data)[i] = dycl_to_half(number), 0;
    if (dtype == DYCL_BFLOAT16)
        return ((uint16_t *)data)[i] = dycl_to_bf16((float)number), 0;
    if (dtype == DYCL_FLOAT32)
        return ((float *)data)[i] = (float)number, 0;
    if (dtype == DYCL_FLOAT64)
        return ((double *)data)[i] = number, 0;
    if ((real && dycl_to_int(value.real, &whole)) || !dycl_fits(whole, dtype))
        return 1;
    if (dtype == DYCL_UINT8 || dtype == DYCL_INT8)
        ((uint8_t *)data)[i] = (uint8_t)whole;
    else if (dtype == DYCL_INT16)
        ((int16_t *)data)[i] = (int16_t)whole;
    else if (dtype == DYCL_INT32)
        ((int32_t *)data)[i] = (int32_t)whole;
    else
        ((int64_t *)data)[i] = whole;
    return 0;
}

int dycl_of_numbers(struct dycl_host *h, const dycl_list *list, bool real, int dtype,
                    size_t item, const dycl_tensor **made)
{
    void *data = dycl_block(h, list->length * item, false);
    if (data == NULL || (*made = dycl_sized(h, 1, data, &list->length)) == NULL)
        return 1;
    for (int64_t i = 0; i < list->length; i++)
        if (dycl_store(data, i, dtype, list->items[i], real))
            return 2;
    return 0;
}

const dycl_list *dycl_to_list(struct dycl_host *h, const void *data, const int64_t *sizes,
                              int64_t rank, int dtype, int64_t *next)
{
    dycl_value *values = dycl_block(h, *sizes * sizeof *values, rank > 1);
    struct dycl_shared *shared = dycl_block(h, sizeof *shared, true);
    struct dycl_grown *made = dycl_block(h, sizeof *made, true);
    if (values == NULL || shared == NULL || made == NULL)
        return NULL;
    *shared = (struct dycl_shared){*sizes, *sizes, values};
    *made = (struct dycl_grown){{*sizes, values}, shared};
    for (int64_t i = 0; i < *sizes; i++) {
        if (rank == 1)
            values[i] = dycl_load(data, (*next)++, dtype);
        else if (!(values[i].list =
                       dycl_to_list(h, data, sizes + 1, rank - 1, dtype, next)))
            return NULL;
    }
    return &made->list;
}
