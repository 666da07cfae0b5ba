// SPDX-License-Identifier: Apache-2.0
/**
 * A topic's contract, one test a promise: all who listen get all messages in order, with who sent
 * them and when; who came later gets none of before; without listeners a message costs nothing; a
 * publisher that has time waits for room, nobody overtakes it, and one that is gone passes its room
 * on.
 */
#include "grid/topic/topic.h"

#include "core/container/listen.h"
#include "tests/unit/core/container/container_fixture.h"

static struct fil_topic *topic;

struct ear {
    char letters[32];
    uint64_t source;
    uint64_t time_ms;
};

static void hear(void *context, const struct fil_container_event *event)
{
    struct ear *ear = context;
    size_t size = strlen(ear->letters);
    assert_int_equal(event->kind, FIL_CONTAINER_MESSAGE);
    memcpy(ear->letters + size, event->item.data, event->item.size);
    ear->source = event->source;
    ear->time_ms = event->time_ms;
}

static int set_up(void **state)
{
    (void)state;
    topic = fil_topic_of(open_inside(&fil_topic_type, NULL));
    return 0;
}

static void listen(struct ear *ear)
{
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {
        .kinds = FIL_CONTAINER_MESSAGE, .has_items = true, .deliver = hear, .context = ear};
    assert_int_equal(fil_container_listen_here(&topic->container, &options, &listener), FIL_OK);
}

static void test_all_get_all_in_order(void **state)
{
    (void)state;
    struct ear first = {.source = 0};
    struct ear second = {.source = 0};
    listen(&first);
    listen(&second);
    assert_int_equal(fil_topic_publish_here(topic, text("a"), 7, 1000), 2);
    assert_int_equal(fil_topic_publish_here(topic, text("b"), 8, 1001), 2);
    deliver_events();
    assert_string_equal(first.letters, "ab");
    assert_string_equal(second.letters, "ab");
    assert_int_equal(first.source, 8);
    assert_int_equal(first.time_ms, 1001);
}

static void test_who_comes_later_gets_none_of_before(void **state)
{
    (void)state;
    struct ear late = {.source = 0};
    uint64_t before = fil_alloc_count();
    assert_int_equal(fil_topic_publish_here(topic, text("a"), 7, 1000), 0);
    assert_int_equal(fil_alloc_count(), before);
    listen(&late);
    (void)fil_topic_publish_here(topic, text("b"), 7, 1000);
    deliver_events();
    assert_string_equal(late.letters, "b");
    assert_int_equal(fil_counter_read(&topic->container.counters.adds), 2);
}

/** Publishes its number as a letter, when there is room. */
static int publish(struct errand *errand)
{
    char letter = (char)errand->number;
    int error = fil_topic_await_room_here(topic, &errand->waiter, now_ms());
    if (error == FIL_OK) {
        (void)fil_topic_publish_here(topic, fil_bytes_make(&letter, 1), 0, now_ms());
    }
    return error;
}

static void send_letter(struct errand *errand, char letter)
{
    *errand = (struct errand){.work = publish, .number = (uint64_t)letter};
    send_errand(errand, &topic->container, 0);
    settle();
}

/** A listener with room for so many; the test goes out of the partition. */
static void listen_narrowly(struct ear *ear, uint32_t room)
{
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {.kinds = FIL_CONTAINER_MESSAGE,
                                                     .has_items = true,
                                                     .lane_max = room,
                                                     .deliver = hear,
                                                     .context = ear};
    assert_int_equal(fil_container_listen_here(&topic->container, &options, &listener), FIL_OK);
    fil_partition_leave(world_inside);
}

static int go_back(void **state)
{
    world_inside = go_in(&topic->container);
    return leave_world(state);
}

/** A millisecond later the topic looks for room. */
static void look_again(void)
{
    pass_ms(2);
    settle();
}

#define ROOM 16U

static void test_publishers_wait_for_room_in_order(void **state)
{
    (void)state;
    static struct errand errands[ROOM + 4];
    static struct ear ear;
    memset(&ear, 0, sizeof(ear));
    listen_narrowly(&ear, ROOM);
    for (uint32_t i = 0; i < ROOM + 3; i++) {
        send_letter(&errands[i], (char)('a' + i));
        assert_int_equal(errands[i].is_done, i < ROOM);
    }
    look_again();
    assert_false(errands[ROOM].is_done);
    deliver_events();
    memset(&ear, 0, sizeof(ear));
    // There is room, but others wait for it.
    send_letter(&errands[ROOM + 3], 'z');
    assert_false(errands[ROOM + 3].is_done);
    look_again();
    deliver_events();
    assert_string_equal(ear.letters, "qrsz");
    assert_int_equal(fil_counter_read(&world_events.dropped_count), 0);
}

static void test_one_that_is_gone_passes_its_room_on(void **state)
{
    (void)state;
    static struct errand errands[ROOM + 2];
    static struct ear ear;
    memset(&ear, 0, sizeof(ear));
    listen_narrowly(&ear, ROOM);
    for (uint32_t i = 0; i < ROOM + 2; i++) {
        send_letter(&errands[i], (char)('a' + i));
    }
    fil_exec_abandon(kernel.exec, &errands[ROOM].op, &kernel.runner);
    settle();
    assert_true(errands[ROOM].is_done);
    deliver_events();
    memset(&ear, 0, sizeof(ear));
    look_again();
    deliver_events();
    assert_string_equal(ear.letters, "r");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_get_all_in_order, set_up, leave_world),
        cmocka_unit_test_setup_teardown(test_who_comes_later_gets_none_of_before, set_up,
                                        leave_world),
        cmocka_unit_test_setup_teardown(test_publishers_wait_for_room_in_order, set_up, go_back),
        cmocka_unit_test_setup_teardown(test_one_that_is_gone_passes_its_room_on, set_up, go_back),
    };
    return cmocka_run_group_tests_name("topic", tests, NULL, NULL);
}
