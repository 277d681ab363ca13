/* model.so of an artifact: the functions of dycl.h, of the best library that this
   processor can run. Those lie beside it, a folder for each target. */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pick.h"

/* The functions of the library that was picked; all NULL: there is none. */
#define EACH(X) X(prepare) X(create) X(open) X(run) X(path) X(error) X(why) X(release) X(destroy)
#define FIELD(name) __typeof__(dycl_##name) *name;
static struct {
    EACH(FIELD)
} library;
static char why[1024];
static pthread_once_t picked = PTHREAD_ONCE_INIT;

/* What the processor has, as Linux says it: a line of words. */
static void read_features(char *line, size_t size)
{
    static char text[1 << 15];
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = 0;
    while (file >= 0 && used < sizeof text - 1 &&
           (got = read(file, text + used, sizeof text - 1 - used)) > 0)
        used += got;
    if (file >= 0)
        close(file);
    text[used] = 0;
    const char *flags = strstr(text, "\nflags");
    flags = flags != NULL ? flags : strstr(text, "\nFeatures");
    flags = flags == NULL ? NULL : strchr(flags, ':');
    int length = flags == NULL ? 0 : (int)strcspn(flags + 1, "\n");
    snprintf(line, size, " %.*s ", length, flags == NULL ? "" : flags + 1);
}

static int has(const char *line, const char *word, int length)
{
    for (const char *at = line; (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, word, length) == 0 && at[1 + length] == ' ')
            return 1;
    return 0;
}

/* What of a target's features the processor lacks, with commas between. */
static void missing(const char *line, const char *features, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    while (*features != 0) {
        int length = (int)strcspn(features, " ");
        if (!has(line, features, length) && used < size)
            used += snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
                             length, features);
        features += length + (features[length] == ' ');
    }
}

static void load(const char *target)
{
    Dl_info here;
    char path[512];
    if (!dladdr((const void *)&picked, &here) || here.dli_fname == NULL)
        return;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash == NULL ? 0 : (int)(slash - here.dli_fname) + 1;
    snprintf(path, sizeof path, "%s%.*s%s/model.so", folder ? "" : "./", folder,
             here.dli_fname, target);
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) && (library.name = dlsym(opened, "dycl_" #name)) != NULL
    if (opened != NULL EACH(FIND))
        return;
    memset(&library, 0, sizeof library);
    const char *said = dlerror();
    snprintf(why, sizeof why, "%s cannot be loaded: %s", path, said ? said : "");
}

/* The first that the processor can run, or the one that DYCL_TARGET names. */
static void pick(void)
{
    static char line[1 << 14], lacks[512];
    const char *wanted = getenv("DYCL_TARGET");
    int known = 0;
    if (wanted != NULL && wanted[0] == 0)
        wanted = NULL;
    read_features(line, sizeof line);
    for (int i = 0; i < dycl_target_count; i++) {
        if (wanted != NULL && strcmp(wanted, dycl_targets[i].name) != 0)
            continue;
        known = 1;
        missing(line, dycl_targets[i].features, lacks, sizeof lacks);
        if (lacks[0] == 0) {
            load(dycl_targets[i].name);
            return;
        }
        snprintf(why, sizeof why,
                 "this processor lacks %s, which the code for %s needs", lacks,
                 dycl_targets[i].name);
    }
    if (!known)
        snprintf(why, sizeof why, "DYCL_TARGET is '%s', for which there is no code here",
                 wanted == NULL ? "" : wanted);
}

dycl_weights *dycl_prepare(const void *const *weights, const void *const *made)
{
    pthread_once(&picked, pick);
    return library.prepare == NULL ? NULL : library.prepare(weights, made);
}

dycl_net *dycl_open(const char *weights_file)
{
    pthread_once(&picked, pick);
    return library.open == NULL ? NULL : library.open(weights_file);
}

const char *dycl_why(void)
{
    return library.why == NULL ? why : library.why();
}

/* Who calls these has something that the library has made. */

dycl_net *dycl_create(const dycl_weights *weights)
{
    return library.create(weights);
}

int dycl_run(dycl_net *net)
{
    return library.run(net);
}

int64_t dycl_path(const dycl_net *net, const uint32_t **path)
{
    return library.path(net, path);
}

const char *dycl_error(const dycl_net *net)
{
    return library.error(net);
}

void dycl_destroy(dycl_net *net)
{
    if (net != NULL)
        library.destroy(net);
}

void dycl_release(dycl_weights *weights)
{
    if (weights != NULL)
        library.release(weights);
}
