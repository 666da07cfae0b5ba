// SPDX-License-Identifier: Apache-2.0
/** A pipeline's inside: its stages as they were built, for the planner. */
#pragma once

#include <stdatomic.h>

#include "core/pipeline/connection.h"
#include "core/stream/aggregate.h"
#include "core/stream/dag.h"
#include "core/stream/early.h"
#include "core/stream/group.h"
#include "core/stream/sources.h"
#include "filbert/pipeline.h"
#include "filbert/stream.h"
#include "lib/base/arena.h"
#include "lib/os/address.h"

#define FIL_PIPELINE_STAGES_MAX 200U
#define FIL_PIPELINE_TEXT_MAX   256U
#define FIL_STAGE_INPUTS_MAX    8U

enum fil_stage_kind {
    FIL_STAGE_LIST,
    FIL_STAGE_GENERATOR,
    FIL_STAGE_CSV,
    FIL_STAGE_SOCKET,
    FIL_STAGE_TIMER,
    FIL_STAGE_MAP,
    FIL_STAGE_FILTER,
    FIL_STAGE_FLAT_MAP,
    FIL_STAGE_STATE_MAP,
    FIL_STAGE_JOIN,
    FIL_STAGE_MERGE,
    FIL_STAGE_AGGREGATE,
    FIL_STAGE_WINDOW,
    FIL_STAGE_SESSION,
    FIL_STAGE_LATE,
    FIL_STAGE_SORT,
    FIL_STAGE_ASYNC,
    FIL_STAGE_FUNCTION,
    FIL_STAGE_FILES,
    FIL_STAGE_EXPECTED,
    FIL_STAGE_LOG,
    FIL_STAGE_GRID_SOURCE,
    FIL_STAGE_LOOKUP,
    FIL_STAGE_CALL,
    FIL_STAGE_GRID_SINK,
};

struct fil_stage {
    struct fil_pipeline *pipeline;
    enum fil_stage_kind kind;
    uint32_t number;
    char name[FIL_DAG_NAME_MAX];
    uint32_t parallelism; // 0: the engine's
    const struct fil_type *type;
    struct fil_stage *inputs[FIL_STAGE_INPUTS_MAX]; // a join's partners come first
    uint32_t consumer_count;
    uint32_t batch_records; // of its edges; 0: as the engine likes

    // What its functions are; which one is used depends on the kind.
    union {
        fil_write_record_fn write;
        fil_stage_map_fn map;
        fil_stage_filter_fn keep;
        fil_stage_flat_map_fn next;
        fil_stage_state_map_fn state_map;
        fil_stage_join_fn join;
        fil_take_record_fn take;
        fil_async_fn begin;
        fil_stream_log_fn log; // the engine's
    } function;
    void *context;
    const void *records; // list
    struct fil_read_options read;
    const char *path; // file, or folder
    const char *file_name;
    bool is_json;  // lines of files and sockets
    bool is_plain; // a line is a text
    struct fil_address address;
    struct fil_timer_options timer;
    uint64_t rotate_bytes;
    uint32_t rotate_ms;
    bool is_ordered; // as expected
    uint32_t state_size;
    const struct fil_field *key; // NULL: none
    const struct fil_field *partner_key;
    struct fil_aggregate *aggregates;
    uint32_t aggregate_count;
    bool is_folded;          // in front of its exchange
    bool is_co_group;        // of several inputs, whose records have a tag
    struct fil_order *order; // of a sort
    uint32_t concurrency;    // of calls
    bool is_unordered;       // results as they come
    int64_t size;
    int64_t slide;
    int64_t gap;
    struct fil_early_config early;
    int64_t lateness;
    struct fil_stage *late;            // of a window: the stage of its late records, or NULL
    struct fil_connection *connection; // of stages of the grid
};

struct fil_pipeline {
    _Atomic uint32_t references;
    struct fil_arena arena;
    char name[FIL_DAG_NAME_MAX];
    struct fil_stage *stages[FIL_PIPELINE_STAGES_MAX];
    uint32_t stage_count;
    int error;
    char text[FIL_PIPELINE_TEXT_MAX];
};

