// SPDX-License-Identifier: Apache-2.0
#include "grid/map/walk.h"

#include "core/exec/activity.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "grid/map/keys_internal.h"
#include "grid/map/lock.h"
#include "grid/map/map_internal.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"

#define CLEAR_BUDGET 256U // entries a slice
#define SCAN_BUDGET  256U
#define EVICT_BUDGET 64U
#define LOCK_BUDGET  64U

static enum fil_op_outcome run_walk(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_map_walk *walk = FIL_CONTAINER_OF(op, struct fil_map_walk, op);
    fil_activity_rename(partition->runner, walk->name);
    // Relaxed: it is looked at again and again.
    if (atomic_load_explicit(&walk->is_stopped, memory_order_relaxed)) {
        op->error = FIL_E_CANCELLED;
        return FIL_OP_DONE;
    }
    walk->now_ms = fil_map_now_ms(walk->map, partition->runner->now_ns);
    walk->cursor = walk->slice(walk, partition);
    bool is_done = walk->cursor == FIL_STORE_SCAN_END || walk->is_over;
    return is_done ? FIL_OP_DONE : FIL_OP_AGAIN;
}

static void complete_walk(struct fil_op *op, struct fil_runner *runner);

/** Never by a caller: a walk is long, even if its slices are short. */
static const struct fil_op_type walk_type = {
    .name = "map-walk", .run = run_walk, .complete = complete_walk, .is_slow = true};

/** False: it has been everywhere. */
static bool find_next(struct fil_map_walk *walk, fil_partition_id *out_next)
{
    if (walk->only_count == 0) {
        *out_next = walk->op.partition_id + 1;
        return *out_next < walk->map->partition_count;
    }
    walk->only_index++;
    if (walk->only_index == walk->only_count) {
        return false;
    }
    *out_next = walk->only[walk->only_index];
    fil_assert(*out_next > walk->op.partition_id && *out_next < walk->map->partition_count);
    return true;
}

static void complete_walk(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_map_walk *walk = FIL_CONTAINER_OF(op, struct fil_map_walk, op);
    struct fil_map *map = walk->map;
    fil_partition_id next = 0;
    walk->error = walk->error == FIL_OK ? op->error : walk->error;
    if (walk->error != FIL_OK || walk->is_over || !find_next(walk, &next)) {
        walk->finished(walk, runner);
        return;
    }
    fil_op_init(op, &walk_type, next);
    walk->cursor = 0;
    fil_exec_submit(map->exec, op, runner);
}

void fil_map_walk_init(struct fil_map_walk *walk, struct fil_map *map, const char *name,
                       fil_map_slice_fn slice)
{
    *walk = (struct fil_map_walk){.map = map, .name = name, .slice = slice};
    atomic_init(&walk->is_stopped, false);
}

void fil_map_walk_start(struct fil_map_walk *walk, fil_map_finished_fn finished, void *context,
                        struct fil_runner *runner)
{
    fil_assert(walk->map->exec != NULL);
    walk->finished = finished;
    walk->context = context;
    fil_op_init(&walk->op, &walk_type, walk->only_count == 0 ? 0 : walk->only[0]);
    fil_exec_submit(walk->map->exec, &walk->op, runner);
}

void fil_map_walk_stop(struct fil_map_walk *walk)
{
    // Relaxed: it publishes nothing but itself.
    atomic_store_explicit(&walk->is_stopped, true, memory_order_relaxed);
}

uint64_t fil_map_walk_scan(struct fil_map_walk *walk, fil_partition_id partition_id,
                           uint32_t budget, fil_store_visit_fn visit, void *context)
{
    struct fil_map_slice slice = fil_map_walk_slice(walk, budget);
    if (walk->search == NULL) {
        return fil_map_scan_here(walk->map, partition_id, slice, visit, context);
    }
    struct fil_map_shard *shard = fil_map__shard(walk->map, partition_id);
    return fil_map__search(walk->search, shard, slice, visit, context);
}

static struct fil_map_shard *shard_of(struct fil_map_walk *walk)
{
    return fil_map__shard(walk->map, walk->op.partition_id);
}

/** When the last partition is done: one event for all listeners. */
static void tell_listeners(struct fil_map_walk *walk, enum fil_map_event_kind kind, uint64_t cursor)
{
    struct fil_map_shard *shard = shard_of(walk);
    bool is_last =
        cursor == FIL_STORE_SCAN_END && walk->op.partition_id + 1 == walk->map->partition_count;
    if (is_last && walk->count > 0 && shard->interests & FIL_MAP__LISTENED) {
        fil_map__publish(shard, &(struct fil_map__change){.kind = kind, .count = walk->count});
    }
}

static uint64_t empty_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct fil_map_shard *shard = shard_of(walk);
    uint32_t before = fil_store_count(&shard->store);
    uint64_t next =
        fil_map_clear_here(walk->map, partition->id, walk->cursor, CLEAR_BUDGET, walk->now_ms);
    walk->count += before - fil_store_count(&shard->store);
    tell_listeners(walk, FIL_MAP_CLEARED, next);
    return next;
}

bool fil_map__walk_breaks_locks(struct fil_map_walk *walk, fil_partition_id partition_id)
{
    struct fil_map_shard *shard = fil_map__shard(walk->map, partition_id);
    if (FIL_LIKELY(shard->lock_count == 0)) {
        return false;
    }
    fil_map__break_locks(shard, LOCK_BUDGET, walk->now_ms);
    return true;
}

/** A destroyed map has no locks either: who waits for one goes on. */
static uint64_t destroy_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_map__walk_breaks_locks(walk, partition->id) ? walk->cursor
                                                           : empty_slice(walk, partition);
}

