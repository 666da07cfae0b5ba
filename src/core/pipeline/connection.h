// SPDX-License-Identifier: Apache-2.0
/**
 * What a stage reads from or writes to outside of the engine: the structures of a member. The
 * planner knows what such a stage is about, the connector brings the processors that do it.
 *
 * An entry of a map is a record's key field, as text, and the other fields as a value; an item of
 * another structure is all fields. A value of one text field is that text, any other is a line of
 * fields between commas.
 */
#pragma once

#include <stdbool.h>

#include "core/stream/processor.h"
#include "core/stream/sources.h"
#include "filbert/pipeline.h"

enum fil_connection_kind {
    FIL_CONNECTION_READ_MAP,
    FIL_CONNECTION_READ_JOURNAL,
    FIL_CONNECTION_READ_RINGBUFFER,
    FIL_CONNECTION_LOOKUP,
    FIL_CONNECTION_WRITE_MAP,
    FIL_CONNECTION_WRITE_RINGBUFFER,
    FIL_CONNECTION_WRITE_QUEUE,
    FIL_CONNECTION_WRITE_LIST,
    FIL_CONNECTION_WRITE_TOPIC,
};

#define FIL_CONNECTION_KINDS 9U

/** Lookups of an instance under way, at most. */
#define FIL_CONNECTION_CALLS_MAX 64U

/** The configuration of such a processor; lives as long as the pipeline. */
struct fil_connection {
    enum fil_connection_kind kind;
    const char *name;            // of the structure
    const struct fil_field *key; // of the records; NULL for items
    struct fil_type value_type;  // the fields that are the value, at their places in the record
    uint32_t record_size;
    const struct fil_field *time_field; // of the event time; NULL: none
    struct fil_source_time time;
    bool is_from_now; // journal, ring buffer: not from the oldest that is there
    bool is_lossy;    // journal, ring buffer: goes on when something was overwritten unread
    enum fil_map_write mode;

    // Lookup: the partner is a record of the value's fields.
    fil_stage_join_fn join;
    void *join_context;
    uint32_t partner_size;
    uint32_t out_size;
    uint32_t concurrency; // lookups of an instance under way, up to FIL_CONNECTION_CALLS_MAX
    bool is_unordered;

    void *grid; // the connector's context
};

/** The processors of a member's structures, by kind; each takes a struct fil_connection. */
struct fil_connector {
    const struct fil_processor_ops *ops[FIL_CONNECTION_KINDS];
    void *context;
};

/** Processors that only have names: for graphs that nobody runs. */
extern const struct fil_connector fil_connector_none;
