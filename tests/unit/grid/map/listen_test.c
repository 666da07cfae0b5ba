// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners of a map, one test a promise: each kind of change is told to those that want it, with
 * values or without, of one key or of all; changes of a key come in their order; clear and
 * evict-all are told once with the number of entries; after close nothing is told; who does not
 * listen costs nothing; events without memory or room are counted and told; opening and closing
 * without memory change nothing; a map is freed with its listeners.
 */
#include "grid/map/listen.h"

#include "core/exec/event.h"
#include "grid/map/entry.h"
#include "grid/map/walk.h"
#include "tests/unit/grid/map/map_fixture.h"

static struct fil_events events;
static char told[1024];
static uint64_t last_seq;
static uint64_t last_lost;
static uint32_t lanes; // bits of those that events came by
static uint32_t opened_count;
static uint32_t closed_count;

static int set_up_with(uint32_t capacity)
{
    static struct hand_clock clock;
    hand_clock_init(&clock);
    int error = fil_events_init(&events, &(struct fil_events_options){.env = &clock.env,
                                                                      .thread_count = 2,
                                                                      .capacity = capacity,
                                                                      .idle = FIL_IDLE_KIND_BLOCK});
    open_map_in(&(struct fil_map_config){0}, &events);
    told[0] = '\0';
    last_seq = 0;
    last_lost = 0;
    lanes = 0;
    opened_count = 0;
    closed_count = 0;
    return error;
}

static int set_up(void **state)
{
    (void)state;
    return set_up_with(1000);
}

static void deliver_all(void) FIL_BEFORE_SHARING
{
    uint32_t moved = 1;
    while (moved > 0) {
        moved = 0;
        for (uint32_t i = 0; i < fil_events_queue_count(&events); i++) {
            moved += fil_events_cycle(&events, i);
        }
    }
}

static int tear_down(void **state) FIL_BEFORE_SHARING
{
    (void)state;
    (void)settle();
    deliver_all();
    fil_alloc_fail_after(-1);
    fil_map_free(map);
    deliver_all();
    map = NULL;
    kernel_fini();
    fil_events_fini(&events);
    assert_int_equal(fil_budget_drawn(&map_budget), 0);
    return 0;
}

static const char *shown(struct fil_bytes bytes, char out[32])
{
    (void)snprintf(out, 32, "%.*s", bytes.data == NULL ? 1 : (int)bytes.size,
                   bytes.data == NULL ? "-" : (const char *)bytes.data);
    return out;
}

static void note_event(void *context, const struct fil_map_event *event)
{
    char key[32];
    char old[32];
    char value[32];
    const char *name = context;
    size_t size = strlen(told);
    (void)snprintf(told + size, sizeof(told) - size, "%s%d:%s:%s>%s", name, (int)event->kind,
                   shown(event->key, key), shown(event->old_value, old),
                   shown(event->value, value));
    size = strlen(told);
    (void)snprintf(told + size, sizeof(told) - size, event->count > 0 ? "*%u " : " ",
                   (unsigned)event->count);
    last_seq = event->seq;
    last_lost = event->lost_count;
    lanes |= 1U << event->lane;
}

static void note_opened(void *context, int error, struct fil_runner *from)
{
    (void)from;
    assert_non_null(context);
    assert_int_equal(error, FIL_OK);
    opened_count++;
}

static void note_closed(void *context, int error, struct fil_runner *from)
{
    (void)from;
    assert_non_null(context);
    assert_int_equal(error, FIL_OK);
    closed_count++;
}

static char no_name[] = "";

static struct fil_map_listener_options plain(void)
{
    return (struct fil_map_listener_options){.name = "test",
                                             .kinds = FIL_MAP_EVENTS_ALL,
                                             .has_values = true,
                                             .lane_count = 1,
                                             .deliver = note_event,
                                             .context = no_name};
}

