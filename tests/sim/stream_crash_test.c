// SPDX-License-Identifier: Apache-2.0
/**
 * Jobs that crash at any point and go on from their last snapshot, in one thread on a virtual
 * clock.
 *
 * A run is a number: it chooses the pipeline, its parallelism, rings and batches, when snapshots
 * are taken, which writes of them fail, when the job is suspended or restarted, and where it
 * crashes: in the middle of a step of any processor, while it saves or commits, or between two
 * steps. After a crash it is started again, perhaps with another parallelism. In the end
 * exactly-once has every result once, at-least-once has every result at least once.
 *
 *   stream_crash [RUNS [FIRST]]     a failing run is told by its number
 */
#include <stdlib.h>

#include "core/stream/batch_aggregate.h"
#include "core/stream/fold.h"
#include "core/stream/session.h"
#include "core/stream/sources.h"
#include "core/stream/steward.h"
#include "core/stream/transforms.h"
#include "core/stream/window.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/sim/ledger.h"
#include "tests/sim/virtual_clock.h"
#include "tests/unit/harness.h"

#define RUNS_DEFAULT 1500U
#define CYCLES_MAX   400000U
#define KEYS         7U

enum shape {
    SHAPE_MAP,
    SHAPE_WINDOW,
    SHAPE_SESSION,
    SHAPE_TOTALS,
    SHAPE_COUNT
};

struct record {
    uint64_t key;
    uint64_t number;
};

/** Everything that a run's number decides, and what there is of it. */
struct run {
    struct fil_prng prng;
    enum shape shape;
    bool is_at_least_once;
    uint64_t count;
    int64_t size;
    int64_t slide;
    struct fil_generator_config generator;
    struct fil_map_config map;
    struct fil_window_config window;
    struct fil_session_config session;
    struct fil_group_config totals;
    struct fil_fold_config fold;
    struct fil_window_config folded_window;
    struct fil_group_config folded_totals;
    struct ledger ledger;
    struct ledger_sink_config sink;
    struct fil_budget budget;
    struct fil_workers workers;
    struct fil_snapshot_memory memory;
    struct fil_snapshot_store store; // fails now and then
    struct fil_steward steward;
    uint64_t crashes_left;
    uint64_t fuse; // records, saves and commits until the next crash; 0: none
};

static struct run *current; // of the callbacks, which have no room for it everywhere

static uint64_t choose(uint64_t first, uint64_t last)
{
    return fil_prng_range(&current->prng, first, last);
}

/** One more thing has happened; perhaps it is the last one before a crash. */
static void burn(void)
{
    if (current->fuse != 0) {
        current->fuse--;
        if (current->fuse == 0 && current->steward.job != NULL) {
            fil_job_cancel(current->steward.job);
        }
    }
}

static int64_t generate(void *context, uint64_t sequence, void *out_record)
{
    (void)context;
    burn();
    const struct record record = {.key = sequence % KEYS, .number = sequence};
    memcpy(out_record, &record, sizeof(record));
    // Stretches of silence let sessions end.
    return (int64_t)(sequence + sequence / 50 * 40);
}

static void copy_record(void *context, const void *record, void *out_record)
{
    (void)context;
    burn();
    memcpy(out_record, record, sizeof(struct record));
}

static int write_or_fail(struct fil_snapshot_store *store, const char *name,
                         struct fil_snapshot *snapshot)
{
    (void)store;
    if (choose(0, 9) == 0) {
        return FIL_E_IO;
    }
    return current->memory.base.ops->write(&current->memory.base, name, snapshot);
}

/** Through bytes and back, as a store of files would do. */
static int read_back(struct fil_snapshot_store *store, const char *name,
                     struct fil_snapshot **out_snapshot)
{
    (void)store;
    struct fil_snapshot *kept = NULL;
    int error = current->memory.base.ops->read(&current->memory.base, name, &kept);
    if (error != FIL_OK) {
        return error;
    }
    uint8_t *data = NULL;
    size_t size = 0;
    assert_int_equal(fil_snapshot_encode(kept, &data, &size), FIL_OK);
    error = fil_snapshot_decode(fil_bytes_make(data, size), out_snapshot);
    fil_free(data);
    fil_snapshot_unref(kept);
    return error;
}

static int remove_kept(struct fil_snapshot_store *store, const char *name)
{
    (void)store;
    return current->memory.base.ops->remove(&current->memory.base, name);
}

static const struct fil_snapshot_store_ops flaky_ops = {
    .write = write_or_fail, .read = read_back, .remove = remove_kept};

