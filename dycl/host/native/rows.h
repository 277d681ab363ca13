/* Rows of batches, which are read where they lie; their results are put into batches
   that Python has made (`dycl.runtime.row_runs`). A run is of one row, or of a group of
   rows, by a network that takes any number of them. Threads may share the runs: each
   has a handle of its own, and takes the next one (row_team.h). */

#include "waiting.h"

/* A batch of one of the values of rows. */
struct dycl_row_value {
    int64_t place; /* in the outputs of a run */
    int64_t is_number; /* it is the output itself, not what that leads to */
    int64_t bytes; /* of a row */
};

/* What is the same for all threads: the network, and what it is given and gives. */
struct dycl_rows {
    const struct dycl_objects *objects;
    const struct dycl_wanted *wanted; /* the inputs, and behind them the results */
    const int64_t *steps; /* bytes from a row to the next; 0: one for all rows */
    int64_t results;
    const struct dycl_row_value *values;
    int64_t is_grouped; /* a run takes many rows */
    int64_t log, numbers; /* outputs: events of decisions, whose row is where; or -1 */
    int64_t runs; /* among which rows are parted evenly; 0: one for each row */
    /* Of the call of now. */
    int64_t count; /* of rows */
    dycl_value *given; /* the inputs: numbers, where batches and tensors begin */
    char **made; /* where results begin */
    _Atomic int64_t next; /* the first run that nobody has taken */
};

/* What one thread runs. */
struct dycl_each {
    dycl_net *net;
    struct dycl_rows *rows;
    /* For each run, in order: its number, that of its decisions and of the words of its
       log; then these, decisions as dycl_path has them. */
    uint32_t *path;
    int64_t room, used;
    int64_t how, failed; /* what dycl_run gave last, and for which run if it failed */
};

#include "row_team.h"

enum { DYCL_MOST_RANK = 16, DYCL_RUN_HEAD = 3 };

/* A batch: where it begins, and its number of rows, which all batches have to agree on;
   it is 0 while none has been seen. */
static bool dycl_batch_of(struct dycl_rows *r, const char *object, int64_t place)
{
    const struct dycl_objects *o = r->objects;
    const struct dycl_wanted *wanted = &r->wanted[place];
    dycl_value value;
    if (wanted->rank < 0)
        return dycl_number_of(o, object, wanted->rank, &r->given[place]);
    int64_t words[1 + DYCL_MOST_RANK];
    dycl_tensor *sized = (dycl_tensor *)words;
    value.sized = sized;
    const bool is_array = dycl_class_of(o, object) == o->array_class;
    if (!(is_array ? dycl_array_of(o, object, wanted, &value)
                   : dycl_tensor_of(o, object, wanted, &value)))
        return false;
    if (r->steps[place] == 0) {
        r->given[place].tensor = value.tensor;
        return true;
    }
    r->given[place].tensor = sized->data;
    if (r->count == 0)
        r->count = sized->sizes[0];
    return r->count == sized->sizes[0] && r->count > 0;
}

/* Whether a tuple has the inputs and the results of a call, which is then begun. */
static bool dycl_begin_rows(struct dycl_rows *r, const char *tuple)
{
    const struct dycl_objects *o = r->objects;
    const char *const *items = (const char *const *)(tuple + o->items);
    const int64_t inputs = dycl_program.inputs, all = inputs + r->results;
    r->count = 0;
    if (*(const int64_t *)(tuple + o->head) != all)
        return false;
    for (int64_t i = 0; i < inputs; i++)
        if (!dycl_batch_of(r, items[i], i))
            return false;
    for (int64_t i = inputs; i < all; i++) {
        const struct dycl_array *result = (const void *)(items[i] + o->head);
        if (dycl_class_of(o, items[i]) != o->array_class ||
            result->sizes[0] != r->count)
            return false;
        r->made[i - inputs] = (char *)result->data;
    }
    r->next = 0;
    return true;
}

/* Give the handle some rows: those from the first on. */
static void dycl_give_rows(const struct dycl_rows *r, dycl_value *in, int64_t first,
                           int64_t count)
{
    for (int64_t i = 0; i < dycl_program.inputs; i++) {
        const struct dycl_wanted *wanted = &r->wanted[i];
        const char *start = r->given[i].tensor;
        if (wanted->rank >= 0)
            start += first * r->steps[i];
        if (wanted->rank < 0) {
            in[i] = r->given[i];
        } else if (r->steps[i] == 0 || !r->is_grouped) {
            in[i].tensor = start;
        } else {
            dycl_tensor *sized = (dycl_tensor *)in[i].sized;
            sized->data = start;
            sized->sizes[0] = count;
            memcpy(sized->sizes + 1, wanted->sizes + 1,
                   (wanted->rank - 1) * sizeof *wanted->sizes);
        }
    }
}

/* Room for what a run has decided. False: there is no memory. */
static bool dycl_has_room(struct dycl_each *e, int64_t words)
{
    if (e->room - e->used >= words)
        return true;
    int64_t room = 2 * (e->used + words);
    uint32_t *path = realloc(e->path, room * sizeof *path);
    if (path == NULL)
        return false;
    e->path = path;
    e->room = room;
    return true;
}

