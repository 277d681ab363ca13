/* Trees of Python's objects, read where they are: `struct dycl_node` of dycl.h is made of
   what their attributes hold, without a line of Python for each.

   dycl.runtime.native_trees says what a node may be, and has the same in Python: what is
   not at once of a kind that was compiled for is left to it to look at, and to refuse.
   What nodes lead to is held until the run has ended. */

/* The node of an object that is not None; NULL: it is of no class that is known, or there
   is no memory. */
static dycl_node *dycl_node_of(struct dycl_reader *r, const void *object)
{
    if (!dycl_room_for_node(r))
        return NULL;
    struct dycl_seen *entry = dycl_seen_at(r, object);
    if (entry->call == r->call)
        return entry->node;
    const void *class = dycl_class_of(r->objects, object);
    int64_t i = 0;
    while (i < r->class_count && r->classes[i].class != class)
        i++;
    if (i == r->class_count)
        return NULL;
    dycl_node *node = (void *)dycl_words_for(r, 2 + r->field_count);
    if (node == NULL)
        return NULL;
    memset(node->fields, 0, r->field_count * sizeof *node->fields);
    node->constructor = i; // its class, until it is written
    *entry = (struct dycl_seen){object, node, r->call};
    r->waiting[r->node_count++] = *entry;
    return node;
}

static bool dycl_write_value(struct dycl_reader *r, const struct dycl_field_kind *field,
                             const void *object, dycl_value *value);

static bool dycl_write_list(struct dycl_reader *r, const struct dycl_field_kind *field,
                            const void *object, dycl_value *value)
{
    const struct dycl_python *p = r->python;
    const void *class = dycl_class_of(r->objects, object);
    if (field->part == DYCL_WHOLE ? class != p->list_class && class != p->tuple_class
                                  : class != p->dict_class)
        return false;
    void *values = field->part == DYCL_VALUES_OF ? p->values(object) : NULL;
    const char *tuple = NULL;
    if (values != NULL || field->part != DYCL_VALUES_OF)
        tuple = p->tuple_of(values != NULL ? values : object); // of a dict, its keys
    if (values != NULL)
        p->forget(values);
    if (tuple == NULL) {
        p->forget_error();
        return false;
    }
    if (!dycl_hold(r, tuple))
        return false;
    const int64_t count = *(const int64_t *)(tuple + r->objects->head);
    const void *const *items = (const void *const *)(tuple + r->objects->items);
    int64_t *words = dycl_words_for(r, 3 + count);
    if (words == NULL)
        return false;
    dycl_value *first = (dycl_value *)(words + 3);
    *(dycl_list *)words = (dycl_list){count, first};
    words[2] = 0;
    value->list = (const dycl_list *)words;
    const int64_t kind = field->items->kind;
    for (int64_t i = 0; i < count; i++) {
        first[i].node = NULL;
        if (items[i] == p->none && (kind == DYCL_NODE || kind == DYCL_MEMBER))
            continue;
        if (!dycl_write_value(r, field->items, items[i], &first[i]))
            return false;
    }
    return true;
}

/* A text; its characters are Python's own. */
static bool dycl_write_text(struct dycl_reader *r, const void *object, dycl_value *value)
{
    if (dycl_class_of(r->objects, object) != r->python->text_class)
        return false;
    int64_t length;
    const char *chars = r->python->chars(object, &length);
    if (chars == NULL) {
        r->python->forget_error();
        return false;
    }
    dycl_text *text = (void *)dycl_words_for(r, sizeof *text / sizeof(int64_t));
    if (text == NULL)
        return false;
    *text = (dycl_text){-1, chars, length, NULL};
    value->text = text;
    return true;
}

static bool dycl_write_tensor(struct dycl_reader *r, const struct dycl_wanted *wanted,
                              const void *object, dycl_value *value)
{
    bool is_array = dycl_class_of(r->objects, object) == r->objects->array_class;
    r->kinds |= is_array ? 2 : 1;
    return is_array ? dycl_array_of(r->objects, object, wanted, value)
                    : dycl_tensor_of(r->objects, object, wanted, value);
}

/* The node of an enum's member, which has no fields; false: it is none that is known. */
static bool dycl_write_member(struct dycl_reader *r, const struct dycl_field_kind *field,
                              const void *object, dycl_value *value)
{
    dycl_node *node = (void *)dycl_words_for(r, 2);
    for (int64_t i = 0; node != NULL && i < field->member_count; i++)
        if (field->members[i] == object) {
            *node = (dycl_node){.constructor = i % field->constructors};
            value->node = node;
            return true;
        }
    return false;
}

/* What a field or an item holds, which is not None unless items may not be; false: it is
   of another kind, or there is no memory. */
static bool dycl_write_value(struct dycl_reader *r, const struct dycl_field_kind *field,
                             const void *object, dycl_value *value)
{
    switch (field->kind) {
    case DYCL_NODE:
        return (value->node = dycl_node_of(r, object)) != NULL;
    case DYCL_LIST:
        return dycl_write_list(r, field, object, value);
    case DYCL_TEXT:
        return dycl_write_text(r, object, value);
    case DYCL_ELEMENTS:
        return dycl_write_tensor(r, field->wanted, object, value);
    case DYCL_MEMBER:
        return dycl_write_member(r, field, object, value);
    default:
        return dycl_number_of(r->objects, object, field->kind, value);
    }
}

