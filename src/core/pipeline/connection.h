// SPDX-License-Identifier: Apache-2.0
/**
 * What a stage reads from or writes to outside of the engine: the structures of a member, and
 * services elsewhere. The planner knows what such a stage is about, the connector brings the
 * processors that do it.
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
    FIL_CONNECTION_CALL,
    FIL_CONNECTION_WRITE_HTTP,
};

#define FIL_CONNECTION_KINDS 11U

/** Lookups of an instance under way, at most. */
#define FIL_CONNECTION_CALLS_MAX 64U

/** Requests of an instance to services under way, at most. */
#define FIL_CONNECTION_REQUESTS_MAX 256U

/** Bytes of a request's body, at most, and of an answer's content. */
#define FIL_CONNECTION_BODY_MAX   ((size_t)1 << 20)
#define FIL_CONNECTION_ANSWER_MAX 16384U

#define FIL_CONNECTION_PATH_PARTS_MAX 33U

/** Of a path: text, then a field of the record. */
struct fil_path_part {
    const char *text;
    size_t text_size;
    const struct fil_field *field; // NULL: none
};

/** Requests to a service. */
struct fil_connection_request {
    const struct fil_type *record_type;
    const char *method;
    struct fil_path_part parts[FIL_CONNECTION_PATH_PARTS_MAX];
    uint32_t part_count;
    uint64_t timeout_ns;
    uint64_t
        pause_ns; // before the second try; doubled before each that follows, up to pause_ns_max
    uint64_t pause_ns_max;
    uint32_t tries;
    uint32_t batch; // records of one
    bool may_repeat;
    bool has_body;
};

/** The configuration of such a processor; lives as long as the pipeline. */
struct fil_connection {
    enum fil_connection_kind kind;
    const char *name;            // of the structure; servers
    const struct fil_field *key; // of the records; NULL for items
    struct fil_type value_type;  // the fields that are the value, at their places in the record
    uint32_t record_size;
    const struct fil_field *time_field; // of the event time; NULL: none
    struct fil_source_time time;
    bool is_from_now; // journal, ring buffer: not from the oldest that is there
    bool is_lossy;    // journal, ring buffer: goes on when something was overwritten unread
    enum fil_map_write mode;
    fil_map_update_fn update; // of FIL_MAP_WRITE_UPDATE
    void *update_context;

    // Lookup and call: the partner is a record of the value's fields.
    fil_stage_join_fn join;
    void *join_context;
    uint32_t partner_size;
    uint32_t out_size;
    uint32_t concurrency; // lookups or requests of an instance under way
    bool is_unordered;

    const struct fil_connection_request *request; // call, HTTP sink

    void *grid; // the connector's context
};

/** The processors of a member's structures, by kind; each takes a struct fil_connection. */
struct fil_connector {
    const struct fil_processor_ops *ops[FIL_CONNECTION_KINDS];
    void *context;
};

/** Processors that only have names: for graphs that nobody runs. */
extern const struct fil_connector fil_connector_none;
