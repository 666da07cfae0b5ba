// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the watchdog: an operation that outlasts the threshold is noted once, at most
 * a look late, with name, partition, thread and stack, and followed to its end, however many there
 * are at once and also if its runner leaves; short ones are not,
 * however many there are; the looks become rare when nothing runs and close again when something
 * does or somebody stirs; runners come and go at any time and are not touched afterwards; each look
 * calls the tick; looking allocates nothing.
 */
#include "core/exec/watchdog.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/log/log.h"
#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

#define MS     UINT64_C(1000000)
#define LOG_FD 2

static struct fil_sim sim;
static struct fil_watchdog watchdog;
static struct fil_runner runner;
static uint32_t tick_count;

static void count_tick(void *context)
{
    uint32_t *count = context;
    (*count)++;
}

static void begin(struct fil_runner *who, const char *op, uint32_t partition)
{
    atomic_store(&who->current_partition, partition);
    atomic_store(&who->current_name, op);
    atomic_fetch_add(&who->current_count, 1);
}

static void end(struct fil_runner *who)
{
    atomic_store(&who->current_name, NULL);
}

static struct fil_watchdog_options options(void)
{
    return (struct fil_watchdog_options){
        .env = &sim.env, .tick = count_tick, .tick_context = &tick_count};
}

static int set_up(void **state)
{
    (void)state;
    runner = (struct fil_runner){.name = "partition/0"};
    tick_count = 0;
    struct fil_watchdog_options chosen = options();
    return fil_sim_init(&sim, 1, NULL) != FIL_OK ||
           fil_watchdog_init(&watchdog, &chosen) != FIL_OK ||
           fil_watchdog_add(&watchdog, &runner, FIL_WATCHDOG_NO_THREAD) != FIL_OK;
}

static int tear_down(void **state)
{
    (void)state;
    fil_watchdog_fini(&watchdog);
    fil_sim_fini(&sim);
    return 0;
}

/** Moves on in steps of a millisecond, as a thread that sleeps until the next look would. */
static uint32_t pass(uint64_t duration_ns)
{
    uint32_t found = 0;
    uint64_t end_ns = sim.now_ns + duration_ns;
    while (sim.now_ns < end_ns) {
        fil_sim_advance(&sim, MS);
        found += fil_watchdog_cycle(&watchdog);
    }
    return found;
}

static void keep_longest(void *context, const struct fil_slow_entry *entry)
{
    struct fil_slow_entry *kept = context;
    if (kept->serial == 0) {
        *kept = *entry;
    }
}

static struct fil_slow_entry longest(void)
{
    struct fil_slow_entry entry = {.serial = 0};
    fil_slow_table_each(&watchdog.table, keep_longest, &entry);
    return entry;
}

static uint64_t looks(void)
{
    return fil_counter_read(&watchdog.stats.looks);
}

static void test_an_operation_beyond_the_threshold_is_noted_once(void **state)
{
    (void)state;
    begin(&runner, "map.put", 17);
    // Seen after half a threshold, then slow after a whole one: late by a look at most.
    assert_int_equal(pass(14 * MS), 0);
    assert_int_equal(pass(2 * MS), 1);
    assert_int_equal(pass(100 * MS), 0);
    struct fil_slow_entry entry = longest();
    assert_string_equal(entry.op, "map.put");
    assert_string_equal(entry.thread, "partition/0");
    assert_int_equal(entry.partition_id, 17);
    assert_int_equal(entry.count, 1);
    assert_int_equal(fil_counter_read(&watchdog.stats.slow_ops), 1);
}

static void test_the_duration_is_exact_to_a_look_and_final_in_the_end(void **state)
{
    (void)state;
    begin(&runner, "map.put", 17);
    (void)pass(50 * MS);
    struct fil_slow_entry entry = longest();
    assert_in_range(entry.last_ns, 40 * MS, 50 * MS);
    assert_int_equal(entry.running_count, 1);
    (void)pass(23 * MS);
    end(&runner);
    (void)pass(200 * MS);
    entry = longest();
    assert_in_range(entry.last_ns, 63 * MS, 73 * MS);
    assert_int_equal(entry.max_ns, entry.last_ns);
    assert_int_equal(entry.total_ns, entry.last_ns);
    assert_int_equal(entry.running_count, 0);
    assert_int_equal(entry.count, 1);
}