static uint32_t result_bytes(const struct run *run)
{
    switch (run->shape) {
    case SHAPE_WINDOW:
        return fil_window_result_bytes(&run->window);
    case SHAPE_SESSION:
        return fil_session_result_bytes(&run->session);
    case SHAPE_TOTALS:
        return fil_batch_aggregate_result_bytes(&run->totals);
    case SHAPE_MAP:
    case SHAPE_COUNT:
        break;
    }
    return sizeof(struct record);
}

static struct fil_edge edge_of(enum fil_edge_kind kind, uint32_t stride)
{
    return (struct fil_edge){
        .kind = kind,
        .layout = {.stride = stride, .record_count = (uint32_t)choose(1, 9), .has_times = true},
        .key = {.size = 8},
        .batch_count = 1U << choose(0, 3)};
}

/**
 * The same with records folded in front of the exchange. The state behind it looks as it does
 * without, so that each start may choose.
 */
static void add_folded(struct run *run, struct fil_dag *dag)
{
    bool is_window = run->shape == SHAPE_WINDOW;
    struct fil_group_config *group = is_window ? &run->folded_window.group : &run->folded_totals;
    run->folded_window = run->window;
    run->folded_totals = run->totals;
    run->fold = (struct fil_fold_config){.key = {.size = 8},
                                         .aggregate = is_window ? run->window.group.aggregate
                                                                : run->totals.aggregate,
                                         .slide = is_window ? run->window.slide : 0,
                                         .place_max = 1U << choose(0, 6)};
    uint32_t state_at = fil_fold_state_at(&run->fold);
    group->key = (struct fil_key){.offset = fil_fold_key_at(&run->fold), .size = 8};
    group->aggregate = fil_aggregate_combined(&run->fold.aggregate, state_at);
    run->folded_window.part_at = state_at;
    fil_dag_add_vertex(dag, "fold", &fil_fold_ops, &run->fold, (uint32_t)choose(1, 4));
    fil_dag_add_vertex(dag, "middle", is_window ? &fil_window_ops : &fil_batch_aggregate_ops,
                       is_window ? (const void *)&run->folded_window : &run->folded_totals,
                       (uint32_t)choose(1, 4));
    struct fil_edge first = edge_of(FIL_EDGE_UNICAST, sizeof(struct record));
    struct fil_edge second = edge_of(FIL_EDGE_PARTITIONED, fil_fold_result_bytes(&run->fold));
    second.key = group->key;
    fil_dag_add_edge(dag, "source", "fold", &first);
    fil_dag_add_edge(dag, "fold", "middle", &second);
}

static void add_middle(struct run *run, struct fil_dag *dag)
{
    uint32_t parallelism = (uint32_t)choose(1, 4);
    switch (run->shape) {
    case SHAPE_WINDOW:
        fil_dag_add_vertex(dag, "middle", &fil_window_ops, &run->window, parallelism);
        break;
    case SHAPE_SESSION:
        fil_dag_add_vertex(dag, "middle", &fil_session_ops, &run->session, parallelism);
        break;
    case SHAPE_TOTALS:
        fil_dag_add_vertex(dag, "middle", &fil_batch_aggregate_ops, &run->totals, parallelism);
        break;
    case SHAPE_MAP:
    case SHAPE_COUNT:
        fil_dag_add_vertex(dag, "middle", &fil_map_ops, &run->map, parallelism);
        break;
    }
}

/** The job as it is started next, each time with other numbers. */
static void start(struct run *run)
{
    struct fil_dag dag;
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "source", &fil_generator_ops, &run->generator, (uint32_t)choose(1, 4));
    bool can_fold = run->shape == SHAPE_WINDOW || run->shape == SHAPE_TOTALS;
    if (can_fold && choose(0, 1) == 0) {
        add_folded(run, &dag);
    } else {
        struct fil_edge first = edge_of(FIL_EDGE_PARTITIONED, sizeof(struct record));
        add_middle(run, &dag);
        fil_dag_add_edge(&dag, "source", "middle", &first);
    }
    fil_dag_add_vertex(&dag, "sink", &ledger_sink_ops, &run->sink, (uint32_t)choose(1, 3));
    struct fil_edge second = edge_of(FIL_EDGE_UNICAST, result_bytes(run));
    fil_dag_add_edge(&dag, "middle", "sink", &second);
    const struct fil_steward_options options = {.name = "crash",
                                                .workers = &run->workers,
                                                .store = &run->store,
                                                .guarantee = run->is_at_least_once
                                                                 ? FIL_GUARANTEE_AT_LEAST_ONCE
                                                                 : FIL_GUARANTEE_EXACTLY_ONCE,
                                                .interval_ns = choose(1, 60),
                                                .restart_delay_ns = 5};
    char text[FIL_STEWARD_TEXT_MAX];
    assert_int_equal(fil_steward_init(&run->steward, &dag, &options, text), FIL_OK);
    fil_dag_fini(&dag);
    run->fuse = run->crashes_left == 0 || choose(0, 3) == 0 ? 0 : choose(1, 2 * run->count);
}