static struct fil_map_listener *
open_with(const struct fil_map_listener_options *options) FIL_BEFORE_SHARING
{
    struct fil_map_listener *listener = NULL;
    uint32_t before = opened_count;
    assert_int_equal(fil_map_listener_open(map, options, &kernel.runner, note_opened, &listener),
                     FIL_OK);
    (void)settle();
    assert_int_equal(opened_count, before + 1);
    return listener;
}

static struct fil_map_listener *open_plain(void) FIL_BEFORE_SHARING
{
    struct fil_map_listener_options options = plain();
    return open_with(&options);
}

static void assert_told(const char *expected) FIL_BEFORE_SHARING
{
    deliver_all();
    assert_string_equal(told, expected);
    told[0] = '\0';
}

static void test_every_kind_is_told(void **state)
{
    (void)state;
    (void)open_plain();
    struct fil_map_key key = place("a");
    struct fil_store_edit edit;
    put("a", "1");
    put("a", "2");
    struct fil_partition *partition = go_in(&key);
    assert_int_equal(fil_map_edit_here(map, &key, 1, now_ms(), &edit), FIL_OK);
    edit.value[0] = '3';
    assert_int_equal(fil_map_commit_here(map, &key, &edit), FIL_OK);
    struct fil_store_spot spot;
    assert_true(fil_map_find_here(map, &key, now_ms(), &spot));
    assert_false(fil_map_rewrite_here(map, &key, &spot, fil_bytes_of("9"))); // nobody would hear
    assert_int_equal(fil_map_edit_found_here(map, &key, &spot, 1, &edit), FIL_OK);
    edit.value[0] = '8';
    assert_int_equal(fil_map_commit_here(map, &key, &edit), FIL_OK);
    fil_partition_leave(partition);
    assert_true(remove_key("a"));
    put("a", "4");
    partition = go_in(&key);
    assert_true(fil_map_evict_here(map, &key, now_ms()));
    fil_partition_leave(partition);
    assert_told("1:a:->1 4:a:1>2 4:a:2>3 4:a:3>8 2:a:8>- 1:a:->4 8:a:4>- ");
    put_for("a", "5", 10);
    for (uint32_t i = 0; i < 150; i++) {
        pass_ms(1);
        (void)settle();
    }
    assert_told("1:a:->5 16:a:5>- ");
}

static void fill_end(void *context, uint8_t *value, size_t size)
{
    (void)context;
    value[size - 1] = 'x';
}

static void test_a_value_written_in_place_is_told_once(void **state)
{
    (void)state;
    (void)open_plain();
    struct fil_map_key key = place("a");
    struct fil_store_new_value value = {.size = 1, .fill = fill_end};
    struct fil_bytes found;
    struct fil_partition *partition = go_in(&key);
    assert_int_equal(fil_map_insert_here(map, &key, &value, now_ms()), FIL_OK);
    assert_true(fil_map_remove_here(map, &key, now_ms(), NULL));
    value.size = 3;
    assert_int_equal(fil_map_insert_here(map, &key, &value, now_ms()), FIL_OK);
    assert_true(fil_map_peek_here(map, &key, now_ms(), &found));
    assert_true(fil_bytes_equal(found, fil_bytes_make("\0\0x", 3)));
    fil_partition_leave(partition);
    assert_told("1:a:->x 2:a:x>- 1:a:-> ");
}

static void finish(struct fil_map_walk *walk, struct fil_runner *runner)
{
    (void)walk;
    (void)runner;
}

static void test_changes_of_all_are_told_once(void **state)
{
    (void)state;
    static struct fil_map_walk walk;
    char name[16];
    struct fil_map_listener_options options = plain();
    options.kinds = FIL_MAP_CLEARED | FIL_MAP_ALL_EVICTED;
    options.key = text("k1");
    (void)open_with(&options);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 50; i++) {
            (void)snprintf(name, sizeof(name), "k%u", i);
            put(name, "v");
        }
        if (round == 0) {
            fil_map_walk_clear(&walk, map);
        } else {
            fil_map_walk_evict_all(&walk, map);
        }
        fil_map_walk_start(&walk, finish, NULL, &kernel.runner);
        (void)settle();
    }
    assert_told("64:-:->-*50 32:-:->-*50 ");
    fil_map_walk_clear(&walk, map);
    fil_map_walk_start(&walk, finish, NULL, &kernel.runner);
    (void)settle();
    assert_told("");
}