static void test_short_operations_are_not_noted_however_many(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        begin(&runner, "map.get", i);
        assert_int_equal(pass(3 * MS), 0);
        end(&runner);
        // The next one begins at once, under the same name.
    }
    assert_int_equal(fil_slow_table_count(&watchdog.table), 0);
}

static void test_repeats_are_counted_in_one_entry(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        begin(&runner, "map.clear", i);
        assert_int_equal(pass(30 * MS), 1);
        end(&runner);
    }
    begin(&runner, "map.size", 0);
    assert_int_equal(pass(20 * MS), 1);
    end(&runner);
    (void)pass(10 * MS);
    assert_int_equal(fil_slow_table_count(&watchdog.table), 2);
    struct fil_slow_entry entry = longest();
    assert_string_equal(entry.op, "map.clear");
    assert_int_equal(entry.count, 5);
    assert_int_equal(entry.partition_id, 4);
    assert_int_equal(entry.running_count, 0);
}

static void test_the_threshold_can_be_chosen(void **state)
{
    (void)state;
    fil_watchdog_fini(&watchdog);
    struct fil_watchdog_options chosen = options();
    chosen.threshold_ns = 1000 * MS;
    assert_int_equal(fil_watchdog_init(&watchdog, &chosen), FIL_OK);
    assert_int_equal(fil_watchdog_add(&watchdog, &runner, FIL_WATCHDOG_NO_THREAD), FIL_OK);
    begin(&runner, "map.put", 1);
    assert_int_equal(pass(999 * MS), 0);
    assert_int_equal(pass(600 * MS), 1);
    assert_true(looks() <= 4);
}

static void test_more_slow_ones_than_one_look_takes_are_found_by_the_next(void **state)
{
    (void)state;
    struct fil_runner many[11];
    for (uint32_t i = 0; i < FIL_COUNT_OF(many); i++) {
        many[i] = (struct fil_runner){.name = "partition/x"};
        assert_int_equal(fil_watchdog_add(&watchdog, &many[i], FIL_WATCHDOG_NO_THREAD), FIL_OK);
        begin(&many[i], "map.put", i);
    }
    assert_int_equal(pass(60 * MS), FIL_COUNT_OF(many));
    assert_int_equal(longest().count, FIL_COUNT_OF(many));
    assert_int_equal(longest().running_count, FIL_COUNT_OF(many));
}

#define MANY 100U

static struct fil_runner many_runners[MANY];

/** Operations that a look has seen, and that their runners have measured before the next. */
static void end_many_between_two_looks(void)
{
    for (uint32_t i = 0; i < MANY; i++) {
        many_runners[i] = (struct fil_runner){.name = "partition/x"};
        assert_int_equal(fil_watchdog_add(&watchdog, &many_runners[i], FIL_WATCHDOG_NO_THREAD),
                         FIL_OK);
        begin(&many_runners[i], "map.put", i);
    }
    assert_int_equal(pass(10 * MS), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        // As fil_activity_measure does.
        assert_int_not_equal(atomic_exchange(&many_runners[i].suspect_count, 0), 0);
        atomic_store(&many_runners[i].suspect_took_ns, (11 + i) * MS);
        end(&many_runners[i]);
    }
}

static void check_many_are_noted(void)
{
    struct fil_slow_entry entry = longest();
    assert_int_equal(entry.count, MANY);
    assert_int_equal(entry.max_ns, (11 + MANY - 1) * MS);
    assert_string_equal(entry.thread, "partition/x");
    assert_int_equal(entry.running_count, 0);
    assert_int_equal(fil_counter_read(&watchdog.stats.slow_ops), MANY);
}