/* Put down what a run has decided. False: there is no memory. */
static bool dycl_keep_path(struct dycl_each *e, int64_t run)
{
    const dycl_net *net = e->net;
    const struct dycl_rows *r = e->rows;
    const dycl_tensor *log = r->log < 0 ? NULL : net->outputs[r->log].sized;
    const int64_t events = log == NULL ? 0 : 2 * log->sizes[0];
    if (!dycl_has_room(e, DYCL_RUN_HEAD + net->path_count + events))
        return false;
    uint32_t *path = e->path + e->used;
    *path++ = run;
    *path++ = net->path_count;
    *path++ = events;
    memcpy(path, net->path, net->path_count * sizeof *path);
    if (events > 0)
        memcpy(path + net->path_count, log->data, events * sizeof *path);
    e->used += DYCL_RUN_HEAD + net->path_count + events;
    return true;
}

/* Put what rows have given, those from the first on, where it belongs. */
static void dycl_keep_values(const struct dycl_each *e, int64_t first, int64_t count)
{
    const struct dycl_rows *r = e->rows;
    const dycl_value *outputs = e->net->outputs;
    const int64_t *numbers = r->numbers < 0 ? NULL : outputs[r->numbers].sized->data;
    for (int64_t i = 0; i < r->results; i++) {
        const int64_t bytes = r->values[i].bytes;
        const dycl_value *out = &outputs[r->values[i].place];
        char *made = r->made[i] + first * bytes;
        if (!r->is_grouped) {
            memcpy(made, r->values[i].is_number ? out : out->tensor, bytes);
        } else if (numbers == NULL) {
            memcpy(made, out->sized->data, count * bytes);
        } else {
            const char *batch = out->sized->data;
            for (int64_t k = 0; k < count; k++)
                memcpy(made + numbers[k] * bytes, batch + k * bytes, bytes);
        }
    }
}

/* Do runs that nobody has taken, until there are none, or one has failed; those before
   it are then done, or another thread does them. */
static void dycl_take_runs(struct dycl_each *e)
{
    struct dycl_rows *r = e->rows;
    const int64_t runs = r->runs > 0 ? r->runs : r->count;
    int64_t run;
    while ((run = atomic_fetch_add(&r->next, 1)) < runs) {
        int64_t first = run, count = 1;
        if (r->is_grouped) {
            first = run * r->count / runs;
            count = (run + 1) * r->count / runs - first;
        }
        dycl_give_rows(r, e->net->inputs, first, count);
        e->how = dycl_run(e->net);
        if (e->how == DYCL_OK && !dycl_keep_path(e, run))
            e->how = DYCL_NO_MEMORY;
        if (e->how != DYCL_OK) {
            e->failed = run;
            r->next = runs;
            return;
        }
        dycl_keep_values(e, first, count);
    }
}

static void dycl_reset(struct dycl_each *e)
{
    e->used = 0;
    e->how = DYCL_OK;
}

/* A function of Python's, of a capsule with a `struct dycl_team` and of a tuple of
   inputs and results. It runs all rows, and gives -1; the place of the thread whose
   `how` says why the first run failed that did; or UNFIT: the objects are not at once
   batches, and nothing was run. */
void *dycl_each_row(const char *capsule, const void *tuple)
{
    struct dycl_team *team = *(struct dycl_team *const *)(capsule + DYCL_HEAD);
    const struct dycl_objects *o = team->each[0].rows->objects;
    if (!dycl_begin_rows(team->each[0].rows, tuple))
        return o->whole(DYCL_UNFIT);
    void *thread = o->release();
    for (int64_t i = 0; i < team->threads; i++)
        dycl_reset(&team->each[i]);
    dycl_open_round(team);
    dycl_take_runs(&team->each[0]);
    dycl_close_round(team);
    int64_t first = -1;
    for (int64_t i = 0; i < team->threads; i++)
        if (team->each[i].how != DYCL_OK &&
            (first < 0 || team->each[i].failed < team->each[first].failed))
            first = i;
    o->acquire(thread);
    return o->whole(first);
}

/* The same for a thread that helps: `number` of the team. It ends with the team. */
void *dycl_help_rows(const char *capsule, const void *nothing)
{
    (void)nothing;
    struct dycl_helper *helper = *(struct dycl_helper *const *)(capsule + DYCL_HEAD);
    const struct dycl_objects *o = helper->team->each[0].rows->objects;
    struct dycl_each *e = &helper->team->each[helper->number];
    e->net->user = helper->team;
    e->net->poll = dycl_is_stopped;
    void *thread = o->release();
    while (dycl_join_round(helper)) {
        dycl_set_rounding(helper->team->control & ~(uint32_t)63);
        dycl_take_runs(e);
        dycl_leave_round(helper->team);
    }
    o->acquire(thread);
    return o->whole(0);
}

/* No round begins any more: what helps, ends. */
void dycl_end_team(struct dycl_team *team)
{
    team->ends = 1;
    team->turn++;
    dycl_wake(&team->turn);
}

/* Free what a thread has written. */
void dycl_forget_runs(struct dycl_each *e)
{
    free(e->path);
    e->path = NULL;
    e->room = e->used = 0;
}
