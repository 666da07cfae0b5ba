// SPDX-License-Identifier: Apache-2.0
#include "cores.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"

static struct lab_setting_cpus find_ends(const struct fil_cpu_set *cpus)
{
    uint32_t first = fil_cpu_set_next(cpus, 0);
    fil_assert(first < FIL_CPU_MAX);
    uint32_t last = first;
    for (uint32_t cpu = first; cpu < FIL_CPU_MAX; cpu = fil_cpu_set_next(cpus, cpu + 1)) {
        last = cpu;
    }
    return (struct lab_setting_cpus){.first = first, .last = last};
}

struct lab_setting_cpus lab_cores_ends(const struct lab_cores *cores)
{
    return find_ends(&cores->all);
}

void lab_cores_init(struct lab_cores *cores, const struct fil_cpu_set *usable)
{
    struct lab_setting_cpus ends = find_ends(usable);
    *cores = (struct lab_cores){.all = *usable, .load = *usable, .server = *usable};
    fil_cpu_set_add(&cores->one, ends.first);
    if (fil_cpu_set_count(usable) < 2) {
        return;
    }
    memset(&cores->load, 0, sizeof(cores->load));
    memset(&cores->server, 0, sizeof(cores->server));
    fil_cpu_set_add(&cores->load, ends.last);
    for (uint32_t cpu = ends.first; cpu < ends.last; cpu = fil_cpu_set_next(usable, cpu + 1)) {
        fil_cpu_set_add(&cores->server, cpu);
    }
}

const struct fil_cpu_set *lab_cores_server(const struct lab_cores *cores, enum lab_place place)
{
    switch (place) {
    case LAB_PLACE_ONE:
        return &cores->one;
    case LAB_PLACE_ALL:
        return &cores->all;
    case LAB_PLACE_APART:
    default:
        return &cores->server;
    }
}

const struct fil_cpu_set *lab_cores_load(const struct lab_cores *cores, enum lab_place place)
{
    return place == LAB_PLACE_ALL ? &cores->all : &cores->load;
}

static bool are_equal(const struct fil_cpu_set *a, const struct fil_cpu_set *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

bool lab_cores_differs(const struct lab_cores *cores, enum lab_place place)
{
    return !are_equal(lab_cores_server(cores, place), &cores->server) ||
           !are_equal(lab_cores_load(cores, place), &cores->load);
}

const char *lab_cores_describe(const struct lab_cores *cores, char text[LAB_CORES_TEXT_MAX])
{
    char server[LAB_CORES_TEXT_MAX / 3];
    char load[LAB_CORES_TEXT_MAX / 3];
    (void)fil_cpu_set_format(&cores->server, server, sizeof(server));
    (void)fil_cpu_set_format(&cores->load, load, sizeof(load));
    if (are_equal(&cores->server, &cores->load)) {
        (void)snprintf(text, LAB_CORES_TEXT_MAX, "server and load share cpu %s", server);
    } else {
        (void)snprintf(text, LAB_CORES_TEXT_MAX, "server on cpu %s, load on cpu %s", server, load);
    }
    return text;
}
