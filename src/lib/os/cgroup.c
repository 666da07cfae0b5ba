// SPDX-License-Identifier: Apache-2.0
#include "lib/os/cgroup_internal.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/bytes.h"
#include "lib/os/file_internal.h"

// A line of /proc/self/cgroup for each controller of v1 and one for v2.
#define MEMBERSHIP_SIZE_MAX 16384U

/** Lowers the limits to what the group in this folder has. */
typedef void (*apply_fn)(const char *folder, struct fil_cgroup_limits *limits);

static void lower(uint64_t *limit, uint64_t value)
{
    *limit = value < *limit ? value : *limit;
}

static struct fil_bytes take_until(struct fil_bytes *rest, uint8_t separator)
{
    size_t end = fil_bytes_find(*rest, separator);
    struct fil_bytes taken = fil_bytes_make(rest->data, end);
    size_t skipped = end < rest->size ? end + 1 : end;
    *rest = fil_bytes_make(rest->data + skipped, rest->size - skipped);
    return taken;
}

/** The file's first line in text; an empty one when it cannot be read. */
static struct fil_bytes read_line(const char *folder, const char *name, char text[64])
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (size < 0 || (size_t)size >= sizeof(path)) {
        return fil_bytes_make(text, 0);
    }
    int64_t read = fil_file__read_start(path, text, 64);
    struct fil_bytes rest = fil_bytes_make(text, read < 0 ? 0 : (size_t)read);
    return take_until(&rest, '\n');
}

static void apply_quota(uint64_t quota_us, uint64_t period_us, struct fil_cgroup_limits *limits)
{
    if (quota_us == 0 || period_us == 0 || quota_us > UINT64_MAX / 2000) {
        return;
    }
    uint64_t scaled = quota_us * 1000;
    lower(&limits->cpu_milli, scaled / period_us + (scaled % period_us != 0));
}

/** cpu.max: "150000 100000" or "max 100000"; memory.max: "268435456" or "max". */
static void apply_v2(const char *folder, struct fil_cgroup_limits *limits)
{
    char text[64];
    struct fil_bytes rest = read_line(folder, "cpu.max", text);
    uint64_t quota_us = 0;
    uint64_t period_us = 0;
    bool has_quota = fil_bytes_to_u64(take_until(&rest, ' '), &quota_us);
    if (has_quota && fil_bytes_to_u64(rest, &period_us)) {
        apply_quota(quota_us, period_us, limits);
    }
    uint64_t memory = 0;
    if (fil_bytes_to_u64(read_line(folder, "memory.max", text), &memory)) {
        lower(&limits->memory_bytes, memory);
    }
}

/** A quota of -1 is none, and is no number here. */
static void apply_v1_cpu(const char *folder, struct fil_cgroup_limits *limits)
{
    char text[64];
    uint64_t quota_us = 0;
    uint64_t period_us = 0;
    if (fil_bytes_to_u64(read_line(folder, "cpu.cfs_quota_us", text), &quota_us) &&
        fil_bytes_to_u64(read_line(folder, "cpu.cfs_period_us", text), &period_us)) {
        apply_quota(quota_us, period_us, limits);
    }
}

/** No limit is a number larger than any memory. */
static void apply_v1_memory(const char *folder, struct fil_cgroup_limits *limits)
{
    char text[64];
    uint64_t memory = 0;
    if (fil_bytes_to_u64(read_line(folder, "memory.limit_in_bytes", text), &memory)) {
        lower(&limits->memory_bytes, memory);
    }
}

/** A group outside of what this process sees is written with "..": only the root is left then. */
static bool is_inside(struct fil_bytes group)
{
    return memmem(group.data, group.size, "/..", 3) == NULL;
}

/** Applies the group's limits and those of all groups above it, up to the mount point. */
static void walk_up(const char *root, struct fil_bytes mount, struct fil_bytes group,
                    apply_fn apply, struct fil_cgroup_limits *limits)
{
    char folder[PATH_MAX];
    int top = snprintf(folder, sizeof(folder), "%s/sys/fs/cgroup/%.*s", root, (int)mount.size,
                       (const char *)mount.data);
    size_t group_size = is_inside(group) ? group.size : 0;
    if (top < 0 || (size_t)top + group_size >= sizeof(folder)) {
        return;
    }
    memcpy(folder + top, group.data, group_size);
    folder[(size_t)top + group_size] = '\0';
    for (;;) {
        apply(folder, limits);
        char *slash = strrchr(folder + top, '/');
        if (slash == NULL) {
            break;
        }
        *slash = '\0';
    }
}

static bool has_controller(struct fil_bytes controllers, const char *name)
{
    struct fil_bytes rest = controllers;
    while (rest.size > 0) {
        if (fil_bytes_equal_text(take_until(&rest, ','), name)) {
            return true;
        }
    }
    return false;
}

/** The folder of a v1 controller has its name or that of the whole list ("cpu,cpuacct"). */
static void walk_v1(const char *root, struct fil_bytes controllers, const char *name,
                    struct fil_bytes group, struct fil_cgroup_limits *limits)
{
    if (!has_controller(controllers, name)) {
        return;
    }
    apply_fn apply = strcmp(name, "cpu") == 0 ? apply_v1_cpu : apply_v1_memory;
    walk_up(root, controllers, group, apply, limits);
    walk_up(root, fil_bytes_of(name), group, apply, limits);
}

/** One line of /proc/self/cgroup: "4:memory:/group", or "0::/group" for v2. */
static void apply_membership(const char *root, struct fil_bytes line,
                             struct fil_cgroup_limits *limits)
{
    struct fil_bytes group = line;
    (void)take_until(&group, ':'); // the hierarchy's number says nothing we need
    struct fil_bytes controllers = take_until(&group, ':');
    if (group.size == 0 || group.data[0] != '/') {
        return;
    }
    if (controllers.size == 0) {
        walk_up(root, fil_bytes_of(""), group, apply_v2, limits);
        walk_up(root, fil_bytes_of("unified"), group, apply_v2, limits); // beside v1
        return;
    }
    walk_v1(root, controllers, "cpu", group, limits);
    walk_v1(root, controllers, "memory", group, limits);
}

struct fil_cgroup_limits fil_cgroup__read(const char *root)
{
    fil_assert(root != NULL);
    struct fil_cgroup_limits limits = {.cpu_milli = FIL_CGROUP_NONE,
                                       .memory_bytes = FIL_CGROUP_NONE};
    char path[PATH_MAX];
    char text[MEMBERSHIP_SIZE_MAX];
    int size = snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    fil_assert(size > 0 && (size_t)size < sizeof(path));
    int64_t read = fil_file__read_start(path, text, sizeof(text));
    struct fil_bytes rest = fil_bytes_make(text, read < 0 ? 0 : (size_t)read);
    while (rest.size > 0) {
        apply_membership(root, take_until(&rest, '\n'), &limits);
    }
    return limits;
}
