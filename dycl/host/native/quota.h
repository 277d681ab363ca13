/* How many processors Linux lets this process use, if a group that it is in has a quota
   of their time: cgroups, of both versions. dycl.runtime.machine has the same. */

#ifndef DYCL_QUOTA_H
#define DYCL_QUOTA_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "support.h"

/* The start of a file as text; nothing, if it cannot be read. */
static void dycl_read_text(const char *folder, const char *name, char *text, size_t size)
{
    char path[4096];
    int file = -1;
    ssize_t used = 0;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
        file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        used = read(file, text, size - 1);
        close(file);
    }
    text[used > 0 ? used : 0] = 0;
}

/* What one group may use: whole processors, at least one; INT64_MAX: all. */
static int64_t dycl_group_quota(const char *folder)
{
    char text[64];
    long long quota, period;
    dycl_read_text(folder, "cpu.max", text, sizeof text);
    if (sscanf(text, "%lld %lld", &quota, &period) != 2) {
        dycl_read_text(folder, "cpu.cfs_quota_us", text, sizeof text);
        if (sscanf(text, "%lld", &quota) != 1)
            return INT64_MAX;
        dycl_read_text(folder, "cpu.cfs_period_us", text, sizeof text);
        if (sscanf(text, "%lld", &period) != 1)
            return INT64_MAX;
    }
    if (quota <= 0 || period <= 0)
        return INT64_MAX;
    return quota < period ? 1 : quota / period;
}

/* The least that a group and those around it may use; they lie below `top`. */
static int64_t dycl_least_quota(const char *top, const char *group)
{
    char folder[4096];
    int64_t least = INT64_MAX;
    if (snprintf(folder, sizeof folder, "%s%s", top, group) >= (int)sizeof folder)
        return least;
    for (;;) {
        int64_t quota = dycl_group_quota(folder);
        least = quota < least ? quota : least;
        char *slash = strrchr(folder + strlen(top), '/');
        if (slash == NULL)
            return least;
        *slash = 0;
    }
}

/* Whether one of some words, with commas between, is `cpu`. */
static bool dycl_has_cpu(const char *words)
{
    for (const char *at = words; *at != 0; at += strcspn(at, ",") + 1) {
        if (strcspn(at, ",") == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
        if (strchr(at, ',') == NULL)
            break;
    }
    return false;
}

/* `root` is "" but for tests. */
static __attribute__((unused)) int64_t dycl_quota(const char *root)
{
    char groups[8192], top[512];
    int64_t least = INT64_MAX;
    dycl_read_text(root, "proc/self/cgroup", groups, sizeof groups);
    for (char *line = groups; *line != 0;) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        *end = 0;
        /* `number:controllers:group`; those of the second version are all in one. */
        char *words = strchr(line, ':');
        char *group = words == NULL ? NULL : strchr(words + 1, ':');
        line = next;
        if (group == NULL)
            continue;
        *group = 0;
        bool is_second = words[1] == 0;
        if (!is_second && !dycl_has_cpu(words + 1))
            continue;
        snprintf(top, sizeof top, "%s/sys/fs/cgroup%s", root, is_second ? "" : "/cpu");
        int64_t quota = dycl_least_quota(top, group + 1);
        least = quota < least ? quota : least;
    }
    return least;
}

#endif
