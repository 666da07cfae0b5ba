// SPDX-License-Identifier: Apache-2.0
/**
 * The simulated environment without its network, one test a promise: time stands still unless it
 * is moved; randomness, trace and hash follow the seed; files are what the test put there; nothing
 * leaks unseen; memory may run out at any allocation; misuse stops the run.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/unit/lib/base/assertion.h"
#include "tests/unit/support/sim_pair.h"

static void test_clock_stands_still_until_it_is_moved(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    uint64_t start_ns = fil_env_now_ns(&sim.env);
    uint64_t wall_ns = fil_env_wall_ns(&sim.env);
    assert_true(start_ns > 0);
    assert_int_equal(fil_env_now_ns(&sim.env), start_ns);

    fil_sim_advance(&sim, 250);
    assert_int_equal(fil_env_now_ns(&sim.env), start_ns + 250);
    assert_int_equal(fil_env_wall_ns(&sim.env), wall_ns + 250);
    fil_sim_advance_to(&sim, start_ns + 1000);
    assert_int_equal(fil_env_now_ns(&sim.env), start_ns + 1000);
    fil_sim_fini(&sim);
}

static void test_random_bytes_follow_the_seed(void **state)
{
    (void)state;
    uint8_t bytes[3][16];
    const uint64_t seeds[] = {7, 7, 8};
    for (size_t i = 0; i < 3; i++) {
        struct fil_sim sim;
        assert_int_equal(fil_sim_init(&sim, seeds[i], NULL), FIL_OK);
        sim.env.ops->random(&sim.env, bytes[i], sizeof(bytes[i]));
        fil_sim_fini(&sim);
    }
    assert_memory_equal(bytes[0], bytes[1], sizeof(bytes[0]));
    assert_memory_not_equal(bytes[0], bytes[2], sizeof(bytes[0]));
}

static void test_next_event_is_the_earliest_timer_ahead(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    assert_true(fil_sim_next_event_ns(&sim) == FIL_SIM_NEVER);

    struct fil_sim_timer timers[2];
    uint64_t now_ns = sim.now_ns;
    for (size_t i = 0; i < 2; i++) {
        fil_sim_timer_init(&timers[i]);
        fil_sim_timer_set(&sim, &timers[i], now_ns + 50 - 10 * i);
    }
    assert_int_equal(fil_sim_next_event_ns(&sim), now_ns + 40);
    fil_sim_timer_set(&sim, &timers[1], now_ns + 70);
    assert_int_equal(fil_sim_next_event_ns(&sim), now_ns + 50);
    fil_sim_timer_cancel(&timers[0]);
    assert_int_equal(fil_sim_next_event_ns(&sim), now_ns + 70);
    fil_sim_timer_cancel(&timers[1]);
    fil_sim_fini(&sim);
}

static void test_file_is_read_whole_or_not_at_all(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    struct fil_env *env = &sim.env;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(env->ops->file_read(env, "a.yaml", 100, &text, &size), FIL_E_NOT_FOUND);

    assert_int_equal(fil_sim_file_put(&sim, "a.yaml", fil_bytes_of("old")), FIL_OK);
    assert_int_equal(fil_sim_file_put(&sim, "a.yaml", fil_bytes_of("12345")), FIL_OK);
    assert_int_equal(env->ops->file_read(env, "a.yaml", 4, &text, &size), FIL_E_LIMIT);
    assert_int_equal(env->ops->file_read(env, "a.yaml", 5, &text, &size), FIL_OK);
    assert_int_equal(size, 5);
    assert_string_equal(text, "12345");
    fil_free(text);
    fil_sim_fini(&sim);
}

static void test_file_table_is_bounded(void **state)
{
    (void)state;
    struct fil_sim sim;
    assert_int_equal(fil_sim_init(&sim, 1, NULL), FIL_OK);
    char path[16];
    for (uint32_t i = 0; i < FIL_SIM_FILES_MAX; i++) {
        (void)snprintf(path, sizeof(path), "file%u", i);
        assert_int_equal(fil_sim_file_put(&sim, path, fil_bytes_of("")), FIL_OK);
    }
    assert_int_equal(fil_sim_file_put(&sim, "more", fil_bytes_of("")), FIL_E_LIMIT);
    assert_int_equal(fil_sim_file_put(&sim, "file0", fil_bytes_of("new")), FIL_OK);
    fil_sim_fini(&sim);
}

static void test_written_files_keep_their_last_bytes(void **state)
{
    (void)state;
    struct fil_sim sim;
    struct fil_sim_options options = {.capture_bytes_max = 8};
    assert_int_equal(fil_sim_init(&sim, 1, &options), FIL_OK);
    struct fil_env *env = &sim.env;
    assert_int_equal(env->ops->file_write(env, 2, "abc", 3), 3);
    assert_int_equal(env->ops->file_write(env, 2, "defgh", 5), 5);
    assert_true(fil_bytes_equal_text(fil_sim_captured(&sim, 2), "abcdefgh"));
    assert_int_equal(env->ops->file_write(env, 2, "ij", 2), 2);
    assert_true(fil_bytes_equal_text(fil_sim_captured(&sim, 2), "cdefghij"));
    assert_int_equal(env->ops->file_write(env, 2, "0123456789", 10), 10);
    assert_true(fil_bytes_equal_text(fil_sim_captured(&sim, 2), "23456789"));
    assert_int_equal(fil_sim_captured(&sim, 1).size, 0);
    fil_sim_fini(&sim);
}

static void test_written_files_fail_and_fall_short_by_chance(void **state)
{
    (void)state;
    struct fil_sim sim;
    struct fil_sim_options options = {
        .chance = {[FIL_SIM_FAULT_FILE_ERROR] = 0.3, [FIL_SIM_FAULT_FILE_SHORT] = 0.3}};
    assert_int_equal(fil_sim_init(&sim, 1, &options), FIL_OK);
    uint64_t errors = 0;
    uint64_t shorts = 0;
    size_t written = 0;
    for (int i = 0; i < 100; i++) {
        int64_t result = sim.env.ops->file_write(&sim.env, 1, "abcdef", 6);
        errors += result == FIL_E_IO;
        shorts += result > 0 && result < 6;
        written += result > 0 ? (size_t)result : 0;
    }
    assert_true(errors > 0);
    assert_true(shorts > 0);
    assert_int_equal(fil_sim_faults(&sim, FIL_SIM_FAULT_FILE_ERROR), errors);
    assert_int_equal(fil_sim_faults(&sim, FIL_SIM_FAULT_FILE_SHORT), shorts);
    assert_int_equal(fil_sim_captured(&sim, 1).size, written);
    fil_sim_fini(&sim);
}

/** Some of everything; returns the hash, and the text when there is a file for it. */
static uint64_t run_something(uint64_t seed, FILE *trace)
{
    struct fil_sim_options options = {.delay_ns = {.min = 10, .max = 1000},
                                      .segment_bytes = {.min = 1, .max = 3}};
    struct sim_pair pair;
    sim_pair_open(&pair, seed, &options);
    fil_sim_trace_to(&pair.sim, trace);
    assert_int_equal(sim_pair_send(&pair, pair.client, "hello world", 11), 11);
    sim_pair_settle(&pair);
    char text[16];
    assert_int_equal(sim_pair_receive(&pair, pair.server, text, sizeof(text)), 11);
    fil_sim_trace_to(&pair.sim, NULL);
    uint64_t hash = fil_sim_trace_hash(&pair.sim);
    sim_pair_close(&pair);
    return hash;
}