static void configure(struct run *run)
{
    run->shape = (enum shape)choose(0, SHAPE_COUNT - 1);
    run->is_at_least_once = choose(0, 3) == 0;
    run->count = choose(20, 400);
    run->slide = (int64_t)choose(5, 20);
    run->size = run->slide * (int64_t)choose(1, 4);
    run->crashes_left = choose(0, 5);
    run->generator = (struct fil_generator_config){.generate = generate,
                                                   .count = run->count,
                                                   .shard_count = (uint32_t)choose(0, 5),
                                                   .time = {.frame = (int64_t)choose(1, 10)}};
    run->map = (struct fil_map_config){.map = copy_record};
    run->totals = (struct fil_group_config){.key = {.size = 8}, .aggregate = fil_aggregate_sum(8)};
    run->window =
        (struct fil_window_config){.group = run->totals, .size = run->size, .slide = run->slide};
    run->session = (struct fil_session_config){.group = run->totals, .gap = run->size};
    ledger_init(&run->ledger, result_bytes(run), !run->is_at_least_once);
    run->ledger.on_act = burn;
    run->sink = (struct ledger_sink_config){.ledger = &run->ledger};
}

static void open_run(struct run *run, uint64_t number)
{
    *run = (struct run){.store = {.ops = &flaky_ops}};
    current = run;
    fil_prng_init(&run->prng, number);
    configure(run);
    fil_budget_init(&run->budget, UINT64_C(1) << 30);
    fil_snapshot_memory_init(&run->memory);
    const struct fil_workers_options options = {.env = virtual_env(),
                                                .budget = &run->budget,
                                                .worker_count = (uint32_t)choose(1, 3),
                                                .jobs_max = 2,
                                                .shake_seed = choose(0, 1) * (number + 1)};
    assert_int_equal(fil_workers_init(&run->workers, &options), FIL_OK);
}

static void close_run(struct run *run)
{
    fil_steward_fini(&run->steward);
    fil_snapshot_memory_fini(&run->memory);
    fil_workers_fini(&run->workers);
    ledger_fini(&run->ledger);
    assert_int_equal(fil_budget_drawn(&run->budget), 0);
}

/** The process is gone: what was in it, too. Store and ledger are outside. */
static void crash(struct run *run)
{
    fil_steward_abandon(&run->steward);
    while (run->steward.job != NULL && fil_job_state(run->steward.job) == FIL_JOB_RUNNING) {
        (void)fil_workers_cycle(&run->workers);
    }
    fil_steward_fini(&run->steward);
    run->crashes_left--;
    start(run);
}

/** Something from outside, now and then. */
static void disturb(struct run *run)
{
    uint64_t which = choose(0, 399);
    if (which == 0) {
        fil_steward_ask(&run->steward, FIL_STEWARD_SUSPEND);
    } else if (which == 1) {
        fil_steward_ask(&run->steward, FIL_STEWARD_RESTART);
    } else if (which == 2) {
        int error = fil_steward_export(&run->steward, "named");
        assert_true(error == FIL_OK || error == FIL_E_FULL);
    }
    if (fil_steward_state(&run->steward) == FIL_STEWARD_SUSPENDED) {
        fil_steward_ask(&run->steward, FIL_STEWARD_RESUME);
    }
}

/** Whether the fuse has stopped the job: then it was a crash, not somebody's wish. */
static bool is_crashing(const struct run *run)
{
    const struct fil_job *job = run->steward.job;
    bool is_wished = run->steward.phase == FIL_STEWARD_STOPPING;
    return job != NULL && !is_wished && fil_job_is_stopping(job);
}

static bool run_to_end(struct run *run)
{
    start(run);
    for (uint32_t i = 0; i < CYCLES_MAX; i++) {
        virtual_ns += choose(0, 2);
        (void)fil_workers_cycle(&run->workers);
        bool is_due = run->crashes_left > 0 && choose(0, 299) == 0;
        if (is_due || is_crashing(run)) {
            crash(run);
        }
        (void)fil_steward_cycle(&run->steward, virtual_ns);
        disturb(run);
        if (fil_steward_state(&run->steward) == FIL_STEWARD_COMPLETED) {
            return true;
        }
        if (fil_steward_state(&run->steward) == FIL_STEWARD_FAILED) {
            print_error("%s\n", run->steward.text);
            return false;
        }
    }
    return false;
}

// What must come out: a simple evaluation of the whole input.

static int64_t time_of(uint64_t sequence)
{
    return (int64_t)(sequence + sequence / 50 * 40);
}