/** A new stage behind up to two others; NULL after a mistake. */
struct fil_stage *fil_pipeline__add(struct fil_pipeline *pipeline, enum fil_stage_kind kind,
                                    struct fil_stage *input, struct fil_stage *other);

/** For the files of stages: see stages.c. */
struct fil_stage *fil_stage__take_type(struct fil_stage *stage, const struct fil_type *type);
struct fil_stage *fil_stage__add_behind(struct fil_stage *input, enum fil_stage_kind kind);
struct fil_stage *fil_stage__need_function(struct fil_stage *stage, bool has_function);
const char *fil_stage__copy_text(struct fil_stage *stage, const char *text);
bool fil_stage__find_key(struct fil_stage *stage, const struct fil_type *type, const char *name,
                         const struct fil_field **out_key);

/** The stage's connection to something of that name: grid_stages.c. False with a mistake. */
bool fil_stage__connect(struct fil_stage *stage, enum fil_connection_kind kind, const char *name);

/** One more input of a stage that has fewer than it may have. False with a mistake. */
bool fil_stage__attach(struct fil_stage *stage, struct fil_stage *input);

/** What the results of a stage that groups begin with. */
enum fil_result_head {
    FIL_RESULT_OF_ALL,    // nothing
    FIL_RESULT_OF_WINDOW, // start and end
    FIL_RESULT_OF_RECORD  // the record's time, when it has one
};

/** Key, aggregates and the type of a stage's results; NULL after a mistake. See grouping.c. */
struct fil_stage *fil_stage__group(struct fil_stage *stage, const struct fil_group_by *options,
                                   enum fil_result_head head);

/** A stage of windows or sessions whose aggregates are still to come; NULL after a mistake. */
struct fil_stage *fil_stage__open_window(struct fil_stage *input,
                                         const struct fil_group_by *options);

/** The results of a stage that groups: its type on the way, fields as the engine writes them. */
struct fil_group_result {
    struct fil_type *type;
    struct fil_field *fields;
    uint32_t count;
    uint32_t size;
};

/** Begins with the head and the stage's key. False with a mistake, as what follows. */
bool fil_group_result__open(struct fil_stage *stage, struct fil_group_result *result,
                            enum fil_result_head head);
void fil_group_result__add(struct fil_group_result *result, const char *name,
                           enum fil_field_kind kind, uint32_t size);
bool fil_group_result__add_aggregates(
    struct fil_stage *stage, struct fil_group_result *result, const struct fil_type *type,
    const struct fil_aggregation aggregates[FIL_AGGREGATIONS_MAX]);

/** Gives the stage its type; NULL after a mistake. */
struct fil_stage *fil_group_result__close(struct fil_stage *stage, struct fil_group_result *result);

/** The next aggregate of a stage, taken of records of the type, and its result: aggregations.c. */
bool fil_stage__add_aggregate(struct fil_stage *stage, struct fil_group_result *result,
                              const struct fil_type *type, const struct fil_aggregation *from);

/** All aggregates of a stage, which has some, as one. */
struct fil_aggregate fil_stage__aggregate(const struct fil_stage *stage);

/** Keeps the first mistake. */
void fil_pipeline__blame(struct fil_pipeline *pipeline, const struct fil_stage *stage, int error,
                         const char *format, ...) FIL_PRINTF(4, 5);

/** Memory of the pipeline; blames when there is none. */
void *fil_pipeline__alloc(struct fil_pipeline *pipeline, size_t count, size_t size);

const char *fil_stage__kind_name(enum fil_stage_kind kind);

/** Of a timer's records. */
extern const struct fil_type fil_timer__type;

/** A type's field, or NULL. */
const struct fil_field *fil_type__find(const struct fil_type *type, const char *name);

/** Whether records of both are the same, under the same names. */
bool fil_type__equals(const struct fil_type *a, const struct fil_type *b);

/** The field of the event time, or NULL. */
const struct fil_field *fil_type__time(const struct fil_type *type);
