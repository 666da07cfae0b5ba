// SPDX-License-Identifier: Apache-2.0
/**
 * Random pipelines over random records that come out of order give what a simple evaluation of the
 * whole input gives: in one thread, on a virtual clock.
 *
 * A run is a number: it chooses the records, up to six stages (maps, filters, flat maps, joins, a
 * stage forked and merged again), what they are grouped by in the end (nothing, a key, windows or
 * sessions, with or without a key; or sorted, the first ones of each key or of all, or grouped with
 * the records of the source as a second input), the parallelism of the whole and of stages, batches
 * and rings, workers, and whether tasklets are handed over at random. Windows may have early
 * results, each of which must belong to a last one that has no fewer records, and may get records
 * late: those come out at the side, all of them and no others are missing from the results. Groups
 * may also tell their values as a list and as a map, of which a hash is compared.
 *
 *   stream_oracle [RUNS [FIRST]]     a failing run is told by its number
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/pipeline/planner.h"
#include "core/stream/job.h"
#include "filbert/pipeline.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "tests/sim/ledger.h"
#include "tests/sim/virtual_clock.h"
#include "tests/unit/harness.h"

#define RUNS_DEFAULT  1500U
#define CYCLES_MAX    2000000U
#define ROWS_MAX      20000U
#define STEPS_MAX     6U
#define PARTNERS      5U
#define DISORDER_MAX  50U
#define RESULT_FIELDS 8U
#define LIST_MAX      12U
#define TEXT_MAX      1024U
#define CO_KEYS       10 // keys are below

struct row {
    int64_t time;
    int64_t key;
    int64_t value;
};

struct partner {
    int64_t key;
    int64_t bonus;
};

static const struct fil_field row_fields[] = {FIL_TIME(struct row, time), FIL_I64(struct row, key),
                                              FIL_I64(struct row, value)};
static const struct fil_type row_type = FIL_TYPE(struct row, row_fields);
static const struct fil_field partner_fields[] = {FIL_I64(struct partner, key),
                                                  FIL_I64(struct partner, bonus)};
static const struct fil_type partner_type = FIL_TYPE(struct partner, partner_fields);

enum step_kind {
    STEP_MAP,
    STEP_KEY,
    STEP_FILTER,
    STEP_FLAT,
    STEP_JOIN,
    STEP_FORK,
    STEP_KINDS
};

enum end_kind {
    END_ROWS,
    END_TOTALS,
    END_WINDOWS,
    END_SESSIONS,
    END_SORTED,
    END_TOP,
    END_CO,
    END_KINDS
};

/** One stage; it is also what its functions get as their context. */
struct step {
    enum step_kind kind;
    int64_t factor;
    int64_t modulus; // above 0
};

struct run {
    struct fil_prng prng;
    uint32_t row_count;
    struct step steps[STEPS_MAX];
    uint32_t step_count;
    enum end_kind end;
    bool has_key;
    int64_t size;
    int64_t slide;
    int64_t early;
    uint32_t early_ms;
    int64_t lateness;
    bool has_late;
    uint32_t top_count;
    uint32_t list_limit;         // of the list and the map of values; 0: there are none
    const struct fil_type *type; // of the results
    int64_t last[3];             // row that came before
    uint64_t early_count;
    uint32_t late_count;
    struct ledger early_rows;
    struct ledger got;
    struct ledger wanted;
};

static struct row rows[ROWS_MAX]; // as they come from the source
static struct partner partners[PARTNERS];
static struct row late_rows[ROWS_MAX]; // that came out at the side

static uint64_t choose(struct run *run, uint64_t first, uint64_t last)
{
    return fil_prng_range(&run->prng, first, last);
}

// What the stages do; the evaluation uses the same functions, the engine runs them its own way.

static int64_t rest(int64_t value, int64_t modulus)
{
    return (int64_t)((uint64_t)value % (uint64_t)modulus);
}

static void write_row(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    memcpy(out_record, &rows[sequence], sizeof(rows[sequence]));
}

static void map_row(void *context, const void *record, void *out_record)
{
    const struct step *step = context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    if (step->kind == STEP_KEY) {
        row.key = rest(row.key * step->factor + row.value, step->modulus);
    } else {
        row.value = row.value * step->factor % 1000 + step->modulus;
    }
    memcpy(out_record, &row, sizeof(row));
}