static void test_all_that_end_between_two_looks_are_noted(void **state)
{
    (void)state;
    end_many_between_two_looks();
    assert_int_equal(pass(5 * MS), MANY); // one look
    check_many_are_noted();
    assert_int_equal(pass(100 * MS), 0);
}

static void test_what_runners_that_leave_have_measured_is_noted(void **state)
{
    (void)state;
    end_many_between_two_looks();
    for (uint32_t i = 0; i < MANY; i++) {
        fil_watchdog_remove(&watchdog, &many_runners[i]);
    }
    memset(many_runners, 0xff, sizeof(many_runners)); // they are gone
    assert_int_equal(pass(5 * MS), MANY);
    check_many_are_noted();
}

static void test_one_that_was_measured_and_has_not_said_so_counts_once(void **state)
{
    (void)state;
    begin(&runner, "map.put", 1);
    assert_int_equal(pass(10 * MS), 0);
    // Between the two steps of its end.
    atomic_store(&runner.suspect_count, 0);
    atomic_store(&runner.suspect_took_ns, 14 * MS);
    assert_int_equal(pass(5 * MS), 1);
    end(&runner);
    assert_int_equal(pass(50 * MS), 0);
    assert_int_equal(longest().count, 1);
}

static void test_operations_in_place_are_told_apart_by_their_runs(void **state)
{
    (void)state;
    begin(&runner, "get", 1);
    for (uint32_t i = 0; i < 100; i++) {
        fil_counter_add(&runner.stats.runs, 1); // all that a turn counts
        assert_int_equal(pass(MS), 0);
    }
    assert_int_equal(pass(16 * MS), 1);
}

static void test_work_without_a_partition_shows_none(void **state)
{
    (void)state;
    begin(&runner, "http", FIL_OP_NO_PARTITION);
    assert_int_equal(pass(16 * MS), 1);
    assert_int_equal(longest().partition_id, FIL_OP_NO_PARTITION);
}

static void test_the_time_of_slow_operations_is_counted_for_their_runner(void **state)
{
    (void)state;
    begin(&runner, "map.put", 1);
    (void)pass(8 * MS);
    assert_int_equal(fil_counter_read(&runner.stats.stalled_cpu_ns), 0);
    (void)pass(92 * MS);
    uint64_t held = fil_counter_read(&runner.stats.stalled_cpu_ns);
    assert_in_range(held, 85 * MS, 100 * MS); // no thread to ask: it counts as computing
    assert_int_equal(fil_counter_read(&runner.stats.stalled_sleep_ns), 0);
    end(&runner);
    (void)pass(100 * MS);
    assert_int_equal(fil_counter_read(&runner.stats.stalled_cpu_ns), held);
}

static void test_what_is_not_told_is_counted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        begin(&runner, "map.put", 1);
        assert_int_equal(pass(20 * MS), 1);
        end(&runner);
        (void)pass(5 * MS);
    }
    assert_int_equal(fil_counter_read(&watchdog.stats.slow_ops), 20);
    assert_int_equal(fil_counter_read(&watchdog.stats.untold), 19);
}

static void test_looks_become_rare_when_nothing_runs(void **state)
{
    (void)state;
    (void)pass(1000 * MS);
    uint64_t before = looks();
    (void)pass(10000 * MS);
    assert_in_range(looks() - before, 90, 110); // ten a second
    assert_int_equal(tick_count, looks());
}

static void test_looks_are_close_while_something_runs_or_has_run(void **state)
{
    (void)state;
    (void)pass(1000 * MS);
    begin(&runner, "map.put", 1);
    (void)pass(100 * MS); // the end of a doze
    uint64_t before = looks();
    (void)pass(1000 * MS);
    assert_in_range(looks() - before, 190, 210);
    before = looks();
    for (uint32_t i = 0; i < 1000; i++) {
        begin(&runner, "map.put", 1);
        end(&runner); // never seen running, but counted
        (void)pass(MS);
    }
    assert_in_range(looks() - before, 190, 210);
}

