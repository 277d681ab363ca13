/* What a network keeps from call to call, in memory that its handles share: the next run
   is given it where it lies, and nothing of it passes through Python.

   A cell is a word, an argument's behind the user's or a value that is only set. The word
   of a tensor is an address, and there is a second place for it: what a run returns may
   be, or share memory with, what it was given. */

struct dycl_move {
    int64_t output, cell;
};

/* What a place that returns leaves; `kind` is the variant that the next run takes. */
struct dycl_left {
    int64_t kind, count;
    const struct dycl_move *moves;
};

struct dycl_kept {
    int64_t given; /* how many inputs are the user's */
    int64_t kind; /* the cell of the variant's number; below 0: there is none */
    dycl_value *now;
    void **next; /* of a tensor the other place; else NULL */
    const int64_t *sizes;
    const struct dycl_left *left; /* by each site */
};

static void dycl_give_kept(const struct dycl_kept *kept, int64_t count, dycl_value *in)
{
    for (int64_t i = kept->given; i < count; i++)
        in[i].integer = kept->now[i - kept->given].integer;
}

static void dycl_take_kept(const struct dycl_kept *kept, int64_t site,
                           const dycl_value *out)
{
    const struct dycl_left *left = &kept->left[site];
    for (int64_t i = 0; i < left->count; i++) {
        const struct dycl_move *move = &left->moves[i];
        dycl_value *now = &kept->now[move->cell];
        void *to = kept->next[move->cell];
        const dycl_value *value = &out[move->output];
        if (to == NULL) {
            now->integer = value->integer;
        } else if (value->tensor != now->tensor) {
            memcpy(to, value->tensor, kept->sizes[move->cell]);
            kept->next[move->cell] = (void *)now->tensor;
            now->tensor = to;
        }
    }
    if (kept->kind >= 0)
        kept->now[kept->kind].integer = left->kind;
}