static bool keep_row(void *context, const void *record)
{
    const struct step *step = context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    return rest(row.value, step->modulus + 1) != 0;
}

static bool next_row(void *context, const void *record, uint32_t index, void *out_record)
{
    const struct step *step = context;
    struct row row;
    memcpy(&row, record, sizeof(row));
    int64_t count = rest(row.value, step->modulus) % 3;
    row.value += index;
    memcpy(out_record, &row, sizeof(row));
    return index < (uint64_t)count;
}

static bool join_row(void *context, const void *record, const void *partner, void *out_record)
{
    const struct step *step = context;
    struct row row;
    struct partner with = {0};
    memcpy(&row, record, sizeof(row));
    if (partner != NULL) {
        memcpy(&with, partner, sizeof(with));
    }
    row.value += with.bonus;
    memcpy(out_record, &row, sizeof(row));
    return partner != NULL || step->factor % 2 == 0;
}

// The pipeline.

static struct fil_stage *add_step(struct run *run, struct fil_pipeline *pipeline,
                                  struct fil_stage *input, struct step *step)
{
    const struct fil_join join = {
        .key = "key", .partner_key = "key", .type = &row_type, .join = join_row, .context = step};
    struct fil_stage *stage = NULL;
    switch (step->kind) {
    case STEP_FILTER:
        stage = fil_stage_filter(input, keep_row, step);
        break;
    case STEP_FLAT:
        stage = fil_stage_flat_map(input, &row_type, next_row, step);
        break;
    case STEP_JOIN:
        stage = fil_stage_join(input, fil_read_list(pipeline, &partner_type, partners, PARTNERS),
                               &join);
        break;
    case STEP_FORK:
        return fil_stage_merge(fil_stage_filter(input, keep_row, step), input);
    case STEP_MAP:
    case STEP_KEY:
    case STEP_KINDS:
        stage = fil_stage_map(input, &row_type, map_row, step);
        break;
    }
    return choose(run, 0, 3) == 0 ? fil_stage_parallelism(stage, (uint32_t)choose(run, 1, 4))
                                  : stage;
}

static const struct fil_order_by order[] = {{.field = "value", .is_descending = true},
                                            {.field = "time"}};

/** The records of the source again, counted beside those of the pipeline. */
static struct fil_stage *add_co_group(struct run *run, struct fil_stage *input,
                                      struct fil_stage *source)
{
    const char *key = run->has_key ? "key" : NULL;
    const struct fil_co_group group = {
        .inputs = {{.stage = input,
                    .key = key,
                    .aggregates = {{.kind = FIL_AGGREGATION_COUNT},
                                   {.kind = FIL_AGGREGATION_MIN, .field = "value"}}},
                   {.stage = source,
                    .key = key,
                    .aggregates = {{.name = "other", .kind = FIL_AGGREGATION_COUNT},
                                   {.kind = FIL_AGGREGATION_SUM, .field = "value"}}}}};
    return fil_stage_co_group(&group);
}

static struct fil_stage *add_order(struct run *run, struct fil_stage *input)
{
    const struct fil_top top = {
        .count = run->top_count, .by = {order[0], order[1]}, .key = run->has_key ? "key" : NULL};
    return run->end == END_TOP ? fil_stage_top(input, &top) : fil_stage_sort(input, order, 2);
}

static struct fil_stage *add_end(struct run *run, struct fil_stage *input, struct fil_stage *source)
{
    struct fil_group_by group = {.key = run->has_key ? "key" : NULL,
                                 .aggregates = {{.kind = FIL_AGGREGATION_COUNT},
                                                {.kind = FIL_AGGREGATION_SUM, .field = "value"},
                                                {.kind = FIL_AGGREGATION_MIN, .field = "value"},
                                                {.kind = FIL_AGGREGATION_MAX, .field = "value"}},
                                 .size = run->end == END_WINDOWS ? run->size : 0,
                                 .slide = run->end == END_WINDOWS ? run->slide : 0,
                                 .gap = run->end == END_SESSIONS ? run->size : 0,
                                 .early = run->early,
                                 .early_ms = run->early_ms,
                                 .lateness = run->lateness,
                                 .is_folded = choose(run, 0, 1) == 1};
    if (run->list_limit != 0) {
        group.aggregates[4] = (struct fil_aggregation){
            .kind = FIL_AGGREGATION_LIST, .field = "value", .limit = run->list_limit};
        group.aggregates[5] = (struct fil_aggregation){
            .kind = FIL_AGGREGATION_MAP, .field = "time", .by = "value", .limit = run->list_limit};
    }
    switch (run->end) {
    case END_TOTALS:
        return fil_stage_aggregate(input, &group);
    case END_WINDOWS:
    case END_SESSIONS:
        return fil_stage_window(input, &group);
    case END_SORTED:
    case END_TOP:
        return add_order(run, input);
    case END_CO:
        return add_co_group(run, input, source);
    case END_ROWS:
    case END_KINDS:
        break;
    }
    return input;
}