static void test_a_stir_ends_the_doze(void **state)
{
    (void)state;
    (void)pass(1000 * MS);
    assert_true(fil_watchdog_next_ns(&watchdog) > sim.now_ns);
    (void)fil_watchdog_cycle(&watchdog);
    fil_watchdog_stir(&watchdog);
    begin(&runner, "map.put", 1);
    assert_int_equal(pass(16 * MS), 1);
    // One stir is enough, and awake it costs nothing.
    assert_false(atomic_load(&watchdog.is_dozing));
    fil_watchdog_stir(&watchdog);
    assert_true(fil_watchdog_next_ns(&watchdog) <= sim.now_ns + 5 * MS);
}

static void test_waking_by_itself_it_needs_no_stir(void **state)
{
    (void)state;
    (void)pass(1000 * MS);
    begin(&runner, "map.put", 1);
    (void)pass(200 * MS);
    assert_false(atomic_load(&watchdog.is_dozing));
}

static void test_too_many_runners_are_refused_and_counted(void **state)
{
    (void)state;
    fil_watchdog_fini(&watchdog);
    struct fil_watchdog_options chosen = options();
    chosen.runner_count_max = 2;
    assert_int_equal(fil_watchdog_init(&watchdog, &chosen), FIL_OK);
    struct fil_runner others[2] = {{.name = "io/0"}, {.name = "io/1"}};
    assert_int_equal(fil_watchdog_add(&watchdog, &runner, 0), FIL_OK);
    assert_int_equal(fil_watchdog_add(&watchdog, &runner, 0), FIL_E_EXISTS);
    assert_int_equal(fil_watchdog_add(&watchdog, &others[0], 0), FIL_OK);
    assert_int_equal(fil_watchdog_add(&watchdog, &others[1], 0), FIL_E_LIMIT);
    assert_int_equal(fil_counter_read(&watchdog.stats.refused_runners), 1);
    fil_watchdog_remove(&watchdog, &others[0]);
    fil_watchdog_remove(&watchdog, &others[0]);
    (void)pass(20 * MS); // the place is free when its books are closed
    assert_int_equal(fil_watchdog_add(&watchdog, &others[1], 0), FIL_OK);
}

static void test_a_removed_runner_is_not_touched_and_its_books_are_closed(void **state)
{
    (void)state;
    struct fil_runner *brief = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*brief));
    assert_non_null(brief);
    brief->name = "brief";
    assert_int_equal(fil_watchdog_add(&watchdog, brief, 0), FIL_OK);
    begin(brief, "map.put", 3);
    assert_int_equal(pass(20 * MS), 1);
    assert_int_equal(longest().running_count, 1);
    fil_watchdog_remove(&watchdog, brief);
    fil_free(brief); // whoever reads it now is told by the address sanitizer
    (void)pass(20 * MS);
    assert_int_equal(longest().running_count, 0);
}

static void test_each_slow_operation_is_logged(void **state)
{
    (void)state;
    struct fil_log *log = fil_log_new(
        &(struct fil_log_options){.env = &sim.env, .fd = LOG_FD, .level = FIL_LOG_INFO});
    assert_non_null(log);
    watchdog.options.log = log;
    for (uint32_t i = 0; i < 3; i++) {
        begin(&runner, "map.put", 17);
        assert_int_equal(pass(20 * MS), 1);
        end(&runner);
        (void)pass(5 * MS);
    }
    while (fil_log_cycle(log) > 0) {
    }
    struct fil_bytes written = fil_sim_captured(&sim, LOG_FD);
    char text[1024];
    assert_true(written.size < sizeof(text));
    memcpy(text, written.data, written.size);
    text[written.size] = '\0';
    assert_non_null(strstr(text, " level=warn "));
    assert_non_null(strstr(text, " event=slow_operation op=map.put partition=17 thread=partition/0 "
                                 "took_ms=10"));
    assert_null(strstr(strchr(text, '\n') + 1, "event=slow_operation ")); // repeats are collapsed
    fil_log_free(log);
}

