/* What reads trees (nodes.h): what nodes may be, as dycl.runtime.node_reader says it, and
   memory for what is read, which lasts until the run has ended. */

/* Kinds of fields and of items. Those below zero are numbers, as in objects.h. */
enum { DYCL_NODE = 0, DYCL_LIST = 1, DYCL_TEXT = 2, DYCL_ELEMENTS = 3, DYCL_MEMBER = 4 };

struct dycl_field_kind {
    const void *name; /* a text of Python's: an attribute, or a key of a dict */
    int64_t kind;
    const struct dycl_wanted *wanted;     /* of a tensor */
    const struct dycl_field_kind *items;  /* of a list */
    const void *const *members; /* of an enum, for each class of its name */
    int64_t constructors, member_count;
    int64_t part; /* of a list: what of a dict it is */
};

enum { DYCL_WHOLE, DYCL_KEYS_OF, DYCL_VALUES_OF };

/* What a class of Python's is read as. */
enum { DYCL_ATTRIBUTES, DYCL_VALUE, DYCL_ENTRIES };

struct dycl_class {
    const void *class;
    int64_t constructor, how;
    uint64_t fields;            /* those that are looked for, by bit */
    int64_t method_count;
    const void *const *methods; /* what no node may have of its own */
};

/* Python's functions. */
struct dycl_python {
    int (*find)(const void *object, const void *name, void **found);
    void *(*tuple_of)(const void *sequence);
    int (*next)(const void *dict, int64_t *place, const void **key, const void **value);
    const void *(*item)(const void *dict, const void *key);
    int (*has)(const void *dict, const void *key);
    void *(*values)(const void *dict);
    const char *(*chars)(const void *text, int64_t *length);
    void (*hold)(const void *object);
    void (*forget)(const void *object);
    void (*forget_error)(void);
    const void *none, *list_class, *tuple_class, *dict_class, *text_class, *dictionary;
};

struct dycl_seen {
    const void *object;
    dycl_node *node;
    uint64_t call;
};

/* One for each thread. */
struct dycl_reader {
    const struct dycl_objects *objects;
    const struct dycl_python *python;
    const struct dycl_class *classes;
    int64_t class_count, field_count;
    const struct dycl_field_kind *fields;
    int64_t busy;
    /* What was read before, by address; an entry of another call is none. */
    struct dycl_seen *seen;
    uint64_t call;
    size_t seen_room, node_count;
    /* Nodes to be written, in the order in which they were found. */
    struct dycl_seen *waiting;
    size_t waiting_room;
    const void **held;
    size_t held_count, held_room;
    /* Memory for nodes, which never move: the newest chunk first. */
    struct dycl_words {
        struct dycl_words *before;
        size_t used, room;
        int64_t words[];
    } *chunk;
    int64_t kinds; /* of tensors; 1: torch's, 2: NumPy's */
};

static int64_t *dycl_words_for(struct dycl_reader *r, size_t count)
{
    if (r->chunk == NULL || r->chunk->room - r->chunk->used < count) {
        size_t room = 2 * (r->chunk == NULL ? 0 : r->chunk->room) + count + 4096;
        struct dycl_words *more = malloc(sizeof *more + room * sizeof(int64_t));
        if (more == NULL)
            return NULL;
        *more = (struct dycl_words){.before = r->chunk, .room = room};
        r->chunk = more;
    }
    int64_t *words = r->chunk->words + r->chunk->used;
    r->chunk->used += count;
    return words;
}

/* Hold an object until the run has ended; false: no memory, and it is forgotten. */
static bool dycl_hold(struct dycl_reader *r, const void *object)
{
    if (r->held_count == r->held_room) {
        size_t room = 2 * r->held_room + 64;
        const void **grown = realloc(r->held, room * sizeof *grown);
        if (grown == NULL) {
            r->python->forget(object);
            return false;
        }
        r->held = grown;
        r->held_room = room;
    }
    r->held[r->held_count++] = object;
    return true;
}

/* Where an object is among those seen, or where it would be. */
static struct dycl_seen *dycl_seen_at(const struct dycl_reader *r, const void *object)
{
    size_t at = (uintptr_t)object / 16 * 0x9e3779b97f4a7c15u;
    for (at = at >> 20 & (r->seen_room - 1);; at = (at + 1) & (r->seen_room - 1)) {
        struct dycl_seen *entry = &r->seen[at];
        if (entry->call != r->call || entry->object == object)
            return entry;
    }
}

/* Room for one more node; false: no memory. */
static bool dycl_room_for_node(struct dycl_reader *r)
{
    if (r->node_count == r->waiting_room) {
        size_t room = 2 * r->waiting_room + 64;
        struct dycl_seen *grown = realloc(r->waiting, room * sizeof *grown);
        if (grown == NULL)
            return false;
        r->waiting = grown;
        r->waiting_room = room;
    }
    if (2 * r->node_count < r->seen_room)
        return true;
    size_t room = r->seen_room == 0 ? 256 : 2 * r->seen_room;
    struct dycl_seen *grown = calloc(room, sizeof *grown);
    if (grown == NULL)
        return false;
    free(r->seen);
    r->seen = grown;
    r->seen_room = room;
    for (size_t i = 0; i < r->node_count; i++)
        *dycl_seen_at(r, r->waiting[i].object) = r->waiting[i];
    return true;
}