/* Whether a node has no method of its own. */
static bool dycl_has_no_method(struct dycl_reader *r, const struct dycl_class *class,
                               const void *object)
{
    const struct dycl_python *p = r->python;
    void *own = NULL;
    if (class->method_count == 0)
        return true;
    if (p->find(object, p->dictionary, &own) != 1) {
        p->forget_error();
        return false;
    }
    int found = 0;
    for (int64_t i = 0; i < class->method_count && found == 0; i++)
        found = p->has(own, class->methods[i]);
    p->forget(own);
    if (found < 0)
        p->forget_error();
    return found == 0;
}

/* Whether no key of a dict holds None, which Python's side has a sentence for. */
static bool dycl_has_all(struct dycl_reader *r, const void *dict)
{
    int64_t place = 0;
    const void *key, *value;
    while (r->python->next(dict, &place, &key, &value))
        if (value == r->python->none)
            return false;
    return true;
}

/* What an object holds under a name, which is held; NULL: None, or no such key. 1: it has
   no such attribute; -1: that cannot be told. */
static int dycl_find_field(struct dycl_reader *r, const struct dycl_class *class,
                           const void *object, const void *name, const void **found)
{
    const struct dycl_python *p = r->python;
    void *value = NULL;
    int has = 1;
    if (class->how == DYCL_ENTRIES) {
        if ((value = (void *)p->item(object, name)) != NULL)
            p->hold(value);
    } else if ((has = p->find(object, name, &value)) <= 0) {
        if (has < 0)
            p->forget_error();
        return has < 0 ? -1 : 1;
    }
    *found = value == p->none ? NULL : value;
    return value == NULL || dycl_hold(r, value) ? 0 : -1;
}

static bool dycl_write_node(struct dycl_reader *r, const void *object, dycl_node *node)
{
    const struct dycl_class *class = &r->classes[node->constructor];
    node->constructor = class->constructor;
    node->present = 0;
    if (!dycl_has_no_method(r, class, object) ||
        (class->how == DYCL_ENTRIES && !dycl_has_all(r, object)))
        return false;
    for (uint64_t left = class->fields; left != 0; left &= left - 1) {
        const int place = __builtin_ctzll(left);
        const struct dycl_field_kind *field = &r->fields[place];
        const void *value = object;
        int lacks = 0;
        if (class->how != DYCL_VALUE)
            lacks = dycl_find_field(r, class, object, field->name, &value);
        if (lacks != 0)
            node->fields[place].integer = DYCL_NO_ATTRIBUTE;
        else if (value != NULL)
            node->present |= (uint64_t)1 << place;
        if (lacks < 0 || ((node->present >> place & 1) &&
                          !dycl_write_value(r, field, value, &node->fields[place])))
            return false;
    }
    return true;
}

/* Functions of Python's, of a capsule with a reader. */

/* A run has ended, or was none: let go what was held. */
void *dycl_end_tree(const char *capsule, const void *nothing)
{
    struct dycl_reader *r = *(struct dycl_reader *const *)(capsule + DYCL_HEAD);
    (void)nothing;
    while (r->held_count > 0)
        r->python->forget(r->held[--r->held_count]);
    while (r->chunk != NULL && r->chunk->before != NULL) {
        struct dycl_words *before = r->chunk->before;
        r->chunk->before = before->before;
        free(before);
    }
    if (r->chunk != NULL)
        r->chunk->used = 0;
    r->busy = 0;
    return r->objects->whole(0);
}

/* The address of the root's node, and in the two lowest bits what tensors there are; or
   UNFIT: a node is not at once what the network takes, and nothing is held. */
void *dycl_read_tree(const char *capsule, const void *root)
{
    struct dycl_reader *r = *(struct dycl_reader *const *)(capsule + DYCL_HEAD);
    if (r->busy)
        return r->objects->whole(DYCL_UNFIT);
    r->busy = 1;
    r->call++;
    r->node_count = 0;
    r->kinds = 0;
    dycl_node *first = dycl_node_of(r, root);
    bool fits = first != NULL;
    for (size_t i = 0; fits && i < r->node_count; i++)
        fits = dycl_write_node(r, r->waiting[i].object, r->waiting[i].node);
    if (fits)
        return r->objects->whole((int64_t)(intptr_t)first | r->kinds);
    r->python->forget(dycl_end_tree(capsule, NULL));
    return r->objects->whole(DYCL_UNFIT);
}

/* The reader ends. */
void dycl_free_reader(struct dycl_reader *r)
{
    for (struct dycl_words *before; r->chunk != NULL; r->chunk = before) {
        before = r->chunk->before;
        free(r->chunk);
    }
    free(r->seen);
    free(r->waiting);
    free(r->held);
}
