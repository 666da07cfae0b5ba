// SPDX-License-Identifier: Apache-2.0
/**
 * A request as the functions that serve it see it, and the table of those functions.
 *
 * A request of one partition is read once on the loop (which needs its map and key to prefetch) and
 * then runs in place; when the partition is not free the message is copied, read again where it
 * runs, and run there. Reading has no effects, so it may be done twice. A huge message always goes
 * to its partition, but stays where it is (call.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/waiting.h"
#include "grid/map/map.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "protocol/client/codec.h"
#include "protocol/client/error_code.h"
#include "protocol/client/form.h"
#include "protocol/client/query/predicate.h"
#include "protocol/client/writer.h"

struct fil_runner;
struct fil_wire_call;
struct fil_wire_handler;
struct fil_wire_session;

struct fil_wire_task {
    // Set before reading.
    struct fil_wire_session *session;
    const struct fil_wire_handler *handler;
    struct fil_bytes message;
    struct fil_wire_header header;

    // What was read; what a request does not have is zero.
    struct fil_map *map;
    struct fil_container *container; // instead of a map
    struct fil_map_key key;
    struct fil_bytes value;
    struct fil_bytes expected;
    struct fil_bytes predicate;              // serialized, checked
    const struct fil_query_predicate *query; // made of it for a walk
    struct fil_wire_part part;               // keys, or entries
    int64_t thread_id;
    int64_t ttl_ms;
    int64_t max_idle_ms;
    int64_t timeout_ms;
    int64_t reference;
    int64_t index;
    int64_t limit;
    bool is_whole; // it handles all that is in the container, or all items of the part

    // Where it runs.
    uint64_t now_ms;
    struct fil_wire_writer *writer;
    uint64_t wait_key;        // for FIL_E_AGAIN
    struct fil_waiter waiter; // likewise, in a container

    // What a call that ends later has to answer.
    struct fil_wire_uuid uuid;
    int query_error; // of a predicate that cannot be told for some entry

    // Why it was refused, if there is more to say than the error does; static texts.
    struct fil_wire_fault fault;
};

enum fil_wire_serving {
    FIL_WIRE_SERVE_SESSION,   // on the loop, at once
    FIL_WIRE_SERVE_PARTITION, // inside the partition of the header
    FIL_WIRE_SERVE_WAITING,   // likewise; it may have to wait there
    FIL_WIRE_SERVE_CONTAINER, // inside the partition of a container; it may have to wait there
    FIL_WIRE_SERVE_MAP,       // in all partitions of the map, one after the other
    FIL_WIRE_SERVE_LATER,     // started on the loop, ended by whoever it waits for
};

/** FIL_OK, or the error that is answered. */
typedef int (*fil_wire_read_fn)(struct fil_wire_task *task);

/**
 * Writes the response. An error is answered, if nothing was written; FIL_E_AGAIN means that the
 * request must wait in the partition under task->wait_key, or in the container's line of
 * task->waiter. There it runs once more when its time is over, with a timeout of 0.
 */
typedef int (*fil_wire_run_fn)(struct fil_wire_task *task);

/** Prepares the walk of the call. */
typedef void (*fil_wire_walk_fn)(struct fil_wire_call *call);

/** Starts what the call is about; FIL_OK: fil_wire_call_finish ends it, perhaps already. */
typedef int (*fil_wire_start_fn)(struct fil_wire_call *call, struct fil_runner *runner);

struct fil_wire_handler {
    const char *name; // for the watchdog; NULL: there is no such handler
    enum fil_wire_serving kind;
    fil_wire_read_fn read;
    fil_wire_run_fn run;     // of a walk, or of what ends later: when it has ended
    fil_wire_walk_fn walk;   // NULL: not a walk
    fil_wire_start_fn start; // NULL: it does not end later
};

/** The handler of a request's number; NULL: it is not served. */
const struct fil_wire_handler *fil_wire_handler_find(uint32_t number);

/** Finds the map, which is made if there is none. */
int fil_wire_task_find_map(struct fil_wire_task *task, struct fil_bytes name) FIL_NODISCARD;

/** Likewise the multimap; what follows then is about it. */
int fil_wire_task_find_multimap(struct fil_wire_task *task, struct fil_bytes name) FIL_NODISCARD;

/** Likewise, and checks the header's partition. */
int fil_wire_task_enter(struct fil_wire_task *task, struct fil_bytes name) FIL_NODISCARD;

/** Likewise, and takes the key. */
int fil_wire_task_place(struct fil_wire_task *task, struct fil_bytes name, struct fil_bytes key)
    FIL_NODISCARD;

/** The key in the partition of the header, and its partition for those who write keys. */
struct fil_map_key fil_wire_task_key(const struct fil_wire_task *task, struct fil_bytes data);
struct fil_wire_form_place fil_wire_task_form_place(const struct fil_wire_task *task);

/** The form of a value, in which the map keeps it. */
int fil_wire_task_take_value(struct fil_wire_task *task, struct fil_bytes data,
                             struct fil_bytes *out_form) FIL_NODISCARD;

/** Takes a predicate over that this member understands. */
int fil_wire_task_take_predicate(struct fil_wire_task *task, struct fil_bytes predicate)
    FIL_NODISCARD;

/** Whether the task of a walk means the entry: it has no predicate, or one that is true for it. */
bool fil_wire_task_means(struct fil_wire_task *task, const struct fil_store_view *view);

/** The entry as queries see it; and what follows when it cannot be told. */
struct fil_query_entry fil_wire_task_entry(const struct fil_wire_task *task,
                                           const struct fil_store_view *view);
void fil_wire_task_note_opaque(struct fil_wire_task *task, const struct fil_query_entry *entry);

/** Whose the locks are that the request asks for or respects. */
struct fil_map_owner fil_wire_task_owner(const struct fil_wire_task *task);

/** FIL_E_AGAIN when another has locked the key. */
FIL_INSIDE_PARTITION int fil_wire_task_check_lock(struct fil_wire_task *task) FIL_NODISCARD;

// Responses of the shapes that come most.

int fil_wire_answer_empty(struct fil_wire_task *task) FIL_NODISCARD;
int fil_wire_answer_bool(struct fil_wire_task *task, bool value) FIL_NODISCARD;
int fil_wire_answer_uuid(struct fil_wire_task *task, struct fil_wire_uuid uuid) FIL_NODISCARD;

/** Data, or null when there is none; from a map's form of it, or as it is. */
int fil_wire_answer_form(struct fil_wire_task *task, struct fil_bytes form) FIL_NODISCARD;
int fil_wire_answer_data(struct fil_wire_task *task, struct fil_bytes data) FIL_NODISCARD;

/** An error response; when there is no memory for it either, the queue is marked. */
void fil_wire_answer_error(struct fil_wire_task *task, int error);
void fil_wire_answer_code(struct fil_wire_writer *writer, int64_t correlation,
                          enum fil_wire_error_code code, const char *text);
