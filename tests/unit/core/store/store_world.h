// SPDX-License-Identifier: Apache-2.0
/** What the tests of the store share: one store, keys and values as text, and a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/store/store.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/base/hash.h"
#include "tests/unit/harness.h"

#define WORLD_SEED 17U

struct world {
    struct fil_budget budget;
    struct fil_store_options options;
    struct fil_store store;
    uint64_t now_ms;
    uint32_t expired_count;
    uint32_t evicted_count;
    char last_gone[64];
};

extern struct world world;

/** A store with a gigabyte; options may be changed before world_open. */
int world_set_up(void **state);
/** Everything must have been given back. */
int world_tear_down(void **state);
/** Makes the store anew, with the world's options and so many bytes. */
void world_open(uint64_t budget_bytes);

uint64_t world_hash(const char *key);
int world_put(const char *key, const char *value);
int world_put_how(const char *key, const char *value, struct fil_store_write how);
/** The value as text, or NULL. */
const char *world_get(const char *key);
bool world_has(const char *key);
bool world_remove(const char *key);
/** Keys "key:0" and so on, each its own value. */
void world_fill(uint32_t first, uint32_t end);
void world_check_filled(uint32_t first, uint32_t end);
const char *world_name(uint32_t number);