static void test_looking_allocates_nothing(void **state)
{
    (void)state;
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < 200; i++) {
        char op[16];
        (void)snprintf(op, sizeof(op), "op.%u", i);
        begin(&runner, op, i);
        assert_int_equal(pass(20 * MS), 1);
        end(&runner);
        (void)pass(5 * MS);
    }
    assert_int_equal(fil_alloc_count(), before);
}

static void test_init_survives_failing_memory(void **state)
{
    (void)state;
    struct fil_watchdog other;
    struct fil_watchdog_options chosen = options();
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error != FIL_OK; after++) {
        assert_true(after < 8);
        fil_alloc_fail_after(after);
        error = fil_watchdog_init(&other, &chosen);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        fil_watchdog_fini(&other);
    }
}

// With real threads.

/** A thread that runs operations on a partition, one of which does not come back. */
struct worker {
    struct fil_thread thread;
    struct fil_exec *exec;
    struct fil_runner runner;
    struct fil_watchdog *watchdog;
    struct fil_mutex mutex;
    _Atomic bool is_over;
    _Atomic uint32_t completed;
};

struct slow_op {
    struct fil_op op;
    struct worker *worker;
};

static __attribute__((noinline)) void hold_the_thread(struct worker *worker)
{
    // Not before: whenever the watchdog looks, the thread is in here.
    assert_int_equal(fil_watchdog_add(worker->watchdog, &worker->runner, fil_thread_id()), FIL_OK);
    fil_watchdog_stir(worker->watchdog);
    while (!atomic_load_explicit(&worker->is_over, memory_order_acquire)) {
        // The thread sanitizer delivers signals only in calls that it knows, such as these.
        fil_mutex_lock(&worker->mutex);
        fil_mutex_unlock(&worker->mutex);
    }
}

static enum fil_op_outcome run_slowly(struct fil_op *op, struct fil_partition *partition)
{
    (void)partition;
    hold_the_thread(FIL_CONTAINER_OF(op, struct slow_op, op)->worker);
    return FIL_OP_DONE;
}

static void count_completed(struct fil_op *op, struct fil_runner *completer)
{
    (void)completer;
    struct worker *worker = FIL_CONTAINER_OF(op, struct slow_op, op)->worker;
    atomic_fetch_add_explicit(&worker->completed, 1, memory_order_release);
}

static const struct fil_op_type slow_type = {
    .name = "test.slow", .run = run_slowly, .complete = count_completed};

static void run_worker(void *context)
{
    struct worker *worker = context;
    struct slow_op slow = {.worker = worker};
    fil_op_init(&slow.op, &slow_type, 5);
    fil_exec_submit(worker->exec, &slow.op, &worker->runner);
    fil_watchdog_remove(worker->watchdog, &worker->runner);
}

static struct fil_exec *new_exec(struct fil_budget *budget, struct fil_env *env)
{
    struct fil_exec *exec = NULL;
    fil_budget_init(budget, UINT64_C(1) << 30);
    struct fil_exec_options chosen = {
        .env = env,
        .budget = budget,
        .partition_count = 8,
        .thread_count = 1,
        .has_caller_runs = true,
    };
    assert_int_equal(fil_exec_new(&exec, &chosen), FIL_OK);
    return exec;
}

/** An operation of that length on a runner that measures; the watchdog looks meanwhile. */
static uint32_t run_for(struct fil_runner *who, uint64_t duration_ns)
{
    who->now_ns = sim.now_ns;
    const char *outer = fil_activity_begin(who, "map.put");
    fil_activity_place(who, 17);
    uint32_t found = pass(duration_ns);
    fil_activity_end(who, outer);
    return found;
}