static void test_wishes_are_heeded(void **state)
{
    (void)state;
    char first[] = "f";
    char second[] = "s";
    char third[] = "t";
    struct fil_map_listener_options options = plain();
    options.kinds = FIL_MAP_REMOVED;
    options.context = first;
    (void)open_with(&options);
    options = plain();
    options.has_values = false;
    options.context = second;
    (void)open_with(&options);
    options = plain();
    options.key = text("b");
    options.context = third;
    (void)open_with(&options);
    put("a", "1");
    assert_told("s1:a:->- ");
    assert_true(remove_key("a"));
    deliver_all();
    assert_non_null(strstr(told, "f2:a:1>- "));
    assert_non_null(strstr(told, "s2:a:->- "));
    assert_null(strstr(told, "t"));
    told[0] = '\0';
    put("b", "2");
    deliver_all();
    assert_non_null(strstr(told, "t1:b:->2 "));
    assert_null(strstr(told, "f"));
}

static void test_changes_of_a_key_keep_their_order(void **state)
{
    (void)state;
    struct fil_map_listener_options options = plain();
    options.lane_count = 0;
    options.key = text("a");
    (void)open_with(&options);
    static const char *const values[] = {"1", "22", "333", "4444", "55", "6", "777", "8"};
    for (uint32_t i = 0; i < 8; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "x%u", i);
        put(name, "v");
        put("a", values[i]);
    }
    assert_told("1:a:->1 4:a:1>22 4:a:22>333 4:a:333>4444 4:a:4444>55 4:a:55>6 4:a:6>777 "
                "4:a:777>8 ");
    // One lane, or their order would be luck.
    assert_int_equal(lanes & (lanes - 1), 0);
    assert_int_equal(last_seq, 8);
}

static void test_closed_listener_is_told_nothing(void **state)
{
    (void)state;
    struct fil_map_listener *listener = open_plain();
    struct fil_map_listener *other = open_plain();
    put("a", "1");
    assert_told("1:a:->1 1:a:->1 ");
    fil_map_listener_close(listener, &kernel.runner, note_closed);
    (void)settle();
    deliver_all();
    assert_int_equal(closed_count, 1);
    put("a", "2");
    assert_told("4:a:1>2 ");
    fil_map_listener_close(other, &kernel.runner, note_closed);
    (void)settle();
    deliver_all();
    assert_int_equal(closed_count, 2);
    put("a", "3");
    assert_told("");
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        assert_int_equal(map->shards[i].interests, 0);
    }
}

static void test_nobody_listening_costs_no_memory(void **state)
{
    (void)state;
    put("a", "1");
    uint64_t before = fil_alloc_count();
    for (uint32_t i = 0; i < 100; i++) {
        put("a", "2");
    }
    assert_int_equal(fil_alloc_count(), before);
}

static void test_event_without_memory_is_counted_and_told(void **state)
{
    (void)state;
    struct fil_map_stats stats;
    (void)open_plain();
    put("a", "1");
    put("a", "2");
    assert_told("1:a:->1 4:a:1>2 ");
    assert_int_equal(last_lost, 0);
    struct fil_map_key key = place("a");
    struct fil_partition *partition = go_in(&key);
    struct fil_store_write how = {.now_ms = now_ms()};
    fil_alloc_fail_after(0);
    int error = fil_map_put_here(map, &key, text("3"), &how, NULL);
    fil_alloc_fail_after(-1);
    fil_partition_leave(partition);
    assert_int_equal(error, FIL_OK);
    put("a", "4");
    assert_told("4:a:3>4 ");
    assert_int_equal(last_lost, 1);
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.events, 3);
    assert_int_equal(stats.events_lost, 1);
}

