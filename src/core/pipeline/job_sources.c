// SPDX-License-Identifier: Apache-2.0
// The sources of a job file that are not structures of the member.
#include <string.h>

#include "core/pipeline/job_file_internal.h"
#include "core/pipeline/pipeline_internal.h"

#define NS_A_MS UINT64_C(1000000)

/** What may stand in a source. */
struct source {
    const yaml_node_t *csv;
    const yaml_node_t *json;
    const yaml_node_t *lines;
    const yaml_node_t *socket;
    const yaml_node_t *timer;
    const yaml_node_t *generate;
    const yaml_node_t *fields;
    const yaml_node_t *type;
    bool is_json; // lines of a socket
    struct fil_read_options options;
};

static void read_option(struct fil_job_reader *reader, struct source *source, const char *key,
                        const yaml_node_t *value)
{
    static const char *const formats[] = {"csv", "json"};
    const struct {
        const char *name;
        const yaml_node_t **node;
    } nodes[] = {{"lines", &source->lines}, {"csv", &source->csv},
                 {"json", &source->json},   {"socket", &source->socket},
                 {"timer", &source->timer}, {"fields", &source->fields},
                 {"type", &source->type},   {"generate", &source->generate}};
    for (uint32_t i = 0; i < FIL_COUNT_OF(nodes); i++) {
        if (strcmp(nodes[i].name, key) == 0) {
            *nodes[i].node = value;
            return;
        }
    }
    if (strcmp(key, "format") == 0) {
        source->is_json = fil_job_reader__word(reader, value, formats, 2) == 1;
    } else if (strcmp(key, "count") == 0) {
        (void)fil_job_reader__count(reader, value, &source->options.count);
    } else if (strcmp(key, "rate") == 0) {
        (void)fil_job_reader__count(reader, value, &source->options.rate_a_second);
    } else if (strcmp(key, "lag") == 0) {
        (void)fil_job_reader__duration(reader, value, &source->options.lag);
    } else {
        fil_job_reader__blame(reader, value, "a source has no '%s'", key);
    }
}

static void add_lines(struct fil_job_reader *reader, const struct source *source)
{
    struct fil_pipeline *pipeline = reader->file->pipeline;
    const yaml_node_t *node = source->csv != NULL     ? source->csv
                              : source->json != NULL  ? source->json
                              : source->lines != NULL ? source->lines
                                                      : source->socket;
    const char *place = fil_job_reader__text(reader, node, "a path or address");
    const struct fil_type *type = fil_job_reader__type(reader, source->type);
    bool is_socket = node == source->socket;
    if (place != NULL && is_socket && reader->is_confined) {
        fil_job_reader__blame(reader, node,
                              "jobs of this member may not open connections: use "
                              "'filbert job run' for those that do");
    }
    if (place != NULL && !is_socket) {
        place = fil_job_reader__path(reader, node, place);
    }
    if (place == NULL || type == NULL || reader->has_failed) {
        return;
    }
    if (reader->test != NULL) {
        fil_job_reader__feed(reader, type, source->options.lag);
    } else if (is_socket) {
        reader->stage = fil_read_socket(pipeline, type, place, source->is_json, &source->options);
    } else {
        reader->stage =
            (node == source->csv    ? fil_read_csv
             : node == source->json ? fil_read_json
                                    : fil_read_lines)(pipeline, type, place, &source->options);
    }
}

static void add_timer(struct fil_job_reader *reader, const struct source *source)
{
    uint32_t interval_ms = 0;
    if (!fil_job_reader__clock_ms(reader, source->timer, &interval_ms)) {
        return;
    }
    const struct fil_timer_options options = {.interval_ns = interval_ms * NS_A_MS,
                                              .ns_a_unit = (uint64_t)reader->ns_a_unit,
                                              .count = source->options.count};
    if (reader->test != NULL) {
        fil_job_reader__feed(reader, &fil_timer__type, 0);
    } else {
        reader->stage = fil_read_timer(reader->file->pipeline, &options);
    }
}

static void add_generator(struct fil_job_reader *reader, struct source *source)
{
    if (fil_job_reader__count(reader, source->generate, &source->options.count)) {
        fil_job_reader__generator(reader, source->fields, &source->options);
    }
}

void fil_job_reader__source(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct source source = {0};
    if (fil_job_reader__grid_source(reader, node)) {
        return;
    }
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_option(reader, &source, key, value);
    }
    bool has_lines =
        source.csv != NULL || source.json != NULL || source.lines != NULL || source.socket != NULL;
    if (reader->has_failed) {
        return;
    }
    if (has_lines && source.type != NULL) {
        add_lines(reader, &source);
    } else if (source.generate != NULL && source.fields != NULL) {
        add_generator(reader, &source);
    } else if (source.timer != NULL) {
        add_timer(reader, &source);
    } else {
        fil_job_reader__blame(
            reader, node,
            "a source is csv, json, lines or socket with type, generate with fields, "
            "timer, or a map, journal or ringbuffer with type");
    }
}