static void test_what_ended_between_two_looks_is_measured_to_its_end(void **state)
{
    (void)state;
    struct fil_budget budget;
    struct fil_exec *exec = new_exec(&budget, &sim.env);
    struct fil_runner measured;
    fil_runner_init(&measured, exec, "partition/1");
    assert_int_equal(fil_watchdog_add(&watchdog, &measured, FIL_WATCHDOG_NO_THREAD), FIL_OK);
    // Long enough, but no look sees it at the end of the threshold: only its end tells.
    assert_int_equal(run_for(&measured, 11 * MS), 0);
    assert_int_equal(pass(10 * MS), 1);
    struct fil_slow_entry entry = longest();
    assert_string_equal(entry.op, "map.put");
    assert_int_equal(entry.partition_id, 17);
    assert_int_equal(entry.last_ns, 11 * MS);
    assert_int_equal(entry.running_count, 0);
    // One that was noted while it ran gets its exact length in the end.
    assert_int_equal(run_for(&measured, 48 * MS), 1);
    assert_int_equal(pass(10 * MS), 0);
    entry = longest();
    assert_int_equal(entry.last_ns, 48 * MS);
    assert_int_equal(entry.count, 2);
    assert_int_equal(entry.total_ns, 59 * MS);
    // What is shorter than the threshold is nothing, seen or not.
    assert_int_equal(run_for(&measured, 9 * MS), 0);
    assert_int_equal(pass(10 * MS), 0);
    assert_int_equal(fil_counter_read(&watchdog.stats.slow_ops), 2);
    fil_watchdog_remove(&watchdog, &measured);
    fil_exec_free(exec);
}

static void test_a_thread_that_is_held_is_named_with_its_stack(void **state)
{
    (void)state;
    struct fil_budget budget;
    struct fil_exec *exec = new_exec(&budget, fil_env_real());
    struct fil_watchdog real;
    assert_int_equal(fil_watchdog_init(&real, &(struct fil_watchdog_options){.env = fil_env_real(),
                                                                             .threshold_ns = MS}),
                     FIL_OK);
    assert_int_equal(fil_watchdog_start(&real), FIL_OK);
    struct worker worker = {.exec = exec, .watchdog = &real};
    fil_mutex_init(&worker.mutex);
    fil_runner_init(&worker.runner, exec, "application/1");
    assert_int_equal(fil_thread_start(&worker.thread, "application-1", run_worker, &worker),
                     FIL_OK);

    struct fil_slow_entry entry = {.serial = 0};
    while (entry.serial == 0) {
        fil_thread_yield();
        fil_slow_table_each(&real.table, keep_longest, &entry);
    }
    atomic_store_explicit(&worker.is_over, true, memory_order_release);
    fil_thread_join(&worker.thread);
    fil_watchdog_stop(&real);

    assert_string_equal(entry.op, "test.slow");
    assert_string_equal(entry.thread, "application/1");
    assert_int_equal(entry.partition_id, 5);
    // On a loaded machine the thread may not get a cpu in time to answer: then that is counted.
    if (fil_counter_read(&real.stats.blind) == 0) {
        assert_non_null(strstr(entry.stack, "hold_the_thread+0x"));
        assert_non_null(strstr(entry.stack, "fil_exec_submit+0x"));
    }
    assert_int_equal(atomic_load(&worker.completed), 1);
    fil_mutex_fini(&worker.mutex);
    fil_watchdog_fini(&real);
    fil_exec_free(exec);
}

#define COMERS 4U
#define COMES  300U

struct comer {
    struct fil_thread thread;
    struct fil_watchdog *watchdog;
    uint32_t refused;
};

static void come_and_go(void *context)
{
    struct comer *comer = context;
    for (uint32_t i = 0; i < COMES; i++) {
        struct fil_runner mine = {.name = "comer"};
        int error = fil_watchdog_add(comer->watchdog, &mine, fil_thread_id());
        fil_watchdog_stir(comer->watchdog);
        begin(&mine, "test.op", i);
        fil_thread_yield();
        end(&mine);
        fil_watchdog_remove(comer->watchdog, &mine);
        comer->refused += error != FIL_OK;
        assert_true(error == FIL_OK || error == FIL_E_LIMIT);
    }
}

