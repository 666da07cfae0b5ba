// SPDX-License-Identifier: Apache-2.0
/** What the halves of the job file's reader, the document and its stages, share. */
#pragma once

#include <yaml.h>

#include "core/pipeline/job_case.h"

struct fil_job_reader {
    struct fil_job_file *file;
    struct fil_bytes text;
    fil_print_fn print;
    void *context;     // of it
    bool is_confined;  // to files below the folder
    const char *files; // the folder; NULL: no files
    yaml_document_t document;
    int64_t ns_a_unit;
    struct fil_stage *stage; // the last one
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

/** Sources, lookups and sinks of structures: job_grid_stages.c. False when it is none. */
bool fil_job_reader__grid_source(struct fil_job_reader *reader, const yaml_node_t *node);
void fil_job_reader__lookup(struct fil_job_reader *reader, const yaml_node_t *node);
bool fil_job_reader__grid_sink(struct fil_job_reader *reader, const yaml_node_t *node);

/** window, aggregate and rolling: job_group_stages.c. */
void fil_job_reader__group(struct fil_job_reader *reader, const char *kind,
                           const yaml_node_t *node);

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