static int compare_order(const int64_t *a, const int64_t *b)
{
    // Of time, key and value: the value down, the time up, then the bytes.
    if (a[2] != b[2]) {
        return a[2] > b[2] ? -1 : 1;
    }
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : memcmp(a, b, sizeof(struct row));
}

static bool gives_rows(const struct run *run)
{
    return run->end == END_ROWS || run->end == END_SORTED || run->end == END_TOP;
}

static void take_row(struct run *run, const int64_t *result)
{
    bool is_sequence = run->end == END_SORTED || (run->end == END_TOP && !run->has_key);
    assert_true(!is_sequence || run->got.visible.count == 0 ||
                compare_order(run->last, result) <= 0);
    memcpy(run->last, result, sizeof(run->last));
    ledger_add(&run->got, result);
}

static bool has_early(const struct run *run)
{
    return (run->end == END_WINDOWS || run->end == END_SESSIONS) &&
           (run->early != 0 || run->early_ms != 0);
}

/** A number for texts and what they do not tell. */
static int64_t hash_texts(const char *list, int64_t list_more, const char *map, int64_t map_more)
{
    char text[2 * TEXT_MAX];
    int size = snprintf(text, sizeof(text), "%s %lld %s %lld", list, (long long)list_more, map,
                        (long long)map_more);
    assert_true(size > 0 && (size_t)size < sizeof(text));
    return (int64_t)fil_hash(fil_bytes_make(text, (size_t)size), 0);
}

static const struct fil_field *find_field(const struct fil_type *type, const char *name)
{
    uint32_t i = 0;
    while (i < type->field_count && strcmp(type->fields[i].name, name) != 0) {
        i++;
    }
    assert_true(i < type->field_count);
    return &type->fields[i];
}

static int64_t hash_result(const struct run *run, const uint8_t *record)
{
    static const char *const names[] = {"list", "map"};
    char texts[2][TEXT_MAX] = {{0}};
    int64_t more[2];
    for (uint32_t i = 0; i < 2; i++) {
        const struct fil_field *field = find_field(run->type, names[i]);
        assert_true(field->size < TEXT_MAX);
        memcpy(texts[i], record + field->offset, field->size);
        memcpy(&more[i], record + field[1].offset, sizeof(more[i])); // NAME_more is the next one
    }
    return hash_texts(texts[0], more[0], texts[1], more[1]);
}

/** Results as rows of one size: start, end, key, then the aggregates; zero where there is none. */
static int take_result(void *context, const void *record)
{
    struct run *run = context;
    int64_t result[RESULT_FIELDS] = {0};
    const uint8_t *from = record;
    if (gives_rows(run)) {
        memcpy(result, from, sizeof(struct row));
        take_row(run, result);
        return FIL_OK;
    }
    if (run->end != END_TOTALS && run->end != END_CO) {
        memcpy(result, from, 2 * sizeof(*result));
        from += 2 * sizeof(*result);
    }
    if (run->has_key) {
        memcpy(&result[2], from, sizeof(*result));
        from += sizeof(*result);
    }
    memcpy(&result[3], from, 4 * sizeof(*result));
    int64_t early = 0;
    if (has_early(run)) {
        memcpy(&early, (const uint8_t *)record + find_field(run->type, "early")->offset,
               sizeof(early));
    }
    result[7] = run->list_limit == 0 ? 0 : hash_result(run, record);
    run->early_count += early == 1;
    ledger_add(early == 1 ? &run->early_rows : &run->got, result);
    return FIL_OK;
}

/** A record that was late: the evaluation goes without it. */
static int take_late(void *context, const void *record)
{
    struct run *run = context;
    assert_true(run->late_count < ROWS_MAX);
    memcpy(&late_rows[run->late_count], record, sizeof(late_rows[0]));
    run->late_count++;
    return FIL_OK;
}

