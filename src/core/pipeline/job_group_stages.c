// SPDX-License-Identifier: Apache-2.0
// The stages of a job file that group: aggregates and windows.
#include <stdlib.h>
#include <string.h>

#include "core/pipeline/job_file_internal.h"

#define WORDS_MAX 2U

static const struct {
    const char *name;
    enum fil_aggregation_kind kind;
    uint32_t field_count;
    bool has_rank;
} kinds[] = {{"count", FIL_AGGREGATION_COUNT, 0, false},
             {"sum", FIL_AGGREGATION_SUM, 1, false},
             {"average", FIL_AGGREGATION_AVERAGE, 1, false},
             {"min", FIL_AGGREGATION_MIN, 1, false},
             {"max", FIL_AGGREGATION_MAX, 1, false},
             {"min_by", FIL_AGGREGATION_MIN_BY, 2, false},
             {"max_by", FIL_AGGREGATION_MAX_BY, 2, false},
             {"trend", FIL_AGGREGATION_TREND, 2, false},
             {"distinct", FIL_AGGREGATION_DISTINCT, 1, false},
             {"percentile", FIL_AGGREGATION_PERCENTILE, 1, true}};

/** What stands between the brackets of a call, cut at commas; false when it is no call. */
static bool read_words(struct fil_job_reader *reader, const char *text, const char **words,
                       uint32_t *out_count)
{
    size_t size = strlen(text);
    *out_count = 0;
    if (size == 0) {
        return true;
    }
    if (size < 2 || text[0] != '(' || text[size - 1] != ')') {
        return false;
    }
    struct fil_bytes rest = fil_bytes_make(text + 1, size - 2);
    while (rest.size != 0) {
        size_t end = fil_bytes_find(rest, ',');
        if (*out_count == WORDS_MAX) {
            return false;
        }
        words[*out_count] =
            fil_arena_text(&reader->file->arena, fil_bytes_trim(fil_bytes_make(rest.data, end)));
        (*out_count)++;
        size_t used = end < rest.size ? end + 1 : end;
        rest = fil_bytes_make((const uint8_t *)rest.data + used, rest.size - used);
    }
    return true;
}

static bool read_rank(const char *word, double *out_rank)
{
    char *end = NULL;
    *out_rank = word == NULL ? 0 : strtod(word, &end);
    return end != NULL && end != word && *end == '\0';
}

/** sum(field), count and their kin. */
static bool read_aggregate(struct fil_job_reader *reader, const yaml_node_t *node,
                           struct fil_aggregation *out_aggregation)
{
    const char *text = fil_job_reader__text(reader, node, "an aggregate");
    size_t length = text == NULL ? 0 : strcspn(text, "(");
    for (uint32_t i = 0; text != NULL && i < FIL_COUNT_OF(kinds); i++) {
        const char *words[WORDS_MAX] = {NULL};
        uint32_t count = 0;
        if (strlen(kinds[i].name) != length || memcmp(kinds[i].name, text, length) != 0 ||
            !read_words(reader, text + length, words, &count) ||
            count != kinds[i].field_count + kinds[i].has_rank) {
            continue;
        }
        *out_aggregation =
            (struct fil_aggregation){.kind = kinds[i].kind, .field = words[0], .by = words[1]};
        if (!kinds[i].has_rank || read_rank(words[1], &out_aggregation->rank)) {
            return true;
        }
    }
    if (text != NULL) {
        fil_job_reader__blame(reader, node,
                              "'%s' is no aggregate: it is count, sum(FIELD), average(FIELD), "
                              "min(FIELD), max(FIELD), min_by(FIELD, BY), max_by(FIELD, BY), "
                              "trend(FIELD, BY), distinct(FIELD) or percentile(FIELD, RANK)",
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
    } else if (strcmp(key, "fold") == 0) {
        const char *text = fil_job_reader__text(reader, value, "fold");
        group->is_folded = text != NULL && strcmp(text, "true") == 0;
        if (text != NULL && !group->is_folded && strcmp(text, "false") != 0) {
            fil_job_reader__blame(reader, value, "fold is true or false, not '%s'", text);
        }
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

void fil_job_reader__group(struct fil_job_reader *reader, const char *kind, const yaml_node_t *node)
{
    bool is_window = kind[0] == 'w';
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
        reader->stage = is_window        ? fil_stage_window(reader->stage, &group)
                        : kind[0] == 'r' ? fil_stage_rolling(reader->stage, &group)
                                         : fil_stage_aggregate(reader->stage, &group);
    }
    if (!reader->has_failed && reader->stage != NULL && late != NULL) {
        add_late_sink(reader, late);
    }
}

/** {STREAM: {by: FIELD, NAME: AGGREGATE...}...} */
static void read_others(struct fil_job_reader *reader, const yaml_node_t *node,
                        struct fil_co_group *options)
{
    const char *name = NULL;
    const yaml_node_t *others = NULL;
    uint32_t count = 1;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &name, &others)) {
        if (count == FIL_CO_INPUTS_MAX) {
            fil_job_reader__blame(reader, others, "more than %d inputs", FIL_CO_INPUTS_MAX);
            return;
        }
        struct fil_group_by group = {0};
        const char *key = NULL;
        const yaml_node_t *value = NULL;
        uint32_t inner = 0;
        while (fil_job_reader__next(reader, others, &inner, &key, &value)) {
            read_group_option(reader, &group, key, value, false);
        }
        options->inputs[count].stage =
            reader->has_failed ? NULL : fil_job_reader__stream(reader, others, name);
        options->inputs[count].key = group.key;
        memcpy(options->inputs[count].aggregates, group.aggregates, sizeof(group.aggregates));
        count++;
    }
}

/** The stage with all that was read of it. */
static void make_co_group(struct fil_job_reader *reader, const yaml_node_t *with,
                          const struct fil_group_by *group)
{
    struct fil_co_group *options = fil_job_reader__alloc(reader, 1, sizeof(*options));
    if (options == NULL) {
        return;
    }
    read_others(reader, with, options);
    options->inputs[0].stage = reader->stage;
    options->inputs[0].key = group->key;
    memcpy(options->inputs[0].aggregates, group->aggregates, sizeof(group->aggregates));
    options->when = *group;
    if (!reader->has_failed) {
        reader->stage = fil_stage_co_group(options);
    }
}

void fil_job_reader__co_group(struct fil_job_reader *reader, const yaml_node_t *node)
{
    struct fil_group_by group = {0};
    const yaml_node_t *with = NULL;
    const char *key = NULL;
    const yaml_node_t *value = NULL;
    uint32_t position = 0;
    while (fil_job_reader__next(reader, node, &position, &key, &value)) {
        if (strcmp(key, "with") == 0) {
            with = value;
        } else if (strcmp(key, "late") == 0) {
            fil_job_reader__blame(reader, value, "a cogroup has no 'late'");
        } else {
            read_group_option(reader, &group, key, value, true);
        }
    }
    if (!reader->has_failed && with == NULL) {
        fil_job_reader__blame(reader, node, "a cogroup is with at least one stream");
    }
    if (!reader->has_failed) {
        make_co_group(reader, with, &group);
    }
}