void fil_map_walk_empty(struct fil_map_walk *walk, struct fil_map *map)
{
    fil_map_walk_init(walk, map, "map-empty", destroy_slice);
}

static void collect_free(void *context, const struct fil_store_view *view)
{
    struct fil_map__keys *keys = context;
    struct fil_map_shard *shard = keys->shard;
    // Locks are looked at when the keys are taken out; here the store must not be touched.
    if (shard->lock_count == 0 ||
        fil_map__is_free(shard, fil_hash(view->key, shard->map->seed), view->key, 0)) {
        fil_map__keys_add(keys, view->key);
    }
}

/** Takes entries out one by one, because some of them may be locked; the first slice of a partition
 * tells the journal. */
static uint64_t take_out_free(struct fil_map_walk *walk, struct fil_partition *partition,
                              enum fil_map_event_kind kind)
{
    struct fil_map_shard *shard = shard_of(walk);
    struct fil_map__keys keys;
    fil_map__keys_init(&keys, shard);
    if (walk->cursor == 0 && shard->interests & FIL_MAP__JOURNALED &&
        fil_store_count(&shard->store) > 0) {
        fil_map__record(shard, &(struct fil_map__change){.kind = kind});
    }
    uint64_t next = fil_map_scan_here(walk->map, partition->id,
                                      fil_map_walk_slice(walk, EVICT_BUDGET), collect_free, &keys);
    for (uint32_t i = 0; i < keys.count; i++) {
        struct fil_bytes key = fil_map__keys_at(&keys, i);
        uint64_t hash = fil_hash(key, walk->map->seed);
        bool was_there = fil_map__take_out(shard, hash, key, walk->now_ms);
        walk->count += was_there;
        fil_counter_add(&shard->counters.evicted, was_there && kind == FIL_MAP_ALL_EVICTED);
        if (was_there && shard->interests & FIL_MAP__WATCHED) {
            fil_map__touch(shard, hash, key);
        }
    }
    if (keys.is_out_of_memory) {
        walk->error = FIL_E_NOMEM;
        walk->is_over = true;
    }
    fil_map__keys_fini(&keys);
    tell_listeners(walk, kind, next);
    return next;
}

static uint64_t clear_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    if (FIL_LIKELY(shard_of(walk)->lock_count == 0)) {
        return empty_slice(walk, partition);
    }
    return take_out_free(walk, partition, FIL_MAP_CLEARED);
}

void fil_map_walk_clear(struct fil_map_walk *walk, struct fil_map *map)
{
    fil_map_walk_init(walk, map, "map-clear", clear_slice);
}

static uint64_t evict_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return take_out_free(walk, partition, FIL_MAP_ALL_EVICTED);
}

void fil_map_walk_evict_all(struct fil_map_walk *walk, struct fil_map *map)
{
    fil_map_walk_init(walk, map, "map-evict-all", evict_slice);
}

static void compare_value(void *context, const struct fil_store_view *view)
{
    struct fil_map_walk *walk = context;
    if (fil_bytes_equal(view->value, walk->value)) {
        walk->count = 1;
        walk->is_over = true;
    }
}

static uint64_t contains_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_map_scan_here(walk->map, partition->id, fil_map_walk_slice(walk, SCAN_BUDGET),
                             compare_value, walk);
}

void fil_map_walk_contains_value(struct fil_map_walk *walk, struct fil_map *map,
                                 struct fil_bytes value)
{
    fil_map_walk_init(walk, map, "map-contains-value", contains_slice);
    walk->value = value;
}

/** A slice's keys that are meant. */
struct selection {
    struct fil_map__keys keys;
    const struct fil_map_walk *walk;
};

static void collect_meant(void *context, const struct fil_store_view *view)
{
    struct selection *selection = context;
    if (selection->walk->is_meant(selection->walk->tester, view)) {
        fil_map__keys_add(&selection->keys, view->key);
    }
}

static uint64_t remove_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct selection selection = {.walk = walk};
    fil_map__keys_init(&selection.keys, shard_of(walk));
    uint64_t next = fil_map_walk_scan(walk, partition->id, SCAN_BUDGET, collect_meant, &selection);
    for (uint32_t i = 0; i < selection.keys.count; i++) {
        struct fil_map_key key = fil_map__keys_place(&selection.keys, i);
        walk->count += fil_map_remove_here(walk->map, &key, walk->now_ms, NULL);
    }
    if (selection.keys.is_out_of_memory) {
        walk->error = FIL_E_NOMEM;
        walk->is_over = true;
    }
    fil_map__keys_fini(&selection.keys);
    return next;
}

void fil_map_walk_remove_if(struct fil_map_walk *walk, struct fil_map *map,
                            fil_map_test_fn is_meant, void *tester)
{
    fil_assert(is_meant != NULL);
    fil_map_walk_init(walk, map, "map-remove-if", remove_slice);
    walk->is_meant = is_meant;
    walk->tester = tester;
}

static uint64_t unlock_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_map_unlock_all_here(walk->map, partition->id, walk->member, walk->cursor,
                                   LOCK_BUDGET, walk->now_ms);
}

void fil_map_walk_unlock_all(struct fil_map_walk *walk, struct fil_map *map, uint64_t member)
{
    fil_map_walk_init(walk, map, "map-unlock-all", unlock_slice);
    walk->member = member;
}

static uint64_t visit_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    return fil_map_scan_here(walk->map, partition->id, fil_map_walk_slice(walk, SCAN_BUDGET),
                             walk->visit, walk->visitor);
}

void fil_map_walk_visit(struct fil_map_walk *walk, struct fil_map *map, fil_store_visit_fn visit,
                        void *visitor)
{
    fil_map_walk_init(walk, map, "map-visit", visit_slice);
    walk->visit = visit;
    walk->visitor = visitor;
}