static struct fil_pipeline *build(struct run *run)
{
    struct fil_pipeline *pipeline = fil_pipeline_new("oracle");
    const struct fil_read_options read = {.lag = run->has_late ? 0 : DISORDER_MAX - run->lateness,
                                          .frame = (int64_t)choose(run, 1, 20),
                                          .count = run->row_count};
    struct fil_stage *source = fil_read_generator(pipeline, &row_type, write_row, NULL, &read);
    struct fil_stage *stage = source;
    for (uint32_t i = 0; i < run->step_count; i++) {
        stage = add_step(run, pipeline, stage, &run->steps[i]);
    }
    struct fil_stage *end = add_end(run, stage, source);
    run->type = fil_stage_type(end);
    fil_write_function(end, take_result, run);
    if (run->has_late) {
        fil_write_function(fil_stage_late(end), take_late, run);
    }
    return pipeline;
}

/** Whether the job has completed. */
static bool execute(struct run *run, struct fil_dag *dag, uint64_t shake_seed)
{
    struct fil_budget budget;
    struct fil_workers workers;
    struct fil_job *job = NULL;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    const struct fil_workers_options options = {.env = virtual_env(),
                                                .budget = &budget,
                                                .worker_count = (uint32_t)choose(run, 1, 4),
                                                .jobs_max = 2,
                                                .shake_seed = shake_seed};
    assert_int_equal(fil_workers_init(&workers, &options), FIL_OK);
    assert_int_equal(
        fil_job_submit(&workers, dag, &(struct fil_job_options){.name = "oracle"}, &job), FIL_OK);
    for (uint32_t i = 0; i < CYCLES_MAX && fil_job_state(job) == FIL_JOB_RUNNING; i++) {
        virtual_ns += choose(run, 0, 3) * (run->early_ms != 0 ? 100000 : 1);
        (void)fil_workers_cycle(&workers);
        (void)fil_job_cycle(job);
    }
    bool is_completed = fil_job_state(job) == FIL_JOB_COMPLETED;
    if (is_completed) {
        fil_job_free(job);
        fil_workers_fini(&workers);
        assert_int_equal(fil_budget_drawn(&budget), 0);
    }
    return is_completed;
}

static bool run_pipeline(struct run *run, uint64_t number)
{
    struct fil_pipeline *pipeline = build(run);
    struct fil_dag dag;
    fil_dag_init(&dag);
    int error = fil_planner_plan(pipeline, (uint32_t)choose(run, 1, 4), NULL, &dag);
    if (error != FIL_OK) {
        print_error("%s\n", fil_pipeline_text(pipeline));
    }
    assert_int_equal(error, FIL_OK);
    for (uint32_t i = 0; i < dag.edge_count; i++) {
        dag.edges[i].edge.layout.record_count = (uint32_t)choose(run, 1, 9);
        dag.edges[i].edge.batch_count = 1U << choose(run, 0, 3);
    }
    bool is_completed = execute(run, &dag, choose(run, 0, 1) * (number + 1));
    fil_dag_fini(&dag);
    fil_pipeline_free(pipeline);
    return is_completed;
}

// The evaluation: all rows through one step after the other, then all groups.

static struct row now[ROWS_MAX];
static struct row next[ROWS_MAX];

static const struct partner *find_partner(int64_t key)
{
    for (uint32_t i = 0; i < PARTNERS; i++) {
        if (partners[i].key == key) {
            return &partners[i];
        }
    }
    return NULL;
}

/** What one row becomes, written behind the others; returns how many there are then. */
static uint32_t step_row(struct step *step, const struct row *row, uint32_t count)
{
    switch (step->kind) {
    case STEP_FILTER:
        next[count] = *row;
        return count + keep_row(step, row);
    case STEP_FLAT:
        for (uint32_t i = 0; next_row(step, row, i, &next[count]); i++) {
            count++;
        }
        return count;
    case STEP_JOIN:
        return count + join_row(step, row, find_partner(row->key), &next[count]);
    case STEP_FORK:
        next[count] = *row;
        count += keep_row(step, row);
        next[count] = *row;
        return count + 1;
    case STEP_MAP:
    case STEP_KEY:
    case STEP_KINDS:
        map_row(step, row, &next[count]);
        break;
    }
    return count + 1;
}