static void test_event_without_room_leaves_a_gap(void **state)
{
    (void)state;
    (void)tear_down(state);
    assert_int_equal(set_up_with(32), 0);
    (void)open_plain();
    struct fil_map_stats stats;
    for (uint32_t i = 0; i < 100; i++) {
        put("a", "1");
    }
    deliver_all();
    told[0] = '\0';
    put("a", "2");
    deliver_all();
    fil_map_read_stats(map, &stats);
    assert_true(stats.events_lost > 50);
    assert_int_equal(last_seq, 101);
}

static void test_without_memory_nothing_is_opened_and_closing_goes_on(void **state)
{
    (void)state;
    struct fil_map_listener_options options = plain();
    struct fil_map_listener *listener = NULL;
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    for (; error != FIL_OK; position++) {
        assert_int_equal(error, FIL_E_NOMEM);
        fil_alloc_fail_after(position);
        error = fil_map_listener_open(map, &options, &kernel.runner, note_opened, &listener);
        fil_alloc_fail_after(-1);
        deliver_all();
    }
    assert_true(position > 2);
    (void)settle();
    assert_int_equal(opened_count, 1);
    put("a", "1");
    assert_told("1:a:->1 ");
    fil_map_listener_close(listener, &kernel.runner, note_closed);
    fil_alloc_fail_after(0);
    (void)settle();
    fil_alloc_fail_after(-1);
    deliver_all();
    assert_int_equal(closed_count, 1);
}

static struct fil_map_event last_event;

static void keep_event(void *context, const struct fil_map_event *event)
{
    (void)context;
    last_event = *event;
}

static void test_changes_are_numbered_and_signed_if_wanted(void **state)
{
    (void)state;
    struct fil_map_listener_options options = plain();
    static const uint64_t me[2] = {7, 8};
    static const uint64_t nobody[2] = {0};
    struct fil_map_key key = place("a");
    options.deliver = keep_event;
    (void)open_with(&options);
    put("a", "1");
    deliver_all();
    assert_int_equal(last_event.sequence, 0);
    options.has_sequence = true;
    (void)open_with(&options);
    struct fil_partition *partition = go_in(&key);
    fil_map_sign_here(map, key.partition_id, me);
    struct fil_store_write how = {.now_ms = now_ms()};
    assert_int_equal(fil_map_put_here(map, &key, text("2"), &how, NULL), FIL_OK);
    fil_map_sign_here(map, key.partition_id, nobody);
    fil_partition_leave(partition);
    deliver_all();
    assert_int_equal(last_event.sequence, 1);
    assert_int_equal(last_event.origin[1], 8);
    put("a", "3");
    deliver_all();
    assert_int_equal(last_event.origin[0], 0);
    assert_int_equal(fil_map_sequence(map, key.partition_id), 2);
}

static void test_map_without_events_has_no_listeners(void **state)
{
    (void)state;
    struct fil_map_listener_options options = plain();
    struct fil_map_listener *listener = NULL;
    map->events = NULL;
    assert_int_equal(fil_map_listener_open(map, &options, &kernel.runner, note_opened, &listener),
                     FIL_E_UNSUPPORTED);
    map->events = &events;
    assert_null(listener);
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
    fil_role_enter(&fil_role_event);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_kind_is_told),
        TEST(a_value_written_in_place_is_told_once),
        TEST(changes_of_all_are_told_once),
        TEST(wishes_are_heeded),
        TEST(changes_of_a_key_keep_their_order),
        TEST(closed_listener_is_told_nothing),
        TEST(nobody_listening_costs_no_memory),
        TEST(event_without_memory_is_counted_and_told),
        TEST(event_without_room_leaves_a_gap),
        TEST(without_memory_nothing_is_opened_and_closing_goes_on),
        TEST(changes_are_numbered_and_signed_if_wanted),
        TEST(map_without_events_has_no_listeners),
    };
#undef TEST
    return cmocka_run_group_tests_name("listen", tests, NULL, NULL);
}
