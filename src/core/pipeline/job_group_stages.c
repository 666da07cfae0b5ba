// SPDX-License-Identifier: Apache-2.0
// The stages of a job file that group: aggregates and windows.
#include <stdlib.h>
#include <string.h>

#include "core/pipeline/job_file_internal.h"

#define WORDS_MAX 3U

/** What stands behind the fields. */
enum number {
    NO_NUMBER,
    RANK,
    LIMIT
};

static const struct {
    const char *name;
    enum fil_aggregation_kind kind;
    uint32_t field_count;
    enum number number;
} kinds[] = {{"count", FIL_AGGREGATION_COUNT, 0, NO_NUMBER},
             {"sum", FIL_AGGREGATION_SUM, 1, NO_NUMBER},
             {"average", FIL_AGGREGATION_AVERAGE, 1, NO_NUMBER},
             {"min", FIL_AGGREGATION_MIN, 1, NO_NUMBER},
             {"max", FIL_AGGREGATION_MAX, 1, NO_NUMBER},
             {"min_by", FIL_AGGREGATION_MIN_BY, 2, NO_NUMBER},
             {"max_by", FIL_AGGREGATION_MAX_BY, 2, NO_NUMBER},
             {"trend", FIL_AGGREGATION_TREND, 2, NO_NUMBER},
             {"distinct", FIL_AGGREGATION_DISTINCT, 1, NO_NUMBER},
             {"percentile", FIL_AGGREGATION_PERCENTILE, 1, RANK},
             {"list", FIL_AGGREGATION_LIST, 1, LIMIT},
             {"map", FIL_AGGREGATION_MAP, 2, LIMIT}};

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

static bool read_limit(const char *word, uint32_t *out_limit)
{
    int64_t limit = 0;
    bool is_good = word != NULL && fil_bytes_to_i64(fil_bytes_of(word), &limit) && limit >= 0 &&
                   limit <= UINT32_MAX;
    *out_limit = (uint32_t)limit;
    return is_good;
}

/** The fields of an aggregate, and what stands behind them; false when that is no number. */
static bool take_words(enum fil_aggregation_kind kind, enum number number,
                       const char *const words[WORDS_MAX], struct fil_aggregation *out_aggregation)
{
    bool is_map = kind == FIL_AGGREGATION_MAP; // its key comes first
    *out_aggregation = (struct fil_aggregation){
        .kind = kind, .field = words[is_map ? 1 : 0], .by = words[is_map ? 0 : 1]};
    if (number == RANK) {
        return read_rank(words[1], &out_aggregation->rank);
    }
    return number == NO_NUMBER || read_limit(words[is_map ? 2 : 1], &out_aggregation->limit);
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
            count != kinds[i].field_count + (kinds[i].number != NO_NUMBER)) {
            continue;
        }
        if (take_words(kinds[i].kind, kinds[i].number, words, out_aggregation)) {
            return true;
        }
    }
    if (text != NULL) {
        fil_job_reader__blame(reader, node,
                              "'%s' is no aggregate: it is count, sum(FIELD), average(FIELD), "
                              "min(FIELD), max(FIELD), min_by(FIELD, BY), max_by(FIELD, BY), "
                              "trend(FIELD, BY), distinct(FIELD), percentile(FIELD, RANK), "
                              "list(FIELD, COUNT) or map(KEY, FIELD, COUNT)",
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
