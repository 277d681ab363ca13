/* Run a compiled network from C, without Python:

     dycl compile net.py:build -o net/          a folder: model.so, headers, weights
     dycl example c .                           this file
     cc -Inet run.c net/model.so -Wl,-rpath,$PWD/net -o run
     ./run net/weights.safetensors < x.raw > y.raw

   Reads the elements of its one input, a tensor, writes those of the first output, and
   the decisions that were made to stderr. network.h says what the network takes and
   gives: what does not fit this program is found when it is compiled. */

#include <dycl.h>
#include <errno.h>
#include <network.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if DYCL_INPUTS != 1 || !defined(DYCL_INPUT_0_ELEMENTS)
#error "this program is for networks with one input, a tensor of known size"
#endif
#if DYCL_OUTPUTS < 1
#error "this program is for networks that return a tensor"
#endif

typedef DYCL_INPUT_0_TYPE element;

static int failed(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* All elements of the input, and not one more: 0, or what main returns. */
static int read_input(element *x)
{
    size_t wanted = DYCL_INPUT_0_ELEMENTS;
    size_t found = fread(x, sizeof *x, wanted, stdin);
    if (ferror(stdin))
        return failed("stdin", strerror(errno));
    if (found == wanted && fgetc(stdin) == EOF && !ferror(stdin))
        return 0;
    fprintf(stderr, "stdin: the input has %zu elements of %zu bytes, and what is there "
            "is %s\n", wanted, sizeof *x, found == wanted ? "longer" : "shorter");
    return 1;
}

/* The first output, if this return has a tensor there: 0, or what main returns. */
static int write_output(const dycl_net *net)
{
    int64_t bytes = dycl_output_bytes[net->site][0];
    const void *y = net->outputs[0].tensor;
    if (bytes <= 0)
        return failed("outputs[0]", "is no tensor of known size");
    if (fwrite(y, 1, (size_t)bytes, stdout) != (size_t)bytes || fflush(stdout) != 0)
        return failed("stdout", strerror(errno));
    return 0;
}

static void print_path(const dycl_net *net)
{
    const uint32_t *path;
    int64_t decisions = dycl_path(net, &path);
    for (int64_t i = 0; i < decisions; i++) {
        const dycl_decision *one = &dycl_decisions[path[i] >> 1];
        fprintf(stderr, "%s is %s (%s:%d)\n", one->test, path[i] & 1 ? "true" : "false",
                one->file, one->line);
    }
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: run WEIGHTS < INPUT > OUTPUT\n");
        return 2;
    }
    /* Vector code likes the alignment; aligned_alloc wants a multiple of it. */
    size_t room = (sizeof(element) * DYCL_INPUT_0_ELEMENTS + 64) / 64 * 64;
    element *x = aligned_alloc(64, room);
    if (x == NULL)
        return failed("input", "there is no memory");
    dycl_net *net = dycl_open(words[1]);
    int status = net == NULL ? failed(words[1], dycl_why()) : read_input(x);
    if (status == 0) {
        net->inputs[0].tensor = x;
        if (dycl_run(net) != DYCL_OK)
            status = failed("the network", dycl_error(net));
        else
            status = write_output(net);
        print_path(net);
    }
    if (net != NULL)
        dycl_destroy(net);
    free(x);
    return status;
}