static void test_trace_is_the_same_for_the_same_seed(void **state)
{
    (void)state;
    char *texts[3] = {0};
    size_t sizes[3] = {0};
    uint64_t hashes[3] = {0};
    const uint64_t seeds[] = {3, 3, 4};
    for (size_t i = 0; i < 3; i++) {
        FILE *trace = open_memstream(&texts[i], &sizes[i]);
        assert_non_null(trace);
        hashes[i] = run_something(seeds[i], trace);
        assert_int_equal(fclose(trace), 0);
    }
    assert_true(hashes[0] == hashes[1]);
    assert_string_equal(texts[0], texts[1]);
    assert_non_null(strstr(texts[0], " send fd=17 result=11 "));
    assert_non_null(strstr(texts[0], " arrive fd=18 bytes="));
    assert_true(hashes[0] != hashes[2]);
    assert_string_not_equal(texts[0], texts[2]);
    for (size_t i = 0; i < 3; i++) {
        fil_free(texts[i]);
    }
}

/** The hash after one action that is told by its numbers alone. */
static uint64_t hash_of(bool is_client, uint32_t interest, int64_t timeout_ns, uint64_t elapsed_ns)
{
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    struct fil_env *env = &pair.sim.env;
    struct fil_poller *poller = NULL;
    struct fil_poll_event event;
    int fd = is_client ? pair.client : pair.server;
    fil_sim_advance(&pair.sim, elapsed_ns);
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    assert_int_equal(env->ops->poller_add(env, poller, fd, interest, NULL), FIL_OK);
    assert_int_equal(env->ops->poller_wait(env, poller, &event, 1, timeout_ns), 0);
    uint64_t hash = fil_sim_trace_hash(&pair.sim);
    env->ops->poller_free(env, poller);
    sim_pair_close(&pair);
    return hash;
}