static uint32_t evaluate_steps(struct run *run)
{
    uint32_t count = run->row_count;
    memcpy(now, rows, count * sizeof(*rows));
    for (uint32_t i = 0; i < run->step_count; i++) {
        uint32_t made = 0;
        for (uint32_t j = 0; j < count; j++) {
            made = step_row(&run->steps[i], &now[j], made);
            assert_true(made < ROWS_MAX - 4);
        }
        memcpy(now, next, made * sizeof(*now));
        count = made;
    }
    return count;
}

/** Takes those out that came out at the side; one that never was there stops the test. */
static uint32_t drop_late(const struct run *run, uint32_t count)
{
    for (uint32_t i = 0; i < run->late_count; i++) {
        uint32_t place = 0;
        while (place < count && memcmp(&now[place], &late_rows[i], sizeof(*now)) != 0) {
            place++;
        }
        assert_true(place < count);
        count--;
        now[place] = now[count];
    }
    return count;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a;
    const struct row *second = b;
    if (first->key != second->key) {
        return first->key < second->key ? -1 : 1;
    }
    return (first->time > second->time) - (first->time < second->time);
}

static struct row listed[ROWS_MAX];

static int compare_listed(const void *a, const void *b)
{
    const struct row *first = a;
    const struct row *second = b;
    if (first->time != second->time) {
        return first->time < second->time ? -1 : 1;
    }
    return (first->value > second->value) - (first->value < second->value);
}

static int compare_mapped(const void *a, const void *b)
{
    const struct row *first = a;
    const struct row *second = b;
    if (first->value != second->value) {
        return first->value < second->value ? -1 : 1;
    }
    return (first->time > second->time) - (first->time < second->time);
}

/** What list and map of the values must be. */
static int64_t hash_wanted(const struct run *run, uint32_t count)
{
    char list[TEXT_MAX] = "[";
    char map[TEXT_MAX] = "{";
    size_t used = 1;
    qsort(listed, count, sizeof(*listed), compare_listed);
    for (uint32_t i = 0; i < count && i < run->list_limit; i++) {
        used += (size_t)snprintf(list + used, TEXT_MAX - used, "%s%lld", i == 0 ? "" : ",",
                                 (long long)listed[i].value);
    }
    list[used] = ']';
    used = 1;
    qsort(listed, count, sizeof(*listed), compare_mapped);
    uint32_t keys = 0;
    uint32_t i = 0;
    for (; i < count && keys < run->list_limit; i++) {
        if (i + 1 == count || listed[i + 1].value != listed[i].value) {
            used += (size_t)snprintf(map + used, TEXT_MAX - used, "%s\"%lld\":%lld",
                                     keys == 0 ? "" : ",", (long long)listed[i].value,
                                     (long long)listed[i].time);
            keys++;
        }
    }
    map[used] = '}';
    int64_t list_more = count > run->list_limit ? (int64_t)(count - run->list_limit) : 0;
    return hash_texts(list, list_more, map, (int64_t)(count - i));
}

/** The result of some rows of one key, which are sorted by time: those in [start, end). */
static void expect(struct run *run, const struct row *first, uint32_t count, int64_t start,
                   int64_t end)
{
    int64_t result[RESULT_FIELDS] = {start, end, run->has_key ? first->key : 0};
    if (run->end == END_TOTALS) {
        result[0] = 0;
        result[1] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &first[i];
        if (row->time >= start && row->time < end) {
            result[5] = result[3] == 0 || row->value < result[5] ? row->value : result[5];
            result[6] = result[3] == 0 || row->value > result[6] ? row->value : result[6];
            listed[result[3]] = *row;
            result[3]++;
            result[4] += row->value;
        }
    }
    if (result[3] != 0) {
        result[7] = run->list_limit == 0 ? 0 : hash_wanted(run, (uint32_t)result[3]);
        ledger_add(&run->wanted, result);
    }
}

static void expect_sessions(struct run *run, const struct row *first, uint32_t count)
{
    int64_t start = first[0].time;
    for (uint32_t i = 1; i <= count; i++) {
        int64_t end = first[i - 1].time + run->size;
        if (i == count || first[i].time >= end) {
            expect(run, first, count, start, end);
            start = i == count ? 0 : first[i].time;
        }
    }
}

