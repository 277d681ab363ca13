/* Rows one by one: a run for each row of batches, which are read where they lie, and
   whose results are put into batches that Python has made (`dycl.runtime.row_runs`). */

/* A batch of one of a row's values. */
struct dycl_row_value {
    int64_t place; /* in the outputs of a run */
    int64_t is_number; /* it is the output itself, not what that leads to */
    int64_t bytes; /* of a row */
};

struct dycl_each {
    dycl_net *net;
    const struct dycl_objects *objects;
    const struct dycl_wanted *wanted; /* the inputs, and behind them the results */
    const int64_t *steps; /* bytes from a row to the next; 0: one for all rows */
    int64_t results;
    const struct dycl_row_value *values;
    /* For each row the number of its decisions, and these as dycl_path has them. */
    uint32_t *path;
    int64_t room, used;
    int64_t done; /* rows that have been run */
};

enum { DYCL_MOST_RANK = 16, DYCL_NO_ROOM = -101 };

/* A batch: where it begins, and its number of rows, which all batches have to agree on;
   it is 0 while none has been seen. A value that all rows share is set at once. */
static bool dycl_batch_of(const struct dycl_each *e, const char *object, int64_t place,
                          const char **first, int64_t *count)
{
    const struct dycl_objects *o = e->objects;
    const struct dycl_wanted *wanted = &e->wanted[place];
    dycl_value *in = &e->net->inputs[place], value;
    if (wanted->rank < 0)
        return dycl_number_of(o, object, wanted->rank, in);
    int64_t words[1 + DYCL_MOST_RANK];
    dycl_tensor *sized = (dycl_tensor *)words;
    value.sized = sized;
    const bool is_array = dycl_class_of(o, object) == o->array_class;
    if (!(is_array ? dycl_array_of(o, object, wanted, &value)
                   : dycl_tensor_of(o, object, wanted, &value)))
        return false;
    if (e->steps[place] == 0) {
        *first = value.tensor;
        return true;
    }
    *first = sized->data;
    if (*count == 0)
        *count = sized->sizes[0];
    return *count == sized->sizes[0] && *count > 0;
}

/* Put down what a row has decided and what it gives. False: there is no room. */
static bool dycl_keep_row(struct dycl_each *e, char *const *results, int64_t row)
{
    const dycl_net *net = e->net;
    if (e->room - e->used <= net->path_count)
        return false;
    e->path[e->used++] = net->path_count;
    memcpy(e->path + e->used, net->path, net->path_count * sizeof *net->path);
    e->used += net->path_count;
    for (int64_t i = 0; i < e->results; i++) {
        const struct dycl_row_value *value = &e->values[i];
        const dycl_value *out = &net->outputs[value->place];
        memcpy(results[i] + row * value->bytes, value->is_number ? out : out->tensor,
               value->bytes);
    }
    return true;
}

/* A function of Python's, of a capsule with a `struct dycl_each` and of a tuple of
   inputs and results. It runs the rows behind those that are done, and gives 0; else
   what dycl_run gives for a row, below 0; UNFIT: the objects are not at once batches,
   and nothing was run; or NO_ROOM: the decisions of the next row have none. */
void *dycl_each_row(const char *capsule, const void *tuple)
{
    struct dycl_each *e = *(struct dycl_each *const *)(capsule + DYCL_HEAD);
    const struct dycl_objects *o = e->objects;
    const char *const *items = (const char *const *)((const char *)tuple + o->items);
    const int64_t inputs = dycl_program.inputs, all = inputs + e->results;
    const char *first[all + 1];
    int64_t count = 0;
    if (*(const int64_t *)((const char *)tuple + o->head) != all)
        return o->whole(DYCL_UNFIT);
    for (int64_t i = 0; i < inputs; i++)
        if (!dycl_batch_of(e, items[i], i, &first[i], &count))
            return o->whole(DYCL_UNFIT);
    for (int64_t i = inputs; i < all; i++) {
        const struct dycl_array *result = (const void *)(items[i] + o->head);
        if (dycl_class_of(o, items[i]) != o->array_class || result->sizes[0] != count)
            return o->whole(DYCL_UNFIT);
        first[i] = result->data;
    }
    void *thread = o->release();
    int how = DYCL_OK;
    for (; e->done < count && how == DYCL_OK; e->done += how == DYCL_OK) {
        for (int64_t i = 0; i < inputs; i++)
            if (e->wanted[i].rank >= 0)
                e->net->inputs[i].tensor = first[i] + e->done * e->steps[i];
        how = -dycl_run(e->net);
        if (how == DYCL_OK && !dycl_keep_row(e, (char *const *)first + inputs, e->done))
            how = DYCL_NO_ROOM;
    }
    o->acquire(thread);
    return o->whole(how);
}