static void test_hash_tells_every_number(void **state)
{
    (void)state;
    uint64_t hash = hash_of(false, FIL_POLL_READ, 100, 5);
    assert_true(hash == hash_of(false, FIL_POLL_READ, 100, 5));
    assert_true(hash != hash_of(true, FIL_POLL_READ, 100, 5));
    assert_true(hash != hash_of(false, 0, 100, 5));
    assert_true(hash != hash_of(false, FIL_POLL_READ, 101, 5));
    assert_true(hash != hash_of(false, FIL_POLL_READ, 100, 6));
}

static void test_hash_does_not_depend_on_being_written(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *trace = open_memstream(&text, &size);
    assert_non_null(trace);
    assert_true(run_something(5, trace) == run_something(5, NULL));
    assert_int_equal(fclose(trace), 0);
    fil_free(text);
}

static void test_drawn_options_are_valid_and_vary(void **state)
{
    (void)state;
    uint32_t with_resets = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct fil_sim_options options;
        struct fil_sim_options again;
        memset(&options, 0, sizeof(options));
        memset(&again, 0, sizeof(again));
        fil_sim_options_draw(&options, seed);
        fil_sim_options_draw(&again, seed);
        assert_memory_equal(&options, &again, sizeof(options));
        with_resets += options.chance[FIL_SIM_FAULT_RESET] > 0;
        struct fil_sim sim;
        assert_int_equal(fil_sim_init(&sim, seed, &options), FIL_OK);
        fil_sim_fini(&sim);
    }
    assert_true(with_resets > 20);
    assert_true(with_resets < 80);
}

static void fini_pair(void *context)
{
    struct sim_pair *pair = context;
    fil_sim_fini(&pair->sim);
}

static void test_leak_is_reported_and_stops_the_test(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 99, NULL);
    struct fil_env *env = &pair.sim.env;
    struct fil_poller *poller = NULL;
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    sim_pair_shut(&pair, &pair.listener);

    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(fil_sim_report(&pair.sim, out), 3);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "seed=99"));
    assert_non_null(strstr(text, "descriptor 17: connect of client at 1000000000 ns"));
    assert_non_null(strstr(text, "descriptor 18: accept of the program"));
    assert_non_null(strstr(text, "poller 1"));
    fil_free(text);

    assert_true(assertion_stops(fini_pair, &pair));
    env->ops->poller_free(env, poller);
    assert_true(assertion_stops(fini_pair, &pair));
    sim_pair_shut(&pair, &pair.client);
    assert_true(assertion_stops(fini_pair, &pair));
    sim_pair_shut(&pair, &pair.server);
    assert_false(assertion_stops(fini_pair, &pair));
}