static void expect_windows(struct run *run, const struct row *first, uint32_t count)
{
    int64_t least = first[0].time / run->slide * run->slide - run->size;
    for (int64_t start = least; start <= first[count - 1].time; start += run->slide) {
        expect(run, first, count, start, start + run->size);
    }
}

static int compare_rows_in_order(const void *a, const void *b)
{
    return compare_order(a, b);
}

static struct row copies[ROWS_MAX];

static void expect_top(struct run *run, const struct row *first, uint32_t count)
{
    memcpy(copies, first, count * sizeof(*first));
    qsort(copies, count, sizeof(*copies), compare_rows_in_order);
    for (uint32_t i = 0; i < count && i < run->top_count; i++) {
        int64_t result[RESULT_FIELDS] = {copies[i].time, copies[i].key, copies[i].value};
        ledger_add(&run->wanted, result);
    }
}

static void expect_group(struct run *run, const struct row *first, uint32_t count)
{
    switch (run->end) {
    case END_TOP:
        expect_top(run, first, count);
        break;
    case END_TOTALS:
        expect(run, first, count, INT64_MIN, INT64_MAX);
        break;
    case END_WINDOWS:
        expect_windows(run, first, count);
        break;
    case END_SESSIONS:
        expect_sessions(run, first, count);
        break;
    case END_ROWS:
    case END_SORTED:
    case END_CO:
    case END_KINDS:
        break;
    }
}

/** Groups of both inputs: keys are few and small. */
static void expect_co_groups(struct run *run, uint32_t count)
{
    for (int64_t key = 0; key < CO_KEYS; key++) {
        int64_t result[RESULT_FIELDS] = {0, 0, key};
        for (uint32_t i = 0; i < count; i++) {
            if (now[i].key == key) {
                bool is_less = result[3] == 0 || now[i].value < result[4];
                result[4] = is_less ? now[i].value : result[4];
                result[3]++;
            }
        }
        for (uint32_t i = 0; i < run->row_count; i++) {
            bool is_own = !run->has_key || rows[i].key == key;
            result[5] += is_own;
            result[6] += is_own ? rows[i].value : 0;
        }
        if (result[3] + result[5] != 0 && (run->has_key || key == 0)) {
            ledger_add(&run->wanted, result);
        }
    }
}

static void evaluate(struct run *run)
{
    uint32_t count = drop_late(run, evaluate_steps(run));
    if (run->end == END_TOP && !run->has_key) {
        expect_top(run, now, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        now[i].key = gives_rows(run) || run->has_key ? now[i].key : 0;
    }
    if (run->end == END_CO) {
        expect_co_groups(run, count);
        return;
    }
    qsort(now, count, sizeof(*now), compare_rows);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (run->end == END_ROWS || run->end == END_SORTED) {
            int64_t result[RESULT_FIELDS] = {now[i].time, now[i].key, now[i].value};
            ledger_add(&run->wanted, result);
        } else if (i + 1 == count || now[i + 1].key != now[i].key) {
            expect_group(run, &now[first], i + 1 - first);
            first = i + 1;
        }
    }
}

// A run.

