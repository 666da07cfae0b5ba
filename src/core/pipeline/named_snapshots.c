// SPDX-License-Identifier: Apache-2.0
// The snapshots that an engine's store has, by name. The keeper alone uses the store, so callers
// leave an errand and wait.
#include <string.h>

#include "core/pipeline/engine_internal.h"
#include "core/pipeline/pipeline_internal.h"
#include "lib/os/futex.h"

/** A name that is looked for among others. */
struct search {
    const char *name;
    bool is_found;
};

static bool look_at(void *context, const char *name)
{
    struct search *search = context;
    search->is_found = strcmp(search->name, name) == 0;
    return !search->is_found;
}

/** FIL_E_NOT_FOUND when there is none. */
static int remove_one(struct fil_snapshot_store *store, const char *name)
{
    struct search search = {.name = name};
    int error = store->ops->list(store, look_at, &search);
    if (error == FIL_OK && !search.is_found) {
        error = FIL_E_NOT_FOUND;
    }
    return error == FIL_OK ? store->ops->remove(store, name) : error;
}

static void run_errand(struct fil_stream *stream, struct fil_engine_errand *errand)
{
    struct fil_snapshot_store *store = stream->store;
    errand->error = errand->removed != NULL
                        ? remove_one(store, errand->removed)
                        : store->ops->list(store, errand->each, errand->context);
    // R3 pairs with A3. The caller may be gone from here on; a wake needs nobody to be there.
    _Atomic uint32_t *word = &errand->is_done;
    atomic_store_explicit(word, 1, memory_order_release);
    fil_futex_wake(word, 1);
}

void fil_engine__run_errands(struct fil_stream *stream)
{
    struct fil_link *link = fil_stack_take_all(&stream->errands);
    while (link != NULL) {
        struct fil_engine_errand *errand = FIL_CONTAINER_OF(link, struct fil_engine_errand, link);
        link = link->next; // the errand is its caller's again when it is done
        run_errand(stream, errand);
    }
}

static int run_by_keeper(struct fil_stream *stream, struct fil_engine_errand *errand)
{
    atomic_init(&errand->is_done, 0);
    (void)fil_stack_push(&stream->errands, &errand->link);
    fil_engine__ring(stream);
    // A3 pairs with R3: what the keeper has found is there.
    while (atomic_load_explicit(&errand->is_done, memory_order_acquire) == 0) {
        (void)!fil_futex_wait(&errand->is_done, 0, FIL_WAIT_FOREVER);
    }
    return errand->error;
}

int fil_stream_list_snapshots(struct fil_stream *stream, fil_stream_name_fn each, void *context)
{
    struct fil_engine_errand errand = {.each = each, .context = context};
    return run_by_keeper(stream, &errand);
}

/** Whether a job that is not over goes on from it. */
static bool is_needed(struct fil_stream *stream, const char *name)
{
    bool is_needed = false;
    fil_mutex_lock(&stream->mutex);
    fil_list_foreach(item, &stream->named) {
        const struct fil_stream_job *job = FIL_CONTAINER_OF(item, struct fil_stream_job, named);
        is_needed = is_needed || strcmp(job->pipeline->name, name) == 0;
    }
    fil_mutex_unlock(&stream->mutex);
    return is_needed;
}

int fil_stream_remove_snapshot(struct fil_stream *stream, const char *name)
{
    if (!fil_snapshot_name_is_valid(name)) {
        return FIL_E_INVALID;
    }
    if (is_needed(stream, name)) {
        return FIL_E_EXISTS;
    }
    struct fil_engine_errand errand = {.removed = name};
    return run_by_keeper(stream, &errand);
}
