/* The C interface of a network that DyCL compiled.

     dycl_net *net = dycl_open("weights.safetensors");
     net->inputs[0].tensor = x;
     if (dycl_run(net) == DYCL_OK)
         use(net->outputs[0].tensor);
     dycl_destroy(net);

   An artifact has code for one kind of processor or for several. What is linked, its
   model.so, takes the best that this one can run, or that the environment variable
   DYCL_TARGET names; the others lie in folders beside it.

   A handle belongs to one thread; weights may be shared by any number of handles.
   What inputs and outputs are stands in network.h, and in host.json for programs.
   Outputs point into the handle (or are an input, or a weight) and last until the next
   dycl_run. */

#ifndef DYCL_H
#define DYCL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text; `kind` is its place in "texts" of host.json, or -1 if the caller made it, for
   a tree; `chars` is NULL if it has arguments to be formatted with. */
typedef struct dycl_text {
    int64_t kind;
    const char *chars;
    int64_t length;
    const union dycl_value *arguments;
} dycl_text;

/* A tensor whose size a run decides: elements, row by row, and all its sizes. So is an
   input of which "inputs" in manifest.json, or network.h, names a size. */
typedef struct dycl_tensor {
    const void *data;
    int64_t sizes[];
} dycl_tensor;

typedef struct dycl_list {
    int64_t length;
    const union dycl_value *items;
} dycl_list;

/* A node of a tree, or NULL for None: which of "constructors" in manifest.json it is
   of, and the fields in their order; field k is there if bit k of `present` is set. Else
   it is 0 for None, or `integer` is DYCL_NO_ATTRIBUTE: a read raises AttributeError. */
#define DYCL_NO_ATTRIBUTE 1
typedef struct dycl_node dycl_node;

/* A tensor of known size: the address of its elements. A bool is an integer 0 or 1. */
typedef union dycl_value {
    const void *tensor;
    const dycl_tensor *sized;
    const dycl_list *list;
    int64_t integer;
    double real;
    const dycl_text *text;
    const dycl_node *node;
} dycl_value;

/* A list in a node is followed by a word that is 0. */
struct dycl_node {
    int64_t constructor;
    uint64_t present;
    dycl_value fields[];
};

typedef struct dycl_decision {
    const char *name;
    const char *test;
    const char *file;
    int line;
} dycl_decision;

typedef struct dycl_net {
    dycl_value *inputs;
    dycl_value *outputs;
    /* Which "return" of host.json was reached, or which of "errors" was raised. */
    int64_t site;
    /* The decisions of the last run, in order: 2 * number + (1 if it was true). */
    uint32_t *path;
    int64_t path_count;
    /* May be set. `effect` does number `site` of "effects" in host.json with
       `arguments`: a print, a log, or a function that only Python has, whose result it
       puts into `answer`. `poll` is called now and then by long loops. If either gives
       nonzero, the run ends. */
    int (*effect)(struct dycl_net *net);
    int (*poll)(struct dycl_net *net);
    const dycl_value *arguments;
    void *user;
    dycl_value answer;
} dycl_net;

enum { DYCL_OK = 0, DYCL_RAISED = 1, DYCL_STOPPED = 2, DYCL_NO_MEMORY = 3 };

/* Weights in the form that kernels want them, for any number of handles; NULL if there
   is no memory, or the processor cannot run the code. `weights` are addresses in the
   order of dycl_weight_names, 64-byte aligned at best. `made` is NULL, or what was made of them before, in the order of
   "made" in host.json; NULLs in it are made here. All must outlive what is returned,
   and that its handles. */
typedef struct dycl_weights dycl_weights;
dycl_weights *dycl_prepare(const void *const *weights, const void *const *made);
void dycl_release(dycl_weights *weights);

/* A handle; NULL if there is no memory. */
dycl_net *dycl_create(const dycl_weights *weights);

/* The same, with the weights of a safetensors file, which is mapped; NULL if one is not
   in it, or is of another dtype or shape. */
dycl_net *dycl_open(const char *weights_file);

/* Why the last dycl_prepare or dycl_open of this process gave NULL. */
const char *dycl_why(void);

int dycl_run(dycl_net *net);

/* The decisions of the last run, and how many. */
int64_t dycl_path(const dycl_net *net, const uint32_t **path);

/* What was raised, in words. */
const char *dycl_error(const dycl_net *net);

void dycl_destroy(dycl_net *net);

extern const int64_t dycl_weight_count, dycl_decision_count;
extern const char *const dycl_weight_names[];
extern const dycl_decision dycl_decisions[];

#ifdef __cplusplus
}
#endif

#endif
