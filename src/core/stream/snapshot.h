// SPDX-License-Identifier: Apache-2.0
/**
 * A snapshot: the state of all instances of a job at one barrier.
 *
 * Each instance fills its own part, so the workers share nothing while they save. A whole snapshot
 * is read-only and counted; jobs start from it, stores keep it. Its bytes name the vertices, their
 * processors and what these say of their state, so that a changed job can be refused with a reason
 * before anything runs; a checksum tells a damaged one.
 *
 * Memory:  parts are drawn from a budget. A part that gets none makes the snapshot fail, not the
 *          job.
 * Threads: a part is written by its instance; everything else by whoever holds the snapshot.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/stream/dag.h"
#include "core/stream/state.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/budget.h"

/** Bytes of a snapshot, at most. */
#define FIL_SNAPSHOT_BYTES_MAX (UINT64_C(1) << 36)

#define FIL_SNAPSHOT_TEXT_MAX 320U

struct fil_snapshot_vertex {
    char name[FIL_DAG_NAME_MAX];
    char processor[FIL_PROCESSOR_NAME_MAX];
    char format[FIL_PROCESSOR_FORMAT_MAX]; // of its state, as the processor says
    uint32_t parallelism;
};

/** What one instance saved. */
struct fil_snapshot_part {
    uint32_t vertex;
    uint32_t instance;
    uint8_t *data;
    size_t size;
    size_t capacity;
    uint64_t entry_count;
    int error; // FIL_E_NOMEM: the part is not whole
};

struct fil_snapshot {
    _Atomic uint32_t references;
    int64_t id;
    char job[FIL_DAG_NAME_MAX];
    struct fil_budget *budget; // of the parts; NULL: not accounted
    struct fil_snapshot_vertex *vertices;
    uint32_t vertex_count;
    struct fil_snapshot_part *parts; // vertex by vertex, as the job's instances
    uint32_t part_count;
};

/** Place of an entry in a part. */
struct fil_snapshot_cursor {
    const struct fil_snapshot_part *part;
    size_t position;
};

/** Empty parts for all instances of the graph. NULL: no memory. */
struct fil_snapshot *fil_snapshot_new(const struct fil_dag *dag, const char *job, int64_t id,
                                      struct fil_budget *budget) FIL_NODISCARD;

FIL_ANY_THREAD void fil_snapshot_ref(struct fil_snapshot *snapshot);

/** A holder less; NULL is fine. */
FIL_ANY_THREAD void fil_snapshot_unref(struct fil_snapshot *snapshot);

/** The part's instance: adds an entry. What finds no memory is remembered in the part. */
void fil_snapshot_put(struct fil_snapshot *snapshot, uint32_t part,
                      const struct fil_state_entry *entry);

/** FIL_OK when all parts are whole. */
int fil_snapshot_error(const struct fil_snapshot *snapshot);

/** Bytes of all parts. */
uint64_t fil_snapshot_size(const struct fil_snapshot *snapshot);

/** The next entry, which stays in the snapshot; false at the end. */
bool fil_snapshot_next(struct fil_snapshot_cursor *cursor, struct fil_state_entry *out_entry);

/**
 * Whether a job of this graph can start from it: FIL_OK, or FIL_E_INVALID and why. State of
 * vertices that are gone is refused unless it may be dropped.
 */
int fil_snapshot_check(const struct fil_snapshot *snapshot, const struct fil_dag *dag,
                       bool may_drop, char out_text[FIL_SNAPSHOT_TEXT_MAX]) FIL_NODISCARD;

/** As bytes, to be freed with fil_free. FIL_E_NOMEM. */
int fil_snapshot_encode(const struct fil_snapshot *snapshot, uint8_t **out_data, size_t *out_size)
    FIL_NODISCARD;

/** FIL_E_MALFORMED for bytes that are no snapshot or were damaged, FIL_E_NOMEM. */
int fil_snapshot_decode(struct fil_bytes bytes, struct fil_snapshot **out_snapshot) FIL_NODISCARD;
