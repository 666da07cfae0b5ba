// SPDX-License-Identifier: Apache-2.0
// Streams of a job file besides its pipeline, and the stages that bring two together.
#include <string.h>

#include "core/pipeline/job_file_internal.h"

static void read_stream(struct fil_job_reader *reader, const char *name, const yaml_node_t *node)
{
    if (reader->stream_count == FIL_JOB_STREAMS_MAX) {
        fil_job_reader__blame(reader, node, "more than %u streams", FIL_JOB_STREAMS_MAX);
        return;
    }
    for (uint32_t i = 0; i < reader->stream_count; i++) {
        if (strcmp(reader->streams[i].name, name) == 0) {
            fil_job_reader__blame(reader, node, "stream '%s' is there twice", name);
            return;
        }
    }
    reader->stage = NULL;
    reader->stream_name = name;
    reader->has_grouped = false;
    fil_job_reader__stages(reader, node);
    if (!reader->has_failed && reader->stage == NULL) {
        fil_job_reader__blame(reader, node, "stream '%s' has no stages", name);
    }
    reader->streams[reader->stream_count] =
        (struct fil_job_stream){.name = name, .node = node, .stage = reader->stage};
    reader->stream_count++;
}

void fil_job_reader__streams(struct fil_job_reader *reader, const yaml_node_t *streams)
{
    const char *name = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, streams, &position, &name, &value)) {
        read_stream(reader, name, value);
    }
    reader->stage = NULL;
    reader->stream_name = NULL;
    reader->has_grouped = false;
}

struct fil_stage *fil_job_reader__stream(struct fil_job_reader *reader, const yaml_node_t *node,
                                         const char *name)
{
    for (uint32_t i = 0; name != NULL && i < reader->stream_count; i++) {
        if (strcmp(reader->streams[i].name, name) == 0) {
            reader->streams[i].is_used = true;
            return reader->streams[i].stage;
        }
    }
    if (name != NULL) {
        fil_job_reader__blame(reader, node, "there is no stream '%s' in 'streams' before this",
                              name);
    }
    return NULL;
}

void fil_job_reader__check_streams(struct fil_job_reader *reader)
{
    for (uint32_t i = 0; i < reader->stream_count; i++) {
        if (!reader->streams[i].is_used) {
            fil_job_reader__blame(reader, reader->streams[i].node, "nothing uses stream '%s'",
                                  reader->streams[i].name);
        }
    }
}

struct join {
    const yaml_node_t *with;
    const char *by;
    const char *to;
    bool is_inner;
};

static void read_join_option(struct fil_job_reader *reader, struct join *join, const char *key,
                             const yaml_node_t *value)
{
    if (strcmp(key, "with") == 0) {
        join->with = value;
    } else if (strcmp(key, "by") == 0) {
        join->by = fil_job_reader__text(reader, value, "the key");
    } else if (strcmp(key, "to") == 0) {
        join->to = fil_job_reader__text(reader, value, "the key");
    } else if (strcmp(key, "keep") == 0) {
        join->is_inner = fil_job_reader__keep(reader, value);
    } else {
        fil_job_reader__blame(reader, value, "a join has no '%s'", key);
    }
}

void fil_job_reader__join(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct join join = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_join_option(reader, &join, key, value);
    }
    if (!reader->has_failed && (join.with == NULL || join.by == NULL)) {
        fil_job_reader__blame(reader, node, "a join is with a stream, by a field");
    }
    if (reader->has_failed) {
        return;
    }
    const char *to = join.to == NULL ? join.by : join.to;
    struct fil_stage *partners = fil_job_reader__stream(
        reader, join.with, fil_job_reader__text(reader, join.with, "a stream"));
    struct fil_job_extension *extension =
        partners == NULL ? NULL
                         : fil_job_reader__extend(reader, node, fil_stage_type(partners), to);
    if (extension == NULL) {
        return;
    }
    extension->is_inner = join.is_inner;
    const struct fil_join options = {.key = join.by,
                                     .partner_key = to,
                                     .type = extension->type,
                                     .join = fil_job_extension__join,
                                     .context = extension};
    reader->stage = fil_stage_join(reader->stage, partners, &options);
}

void fil_job_reader__merge(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_stage *other =
        fil_job_reader__stream(reader, node, fil_job_reader__text(reader, node, "a stream"));
    if (other != NULL) {
        reader->stage = fil_stage_merge(reader->stage, other);
    }
}
