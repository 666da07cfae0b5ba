// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/core/store/store_world.h"

struct world world;

static void leave(void *context, struct fil_store *store, enum fil_store_reason reason,
                  struct fil_bytes key, struct fil_bytes value)
{
    (void)store;
    (void)value;
    struct world *here = context;
    here->expired_count += reason == FIL_STORE_EXPIRED;
    here->evicted_count += reason == FIL_STORE_EVICTED;
    size_t size = key.size < sizeof(here->last_gone) - 1 ? key.size : sizeof(here->last_gone) - 1;
    memcpy(here->last_gone, key.data, size);
    here->last_gone[size] = '\0';
}

int world_set_up(void **state)
{
    (void)state;
    world = (struct world){.now_ms = UINT64_C(1700000000000)};
    world.options =
        (struct fil_store_options){.hash_seed = WORLD_SEED, .gone = leave, .context = &world};
    fil_budget_init(&world.budget, UINT64_C(1) << 30);
    fil_store_init(&world.store, &world.budget, &world.options);
    return 0;
}

int world_tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_store_check(&world.store);
    fil_store_fini(&world.store);
    assert_int_equal(fil_budget_drawn(&world.budget), 0);
    return 0;
}

void world_open(uint64_t budget_bytes)
{
    fil_store_fini(&world.store);
    fil_budget_init(&world.budget, budget_bytes);
    fil_store_init(&world.store, &world.budget, &world.options);
}

uint64_t world_hash(const char *key)
{
    return fil_hash(fil_bytes_of(key), WORLD_SEED);
}

int world_put_how(const char *key, const char *value, struct fil_store_write how)
{
    how.now_ms = world.now_ms;
    return fil_store_put(&world.store, world_hash(key), fil_bytes_of(key), fil_bytes_of(value),
                         &how, NULL);
}

int world_put(const char *key, const char *value)
{
    return world_put_how(key, value, (struct fil_store_write){0});
}

const char *world_get(const char *key)
{
    static char text[70000];
    struct fil_bytes value = {0};
    if (!fil_store_get(&world.store, world_hash(key), fil_bytes_of(key), world.now_ms, &value)) {
        return NULL;
    }
    assert_true(value.size < sizeof(text));
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    return text;
}

bool world_has(const char *key)
{
    struct fil_bytes value = {0};
    return fil_store_peek(&world.store, world_hash(key), fil_bytes_of(key), world.now_ms, &value);
}

bool world_remove(const char *key)
{
    return fil_store_remove(&world.store, world_hash(key), fil_bytes_of(key), world.now_ms, NULL);
}

const char *world_name(uint32_t number)
{
    static char text[32];
    (void)snprintf(text, sizeof(text), "key:%u", number);
    return text;
}

void world_fill(uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const char *name = world_name(i);
        assert_int_equal(world_put(name, name), FIL_OK);
    }
}

void world_check_filled(uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const char *name = world_name(i);
        assert_string_equal(world_get(name), name);
    }
}
