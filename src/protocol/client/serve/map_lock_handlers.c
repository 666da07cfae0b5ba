// SPDX-License-Identifier: Apache-2.0
/** Requests about the locks of a map's keys. */
#include "filbert/error.h"
#include "grid/map/lock.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/handlers_internal.h"
#include "protocol/client/serve/session.h"

/** What stands for "no end" of a lease: less than nothing, and the largest number. */
static uint64_t lease_of(int64_t lease_ms)
{
    return lease_ms < 0 || lease_ms == INT64_MAX ? 0 : (uint64_t)lease_ms;
}

static struct fil_map_lock_wish wish_of(const struct fil_wire_task *task)
{
    return (struct fil_map_lock_wish){
        .owner = fil_wire_task_owner(task),
        .reference = (uint64_t)task->reference,
        .lease_ms = lease_of(task->ttl_ms),
        .now_ms = task->now_ms,
    };
}

static int lock(struct fil_wire_task *task)
{
    struct fil_map_lock_wish wish = wish_of(task);
    int error = fil_map_lock_here(task->map, &task->key, &wish, &task->wait_key);
    if (error == FIL_OK) {
        // Relaxed: read when the session closes, after all its calls have ended.
        atomic_store_explicit(&task->session->has_locked, true, memory_order_relaxed);
    }
    return error;
}

int fil_wire__map_lock_read(struct fil_wire_task *task)
{
    struct fil_wire_map_lock_request request;
    int error = FIL_WIRE_READ(map_lock, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    task->thread_id = request.thread_id;
    task->ttl_ms = request.ttl;
    task->reference = request.reference_id;
    return fil_wire_task_place(task, request.name, request.key);
}

int fil_wire__map_lock_run(struct fil_wire_task *task)
{
    int error = lock(task);
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

int fil_wire__map_try_lock_read(struct fil_wire_task *task)
{
    struct fil_wire_map_try_lock_request request;
    int error = FIL_WIRE_READ(map_try_lock, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    task->thread_id = request.thread_id;
    task->ttl_ms = request.lease;
    task->timeout_ms = request.timeout;
    task->reference = request.reference_id;
    return fil_wire_task_place(task, request.name, request.key);
}

int fil_wire__map_try_lock_run(struct fil_wire_task *task)
{
    int error = lock(task);
    if (error == FIL_E_AGAIN && task->timeout_ms <= 0) {
        return fil_wire_answer_bool(task, false);
    }
    return error == FIL_OK ? fil_wire_answer_bool(task, true) : error;
}

int fil_wire__map_unlock_read(struct fil_wire_task *task)
{
    struct fil_wire_map_unlock_request request;
    int error = FIL_WIRE_READ(map_unlock, task, &request);
    if (error != FIL_OK) {
        return error;
    }
    task->thread_id = request.thread_id;
    task->reference = request.reference_id;
    return fil_wire_task_place(task, request.name, request.key);
}

int fil_wire__map_unlock_run(struct fil_wire_task *task)
{
    struct fil_map_lock_wish wish = wish_of(task);
    int error = fil_map_unlock_here(task->map, &task->key, &wish);
    if (error == FIL_E_DENIED) {
        task->fault =
            (struct fil_wire_fault){.field = "key", .reason = "is not locked by this thread"};
    }
    return error == FIL_OK ? fil_wire_answer_empty(task) : error;
}

int fil_wire__map_force_unlock_read(struct fil_wire_task *task)
{
    struct fil_wire_map_force_unlock_request request;
    int error = FIL_WIRE_READ(map_force_unlock, task, &request);
    return error == FIL_OK ? fil_wire_task_place(task, request.name, request.key) : error;
}

int fil_wire__map_force_unlock_run(struct fil_wire_task *task)
{
    (void)fil_map_force_unlock_here(task->map, &task->key, task->now_ms);
    return fil_wire_answer_empty(task);
}

int fil_wire__map_is_locked_read(struct fil_wire_task *task)
{
    struct fil_wire_map_is_locked_request request;
    int error = FIL_WIRE_READ(map_is_locked, task, &request);
    return error == FIL_OK ? fil_wire_task_place(task, request.name, request.key) : error;
}

int fil_wire__map_is_locked_run(struct fil_wire_task *task)
{
    bool is_locked = fil_map_is_locked_here(task->map, &task->key, task->now_ms, NULL);
    return fil_wire_answer_bool(task, is_locked);
}
