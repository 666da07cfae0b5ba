// SPDX-License-Identifier: Apache-2.0
/**
 * Stream jobs as pipelines: read records, change, group and join them, write results.
 *
 * Records are structs of the program. Their fields are declared once, as a type; stages name them,
 * and everything that does not fit is found when the pipeline is checked, before anything runs. A
 * stage function returns the new stage, or NULL after a mistake; NULL goes through all others, so
 * only fil_pipeline_check must be looked at: it keeps the first mistake, with the stage's name.
 *
 * Memory:  a pipeline copies options, paths and stages' names. Types, names of fields, contexts and
 *          the records of a list are borrowed until it is gone. Jobs keep the pipeline they run.
 * Threads: one builds a pipeline. Functions of stages run on the engine's threads, those of
 *          different instances of a stage at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What packages of jobs find in the program that loads them: filbert/package.h. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum fil_field_kind {
    FIL_FIELD_I64,
    FIL_FIELD_F64,
    FIL_FIELD_TIME, /* int64_t, in the unit of the program; the first one is the event time */
    FIL_FIELD_TEXT  /* char[n], with zeros behind the text */
};

struct fil_field {
    const char *name;
    enum fil_field_kind kind;
    uint32_t offset;
    uint32_t size;
};

/** What a record has. */
struct fil_type {
    const char *name;
    uint32_t size;
    const struct fil_field *fields;
    uint32_t field_count;
};

