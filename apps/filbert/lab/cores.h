// SPDX-License-Identifier: Apache-2.0
/** Which cores the servers and the load of the lab run on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/os/cpu_set.h"
#include "setting.h"

#define LAB_CORES_TEXT_MAX 96U

struct lab_cores {
    struct fil_cpu_set all;
    struct fil_cpu_set load;   // the last one, when there is more than one
    struct fil_cpu_set server; // the others
    struct fil_cpu_set one;    // the first of those
};

/** Divides the cores that this process may use. */
void lab_cores_init(struct lab_cores *cores, const struct fil_cpu_set *usable);

/** For the threads of the server. */
const struct fil_cpu_set *lab_cores_server(const struct lab_cores *cores, enum lab_place place);

/** For the thread of the load. */
const struct fil_cpu_set *lab_cores_load(const struct lab_cores *cores, enum lab_place place);

/** The first and the last core of all. */
struct lab_setting_cpus lab_cores_ends(const struct lab_cores *cores);

/** Whether the place differs from LAB_PLACE_APART on this machine. */
bool lab_cores_differs(const struct lab_cores *cores, enum lab_place place);

/** "server on 0-2, load on 3". Returns text. */
const char *lab_cores_describe(const struct lab_cores *cores, char text[LAB_CORES_TEXT_MAX]);
