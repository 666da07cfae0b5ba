// SPDX-License-Identifier: Apache-2.0
// The stages of a job file that group: aggregates and windows.
#include <string.h>

#include "core/pipeline/job_file_internal.h"

/** sum(field), count and their kin. */
static bool read_aggregate(struct fil_job_reader *reader, const yaml_node_t *node,
                           struct fil_aggregation *out_aggregation)
{
    static const struct {
        const char *name;
        enum fil_aggregation_kind kind;
    } kinds[] = {{"count", FIL_AGGREGATION_COUNT},
                 {"sum", FIL_AGGREGATION_SUM},
                 {"average", FIL_AGGREGATION_AVERAGE},
                 {"min", FIL_AGGREGATION_MIN},
                 {"max", FIL_AGGREGATION_MAX}};
    const char *text = fil_job_reader__text(reader, node, "an aggregate");
    size_t length = text == NULL ? 0 : strcspn(text, "(");
    for (uint32_t i = 0; text != NULL && i < FIL_COUNT_OF(kinds); i++) {
        if (strlen(kinds[i].name) != length || memcmp(kinds[i].name, text, length) != 0) {
            continue;
        }
        out_aggregation->kind = kinds[i].kind;
        size_t rest = strlen(text) - length;
        bool is_called = rest >= 2 && text[length + rest - 1] == ')';
        if (is_called && rest > 2) {
            out_aggregation->field =
                fil_arena_text(&reader->file->arena, fil_bytes_make(text + length + 1, rest - 2));
        }
        bool has_field = out_aggregation->field != NULL;
        if ((rest == 0 || is_called) && has_field != (kinds[i].kind == FIL_AGGREGATION_COUNT)) {
            return true;
        }
    }
    if (text != NULL) {
        fil_job_reader__blame(reader, node,
                              "'%s' is no aggregate: it is count, sum(FIELD), average(FIELD), "
                              "min(FIELD) or max(FIELD)",
                              text);
    }
    return false;
}

/** Options of windows that are durations; false when it is none of these. */
static bool read_window_option(struct fil_job_reader *reader, struct fil_group_by *group,
                               const char *key, const yaml_node_t *value)
{
    const struct {
        const char *name;
        int64_t *out;
    } durations[] = {{"size", &group->size},
                     {"slide", &group->slide},
                     {"gap", &group->gap},
                     {"early", &group->early},
                     {"lateness", &group->lateness}};
    for (uint32_t i = 0; i < FIL_COUNT_OF(durations); i++) {
        if (strcmp(durations[i].name, key) == 0) {
            (void)fil_job_reader__duration(reader, value, durations[i].out);
            return true;
        }
    }
    bool is_clock = strcmp(key, "early_clock") == 0;
    if (is_clock) {
        (void)fil_job_reader__clock_ms(reader, value, &group->early_ms);
    }
    return is_clock || strcmp(key, "late") == 0;
}

static void read_group_option(struct fil_job_reader *reader, struct fil_group_by *group,
                              const char *key, const yaml_node_t *value, bool is_window)
{
    if (strcmp(key, "by") == 0) {
        group->key = fil_job_reader__text(reader, value, "the key");
    } else if (!is_window || !read_window_option(reader, group, key, value)) {
        uint32_t count = 0;
        while (count < FIL_AGGREGATIONS_MAX &&
               group->aggregates[count].kind != FIL_AGGREGATION_NONE) {
            count++;
        }
        if (count == FIL_AGGREGATIONS_MAX) {
            fil_job_reader__blame(reader, value, "more than %d aggregates", FIL_AGGREGATIONS_MAX);
        } else if (read_aggregate(reader, value, &group->aggregates[count])) {
            group->aggregates[count].name = key;
        }
    }
}

/** Late records go to a sink of their own; the pipeline goes on with the window. */
static void add_late_sink(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_stage *window = reader->stage;
    reader->stage = fil_stage_late(window);
    if (reader->stage != NULL) {
        reader->is_late = true;
        fil_job_reader__sink(reader, node);
        reader->is_late = false;
    }
    reader->stage = window;
    reader->is_written = false;
}

void fil_job_reader__group(struct fil_job_reader *reader, const yaml_node_t *node, bool is_window)
{
    const yaml_node_t *late = NULL;
    struct fil_group_by group = {0};
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        read_group_option(reader, &group, key, value, is_window);
        late = is_window && strcmp(key, "late") == 0 ? value : late;
    }
    if (!reader->has_failed) {
        reader->stage = is_window ? fil_stage_window(reader->stage, &group)
                                  : fil_stage_aggregate(reader->stage, &group);
    }
    if (!reader->has_failed && reader->stage != NULL && late != NULL) {
        add_late_sink(reader, late);
    }
}
