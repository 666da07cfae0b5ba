// SPDX-License-Identifier: Apache-2.0
/** What the halves of the job file's reader, the document and its stages, share. */
#pragma once

#include <yaml.h>

#include "core/pipeline/job_case.h"

#define FIL_JOB_STREAMS_MAX 16U

/** Stages of a name, for joins, merges and co-groups of the pipeline. */
struct fil_job_stream {
    const char *name;
    const yaml_node_t *node;
    struct fil_stage *stage;
    bool is_used;
};

struct fil_job_reader {
    struct fil_job_file *file;
    struct fil_bytes text;
    fil_print_fn print;
    void *context;        // of it
    bool is_confined;     // to files below the folder
    const char *files;    // the folder; NULL: no files
    const char *services; // servers that may be asked, with commas between, or *; NULL: none
    yaml_document_t document;
    int64_t ns_a_unit;
    struct fil_stage *stage; // the last one; NULL: none yet
    struct fil_job_stream streams[FIL_JOB_STREAMS_MAX];
    uint32_t stream_count;
    const char *stream_name; // that is being read; NULL: the pipeline
    bool is_written;
    bool has_failed;

    // When the job is built for one of its tests.
    const yaml_node_t *test;
    struct fil_job_case *test_case;
    uint32_t test_number;
    bool is_late;     // the sink is one of late records
    bool has_grouped; // behind the first stage that groups
};

/** Keeps the first fault, at a node. */
void fil_job_reader__blame(struct fil_job_reader *reader, const yaml_node_t *node,
                           const char *format, ...) FIL_PRINTF(3, 4);

/** The text of a scalar, in the arena; NULL with a fault when it is none. */
const char *fil_job_reader__text(struct fil_job_reader *reader, const yaml_node_t *node,
                                 const char *what);

/** The path by which a file, or a folder, may be used: job_paths.c. NULL with a fault. */
const char *fil_job_reader__path(struct fil_job_reader *reader, const yaml_node_t *node,
                                 const char *path);

/** The next pair of a mapping; false at its end or after a fault. */
bool fil_job_reader__next(struct fil_job_reader *reader, const yaml_node_t *mapping,
                          uint32_t *position, const char **out_key, const yaml_node_t **out_value);

/** The value of a name of a mapping; NULL: it is not there. A second one is a fault. */
const yaml_node_t *fil_job_reader__find(struct fil_job_reader *reader, const yaml_node_t *mapping,
                                        const char *name);

/** 10s, 500ms, or a plain number of units. */
bool fil_job_reader__duration(struct fil_job_reader *reader, const yaml_node_t *node,
                              int64_t *out_units);
/** The same as milliseconds of the clock, one at least. */
bool fil_job_reader__clock_ms(struct fil_job_reader *reader, const yaml_node_t *node,
                              uint32_t *out_ms);
bool fil_job_reader__count(struct fil_job_reader *reader, const yaml_node_t *node,
                           uint64_t *out_count);

/** Memory of the file; a fault when there is none. */
void *fil_job_reader__alloc(struct fil_job_reader *reader, size_t count, size_t size);

/** {name: type ...} as a type. NULL with a fault. */
const struct fil_type *fil_job_reader__type(struct fil_job_reader *reader, const yaml_node_t *node);

/** A type that grows field by field, each at a multiple of 8. */
struct fil_job_draft {
    struct fil_type *type;
    struct fil_field *fields;
};

bool fil_job_draft__open(struct fil_job_reader *reader, struct fil_job_draft *draft);
bool fil_job_draft__add(struct fil_job_reader *reader, struct fil_job_draft *draft,
                        const yaml_node_t *node, const struct fil_field *field);

/** One of some words, its number; -1 with a fault. */
int fil_job_reader__word(struct fil_job_reader *reader, const yaml_node_t *node,
                         const char *const *words, int count);

/** The last stage's fields, then those of a partner: job_extension.c, as what follows. */
struct fil_job_extension {
    const struct fil_type *type;
    const struct fil_field **sources; // of its fields, in the record or in the partner
    uint32_t own_count;
    bool is_inner; // records without a partner go
};