static void expect(struct ledger *wanted, int64_t start, int64_t end, uint64_t key, uint64_t sum)
{
    const int64_t result[4] = {start, end, (int64_t)key, (int64_t)sum};
    ledger_add(wanted, result);
}

static void expect_windows(const struct run *run, struct ledger *wanted)
{
    int64_t last = time_of(run->count - 1);
    for (int64_t end = run->slide; end <= last + run->size; end += run->slide) {
        uint64_t sums[KEYS] = {0};
        uint64_t counts[KEYS] = {0};
        for (uint64_t i = 0; i < run->count; i++) {
            if (time_of(i) >= end - run->size && time_of(i) < end) {
                sums[i % KEYS] += i;
                counts[i % KEYS]++;
            }
        }
        for (uint64_t key = 0; key < KEYS; key++) {
            if (counts[key] != 0) {
                expect(wanted, end - run->size, end, key, sums[key]);
            }
        }
    }
}

static void expect_sessions(const struct run *run, struct ledger *wanted)
{
    for (uint64_t key = 0; key < KEYS; key++) {
        int64_t start = 0;
        int64_t end = INT64_MIN;
        uint64_t sum = 0;
        for (uint64_t i = key; i < run->count; i += KEYS) {
            if (end != INT64_MIN && time_of(i) >= end) {
                expect(wanted, start, end, key, sum);
                end = INT64_MIN;
            }
            start = end == INT64_MIN ? time_of(i) : start;
            sum = end == INT64_MIN ? i : sum + i;
            end = time_of(i) + run->size;
        }
        if (end != INT64_MIN) {
            expect(wanted, start, end, key, sum);
        }
    }
}

static void expect_totals(const struct run *run, struct ledger *wanted)
{
    for (uint64_t key = 0; key < KEYS && key < run->count; key++) {
        uint64_t total[2] = {key, 0};
        for (uint64_t i = key; i < run->count; i += KEYS) {
            total[1] += i;
        }
        ledger_add(wanted, total);
    }
}

static void expect_records(const struct run *run, struct ledger *wanted)
{
    for (uint64_t i = 0; i < run->count; i++) {
        const struct record record = {.key = i % KEYS, .number = i};
        ledger_add(wanted, &record);
    }
}

static void expect_all(const struct run *run, struct ledger *wanted)
{
    ledger_init(wanted, result_bytes(run), false);
    switch (run->shape) {
    case SHAPE_WINDOW:
        expect_windows(run, wanted);
        break;
    case SHAPE_SESSION:
        expect_sessions(run, wanted);
        break;
    case SHAPE_TOTALS:
        expect_totals(run, wanted);
        break;
    case SHAPE_MAP:
    case SHAPE_COUNT:
        expect_records(run, wanted);
        break;
    }
}

static bool is_right(struct run *run)
{
    struct ledger wanted;
    expect_all(run, &wanted);
    // At least once: records may count twice in sums, but those that only pass through are there.
    bool is_right = !run->is_at_least_once    ? ledger_equals(&run->ledger, &wanted)
                    : run->shape == SHAPE_MAP ? ledger_contains(&run->ledger, &wanted)
                                              : ledger_covers(&run->ledger, &wanted);
    ledger_fini(&wanted);
    return is_right;
}

static uint64_t run_count = RUNS_DEFAULT;
static uint64_t first_run = 1;

static void test_no_crash_loses_or_doubles_a_result(void **state)
{
    (void)state;
    uint64_t crashes = 0;
    uint64_t snapshots = 0;
    for (uint64_t number = first_run; number < first_run + run_count; number++) {
        struct run run;
        open_run(&run, number);
        uint64_t planned = run.crashes_left;
        bool is_done = run_to_end(&run);
        if (!is_done || !is_right(&run)) {
            print_error("run %llu: shape %d, %s, %s\n", (unsigned long long)number, (int)run.shape,
                        run.is_at_least_once ? "at least once" : "exactly once",
                        is_done ? "wrong result" : "did not end");
        }
        assert_true(is_done && is_right(&run));
        crashes += planned - run.crashes_left;
        snapshots += fil_counter_read(&run.steward.stats.snapshot_count);
        close_run(&run);
    }
    // The runs are about crashes: without any they would show nothing.
    assert_true(crashes > run_count / 2);
    assert_true(snapshots > run_count / 2);
}

int main(int argc, char **argv)
{
    run_count = argc > 1 ? strtoull(argv[1], NULL, 10) : RUNS_DEFAULT;
    first_run = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_crash_loses_or_doubles_a_result),
    };
    return cmocka_run_group_tests_name("stream crash", tests, NULL, NULL);
}
