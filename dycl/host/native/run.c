/* Run a compiled network from C, without Python:

     dycl compile net.py:build -o net/          a folder: model.so, dycl.h, weights
     cc -Inet examples/c/run.c net/model.so -Wl,-rpath,$PWD/net -o run
     ./run net/weights.safetensors 10 < x.raw   its 10 outputs

   Reads the elements of one float32 input, writes those of the first output, and the
   decisions that were made to stderr. */

#include <dycl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 20 };

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: run WEIGHTS OUTPUTS < INPUT\n");
        return 2;
    }
    dycl_net *net = dycl_open(words[1]);
    float *x = aligned_alloc(64, MOST * sizeof *x);
    if (net == NULL || x == NULL) {
        fprintf(stderr, "%s: %s\n", words[1], net ? "there is no memory" : dycl_why());
        return 1;
    }
    size_t count_read = fread(x, sizeof *x, MOST, stdin);
    if (ferror(stdin) || count_read == 0 || fgetc(stdin) != EOF) {
        fprintf(stderr, "stdin holds no input of 1 to %d elements\n", MOST);
        return 1;
    }
    net->inputs[0].tensor = x;
    if (dycl_run(net) != DYCL_OK) {
        fprintf(stderr, "%s\n", dycl_error(net));
        return 1;
    }
    size_t outputs = (size_t)atoi(words[2]);
    if (fwrite(net->outputs[0].tensor, sizeof(float), outputs, stdout) != outputs ||
        fflush(stdout) != 0) {
        fprintf(stderr, "stdout cannot be written\n");
        return 1;
    }
    const uint32_t *path;
    int64_t decisions = dycl_path(net, &path);
    for (int64_t i = 0; i < decisions; i++) {
        const dycl_decision *one = &dycl_decisions[path[i] >> 1];
        fprintf(stderr, "%s is %s (%s:%d)\n", one->test, path[i] & 1 ? "true" : "false",
                one->file, one->line);
    }
    dycl_destroy(net);
    free(x);
    return 0;
}