/** One field of the partner may be left out. NULL with a fault. */
struct fil_job_extension *fil_job_reader__extend(struct fil_job_reader *reader,
                                                 const yaml_node_t *node,
                                                 const struct fil_type *partner,
                                                 const char *left_out);

/** A fil_stage_join_fn, whose context is an extension. */
bool fil_job_extension__join(void *context, const void *record, const void *partner,
                             void *out_record);

/** all or found: whether records without a partner go. */
bool fil_job_reader__keep(struct fil_job_reader *reader, const yaml_node_t *node);

/** What stands behind read: job_sources.c. */
void fil_job_reader__source(struct fil_job_reader *reader, const yaml_node_t *node);

/** Records that are made of their numbers by expressions: job_stages.c. */
void fil_job_reader__generator(struct fil_job_reader *reader, const yaml_node_t *fields,
                               const struct fil_read_options *options);

/** Sources, lookups and sinks of structures: job_grid_stages.c. False when it is none. */
bool fil_job_reader__grid_source(struct fil_job_reader *reader, const yaml_node_t *node);
void fil_job_reader__lookup(struct fil_job_reader *reader, const yaml_node_t *node);
bool fil_job_reader__grid_sink(struct fil_job_reader *reader, const yaml_node_t *node);

/** Calls of services and the sink over HTTP: job_http_stages.c. False when it is none. */
void fil_job_reader__call(struct fil_job_reader *reader, const yaml_node_t *node);
bool fil_job_reader__http_sink(struct fil_job_reader *reader, const yaml_node_t *node);

/** window, aggregate and rolling: job_group_stages.c. */
void fil_job_reader__group(struct fil_job_reader *reader, const char *kind,
                           const yaml_node_t *node);

/** cogroup, with other streams: job_group_stages.c. */
void fil_job_reader__co_group(struct fil_job_reader *reader, const yaml_node_t *node);

/** top and sort: job_order_stages.c. */
void fil_job_reader__top(struct fil_job_reader *reader, const yaml_node_t *node);
void fil_job_reader__sort(struct fil_job_reader *reader, const yaml_node_t *node);
void fil_job_reader__split(struct fil_job_reader *reader, const yaml_node_t *node);

/** The streams of a job besides its pipeline, in front of it: job_streams.c, as what follows. */
void fil_job_reader__streams(struct fil_job_reader *reader, const yaml_node_t *streams);

/** The last stage of a stream, which is used by that. NULL with a fault. */
struct fil_stage *fil_job_reader__stream(struct fil_job_reader *reader, const yaml_node_t *node,
                                         const char *name);
void fil_job_reader__check_streams(struct fil_job_reader *reader);

/** join and merge. */
void fil_job_reader__join(struct fil_job_reader *reader, const yaml_node_t *node);
void fil_job_reader__merge(struct fil_job_reader *reader, const yaml_node_t *node);

/** All entries of a list of stages: job_file.c. */
void fil_job_reader__stages(struct fil_job_reader *reader, const yaml_node_t *list);

/** What stands behind write, for the records of the last stage: job_sinks.c. */
void fil_job_reader__sink(struct fil_job_reader *reader, const yaml_node_t *node);

/** Checks the test that the job is built for: job_case.c, as what follows. */
void fil_job_reader__case(struct fil_job_reader *reader);

/** Whether the test brings the source's records. */
bool fil_job_reader__is_fed(struct fil_job_reader *reader);

/** Stand in for a source, a sink, a map that is looked up in. */
void fil_job_reader__feed(struct fil_job_reader *reader, const struct fil_type *type, int64_t lag);
void fil_job_reader__catch(struct fil_job_reader *reader);
void fil_job_reader__look_up_listed(struct fil_job_reader *reader, const yaml_node_t *node,
                                    const struct fil_lookup *options);

/** One entry of the pipeline. */
void fil_job_reader__stage(struct fil_job_reader *reader, const char *kind,
                           const yaml_node_t *value);