static void test_timer_left_behind_is_a_leak(void **state)
{
    (void)state;
    struct sim_pair pair;
    assert_int_equal(fil_sim_init(&pair.sim, 1, NULL), FIL_OK);
    struct fil_sim_timer timer;
    fil_sim_timer_init(&timer);
    fil_sim_timer_set(&pair.sim, &timer, 1);
    assert_true(assertion_stops(fini_pair, &pair));
    fil_sim_timer_cancel(&timer);
    assert_false(assertion_stops(fini_pair, &pair));
}

static void receive_from_server(void *context)
{
    struct sim_pair *pair = context;
    char byte = 0;
    (void)sim_pair_receive(pair, pair->server, &byte, 1);
}

static void test_closed_descriptor_stops_the_test(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_open(&pair, 1, NULL);
    assert_false(assertion_stops(receive_from_server, &pair));
    pair.sim.env.ops->close(&pair.sim.env, pair.server);
    assert_true(assertion_stops(receive_from_server, &pair));
    pair.server = -1;
    sim_pair_close(&pair);
}

static void test_memory_may_run_out_in_every_allocation(void **state)
{
    (void)state;
    struct fil_sim sim;
    int64_t position = 0;
    int error = FIL_E_NOMEM;
    while (error != FIL_OK) {
        fil_alloc_fail_after(position);
        error = fil_sim_init(&sim, 1, NULL);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
        position++;
    }
    assert_true(position > 2);

    struct fil_poller *poller = NULL;
    fil_alloc_fail_after(0);
    assert_int_equal(sim.env.ops->poller_new(&sim.env, &poller), FIL_E_NOMEM);
    for (int64_t i = 0; i < 2; i++) {
        fil_alloc_fail_after(i);
        assert_int_equal(fil_sim_file_put(&sim, "a", fil_bytes_of("b")), FIL_E_NOMEM);
    }
    fil_alloc_fail_after(-1);
    fil_sim_fini(&sim);
}

static void test_network_allocates_nothing_after_init(void **state)
{
    (void)state;
    struct sim_pair pair;
    sim_pair_listen(&pair, 1, NULL);
    uint64_t before = fil_alloc_count();
    for (int i = 0; i < 100; i++) {
        pair.client = sim_pair_connect(&pair);
        pair.server = sim_pair_accept(&pair);
        assert_int_equal(sim_pair_send(&pair, pair.client, "x", 1), 1);
        sim_pair_shut(&pair, &pair.client);
        sim_pair_shut(&pair, &pair.server);
    }
    assert_int_equal(fil_alloc_count(), before);
    sim_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock_stands_still_until_it_is_moved),
        cmocka_unit_test(test_random_bytes_follow_the_seed),
        cmocka_unit_test(test_next_event_is_the_earliest_timer_ahead),
        cmocka_unit_test(test_file_is_read_whole_or_not_at_all),
        cmocka_unit_test(test_file_table_is_bounded),
        cmocka_unit_test(test_written_files_keep_their_last_bytes),
        cmocka_unit_test(test_written_files_fail_and_fall_short_by_chance),
        cmocka_unit_test(test_trace_is_the_same_for_the_same_seed),
        cmocka_unit_test(test_hash_tells_every_number),
        cmocka_unit_test(test_hash_does_not_depend_on_being_written),
        cmocka_unit_test(test_drawn_options_are_valid_and_vary),
        cmocka_unit_test(test_leak_is_reported_and_stops_the_test),
        cmocka_unit_test(test_timer_left_behind_is_a_leak),
        cmocka_unit_test(test_closed_descriptor_stops_the_test),
        cmocka_unit_test(test_memory_may_run_out_in_every_allocation),
        cmocka_unit_test(test_network_allocates_nothing_after_init),
    };
    return cmocka_run_group_tests_name("sim_env", tests, NULL, NULL);
}