static void test_runners_come_and_go_while_it_looks(void **state)
{
    (void)state;
    struct fil_watchdog real;
    struct fil_watchdog_options chosen = {
        .env = fil_env_real(), .threshold_ns = 20000, .runner_count_max = 16};
    assert_int_equal(fil_watchdog_init(&real, &chosen), FIL_OK);
    assert_int_equal(fil_watchdog_start(&real), FIL_OK);
    struct comer comers[COMERS];
    for (uint32_t i = 0; i < COMERS; i++) {
        comers[i] = (struct comer){.watchdog = &real};
        assert_int_equal(fil_thread_start(&comers[i].thread, "comer", come_and_go, &comers[i]),
                         FIL_OK);
    }
    uint32_t refused = 0;
    for (uint32_t i = 0; i < COMERS; i++) {
        fil_thread_join(&comers[i].thread);
        refused += comers[i].refused;
    }
    fil_watchdog_stop(&real);
    assert_int_equal(fil_counter_read(&real.stats.refused_runners), refused);
    for (uint32_t i = 0; i < real.watch_count; i++) {
        assert_null(real.watches[i].runner);
    }
    fil_watchdog_fini(&real);
}

static void test_stop_ends_a_doze_at_once(void **state)
{
    (void)state;
    struct fil_watchdog real;
    // Without a runner it dozes off; a threshold of hours makes each sleep one that must be ended.
    struct fil_watchdog_options chosen = {.env = fil_env_real(), .threshold_ns = 3600000 * MS * 2};
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(fil_watchdog_init(&real, &chosen), FIL_OK);
        assert_int_equal(fil_watchdog_start(&real), FIL_OK);
        fil_watchdog_stop(&real);
        fil_watchdog_fini(&real);
    }
}

int main(void)
{
#define WITH_WATCHDOG(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_WATCHDOG(test_an_operation_beyond_the_threshold_is_noted_once),
        WITH_WATCHDOG(test_the_duration_is_exact_to_a_look_and_final_in_the_end),
        WITH_WATCHDOG(test_what_ended_between_two_looks_is_measured_to_its_end),
        WITH_WATCHDOG(test_short_operations_are_not_noted_however_many),
        WITH_WATCHDOG(test_repeats_are_counted_in_one_entry),
        WITH_WATCHDOG(test_the_threshold_can_be_chosen),
        WITH_WATCHDOG(test_more_slow_ones_than_one_look_takes_are_found_by_the_next),
        WITH_WATCHDOG(test_all_that_end_between_two_looks_are_noted),
        WITH_WATCHDOG(test_what_runners_that_leave_have_measured_is_noted),
        WITH_WATCHDOG(test_one_that_was_measured_and_has_not_said_so_counts_once),
        WITH_WATCHDOG(test_operations_in_place_are_told_apart_by_their_runs),
        WITH_WATCHDOG(test_work_without_a_partition_shows_none),
        WITH_WATCHDOG(test_the_time_of_slow_operations_is_counted_for_their_runner),
        WITH_WATCHDOG(test_what_is_not_told_is_counted),
        WITH_WATCHDOG(test_looks_become_rare_when_nothing_runs),
        WITH_WATCHDOG(test_looks_are_close_while_something_runs_or_has_run),
        WITH_WATCHDOG(test_a_stir_ends_the_doze),
        WITH_WATCHDOG(test_waking_by_itself_it_needs_no_stir),
        WITH_WATCHDOG(test_too_many_runners_are_refused_and_counted),
        WITH_WATCHDOG(test_a_removed_runner_is_not_touched_and_its_books_are_closed),
        WITH_WATCHDOG(test_each_slow_operation_is_logged),
        WITH_WATCHDOG(test_looking_allocates_nothing),
        WITH_WATCHDOG(test_init_survives_failing_memory),
        cmocka_unit_test(test_a_thread_that_is_held_is_named_with_its_stack),
        cmocka_unit_test(test_runners_come_and_go_while_it_looks),
        cmocka_unit_test(test_stop_ends_a_doze_at_once),
    };
    return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
