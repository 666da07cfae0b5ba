// SPDX-License-Identifier: Apache-2.0
/**
 * Entry processors: functions, known by name, that change an entry where it is, in one step.
 *
 * A processor looks at the entry, says what its new value is or that it shall go, and gives a
 * result. It runs on the partition, so it must be short. Those that are built in:
 *
 *     increment        [by]               text of a whole number, 0 when not there; result: the new
 * one append           bytes              result: the new size, as text compare-and-set  expected,
 * value    result: 1 or 0; with one argument: removes if expected json-merge       patch RFC 7396:
 * null removes a member; result: the new document
 *
 * Threads: the registry is filled before it is shared, then read by any thread; processors run by
 *          whoever is inside the key's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "grid/map/map.h"
#include "grid/map/walk.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

#define FIL_PROCESSORS_MAX 256U

/** Bytes that a processor makes. */
struct fil_map_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool is_out_of_memory; // something is missing
};

void fil_map_buffer_init(struct fil_map_buffer *buffer);
void fil_map_buffer_fini(struct fil_map_buffer *buffer);
void fil_map_buffer_add(struct fil_map_buffer *buffer, struct fil_bytes bytes);

static inline struct fil_bytes fil_map_buffer_bytes(const struct fil_map_buffer *buffer)
{
    return fil_bytes_make(buffer->data == NULL ? (const uint8_t *)"" : buffer->data, buffer->size);
}

/** What a processor does with the entry. */
enum fil_map_verdict {
    FIL_MAP_KEEP,   // it stays as it is
    FIL_MAP_WRITE,  // gets the value in `value`; its expiry stays unless ttl_ms is set
    FIL_MAP_REMOVE, // goes
};

struct fil_map_processing {
    // What there is.
    struct fil_bytes key;
    bool is_there;
    struct fil_bytes old_value;
    const struct fil_bytes *arguments;
    uint32_t argument_count;

    // What the processor says.
    enum fil_map_verdict verdict; // FIL_MAP_KEEP unless it says otherwise
    struct fil_map_buffer value;
    struct fil_map_buffer result;
    bool has_result;
    int64_t ttl_ms; // as in entry.h; only if has_ttl
    bool has_ttl;
};

/** FIL_OK or an error, with which nothing changes: FIL_E_INVALID, FIL_E_MALFORMED, FIL_E_NOMEM. */
typedef int (*fil_map_processor_fn)(struct fil_map_processing *processing, void *context);

struct fil_map_processor {
    const char *name;
    fil_map_processor_fn run;
    void *context;
};

struct fil_map_processors {
    struct fil_map_processor list[FIL_PROCESSORS_MAX];
    uint32_t count;
};

/** With those that are built in. */
void fil_map_processors_init(struct fil_map_processors *processors);

/** FIL_E_EXISTS, FIL_E_LIMIT. The name is borrowed for as long as the registry lives. */
int fil_map_processors_add(struct fil_map_processors *processors,
                           const struct fil_map_processor *processor) FIL_NODISCARD;

/** NULL when there is none of that name. */
FIL_ANY_THREAD const struct fil_map_processor *
fil_map_processors_find(const struct fil_map_processors *processors, struct fil_bytes name);

/** What to run. */
struct fil_map_process {
    const struct fil_map_processor *processor;
    const struct fil_bytes *arguments; // borrowed
    uint32_t argument_count;
    uint64_t now_ms;
};

/**
 * Runs it on one key. out_result is made by fil_map_buffer_init before and freed by the caller;
 * out_has_result says whether there is one. Errors: the processor's, and those of a put.
 */
FIL_INSIDE_PARTITION int fil_map_process_here(struct fil_map *map, const struct fil_map_key *key,
                                              const struct fil_map_process *process,
                                              struct fil_map_buffer *out_result,
                                              bool *out_has_result) FIL_NODISCARD;

/** The result for a key, borrowed for the call; error is the processor's. */
typedef void (*fil_map_processed_fn)(void *context, struct fil_bytes key, int error,
                                     bool has_result, struct fil_bytes result);

/** On all entries: locks are not looked at, as Hazelcast does. */
struct fil_map_process_walk {
    struct fil_map_walk walk;
    struct fil_map_process process;
    fil_map_processed_fn processed; // NULL: nobody wants the results
    fil_map_test_fn is_meant;       // NULL: all entries are
    void *context;                  // of both
};

/** Prepares a walk; start walk.walk with fil_map_walk_start. Its count says how many entries. */
void fil_map_walk_process(struct fil_map_process_walk *walk, struct fil_map *map);