/* clang-format off */
#define FIL_FIELD(kind, record, member) \
    {#member, FIL_FIELD_##kind, (uint32_t)offsetof(record, member), (uint32_t)sizeof(((record *)0)->member)}
#define FIL_I64(record, member)  FIL_FIELD(I64, record, member)
#define FIL_F64(record, member)  FIL_FIELD(F64, record, member)
#define FIL_TIME(record, member) FIL_FIELD(TIME, record, member)
#define FIL_TEXT(record, member) FIL_FIELD(TEXT, record, member)
#define FIL_TYPE(record, fields) \
    {#record, (uint32_t)sizeof(record), (fields), (uint32_t)(sizeof(fields) / sizeof((fields)[0]))}
/* clang-format on */

struct fil_pipeline;
struct fil_stage;

/** NULL: no memory. */
struct fil_pipeline *fil_pipeline_new(const char *name);

/** Jobs that run keep their pipeline alive. NULL is fine. */
void fil_pipeline_free(struct fil_pipeline *pipeline);

/** FIL_OK, or the first mistake. */
int fil_pipeline_check(struct fil_pipeline *pipeline);

/** The first mistake in words, with the stage that it is about; "" when there is none. */
const char *fil_pipeline_text(const struct fil_pipeline *pipeline);

/** Gives a stage another name than its kind and number; names what failed and what is slow. */
struct fil_stage *fil_stage_name(struct fil_stage *stage, const char *name);

/** How many instances a stage has; 0: as many as the engine has workers. */
struct fil_stage *fil_stage_parallelism(struct fil_stage *stage, uint32_t count);

/** What its records have. */
const struct fil_type *fil_stage_type(const struct fil_stage *stage);

/* Sources. */

/** Event time of a source: how late records may be, and how often watermarks go out. */
struct fil_read_options {
    int64_t lag;
    int64_t frame;          /* 0: 1000 units of the time field */
    uint64_t count;         /* generator: records; 0: without end */
    uint64_t rate_a_second; /* generator; 0: as fast as they are taken */
};

struct fil_stage *fil_read_list(struct fil_pipeline *pipeline, const struct fil_type *type,
                                const void *records, uint64_t count);

/** Writes record number `sequence`. */
typedef void (*fil_write_record_fn)(void *context, uint64_t sequence, void *out_record);

struct fil_stage *fil_read_generator(struct fil_pipeline *pipeline, const struct fil_type *type,
                                     fil_write_record_fn write, void *context,
                                     const struct fil_read_options *options);

/**
 * Lines of a file: fields in the type's order, between commas. Empty lines are skipped. A path like
 * FOLDER/(star).csv, with an asterisk for the word in brackets, is all files that the folder has
 * with such an ending when the job starts; then there are watermarks only in the end.
 */
struct fil_stage *fil_read_csv(struct fil_pipeline *pipeline, const struct fil_type *type,
                               const char *path, const struct fil_read_options *options);

/** The same of lines of JSON: an object each, with members of the fields' names. */
struct fil_stage *fil_read_json(struct fil_pipeline *pipeline, const struct fil_type *type,
                                const char *path, const struct fil_read_options *options);

/** The same of lines as they are: the type is one text field, for which none may be too long. */
struct fil_stage *fil_read_lines(struct fil_pipeline *pipeline, const struct fil_type *type,
                                 const char *path, const struct fil_read_options *options);

/**
 * Lines that come from a TCP server, an address such as 127.0.0.1:9000, until it closes. Nothing
 * can be read again: after a failure, what is in no snapshot is lost.
 */
struct fil_stage *fil_read_socket(struct fil_pipeline *pipeline, const struct fil_type *type,
                                  const char *address, bool is_json,
                                  const struct fil_read_options *options);

/** A record of a timer: fields "time" and "number". */
struct fil_timer_options {
    uint64_t interval_ns;
    uint64_t ns_a_unit; /* of the time of day; 0: milliseconds */
    uint64_t count;     /* 0: without end */
};

struct fil_stage *fil_read_timer(struct fil_pipeline *pipeline,
                                 const struct fil_timer_options *options);

/*
 * Structures of a member, for jobs that run in one. An entry of a map is the key, a field of the
 * record that is a text or whole number, and the other fields as its value; an item of another
 * structure is all fields. One text field is that text, anything else a line of fields between
 * commas.
 */

struct fil_read_grid {
    const char *name; /* of the structure */
    const char *key;  /* field; NULL: the first one. Not for ring buffers */
    bool is_from_now; /* journal, ring buffer: not from the oldest that is there */
    bool is_lossy;    /* journal, ring buffer: goes on when something was overwritten unread */
    int64_t lag;
    int64_t frame; /* 0: 1000 units of the time field */
};

/** All entries; ends with them. */
struct fil_stage *fil_read_map(struct fil_pipeline *pipeline, const struct fil_type *type,
                               const struct fil_read_grid *options);

/** Entries that are put, from the map's journal; does not end. */
struct fil_stage *fil_read_journal(struct fil_pipeline *pipeline, const struct fil_type *type,
                                   const struct fil_read_grid *options);

/** Items that are added; does not end. */
struct fil_stage *fil_read_ringbuffer(struct fil_pipeline *pipeline, const struct fil_type *type,
                                      const struct fil_read_grid *options);

/* Stages. */

typedef void (*fil_stage_map_fn)(void *context, const void *record, void *out_record);
typedef bool (*fil_stage_filter_fn)(void *context, const void *record);
/** Writes output number `index` of a record; false when there are no more. */
typedef bool (*fil_stage_flat_map_fn)(void *context, const void *record, uint32_t index,
                                      void *out_record);
/** Sees and changes the state of the record's key, zeros at first; false: no output. */
typedef bool (*fil_stage_state_map_fn)(void *context, void *state, const void *record, int64_t time,
                                       void *out_record);
/** `partner` is NULL when there is none; false: no output. */
typedef bool (*fil_stage_join_fn)(void *context, const void *record, const void *partner,
                                  void *out_record);

struct fil_stage *fil_stage_map(struct fil_stage *input, const struct fil_type *type,
                                fil_stage_map_fn map, void *context);
struct fil_stage *fil_stage_filter(struct fil_stage *input, fil_stage_filter_fn keep,
                                   void *context);
struct fil_stage *fil_stage_flat_map(struct fil_stage *input, const struct fil_type *type,
                                     fil_stage_flat_map_fn next, void *context);

struct fil_state_map {
    const char *key; /* field; NULL: one state for everything */
    uint32_t state_size;
    const struct fil_type *type; /* of the output */
    fil_stage_state_map_fn map;
    void *context;
};

struct fil_stage *fil_stage_state_map(struct fil_stage *input, const struct fil_state_map *options);

struct fil_join {
    const char *key;         /* field of the stream */
    const char *partner_key; /* field of the partners, of the same kind and size */
    const struct fil_type *type;
    fil_stage_join_fn join;
    void *context;
};

/** All partners are read before the first record of the stream. */
struct fil_stage *fil_stage_join(struct fil_stage *input, struct fil_stage *partners,
                                 const struct fil_join *options);

struct fil_lookup {
    const char *map;
    const char *key;                /* field of the stream */
    const struct fil_type *partner; /* the fields of the map's values */
    const struct fil_type *type;    /* of the output */
    fil_stage_join_fn join;
    void *context;
    uint32_t concurrency; /* lookups of an instance under way, up to 64; 0: 64, 1: one by one */
    bool is_unordered;    /* as they come back, not in the order of the records */
};

/** With the map's value of the record's key, as it is now; the order stays. */
struct fil_stage *fil_stage_lookup(struct fil_stage *input, const struct fil_lookup *options);

/** The records of both, which are of the same type. */
struct fil_stage *fil_stage_merge(struct fil_stage *input, struct fil_stage *other);

enum fil_aggregation_kind {
    FIL_AGGREGATION_NONE,
    FIL_AGGREGATION_COUNT,
    FIL_AGGREGATION_SUM,
    FIL_AGGREGATION_AVERAGE,
    FIL_AGGREGATION_MIN,
    FIL_AGGREGATION_MAX,
    FIL_AGGREGATION_MIN_BY,     /* the field of the record that has the least of another field */
    FIL_AGGREGATION_MAX_BY,     /* ... the greatest */
    FIL_AGGREGATION_TREND,      /* slope of the field over another one, by least squares */
    FIL_AGGREGATION_DISTINCT,   /* how many different values, within about 3 % */
    FIL_AGGREGATION_PERCENTILE, /* of whole numbers, within about 3 % */
    FIL_AGGREGATION_CUSTOM,     /* what functions of the program make of the whole record */
    FIL_AGGREGATION_LIST,       /* the values, as a text of JSON; see docs/streams.md */
    FIL_AGGREGATION_MAP         /* the last value for each value of another field, likewise */
};

/**
 * An aggregate that the program brings. A state is zeros before its first record; states without
 * records are never combined, deducted or told.
 */
struct fil_custom_aggregate {
    uint32_t state_size;
    enum fil_field_kind result; /* FIL_FIELD_I64, FIL_FIELD_F64 or FIL_FIELD_TIME: 8 bytes */
    void (*accumulate)(void *context, void *state, const void *record);
    void (*combine)(void *context, void *into, const void *from);
    /** The opposite of combine; NULL: there is none, sliding windows combine their parts anew. */
    void (*deduct)(void *context, void *from, const void *part);
    void (*export_result)(void *context, const void *state, void *out_result);
    void *context;
};

struct fil_aggregation {
    const char *name; /* of the result's field; NULL: that of the kind */
    enum fil_aggregation_kind kind;
    uint32_t limit;    /* of values of a list, of keys of a map; what is beyond is counted */
    const char *field; /* that it is taken of; not for count */
    const char *by;    /* the other field of min by, max by and trend; the keys of a map */
    double rank;       /* percentile: 0 to 100 */
    const struct fil_custom_aggregate *custom;
};

#define FIL_AGGREGATIONS_MAX 16

/**
 * Groups by key and, for windows, by event time. Fields of a result: "start" and "end" for windows,
 * the key, then the aggregates; behind a list or map, its name with "_more" has how many records
 * are not told in it. Windows with early results also tell what they have so far, as often as they
 * are asked to; the last field, "early", is 1 for these and 0 for the last result, of which there
 * is one.
 */
struct fil_group_by {
    const char *key; /* field; NULL: all records together */
    struct fil_aggregation aggregates[FIL_AGGREGATIONS_MAX];
    int64_t size;      /* windows: length, a multiple of the slide */
    int64_t slide;     /* 0: as long as the size: tumbling */
    int64_t gap;       /* sessions: silence after which one ends */
    int64_t early;     /* windows: event time between early results; 0: none */
    uint32_t early_ms; /* windows: the same by the clock */
    int64_t
        lateness;   /* windows: event time that they stay open longer, for records that are late */
    bool is_folded; /* by key: instances fold their own records first; see docs/streams.md */
};

/** Over all of the input, when it has ended. */
struct fil_stage *fil_stage_aggregate(struct fil_stage *input, const struct fil_group_by *options);

/** Tumbling, sliding or, with a gap, session windows. */
struct fil_stage *fil_stage_window(struct fil_stage *input, const struct fil_group_by *options);

/**
 * With each record, what its key has so far: the record's time when it has one, the key, then the
 * aggregates. Keys are kept for as long as the job runs.
 */
struct fil_stage *fil_stage_rolling(struct fil_stage *input, const struct fil_group_by *options);

/** One of several inputs that are grouped together, and what is taken of its records. */
struct fil_co_input {
    struct fil_stage *stage;
    const char *key; /* field, of the same kind for all inputs; NULL, for all: one group */
    struct fil_aggregation aggregates[FIL_AGGREGATIONS_MAX];
};

#define FIL_CO_INPUTS_MAX 8

/**
 * Two and more inputs by key and, with a size or gap, by event time. Fields of a result are as
 * those of fil_group_by, the key under its name of the first input, then the aggregates of all
 * inputs. Of a key, or window, that an input has no records of, its aggregates are 0. `when` is
 * about the time alone.
 */
struct fil_co_group {
    struct fil_co_input inputs[FIL_CO_INPUTS_MAX];
    struct fil_group_by when;
};

struct fil_stage *fil_stage_co_group(const struct fil_co_group *options);

/** A field of an order. */
struct fil_order_by {
    const char *field;
    bool is_descending;
};

#define FIL_ORDER_BY_MAX 4

/**
 * All records in order, when the input has ended. Maps, filters and flat maps behind it have one
 * instance, unless they are told otherwise, so that the order stays.
 */
struct fil_stage *fil_stage_sort(struct fil_stage *input, const struct fil_order_by *by,
                                 uint32_t count);

struct fil_top {
    uint32_t count;                           /* of records; all of them in up to 32 KiB */
    struct fil_order_by by[FIL_ORDER_BY_MAX]; /* the greatest first: is_descending */
    const char *key;                          /* the first ones of each key; NULL: of all */
    int64_t size;     /* in tumbling windows of this length; 0: over all of the input */
    int64_t lateness; /* as that of fil_group_by */
};

/** The first records of an order, as they are, when input or window have ended. */
struct fil_stage *fil_stage_top(struct fil_stage *input, const struct fil_top *options);

/** A call of fil_stage_async that is under way. */
struct fil_async;

/**
 * Begins a call and returns; it does not wait. `record` and `out_record` stay where they are until
 * the call is over.
 */
typedef void (*fil_async_fn)(void *context, struct fil_async *call, const void *record,
                             void *out_record);

/**
 * A call is over, once, on any thread: FIL_OK when its output is written, FIL_E_NOT_FOUND when
 * there is none; anything else fails the job.
 */
void fil_async_end(struct fil_async *call, int result);

#define FIL_ASYNC_MAX 4096

struct fil_async_call {
    const struct fil_type *type; /* of the output */
    fil_async_fn begin;
    void *context;
    uint32_t concurrency; /* calls of an instance under way, up to FIL_ASYNC_MAX; 0: 64 */
    bool is_unordered;    /* output as calls end, not in the order of the records */
};

/**
 * Asks a function that answers later. Watermarks, snapshots and the end wait for all calls in front
 * of them; a job that is cancelled waits for those under way.
 */
struct fil_stage *fil_stage_async(struct fil_stage *input, const struct fil_async_call *options);

/** Servers that a job asks over HTTP, and how it asks. */
struct fil_http_service {
    const char *servers;  /* "10.0.0.1:80, 10.0.0.2:80"; behind "http2 " they speak that */
    const char *method;   /* GET, POST, PUT, PATCH or DELETE; NULL: POST */
    const char *path;     /* "/prices/{symbol}?day={day}", with fields of the record in braces */
    uint32_t concurrency; /* requests of an instance under way, up to 256; 0: 16 */
    uint32_t timeout_ms;  /* of a request; 0: 10 s */
    uint32_t tries;       /* of a request, with pauses from 100 ms to 5 s between them; 0: 3 */
    bool may_repeat;      /* also POST and PATCH that a server may have begun with */
};

struct fil_service_call {
    struct fil_http_service service;
    const struct fil_type *partner; /* the members of the answer, a JSON object */
    const struct fil_type *type;    /* of the output */
    fil_stage_join_fn join;         /* the partner is NULL for 204 and 404 */
    void *context;
    bool is_unordered; /* as answers come, not in the order of the records */
};

/**
 * Asks another service with each record, which POST, PUT and PATCH send as a JSON object. Servers
 * are chosen, tried again and left out as behind routes, see docs/services.md; when no try has
 * helped the job fails. Watermarks, snapshots and the end wait for all requests in front of them: a
 * request is made at least once. For jobs in a member, and for filbert job run.
 */
struct fil_stage *fil_stage_call(struct fil_stage *input, const struct fil_service_call *options);

/** The first record of each key, a field. Keys are kept for as long as the job runs. */
struct fil_stage *fil_stage_distinct(struct fil_stage *input, const char *key);

/**
 * The records that came too late for a window, as they came in front of it. Without this they are
 * counted and dropped.
 */
struct fil_stage *fil_stage_late(struct fil_stage *window);

/* Sinks. */

/** FIL_OK; FIL_E_AGAIN: the same record later; anything else fails the job. */
typedef int (*fil_take_record_fn)(void *context, const void *record);

/** Called by one thread at a time. */
void fil_write_function(struct fil_stage *input, fil_take_record_fn take, void *context);

/**
 * A line of fields between commas for each record: to the member's log, as the event job_record, or
 * to the function `log` of a program's engine, see filbert/stream.h.
 */
void fil_write_log(struct fil_stage *input);

/** What becomes of an entry. */
enum fil_map_write {
    FIL_MAP_WRITE_PUT,
    FIL_MAP_WRITE_IF_ABSENT,
    FIL_MAP_WRITE_REMOVE,
    FIL_MAP_WRITE_ADD,   /* numbers are added to those that are there */
    FIL_MAP_WRITE_UPDATE /* by a function: fil_write_map_update */
};

/** By key, a field; NULL: the first one. Put again after a failure, an entry is the same. */
void fil_write_map(struct fil_stage *input, const char *name, const char *key,
                   enum fil_map_write how);

/**
 * Makes of an entry, NULL when there is none, and of the record what the entry becomes: changes the
 * record, except for its key; false: the entry is removed. It runs where the entry is, while nobody
 * else uses it: it must be short and must not wait.
 */
typedef bool (*fil_map_update_fn)(void *context, const void *old, void *record);

struct fil_map_update {
    const char *name;
    const char *key; /* field; NULL: the first one */
    fil_map_update_fn update;
    void *context;
};

/** Updates entries; after a failure some records may be told to the function again. */
void fil_write_map_update(struct fil_stage *input, const struct fil_map_update *options);
void fil_write_queue(struct fil_stage *input, const char *name);
void fil_write_list(struct fil_stage *input, const char *name);
void fil_write_topic(struct fil_stage *input, const char *name);
void fil_write_ringbuffer(struct fil_stage *input, const char *name);

/** Files FOLDER/NAME-INSTANCE-EPOCH with fields between commas; see docs/streams.md. */
void fil_write_csv(struct fil_stage *input, const char *folder, const char *name);

struct fil_write_files {
    const char *folder;
    const char *name;
    bool is_json;          /* an object a line, not fields between commas */
    uint64_t rotate_bytes; /* a file of so many is finished, and another begun; 0: never */
    uint32_t rotate_ms;    /* the same after so long */
};

/** The same with more to say; a second file of an epoch is FOLDER/NAME-INSTANCE-EPOCH-1. */
void fil_write_files(struct fil_stage *input, const struct fil_write_files *options);

struct fil_write_http {
    struct fil_http_service service; /* concurrency 1: in the order of the records */
    uint32_t batch;                  /* records of a request at most, up to 1000; 0: 1 */
};

/**
 * Sends records to a service: one as a JSON object, several of a batch as lines of JSON, those that
 * are there. Any answer of 2xx will do. At least once, as fil_stage_call.
 */
void fil_write_http(struct fil_stage *input, const struct fil_write_http *options);

/**
 * For tests: these records must come, in their order or in any; the job fails with FIL_E_UNEXPECTED
 * when another one comes, or one is missing in the end.
 */
void fil_write_expected(struct fil_stage *input, const void *records, uint64_t count,
                        bool is_ordered);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