static void open_run(struct run *run, uint64_t number)
{
    *run = (struct run){0};
    fil_prng_init(&run->prng, number);
    run->row_count = (uint32_t)choose(run, 1, 250);
    run->step_count = (uint32_t)choose(run, 0, STEPS_MAX);
    run->end = (enum end_kind)choose(run, 0, END_KINDS - 1);
    run->has_key = choose(run, 0, 2) != 0;
    run->top_count = (uint32_t)choose(run, 1, 20);
    run->slide = (int64_t)choose(run, 3, 30);
    run->size = run->slide * (int64_t)choose(run, 1, 5);
    bool has_times = run->end == END_WINDOWS || run->end == END_SESSIONS;
    run->early = has_times && choose(run, 0, 2) == 0 ? (int64_t)choose(run, 1, 40) : 0;
    run->early_ms = has_times && choose(run, 0, 3) == 0;
    run->lateness = has_times ? (int64_t)choose(run, 0, DISORDER_MAX) : 0;
    // One that is late for some of its windows, or too late for the rest of its session, is in
    // part of the results: only tumbling windows have it or do not.
    run->has_late = run->end == END_WINDOWS && choose(run, 0, 2) == 0;
    bool can_list = has_times || run->end == END_TOTALS;
    run->list_limit = can_list && choose(run, 0, 2) == 0 ? (uint32_t)choose(run, 1, LIST_MAX) : 0;
    run->size = run->has_late ? run->slide : run->size;
    for (uint32_t i = 0; i < run->row_count; i++) {
        // Never more than the allowed lag behind one that came before.
        rows[i] = (struct row){.time = 100 + (int64_t)i - (int64_t)choose(run, 0, DISORDER_MAX),
                               .key = (int64_t)choose(run, 0, 8),
                               .value = (int64_t)choose(run, 0, 200)};
    }
    for (uint32_t i = 0; i < PARTNERS; i++) {
        partners[i] = (struct partner){.key = (int64_t)(2 * i), .bonus = (int64_t)i + 1};
    }
    uint32_t growing = 0;
    for (uint32_t i = 0; i < run->step_count; i++) {
        enum step_kind kind = (enum step_kind)choose(run, 0, STEP_KINDS - 1);
        growing += kind == STEP_FLAT || kind == STEP_FORK;
        run->steps[i] = (struct step){.kind = growing > 3 ? STEP_MAP : kind,
                                      .factor = (int64_t)choose(run, 1, 7),
                                      .modulus = (int64_t)choose(run, 1, 9)};
    }
    ledger_init(&run->early_rows, RESULT_FIELDS * sizeof(int64_t), false);
    ledger_init(&run->got, RESULT_FIELDS * sizeof(int64_t), false);
    ledger_init(&run->wanted, RESULT_FIELDS * sizeof(int64_t), false);
}

static void close_run(struct run *run)
{
    ledger_fini(&run->early_rows);
    ledger_fini(&run->got);
    ledger_fini(&run->wanted);
}

/** Each early result belongs to a last one: the same window, or in the end a longer session. */
static bool are_early_right(const struct run *run)
{
    for (uint32_t i = 0; i < run->early_rows.visible.count; i++) {
        const int64_t *early =
            (const int64_t *)(const void *)run->early_rows.visible.data + (size_t)i * RESULT_FIELDS;
        bool is_found = false;
        for (uint32_t j = 0; j < run->got.visible.count && !is_found; j++) {
            const int64_t *last =
                (const int64_t *)(const void *)run->got.visible.data + (size_t)j * RESULT_FIELDS;
            is_found = last[2] == early[2] && last[0] <= early[0] && last[1] >= early[1] &&
                       (run->end == END_SESSIONS || last[0] == early[0]) && last[3] >= early[3] &&
                       last[5] <= early[5] && last[6] >= early[6];
        }
        if (!is_found) {
            return false;
        }
    }
    return true;
}

static uint64_t run_count = RUNS_DEFAULT;
static uint64_t first_run = 1;

static void test_random_pipelines_equal_a_simple_evaluation(void **state)
{
    (void)state;
    uint64_t results = 0;
    uint64_t early_results = 0;
    uint64_t clock_results = 0; // without early ones by event time
    uint64_t late_records = 0;
    for (uint64_t number = first_run; number < first_run + run_count; number++) {
        struct run run;
        open_run(&run, number);
        bool is_completed = run_pipeline(&run, number);
        evaluate(&run);
        results += run.wanted.visible.count;
        *(run.early == 0 ? &clock_results : &early_results) += run.early_count;
        late_records += run.late_count;
        bool is_right =
            is_completed && ledger_equals(&run.got, &run.wanted) && are_early_right(&run);
        if (!is_right) {
            print_error("run %llu: end %d, %u steps, %s: %u results, %u wanted\n",
                        (unsigned long long)number, (int)run.end, run.step_count,
                        is_completed ? "wrong result" : "did not complete", run.got.visible.count,
                        run.wanted.visible.count);
        }
        assert_true(is_right);
        close_run(&run);
    }
    // Empty results would show nothing.
    assert_true(results > run_count * 10);
    assert_true(early_results > run_count);
    assert_true(clock_results > run_count);
    assert_true(late_records > run_count / 10);
}

int main(int argc, char **argv)
{
    run_count = argc > 1 ? strtoull(argv[1], NULL, 10) : RUNS_DEFAULT;
    first_run = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pipelines_equal_a_simple_evaluation),
    };
    return cmocka_run_group_tests_name("stream oracle", tests, NULL, NULL);
}
